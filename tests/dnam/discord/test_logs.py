"""The bot's log of a conversation in which things go wrong: it tells of them, and of nothing that anybody said."""

import io
import json
from pathlib import Path

from dnam.logs import logging_to
from dnam.model import Ask, ModelDown
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
