"""From Discord's messages to requests: pure, no word to the network.

What arrives live, is read back, or comes out of an export (dnam/importers/discord_export.py) has one id, and says the
same: the text without the people it names, who they are, when it was said (the message id has it), what it replies to.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import discord

from dnam.adapters.discord.places import PLATFORM, account_of, is_direct, place_of, shows_name
from dnam.importers.discord_form import DELETED_USER
from projections.decisions.forwards import Forwarded
from projections.decisions.hear import Answered, DeletedRequest, HeardRequest, Mention
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.decisions.withdraw import WithdrawRequest
from projections.events.values import FORWARDED, POLL, Attachment, AuthorKind, SpanKind
from projections.ids import SNOWFLAKE_EPOCH_MS, Point, Ref
from projections.policies.text import whole

TAKEN = (
    discord.MessageType.default,
    discord.MessageType.reply,
    discord.MessageType.chat_input_command,
    discord.MessageType.context_menu_command,
)
"""Messages that somebody wrote. All others are the platform's own notices."""

MARKUP = re.compile(
    r"<@!?(?P<user>[0-9]{1,20})>|<@&(?P<role>[0-9]{1,20})>|<#(?P<channel>[0-9]{1,20})>"
    r"|<a?:(?P<emoji>[A-Za-z0-9_~]{1,32}):[0-9]{1,20}>"
)
QUOTED = re.compile(r"(?:^|\n)>[^\n]*\n[ ]*\Z")
"""A mention right after a quote names who was quoted."""


class Where(NamedTuple):
    """Where something is said: who reads it decides which names may stand in it. Without a channel nobody knows."""

    guild: discord.Guild | None = None
    channel: object = None


def said_of(snowflake: int) -> int:
    """When something got its id, in ms since 1970."""
    return (snowflake >> 22) + SNOWFLAKE_EPOCH_MS


def ms(moment: datetime | None) -> int | None:
    """A moment in ms since 1970, cut as in an export."""
    return None if moment is None else (moment - datetime.fromtimestamp(0, UTC)) // timedelta(milliseconds=1)


def translate(message: discord.Message, own_id: int, *, addressed: bool = False) -> HeardRequest | None:
    """A message as a request; None for a notice of the platform and for what says nothing in words or files.

    What says nothing any more since it was edited (an embed is left) is the end of the words that were heard, and where
    none were it is nothing (`only_known`).

    `own_id` is the bot's. `addressed` says that it is also where nothing in it shows that (see `calls_us`).
    """
    if message.type not in TAKEN:
        return None
    author = author_kind(message, own_id)
    text, mentions = cut(message, own_id)
    attachments = tuple(_attached(message))
    says_nothing = not (text.strip() or mentions or attachments)
    if says_nothing and message.edited_at is None:
        return None
    reply_to = replied_to(message)
    return HeardRequest(
        key=str(message.id),
        place=place_of_message(message, own_id),
        author=author,
        speaker=_speaker(message),
        text=whole(text),
        said=said_of(message.id),
        fresh=(),
        mentions=mentions,
        edited=ms(message.edited_at),
        reply_to=reply_to,
        reply_said=None if reply_to is None else said_of(int(reply_to.key)),
        answers=answered(message) if author == "self" else None,
        attachments=attachments,
        medium="voice" if message.flags.voice else "text",
        addressed=author != "self" and (addressed or calls_us(message, own_id)),
        only_known=says_nothing,
        forwards=_forwarded(message),
    )


def deletion(message_id: int, session: str, now: int) -> DeletedRequest:
    """A message that was deleted, by its id alone."""
    return DeletedRequest(PLATFORM, str(message_id), session, said_of(message_id), max(now, said_of(message_id)))


def withdrawal(ids: Sequence[int], session: str, now: int, questions: Sequence[Point] = ()) -> WithdrawRequest:
    """The same messages, as far as answers arrived as them. Of `questions` see `WithdrawRequest`."""
    said = max(now, *map(said_of, ids))
    return WithdrawRequest(PLATFORM, tuple(map(str, ids)), session, said, tuple(questions))


def place_of_message(message: discord.Message, own_id: int) -> PlaceSeen:
    """Where it was said. A DM that is not in the cache is its author's, unless that is the bot."""
    partner = None if message.author.id == own_id else message.author
    return place_of(message.channel, partner)


def said_in(message: discord.Message) -> Where:
    """Where a message is said, for the names that may stand in it."""
    return Where(message.guild, message.channel)


def author_kind(message: discord.Message, own_id: int) -> AuthorKind:
    """Who wrote it. A webhook may carry a person's name, and is none."""
    if message.author.id == own_id:
        return "self"
    if message.webhook_id is not None:
        return "webhook"
    if message.author.bot or message.author.system:
        return "bot"
    return "unknown" if str(message.author.id) == DELETED_USER else "person"


def _speaker(message: discord.Message) -> Account:
    account = account_of(message.author)
    return account._replace(name=whole(account.name))


def calls_us(message: discord.Message, own_id: int) -> bool:
    """Whether it is said to the bot: in its DM, by a mention of it or of its own role, or as a reply to it."""
    return (
        is_direct(message.channel)
        or any(each.id == own_id for each in message.mentions)
        or any(_is_own_role(role, own_id) for role in message.role_mentions)
        or replies_to(message, own_id)
    )


def addressed_words(message: discord.Message, own_id: int) -> str:
    """The text without a mention of the bot, or of its own role, in front of it, `spelled`."""
    roles = (f"&{role.id}" for role in message.role_mentions if _is_own_role(role, own_id))
    own = "|".join((f"!?{own_id}", *roles))
    text = re.sub(rf"\A\s*<@(?:{own})>\s*", "", message.content)
    return spelled(text, message.author, said_in(message), message.mentions)


def spelled(text: str, by: discord.abc.User, where: Where, mentioned: Sequence[discord.abc.User] = ()) -> str:
    """What somebody typed for the memory, with names where marks stand for who typed it, bots, roles, channels and
    emoji. Whom else it mentions is not named: see `dnam.unnamed`.
    """
    return MARKUP.sub(lambda found: _spelled(found, by, where, mentioned), text)


def _spelled(found: re.Match[str], by: discord.abc.User, where: Where, mentioned: Sequence[discord.abc.User]) -> str:
    if found["user"] is None:
        return _in_words(found, where, mentioned)
    if int(found["user"]) == by.id:
        return account_of(by).name
    user = _user(mentioned, int(found["user"]))
    return found[0] if user is None or not user.bot else _in_words(found, where, mentioned)


def _is_own_role(role: discord.Role, own_id: int) -> bool:
    return role.tags is not None and role.tags.bot_id == own_id


def replied_to(message: discord.Message) -> Ref | None:
    """The message that is answered, in the same channel. What is forwarded or crossposted is no answer."""
    reference = message.reference
    if reference is None or reference.message_id is None or reference.type is discord.MessageReferenceType.forward:
        return None
    return Ref(PLATFORM, str(reference.message_id)) if reference.channel_id == message.channel.id else None


def _forwarded(message: discord.Message) -> Forwarded | None:
    """What is forwarded, wherever that stands: its name, place and time; who said it Discord does not tell."""
    to = message.reference
    if to is None or to.message_id is None or to.type is not discord.MessageReferenceType.forward:
        return None
    place = Ref(PLATFORM, str(to.channel_id))
    return Forwarded(Ref(PLATFORM, str(to.message_id)), said_of(to.message_id), place, _reads_along(message, to))


def _reads_along(message: discord.Message, to: discord.MessageReference) -> bool:
    """Whether the bot can read where something stands, as far as that is in the same guild."""
    if to.channel_id == message.channel.id:
        return True
    guild = message.guild
    channel = None if guild is None else guild.get_channel_or_thread(to.channel_id)
    return guild is not None and channel is not None and channel.permissions_for(guild.me).view_channel


def answered(message: discord.Message) -> Answered | None:
    """What it replies to, where Discord tells who said that, and that is a person."""
    asked = None if message.reference is None else message.reference.resolved
    if replied_to(message) is None or not isinstance(asked, discord.Message) or author_kind(asked, 0) != "person":
        return None
    return Answered(Ref(PLATFORM, str(asked.id)), said_of(asked.id), account_of(asked.author))


def replies_to(message: discord.Message, author_id: int) -> bool:
    """Whether it answers a message of this author."""
    resolved = None if message.reference is None else message.reference.resolved
    return replied_to(message) is not None and isinstance(resolved, discord.Message) and resolved.author.id == author_id


# -- what comes with it ------------------------------------------------------------------------------------------------


def _attached(message: discord.Message) -> Iterator[Attachment]:
    """Files, and what else is shown beside the words: stickers and a poll by name, and what is forwarded.

    What a forward or a poll says is what the attachment shows, its caption, and not what the speaker said: it is read
    and found where it stands, and nothing is learned of it.
    """
    yield from _files(message.attachments)
    yield from (_sticker(each.name) for each in message.stickers)
    if message.poll is not None:
        answers = ", ".join(each.text for each in message.poll.answers)
        yield Attachment(POLL, caption=whole(f"{message.poll.question} ({answers})"))
    for each in message.message_snapshots:
        yield Attachment(FORWARDED, caption=whole(_unnamed(each.content, message)))
        yield from _files(each.attachments)
        yield from (_sticker(sticker.name) for sticker in each.stickers)


def _files(files: Sequence[discord.Attachment]) -> Iterator[Attachment]:
    return (Attachment(whole(each.filename), each.size) for each in files)


def _sticker(name: str) -> Attachment:
    return Attachment(whole(f"sticker {name}"))


def _unnamed(text: str, message: discord.Message) -> str:
    """A text from elsewhere. Whoever it mentions is not named here: nobody of this place said it."""
    return MARKUP.sub(lambda found: "@someone" if found["user"] else _in_words(found, said_in(message), ()), text)


# -- the text ----------------------------------------------------------------------------------------------------------


def cut(message: discord.Message, own_id: int) -> tuple[str, tuple[Mention, ...]]:
    """The text without the people it names, and who they are, at which code point of what remains.

    A bot is no person: it stays in the text as `@Name`. So do roles, channels and custom emoji, by their names. A
    channel that not all who read this can see keeps its mark.
    """
    text, mentions, done = "", [], 0
    for found in MARKUP.finditer(message.content):
        text += message.content[done : found.start()]
        done = found.end()
        who = _person(message, found, own_id)
        if who is None:
            text += _in_words(found, said_in(message), message.mentions)
        else:
            kind: SpanKind = "quote" if QUOTED.search(text) else "mention"
            mentions.append(Mention(len(text), who, kind))
    return text + message.content[done:], tuple(mentions)


def _person(message: discord.Message, found: re.Match[str], own_id: int) -> Account | None:
    """Whom a mention names; None where that is no person. Who is not among the message's users has no name here."""
    if found["user"] is None or int(found["user"]) == own_id:
        return None
    user = _user(message.mentions, int(found["user"]))
    if user is None:
        return Account(PLATFORM, found["user"])
    return None if user.bot else account_of(user)


def _user(users: Sequence[discord.abc.User], user_id: int) -> discord.abc.User | None:
    return next((user for user in users if user.id == user_id), None)


def _in_words(found: re.Match[str], where: Where, mentioned: Sequence[discord.abc.User]) -> str:
    """What a mark stands for, as it is shown."""
    if found["emoji"]:
        return f":{found['emoji']}:"
    if found["user"]:
        user = _user(mentioned, int(found["user"]))
        return f"@{user.display_name if user else found['user']}"
    return next(_names(found, where), found[0])


def _names(found: re.Match[str], where: Where) -> Iterator[str]:
    """A thread keeps its mark: what its author called it is not for others' messages. So does a channel that is hidden
    from some who read this: Discord shows them the mark without its name.
    """
    guild = where.guild
    if guild is None:
        return
    if found["role"] and (role := guild.get_role(int(found["role"]))):
        yield f"@{role.name}"
    channel = guild.get_channel(int(found["channel"])) if found["channel"] else None
    if channel is not None and shows_name(where.channel, channel):
        yield f"#{channel.name}"
