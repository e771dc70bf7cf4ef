"""What is deleted as a whole: a channel with the threads in it, or a thread. What was said there goes here too.

While the bot is away nobody tells it. After a new connection those places are missed that were there before it, or that
the log knows and the server does not name, and Discord is asked whether each is gone: all of them, one after another,
channels before threads, beginning where something was said last. A thread that was archived is not named, and is there:
so there may be many, and a connection that ends before the last of them goes on behind those that were asked about.
Such a thread is read back, since single messages of it may be gone too.

What an import brought may be in no server any more, and is not to be undone: a place stays in which nothing was said
after what the last import read.
"""

from collections.abc import Awaitable, Callable, Iterable

import discord

from dnam.adapters.discord.hearing import Hearing
from dnam.adapters.discord.history import is_discord_s
from dnam.adapters.discord.places import PLATFORM
from projections.decisions.clear import clear
from projections.decisions.place import PlaceSeen, session_of
from projections.events.heard import PlaceKind
from projections.ids import Ref
from projections.lively import lively_places
from projections.places import sessions_within

MISSED = "discord:missed"
"""The queue of looking up what a channel was, and whether it is gone."""


class Clearing:
    """Clears places, each in the queue of its session, behind what was said there before."""

    def __init__(self, hearing: Hearing) -> None:
        self._hearing = hearing
        self._desk = hearing.desk
        self._guilds: dict[int, discord.Guild] = {}
        """Each guild as this connection has it; that of an earlier one stays as it was at its end."""
        self._missed: dict[int, PlaceKind] = {}
        """What Discord is still to be asked about, the next first. While there is any, `_look_for_next` waits."""

    def channel_deleted(self, channel_id: int) -> None:
        """A channel was deleted, and the threads in it."""
        self._clear_session(_session(channel_id, "channel"))
        self._submit(MISSED, lambda: self._clear_within(channel_id))

    def thread_deleted(self, thread_id: int) -> None:
        """A thread was deleted."""
        self._clear_session(_session(thread_id, "thread"))

    def compare(self, guild: discord.Guild) -> None:
        """A guild's channels are all there: look for those that were there before."""
        before = self._guilds.get(guild.id, guild).channels
        self._guilds[guild.id] = guild
        self._submit(MISSED, lambda: self._look_for_all(guild, [each.id for each in before]))

    async def _look_for_all(self, guild: discord.Guild, before: Iterable[int]) -> None:
        known = await self._desk.memory.look(lambda rows: lively_places(rows, Ref(PLATFORM, str(guild.id))))
        kinds: dict[int, PlaceKind] = dict.fromkeys(before, "channel")
        kinds |= {int(each.place.key): each.kind for each in known if is_discord_s(each.place)}
        found = {key: kind for key, kind in kinds.items() if guild.get_channel_or_thread(key) is None}
        is_under_way = bool(self._missed)
        self._missed = dict(sorted((self._missed | found).items(), key=lambda each: each[1] == "thread"))
        if self._missed and not is_under_way:
            self._submit(MISSED, self._look_for_next)

    async def _look_for_next(self) -> None:
        place_id = next(iter(self._missed))
        kind = self._missed.pop(place_id)
        if self._missed:
            self._submit(MISSED, self._look_for_next)
        await self._look_for(place_id, kind)

    async def _look_for(self, place_id: int, kind: PlaceKind) -> None:
        try:
            found = await self._desk.bot.fetch_channel(place_id)
        except discord.Forbidden:
            return  # it is there, and hidden: closed as soon as it was missed (`still_open`)
        except discord.NotFound:
            if kind == "thread":
                self.thread_deleted(place_id)
            else:
                self.channel_deleted(place_id)
        else:
            if isinstance(found, discord.Thread):
                self._hearing.archived.read_back(found)

    async def _clear_within(self, channel_id: int) -> None:
        place = Ref(PLATFORM, str(channel_id))
        for session in await self._desk.memory.look(lambda rows: sessions_within(rows, place)):
            self._clear_session(session)

    def _clear_session(self, session: str) -> None:
        self._submit(session, lambda: self._clear(session))

    async def _clear(self, session: str) -> None:
        """A part of what was said there; then the next, as long as there is any. Others write in between."""
        memory = self._desk.memory

        async def step() -> None:
            now = memory.now()
            recorded = await memory.record(lambda rows: clear(rows, session, now))
            if recorded.records:
                self._clear_session(session)

        await self._desk.unwritten.write("deletion", step)

    def _submit(self, queue: str, work: Callable[[], Awaitable[None]]) -> None:
        if not self._hearing.closing:
            self._desk.sessions.submit(queue, lambda: self._guarded(work))

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - one thing that goes wrong in Discord does not end the bot
            await self._desk.failed("deletion", error)


def _session(key: int, kind: PlaceKind) -> str:
    return session_of(PlaceSeen(PLATFORM, str(key), kind, "", "channel"))
