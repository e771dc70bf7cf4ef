"""How much is going on while a memory is derived anew: how many asks are under way at once, and when all is waiting.

With batches, questions are gathered until nothing can go on without a reply, and then sent together.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from heapq import heappop, heappush

from dnam.model import ModelError, Still, anyway

AT_ONCE = 16
"""How many calls are under way at once, where nothing else is said."""
Send = Callable[[Still], Awaitable[None]]
"""Sends what was gathered, in one batch or several, and asks before each whether that may be."""
Waits = Callable[[], None]
"""Told that it is being broken off, before what is under way is waited for."""


Rank = Callable[[], tuple[int, ...]]
"""What comes first among those who wait: the least."""


def unranked() -> tuple[int, ...]:
    """In the order of coming."""
    return ()


_RANK = ContextVar("rank", default=unranked)


class Room:
    """Room for so many at once; whoever waits comes in by rank."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: list[tuple[tuple[int, ...], int, asyncio.Future[None]]] = []
        self._count = 0

    async def enter(self, rank: tuple[int, ...]) -> None:
        """Wait for room."""
        if self._free:
            self._free -= 1
            return
        self._count += 1
        mine = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (rank, self._count, mine))
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Let the next one in."""
        while self._waiting:
            _, _, waiting = heappop(self._waiting)
            if not waiting.done():
                waiting.set_result(None)
                return
        self._free += 1


class Place:
    """The room that a call takes. It is left with the call, or later, where it is `kept`."""

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave = leave
        self._is_kept = False

    def keep(self) -> Callable[[], None]:
        """Stay behind the call's end, until what is returned is called; a second time it does nothing."""
        self._is_kept = True
        return self._left

    def call_ended(self) -> None:
        """Leave, unless it is kept."""
        if not self._is_kept:
            self._left()

    def _left(self) -> None:
        leave, self._leave = self._leave, _nothing
        leave()


def _nothing() -> None:
    pass


class Traffic:
    """Counts links at work, asks under way, and whether the walk waits. `send` is called where all of them wait."""

    def __init__(
        self, at_once: int = AT_ONCE, send: Send | None = None, still: Still = anyway, waits: Waits = _nothing
    ) -> None:
        self._room = None if send is not None else Room(at_once)
        self._send = send
        self._still = still
        self.waits = waits
        self._working = 0
        self._asking: set[asyncio.Task[object]] = set()
        self._failure: Exception | None = None
        self._walking = True
        self._closed = False
        self._unwritten: Exception | None = None
        self._sending: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def working(self, rank: Rank = unranked) -> AsyncIterator[None]:
        """As long as a link works. By its rank what it asks comes before what others do."""
        token = _RANK.set(rank)
        self._working += 1
        try:
            yield
        finally:
            self._working -= 1
            _RANK.reset(token)
            self._look()

    @asynccontextmanager
    async def idle(self) -> AsyncIterator[None]:
        """As long as a link that works waits for another one."""
        self._working -= 1
        self._look()
        try:
            yield
        finally:
            self._working += 1

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[Place]:
        """As long as a link waits for a reply; it waits for room first. Who keeps its place, keeps others from asking:
        so no more is paid for and not on the disk than there is room for. What comes of a batch can be fetched again.
        """
        if self._room is not None:
            await self._room.enter(_RANK.get()())
            place = Place(self._room.leave)
            try:
                self.refuse_more()
                yield place
            finally:
                place.call_ended()
            return
        self.refuse_more()
        task = asyncio.current_task()
        assert task is not None, "only tasks ask"
        self._asking.add(task)
        self._look()
        try:
            yield Place(_nothing)
        except asyncio.CancelledError:
            if self._failure is not None:
                raise self._failure from None
            raise
        finally:
            self._asking.discard(task)

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        """As long as the walk waits for links."""
        self._walking = False
        self._look()
        try:
            yield
        finally:
            self._walking = True

    def _look(self) -> None:
        """Send what was gathered, where nothing goes on without it."""
        if self._send is None or self._walking or self._working > len(self._asking) or not self._asking:
            return
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._sent(self._send))

    async def _sent(self, send: Send) -> None:
        """Send; what concerns all questions fails each of them."""
        try:
            await send(self._still)
        except Exception as error:  # noqa: BLE001 - whoever asked raises it
            self._failure = error
            for each in tuple(self._asking):
                each.cancel()
            return
        await asyncio.sleep(0)  # who has a reply goes on, and may ask more
        self._sending = None
        self._look()

    @property
    def gathers(self) -> bool:
        """Whether questions are gathered: a reply may then be a day away."""
        return self._send is not None

    def close(self) -> None:
        """Let nothing more be asked: what is under way is paid for, and is waited for where it takes seconds."""
        self._closed = True

    def fail(self, error: BaseException) -> None:
        """Let nothing more be asked: what was replied does not come to the disk, for this reason, nor would more."""
        if isinstance(error, Exception):
            self._unwritten = self._unwritten or error
        self.close()

    def refuse_more(self) -> None:
        """ModelError where nothing more is to be asked, or what came in the way of writing."""
        if self._unwritten is not None:
            raise self._unwritten
        if self._closed:
            raise ModelError("nothing more is asked: the derivation is being broken off")

    async def stop(self) -> None:
        """Let go of what is being sent."""
        if self._sending is not None and not self._sending.done():
            self._sending.cancel()
            await asyncio.wait({self._sending})
