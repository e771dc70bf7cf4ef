"""The DMs that are read back after a connection: all that the memory knows of, the latest first.

Discord tells no bot which DMs there are, so each is opened by its person's id, and then read: two requests, which
discord.py makes wait as Discord's rate limits ask. AT_ONCE of them are under way at a time, so that whatever is said
meanwhile, anywhere, waits for that few at most; with thousands it goes on for a long while, beside the answers.

What a later connection finds still under way goes on, and whatever it did not come to before counts for that one too.
Where Discord opens none just now, it is tried again later, with those that are left; where it says that they are opened
too fast, at the first word of it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

import discord

from dnam.adapters.discord.desk import UNREACHED, Desk
from dnam.adapters.discord.history import LATEST_MS
from dnam.adapters.discord.later import Later, longer_and_longer
from dnam.adapters.discord.places import direct_queue

DIRECT = "discord:dm"
"""The queue of looking up which DMs there are."""
AT_ONCE = 8
"""How many DMs are opened, read back and answered at a time."""
MANY = 50
"""From so many on it takes a while, and is told of."""
MOST_FAILED = 8
"""After so many that could not be opened no more are tried for now."""
TOO_FAST = 40003
"""Discord's code for DMs that are opened too fast. (Its documentation, Opcodes and Status Codes: JSON Error Codes)"""
IsRead = Callable[[str], bool]
Read = Callable[[discord.DMChannel], Awaitable[None]]
log = logging.getLogger(__name__)


class Directs:
    """Opens all DMs, and has each read back that was not yet in this connection."""

    def __init__(self, desk: Desk, later: Later, is_read: IsRead, read: Read) -> None:
        self._desk = desk
        self._later = later
        self._is_read = is_read
        self._read = read
        self._waiting: asyncio.Task[None] | None = None
        self._running: asyncio.Task[None] | None = None
        self._opening: set[asyncio.Task[discord.DMChannel]] = set()
        self._is_too_fast = False
        """Whether Discord said so in this round: each more that is tried then counts against the bot."""

    def read_back(self) -> None:
        """Begin; or, where that is under way, once more behind it."""
        if self._waiting is None:
            self._waiting = self._desk.sessions.submit(DIRECT, self._begin)

    def close(self) -> None:
        """Open no more of them: the next start does. What is being read and answered goes on."""
        for task in (self._waiting, self._running, *self._opening):
            if task is not None:
                task.cancel()

    async def _begin(self) -> None:
        self._running, self._waiting = self._waiting, None
        if not await self._all():
            self._later.keep_trying(DIRECT, self._again, longer_and_longer(LATEST_MS / 1000))

    async def _again(self) -> bool:
        return await self._desk.sessions.submit(DIRECT, self._all)

    async def _all(self) -> bool:
        """Whether nothing is left to try."""
        people = await self._desk.direct_partners()
        left = [each for each in people if not self._is_read(direct_queue(each))]
        is_long = len(left) >= MANY
        if is_long:
            log.info("discord: reads back %d direct conversations, the latest first", len(left))
        failed = await self._each(left)
        if failed:
            log.warning("discord: direct conversations that are not read back yet, and tried again: %d", failed)
        elif is_long:
            log.info("discord: the direct conversations are read back")
        return not failed

    async def _each(self, people: list[int]) -> int:
        """Of how many nothing could be read by now, and may be later."""
        slots = asyncio.Semaphore(AT_ONCE)
        unopened: list[int] = []
        self._is_too_fast = False

        async def one(user_id: int) -> None:
            try:
                if not self._is_read(direct_queue(user_id)) and not await self._is_done(user_id):
                    unopened.append(user_id)
            finally:
                slots.release()

        left = len(people)
        for user_id in people:
            await slots.acquire()
            if self._is_too_fast or len(unopened) >= MOST_FAILED:
                slots.release()
                break
            left -= 1
            self._desk.sessions.begin(partial(one, user_id))
        for _ in range(AT_ONCE):
            await slots.acquire()
        return len(unopened) + left

    async def _is_done(self, user_id: int) -> bool:
        """Read one back; False where it could not be opened just now. Who is no more, or takes nothing, has none."""
        opening = asyncio.ensure_future(self._desk.bot.create_dm(discord.Object(user_id)))
        self._opening.add(opening)
        try:
            channel = await opening
        except UNREACHED as error:
            self._is_too_fast = self._is_too_fast or _is_too_fast(error)
            await self._desk.failed("opening a DM", error)
            return _is_for_good(error)
        finally:
            self._opening.discard(opening)
        await self._read(channel)
        return True


def _is_for_good(error: Exception) -> bool:
    """Whether Discord refuses it, and does not only ask to wait: that it may say with status 403, too."""
    if not isinstance(error, discord.HTTPException):
        return False
    return 400 <= error.status < 500 and error.status != 429 and not _is_too_fast(error)


def _is_too_fast(error: Exception) -> bool:
    return isinstance(error, discord.HTTPException) and error.code == TOO_FAST
