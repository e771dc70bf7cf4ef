"""The day's limit while the log takes nothing: what was paid and waits to be recorded counts, and counts once."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import msgspec
import pytest

from dnam.assistant import Assistant
from dnam.budget import Budgeted
from dnam.conversation import Conversation, Spot
from dnam.memory import Memory
from dnam.model import Ask, Hear, ModelError, OverBudget, Reply, unheard
from dnam.unbilled import Unbilled
from projections.calls import calls
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import Event, TextsEncoded
from projections.events.values import By, ModelUse
from projections.fold import Record
from projections.ids import EventId, Seq
from projections.times import DAY_MS
from replay.errors import KeyMissing, LogFull
from replay.group import Recorded
from tests.dnam.scripted import FakeClock, Script, ScriptedModel, settings
from tests.dnam.test_spent import ASK
from tests.projections.test_calls import turn
from tests.world import NOW, handle

DOLLAR = 1_000_000
ADA = Account("local", "ada", "Ada")
SPOT = Spot(ADA, PlaceSeen("local", "", "direct", "", "direct", partner=ADA))
QUIET = {"summary_enabled": "0", "durable_memory_enabled": "0"}
SPENT = Reply("", "costly", "1", cost_micros=DOLLAR)
CALL = ModelUse("costly", "1", cost_micros=DOLLAR)
MODEL = By("model", name="costly", version="1")


class Costly(ScriptedModel):
    """A model whose every reply costs a dollar."""

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        reply = await super().ask(ask, hear)
        return Reply(reply.text, "costly", "1", cost_micros=DOLLAR, calls=reply.calls)


@asynccontextmanager
async def talking_within(
    path: Path, model: ScriptedModel, dollars: int, clock: FakeClock | None = None
) -> AsyncIterator[Conversation]:
    """A conversation that may cost so much in a day."""
    chosen = settings(max_cost_per_day=str(dollars), **QUIET)
    async with Memory.open(path, settings=chosen, clock=clock or FakeClock()) as memory:
        assistant = Assistant(memory, Budgeted(model, memory))
        yield Conversation(assistant, SPOT)
        await assistant.settle()


@contextmanager
def full(memory: Memory) -> Iterator[None]:
    """The log takes nothing."""

    def refuse(_: object) -> None:
        raise LogFull("the disk is full")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory.engine, "hand_in", refuse)
        yield


@contextmanager
def unreadable(memory: Memory) -> Iterator[None]:
    """Nothing can be read, and nothing written."""

    def refuse() -> None:
        raise KeyMissing("the key of #1 is not in the ring")

    with full(memory), pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory.engine, "reading", refuse)
        yield


async def answers(talk: Conversation, most: int = 10) -> int:
    """How many messages are answered until the limit is reached."""
    for done in range(most):
        exchange = await talk.hear(f"question {done}")
        try:
            await talk.think(exchange)
        except OverBudget:
            return done
        await talk.delivered(exchange)
    return most


async def test_the_limit_holds_while_nothing_can_be_recorded(tmp_path: Path) -> None:
    async with talking_within(tmp_path, Costly(), 4) as talk:
        assert await answers(talk, 1) == 1
        with full(talk.assistant.memory):
            assert await answers(talk) == 3


async def test_the_limit_holds_while_nothing_can_be_read(tmp_path: Path) -> None:
    async with talking_within(tmp_path, Costly(), 4) as talk:
        with unreadable(talk.assistant.memory):
            assert await answers(talk) == 4


async def test_what_waited_and_is_recorded_counts_once(tmp_path: Path) -> None:
    async with talking_within(tmp_path, Costly(), 5) as talk:
        with full(talk.assistant.memory):
            assert await answers(talk, 3) == 3
        assert await talk.unwritten.again()
        assert await spent(talk) == 3 * DOLLAR
        assert await answers(talk) == 2
        assert await spent(talk) == 5 * DOLLAR


async def test_the_next_day_what_still_waits_stands_in_nobodys_way(tmp_path: Path) -> None:
    clock = FakeClock()
    async with talking_within(tmp_path, Costly(), 2, clock) as talk:
        with full(talk.assistant.memory):
            assert await answers(talk) == 2
            clock.time += DAY_MS
            assert await answers(talk) == 2


async def test_every_request_of_an_answer_counts_and_so_does_what_brought_none(tmp_path: Path) -> None:
    model = Costly()
    async with talking_within(tmp_path, model, 4) as talk:
        budgeted = talk.assistant.model
        with full(talk.assistant.memory):
            await budgeted.ask(ASK)
            await budgeted.ask(msgspec.structs.replace(ASK, goes_on=True))
            for error in (ModelError("cut", spent=SPENT), asyncio.CancelledError(SPENT)):
                model.scripts["summary"] = raising(error)
                with pytest.raises(type(error)):
                    await budgeted.ask(msgspec.structs.replace(ASK, goes_on=True))
            assert await answers(talk) == 0


@pytest.mark.parametrize(
    ("event", "left"),
    [
        (TextsEncoded(said=NOW, by=MODEL, kind="document", texts=1, call=CALL), 0),
        (turn(CALL), 0),
        (turn(msgspec.structs.replace(CALL, cost_micros=3 * DOLLAR)), 0),
    ],
)
def test_what_is_recorded_is_on_the_bill_and_what_others_paid_takes_nothing_below_zero(event: Event, left: int) -> None:
    unbilled = Unbilled()
    unbilled.paid(DOLLAR, NOW)
    unbilled.recorded(Recorded((Record(Seq(1), EventId(handle("event")), NOW, event),)))
    assert unbilled.on_day_of(NOW) == left
    unbilled.paid(DOLLAR, NOW)
    assert unbilled.on_day_of(NOW) == left + DOLLAR


async def spent(talk: Conversation) -> int:
    """What stands on the bill."""
    return await talk.assistant.memory.look(lambda rows: sum(each.cost_micros for each in calls(rows)))


def raising(error: BaseException) -> Script:
    """A model that fails by this."""

    def script(_: Ask) -> str:
        raise error

    return script
