"""A model that says what it is told to say, a clock that hardly moves, and a memory to use them on."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from dnam.assistant import Assistant
from dnam.memory import Memory
from dnam.model import Ask, ExtractionInputs, Hear, Line, ModelError, Reply, SummaryInputs, ToolCall, unheard
from dnam.settings import Settings, read
from tests.world import NOW

Inputs = TypeVar("Inputs")


@dataclass
class FakeClock:
    """Milliseconds that pass by one with every look."""

    time: int = NOW

    def now(self) -> int:
        self.time += 1
        return self.time

    def monotonic(self) -> int:
        return self.time


@dataclass(frozen=True)
class Calling:
    """A reply that calls tools: each a name and its input, which is JSON unless it is a text already. `text` is said
    before them.
    """

    calls: tuple[tuple[str, Any], ...]
    text: str = ""

    def made(self, first: int) -> tuple[ToolCall, ...]:
        """The calls, numbered from `first`."""
        given = ((name, given if isinstance(given, str) else json.dumps(given)) for name, given in self.calls)
        return tuple(ToolCall(f"call-{number}", *each) for number, each in enumerate(given, first))


Script = Callable[[Ask], str | Calling]
UNSCRIPTED = {"answer": "yes", "summary": "They talked.", "extraction": '{"upserts": []}', "merge": "{}"}


@dataclass
class ScriptedModel:
    """Replies by purpose; a script that raises ModelError is a model that is down. `asks` keeps what it was asked."""

    scripts: dict[str, Script] = field(default_factory=dict)
    name: str = "scripted"
    version: str = "1"
    paid: bool = False
    asks: list[Ask] = field(default_factory=list)

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        self.asks.append(ask)
        script = self.scripts.get(ask.purpose)
        said = script(ask) if script else UNSCRIPTED[ask.purpose]
        calling = said if isinstance(said, Calling) else Calling((), said)
        hear(calling.text)
        calls = calling.made(sum(len(each.calls) for each in ask.rounds) + 1)
        return Reply(calling.text, self.name, self.version, tokens_in=3, tokens_out=2, calls=calls)

    def asked(self, purpose: str) -> list[Ask]:
        """What it was asked for a purpose."""
        return [ask for ask in self.asks if ask.purpose == purpose]

    def given(self, kind: type[Inputs]) -> list[Inputs]:
        """What it was given to read, of this kind."""
        return [ask.inputs for ask in self.asks if isinstance(ask.inputs, kind)]


def lines_of(ask: Ask) -> tuple[Line, ...]:
    """What was said, as an extraction or a summary is shown it."""
    assert isinstance(ask.inputs, ExtractionInputs | SummaryInputs)
    return ask.inputs.lines


def calling(*replies: str | Calling) -> Script:
    """A script whose replies to one question are these, by how often tools were called before; the last for ever."""

    def script(ask: Ask) -> str | Calling:
        return replies[min(len(ask.rounds), len(replies) - 1)]

    return script


def down(ask: Ask) -> str:
    """A model that cannot be reached."""
    raise ModelError(f"no answer to {ask.purpose}")


def settings(**values: str) -> Settings:
    """Settings with some values, as the environment would give them."""
    return read({f"DNAM_{name.upper()}": value for name, value in values.items()}, {})


@asynccontextmanager
async def talking(
    path: Path, model: ScriptedModel, clock: FakeClock | None = None, **values: str
) -> AsyncIterator[Assistant]:
    """An assistant over a memory in a folder."""
    async with Memory.open(path, settings=settings(**values), clock=clock or FakeClock()) as memory:
        assistant = Assistant(memory, model)
        yield assistant
        await assistant.settle()


async def say(assistant: Assistant, user: str, *texts: str) -> None:
    """A person says things in their DMs, one after the other, and is answered."""
    for text in texts:
        heard = await assistant.memory.heard(user, text)
        answered = await assistant.answer(heard)
        await assistant.memory.delivered(heard, answered.turn)
        assistant.after_turn(heard)
        await assistant.settle()
