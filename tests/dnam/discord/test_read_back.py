"""What is answered of what was missed: only what nobody had judged yet, and what was found to be answered before."""

import asyncio
from dataclasses import replace
from pathlib import Path

import discord
import pytest

from dnam.adapters.discord import catching_up, history, translate
from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.catching_up import AWAITED_MS
from dnam.adapters.discord.cog import MemoryCog
from dnam.exchange import Exchange, Exchanges
from projections.decisions.hear import HeardRequest
from projections.events import ConfigSet, MessageHeard
from projections.ids import Ref
from tests.dnam.discord.stage import Garden, Timed, Writing, bot_in, events, garden, heard, idle, opt_out, shown
from tests.loopback.discord import Channel, Message, Permission, World, talk
from tests.loopback.discord.messages import Said

CHANGES = {
    "from mention to all": ({}, {"respond_mode": "all"}, False),
    "from none to mention": ({"respond_mode": "none"}, {}, True),
    "from none to all": ({"respond_mode": "none"}, {"respond_mode": "all"}, True),
    "from owner to mention": ({"respond_mode": "owner"}, {}, True),
    "on the list now": ({"allow_guilds": "1", "allow_users": ""}, {}, True),
}


@pytest.mark.parametrize("name", CHANGES)
async def test_what_was_not_to_be_answered_is_not_answered_under_other_settings(tmp_path: Path, name: str) -> None:
    before, after, mentions = CHANGES[name]
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, told=before) as bot:
            for text in ("one", "two"):
                await here.kim.says(here.general, text, mention=[world.bot] if mentions else [])
            if "respond_mode" not in before and mentions:  # no mode of channels keeps direct messages from an answer
                await here.kim.says(here.kim.dm, "three")
            await idle(world, bot)
        async with bot_in(world, tmp_path, told=after) as bot:
            assert shown(world, here.general) == shown(world, here.kim.dm) == []
            await here.kim.says(here.general, "four", mention=world.bot)
            await idle(world, bot)
            assert shown(world, here.general) == ["yes"]


async def test_a_command_answers_nothing_old_at_the_next_connection(tmp_path: Path) -> None:
    async with garden() as (world, here):
        told = {"memory_commands_enabled": "1"}
        here.guild.role("gardeners", Permission.MANAGE_GUILD, here.ada)
        async with bot_in(world, tmp_path, told=told) as bot:
            await here.kim.says(here.general, "between us")
            await here.kim.says(here.general, "!memory config set here respond_mode=none")
            await idle(world, bot)
            assert events(bot, ConfigSet) == []
            await here.ada.says(here.general, "!memory config set here respond_mode=all")
            await idle(world, bot)
            replies = shown(world, here.general)
            reconnected(bot)
            await here.kim.says(here.general, "one new message")
            await idle(world, bot)
            assert shown(world, here.general) == [*replies, "yes"]
        await here.kim.says(here.general, "and one that it missed")
        async with bot_in(world, tmp_path, told=told) as bot:
            assert shown(world, here.general) == [*replies, "yes", "yes"]


def reconnected(bot: DnamBot) -> None:
    memory_cog = bot.get_cog("Memory")
    assert isinstance(memory_cog, MemoryCog)
    memory_cog.hearing.catching_up.connected()


async def test_what_was_to_be_answered_still_is(tmp_path: Path) -> None:
    model = Writing("", "too late")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, dies=True, respond_mode="all"):
            await here.kim.says(here.general, "roses?")
            await model.was_asked()
        async with bot_in(world, tmp_path, respond_mode="all") as bot:
            assert shown(world, here.general) == ["yes"]
            assert [each.message.addressed for each in events(bot, MessageHeard)] == [True]


async def test_a_bot_that_is_new_in_a_place_answers_nothing_of_before(tmp_path: Path) -> None:
    async with garden() as (world, here):
        for text in ("more than is read", "one", "two"):
            await here.kim.says(here.general, text)
        told = {"respond_mode": "all", "message_history_count": "2"}
        for _ in range(2):
            async with bot_in(world, tmp_path, told=told) as bot:
                assert shown(world, here.general) == []
                assert heard(bot) == ["one", "two"]
        async with bot_in(world, tmp_path, told=told) as bot:
            await here.kim.says(here.general, "three")
            await idle(world, bot)
            assert shown(world, here.general) == ["yes"]


async def test_what_was_said_to_it_before_it_was_let_in_is_not_answered(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, allow_guilds="") as bot:
        forest = world.guild("Forest", here.kim, bot=None)
        clearing = forest.channel("clearing")
        await here.kim.says(clearing, "where are you?", mention=world.bot)
        forest.add(world.bot)
        await world.until(lambda: world.requests("GET", f"/channels/{clearing.id}/messages"), "it to read back")
        await here.kim.says(clearing, "and now?", mention=world.bot)
        await idle(world, bot)
        assert len(heard(bot)) == 2
        (answer,) = world.bot_messages(clearing)
        assert answer.reference is not None
        assert answer.reference.content.endswith("and now?")


async def test_what_was_said_to_it_while_it_was_away_is_answered_also_where_nothing_was_said_before(
    tmp_path: Path,
) -> None:
    async with garden() as (world, here):
        await here.kim.says(here.general, "are you there?", mention=world.bot)
        async with bot_in(world, tmp_path):
            assert shown(world, here.general) == ["yes"]


@pytest.mark.parametrize("is_reply", [True, False])
async def test_what_an_earlier_bot_of_the_account_spoke_behind_is_not_answered_again(
    tmp_path: Path, is_reply: bool
) -> None:
    """Its answers need not be Discord's replies."""
    async with garden() as (world, here):
        asked = [await here.kim.says(here.general, text, mention=world.bot) for text in ("roses?", "tulips?")]
        spoken = Message(world.state.ids.next(), here.general.id, here.guild.id, world.bot, Said("both"))
        talk.post(world.state, here.general, replace(spoken, reference=asked[-1] if is_reply else None))
        await here.kim.says(here.general, "and lilies?", mention=world.bot)
        async with bot_in(world, tmp_path):
            assert shown(world, here.general) == ["both", "yes"]


async def test_the_first_thing_said_in_a_new_place_is_answered_and_recorded_as_said_to_it(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, respond_mode="all") as bot:
        shed = here.guild.channel("shed")
        await here.kim.says(shed, "hello")
        await idle(world, bot)
        assert shown(world, shed) == ["yes"]
        (message,) = events(bot, MessageHeard)
        assert isinstance(message, MessageHeard)
        assert message.message.addressed


# -- what waits for what -----------------------------------------------------------------------------------------------


async def test_an_answer_that_takes_long_keeps_no_other_place_from_being_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each waits until the other is asked: that it ends is the proof."""
    monkeypatch.setattr(catching_up, "AT_ONCE", 1)
    async with garden() as (world, here):
        model = Writing("", "yes")
        for channel in (here.general, here.cellar):
            await here.kim.says(channel, "roses?", mention=world.bot)
        letting_go = asyncio.create_task(when_asked(model, 2))
        async with bot_in(world, tmp_path, model):
            await letting_go
            assert shown(world, here.general) == shown(world, here.cellar) == ["yes"]


async def when_asked(model: Writing, times: int) -> None:
    await model.was_asked(times)
    model.go.set()


# -- more than a prompt holds ----------------------------------------------------------------------------------------

MANY = 25
"""More than a prompt holds, by the settings' defaults."""


async def asks(world: World, here: Garden, where: Channel, many: int = MANY) -> list[Message]:
    return [await here.kim.says(where, f"question {each}?", mention=world.bot) for each in range(many)]


def unanswered(world: World, where: Channel, questions: list[Message]) -> list[str]:
    answered = [each.reference for each in world.bot_messages(where)]
    return [each.content for each in questions if each not in answered]


async def test_all_that_was_missed_is_heard_and_answered_however_short_the_window(tmp_path: Path) -> None:
    async with garden() as (world, here):
        await here.kim.says(here.general, "before anything was heard")
        async with bot_in(world, tmp_path, message_history_count="1") as bot:
            await here.kim.says(here.general, "hello")
            await idle(world, bot)
        questions = await asks(world, here, here.general)
        async with bot_in(world, tmp_path, message_history_count="1") as bot:
            assert unanswered(world, here.general, questions) == []
            assert heard(bot)[-MANY:] == [f"@marcy question {each}?" for each in range(MANY)]
        async with bot_in(world, tmp_path, message_history_count="1") as bot:
            assert len(world.bot_messages(here.general)) == MANY, "once"
            assert len(events(bot, MessageHeard)) == 2 + MANY


async def test_each_message_is_looked_at_once_for_what_it_replies_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many wait for an answer: they were held against all that was read, one by one."""
    looked: list[int] = []

    def replied_to(message: discord.Message) -> Ref | None:
        looked.append(message.id)
        return translate.replied_to(message)

    async with garden() as (world, here):
        async with bot_in(world, tmp_path):
            pass
        questions = await asks(world, here, here.general, 10)
        monkeypatch.setattr(catching_up, "replied_to", replied_to)
        async with bot_in(world, tmp_path):
            assert unanswered(world, here.general, questions) == []
        assert len(looked) == len(set(looked)) <= len(questions)


async def test_what_is_still_to_be_answered_is_so_also_behind_what_a_prompt_holds(tmp_path: Path) -> None:
    """The first question was heard before the bot was killed, and the others were not."""
    model = Writing("", "yes")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, dies=True) as bot:
            questions = await asks(world, here, here.general)
            await model.was_asked()
            assert heard(bot) == ["@marcy question 0?"]
        async with bot_in(world, tmp_path):
            assert unanswered(world, here.general, questions) == []
            assert len(world.bot_messages(here.general)) == MANY


async def test_more_than_is_read_back_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(history, "MOST_READ", 22)
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(here.general, "hello")
            await idle(world, bot)
        questions = await asks(world, here, here.general)
        async with bot_in(world, tmp_path):
            assert unanswered(world, here.general, questions) == [each.content for each in questions[: MANY - 22]]
        told = f"channel {here.general.id}: more was said while the bot was away than its last 22 messages"
        assert told in caplog.text
        caplog.clear()
        async with bot_in(world, tmp_path):
            assert "while the bot was away" not in caplog.text


async def test_a_place_that_began_while_the_bot_was_away_is_read_as_far_as_a_prompt_reaches_and_that_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path):
            pass
        shed = here.guild.channel("shed")
        questions = await asks(world, here, shed)
        async with bot_in(world, tmp_path):
            assert unanswered(world, shed, questions) == [each.content for each in questions[: MANY - 20]]
    told = f"channel {shed.id}: more was said while the bot was away than its last 20 messages"
    assert told in caplog.text


async def test_commands_alone_are_nothing_that_was_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor are the bot's replies to them."""
    monkeypatch.setattr(history, "MOST_READ", 22)
    told = {"memory_commands_enabled": "1"}
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, told=told) as bot:
            await here.kim.says(here.general, "hello")
            for _ in range(MANY):
                await here.kim.says(here.general, "!memory show")
            await idle(world, bot)
            assert len(world.bot_messages(here.general)) == MANY
        for _ in range(2):
            async with bot_in(world, tmp_path, told=told) as bot:
                await idle(world, bot)
                assert heard(bot) == ["hello"]
    assert "while the bot was away" not in caplog.text


async def test_commands_alone_that_nobody_replied_to_show_that_more_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """That is told once, though they are heard as little the next time."""
    monkeypatch.setattr(history, "MOST_READ", 22)
    told = {"memory_commands_enabled": "1"}
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, told=told) as bot:
            await here.kim.says(here.general, "hello")
            await idle(world, bot)
        await here.kim.says(here.general, "nobody ever heard this")
        for _ in range(22):
            await here.kim.says(here.general, "!memory show")
        assert isinstance(world, Timed)
        world.clock.time += AWAITED_MS + 1
        async with bot_in(world, tmp_path, told=told) as bot:
            for _ in range(2):
                await idle(world, bot)
                await world.gateway.drop()
                await world.ready()
            await idle(world, bot)
            assert heard(bot) == ["hello"]
    told_of = f"channel {here.general.id}: more was said while the bot was away than its last 22 messages"
    assert caplog.text.count(told_of) == 1


async def test_who_opted_out_left_nothing_out_and_is_not_heard_at_each_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(history, "MOST_READ", 22)
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(here.general, "hello")
            await idle(world, bot)
            await opt_out(bot, here.kim)
            for each in range(MANY):
                await here.kim.says(here.general, f"number {each}")
            await idle(world, bot)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        hearing: list[str] = []
        hear = Exchanges.hear

        async def listening(self: Exchanges, request: HeardRequest, *, to_answer: bool = False) -> Exchange:
            hearing.append(request.text)
            return await hear(self, request, to_answer=to_answer)

        monkeypatch.setattr(Exchanges, "hear", listening)
        for _ in range(2):
            async with bot_in(world, tmp_path) as bot:
                await idle(world, bot)
                assert heard(bot) == ["hello"]
                assert world.bot_messages(here.general) == []
        assert hearing == []
    assert "while the bot was away" not in caplog.text
