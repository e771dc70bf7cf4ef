"""What the tests of Voyage's encoder stand on: the real SDK, its API on loopback, and waits that take no time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from dnam.adapters.tries import Nature
from dnam.adapters.voyage.encoder import Access, Voyage
from tests.loopback.voyage import Reply, Script, Server, serving


@dataclass
class Talk:
    """An encoder, its server, and a clock that goes when it is told to."""

    encoder: Voyage
    server: Server
    waits: list[float] = field(default_factory=list)
    time: float = 0.0

    def nature(self) -> Nature:
        return Nature(sleep=self._sleep, seconds=lambda: self.time, dice=lambda: 0.0)

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds


def in_turn(*replies: Reply) -> Script:
    """One reply after the other, the last one for ever."""
    left = list(replies)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


@asynccontextmanager
async def talking(
    *replies: Reply,
    model: str = "voyage-3.5-lite",
    dimensions: int = 256,
    seconds: float = 20.0,
    query_seconds: float = 20.0,
    key: str = "",
    url: str = "",
) -> AsyncIterator[Talk]:
    """The encoder and its server, which gives these replies; `key` and `url` are others than the server's."""
    async with serving(in_turn(*replies) if replies else None) as server:
        talk = Talk(Voyage(Access("")), server)
        access = Access(key or server.key, model, dimensions, url or server.url, seconds, query_seconds)
        talk.encoder = Voyage(access, talk.nature())
        try:
            yield talk
        finally:
            await talk.encoder.close()
