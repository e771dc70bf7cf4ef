"""What happens live: messages, edits and deletions, each in the queue of its session."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

import discord

from dnam.adapters.discord.answering import Answering
from dnam.adapters.discord.archived import Archived
from dnam.adapters.discord.askers import ANYBODY, invocation
from dnam.adapters.discord.audiences import Audiences, places_in
from dnam.adapters.discord.catching_up import CatchingUp, deletions
from dnam.adapters.discord.desk import Desk
from dnam.adapters.discord.directs import Directs
from dnam.adapters.discord.history import LATEST_MS
from dnam.adapters.discord.later import Later, longer_and_longer
from dnam.adapters.discord.obeying import Obeying
from dnam.adapters.discord.own_messages import KEPT
from dnam.adapters.discord.places import PLATFORM, guild_id_of, is_known, place_of, queue_of
from dnam.adapters.discord.still_open import whole
from dnam.adapters.discord.translate import place_of_message, translate
from dnam.adapters.discord.ui.shown import Lists
from dnam.adapters.discord.unlisted import is_unlisted, known_as
from dnam.exchange import Exchanges
from dnam.unwritten import Pause
from projections.decisions.hear import HeardRequest, message_identity
from projections.decisions.place import PlaceSeen
from projections.ids import Ref
from projections.places import PLACES, find_place
from projections.rows import Rows
from replay.errors import LogError

if TYPE_CHECKING:
    from discord.abc import MessageableChannel

UNKNOWN = (
    "discord: of server %s Discord does not tell who can read it: what is said there is neither heard nor answered"
    " until that is known, and read back then"
)
log = logging.getLogger(__name__)


class Hearing:
    """Everything that the bot hears. `closing` is set when it takes no more."""

    def __init__(self, desk: Desk, lists: Lists, pause: Pause = asyncio.sleep) -> None:
        self.desk = desk
        self.exchanges = Exchanges(desk.assistant, desk.unwritten)
        self.answering = Answering(desk, self.exchanges, pause)
        self._later = Later(pause)
        self.audiences = Audiences(desk, self._later)
        self._obeying = Obeying(desk, lists, self.answering, self._later, self._guarded)
        self.catching_up = CatchingUp(desk, self.exchanges, self.answering, self.audiences, self._obeying.obey_late)
        self._directs = Directs(desk, self._later, self.catching_up.is_read_back, self._direct)
        self.archived = Archived(desk, self._thread)
        self.closing = False
        self._places: dict[int, PlaceSeen] = {}
        self._waiting: dict[int, discord.Message] = {}
        """Messages that are not taken up yet, by their ids, as they were last told."""
        self._unheard: set[int] = set()
        """The guilds in which something was said while nobody told who can read it."""

    def submit(
        self,
        place: PlaceSeen,
        what: str,
        work: Callable[[], Awaitable[None]],
        channel: "MessageableChannel | None" = None,
    ) -> None:
        """Do this in its session's order. Whatever goes wrong is an event, and ends nothing else; what may come right
        by itself is tried again after a while, by reading the `channel` back.
        """
        if channel is not None:
            self._seen(channel.id, place)
        if not self.closing:
            self.desk.sessions.submit(queue_of(place), lambda: self._guarded(place, what, work, channel))

    def _seen(self, channel_id: int, place: PlaceSeen) -> None:
        """Keep in mind which place a channel is: a deletion names the channel alone, and DMs and threads may be in no
        cache.
        """
        self._places.pop(channel_id, None)
        self._places[channel_id] = place
        if len(self._places) > KEPT:
            del self._places[next(iter(self._places))]

    async def _guarded(
        self,
        place: PlaceSeen,
        what: str,
        work: Callable[[], Awaitable[None]],
        channel: "MessageableChannel | None",
    ) -> bool:
        """Whether nothing is left to try."""
        try:
            await self.desk.closed()
            await work()
        except Exception as error:  # noqa: BLE001 - one thing that goes wrong in Discord does not end the bot
            self.catching_up.again(place)
            await self.desk.failed(what, error)
            if channel is None or isinstance(error, discord.Forbidden | discord.NotFound):
                return True
            self._read_back_later(channel, place)
            return False
        return True

    def _read_back_later(self, channel: "MessageableChannel", place: PlaceSeen) -> None:
        """Until it works: as long as an answer that waits there may be sent after all."""

        async def attempt() -> bool:
            if not self._readers_are_known(channel):
                return True
            is_fixed = place.partner is not None or is_unlisted(channel)
            seen = place if is_fixed else place_of(channel)  # who can read a channel may have changed
            return await self.desk.sessions.run(queue_of(seen), lambda: self._read_back(channel, seen))

        self._later.keep_trying(queue_of(place), attempt, longer_and_longer(LATEST_MS / 1000))

    async def _read_back(self, channel: "MessageableChannel", place: PlaceSeen) -> bool:
        return await self._guarded(place, "read-back", lambda: self.catching_up.catch_up(channel, place), channel)

    async def close(self) -> None:
        """Take nothing more, and give up what was to be tried later: it is read back at the next start."""
        self.closing = True
        self._directs.close()
        self.archived.close()
        await self._later.close()

    # -- messages ---------------------------------------------------------------------------------------------------

    def message(self, message: discord.Message) -> None:
        """Somebody said something."""
        if self.desk.is_ours(message.id) or self.desk.is_told(message) or _is_for_one(message):
            return
        if not self._readers_are_known(message.channel):
            return
        self._waiting.setdefault(message.id, message)
        if len(self._waiting) > KEPT:
            del self._waiting[next(iter(self._waiting))]
        place = place_of_message(message, self.desk.own_id)
        self._submit_said(place, "message", lambda seen: self._take(message, seen), message.channel)

    def _submit_said(
        self, place: PlaceSeen, what: str, work: Callable[[PlaceSeen], Awaitable[None]], channel: "MessageableChannel"
    ) -> None:
        """Do this about something that was said. Where Discord does not tell what its place is, the log is asked first,
        and it is done in the order of the session that this says.
        """
        if not is_unlisted(channel):
            self.submit(place, what, lambda: work(place), channel)
            return

        async def known_first() -> None:
            seen = await self._known(place)
            if queue_of(seen) == queue_of(place):
                await self._guarded(place, what, lambda: work(place), channel)
                return
            self._seen(channel.id, seen)
            await self.desk.sessions.run(queue_of(seen), lambda: self._guarded(seen, what, lambda: work(seen), channel))

        if not self.closing:
            self.desk.sessions.submit(queue_of(place), known_first)

    async def _known(self, place: PlaceSeen) -> PlaceSeen:
        """A place that is in no list of Discord's, as the log knows it."""
        guild = None if place.guild is None else self.desk.bot.get_guild(int(place.guild.key))
        try:
            return await self.desk.memory.look(lambda rows: known_as(rows, place, guild))
        except (LogError, OSError):
            return place

    def _readers_are_known(self, channel: "MessageableChannel") -> bool:
        """Whether somebody told who can read a place. What is said in a guild of which Discord does not tell is left
        there: it is read back once the guild comes, and who can read it was compared.
        """
        guild_id = guild_id_of(channel)
        if guild_id is None or self.desk.knows_guild(guild_id):
            return True
        if self.desk.bot.intents.guilds and guild_id not in self._unheard:  # without it all are so, as the cog tells
            log.warning(UNKNOWN, guild_id)
        self._unheard.add(guild_id)
        return False

    def place(self, channel: "MessageableChannel") -> None:
        """A place that can be read back; later, where it is not known who can read it."""
        if not self._readers_are_known(channel):
            return
        place = place_of(channel)
        self.submit(place, "read-back", lambda: self.catching_up.catch_up(channel, place), channel)

    def permitted(self, channel: "MessageableChannel", *, may_read: bool) -> None:
        """Whether the bot may read a place by now. What it may not is read back once it may again: nobody tells it what
        is said there until then.
        """
        place = place_of(channel)
        if not may_read:
            self.catching_up.again(place)
        elif not self.catching_up.is_caught_up(place):
            self.catching_up.again(place)
            self.place(channel)

    def direct(self) -> None:
        """All DMs that there are, the latest first, as far as they are known: Discord tells no bot of them."""
        if not self.closing:
            self._directs.read_back()

    async def _direct(self, channel: discord.DMChannel) -> None:
        place = place_of(channel)
        self._seen(channel.id, place)
        await self.desk.sessions.run(queue_of(place), lambda: self._read_back(channel, place))

    async def _thread(self, thread: discord.Thread) -> None:
        if self._readers_are_known(thread):
            place = place_of(thread)
            self._seen(thread.id, place)
            await self.desk.sessions.run(queue_of(place), lambda: self._read_back(thread, place))

    async def _take(self, message: discord.Message, place: PlaceSeen) -> None:
        is_closed = await self._catch_up(message, place)
        message = self._waiting.pop(message.id, message)
        if self.answering.is_taken_back(message.id):  # before it was heard
            return
        request = translate(message, self.desk.own_id)
        if request is None or request.only_known:
            return
        if request.author == "self" and await self.desk.is_accounted_for(message):
            return
        if is_unlisted(message.channel):
            request = request._replace(place=place)
        call = self.desk.command(message)
        if call is not None and request.author == "person":
            await self._obeying.obey(message, request, call)
            return
        # What is to be answered is said to the bot, and nothing else is: after a crash it is known by that.
        judging = await self.answering.judging(message, request)
        exchange = await self.exchanges.hear(request, to_answer=not is_closed, judge=judging)
        if is_closed or not (await judging.verdict()).answers:
            self.desk.assistant.after_heard(exchange.heard)
            return
        asked = await self.answering.asked(request, exchange)
        if not asked.is_settled and self.desk.takes(message.id):
            await self.answering.answer(message, exchange, asked.nonce)

    async def _catch_up(self, message: discord.Message, place: PlaceSeen) -> bool:
        """Read the place back first; whether it is closed to answers.

        Where that does not work just now, what was said is answered all the same, unless more people can read it than
        the log knows of: what was said before is not for them.
        """
        try:
            await self.catching_up.catch_up(message.channel, place, message.id)
        except Exception as error:  # noqa: BLE001 - what was missed is no reason not to hear what is said now
            await self.desk.failed("read-back", error)
            self._read_back_later(message.channel, place)
            return await self.audiences.is_wider(place)
        return False

    # -- who can read it --------------------------------------------------------------------------------------------

    def readers_changed(self, *channels: discord.abc.GuildChannel | discord.Thread) -> None:
        """Somebody may read a channel or not, who did not or did; and so with the threads in it, of which Discord lists
        those that are not archived. All that is still open in its guild is compared before it: until its own turn it
        is held for closed, and by then the threads are.
        """
        if self.closing:
            return
        guilds = dict.fromkeys(each.guild for each in channels if not isinstance(each, discord.Thread))
        places = [place for each in channels for place in places_in(each)]
        self.audiences.changed([*map(whole, guilds), *places])

    def guild(self, guild: discord.Guild) -> None:
        """It is there, with its channels: what the log holds for open in it may be closed by now, and where something
        was said that was not heard it is read back.
        """
        if self.closing:
            return
        if guild.id in self._unheard and is_known(guild):
            self._unheard.remove(guild.id)
            for each in (*guild.channels, *guild.threads):
                self.catching_up.again(place_of(each))
        self.audiences.changed([whole(guild)])

    # -- edits and deletions ----------------------------------------------------------------------------------------

    def edited(self, message: discord.Message) -> None:
        """A message was edited. One that was never heard stays unheard, and a link's preview is no edit. One that is
        not taken up yet is taken as it says now.
        """
        if message.edited_at is None or self.desk.is_ours(message.id) or message.author.id == self.desk.own_id:
            return
        if _is_for_one(message):
            return
        if message.id in self._waiting:
            self._waiting[message.id] = message
        request = translate(message, self.desk.own_id)
        if request is not None:
            edit = request if self._readers_are_known(message.channel) else self._in_unknown(message, request)
            self.submit(edit.place, "edit", lambda: self._edit(edit, message.channel))

    def _in_unknown(self, message: discord.Message, request: HeardRequest) -> HeardRequest:
        """An edit in a guild of which Discord does not tell: the place is what it was, and so is who reads it."""
        place = self._places.get(message.channel.id, request.place)
        return request._replace(place=place._replace(told=False))

    async def _edit(self, request: HeardRequest, channel: "MessageableChannel") -> None:
        if is_unlisted(channel) and request.place.told:
            request = request._replace(place=await self._known(request.place))
        if len(self.desk.unwritten) or await self.desk.memory.look(lambda rows: _is_known(rows, request)):
            await self.exchanges.hear(request._replace(only_known=True))

    def deleted(self, channel_id: int, guild_id: int | None, message_ids: Iterable[int]) -> None:
        """Messages were deleted, one or many at once."""
        ids = sorted(message_ids)
        self.answering.taken_back(ids)
        channel = self.desk.channel(channel_id, guild_id)
        unknown = PlaceSeen(PLATFORM, str(channel_id), "unknown", "", "channel")
        place = self._places.get(channel_id, unknown) if channel is None else place_of(channel)
        self.submit(place, "deletion", lambda: self._delete(place, ids, direct=guild_id is None))

    async def _delete(self, place: PlaceSeen, ids: list[int], *, direct: bool) -> None:
        memory = self.desk.memory
        questions = self.answering.partly_shown(ids)

        def sessions_of(rows: Rows) -> list[str]:
            return _sessions(rows, place, direct=direct)

        async def step() -> None:
            now = memory.now()
            while (await memory.record(lambda rows: deletions(rows, sessions_of(rows), ids, now, questions))).records:
                pass

        await self.desk.unwritten.write("deletion", step)


def _is_for_one(message: discord.Message) -> bool:
    """Whether one person alone is shown it, in a channel. Discord tells of it without a server, as of a DM."""
    return message.flags.ephemeral


def _is_known(rows: Rows, request: HeardRequest) -> bool:
    heard = rows.ids.event_id(message_identity(PLATFORM, request.key, "heard", request.said))
    return rows.ids.status(heard) in ("known", "redacted")  # redacted: it was edited before


def _sessions(rows: Rows, place: PlaceSeen, *, direct: bool) -> list[str]:
    """Where something can have been said. A DM that nobody knows any more may be anybody's. Of a thread the log knows
    that it is one, where Discord may have forgotten it.
    """
    if direct and place.partner is None:
        found = (each.row for each in rows.scan(PLACES))
        return [row.session for row in found if row.person and row.place.platform == PLATFORM]
    known = None if place.partner else find_place(rows, Ref(PLATFORM, place.key))
    return [invocation(rows, ANYBODY, place).session if known is None else known.row.session]
