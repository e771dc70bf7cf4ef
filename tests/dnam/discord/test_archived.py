"""Threads that were archived while the bot was away: what is left to do there is done when it is back."""

from pathlib import Path

from dnam.adapters.discord.appearing import UNFINISHED
from projections.events import JobFailed, MessageHeard, TurnAnswered, TurnDelivered
from tests.dnam.discord.stage import Edits, Writing, bot_in, events, garden, idle, shown
from tests.loopback.discord import Permission
from tests.loopback.discord.threads import archive, end


async def test_a_question_is_answered(tmp_path: Path) -> None:
    model = Writing("", "too late")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, dies=True):
            thread = await here.kim.begins_thread(here.general, "tulips")
            await here.kim.says(thread, "roses?", mention=world.bot)
            await model.was_asked()
        archive(world.state, thread)
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, thread) == ["yes"]
            assert len(events(bot, MessageHeard)) == len(events(bot, TurnDelivered)) == 1


async def test_an_answer_is_sent(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, dies=True) as bot:
            thread = await here.kim.begins_thread(here.general, "tulips")
            sending = world.slow("POST", f"/channels/{thread.id}/messages")
            await here.kim.says(thread, "roses?", mention=world.bot)
            await world.until(lambda: sending.met, "the answer to be on its way")
            assert len(events(bot, TurnAnswered)) == 1
        archive(world.state, thread)
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, thread) == ["yes"]
            assert len(events(bot, TurnDelivered)) == 1


async def test_an_answer_that_was_begun_goes_on_in_the_same_message(tmp_path: Path) -> None:
    model = Writing("Roses", "too late")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, pause=Edits(), dies=True):
            thread = await here.kim.begins_thread(here.general, "tulips")
            await here.kim.says(thread, "roses?", mention=world.bot)
            await world.until(lambda: shown(world, thread) == [f"Roses{UNFINISHED}"], "the beginning to be shown")
        archive(world.state, thread)
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, thread) == ["yes"]
            assert len(events(bot, TurnDelivered)) == 1


async def test_of_one_in_which_nothing_is_left_to_do_nobody_asks(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            thread = await here.kim.begins_thread(here.general, "tulips")
            await here.kim.says(thread, "roses?", mention=world.bot)
            await idle(world, bot)
        archive(world.state, thread)
        asked = len(world.requests("GET", f"/channels/{thread.id}/messages"))
        async with bot_in(world, tmp_path):
            assert len(world.requests("GET", f"/channels/{thread.id}/messages")) == asked


async def test_one_that_is_gone_is_no_failure(tmp_path: Path) -> None:
    model = Writing("", "too late")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, dies=True):
            thread = await here.kim.begins_thread(here.general, "tulips")
            await here.kim.says(thread, "roses?", mention=world.bot)
            await model.was_asked()
        end(world.state, thread)
        async with bot_in(world, tmp_path) as bot:
            assert events(bot, JobFailed) == []


async def test_one_that_is_hidden_by_now_is_let_be(tmp_path: Path) -> None:
    model = Writing("", "too late")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, dies=True):
            thread = await here.kim.begins_thread(here.general, "tulips")
            await here.kim.says(thread, "roses?", mention=world.bot)
            await model.was_asked()
        archive(world.state, thread)
        here.guild.permit(here.general, world.bot, deny=Permission.VIEW_CHANNEL)
        async with bot_in(world, tmp_path) as bot:
            assert (shown(world, thread), events(bot, JobFailed)) == ([], [])
