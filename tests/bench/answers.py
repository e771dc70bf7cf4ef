"""A bot's day without Discord and without a model's time, in a process of its own.

`python -m tests.bench.answers MODE FOLDER COUNT` prints what it took, as JSON: `arrival` one message at a time in one
session, `crowd` 50 messages a second in 200 sessions, `flat` as many messages as the log takes.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from dnam.assistant import Assistant
from dnam.budget import Budgeted
from dnam.exchange import Exchanges
from dnam.memory import Memory
from dnam.model import AnswerInputs, Ask, Hear, Reply, unheard
from dnam.sessions import Sessions
from dnam.settings import read
from dnam.steadiness import few_heaps, steady
from dnam.unwritten import Unwritten
from dnam.whereabouts import with_handles
from projections.context import Context
from projections.decisions.hear import HeardRequest
from projections.quoting import BlockName
from projections.recall.reckoners import use_compiled
from replay.clock import SystemClock
from tests.bench.alone import rss_mb
from tests.bench.talk import Talk, channel

PER_SECOND = 50
SESSIONS = 200
ITEMS = 200
WARM = 200
"""Messages before anything is measured: the window is full, and every table was touched."""
LIMITED = {"DNAM_TURNS_PER_MINUTE": "0", "DNAM_MAX_COST_PER_DAY": "1000"}
"""What a day has cost is looked at before a model is asked, as with a paid one; nobody reaches it. How often somebody
is answered in a minute is not: here it is as often as nobody is, and all of it would be counted with each message.
"""
LAG_EVERY = 0.01
"""Seconds between two looks at the clock of the event loop."""


MEMORY: frozenset[BlockName] = frozenset({"durable", "room", "summary", "past"})
"""What memory brings into a prompt: the window, what is answered and the operator's files stand there without it."""


def injected(context: Context) -> int:
    """Code points that memory brings into a prompt, as they stand there: titles, kinds, sources and dates too."""
    return sum(len(block.text) for block in context.blocks if block.name in MEMORY)


class QuickModel:
    """Answers at once; knows when it was asked, for what, and with how much."""

    name = "quick"
    version = "1"
    paid = True

    def __init__(self) -> None:
        self.asked_at: dict[str, float] = {}
        self.asks: dict[str, int] = {}
        self.prompts: list[int] = []

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        self.asks[ask.purpose] = self.asks.get(ask.purpose, 0) + 1
        text = {"extraction": '{"upserts": [], "deprecations": []}', "merge": "{}"}.get(ask.purpose, "Fine by me.")
        if isinstance(ask.inputs, AnswerInputs):
            self.asked_at[ask.inputs.message] = perf_counter()
            self.prompts.append(len(ask.system) + len(ask.prompt))
        return Reply(text, self.name, self.version)


class Day:
    """An assistant at work, and what was seen of it."""

    def __init__(self, assistant: Assistant, model: QuickModel) -> None:
        self.assistant = assistant
        self.model = model
        self.exchanges = Exchanges(assistant, Unwritten())
        self.sessions = Sessions()
        self.arrivals: list[float] = []
        self.injected: list[int] = []
        self.answered = 0

    async def message(self, request: HeardRequest) -> None:
        """A message from its arrival to its answer's."""
        arrived = perf_counter()
        exchange = await self.exchanges.hear(request, to_answer=True)
        thought = await self.exchanges.think(exchange)
        self.injected.append(injected(thought.context))
        self.arrivals.append(self.model.asked_at.pop(request.text) - arrived)
        await self.exchanges.answered(exchange)
        await self.exchanges.delivered(exchange)
        self.answered += 1


@asynccontextmanager
async def day(folder: Path) -> AsyncIterator[Day]:
    """A memory with somebody of whom much is known."""
    model = QuickModel()
    async with Memory.open(folder, settings=read(LIMITED, {})) as memory:
        assistant = Assistant(memory, Budgeted(model, memory))
        talk = Talk(channels=1)
        heard = await memory.hear(talk.next(0))
        for number in range(ITEMS):
            await memory.remember(heard.person, f"keeps fact {number} about the garden plan", setting=heard.setting)
        use_compiled()  # as `dnam run` does
        with steady():
            yield Day(assistant, model)
            await assistant.settle()


def live(talk: Talk, number: int, speaker: int = 0) -> HeardRequest:
    """The next message, said now, in words of its own."""
    request = talk.next(speaker, addressed=True)
    return with_handles(request._replace(text=f"{request.text} ({number})", said=SystemClock().now()))


async def arrival(folder: Path, count: int) -> dict[str, Any]:
    """One session, one message after the other at the pace of 50 a second, the loops in the background as ever."""
    async with day(folder) as today:
        talk = Talk(first=1_000, channels=1)
        for number in range(WARM + count):
            await asyncio.sleep(1 / PER_SECOND)
            await today.message(live(talk, number))
        model, asked = today.model, WARM + count
        return {
            "arrivals": today.arrivals[WARM:],
            "injected": sum(today.injected) / asked,
            "prompt": sum(model.prompts) / asked,
            "calls": 100 * sum(model.asks.values()) / asked,
            "by_purpose": {purpose: 100 * times / asked for purpose, times in model.asks.items()},
        }


async def crowd(folder: Path, count: int) -> dict[str, Any]:
    """Messages at an even pace over all sessions; how late the event loop was meanwhile."""
    async with day(folder) as today:
        talk, lags = Talk(first=1_000_000, channels=SESSIONS), list[float]()
        watching = asyncio.create_task(_watch(lags))
        began = perf_counter()
        for number in range(count):
            await asyncio.sleep(max(0.0, began + number / PER_SECOND - perf_counter()))
            request = live(talk, number, number % SESSIONS)
            request = request._replace(place=channel(number % SESSIONS))
            today.sessions.submit(str(number % SESSIONS), partial(today.message, request))
        await today.sessions.settle()
        took = perf_counter() - began
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        waits = len(today.exchanges.unwritten)
        return {"lags": lags, "answered": today.answered, "took": took, "waits": waits, "arrivals": today.arrivals}


async def _watch(lags: list[float]) -> None:
    while True:
        due = perf_counter() + LAG_EVERY
        await asyncio.sleep(LAG_EVERY)
        lags.append(max(0.0, perf_counter() - due))


async def flat(folder: Path, count: int) -> dict[str, Any]:
    """So many messages, one in ten of them answered; what the process held after each tenth of them."""
    async with day(folder) as today:
        talk, held = Talk(first=5_000_000, channels=SESSIONS), list[float]()
        for number in range(count):
            request = live(talk, number, number % SESSIONS)
            if number % 10 == 0:
                await today.message(request)
            else:
                await today.exchanges.hear(request)
            if today.exchanges.unwritten:  # as a bot does: else all waits from the first slow write on, in memory
                await today.exchanges.unwritten.again()
            today.arrivals.clear()
            today.model.prompts.clear()
            today.injected.clear()
            if (number + 1) % (count // 10) == 0:
                held.append(rss_mb())
        return {"held": held}


MODES: Mapping[str, Callable[[Path, int], Awaitable[dict[str, Any]]]] = {
    "arrival": arrival,
    "crowd": crowd,
    "flat": flat,
}


async def _main(mode: str, folder: str, count: str) -> dict[str, Any]:
    few_heaps()
    return await MODES[mode](Path(folder), int(count))


if __name__ == "__main__":
    json.dump(asyncio.run(_main(*sys.argv[1:4])), sys.stdout)
