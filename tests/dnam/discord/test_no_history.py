"""Where the bot may not read what was said before, Discord takes no reply of it: it answers all the same."""

from pathlib import Path

import pytest

from dnam.adapters.discord import appearing
from projections.events import JobFailed, MessageHeard, TurnAnswered, TurnDelivered
from tests.dnam.discord.stage import Garden, bot_in, events, for_ever, garden, idle, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Permission, World


def closed_book(world: World, here: Garden) -> None:
    here.guild.permit(here.general, world.bot, deny=Permission.READ_MESSAGE_HISTORY)


async def test_a_question_is_answered_once(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        closed_book(world, here)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        (answer,) = world.bot_messages(here.general)
        assert (answer.content, answer.reference) == ("yes", None)
        assert len(model.asks) == len(events(bot, TurnAnswered)) == len(events(bot, TurnDelivered)) == 1
        assert events(bot, JobFailed) == []


async def test_so_is_a_typed_command(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        closed_book(world, here)
        await here.kim.says(here.general, "!memory remember I like roses")
        await idle(world, bot)
        (reply,) = world.bot_messages(here.general)
        assert "I like roses" in reply.content
        assert events(bot, JobFailed) == []


async def test_also_where_nobody_told_of_it_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        monkeypatch.setattr(appearing, "may_read_back", lambda _: True)
        closed_book(world, here)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await here.kim.says(here.general, "!memory show")
        await idle(world, bot)
        assert [each.reference for each in world.bot_messages(here.general)] == [None, None]


async def test_after_a_crash_an_answer_is_sent_under_its_nonce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with garden() as (world, here):
        closed_book(world, here)
        async with bot_in(world, tmp_path, dies=True) as bot:
            monkeypatch.setattr(bot.desk.memory, "delivered", for_ever)
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await world.until(lambda: shown(world, here.general) == ["yes"], "the answer to be there")
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, here.general) == ["yes"]
            assert len(events(bot, TurnDelivered)) == 1


async def test_one_that_never_left_is_sent_at_the_next_start(tmp_path: Path) -> None:
    async with garden() as (world, here):
        closed_book(world, here)
        async with bot_in(world, tmp_path, dies=True):
            sending = world.slow("POST", f"/channels/{here.general.id}/messages")
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await world.until(lambda: sending.met, "the answer to be on its way")
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, here.general) == ["yes"]
            assert len(events(bot, TurnDelivered)) == 1
            assert events(bot, JobFailed) == []


async def test_once_it_may_read_again_its_own_answer_is_nothing_new(tmp_path: Path) -> None:
    async with garden() as (world, here):
        closed_book(world, here)
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await idle(world, bot)
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(here.general, "and tulips")
            await idle(world, bot)
            here.guild.permit(here.general, world.bot)
            await idle(world, bot)
            assert shown(world, here.general) == ["yes"]
            assert [each.message.author for each in events(bot, MessageHeard)] == ["person", "person"]


async def test_what_was_missed_is_read_once_it_may_read_it(tmp_path: Path) -> None:
    async with garden() as (world, here):
        closed_book(world, here)
        await here.kim.says(here.general, "before")
        async with bot_in(world, tmp_path) as bot:
            here.guild.permit(here.general, world.bot)
            await idle(world, bot)
            assert [each.message.text for each in events(bot, MessageHeard)] == ["before"]
