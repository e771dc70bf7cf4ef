"""Whether a message is answered is judged where it is recorded: nothing is looked up before, and the verdict holds."""

from pathlib import Path
from unittest.mock import patch

import pytest

from dnam.adapters.discord.desk import Desk
from projections.events import MessageHeard
from replay.errors import DamagedViews, LogFull
from tests.dnam.discord.stage import bot_in, events, garden, idle, shown


async def asked(*_: object) -> None:
    """Where nobody is to be asked."""
    raise AssertionError("what is configured was looked up")


def full(_: object) -> None:
    raise LogFull("the disk is full")


async def test_what_is_configured_is_not_looked_up_before_a_message_is_recorded(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        await here.guild_owner.says(here.general, "!memory config set here respond_mode=all")
        await idle(world, bot)
        before = len(shown(world, here.general))
        with patch.object(Desk, "config", asked):
            await here.kim.says(here.general, "in the open")
            await idle(world, bot)
        assert shown(world, here.general)[before:] == ["yes"]
        assert [each.message.addressed for each in events(bot, MessageHeard)] == [True]


@pytest.mark.parametrize(("mode", "answers"), [("all", ["yes"]), ("none", [])])
async def test_one_that_cannot_be_recorded_is_judged_by_a_look_and_recorded_as_it_was_judged_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, answers: list[str]
) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, respond_mode=mode) as bot:
        monkeypatch.setattr(bot.desk.memory.engine, "hand_in", full)
        await here.kim.says(here.general, "while it is full")
        await idle(world, bot)
        assert shown(world, here.general) == answers
        monkeypatch.undo()
        with patch.object(Desk, "respond_mode", lambda *_: "all" if mode == "none" else "none"):
            assert await bot.desk.unwritten.again()
        assert [each.message.addressed for each in events(bot, MessageHeard)] == [bool(answers)]


@pytest.mark.parametrize(("mode", "answers"), [("all", ["yes"]), ("none", [])])
async def test_what_is_configured_and_cannot_be_read_keeps_nothing_from_being_recorded(
    tmp_path: Path, mode: str, answers: list[str]
) -> None:
    """Then the settings decide."""

    def damaged(*_: object) -> str:
        raise DamagedViews("a row of config is damaged")

    async with garden() as (world, here), bot_in(world, tmp_path, respond_mode=mode) as bot:
        with patch.object(Desk, "respond_mode", damaged):
            await here.kim.says(here.general, "in the open")
            await idle(world, bot)
        assert shown(world, here.general) == answers
        assert [each.message.addressed for each in events(bot, MessageHeard)] == [bool(answers)]
        assert not bot.desk.unwritten
