"""A model that says what it is told to say, a clock that hardly moves, and a memory to use them on."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dnam.assistant import Assistant
from dnam.memory import Memory
from dnam.model import Ask, Hear, ModelError, Reply, unheard
from dnam.settings import Settings, read
from tests.world import NOW


@dataclass
class FakeClock:
    """Milliseconds that pass by one with every look."""

    time: int = NOW

    def now(self) -> int:
        self.time += 1
        return self.time

    def monotonic(self) -> int:
        return self.time


Script = Callable[[Ask], str]
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
        text = script(ask) if script else UNSCRIPTED[ask.purpose]
        hear(text)
        return Reply(text, self.name, self.version, tokens_in=3, tokens_out=2)

    def asked(self, purpose: str) -> list[Ask]:
        """What it was asked for a purpose."""
        return [ask for ask in self.asks if ask.purpose == purpose]


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
