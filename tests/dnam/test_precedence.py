"""Work behind answers gives way to messages that are on their way to the model, and not for ever."""

import asyncio
from contextlib import AbstractContextManager
from pathlib import Path
from unittest.mock import patch

import pytest

import dnam.precedence
from dnam.exchange import Exchanges
from dnam.precedence import Precedence
from dnam.unwritten import Unwritten
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.rows import Rows
from tests.dnam.scripted import ScriptedModel, talking
from tests.world import NOW


async def given_way(precedence: Precedence) -> "asyncio.Task[None]":
    """Somebody who gives way, as far as they come."""
    task = asyncio.create_task(precedence.give_way())
    for _ in range(3):
        await asyncio.sleep(0)
    return task


async def test_nobody_waits_where_nobody_comes() -> None:
    task = await given_way(Precedence())
    assert task.done()


async def test_the_last_one_on_the_way_is_waited_for() -> None:
    precedence = Precedence()
    with precedence.arriving():
        with precedence.arriving():
            task = await given_way(precedence)
        await asyncio.sleep(0)
        assert not task.done()
    await task


async def test_a_message_that_fails_is_not_waited_for() -> None:
    precedence = Precedence()
    with pytest.raises(OSError, match="disk"), precedence.arriving():
        raise OSError("the disk is full")
    assert (await given_way(precedence)).done()


async def test_it_waits_for_so_long_at_the_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dnam.precedence, "LONGEST_SECONDS", 0.05)
    precedence = Precedence()
    with precedence.arriving():
        task = await given_way(precedence)
        assert not task.done()
        async with asyncio.timeout(5):
            await task


@pytest.mark.parametrize("steps", range(6))
async def test_who_is_cancelled_when_the_way_is_free_is_cancelled(steps: int) -> None:
    precedence = Precedence()

    async def wait_and_go_on() -> None:
        await precedence.give_way()
        await asyncio.Event().wait()

    with precedence.arriving():
        task = asyncio.create_task(wait_and_go_on())
        for _ in range(3):
            await asyncio.sleep(0)
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    _, pending = await asyncio.wait({task}, timeout=5)
    task.cancel()
    assert not pending
    assert task.cancelled()


async def test_the_loops_give_way_to_a_message_that_is_heard(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with talking(tmp_path, model, summary_every_n_turns="1") as assistant:
        heard = await assistant.memory.heard("ada", "hello")
        answered = await assistant.answer(heard)
        await assistant.memory.delivered(heard, answered.turn)
        with assistant.precedence.arriving():
            assistant.after_turn(heard)
            await assistant.memory.look(lambda rows: None)
            assert model.asked("summary") == []
        await assistant.settle()
        assert len(model.asked("summary")) == 1


async def test_a_message_goes_first_while_it_is_recorded_and_its_prompt_is_made(tmp_path: Path) -> None:
    seen: list[bool] = []

    async with talking(tmp_path, ScriptedModel()) as assistant:
        exchanges = Exchanges(assistant, Unwritten())
        real = assistant.memory.engine.reading

        def reading() -> AbstractContextManager[Rows]:
            seen.append(assistant.precedence.is_anyone_arriving)
            return real()

        with patch.object(assistant.memory.engine, "reading", reading):
            exchange = await exchanges.hear(said("hello"))
            await exchanges.think(exchange)
    assert seen
    assert all(seen)
    assert not assistant.precedence.is_anyone_arriving


def said(text: str) -> HeardRequest:
    """Ada says something to the assistant."""
    ada = Account("local", "ada", "Ada")
    place = PlaceSeen("local", "", "direct", "", "direct", partner=ada)
    return HeardRequest("m1", place, "person", ada, text, NOW, (), addressed=True)
