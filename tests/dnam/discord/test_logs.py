"""The bot's log of a conversation in which things go wrong: it tells of them, and of nothing that anybody said."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dnam.logs import logging_to
from dnam.model import Ask, ModelDown
from replay.errors import LogFull, Refused
from tests.dnam.discord.stage import bot_in, garden, idle
from tests.dnam.scripted import ScriptedModel, settings

WORDS = ("marzipan", "velocipede", "harpsichord", "clavichord")


def answer(ask: Ask) -> str:
    if "velocipede" in ask.prompt:
        raise ModelDown("the service is down")
    return "harpsichord"


async def test_none_of_its_words_are_in_the_log(tmp_path: Path) -> None:
    stream = io.StringIO()
    model = ScriptedModel({"answer": answer, "extraction": lambda _: "clavichord", "summary": lambda _: ""})
    with logging_to(settings(log_level="debug", log_format="json"), stream):
        async with (
            garden() as (world, here),
            bot_in(world, tmp_path, model, summary_every_n_turns="1", durable_every_n_turns="1") as bot,
        ):
            await here.kim.says(here.general, "I like marzipan", mention=world.bot)
            await idle(world, bot)
            world.fail("POST", f"/channels/{here.general.id}/messages", status=403)
            await here.kim.says(here.general, "and more marzipan", mention=world.bot)
            await idle(world, bot)
            await here.kim.says(here.general, "and my velocipede", mention=world.bot)
            await idle(world, bot)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert any(line["logger"].startswith("dnam") and line["level"] == "warning" for line in lines)
    assert [word for word in WORDS if word in stream.getvalue()] == []
    assert world.token not in stream.getvalue()


async def test_it_tells_what_waits_what_is_lost_and_what_fails_behind_the_answers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(_: Ask) -> str:
        raise RuntimeError("marzipan")

    model = ScriptedModel({"extraction": wrong})
    async with garden() as (world, here), bot_in(world, tmp_path, model, durable_every_n_turns="1") as bot:
        await here.kim.says(here.general, "I like marzipan", mention=world.bot)
        await idle(world, bot)
        for error in (LogFull("the disk is full"), Refused("it was erased")):
            with monkeypatch.context() as patch:
                patch.setattr(bot.desk.memory.engine, "hand_in", _raising(error))
                await here.kim.says(here.general, "and more marzipan")
                await idle(world, bot)
            assert await bot.desk.unwritten.again()
        bot.desk.assistant.failures.append("summary: I like marzipan")
    told = [each.getMessage() for each in caplog.records if each.name.startswith("dnam")]
    assert told == [
        "extraction failed; `dnam log` says why",
        "what is said cannot be recorded, and waits: the disk is full",
        "what waited to be recorded is recorded",
        "this can never be recorded: message: it was erased",
        "summary failed; `dnam log` says why",
    ]


def _raising(error: Exception) -> Callable[[object], None]:
    def fail(_: object) -> None:
        raise error

    return fail
