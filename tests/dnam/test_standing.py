"""What somebody's own direct messages open by what only their platform knows."""

from collections.abc import AsyncIterator

import pytest

from dnam.standing import of_settings, settings_say, standing_in, taught_in_channels
from dnam.whereabouts import in_direct
from projections.ids import NOBODY, Handle
from projections.policies.compartments import OWNER, Setting
from tests.dnam.test_commands import CLOSED, OPEN, World


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World(DNAM_OWNER_IDS="42")
    yield made
    made.memory.engine.close()


async def test_who_runs_it_is_known_by_the_id_in_discord_alone(world: World) -> None:
    owner = await world.memory.heard("42", "hm", platform="discord")
    namesake = await world.memory.heard("42", "hm", platform="elsewhere")
    assert owner.setting.besides == (OWNER,)
    assert namesake.setting.besides == ()
    assert (await world.memory.heard("42", "hm", platform="discord", place=OPEN)).setting.besides == ()
    assert await world.memory.look(lambda rows: of_settings(rows, owner.person, ())) == ()


async def test_the_owner_s_layer_is_in_the_owner_s_prompts_and_in_nobody_else_s(world: World) -> None:
    from projections.events.values import OPERATOR

    await world.memory.remember_nobodys(OWNER, "The budget is due in May", by=OPERATOR)
    owner = await world.memory.heard("42", "When is the budget due?", platform="discord")
    kim = await world.memory.heard("43", "When is the budget due?", platform="discord")
    there = await world.memory.heard("42", "When is the budget due?", platform="discord", place=OPEN)
    assert "due in May" in (await world.memory.context(owner)).text
    assert "due in May" not in (await world.memory.context(kim)).text
    assert "due in May" not in (await world.memory.context(there)).text


async def test_a_platform_may_know_more_and_is_asked_each_time(world: World) -> None:
    heard = await world.memory.heard("ada", "hm", place=CLOSED)
    mine = f"person/{heard.person.hex()}/channel/local:staff"
    await world.remembers("ada", "I keep the keys", CLOSED)
    assert await world.memory.look(lambda rows: taught_in_channels(rows, heard.person)) == (mine,)
    assert "keys" not in await world.asks("ada", "!memory show")
    may: set[str] = {mine}

    async def standing(_: Handle) -> tuple[str, ...]:
        return tuple(may)

    world.memory.standing = standing
    assert "keys" in await world.asks("ada", "!memory show")
    may.clear()
    assert "keys" not in await world.asks("ada", "!memory show")


async def test_what_was_open_stands_in_the_turn_so_that_its_prompt_can_be_made_again(world: World) -> None:
    from dnam.turn_prompts import prompt_of, turn_at
    from projections.events.values import OPERATOR

    await world.memory.remember_nobodys(OWNER, "The budget is due in May", by=OPERATOR)
    heard = await world.memory.heard("42", "When is the budget due?", platform="discord")
    await world.assistant.answer(heard)
    engine = world.memory.engine
    turn = turn_at(engine, engine.head().size)
    assert turn is not None
    assert turn.besides == (OWNER,)
    made = prompt_of(engine, engine.head().size, turn, world.memory.vocabulary)
    assert made.differs == ()
    assert "due in May" in made.context.text


async def test_nobody_has_a_standing() -> None:
    setting = in_direct(NOBODY)

    async def unasked(_: Handle) -> tuple[str, ...]:
        raise AssertionError("nobody is asked about")

    assert await standing_in(setting, unasked) == setting


async def test_in_the_shell_this_machine_s_own_are_the_operator_in_their_own_direct_messages_there(
    world: World,
) -> None:
    local = await world.memory.heard("bob", "hm")
    there = await world.memory.heard("bob", "hm", place=OPEN)
    discord = await world.memory.heard("43", "hm", platform="discord")

    async def besides(setting: Setting) -> tuple[str, ...]:
        return (await world.memory.look(lambda rows: settings_say(rows, setting, ()))).besides

    assert await besides(local.setting) == (OWNER,)
    assert await besides(there.setting) == ()
    assert await besides(discord.setting) == ()
    assert await besides(in_direct(discord.person)) == ()  # no DM of theirs has begun
    assert await besides(in_direct(local.person, "discord")) == ()
