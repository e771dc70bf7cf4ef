"""Undo of what is not undone: it goes past it to what was done before, and says so."""

from collections.abc import AsyncIterator

import pytest

from dnam.commands.command import Invocation
from dnam.commands.table import read, run
from dnam.commands.undo import ALL_STAYS, NOTHING, STAYS
from dnam.commands.undo_lasting import EXTRACTED, NOTED, OPTED_IN, REDACTED, RESET, UNTOLD
from dnam.consenting import consent
from projections.decisions.consent import BY_THEMSELF
from projections.decisions.place import PlaceSeen
from projections.events.values import OPERATOR, By
from projections.ids import Ref
from projections.times import DAY_MS
from tests.dnam.scripted import FakeClock
from tests.dnam.test_commands import CLOSED, OPEN, World

TEA = "Undone `remember`: this is forgotten.\n- [fact] I like tea"


class Talking(World):
    """People who talk, ask, and undo; what an answer arrived as is named."""

    async def answered(self, user: str, text: str, name: str, place: PlaceSeen | None = None) -> None:
        heard = await self.memory.heard(user, text, place=place, key=f"{name}?")
        answered = await self.assistant.answer(heard)
        await self.memory.delivered(heard, answered.turn, (Ref("local", name),))

    async def summed_up(self, user: str, place: PlaceSeen | None = None) -> None:
        heard = await self.says(user, "The release is on Friday.", place)
        await self.assistant.summarise(heard.session, heard.setting.audience, heard.person)

    async def opts_out_and_in(self, user: str, by: By = BY_THEMSELF) -> None:
        person = await self.memory.person(user)
        for out in (True, False):
            await consent(self.memory, person, by=by, out=out)

    async def undo(self, user: str = "ada", place: PlaceSeen | None = None, *, is_owner: bool = False) -> str:
        heard = await self.memory.heard(user, "hello", place=place)
        call = read("!memory undo")
        assert call is not None
        return (await run(self.assistant, Invocation(heard.setting, heard.session, is_owner), call)).text


@pytest.fixture
async def world() -> AsyncIterator[Talking]:
    made = Talking()
    yield made
    made.memory.engine.close()


async def test_a_summary_that_was_cleared_stays_so(world: Talking) -> None:
    await world.remembers("ada", "I like tea")
    await world.summed_up("ada")
    assert (await world.asks("ada", "!memory reset rolling")).startswith("Rolling summary cleared")
    told = await world.undo()
    assert told.startswith(TEA)
    assert told.endswith(f"\n{STAYS}\n- {RESET}")
    assert await world.undo() == f"{NOTHING}\n{ALL_STAYS}\n- {RESET}"
    assert await world.undo(place=OPEN) == NOTHING


async def test_what_was_done_after_it_is_undone_without_a_word_of_it(world: Talking) -> None:
    await world.summed_up("ada")
    await world.asks("ada", "!memory reset rolling")
    await world.remembers("ada", "I like tea")
    assert STAYS not in await world.undo()


async def test_what_somebody_else_cleared_is_not_theirs(world: Talking) -> None:
    await world.summed_up("ada", OPEN)
    await world.asks("kim", "!memory reset rolling", OPEN)
    assert await world.undo(place=OPEN) == NOTHING
    assert await world.undo("kim", OPEN) == f"{NOTHING}\n{ALL_STAYS}\n- {RESET}"


async def test_opting_in_is_taken_back_by_opting_out(world: Talking) -> None:
    await world.remembers("ada", "I like tea", OPEN)
    await world.opts_out_and_in("ada")
    assert (await world.undo(place=OPEN)).endswith(f"\n{STAYS}\n- {UNTOLD}")
    assert await world.undo() == f"{NOTHING}\n{ALL_STAYS}\n- {OPTED_IN}"
    assert await world.undo("kim") == NOTHING


async def test_what_the_operator_said_of_somebody_is_not_their_act(world: Talking) -> None:
    await world.remembers("ada", "I like tea")
    await world.opts_out_and_in("ada", OPERATOR)
    assert STAYS not in await world.undo()


async def test_a_message_of_theirs_that_they_redacted_is_gone(world: Talking) -> None:
    await world.remembers("ada", "I like tea")
    await world.answered("ada", "I grow pumpkins", "1")
    await world.asks("ada", "!memory redact local:1?")
    await world.asks("ada", "!memory redact local:1")
    assert (await world.undo()).endswith(f"\n{STAYS}\n- {REDACTED}")
    assert await world.undo("kim") == NOTHING


async def test_an_answer_to_them_that_they_redacted_is_gone(world: Talking) -> None:
    await world.remembers("ada", "I like tea", OPEN)
    await world.answered("kim", "I grow pumpkins", "1", OPEN)
    await world.asks("kim", "!memory redact local:1", OPEN)
    assert await world.undo("kim", OPEN) == f"{NOTHING}\n{ALL_STAYS}\n- {REDACTED}"
    assert await world.undo("kim", CLOSED) == f"{NOTHING}\n{ALL_STAYS}\n- {UNTOLD}"
    assert STAYS not in await world.undo(place=OPEN)


async def test_what_the_owner_redacted_of_anybody_is_gone(world: Talking) -> None:
    await world.answered("kim", "I grow pumpkins", "1")
    heard = await world.memory.heard("ada", "hello")
    call = read("!memory redact local:1? yes")
    assert call is not None
    asked = Invocation(heard.setting, heard.session, is_owner=True)
    assert (await run(world.assistant, asked, call)).text.startswith("Taken back")
    assert await world.undo(is_owner=True) == f"{NOTHING}\n{ALL_STAYS}\n- {REDACTED}"
    assert await world.undo() == NOTHING


async def test_what_was_redacted_long_ago_is_not_looked_for(world: Talking) -> None:
    await world.answered("ada", "I grow pumpkins", "1")
    await world.asks("ada", "!memory redact local:1?")
    clock = world.memory.engine.recorder.clock
    assert isinstance(clock, FakeClock)
    clock.time += 2 * DAY_MS
    assert await world.undo() == NOTHING


async def test_what_was_learned_at_their_word_stays_and_how_it_goes_is_told(world: Talking) -> None:
    await world.says("ada", "I live in Oslo.")
    await world.remembers("ada", "I like tea")
    assert (await world.asks("ada", "!memory extract")).startswith("Learned 1 item(s).")
    told = await world.undo()
    assert told.startswith(TEA)
    assert told.endswith(f"\n{STAYS}\n- {EXTRACTED}")
    await world.remembers("ada", "I like emus")
    assert EXTRACTED not in await world.undo()
    assert EXTRACTED in await world.undo()
    await world.asks("ada", "!memory forget lives in Oslo")
    assert (await world.undo()).startswith("Undone `forget`: ")


async def test_what_was_learned_in_due_course_is_nobodys_act(world: Talking) -> None:
    await world.remembers("ada", "I like tea")
    await world.says("ada", "I live in Oslo.")
    person = await world.memory.person("ada")
    await world.assistant.extract(person, policy="cadence@1")
    assert len(await world.memory.show("ada")) == 2
    assert EXTRACTED not in await world.undo()


async def test_what_was_noted_as_they_said_it_stays_and_how_it_goes_is_told(world: Talking) -> None:
    await world.remembers("ada", "I like tea")
    await world.says("ada", "Remember that I like emus.")
    texts = [each.text for each in await world.memory.show("ada")]
    assert len(texts) == 2
    told = await world.undo()
    assert told.startswith(TEA)
    assert told.endswith(f"\n{STAYS}\n- {NOTED}")
    assert await world.undo() == f"{NOTHING}\n{ALL_STAYS}\n- {NOTED}"
    assert await world.undo(place=OPEN) == NOTHING
    (noted,) = await world.memory.show("ada")
    assert (await world.asks("ada", f"!memory forget {noted.id}")).startswith("Forgot 1 item(s).")
    assert NOTED not in await world.undo()
