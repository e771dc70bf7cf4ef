"""What the assistant replied to somebody who opted out is not read back as words of its own."""

import asyncio
from pathlib import Path

import pytest

from dnam.consenting import consent
from dnam.memory import Memory
from projections.decisions.meet import Account
from projections.events import MessageHeard
from projections.ids import NOBODY
from tests.dnam.discord.stage import Garden, bot_in, events, garden, heard, idle, opt_out, shown
from tests.dnam.scripted import FakeClock, ScriptedModel, settings
from tests.loopback.discord import World

SHORT = "You said: my tea is black. "
LONG = SHORT * 180


def model(text: str) -> ScriptedModel:
    return ScriptedModel({"answer": lambda _: text})


async def asked(world: World, here: Garden, parts: int) -> None:
    """Kim asks, and the answer arrives in so many parts."""
    before = len(shown(world, here.general))
    await here.kim.says(here.general, "what of my tea?", mention=world.bot)
    await world.until(lambda: len(shown(world, here.general)) >= before + parts, "sent")


async def test_a_long_answer_that_was_never_noted_as_arrived_is_nobody_s_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model(LONG), dies=True) as bot:
            await here.ada.says(here.general, "hello")
            await idle(world, bot)
            await opt_out(bot, here.kim)
            with monkeypatch.context() as patched:
                patched.setattr(Memory, "delivered", lambda *_, **__: asyncio.Event().wait())
                await asked(world, here, 3)
        async with bot_in(world, tmp_path) as bot:
            await idle(world, bot)
            assert heard(bot) == ["hello"]


@pytest.mark.parametrize(("text", "parts"), [(SHORT, 1), (LONG, 3)])
async def test_old_replies_are_not_heard_in_a_new_folder_where_whoever_they_are_to_opted_out(
    tmp_path: Path, text: str, parts: int
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path / "old", model(text)) as bot:
            await here.ada.says(here.general, "hello")
            await asked(world, here, parts)
            await idle(world, bot)
        async with bot_in(world, tmp_path / "told") as bot:
            await idle(world, bot)
            assert len(events(bot, MessageHeard)) == 2 + parts, "who has not opted out is heard, and answered"
        async with Memory.open(tmp_path / "new", settings=settings(), clock=FakeClock()) as memory:
            await consent(memory, NOBODY, (Account("discord", str(here.kim.id)),), out=True)
        async with bot_in(world, tmp_path / "new") as bot:
            await here.ada.says(here.general, "hello again")
            await idle(world, bot)
            assert heard(bot) == ["hello", "hello again"]


async def test_what_answered_a_message_that_is_gone_is_not_heard(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path / "old", model(LONG)) as bot:
            await here.ada.says(here.general, "hello")
            question = await here.kim.says(here.general, "what of my tea?", mention=world.bot)
            await world.until(lambda: len(shown(world, here.general)) == 3, "sent")
            await idle(world, bot)
        await here.kim.deletes(question)
        async with bot_in(world, tmp_path / "new") as bot:
            await here.ada.says(here.general, "hello again")
            await idle(world, bot)
            assert heard(bot) == ["hello", "hello again"]
