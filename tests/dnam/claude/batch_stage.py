"""What the tests of batches stand on: a Message Batches API on loopback, runs of dnam that share a book, and a clock.

async with office(tmp_path, script) as desk:
    batches = desk.run()                                # a run of dnam; another one is a later one
    replies = await ask(batches, question("one"), question("two"))
    desk.api.made                                       # the batches that the API was sent
    desk.waits, desk.told                               # how long was waited in between, and what was said
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dnam.adapters.anthropic.batch_book import Book
from dnam.adapters.anthropic.batch_requests import LIMITS, Limits
from dnam.adapters.anthropic.batches import Batches, Timing
from dnam.adapters.anthropic.claude import Access
from dnam.adapters.tries import Nature
from dnam.model import Ask, ModelError, Reply
from tests.dnam.claude.stage import always, asked
from tests.loopback.messages import Reply as Scripted
from tests.loopback.messages import Request, Says, Script, Server, serving
from tests.loopback.messages.batches import Office
from tests.world import NOW

KEY = b"the memory's own"


@dataclass
class Desk:
    """An API, its book, and time that passes when somebody waits. `stays`: whoever waits is left waiting. `meanwhile`
    is what happens while somebody waits.
    """

    server: Server
    path: Path
    runs: AsyncExitStack
    time: float = NOW / 1000
    waits: list[float] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    stays: bool = False
    waited: asyncio.Event = field(default_factory=asyncio.Event)
    meanwhile: Callable[[], Awaitable[None]] | None = None

    @property
    def api(self) -> Office:
        return self.server.batches

    @property
    def book(self) -> Book:
        """The book as it is on disk."""
        return Book(self.path)

    def run(self, limits: Limits = LIMITS, key: str = "", interval_seconds: float = 20.0) -> Batches:
        """A run of dnam."""
        nature = Nature(self._sleep, lambda: self.time, lambda: 0.0)
        timing = Timing(interval_seconds, lambda: round(self.time * 1000))
        access = Access(key or self.server.key, self.server.url)
        batches = Batches(access, self.path, nature, key=KEY, timing=timing, limits=limits, tell=self.told.append)
        self.runs.push_async_callback(batches.close)
        return batches

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds
        self.waited.set()
        if self.meanwhile is not None:
            await self.meanwhile()
        if self.stays:
            await asyncio.Event().wait()


@asynccontextmanager
async def office(path: Path, script: Scripted | Script | None = None) -> AsyncIterator[Desk]:
    """The API, which says every prompt back unless it has another script."""
    chosen = always(script) if isinstance(script, tuple) else script or echo
    async with serving(chosen) as server, AsyncExitStack() as runs:
        desk = Desk(server, path / "shadow" / "batches.json", runs)
        server.batches.now = lambda: desk.time
        yield desk


def echo(request: Request) -> Says:
    """A script that says the prompt back."""
    return Says(f"You said {request.prompt}.")


def question(prompt: str) -> Ask:
    """A loop's question."""
    return asked("summary", prompt, "claude-haiku-4-5")


async def queued(batches: Batches, *asks: Ask) -> list[asyncio.Task[Reply]]:
    """The questions, asked and not sent."""
    await batches.prepare()
    tasks = [asyncio.create_task(batches.ask(each)) for each in asks]
    await asyncio.sleep(0)
    return tasks


async def ask(batches: Batches, *asks: Ask) -> list[Reply | BaseException]:
    """What comes of the questions, sent together."""
    tasks = await queued(batches, *asks)
    await batches.send()
    return await asyncio.gather(*tasks, return_exceptions=True)


async def texts(batches: Batches, *prompts: str) -> list[str]:
    """The replies to prompts, as texts; what failed as the kind of its error."""
    replies = await ask(batches, *map(question, prompts))
    return [each.text if isinstance(each, Reply) else kind_of(each) for each in replies]


def kind_of(error: BaseException) -> str:
    """What went wrong with a question."""
    assert isinstance(error, ModelError)
    return error.kind


async def queued_and_sent(batches: Batches, *prompts: str) -> "list[asyncio.Task[Any]]":
    """Everything that is under way."""
    return [*await queued(batches, *map(question, prompts)), asyncio.create_task(batches.send())]


async def leave(desk: Desk, batches: Batches, *prompts: str) -> None:
    """Ask, send, and be stopped while the first look is waited for."""
    desk.stays = True
    tasks = await queued_and_sent(batches, *prompts)
    await desk.waited.wait()
    await stop(*tasks)
    desk.stays = False
    desk.waited.clear()


async def stop(*tasks: "asyncio.Task[Any]") -> None:
    """Ctrl-C."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
