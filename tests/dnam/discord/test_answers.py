"""How the bot answers: in order, while it is written, in parts, and when something is in its way."""

import asyncio
from pathlib import Path

import pytest

from dnam.adapters.discord import cog
from dnam.adapters.discord.appearing import UNFINISHED
from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.later import AGAIN_SECONDS
from dnam.memory import Memory
from dnam.model import Ask, ModelDown
from dnam.unwritten import RETRY_SECONDS
from projections.decisions.draft import Decision
from projections.events import (
    JobFailed,
    MessageHeard,
    PlaceAudienceChanged,
    TurnAnswered,
    TurnDelivered,
    TurnFailed,
)
from replay.errors import LogFull
from replay.group import Recorded
from tests.dnam.discord.stage import Edits, Garden, Writing, bot_in, events, garden, heard, idle, shown, until
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Channel, Permission, World


async def test_a_session_is_in_order_and_sessions_do_not_wait_for_each_other(tmp_path: Path) -> None:
    model = Writing("", "done")
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        await here.kim.says(here.general, "one", mention=world.bot)
        await here.ada.says(here.general, "two", mention=world.bot)
        await here.kim.says(here.cellar, "three", mention=world.bot)
        await model.was_asked(2)
        assert sorted(ask.prompt.splitlines()[-1] for ask in model.asks) == ["@marcy one", "@marcy three"]
        model.go.set()
        await idle(world, bot)
        assert [each.reference and each.reference.author for each in world.bot_messages(here.general)] == [
            here.kim,
            here.ada,
        ]
        assert not len(bot.desk.sessions)


def everybody(bot: DnamBot, world: World, here: Garden) -> str:
    """What calls everybody, Ada and a role, where the bot may call whom it wants, and forbids itself nothing."""
    bot.allowed_mentions = None
    here.guild.permit(here.general, world.bot, allow=Permission.MENTION_EVERYONE)
    return f"@everyone {here.ada.mention} {here.guild.role('gardeners', Permission.VIEW_CHANNEL, here.ada).mention}"


def called(world: World, channel: Channel) -> list[object]:
    """Whom the bot's messages in a channel call, one after the other."""
    said = [each.said for each in world.bot_messages(channel)]
    return [who for each in said for who in (*each.mentions, *each.mention_roles, *["all"] * each.mention_everyone)]


async def test_a_long_answer_comes_in_parts_and_calls_nobody(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        paragraph = f"{everybody(bot, world, here)} roses are red. " * 20
        model.scripts["answer"] = lambda _: f"{paragraph}\n\n{paragraph}"
        await here.kim.says(here.general, "tell me", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == [paragraph.strip(), paragraph.strip()]
        assert called(world, here.general) == [here.kim]
        (delivered,) = events(bot, TurnDelivered)
        assert isinstance(delivered, TurnDelivered)
        assert [each.key for each in delivered.messages] == [str(each.id) for each in world.bot_messages(here.general)]


async def test_an_answer_grows_while_it_is_written(tmp_path: Path) -> None:
    model = Writing("Roses", "")
    async with garden() as (world, here), bot_in(world, tmp_path, model, pause=Edits()) as bot:
        model.whole = f"Roses are red, {everybody(bot, world, here)}."
        await here.kim.says(here.general, "tell me", mention=world.bot)
        await world.until(lambda: shown(world, here.general) == [f"Roses{UNFINISHED}"], "the beginning to be shown")
        assert world.requests("POST", f"/channels/{here.general.id}/typing")
        assert events(bot, TurnAnswered) == []
        model.go.set()
        await idle(world, bot)
        assert shown(world, here.general) == [model.whole]
        assert called(world, here.general) == [here.kim]
        (turn,) = events(bot, TurnAnswered)
        assert isinstance(turn, TurnAnswered)
        assert world.bot_messages(here.general)[0].nonce == turn.nonce


async def test_code_that_grows_is_code_all_along(tmp_path: Path) -> None:
    whole = "Here:\n```python\nprint(1)\n```\nDone."
    model = Writing(whole[:24], whole)
    async with garden() as (world, here), bot_in(world, tmp_path, model, pause=Edits()) as bot:
        await here.kim.says(here.general, "tell me", mention=world.bot)
        begun = f"Here:\n```python\nprint(1)\n```{UNFINISHED}"
        await world.until(lambda: shown(world, here.general) == [begun], "the beginning to be shown")
        model.go.set()
        await idle(world, bot)
        assert shown(world, here.general) == [whole]


async def test_without_a_model_it_says_so_and_the_turn_failed(tmp_path: Path) -> None:
    def gone(_: Ask) -> str:
        raise ModelDown("529")

    model = ScriptedModel({"answer": gone})
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        asked = await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        world.redeliver(asked)
        await idle(world, bot)
        assert shown(world, here.general) == [ModelDown.words]
        (failed,) = events(bot, TurnFailed)
        assert isinstance(failed, TurnFailed)
        assert (failed.error, failed.told) == ("529", ModelDown.words)
        assert events(bot, TurnAnswered) == []


async def test_a_full_log_stops_no_answer_and_is_written_once_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise LogFull("the disk is full")

    passed = asyncio.Event()

    async with garden() as (world, here), bot_in(world, tmp_path, pause=until(passed, RETRY_SECONDS)) as bot:
        await here.kim.says(here.general, "hello")
        await idle(world, bot)
        monkeypatch.setattr(bot.desk.memory.engine, "hand_in", full)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == ["yes"]
        assert str(bot.desk.unwritten) == "1 message, 1 answer"
        monkeypatch.undo()
        bot.desk.memory.watchers.append(lambda _: world.changed())
        passed.set()
        await world.until(lambda: events(bot, TurnDelivered), "it to be written by itself")
        assert heard(bot) == ["hello", "@marcy roses?"]
        assert len(events(bot, TurnDelivered)) == 1


async def test_what_discord_refuses_is_an_event_and_ends_nothing(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        world.fail("POST", f"/channels/{here.general.id}/messages", status=403)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == []
        (failed,) = events(bot, JobFailed)
        assert isinstance(failed, JobFailed)
        assert failed.job == "discord message"
        await here.kim.says(here.general, "and tulips?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == ["yes", "yes"]  # the first one was still on its way
        first = world.bot_messages(here.general)[0].reference
        assert first is not None
        assert first.content.endswith("roses?")


async def test_what_could_not_be_sent_is_tried_once_more_after_a_while(tmp_path: Path) -> None:
    passed = asyncio.Event()

    async with garden() as (world, here), bot_in(world, tmp_path, pause=until(passed, AGAIN_SECONDS)) as bot:
        world.fail("POST", f"/channels/{here.general.id}/messages", status=400)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == []
        passed.set()
        await world.until(lambda: shown(world, here.general) == ["yes"], "the answer to be sent after all")


async def test_a_text_command_is_obeyed_and_not_heard(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        everybody(bot, world, here)
        await here.kim.says(here.general, "!memory remember @everyone: I like roses")
        await here.kim.says(here.general, "!memory show", mention=world.bot)
        await idle(world, bot)
        first, second = shown(world, here.general)
        assert first.startswith("Remembered: @everyone: I like roses")
        assert "@everyone: I like roses" in second
        assert called(world, here.general) == [here.kim, here.kim]
        assert events(bot, MessageHeard) == []


async def test_when_it_is_told_to_end_it_finishes_the_answer_and_takes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cog, "CLOSING_SECONDS", 600.0)
    model = Writing("", "done")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model) as bot:
            await here.kim.says(here.general, "one", mention=world.bot)
            await model.was_asked()
            ending = asyncio.create_task(bot.close())
            await world.gateway.flushed()
            await here.kim.says(here.general, "two", mention=world.bot)
            await world.gateway.flushed()
            model.go.set()
            await ending
            assert shown(world, here.general) == ["done"]
            assert len(events(bot, TurnDelivered)) == 1
        async with bot_in(world, tmp_path, model):
            assert shown(world, here.general) == ["done", "done"]


async def test_where_more_can_read_than_the_log_can_be_told_it_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(here.cellar, "a secret", mention=world.bot)
            await idle(world, bot)
        here.cellar.overwrites = []
        real = Memory.submit

        def full(self: Memory, decision: Decision) -> asyncio.Future[Recorded]:
            if decision.__qualname__.startswith("Audiences."):
                raise LogFull("the disk is full")
            return real(self, decision)

        monkeypatch.setattr(Memory, "submit", full)
        model = ScriptedModel()
        async with bot_in(world, tmp_path, model) as bot:
            await here.ada.says(here.cellar, "what did Kim say?", mention=world.bot)
            await idle(world, bot)
            assert shown(world, here.cellar) == ["yes"]
            monkeypatch.undo()
            await here.ada.says(here.cellar, "and now?", mention=world.bot)
            await idle(world, bot)
            assert len(events(bot, PlaceAudienceChanged)) == 1
            assert "a secret" not in model.asks[-1].prompt
