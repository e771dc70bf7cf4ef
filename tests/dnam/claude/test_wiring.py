"""What the settings choose, what is said at start, and the limits within which a model is asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dnam.adapters.anthropic.aliases import resolve as model_of
from dnam.adapters.anthropic.claude import Claude
from dnam.assistant import Assistant
from dnam.budget import Budgeted
from dnam.memory import Memory
from dnam.model import Ask, Hear, ModelDown, ModelError, OverBudget, Reply, unheard
from dnam.models import UNASKED, access_of, opened
from dnam.settings import Settings, read
from projections.calls import CallRow, calls
from projections.decisions.draft import Origin
from projections.decisions.resolve import ResolveRequest, resolve
from projections.events import ModelResolved, SummaryFailed, TurnFailed
from projections.ids import EventId
from projections.times import DAY_MS
from projections.turns import failure_of
from tests.dnam.scripted import FakeClock, ScriptedModel, lines_of, say
from tests.dnam.test_loops import recorded
from tests.loopback.messages import Says, serving
from tests.world import NOW, origin

SECOND = 1_000


class Costly(ScriptedModel):
    """A scripted model whose every call costs a dollar."""

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        reply = await super().ask(ask, hear)
        return Reply(reply.text, "costly", "1", tokens_in=3, cost_micros=1_000_000)


def settings(**values: str) -> Settings:
    return read({name if name.isupper() else f"DNAM_{name.upper()}": value for name, value in values.items()}, {})


@asynccontextmanager
async def spending(
    path: Path, clock: FakeClock | None = None, **values: str
) -> AsyncIterator[tuple[Assistant, ScriptedModel]]:
    """An assistant within limits."""
    model = Costly()
    async with Memory.open(path, settings=settings(**values), clock=clock or FakeClock()) as memory:
        assistant = Assistant(memory, Budgeted(model, memory))
        yield assistant, model
        await assistant.settle()


async def rows_of_calls(memory: Memory) -> list[CallRow]:
    return await memory.look(lambda rows: list(calls(rows)))


# -- what is chosen, and what is said ----------------------------------------------------------------------------------


async def test_without_a_key_it_is_the_offline_model_and_nothing_is_said(tmp_path: Path) -> None:
    told: list[str] = []
    async with Memory.open(tmp_path) as memory, opened(memory, told.append) as model:
        assert (model.name, model.paid, told) == ("offline", False, [])
        assert recorded(Assistant(memory, model), ModelResolved) == []


async def test_a_server_that_is_named_without_a_key_is_not_asked_and_that_is_said(tmp_path: Path) -> None:
    told: list[str] = []
    chosen = settings(ANTHROPIC_BASE_URL="http://127.0.0.1:1")
    async with Memory.open(tmp_path, settings=chosen) as memory, opened(memory, told.append) as model:
        assert (model.name, told) == ("offline", [UNASKED])


async def test_with_a_key_it_is_claude_within_its_limits(tmp_path: Path) -> None:
    told: list[str] = []
    async with serving(lambda _: Says("Tea.")) as server:
        chosen = settings(ANTHROPIC_API_KEY=server.key, ANTHROPIC_BASE_URL=server.url)
        async with Memory.open(tmp_path, settings=chosen) as memory, opened(memory, told.append) as model:
            assert isinstance(model, Budgeted)
            assert isinstance(model.model, Claude)
            assert (model.name, model.version, model.paid) == ("claude", model.model.version, True)
            answered = await Assistant(memory, model).answer(await memory.heard("kim", "which tea?"))
            assert answered.text == "Tea."
            assert told == []


def test_an_answer_and_a_loop_have_their_own_time() -> None:
    chosen = settings(answer_timeout_seconds="90", model_timeout_seconds="20")
    assert (access_of(chosen).answer_seconds, access_of(chosen).loop_seconds) == (90, 20)


async def test_what_an_alias_stands_for_is_recorded_once_and_a_change_is_said(tmp_path: Path) -> None:
    told: list[str] = []
    chosen = settings(ANTHROPIC_API_KEY="key", durable_model="claude-haiku-4-5")
    async with Memory.open(tmp_path, settings=chosen, clock=FakeClock()) as memory:
        old = ResolveRequest({"haiku": "claude-haiku-3"}, NOW, origin("before"))
        await memory.record(lambda rows: resolve(rows, old))
        for _ in range(2):
            async with opened(memory, told.append):
                pass
        events = recorded(Assistant(memory, ScriptedModel()), ModelResolved)
        assert [(each.alias, each.model, each.previous) for each in events] == [
            ("haiku", "claude-haiku-3", ""),
            ("haiku", model_of("haiku"), "claude-haiku-3"),
            ("sonnet", model_of("sonnet"), ""),
        ]
    (text,) = told
    assert text.startswith(f"haiku now stands for {model_of('haiku')}; until now it was claude-haiku-3.")
    assert "`dnam rederive`" in text


async def test_a_memory_that_is_only_looked_at_is_told_of_and_left_as_it_is(tmp_path: Path) -> None:
    told: list[str] = []
    chosen = settings(ANTHROPIC_API_KEY="key")
    async with Memory.open(tmp_path, settings=chosen) as memory:
        await memory.record(
            lambda rows: resolve(rows, ResolveRequest({"haiku": "claude-haiku-3"}, NOW, Origin(seed=bytes(32))))
        )
    async with (
        Memory.open(tmp_path, settings=chosen, writable=False) as memory,
        opened(memory, told.append) as model,
    ):
        assert len(told) == 1
        assert len(recorded(Assistant(memory, model), ModelResolved)) == 1


async def test_a_limit_that_cannot_hold_is_said(tmp_path: Path) -> None:
    told: list[str] = []
    values = {"answer_model": "my-model", "max_cost_per_day": "2.5"}
    chosen = settings(ANTHROPIC_API_KEY="key", **values)
    async with Memory.open(tmp_path, settings=chosen) as memory, opened(memory, told.append):
        assert "the price of my-model is not in the table of" in told[0]


# -- limits ------------------------------------------------------------------------------------------------------------


async def test_learning_waits_first_and_is_no_failure(tmp_path: Path) -> None:
    limits = {"max_cost_per_day": "5", "summary_every_n_turns": "1", "durable_memory_enabled": "0"}
    async with spending(tmp_path, None, **limits) as (assistant, model):
        await say(assistant, "kim", "one", "two", "three")
        assert [ask.purpose for ask in model.asks] == ["answer", "summary", "answer", "summary", "answer"]
        assert recorded(assistant, SummaryFailed) == []
        with pytest.raises(OverBudget, match=r"5\.0000 of 5 US dollars are spent today"):
            await assistant.answer(await assistant.memory.heard("kim", "four"))


async def test_the_next_day_it_goes_on_with_nothing_lost(tmp_path: Path) -> None:
    clock = FakeClock()
    limits = {"max_cost_per_day": "1", "summary_every_n_turns": "1", "durable_memory_enabled": "0"}
    async with spending(tmp_path, clock, **limits) as (assistant, model):
        await say(assistant, "kim", "one")
        clock.time += DAY_MS
        heard = await assistant.memory.heard("kim", "two")
        assert await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        assert [line.text for line in lines_of(model.asks[-1]) if not line.assistant] == ["one", "two"]


async def test_a_person_is_answered_so_often_in_a_minute_and_nobody_else_waits(tmp_path: Path) -> None:
    clock = FakeClock()
    quiet = {"summary_enabled": "0", "durable_memory_enabled": "0"}
    async with spending(tmp_path, clock, turns_per_minute="2", **quiet) as (assistant, _):
        await say(assistant, "kim", "one", "two")
        with pytest.raises(OverBudget, match="DNAM_TURNS_PER_MINUTE") as over:
            await say(assistant, "kim", "three")
        assert "give me a minute" in over.value.words
        await say(assistant, "ada", "hello")
        clock.time += 61 * SECOND
        await say(assistant, "kim", "four")


async def test_the_minute_outlives_a_restart(tmp_path: Path) -> None:
    quiet = {"summary_enabled": "0", "durable_memory_enabled": "0", "turns_per_minute": "1"}
    async with spending(tmp_path, None, **quiet) as (assistant, _):
        await say(assistant, "kim", "one")
    async with spending(tmp_path, FakeClock(NOW + SECOND), **quiet) as (assistant, _):
        with pytest.raises(OverBudget):
            await say(assistant, "kim", "two")


async def test_a_model_that_keeps_failing_counts_against_the_minute_too(tmp_path: Path) -> None:
    async with spending(tmp_path, turns_per_minute="2") as (assistant, model):
        model.scripts["answer"] = failing
        heard = await assistant.memory.heard("kim", "hello?")
        for expected in (ModelDown, ModelDown, OverBudget):
            with pytest.raises(expected):
                await assistant.think(heard)


def failing(_: object) -> str:
    raise ModelDown("overloaded")


# -- answers that were not made ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "counted"),
    [
        (ModelDown("overloaded"), [("claude-sonnet-4-5", 0)]),
        (ModelError("no word", spent=Reply("", "claude-x", "sdk-1", tokens_in=9, cost_micros=7)), [("claude-x", 7)]),
        (OverBudget("enough", words="Tomorrow."), []),
    ],
)
async def test_a_failure_is_recorded_with_what_was_told_and_what_it_took(
    tmp_path: Path, error: ModelError, counted: list[tuple[str, int]]
) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        heard = await memory.heard("kim", "which tea?")
        stands = ResolveRequest({"sonnet": "claude-sonnet-4-5"}, NOW, origin("before"))
        await memory.record(lambda rows: resolve(rows, stands))
        for _ in range(2):
            await memory.failed(heard, error)
        (event,) = recorded(Assistant(memory, ScriptedModel()), TurnFailed)
        assert isinstance(event, TurnFailed)
        assert (event.error, event.told, event.answers) == (str(error), error.words, heard.point.id)
        row = await memory.look(lambda rows: failure_of(rows, EventId(heard.point.id)))
        assert row is not None
        assert row.told == error.words
        assert [(call.model, call.cost_micros) for call in await rows_of_calls(memory)] == counted
