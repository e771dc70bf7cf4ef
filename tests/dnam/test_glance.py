"""What an answer's limits are held against is read in the look that its prompt is made in, and not once more."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dnam import budget
from dnam.assistant import Assistant
from dnam.budget import GLANCED_MS, Budgeted, T
from dnam.memory import Memory
from dnam.model import OverBudget, TooOften
from projections.ids import Handle
from projections.rows import Rows
from tests.dnam.scripted import FakeClock, settings
from tests.dnam.test_unbilled import QUIET, Costly
from tests.world import handle


class Looking(Budgeted):
    """Counts the looks that it makes itself."""

    looks = 0

    async def _look(self, question: Callable[[Rows], T]) -> T | None:
        self.looks += 1
        return await super()._look(question)


@asynccontextmanager
async def limited(path: Path, **values: str) -> AsyncIterator[tuple[Assistant, Looking, FakeClock]]:
    clock = FakeClock()
    async with Memory.open(path, settings=settings(**values, **QUIET), clock=clock) as memory:
        model = Looking(Costly(), memory)
        assistant = Assistant(memory, model)
        yield assistant, model, clock
        await assistant.settle()


async def asks(assistant: Assistant, who: str = "ada") -> None:
    await assistant.answer(await assistant.memory.heard(who, "hello"))


async def test_the_day_s_limit_holds_without_a_look_of_its_own(tmp_path: Path) -> None:
    async with limited(tmp_path, max_cost_per_day="2", turns_per_minute="0") as (assistant, model, _):
        for _ in range(2):
            await asks(assistant)
        with pytest.raises(OverBudget):
            await asks(assistant)
        assert model.looks == 0


async def test_so_does_that_of_a_minute_also_after_a_restart(tmp_path: Path) -> None:
    async with limited(tmp_path, turns_per_minute="1") as (assistant, _, _):
        await asks(assistant)
    async with limited(tmp_path, turns_per_minute="1") as (assistant, model, _):
        with pytest.raises(TooOften):
            await asks(assistant)
        await asks(assistant, "kim")
        assert model.looks == 0


async def test_what_was_read_long_before_is_read_once_more(tmp_path: Path) -> None:
    async with limited(tmp_path, max_cost_per_day="2") as (assistant, model, clock):
        heard = await assistant.memory.heard("ada", "hello")
        prepared = await assistant.prepare(heard)
        clock.time += GLANCED_MS + 1
        await assistant.think(heard, prepared=prepared)
        assert model.looks == 2


async def test_it_is_remembered_of_so_many_people_at_the_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MOST_GLANCED", 2)
    async with limited(tmp_path) as (assistant, model, _):
        people: list[Handle] = [handle(each) for each in ("ada", "kim", "lea")]
        with assistant.memory.engine.reading() as rows:
            for each in people:
                model.glance(rows, each)
        assert [*model._glances] == people[2:]
