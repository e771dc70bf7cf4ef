"""From the writer's thread to an event loop."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from dnam.courier import recording
from projections.decisions.draft import Draft
from projections.rows import Rows
from replay.engine import Engine
from replay.group import Recorded
from tests.replay.stage import drafts, setting


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        yield engine


def fails(rows: Rows) -> list[Draft]:
    raise ZeroDivisionError


async def test_what_is_handed_over_comes_back_when_it_is_durable(engine: Engine) -> None:
    recorded = await asyncio.gather(*(recording(engine, drafts(setting(str(n)), name=f"n{n}")) for n in range(64)))
    assert sorted(each.records[0].seq for each in recorded) == list(range(1, 65))
    with pytest.raises(ZeroDivisionError):
        await recording(engine, fails)


async def test_who_stops_waiting_stops_nothing(engine: Engine) -> None:
    ready = threading.Event()

    def waits(rows: Rows) -> list[Draft]:
        assert ready.wait(20)
        return list(drafts(setting("a"), name="a")(rows))

    given_up, kept = recording(engine, waits), recording(engine, drafts(setting("b"), name="b"))
    given_up.cancel()
    ready.set()
    await kept
    assert given_up.cancelled()
    assert engine.head().size == 2


def test_a_loop_that_is_gone_harms_nobody(engine: Engine) -> None:
    ready = threading.Event()

    def waits(rows: Rows) -> list[Draft]:
        assert ready.wait(20)
        return list(drafts(setting("a"), name="a")(rows))

    async def leaves() -> None:
        recording(engine, waits)

    asyncio.run(leaves())
    ready.set()
    engine.record(drafts(setting("b"), name="b"))
    assert engine.head().size == 2


async def test_what_was_decided_is_told_before_it_is_durable(engine: Engine) -> None:
    seen: list[Recorded] = []
    sizes: list[int] = []

    def hears(recorded: Recorded) -> None:
        seen.append(recorded)
        sizes.append(engine.head().size)

    recorded = await recording(engine, drafts(setting("a"), name="a"), hears)
    assert (seen, sizes) == ([recorded], [0])
    with pytest.raises(ZeroDivisionError):
        await recording(engine, fails, hears)
    assert seen == [recorded]


def test_a_loop_that_is_gone_is_told_nothing(engine: Engine) -> None:
    ready = threading.Event()

    def waits(rows: Rows) -> list[Draft]:
        assert ready.wait(20)
        return list(drafts(setting("a"), name="a")(rows))

    async def leaves() -> None:
        recording(engine, waits, lambda _: None)

    asyncio.run(leaves())
    ready.set()
    engine.record(drafts(setting("b"), name="b"))
    assert engine.head().size == 2
