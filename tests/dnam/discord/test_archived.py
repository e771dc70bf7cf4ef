"""Threads that were archived while the bot was away: what is left to do there is done when it is back."""

from pathlib import Path

import pytest

from dnam.adapters.discord.appearing import UNFINISHED
from dnam.adapters.discord.archived import AT_ONCE
from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.clearing import MISSED
from dnam.adapters.discord.cog import MemoryCog
from projections.events import JobFailed, MessageDeleted, MessageHeard, TurnAnswered, TurnDelivered
from projections.ids import MINUTE_MS
from replay.errors import DamagedViews
from tests.dnam.discord.stage import Edits, Timed, Writing, bot_in, events, garden, heard, idle, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import ChannelKind, Permission, World
from tests.loopback.discord.threads import archive, end

DAY_MS = 24 * 60 * MINUTE_MS


def passes(world: World, ms: int) -> None:
    """So much time."""
    assert isinstance(world, Timed)
    world.clock.time += ms


def memory_cog(bot: DnamBot) -> MemoryCog:
    cog = bot.get_cog(MemoryCog.__cog_name__)
    assert isinstance(cog, MemoryCog)
    return cog


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


async def test_one_in_which_nothing_is_left_to_do_is_read_back_once(tmp_path: Path) -> None:
    """Words may be gone from it, of which nobody told the bot while it was away."""
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            thread = await here.kim.begins_thread(here.general, "tulips")
            await here.kim.says(thread, "roses?", mention=world.bot)
            await idle(world, bot)
        archive(world.state, thread)
        asked = len(world.requests("GET", f"/channels/{thread.id}/messages"))
        async with bot_in(world, tmp_path) as bot:
            assert len(world.requests("GET", f"/channels/{thread.id}/messages")) == asked + 1
            await world.gateway.drop()
            await world.ready()
            await idle(world, bot)
            assert len(world.requests("GET", f"/channels/{thread.id}/messages")) == asked + 1


async def test_words_that_were_deleted_in_one_meanwhile_are_told_nobody(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            thread = await here.kim.begins_thread(here.general, "tulips")
            secret = await here.kim.says(thread, "my favourite flower is the blue gentian, since my divorce")
            for number in range(25):
                await here.ada.says(thread, f"something else {number}")
            await idle(world, bot)
        passes(world, 2 * DAY_MS)
        await here.kim.deletes(secret)
        archive(world.state, thread)
        async with bot_in(world, tmp_path, model) as bot:
            await here.ada.says(here.general, "what is the favourite flower of Kim? gentian?", mention=world.bot)
            await idle(world, bot)
            assert "divorce" not in model.asked("answer")[-1].prompt
            assert "divorce" not in " ".join(heard(bot))
            assert len(events(bot, MessageDeleted)) == 1


async def test_no_more_than_a_few_are_read_back_at_a_time(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        threads = [await here.kim.begins_thread(here.general, f"t{each}") for each in range(AT_ONCE + 2)]
        for each in threads:
            await here.kim.says(each, f"in {each.name}")
        await idle(world, bot)
        for each in threads:
            archive(world.state, each)
        await world.gateway.flushed()
        held = [world.slow("GET", f"/channels/{each.id}/messages") for each in threads]
        memory_cog(bot).hearing.catching_up.connected()
        memory_cog(bot).clearing.compare(bot.guilds[0])
        await world.until(lambda: sum(gate.met for gate in held) == AT_ONCE, "some to be read")
        await bot.desk.sessions.passed(MISSED)
        assert sum(gate.met for gate in held) == AT_ONCE
        for gate in held:
            gate.open()
        await idle(world, bot)
        assert sum(gate.met for gate in held) == len(threads)


async def test_one_that_is_opened_again_is_read_back(tmp_path: Path) -> None:
    """Also where nobody had a word of it: the bot was away when it began, and it was archived long ago."""
    async with garden() as (world, here):
        thread = await here.kim.begins_thread(here.general, "tulips")
        await here.kim.says(thread, "tulips need sun")
        archive(world.state, thread)
        passes(world, 2 * DAY_MS)
        async with bot_in(world, tmp_path) as bot:
            assert heard(bot) == []
            archive(world.state, thread, archived=False)
            await idle(world, bot)
            assert heard(bot) == ["tulips need sun"]
            read = len(world.requests("GET", f"/channels/{thread.id}/messages"))
            archive(world.state, thread)
            archive(world.state, thread, archived=False)
            await idle(world, bot)
            assert len(world.requests("GET", f"/channels/{thread.id}/messages")) == read


async def test_what_is_asked_in_one_that_was_archived_before_the_bot_was_back_is_answered(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            thread = await here.kim.begins_thread(here.general, "tulips")
            await here.kim.says(thread, "hello", mention=world.bot)
            await idle(world, bot)
        await here.kim.says(thread, "and when do I plant them?", mention=world.bot)
        began_meanwhile = await here.kim.begins_thread(here.general, "lilies")
        await here.kim.says(began_meanwhile, "and these?", mention=world.bot)
        for each in (thread, began_meanwhile):
            archive(world.state, each)
        passes(world, DAY_MS // 2)
        async with bot_in(world, tmp_path) as bot:
            assert (shown(world, thread), shown(world, began_meanwhile)) == (["yes", "yes"], ["yes"])
            assert events(bot, JobFailed) == []


async def test_so_is_what_is_asked_in_a_new_post_of_a_forum(tmp_path: Path) -> None:
    async with garden() as (world, here):
        forum = here.guild.channel("help", ChannelKind.FORUM)
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(await here.kim.begins_thread(forum, "tulips"), "they droop")
            await idle(world, bot)
        post = await here.kim.begins_thread(forum, "lilies")
        await here.kim.says(post, "and these?", mention=world.bot)
        archive(world.state, post)
        async with bot_in(world, tmp_path):
            assert shown(world, post) == ["yes"]


async def test_of_one_that_was_archived_long_ago_or_holds_nothing_new_nobody_reads(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(here.general, "hello")
            await idle(world, bot)
        old = await here.kim.begins_thread(here.general, "tulips")
        await here.kim.says(old, "when do I plant them?", mention=world.bot)
        archive(world.state, old)
        passes(world, DAY_MS + 1)
        bare = await here.kim.begins_thread(here.general, "lilies")
        archive(world.state, bare)
        async with bot_in(world, tmp_path) as bot:
            assert (shown(world, old), heard(bot)) == ([], ["hello"])
            assert [len(world.requests("GET", f"/channels/{each.id}/messages")) for each in (old, bare)] == [0, 0]


async def test_of_a_channel_that_does_not_tell_its_archived_threads_another_one_does(tmp_path: Path) -> None:
    async with garden() as (world, here):
        porch, hall = here.guild.channel("porch"), here.guild.channel("hall")
        async with bot_in(world, tmp_path) as bot:
            for each in (here.general, porch, hall):
                await here.kim.says(each, "hello")
            await idle(world, bot)
        thread = await here.kim.begins_thread(hall, "tulips")
        await here.kim.says(thread, "when do I plant them?", mention=world.bot)
        archive(world.state, thread)
        listing = "/channels/{}/threads/archived/public"
        world.fail("GET", listing.format(here.general.id), 403, code=50001)
        world.fail("GET", listing.format(porch.id), 400, code=50035)
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, thread) == ["yes"]
            assert [each.job for each in events(bot, JobFailed)] == ["discord looking for archived threads"]


async def test_told_to_end_it_looks_for_no_more_of_them(tmp_path: Path) -> None:
    async with garden() as (world, here):
        porch = here.guild.channel("porch")
        async with bot_in(world, tmp_path) as bot:
            for each in (here.general, porch):
                await here.kim.says(each, "hello")
            await idle(world, bot)
            listed = len(world.requests("GET", "/threads/archived/public"))
            gate = world.slow("GET", f"/channels/{here.general.id}/threads/archived/public")
            archived = memory_cog(bot).hearing.archived
            archived.lately(bot.guilds[0])
            await world.until(lambda: gate.met, "the first channel to be looked at")
            archived.close()
            archived.left(bot.guilds[0])
            gate.open()
            await idle(world, bot)
            assert len(world.requests("GET", "/threads/archived/public")) == listed + 1


async def test_where_the_log_cannot_be_read_they_are_not_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: object) -> None:
        raise DamagedViews("a page of the log")

    async with garden() as (world, here):
        monkeypatch.setattr("dnam.adapters.discord.archived.channels_in", damaged)
        async with bot_in(world, tmp_path) as bot:
            assert [each.job for each in events(bot, JobFailed)] == ["discord looking for archived threads"]
            assert world.requests("GET", f"/channels/{here.general.id}/threads/archived/public") == []


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
