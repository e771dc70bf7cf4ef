"""A bot that dies between doing what a command says and its reply: what is done stays done once, and is told after it
comes back.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from dnam.adapters.discord.bot import DnamBot
from dnam.commands.done_before import DONE
from dnam.commands.done_since import SINCE
from projections.fruitless import SHOWN
from projections.ids import MINUTE_MS
from projections.items import ITEMS
from tests.dnam.discord.stage import Timed, bot_in, garden, idle, shown
from tests.dnam.scripted import ScriptedModel, down

TEA, ROSES = "!memory remember I like tea in the morning", "!memory remember my second note says roses"
TOLD: Mapping[str, str] = {"memory_commands_enabled": "1"}


def items(bot: DnamBot) -> list[tuple[str, str, int]]:
    with bot.desk.memory.engine.reading() as rows:
        found = (each.row.item for each in rows.scan(ITEMS))
        return sorted((each.text, each.status, each.source_count) for each in found)


@pytest.mark.parametrize("command", [ROSES, "!memory undo", "!memory forget I like tea in the morning"])
@pytest.mark.parametrize("then", ["", "!memory undo"])
async def test_what_was_done_before_the_bot_died_is_done_once(tmp_path: Path, command: str, then: str) -> None:
    """Also where more was done after it, of which the reply was lost too."""
    async with garden() as (world, here):
        hall = here.guild.channel("hall")
        async with bot_in(world, tmp_path, told=TOLD, dies=True) as bot:
            for text in ("hello", TEA, ROSES):
                await here.kim.says(here.general, text)
                await idle(world, bot)
            sending = world.slow("POST", f"/channels/{here.general.id}/messages")
            await here.kim.says(here.general, command)
            await world.until(lambda: sending.met, "the reply on its way")
            if then:
                await here.kim.says(hall, then)
                await world.until(lambda: len(shown(world, hall)) > 0, "the second one is done")
            done = items(bot)
        async with bot_in(world, tmp_path, told=TOLD) as bot:
            await idle(world, bot)
            assert items(bot) == done
            name = command.split()[1]
            assert shown(world, here.general)[-1].startswith(DONE.format(prefix="!memory", name=name))


async def test_who_opted_out_and_in_again_stays_in(tmp_path: Path) -> None:
    async with garden() as (world, here):
        hall = here.guild.channel("hall")
        async with bot_in(world, tmp_path, told=TOLD, dies=True) as bot:
            await here.kim.says(here.general, "hello")
            await idle(world, bot)
            sending = world.slow("POST", f"/channels/{here.general.id}/messages")
            await here.kim.says(here.general, "!memory opt-out")
            await world.until(lambda: sending.met, "the reply on its way")
            await here.kim.says(hall, "!memory opt-in")
            await world.until(lambda: len(shown(world, hall)) > 0, "the second one is done")
            size = bot.desk.memory.engine.head().size
        async with bot_in(world, tmp_path, told=TOLD) as bot:
            await idle(world, bot)
            assert bot.desk.memory.engine.head().size == size
            assert shown(world, here.general)[-1] == DONE.format(prefix="!memory", name="opt-out")


async def test_what_was_typed_where_the_bot_is_silent_is_not_done_over_what_they_did_since(tmp_path: Path) -> None:
    """Nobody said anything to them there, so they asked otherwise; after a restart the bot may speak there again."""
    told = {**TOLD, "respond_mode": "none"}
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, told=told) as bot:
            for text in ("hello", "!memory opt-in", TEA):
                await here.kim.says(here.general, text)
            await idle(world, bot)
            await (await here.kim.uses(here.general, "/memory opt-out")).reply()
            await idle(world, bot)
            size = bot.desk.memory.engine.head().size
        async with bot_in(world, tmp_path, told=TOLD) as bot:
            await idle(world, bot)
            assert bot.desk.memory.engine.head().size == size
            assert shown(world, here.general)[-2:] == [SINCE, SINCE]


async def test_a_setting_of_theirs_counts_as_done_since(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, told={**TOLD, "respond_mode": "none"}) as bot:
            for text in ("hello", "!memory config set me learn=none"):
                await here.kim.says(here.general, text)
            await idle(world, bot)
            await (
                await here.kim.uses(here.general, "/memory config", action="set", scope="me", setting="learn=heard")
            ).reply()
            await idle(world, bot)
            size = bot.desk.memory.engine.head().size
        async with bot_in(world, tmp_path, told=TOLD) as bot:
            await idle(world, bot)
            assert (bot.desk.memory.engine.head().size, shown(world, here.general)[-1]) == (size, SINCE)


async def test_what_was_typed_while_it_was_away_is_all_done(tmp_path: Path) -> None:
    """Of two places; and what others did meanwhile stands against nothing."""
    async with garden() as (world, here):
        hall = here.guild.channel("hall")
        async with bot_in(world, tmp_path, told=TOLD) as bot:
            for place in (here.general, hall):
                await here.kim.says(place, "hello")
            await idle(world, bot)
        await here.kim.says(here.general, TEA)
        await here.kim.says(hall, ROSES)
        await here.ada.says(hall, "!memory remember I keep bees")
        await here.kim.says(here.general, "!memory show")
        async with bot_in(world, tmp_path, told=TOLD) as bot:
            await idle(world, bot)
            assert [text for text, status, _ in items(bot) if status == "active"] == [
                "I keep bees",
                "I like tea in the morning",
                "my second note says roses",
            ]
            assert SINCE not in [*shown(world, here.general), *shown(world, hall)]


async def test_what_was_passed_over_and_read_once_more_for_an_extract_is_not_read_again_for_it(tmp_path: Path) -> None:
    """Each time is a call that somebody pays for; whoever asks anew has it tried anew."""
    told = {**TOLD, "summary_enabled": "0", "durable_every_n_turns": "1000"}
    async with garden() as (world, here):
        assert isinstance(world, Timed)
        model = ScriptedModel({"extraction": lambda _: "no"})
        async with bot_in(world, tmp_path, model, told=told, dies=True) as bot:
            await here.kim.says(here.general, "the words that no model reads", mention=world.bot)
            await idle(world, bot)
            kim = await bot.desk.memory.person(str(here.kim.id), platform="discord")
            while await bot.desk.assistant.extract(kim):
                world.clock.time += MINUTE_MS
            sending = world.slow("POST", f"/channels/{here.general.id}/messages")
            await here.kim.says(here.general, "!memory extract")
            await world.until(lambda: sending.met, "the reply on its way")
            assert len(model.asked("extraction")) == len(SHOWN) + 1
        world.clock.time += 2 * MINUTE_MS
        async with bot_in(world, tmp_path, model, told=told) as bot:
            await idle(world, bot)
            assert len(model.asked("extraction")) == len(SHOWN) + 1
            world.clock.time += 2 * MINUTE_MS
            await here.kim.says(here.general, "!memory extract")
            await idle(world, bot)
            assert len(model.asked("extraction")) == len(SHOWN) + 2


@pytest.mark.parametrize("meanwhile", ["deleted", "!memory config set me learn=none", "!memory opt-out"])
async def test_an_extract_that_is_taken_up_shows_the_model_nothing_that_was_taken_back(
    tmp_path: Path, meanwhile: str
) -> None:
    told = {**TOLD, "summary_enabled": "0", "durable_every_n_turns": "1000"}
    async with garden() as (world, here):
        assert isinstance(world, Timed)
        async with bot_in(world, tmp_path, ScriptedModel({"extraction": down}), told=told, dies=True) as bot:
            said = await here.kim.says(here.general, "I like roses", mention=world.bot)
            await idle(world, bot)
            sending = world.slow("POST", f"/channels/{here.general.id}/messages")
            await here.kim.says(here.general, "!memory extract")
            await world.until(lambda: sending.met, "the reply on its way")
            if meanwhile != "deleted":
                await here.kim.says(here.kim.dm, meanwhile)
                await world.until(lambda: shown(world, here.kim.dm), "it is done")
        if meanwhile == "deleted":
            await here.kim.deletes(said)
        world.clock.time += 2 * MINUTE_MS
        model = ScriptedModel()
        async with bot_in(world, tmp_path, model, told=told) as bot:
            await idle(world, bot)
            assert len(shown(world, here.general)) == 2
            assert model.asked("extraction") == []
