"""What goes wrong inside names folders, addresses and services: people are told that it went wrong, its owner what."""

from pathlib import Path

import pytest

from dnam.adapters.discord.bot import DnamBot
from dnam.commands.command import NOTED
from dnam.model import Ask, ModelDown
from projections.events import ExtractionFailed, JobFailed
from replay.errors import CannotWrite, LogError
from tests.dnam.discord.stage import bot_in, events, garden, idle, shown
from tests.dnam.discord.ui.stage import scene_in
from tests.dnam.scripted import ScriptedModel

INNER = "Connect call failed ('10.0.0.5', 11434) for /srv/dnam/keys"
FAILED = f"Some of it could not be read. {NOTED} It is tried again later."
NOT_NOW = f"The memory cannot be asked just now, and nothing was done. {NOTED}"
NOT_DONE = f"`!memory remember` could not be done just now. {NOTED}"


def unreachable() -> ScriptedModel:
    def down(_: Ask) -> str:
        raise ModelDown(INNER)

    return ScriptedModel({"extraction": down})


async def broken(*_: object, **__: object) -> None:
    raise LogError(INNER)


async def test_what_a_model_s_service_says_is_not_told_in_a_channel_and_is_recorded(tmp_path: Path) -> None:
    async with (
        garden() as (world, here),
        bot_in(world, tmp_path, unreachable(), memory_commands_enabled="1", extraction_every_n_turns="100") as bot,
    ):
        await here.kim.says(here.general, "I like tea", mention=world.bot)
        await here.kim.says(here.general, "!memory extract")
        await idle(world, bot)
        assert shown(world, here.general)[-1] == FAILED
        assert [each.error for each in events(bot, ExtractionFailed)] == [INNER]


async def test_what_a_log_says_is_not_told_in_a_channel_and_to_the_owner_where_nobody_reads_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise CannotWrite(INNER)

    async with garden() as (world, here):
        told = {"memory_commands_enabled": "1", "owner_ids": str(here.ada.id)}
        async with bot_in(world, tmp_path, told=told) as bot:
            for each in (here.general, here.ada.dm, here.kim.dm):
                await (here.kim if each is here.kim.dm else here.ada).says(each, "!memory show")
            await idle(world, bot)
            monkeypatch.setattr(bot.desk.memory.engine, "hand_in", full)
            await here.ada.says(here.general, "!memory remember I like tea")
            await here.kim.says(here.kim.dm, "!memory remember I like tea")
            await here.ada.says(here.ada.dm, "!memory remember I like tea")
            await idle(world, bot)
            monkeypatch.undo()
            assert shown(world, here.general)[-1] == NOT_DONE
            assert shown(world, here.kim.dm)[-1] == NOT_DONE
            assert shown(world, here.ada.dm)[-1] == f"`!memory remember` could not be done: {INNER}"
            assert f"!memory remember could not be done: {INNER}" in caplog.messages


async def test_a_memory_that_cannot_be_asked_says_so_without_its_inner_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here):
        told = {"memory_commands_enabled": "1", "owner_ids": str(here.ada.id)}
        async with bot_in(world, tmp_path, told=told) as bot:
            monkeypatch.setattr(bot.desk.askers, "asked_by", broken)
            await here.ada.says(here.general, "!memory show")
            await here.ada.says(here.ada.dm, "!memory show")
            await idle(world, bot)
            assert shown(world, here.general) == [NOT_NOW]
            assert shown(world, here.ada.dm) == [f"The memory cannot be asked just now, and nothing was done: {INNER}"]
            assert failures(bot) == [("discord command", INNER)] * 2


async def test_neither_does_a_slash_command_say_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with scene_in(tmp_path) as scene:
        scene.bot.desk.owners = frozenset([scene.ada.id])
        monkeypatch.setattr(scene.bot.desk.askers, "setting_of", broken)
        said = await scene.replied(scene.kim.uses(scene.general, "/memory show"))
        assert said.said.content == NOT_NOW
        said = await scene.replied(scene.ada.uses(scene.ada.dm, "/memory show"))
        assert said.said.content == f"The memory cannot be asked just now, and nothing was done: {INNER}"
        assert [error for _, error in failures(scene.bot)] == [INNER, INNER]


def failures(bot: DnamBot) -> list[tuple[str, str]]:
    """What is recorded of what failed: the job, and what went wrong."""
    return [(each.job, each.error) for each in events(bot, JobFailed)]
