"""The transparency channel: one message per person, pinned and edited in place, that shows what is known of them there.

    the log grows ─▶ whose memory changed? ─▶ has their text changed? ─▶ edit, or post and pin ─▶ snapshot.posted

It looks at the log every GATHER_SECONDS, so that what changes in between is one edit, whichever process recorded it.
What is shown is the text of `dnam.snapshot`: no more than every reader of that channel may see. A message that somebody
deleted is posted anew, one that somebody unpinned is pinned again; where the channel has no room for another pin, it
stays unpinned, and the event says so. Who opts out has their message taken down.

What does not work is an event (`job.failed`), once for as long as it fails for the same reason, and keeps nobody else's
message from being written. It is tried again with every round, until one fails once more: a channel that takes nothing
is asked once a round, however many wait for it.

At the start, after an erasure, and where nobody knows whether something was posted, the channel is read. What is ours,
begins as these do, and is nobody's is taken down: an erasure leaves no row that would name the message, and neither
does a program that ended between posting and recording. Whose message says something else than it should is brought up
to date: what failed before the start failed for good else.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import partial

import aiohttp
import discord

from dnam.adapters.discord.askers import invocation
from dnam.adapters.discord.desk import Desk, error_words
from dnam.adapters.discord.places import PLATFORM, account_of, place_of
from dnam.adapters.discord.ui.pins import Pins, Wall, pinned
from dnam.errors import Unsuitable
from dnam.snapshot import (
    BEGINNING,
    Channel,
    Snapshot,
    latest_turn,
    look_of_name,
    shared_names,
    shown_digest,
    snapshot,
)
from dnam.unwritten import Pause
from projections.decisions.snapshots import PostRequest, post_snapshot
from projections.events import (
    ItemEvent,
    MessageHeard,
    MessageRedacted,
    PersonErased,
    PersonOptedOut,
    PersonRenamed,
    PlaceAudienceChanged,
    SummaryRefreshed,
    SummaryReset,
    SummaryReverted,
    SummaryWithheld,
    TurnAnswered,
)
from projections.fold import Record
from projections.ids import NOBODY, Handle, Ref
from projections.messages import unit
from projections.people import PEOPLE
from projections.rows import Rows
from projections.snapshots import SnapshotRow, snapshot_of, snapshots_in
from projections.turns import TURNS
from replay.errors import LogError

GATHER_SECONDS = 5.0
"""How long changes are gathered: Discord takes about one edit a second."""
MANY = 4096
"""With so many new events everybody is looked at: that is less work than to look at the events."""
JOB = "snapshot"
NOTHING = b""
"""Instead of the digest of what is shown of somebody: there is no message of theirs."""
UNCERTAIN = (discord.DiscordServerError, aiohttp.ClientError, OSError, ValueError)
"""After these a message may have been posted all the same; a ValueError is an answer that was cut off."""


class Snapshots:
    """Keeps the channel up with the memory. `pause` waits so many seconds."""

    def __init__(self, desk: Desk, channel_id: int, pause: Pause = asyncio.sleep) -> None:
        self._desk = desk
        self._channel_id = channel_id
        self._place = Ref(PLATFORM, str(channel_id))
        self._pins = Pins(desk, self._place)
        self._pause = pause
        self._done: int | None = None
        self._sweeps = True
        self._gone: set[str] = set()
        self._shown: dict[Handle, bytes] = {}
        self._posted: dict[Handle, int] = {}
        self._shared: frozenset[str] = frozenset()
        """The names that more than one goes by, as of the last round in which anybody's memory was shown."""
        self._failing: dict[Handle, str] = {}
        """Who could not be brought up to date and why, who was tried last at the end."""

    async def keep_up(self) -> None:
        """Look and write until cancelled."""
        while True:
            await self._pause(GATHER_SECONDS)
            await self.round()

    async def begin(self) -> None:
        """What changes from now on is shown, and what changed since something was shown here last, if anything was."""
        try:
            self._done = await self._desk.memory.look(self._shown_up_to)
        except (LogError, OSError) as error:
            await self._desk.failed(JOB, error)

    def _shown_up_to(self, rows: Rows) -> int:
        """How far what is shown is."""
        return max((found.seq for found in snapshots_in(rows, self._place)), default=0)

    async def round(self) -> None:
        """Bring every message up to date whose person's memory changed since the last round, or that failed before."""
        await self._guarded(NOBODY, self._round)

    async def _round(self) -> None:
        await self._desk.closed()
        if self._desk.uncompared:  # it is not sure who may read what: later
            return
        failing = [each for each in self._failing if each != NOBODY]
        changed = await self._desk.memory.look(self._changed)
        await self._bring_all_up(changed)
        await self._try_again(each for each in failing if each not in changed)
        if self._sweeps:
            await self._bring_all_up(await self._sweep() - self._failing.keys())
        if self._pins.is_due:
            await self._pins.keep(await self._channel())

    async def _bring_all_up(self, people: Collection[Handle]) -> None:
        renamed = await self._desk.memory.look(self._told_apart_anew) if people else set()
        for person in sorted({*people, *renamed}):
            await self._guarded(person, partial(self._bring_up, person))

    def _told_apart_anew(self, rows: Rows) -> set[Handle]:
        """Who is shown and has got a namesake since, or lost the last one."""
        before, self._shared = self._shared, shared_names(rows)
        changed = before ^ self._shared
        return (
            {each for each in _people_shown(rows, self._place) if look_of_name(rows, each) in changed}
            if changed
            else set()
        )

    async def _try_again(self, people: Iterable[Handle]) -> None:
        """Until one fails: who is behind it comes before it in the next round."""
        for person in people:
            if not await self._guarded(person, partial(self._bring_up, person)):
                break

    def deleted(self, channel_id: int, message_ids: Iterable[int]) -> None:
        """Messages were deleted, ours among them perhaps: those are posted anew with the next round."""
        if channel_id == self._channel_id:
            self._gone.update(map(str, message_ids))

    def pins_changed(self, channel_id: int) -> None:
        """Something was pinned or unpinned: what is ours is pinned again with the next round."""
        if channel_id == self._channel_id:
            self._pins.changed()

    def connected(self) -> None:
        """A connection began: nobody told what was unpinned before it."""
        self._pins.changed()

    async def _guarded(self, whose: Handle, work: Callable[[], Awaitable[None]]) -> bool:
        """Whether it worked."""
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - a background job: it is recorded, and nothing else waits for it
            words = error_words(error)
            is_told = words in self._failing.values()
            self._failing.pop(whose, None)
            self._failing[whose] = words
            if not is_told:
                await self._desk.failed(JOB, error)
            return False
        self._failing.pop(whose, None)
        return True

    # -- whose memory changed ---------------------------------------------------------------------------------------

    def _changed(self, rows: Rows) -> set[Handle]:
        engine = self._desk.memory.engine
        size = engine.head().size
        if self._done is None:
            self._done = self._shown_up_to(rows)
        done = self._done
        gone, self._gone = self._gone, set()
        again = {found.row.person for found in snapshots_in(rows, self._place) if found.row.message.key in gone}
        self._shown.update(dict.fromkeys(again, NOTHING))
        if size - done > MANY:
            found, self._sweeps = {each.row.person for each in rows.scan(PEOPLE)}, True
        else:
            stored = engine.store.log.read(done, size)
            records = [record for each in stored if (record := engine.live.folding.record(each)) is not None]
            found = {who for record in records for who in touched(rows, record, self._place)}
            self._sweeps = self._sweeps or any(isinstance(record.event, PersonErased) for record in records)
        self._done = size
        return (found | again) - {NOBODY}

    # -- their message ----------------------------------------------------------------------------------------------

    async def _bring_up(self, person: Handle) -> None:
        channel = await self._channel()
        made, row = await self._desk.memory.look(partial(self._made, person=person, channel=channel))
        shown = self._shown.get(person)
        if made is None:
            if shown != NOTHING:
                await self._take_down(channel, person, row)
        elif not (row is None and made.is_empty) and shown != made.content_digest:
            await self._show(channel, person, row, made)

    async def _show(self, channel: Wall, person: Handle, row: SnapshotRow | None, made: Snapshot) -> None:
        if not self._desk.knows_guild(channel.guild.id):
            raise Unsuitable("it is not known who can read the channel DNAM_MEMORY_CHANNEL_ID")
        try:
            message = await _written(channel, self._message_of(person, row), made.text)
        except UNCERTAIN:
            self._sweeps = True
            raise
        self._desk.sent(message.id)
        self._posted[person] = message.id
        await self._note(person, message.id, made, await pinned(message))
        self._shown[person] = made.content_digest

    async def _take_down(self, channel: Wall, person: Handle, row: SnapshotRow | None) -> None:
        message_id = self._message_of(person, row)
        if message_id is not None:
            with suppress(discord.NotFound):
                await channel.get_partial_message(message_id).delete()
        self._forget(person)

    def _message_of(self, person: Handle, row: SnapshotRow | None) -> int | None:
        """Their message: the one that was written last, which may not be recorded."""
        return self._posted.get(person, None if row is None else int(row.message.key))

    def _forget(self, person: Handle) -> None:
        for kept in (self._shown, self._posted, self._failing):
            kept.pop(person, None)

    async def _sweep(self) -> set[Handle]:
        """Take down what is nobody's, and keep nothing of whose it was. Everybody who is known: what is shown of them
        is known now too, and may not be what it should.

        The whole channel is read: what is not pinned is found in no other way, and nothing is left of who was erased.
        """
        channel = await self._channel()
        people, named = await self._desk.memory.look(self._named)
        for person in (self._shown.keys() | self._posted.keys() | self._failing.keys()) - people - {NOBODY}:
            self._forget(person)
        whose = named | {message_id: person for person, message_id in self._posted.items()}
        ours = {each.id: each.content async for each in channel.history(limit=None) if self._is_of_ours(each)}
        for each in ours.keys() - whose.keys():
            with suppress(discord.NotFound):
                await channel.get_partial_message(each).delete()
        self._shown = dict.fromkeys(people, NOTHING)
        self._shown |= {whose[each]: shown_digest(ours[each]) for each in ours.keys() & whose.keys()}
        self._sweeps = False
        return people

    def _named(self, rows: Rows) -> tuple[set[Handle], dict[int, Handle]]:
        """Everybody who is known, and whose message is which."""
        people = {found.row.person for found in rows.scan(PEOPLE)}
        return people, {int(found.row.message.key): found.row.person for found in snapshots_in(rows, self._place)}

    def _is_of_ours(self, message: discord.Message) -> bool:
        """Whether it is one of these: an answer is not sent silently, and a command's reply says that it is one."""
        is_silent = message.flags.silent and message.interaction_metadata is None
        return message.author.id == self._desk.own_id and is_silent and message.content.startswith(BEGINNING)

    async def _channel(self) -> Wall:
        bot = self._desk.bot
        try:
            channel = bot.get_channel(self._channel_id) or await bot.fetch_channel(self._channel_id)
        except (discord.NotFound, discord.Forbidden):
            raise Unsuitable("DNAM_MEMORY_CHANNEL_ID is no channel that the bot sees") from None
        if not isinstance(channel, discord.TextChannel | discord.Thread):
            raise Unsuitable("DNAM_MEMORY_CHANNEL_ID is no text channel of a guild")
        return channel

    def _made(self, rows: Rows, person: Handle, channel: Wall) -> tuple[Snapshot | None, SnapshotRow | None]:
        memory, bot = self._desk.memory, self._desk.bot.user
        assert bot is not None
        setting = invocation(rows, account_of(bot), place_of(channel)).setting
        where = Channel(setting.audience, setting.guild)
        made = snapshot(rows, person, where, memory.engine.head(), memory.vocabulary, self._shared)
        return made, snapshot_of(rows, self._place, person)

    async def _note(self, person: Handle, message_id: int, made: Snapshot, pinned: bool) -> None:
        memory = self._desk.memory
        message = Ref(PLATFORM, str(message_id))
        request = PostRequest(person, self._place, message, made.digest, pinned, memory.now(), memory.origin())
        await memory.record(lambda rows: post_snapshot(rows, request))


async def _written(channel: Wall, before: int | None, text: str) -> discord.Message:
    """The message, edited, or posted where there is none any more."""
    if before is not None:
        with suppress(discord.NotFound):  # it was deleted
            there = channel.get_partial_message(before)
            return await there.edit(content=text, allowed_mentions=discord.AllowedMentions.none())
    return await channel.send(text, allowed_mentions=discord.AllowedMentions.none(), suppress_embeds=True, silent=True)


def touched(rows: Rows, record: Record, channel: Ref) -> Iterator[Handle]:
    """Whose text an event may change."""
    match record.event:
        case ItemEvent(item=item):
            yield item.owner
        case (
            SummaryRefreshed(session=session, audience=audience)
            | SummaryReset(session=session, audience=audience)
            | SummaryReverted(session=session, audience=audience)
            | SummaryWithheld(session=session, audience=audience)
        ):
            last = next(rows.scan(TURNS, unit(session, audience.epoch), reverse=True), None)
            yield NOBODY if last is None else last.row.asker
            yield from (each for each in _people_shown(rows, channel) if _session(rows, each) == session)
        case PersonRenamed(person=person):
            yield person
        case TurnAnswered(asker=asker):
            yield asker  # where they were not answered before, it is another session's summary
        case MessageHeard(message=message) if snapshot_of(rows, channel, message.speaker) is None:
            yield message.speaker  # their first words there may make them part of the guild
        case PlaceAudienceChanged() | MessageRedacted() | PersonOptedOut():
            yield from _people_shown(rows, channel)
        case _:
            return


def _session(rows: Rows, person: Handle) -> str | None:
    """Whose summary their message shows: that of the session where they were last answered."""
    latest = latest_turn(rows, person)
    return None if latest is None else latest.session


def _people_shown(rows: Rows, channel: Ref) -> Iterator[Handle]:
    return (found.row.person for found in snapshots_in(rows, channel))
