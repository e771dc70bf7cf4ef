"""What goes wrong between the bot and Discord, or between the bot and its memory, and what is said all the same."""

from pathlib import Path
from typing import Any

import pytest

from dnam.adapters.discord import cog
from dnam.adapters.discord.answering import TAKEN_BACK
from dnam.adapters.discord.appearing import NOTHING_SAID, UNFINISHED
from dnam.adapters.discord.directs import Directs
from dnam.commands.command import NOTED
from dnam.exchange import Exchange
from dnam.whereabouts import Heard
from projections.decisions.hear import HeardRequest
from projections.errors import BadRequest
from projections.events import (
    JobFailed,
    MessageDeleted,
    MessageHeard,
    PlaceAudienceChanged,
    TurnAnswered,
    TurnDelivered,
    TurnFailed,
    TurnWithdrawn,
)
from projections.ids import Ref
from replay.errors import LogFull
from tests.dnam.discord.stage import Edits, Garden, Writing, bot_in, events, garden, heard, idle, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import World
from tests.loopback.discord.permissions import NONE


async def test_an_answer_that_was_deleted_while_it_was_written_is_said_anew(tmp_path: Path) -> None:
    model = Writing("Roses", "Roses are red.")
    async with garden() as (world, here), bot_in(world, tmp_path, model, pause=Edits()) as bot:
        await here.kim.says(here.general, "tell me", mention=world.bot)
        await world.until(lambda: shown(world, here.general) == [f"Roses{UNFINISHED}"], "the beginning to be shown")
        await here.guild_owner.deletes(world.bot_messages(here.general)[0])
        model.go.set()
        await idle(world, bot)
        assert shown(world, here.general) == ["Roses are red."]
        (delivered,) = events(bot, TurnDelivered)
        assert isinstance(delivered, TurnDelivered)
        assert delivered.messages == (Ref("discord", str(world.bot_messages(here.general)[0].id)),)


async def test_a_question_that_is_deleted_meanwhile_is_not_answered(tmp_path: Path) -> None:
    model = Writing("Roses", "Roses are red.")
    async with garden() as (world, here), bot_in(world, tmp_path, model, pause=Edits()) as bot:
        asked = await here.kim.says(here.general, "tell me", mention=world.bot)
        waiting = await here.kim.says(here.general, "and tulips?", mention=world.bot)
        await world.until(lambda: shown(world, here.general) == [f"Roses{UNFINISHED}"], "the beginning to be shown")
        await here.kim.deletes(waiting)
        await here.kim.deletes(asked)
        await idle(world, bot)
        assert shown(world, here.general) == []
        assert (len(model.asks), heard(bot), events(bot, TurnAnswered, TurnDelivered)) == (1, [], [])
        (failed,) = events(bot, TurnFailed)
        assert isinstance(failed, TurnFailed)
        assert (failed.error, failed.told) == (TAKEN_BACK, "")
        model.go.set()
        await here.kim.says(here.general, "tell me now", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == ["Roses are red."]


async def test_a_question_that_is_deleted_while_it_is_recorded_is_asked_of_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        memory = bot.desk.memory
        recorded = memory.hear_ready

        async def recorded_and_deleted(request: HeardRequest, *rest: Any) -> Heard:
            heard_now = await recorded(request, *rest)
            await here.kim.deletes(asked)
            await world.gateway.flushed()
            return heard_now

        monkeypatch.setattr(memory, "hear_ready", recorded_and_deleted)
        asked = await here.kim.says(here.general, "tell me", mention=world.bot)
        await idle(world, bot)
        assert (shown(world, here.general), model.asks, heard(bot), len(events(bot, TurnFailed))) == ([], [], [], 1)


async def test_a_question_that_is_deleted_before_the_answer_is_sent_gets_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            memory_cog = bot.get_cog("Memory")
            assert isinstance(memory_cog, cog.MemoryCog)
            exchanges = memory_cog.hearing.exchanges
            recorded = exchanges.answered

            async def recorded_and_deleted(exchange: Exchange) -> None:
                await recorded(exchange)
                await here.kim.deletes(asked)
                await world.gateway.flushed()

            monkeypatch.setattr(exchanges, "answered", recorded_and_deleted)
            asked = await here.kim.says(here.general, "tell me", mention=world.bot)
            await idle(world, bot)
            assert (shown(world, here.general), len(events(bot, TurnWithdrawn))) == ([], 1)
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, here.general) == []
            assert events(bot, TurnDelivered) == []


async def test_what_was_asked_wrongly_quotes_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with garden() as (world, _), bot_in(world, tmp_path) as bot:
        await bot.desk.failed("a try", BadRequest("'marzipan' is no key"))
        await bot.desk.failed("a try", LogFull("the disk is full"))
        jobs = [each.error for each in events(bot, JobFailed)]
        assert jobs == ["BadRequest", "the disk is full"]
    assert "a try failed: BadRequest" in caplog.text
    assert "marzipan" not in caplog.text


async def test_a_model_without_words_says_nothing_in_words(tmp_path: Path) -> None:
    model = ScriptedModel({"answer": lambda _: "  "})
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        await here.kim.says(here.general, "well?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == [NOTHING_SAID]


async def test_without_being_allowed_to_type_it_answers(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        world.fail("POST", f"/channels/{here.general.id}/typing", status=403)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == ["yes"]


async def test_what_cannot_be_read_back_is_no_reason_to_be_silent(tmp_path: Path) -> None:
    async with garden() as (world, here):
        await here.kim.says(here.general, "before you came")
        await here.kim.says(here.cellar, "before you came")
        world.fail("GET", f"/channels/{here.general.id}/messages", status=400, times=2)
        world.fail("GET", f"/channels/{here.cellar.id}/messages", status=403)
        async with bot_in(world, tmp_path) as bot:
            (failed,) = events(bot, JobFailed)
            assert isinstance(failed, JobFailed)
            assert (failed.job, failed.error) == ("discord read-back", "HTTPException: status 400, code 0")
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await here.kim.says(here.cellar, "roses?", mention=world.bot)
            await idle(world, bot)
            assert shown(world, here.general) == shown(world, here.cellar) == ["yes"]
            assert heard(bot) == ["@marcy roses?"] * 2
            await here.kim.says(here.general, "thanks")
            await idle(world, bot)
            assert sorted(heard(bot)) == ["@marcy roses?", "@marcy roses?", "before you came", "thanks"]


async def test_a_dm_that_was_forgotten_is_looked_up_when_something_is_deleted_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            secret = await here.kim.says(here.kim.dm, "a secret")
            await idle(world, bot)
        monkeypatch.setattr(Directs, "read_back", lambda _: None)
        async with bot_in(world, tmp_path) as bot:
            await here.kim.deletes(secret)
            await idle(world, bot)
            assert heard(bot) == []
            assert len(events(bot, MessageDeleted)) == 1


async def test_when_everyone_s_role_changes_all_channels_are_compared(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        await here.kim.says(here.general, "in the open")
        await here.kim.says(here.cellar, "not so open")
        await idle(world, bot)
        close(world, here)
        await idle(world, bot)
        (changed,) = events(bot, PlaceAudienceChanged)
        assert isinstance(changed, PlaceAudienceChanged)
        assert (changed.place.key, changed.audience.kind) == (str(here.general.id), "channel")


def close(world: World, here: Garden) -> None:
    """From now on @everyone can do nothing in the guild."""
    here.guild.everyone.permissions = NONE
    world.state.changed_role(here.guild, here.guild.everyone)


async def test_a_change_that_could_not_be_recorded_is_compared_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise LogFull("the disk is full")

    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        await here.kim.says(here.general, "in the open")
        await idle(world, bot)
        monkeypatch.setattr(bot.desk.memory.engine, "hand_in", full)
        close(world, here)
        await idle(world, bot)
        monkeypatch.undo()
        assert events(bot, PlaceAudienceChanged) == []
        await here.guild_owner.says(here.general, "and now?")
        await idle(world, bot)
        assert len(events(bot, PlaceAudienceChanged)) == 1


async def test_a_memory_that_cannot_be_read_is_no_reason_to_be_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise LogFull("the disk is gone")

    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        await here.kim.says(here.general, "hello")
        await idle(world, bot)
        monkeypatch.setattr(bot.desk.memory, "look_here", broken)
        monkeypatch.setattr(bot.desk.memory.engine, "hand_in", broken)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await here.kim.says(here.general, "!memory show")
        await idle(world, bot)
        told = f"The memory cannot be asked just now, and nothing was done. {NOTED}"
        assert shown(world, here.general) == ["yes", told]
        monkeypatch.undo()
        await bot.desk.unwritten.again()
        assert heard(bot) == ["hello", "@marcy roses?"]


async def test_a_bot_that_is_new_in_a_guild_reads_it_back(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, allow_guilds=str(here.guild.id)) as bot:
        forest = world.guild("Forest", here.kim, bot=None)
        clearing = forest.channel("clearing")
        await here.kim.says(clearing, "before you came")
        forest.add(world.bot)
        await world.until(lambda: world.requests("GET", f"/channels/{clearing.id}/messages"), "it to read back")
        await idle(world, bot)
        (message,) = events(bot, MessageHeard)
        assert isinstance(message, MessageHeard)
        assert message.message.text == "before you came"


async def test_an_answer_that_may_not_be_sent_keeps_nothing_from_being_heard(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            world.fail("POST", f"/channels/{here.general.id}/messages", status=403)
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await idle(world, bot)
        await here.kim.says(here.general, "anybody there?")
        world.fail("POST", f"/channels/{here.general.id}/messages", status=403)
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, here.general) == []
            assert heard(bot) == ["@marcy roses?", "anybody there?"]
            jobs = [each.job for each in events(bot, JobFailed)]
            assert jobs == ["discord message", "discord delivery"]
        async with bot_in(world, tmp_path):
            assert shown(world, here.general) == ["yes"]
