"""Threads that were archived: no server names them, and what was said in them is told elsewhere all the same.

    something is left to do     a question without an answer, or an answer that did not arrive: read back at once
    archived lately             under each channel that is known; where the last message is not, it was said while the
                                bot was away. As far back as a question may be answered
    known, and not named        words may be gone from it: read back too, as `clearing` finds that it is there

The first of them whenever a connection goes on or begins; the others where a new one began, which told of nothing that
happened before it. Discord is asked one thing after another, and at most AT_ONCE threads are read back at a time, so
that whatever is said meanwhile, anywhere, waits for that few.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import discord

from dnam.adapters.discord.appearing import may_read_back
from dnam.adapters.discord.desk import UNREACHED, Desk
from dnam.adapters.discord.history import LATEST_MS
from dnam.adapters.discord.places import PLATFORM
from dnam.adapters.discord.translate import ms
from projections.ids import Ref
from projections.places import channels_in
from replay.errors import LogError

LEFT, LATELY = "discord:archived", "discord:archived lately"
"""The queues of looking them up: what is left to do waits for no other server's channels."""
AT_ONCE = 4
"""How many of them are read back, and answered, at a time."""
Parent = discord.TextChannel | discord.ForumChannel
Read = Callable[[discord.Thread], Awaitable[None]]
"""Reads a thread back in its session's order, and raises nothing."""


class Archived:
    """Finds them, and has each read back that was not yet in this connection."""

    def __init__(self, desk: Desk, read: Read) -> None:
        self._desk = desk
        self._read = read
        self._room = asyncio.Semaphore(AT_ONCE)
        self._closed = False

    def close(self) -> None:
        """Look for no more of them, and read none: the next start does. What is being read and answered goes on."""
        self._closed = True

    def left(self, guild: discord.Guild) -> None:
        """Those of a guild in which something is left to do."""
        self._submit(LEFT, lambda: self._left(guild))

    def lately(self, guild: discord.Guild) -> None:
        """Those that were archived lately, in which something was said that is not known."""
        self._submit(LATELY, lambda: self._lately(guild))

    def read_back(self, thread: discord.Thread) -> None:
        """Read this one back, in its turn."""
        self._desk.sessions.begin(partial(self._in_turn, thread))

    async def _in_turn(self, thread: discord.Thread) -> None:
        async with self._room:
            if not self._closed:
                await self._read(thread)

    def _submit(self, queue: str, work: Callable[[], Awaitable[None]]) -> None:
        if not self._closed:
            self._desk.sessions.submit(queue, work)

    async def _left(self, guild: discord.Guild) -> None:
        for thread_id in await self._desk.open_threads(guild.id, self._desk.memory.now() - LATEST_MS):
            if self._closed:
                return
            if guild.get_thread(thread_id) is not None:
                continue
            try:
                thread = await self._desk.bot.fetch_channel(thread_id)
            except (discord.Forbidden, discord.NotFound):
                continue  # it is hidden, or gone
            except UNREACHED as error:
                await self._desk.failed("opening a thread", error)
                continue
            if isinstance(thread, discord.Thread):
                self.read_back(thread)

    async def _lately(self, guild: discord.Guild) -> None:
        since = self._desk.memory.now() - LATEST_MS
        for parent in await self._parents(guild):
            if self._closed:
                return
            try:
                await self._lately_in(parent, since)
            except discord.Forbidden:
                continue  # hidden meanwhile
            except (*UNREACHED, LogError) as error:
                await self._desk.failed("looking for archived threads", error)

    async def _parents(self, guild: discord.Guild) -> list[Parent]:
        """The channels that are known, and may be read."""
        try:
            known = await self._desk.memory.look(lambda rows: channels_in(rows, Ref(PLATFORM, str(guild.id))))
        except (LogError, OSError) as error:
            await self._desk.failed("looking for archived threads", error)
            return []
        there = (each for each in guild.channels if isinstance(each, Parent) and may_read_back(each))
        return [each for each in there if Ref(PLATFORM, str(each.id)) in known]

    async def _lately_in(self, parent: Parent, since: int) -> None:
        """Those that were archived under a channel since then (ms); Discord gives the latest first."""
        async for thread in parent.archived_threads(limit=None):
            if (ms(thread.archive_timestamp) or 0) < since:
                break
            last = thread.last_message_id
            if last is not None and not await self._desk.knows(last):
                self.read_back(thread)
