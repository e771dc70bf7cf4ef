"""Who opts out while something of theirs is in flight: an answer, a summary, learning from what they said."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dnam.consenting import consent
from dnam.exchange import Exchange, Exchanges
from dnam.learning.learner import Learner
from dnam.memory import Memory
from dnam.model import ModelError
from dnam.unwritten import Unwritten
from dnam.whereabouts import LOCAL
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import (
    ExtractionAnswered,
    JobFailed,
    SummaryAnswered,
    SummaryRefreshed,
    TurnAnswered,
    TurnDelivered,
    TurnFailed,
)
from projections.ids import NOBODY
from projections.pending import is_settled
from replay.erasure import erase
from tests.dnam.discord.stage import events
from tests.dnam.scripted import FakeClock, settings
from tests.dnam.test_forgetting_commands import OPEN, World

DM = PlaceSeen(LOCAL, "", "direct", "", "direct", partner=Account(LOCAL, "kim", "kim"))


@asynccontextmanager
async def opened(path: Path, **values: str) -> AsyncIterator[World]:
    async with Memory.open(path / "data", settings=settings(**values), clock=FakeClock()) as memory:
        made = World(memory)
        yield made
        await made.settled()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as made:
        yield made


async def opts_out(world: World) -> None:
    """By another process: nothing is given up here."""
    assert await consent(world.memory, await world.memory.person("kim"), out=True)


async def asked(world: World, place: PlaceSeen) -> tuple[Exchanges, Exchange]:
    """A question that was heard."""
    exchanges = Exchanges(world.assistant, Unwritten())
    who = Account(LOCAL, "kim", "kim")
    request = HeardRequest("q1", place, "person", who, "what of my tea?", world.memory.now(), (), addressed=True)
    return exchanges, await exchanges.hear(request)


@pytest.mark.parametrize("place", [OPEN, DM], ids=["in a channel", "in a DM"])
async def test_of_an_answer_that_is_being_made_only_what_it_took_is_kept(world: World, place: PlaceSeen) -> None:
    await world.says("kim", "I like tea")
    exchanges, exchange = await asked(world, place)
    world.model.hold("answer")
    thinking = asyncio.create_task(exchanges.think(exchange))
    await world.model.reached["answer"].wait()
    await opts_out(world)
    before, kim = events(world.memory, TurnAnswered), await world.memory.person("kim")
    world.model.let_go()
    assert (await thinking).text  # they asked, and are answered
    ring = world.memory.engine.store.ring
    vaults = ring.listing(kim)
    await exchanges.answered(exchange)
    await exchanges.delivered(exchange)
    turn = events(world.memory, TurnAnswered)[len(before)]
    assert isinstance(turn, TurnAnswered)
    assert (turn.asker, turn.text, turn.causes, turn.items, turn.call.tokens_out) == (NOBODY, "", (), (), 2)
    assert kim.hex() not in turn.session + str(turn.place)
    assert ring.listing(kim) == vaults
    assert await world.memory.look(lambda rows: is_settled(rows, exchange.heard.point))
    assert (len(exchanges.unwritten), len(exchanges.unwritten.lost.after(0))) == (0, 0)
    await asyncio.to_thread(erase, world.memory.engine, kim)  # nothing of it was theirs
    assert turn in events(world.memory, TurnAnswered)


async def test_of_one_that_could_not_be_made_too(world: World) -> None:
    exchanges, exchange = await asked(world, DM)
    await opts_out(world)
    await exchanges.failed(exchange, ModelError("529", words="Not now."))
    (failed,) = events(world.memory, TurnFailed)
    assert isinstance(failed, TurnFailed)
    assert (failed.asker, failed.causes, failed.session) == (NOBODY, (), "local:dm:")
    assert await world.memory.look(lambda rows: is_settled(rows, exchange.heard.point))


async def test_what_was_recorded_before_stays_and_that_it_arrived_is_not_recorded(world: World) -> None:
    exchanges, exchange = await asked(world, DM)
    await exchanges.think(exchange)
    await exchanges.answered(exchange)
    await opts_out(world)
    await exchanges.delivered(exchange)
    (turn,) = events(world.memory, TurnAnswered)
    assert isinstance(turn, TurnAnswered)
    assert turn.text
    assert events(world.memory, TurnDelivered) == []


@pytest.mark.parametrize("way", ["here", "elsewhere", "erased"])
async def test_a_summary_of_their_direct_messages_ends_without_writing(tmp_path: Path, way: str) -> None:
    async with opened(tmp_path, summary_every_n_turns="1", durable_memory_enabled="0") as world:
        heard = await world.says("kim", "I like tea")
        world.model.hold("summary")
        world.assistant.after_turn(heard)
        await world.model.reached["summary"].wait()
        assert world.assistant.at_work_for() == {heard.person}
        if way == "here":
            await world.replies("kim", "opt-out")
        elif way == "elsewhere":
            await opts_out(world)
        else:
            await asyncio.to_thread(erase, world.memory.engine, heard.person)
        if way != "here":  # there it is given up
            world.model.let_go()
        await world.assistant.settle()
        assert events(world.memory, SummaryAnswered, SummaryRefreshed, JobFailed) == []
        assert world.assistant.at_work_for() == frozenset()


# -- learning by hand ----------------------------------------------------------------------------------------------


async def test_who_opted_out_is_not_learned_from_and_others_are(world: World) -> None:
    for user in ("kim", "ada"):
        await world.says(user, "I like tea")
    learner = Learner(world.assistant)
    assert (await world.memory.look(learner.estimate))[:2] == (2, 2)
    await opts_out(world)
    assert (await world.memory.look(learner.estimate))[:2] == (1, 1)
    learned = await learner.learn(lambda *_: None)
    assert (learned.extractions, learned.summaries, learned.errors) == (1, 1, ())
    (answered,) = events(world.memory, ExtractionAnswered)
    assert isinstance(answered, ExtractionAnswered)
    assert answered.owner == await world.memory.person("ada")


@pytest.mark.parametrize("purpose", ["extraction", "summary"])
async def test_who_opts_out_while_everybody_is_learned_from_is_left_out_and_others_are_not(
    world: World, purpose: str
) -> None:
    for user in ("kim", "ada"):
        await world.says(user, "I like tea")
    world.model.hold(purpose)
    learning = asyncio.create_task(Learner(world.assistant).learn(lambda *_: None))
    await world.model.reached[purpose].wait()
    before = len(events(world.memory, ExtractionAnswered, SummaryRefreshed))
    await opts_out(world)
    world.model.let_go()
    learned = await learning
    assert learned.errors == ()
    assert learned.extractions + learned.summaries == (2 if purpose == "extraction" else 3)
    assert len(events(world.memory, ExtractionAnswered, SummaryRefreshed)) - before == (
        2 if purpose == "extraction" else 1
    )
