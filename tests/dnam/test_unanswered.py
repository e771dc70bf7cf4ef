"""What the event of a call says that brought nothing: which model was asked what, and how long it took."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from dnam.exchange import Exchanges
from dnam.model import Ask, Hear, ModelError, Reply, Resting, unheard
from dnam.prompts import digest
from dnam.unwritten import Unwritten
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import ExtractionFailed, TurnFailed, TurnInterrupted
from projections.events.values import ModelUse
from tests.dnam.claude.test_learning import called, learning, tell
from tests.dnam.scripted import Calling, ScriptedModel, calling, talking
from tests.dnam.test_loops import recorded
from tests.loopback.messages import Holds
from tests.passing import Passes
from tests.passing import passes as passes
from tests.world import NOW

SPENT = Reply("", "claude-x", "sdk-1", tokens_in=9, cost_micros=777)
TOOK_MS = 20


def waits_in_vain(_: float) -> None:
    raise AssertionError("how time passes was not said")


@dataclass
class Failing(ScriptedModel):
    """A model that fails after a while by its `error`, or is asked until it is given up."""

    error: ModelError | None = None
    passes: Passes = waits_in_vain

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        if self.asks and ask.rounds == ():
            raise AssertionError("it is asked once")
        reply = await super().ask(ask, hear)
        if reply.calls:
            return reply
        self.passes(TOOK_MS / 1000)
        if self.error is not None:
            raise self.error
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise asyncio.CancelledError(SPENT) from None
        raise AssertionError("nobody lets it go on")


def question() -> HeardRequest:
    account = Account("discord", "ada", "Ada")
    place = PlaceSeen("discord", "7", "channel", "general", "guild")
    return HeardRequest("1", place, "person", account, "why?", NOW, (), addressed=True)


def asked(call: ModelUse, ask: Ask) -> bool:
    """Whether the event says what was asked, and that it took its time."""
    return (
        call.prompt == ask.prompt_name
        and call.prompt_digest == digest(ask.system, ask.prompt)
        and call.latency_ms >= TOOK_MS
    )


@pytest.mark.parametrize(
    ("error", "model", "cost"),
    [(ModelError("529"), "scripted", 0), (ModelError("a refusal", spent=SPENT), "claude-x", 777)],
)
async def test_a_turn_that_failed(tmp_path: Path, passes: Passes, error: ModelError, model: str, cost: int) -> None:
    failing = Failing(error=error, passes=passes)
    async with talking(tmp_path, failing, None) as assistant:
        exchanges = Exchanges(assistant, Unwritten())
        exchange = await exchanges.hear(question())
        with pytest.raises(ModelError) as raised:
            await exchanges.think(exchange)
        await exchanges.failed(exchange, raised.value)
        (event,) = recorded(assistant, TurnFailed)
        assert isinstance(event, TurnFailed)
        assert (event.call.model, event.call.cost_micros) == (model, cost)
        assert asked(event.call, failing.asks[0])


async def test_a_turn_that_was_broken_off(tmp_path: Path, passes: Passes) -> None:
    begun = asyncio.Event()

    def passes_and_tells(seconds: float) -> None:
        passes(seconds)
        begun.set()

    failing = Failing(passes=passes_and_tells)
    async with talking(tmp_path, failing, None) as assistant:
        exchanges = Exchanges(assistant, Unwritten())
        exchange = await exchanges.hear(question())
        thinking = asyncio.create_task(exchanges.think(exchange))
        await begun.wait()
        await asyncio.sleep(0)  # it waits by now for what never comes
        thinking.cancel()
        with pytest.raises(asyncio.CancelledError) as broken_off:
            await thinking
        exchanges.broken_off(exchange, broken_off.value.args[0])
        assert await exchanges.unwritten.again()
        (event,) = recorded(assistant, TurnInterrupted)
        assert isinstance(event, TurnInterrupted)
        assert (event.call.model, event.call.cost_micros) == ("claude-x", 777)
        assert asked(event.call, failing.asks[0])


async def test_what_was_paid_before_a_service_rests_is_on_the_bill(tmp_path: Path, passes: Passes) -> None:
    tools = calling(Calling((("memory_search", {"query": "tea"}),)), "yes")
    failing = Failing({"answer": tools}, error=Resting("it rests", 60), passes=passes)
    async with talking(tmp_path, failing, None) as assistant:
        heard = await assistant.memory.heard("ada", "why?")
        with pytest.raises(Resting) as raised:
            await assistant.think(heard)
        await assistant.memory.failed(heard, raised.value)
        (event,) = recorded(assistant, TurnFailed)
        assert isinstance(event, TurnFailed)
        assert (event.call.model, event.call.tokens_in) == ("scripted", 3)


async def test_a_loop_that_failed(tmp_path: Path, passes: Passes) -> None:
    failing = Failing(error=ModelError("529"), passes=passes)
    async with talking(tmp_path, failing, None) as assistant:
        heard = await assistant.memory.heard("ada", "I like tea")
        await assistant.extract(heard.person)
        (event,) = recorded(assistant, ExtractionFailed)
        assert isinstance(event, ExtractionFailed)
        assert (event.call.model, event.call.version) == ("scripted", "")
        assert asked(event.call, failing.asks[0])


async def test_a_loop_that_claude_did_not_answer_in_time_counts_as_that_model_s_and_as_long(tmp_path: Path) -> None:
    held = Holds(asyncio.Event(), asyncio.Event())
    async with learning(tmp_path, held, seconds=0.5) as (assistant, _):
        await tell(assistant, "I prefer tea")
        (call,) = await called(assistant)
        assert call.failed
        assert call.model == assistant.called("haiku")
        assert call.model.startswith("claude-haiku-")
        assert call.latency_ms >= 400
