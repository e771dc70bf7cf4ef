"""Edits while the log cannot be written: each counts if its message was heard by then, and else it is none."""

from pathlib import Path

import pytest

from replay.errors import LogFull
from tests.dnam.discord.stage import bot_in, garden, heard, idle


def full(_: object) -> None:
    raise LogFull("the disk is full")


async def test_what_was_never_heard_is_not_heard_by_being_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        command = await here.kim.says(here.general, "!memory remember tea")
        await idle(world, bot)
        monkeypatch.setattr(bot.desk.memory.engine, "hand_in", full)
        waiting = await here.kim.says(here.general, "I like tee")
        await here.kim.edits(command, "the code of my diary is 9")
        await here.kim.edits(waiting, "I like tea")
        await idle(world, bot)
        assert len(bot.desk.unwritten) == 3
        monkeypatch.undo()
        assert await bot.desk.unwritten.again()
        assert heard(bot) == ["I like tea"]
