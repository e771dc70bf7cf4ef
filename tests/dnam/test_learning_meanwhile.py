"""What is not shown to a model any more, or not learned, because of what happened since it was listed or asked."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from dnam.consenting import consent
from dnam.learning.learner import Learner
from dnam.memory import Memory
from dnam.whereabouts import Heard
from projections.decisions.audience import AudienceRequest, change_audience
from projections.decisions.delete import DeletedRequest, delete
from projections.decisions.narrowed import NARROWED
from projections.decisions.place import PlaceSeen
from projections.events import ExtractionAnswered, ExtractionFailed
from projections.events.values import AudienceKind
from projections.policies.compartments import of_person_in
from replay.erasure import erase
from tests.dnam.discord.stage import events
from tests.dnam.scripted import FakeClock, settings
from tests.dnam.test_forgetting_commands import OPEN, World

BOTH: tuple[AudienceKind, ...] = ("channel", "guild")
STAFF = PlaceSeen("local", "staff", "channel", "staff", "channel", guild=OPEN.guild, guild_name="Garden")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with Memory.open(tmp_path / "data", settings=settings(learn="heard"), clock=FakeClock()) as memory:
        made = World(memory)
        yield made
        await made.settled()


async def opts_out(world: World, heard: Heard) -> None:
    await consent(world.memory, heard.person, out=True)


async def is_erased(world: World, heard: Heard) -> None:
    await asyncio.to_thread(erase, world.memory.engine, heard.person)


async def deletes_it(world: World, heard: Heard) -> None:
    request = DeletedRequest("local", "k1", heard.session, heard.point.said, heard.point.said + 900)
    await world.memory.record(lambda rows: delete(rows, request))


@pytest.mark.parametrize("takes_back", [opts_out, is_erased, deletes_it])
async def test_what_was_taken_back_since_it_was_listed_is_shown_to_no_model(
    world: World, takes_back: Callable[[World, Heard], Awaitable[None]]
) -> None:
    """Everybody is listed first, and a run over all of them takes long."""
    await world.memory.heard("ada", "I keep bees", place=OPEN)
    kim = await world.memory.heard("kim", "I like tea", place=OPEN, key="k1")
    world.model.hold("extraction")
    learning = asyncio.create_task(Learner(world.assistant).learn(lambda *_: None))
    await world.model.reached["extraction"].wait()  # ada's words are read
    await takes_back(world, kim)
    world.model.let_go()
    learned = await learning
    assert (learned.extractions, learned.errors) == (1, ())
    (asked,) = world.model.asked("extraction")
    assert "bees" in asked.prompt
    assert "tea" not in asked.prompt


async def test_nor_what_was_deleted_in_another_place_while_the_first_was_read(world: World) -> None:
    await world.memory.heard("kim", "I keep bees", place=STAFF)
    kim = await world.memory.heard("kim", "I like tea", place=OPEN, key="k1")
    world.model.hold("extraction")
    learning = asyncio.create_task(world.assistant.extract(kim.person))
    await world.model.reached["extraction"].wait()
    await deletes_it(world, kim)
    world.model.let_go()
    await learning
    assert ["tea" in asked.prompt for asked in world.model.asked("extraction")] == [False]


async def test_nor_is_a_conversation_of_theirs_summed_up(world: World) -> None:
    await world.memory.heard("ada", "I keep bees")
    kim = await world.memory.heard("kim", "I like tea")
    world.model.hold("summary")
    learning = asyncio.create_task(Learner(world.assistant).learn(lambda *_: None))
    await world.model.reached["summary"].wait()  # by name, ada comes first
    await opts_out(world, kim)
    world.model.let_go()
    assert (await learning).summaries == 1
    (asked,) = world.model.asked("summary")
    assert "bees" in asked.prompt


async def test_a_place_that_was_closed_and_opened_again_while_a_model_read_keeps_what_it_took(world: World) -> None:
    """What was said before it closed is no longer for the whole guild. The reply was paid for, and the run goes on."""
    heard = await world.memory.heard("kim", "I like tea", place=OPEN)
    world.model.hold("extraction")
    learning = asyncio.create_task(world.assistant.extract(heard.person))
    await world.model.reached["extraction"].wait()
    for kind in BOTH:
        request = AudienceRequest(OPEN._replace(audience=kind), world.memory.now(), world.memory.origin())
        await world.memory.record(partial(change_audience, request=request))
    world.model.let_go()
    (learned,) = await learning
    assert learned.error == NARROWED
    (failed,) = events(world.memory, ExtractionFailed)
    assert isinstance(failed, ExtractionFailed)
    assert (failed.call.tokens_out, failed.reply) == (2, "")
    await world.assistant.extract(heard.person)  # again, for those who can read it
    (answered,) = events(world.memory, ExtractionAnswered)
    assert isinstance(answered, ExtractionAnswered)
    assert answered.compartment == of_person_in(heard.person, heard.place)
