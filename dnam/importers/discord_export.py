"""DiscordChatExporter's JSON: one channel, thread or DM a file.

    {"guild": {id, name}, "channel": {id, type, categoryId, name}, …, "messages": [{…}, …], "messageCount": 40}

The file is never held in memory: what stands before `messages` is read when it is recognised, the messages as they are
asked for. A message that has not the form of one is skipped, not the file. An account is the assistant when the
operator names it, and a conversation is a DM when one person and a bot write in it. What is asked of the memory, and
what it says to that, was never said to anybody: it is skipped, as live (`discord_asides`).
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from dnam.importers import order, stream
from dnam.importers.discord_answers import Answers
from dnam.importers.discord_asides import COMMAND, Asides
from dnam.importers.discord_form import (
    KINDS,
    PRIVATE,
    TAKEN,
    ExportedChannel,
    File,
    Guild,
    Message,
    Sticker,
    User,
    author_kind,
)
from dnam.importers.discord_mentions import cut_mentions, unnamed
from dnam.importers.source import (
    Arrival,
    Arrived,
    Channel,
    Format,
    ImportFailed,
    Options,
    Skipped,
    Told,
    UnknownFormat,
    Writer,
)
from dnam.importers.times import iso_ms, snowflake_ms, sure_snowflake_ms
from projections.decisions.forwards import Forwarded
from projections.decisions.hear import HeardRequest, Mention
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.events.heard import PlaceKind
from projections.events.values import FORWARDED, Attachment, AudienceKind
from projections.ids import DISCORD, Ref
from projections.times import DAY_MS

FORMAT: Format = "discord-export"

TAIL_BYTES = 256
MOST_TYPE_CHARS = 40
"""How much of a word that is not known is told."""
BEGINNING = 16
"""How many messages are looked at to see which way a file runs."""

MOST_NAMED = 500
"""How many people a message may name: Discord's own have no room for half as many, and a decision has its bounds."""
NAMES_TOO_MANY = "names more people than a message of Discord's can"
"""Why something is skipped."""

COUNT = re.compile(rb'"messageCount"\s*:\s*([0-9]{1,15})\s*\}\s*\Z')
Form = TypeVar("Form")


class _Census(NamedTuple):
    """Who writes in a file: people by id with their latest account, and whether a bot does."""

    people: dict[str, Account]
    has_bot: bool


class _Read(NamedTuple):
    """A message with its number in the file and the time it was said."""

    number: int
    said: int
    message: Message


class DiscordExport:
    """A file of DiscordChatExporter's. `recognise` makes one."""

    def __init__(self, path: Path, guild: Guild, channel: ExportedChannel) -> None:
        self.path = path
        self.format = FORMAT
        self._guild = guild
        self._channel = channel
        self._kind = KINDS.get(channel.type, "unknown")
        self._is_private = channel.type in PRIVATE
        self._is_unknown = channel.type not in KINDS
        self._guild_ref = None if channel.type.startswith("Direct") else Ref(DISCORD, guild.id)
        self._guild_name = "" if self._guild_ref is None else guild.name

    @property
    def channels(self) -> tuple[Channel, ...]:
        channel = Channel(
            key=self._channel.id,
            name=self._channel.name or "",
            kind=self._kind,
            guild=self._guild_ref,
            guild_name=self._guild_name,
            messages=_message_count(self.path),
            must_ask=not (self._is_private or self._is_unknown),
            unknown_type=self._channel.type[:MOST_TYPE_CHARS] if self._is_unknown else None,
        )
        return (channel,)

    def read(self, options: Options) -> Iterator[Arrival]:
        """See `Source.read`. What is skipped comes between the messages, where it was met."""
        translator = _Translator(self._place(options), options)
        numbered = enumerate(stream.values(self.path, "messages.item", "message"), 1)
        read: Iterator[_Read | Skipped] = (_read(number, value, options.now) for number, value in numbered)
        if self._is_newest_first(options.now):
            read = order.backwards(read)
        for each in order.settled(read, lambda one: one.said if isinstance(one, _Read) else None):
            yield translator.translate(each) if isinstance(each, _Read) else each

    def _is_newest_first(self, now: int) -> bool:
        try:
            begins = list(islice(stream.values(self.path, "messages.item", "message"), BEGINNING))
        except ImportFailed:
            return False  # the reading itself will say so
        read = (_read(number, value, now) for number, value in enumerate(begins))
        times = [each.said for each in read if isinstance(each, _Read)]
        return len(times) > 1 and times[-1] < times[0]

    def _place(self, options: Options) -> PlaceSeen:
        told = self._told(options)
        audience, partner = self._audience(told, options.assistants)
        kind: PlaceKind = "direct" if partner else "group" if self._kind == "direct" else self._kind
        # The exporter's "category" of a thread is its parent channel; of a channel it is only a heading.
        key = self._channel.category_id if kind == "thread" else None
        parent = Ref(DISCORD, key) if key else None
        return PlaceSeen(
            platform=DISCORD,
            key=self._channel.id,
            kind=kind,
            # What is no channel of a guild is named after the people in it.
            name="" if self._guild_ref is None else self._channel.name or "",
            audience=audience,
            guild=self._guild_ref,
            guild_name=self._guild_name,
            parent=parent,
            partner=partner,
            told=told is not None,
            readers=None if self._is_private else parent,
        )

    def _told(self, options: Options) -> Told | None:
        """What the operator says of who could read it. Of a type that is not known, only that it was restricted: no
        word opens what may be anything.
        """
        told = options.told(self._channel.id)
        return None if self._is_unknown and told != "channel" else told

    def _audience(self, told: Told | None, assistants: Sequence[str]) -> tuple[AudienceKind, Account | None]:
        """Who could read it; in a DM also whose it is.

        A DM is one person's only when that person and a bot write in it. What two people wrote to each other is
        nobody's own DM with the assistant: as `direct` it would be shown to one of them as theirs, and what the other
        said there would lie in the wrong person's compartment. It is restricted to itself instead, like a group.
        """
        if told != "dm" and self._kind != "direct":
            return ("guild" if told == "guild" and not self._is_private else "channel"), None
        census = self._census(assistants)
        if len(census.people) == 1 and (told == "dm" or (told != "channel" and census.has_bot)):
            return "direct", next(iter(census.people.values()))
        if told == "dm":
            raise BadRequest(
                f"{self.path} is no one person's DM: {len(census.people)} people write in it."
                " Say --audience channel, or name the account that was the assistant (--assistant)."
            )
        return "channel", None

    def _census(self, assistants: Sequence[str]) -> _Census:
        people: dict[str, Account] = {}
        has_bot = False
        with suppress(ImportFailed):  # the reading itself will tell of it
            for user in self._authors():
                kind = author_kind(user, assistants)
                has_bot = has_bot or kind in ("self", "bot")
                if kind == "person":
                    people[user.id] = user.account
        return _Census(people, has_bot)

    def writers(self) -> Iterator[Writer]:
        """Who wrote each message. Raises BrokenImport behind what could be read."""
        for user in self._authors():
            names = tuple(name for name in (user.nickname, user.name) if name)
            yield Writer(user.account, names, author_kind(user, ()))

    def _authors(self) -> Iterator[User]:
        for value in stream.values(self.path, "messages.item.author", "message"):
            with suppress(msgspec.ValidationError):
                yield msgspec.convert(value, User)


class _Translator:
    """From the file's messages to dnam's. It remembers which were the assistant's, to know replies to them."""

    def __init__(self, place: PlaceSeen, options: Options) -> None:
        self._place = place
        self._assistants = options.assistants
        self._asides = Asides(options.assistants, shows_memory=place.key == options.memory_channel)
        self._answers = Answers()
        self._own: set[str] = set()

    def translate(self, read: _Read) -> Arrival:
        message = read.message
        author = author_kind(message.author, self._assistants)
        if author == "self":
            self._own.add(message.id)
        text, mentions = cut_mentions(message.content or "", message.mentions, self._assistants)
        attachments = tuple(_attached(message))
        reply_to = self._reply_to(message)
        aside = self._asides.why_not_said(message, author, reply_to) if message.type in TAKEN else ""
        is_written = self._assistants and message.type in TAKEN
        answered = self._answers.answered(message, read.said, author, reply_to) if is_written else None
        edited = iso_ms(message.timestamp_edited)
        # What was edited into a command takes back what was heard of it before, and is nothing else.
        is_rewritten = aside == COMMAND and edited is not None
        reason = _why_not_taken(message, text, mentions, attachments) or ("" if is_rewritten else aside)
        if reason:
            return Skipped(reason, f"message {read.number} (id {message.id})")
        request = HeardRequest(
            key=message.id,
            place=self._place,
            author=author,
            speaker=message.author.account,
            text=text,
            said=read.said,
            fresh=(),
            mentions=mentions,
            edited=edited,
            reply_to=reply_to,
            reply_said=None if reply_to is None else snowflake_ms(reply_to.key),
            attachments=attachments,
            addressed=author != "self" and self._is_addressed(message, reply_to),
            only_known=is_rewritten,
            answers=answered,
            forwards=self._forwarded(message),
        )
        return Arrived(request)

    def _forwarded(self, message: Message) -> Forwarded | None:
        """What was forwarded, where the export tells; what stands here itself is heard."""
        reference = message.reference
        if reference is None or not reference.message_id or reference.type != "Forward":
            return None
        said, key = snowflake_ms(reference.message_id), reference.channel_id or self._place.key
        if said is None:
            return None
        is_here = key == self._place.key
        return Forwarded(Ref(DISCORD, reference.message_id), said, Ref(DISCORD, key), is_here)

    def _reply_to(self, message: Message) -> Ref | None:
        """The message that is answered. What was forwarded or crossposted is no answer."""
        reference = message.reference
        if reference is None or not reference.message_id or reference.type == "Forward":
            return None
        is_here = reference.channel_id in (None, self._place.key)
        return Ref(DISCORD, reference.message_id) if is_here else None

    def _is_addressed(self, message: Message, reply_to: Ref | None) -> bool:
        if not self._assistants:
            return False
        return (
            self._place.audience == "direct"
            or (reply_to is not None and reply_to.key in self._own)
            or any(author_kind(each, self._assistants) == "self" for each in message.mentions)
            or any(re.search(f"<@!?{re.escape(each)}>", message.content or "") for each in self._assistants)
        )


def recognise(path: Path) -> DiscordExport:
    """The export in a file that is known to have `messages`. Raises UnknownFormat."""
    return DiscordExport(path, _head(path, "guild", Guild), _head(path, "channel", ExportedChannel))


def _head(path: Path, key: str, form: type[Form]) -> Form:
    try:
        return msgspec.convert(next(stream.values(path, key, key), None), form)
    except msgspec.ValidationError as error:
        wrong = f'{path} has "messages" but no "{key}" as DiscordChatExporter writes it ({error}).'
        raise UnknownFormat(path, f"{wrong} Export it again as JSON.") from error


def _read(number: int, value: object, now: int) -> _Read | Skipped:
    try:
        message = msgspec.convert(value, Message)
    except msgspec.ValidationError as error:
        return Skipped("not in the form of a message", f"message {number}: {error}")
    said = _said(message, now)
    if said is None:
        return Skipped("without a usable time", f"message {number} (id {message.id})")
    return _Read(number, said, message)


def _attached(message: Message) -> Iterator[Attachment]:
    """Files, and what else is shown beside the words, as live: stickers by name, and what is forwarded. What a forward
    says is its caption, and not what the speaker said. The exporter writes no polls.
    """
    yield from _shown(message.attachments, message.stickers)
    forwarded = message.forwarded_message
    if forwarded is not None:
        yield Attachment(FORWARDED, caption=unnamed(forwarded.content or "", message.mentions))
        yield from _shown(forwarded.attachments, forwarded.stickers)


def _shown(files: Sequence[File], stickers: Sequence[Sticker]) -> Iterator[Attachment]:
    yield from (Attachment(each.file_name or "file", each.file_size_bytes) for each in files)
    yield from (Attachment(f"sticker {each.name or ''}".rstrip()) for each in stickers)


def _why_not_taken(
    message: Message, text: str, mentions: tuple[Mention, ...], attachments: tuple[Attachment, ...]
) -> str:
    """The reason for skipping a message; empty when it is taken."""
    if message.type not in TAKEN:
        return f"notice of the platform ({message.type[:MOST_TYPE_CHARS]})"
    if len({(each.account.platform, each.account.id) for each in mentions}) > MOST_NAMED:
        return NAMES_TOO_MANY
    if text.strip() or mentions or attachments:
        return ""
    return "only an embed" if message.embeds else "empty"


def _said(message: Message, now: int) -> int | None:
    """When a message was said, in ms: as its id has it, if that is Discord's, and else as its time stamp has it. What
    may be any number counts as Discord's only when both agree.
    """
    sure = sure_snowflake_ms(message.id, now)
    if sure is not None:
        return sure
    stamp, flake = iso_ms(message.timestamp), snowflake_ms(message.id)
    if flake is not None and (stamp is None or abs(flake - stamp) < DAY_MS):
        return flake
    return stamp


def _message_count(path: Path) -> int | None:
    found = COUNT.search(stream.tail(path, TAIL_BYTES))
    return int(found[1]) if found else None
