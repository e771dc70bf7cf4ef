"""Somebody deletes what the bot answered: its words are gone here too, once, and nobody answers again."""

from pathlib import Path

import pytest

from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.directs import Directs
from projections.calls import calls
from projections.events import (
    Event,
    MessageDeleted,
    MessageHeard,
    MessageRedacted,
    TurnAnswered,
    TurnDelivered,
    TurnWithdrawn,
)
from projections.turns import TURNS
from replay import codec
from tests.dnam.discord.stage import Garden, bot_in, events, for_ever, garden, heard, idle, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Message, Permission, talk

PARAGRAPH = "roses are red " * 100


def long_winded() -> ScriptedModel:
    """A model whose answers are two messages."""
    return ScriptedModel({"answer": lambda _: f"{PARAGRAPH}\n\n{PARAGRAPH}end"})


async def moderated(here: Garden, *messages: Message) -> None:
    """Ada may delete everybody's messages, and deletes these."""
    here.guild.role("gardener", Permission.MANAGE_MESSAGES, here.ada)
    await here.ada.deletes(*messages)


def answers(bot: DnamBot) -> list[str]:
    """The words of all answers that stand."""
    with bot.desk.memory.engine.reading() as rows:
        return [found.row.text for found in rows.scan(TURNS)]


def bodies_gone(bot: DnamBot) -> list[str]:
    """The tags of what is in the log without its words."""
    stored = bot.desk.memory.engine.store.log.read(0)
    return [codec.decode_header(each.header).tag for each in stored if each.body is None]


def taken(bot: DnamBot) -> tuple[int, int]:
    """How many answers were withdrawn, in how many redactions."""
    found: list[Event] = events(bot, TurnWithdrawn, MessageRedacted)
    return sum(isinstance(each, TurnWithdrawn) for each in found), sum(
        isinstance(each, MessageRedacted) for each in found
    )


async def test_a_deleted_answer_is_taken_away_and_not_given_again(tmp_path: Path) -> None:
    model = ScriptedModel({"answer": lambda _: "tulips"})
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model) as bot:
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await idle(world, bot)
            await moderated(here, *world.bot_messages(here.general))
            await idle(world, bot)
            assert (answers(bot), taken(bot), bodies_gone(bot)) == ([], (1, 1), [TurnAnswered.TAG])
            with bot.desk.memory.engine.reading() as rows:
                assert [call.work for call in calls(rows)] == ["answer"]
            await here.kim.says(here.general, "and now?", mention=world.bot)
            await idle(world, bot)
            assert "roses?" in model.asks[-1].prompt
            assert "tulips" not in model.asks[-1].prompt
        asks = len(model.asks)
        async with bot_in(world, tmp_path, model) as bot:
            assert shown(world, here.general) == ["tulips"], "the answer to the second question"
            assert (len(model.asks), answers(bot), taken(bot)) == (asks, ["tulips"], (1, 1))
            assert heard(bot) == ["@marcy roses?", "@marcy and now?"]


async def test_many_at_once_go_in_one_decision(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        first = await here.kim.says(here.general, "roses?", mention=world.bot)
        for text in ("tulips?", "daisies?"):
            await here.kim.says(here.general, text, mention=world.bot)
        await idle(world, bot)
        one, other, _ = world.bot_messages(here.general)
        await moderated(here, one, first, other)
        await idle(world, bot)
        assert (answers(bot), taken(bot), len(events(bot, MessageDeleted))) == (["yes"], (2, 1), 1)
        assert bodies_gone(bot) == [MessageHeard.TAG, *[TurnAnswered.TAG] * 2]
        assert heard(bot) == ["@marcy tulips?", "@marcy daisies?"]


async def test_told_twice_it_is_withdrawn_once(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        await moderated(here, *world.bot_messages(here.general))
        await idle(world, bot)
        size = bot.desk.memory.engine.head().size
        world.redeliver(next(each for each in world.gateway.events if each.name == "MESSAGE_DELETE"))
        await idle(world, bot)
        assert (taken(bot), bot.desk.memory.engine.head().size) == ((1, 1), size)


@pytest.mark.parametrize("part", [0, 1])
async def test_any_part_of_an_answer_takes_all_of_it(tmp_path: Path, part: int) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, long_winded()) as bot:
            await here.kim.says(here.general, "tell me", mention=world.bot)
            await idle(world, bot)
            parts = world.bot_messages(here.general)
            assert len(parts) == 2
            await moderated(here, parts[part])
            await idle(world, bot)
            assert (answers(bot), taken(bot)) == ([], (1, 1))
        async with bot_in(world, tmp_path) as bot:
            assert world.bot_messages(here.general) == [parts[1 - part]], "nothing is sent in its place"
            assert (answers(bot), taken(bot), heard(bot)) == ([], (1, 1), ["@marcy tell me"])
            await here.ada.deletes(parts[1 - part])
            await idle(world, bot)
            assert taken(bot) == (1, 1)


async def test_in_a_dm_that_is_in_no_cache_it_is_found_by_its_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            await here.ada.says(here.ada.dm, "hello")
            await here.kim.says(here.kim.dm, "a secret?")
            await idle(world, bot)
        monkeypatch.setattr(Directs, "read_back", lambda _: None)
        async with bot_in(world, tmp_path) as bot:
            talk.delete(world.state, here.kim.dm, world.bot_messages(here.kim.dm))
            await idle(world, bot)
            assert (answers(bot), taken(bot)) == (["yes"], (1, 1))


async def test_what_was_deleted_while_the_bot_was_away_is_found_when_it_reads_back(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await here.kim.says(here.general, "tulips?", mention=world.bot)
            await idle(world, bot)
        await moderated(here, world.bot_messages(here.general)[0])
        async with bot_in(world, tmp_path) as bot:
            assert (answers(bot), taken(bot), bodies_gone(bot)) == (["yes"], (1, 1), [TurnAnswered.TAG])
            assert shown(world, here.general) == ["yes"]
        async with bot_in(world, tmp_path) as bot:
            assert (answers(bot), taken(bot)) == (["yes"], (1, 1))


async def test_what_lies_before_what_is_read_back_is_let_be(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await idle(world, bot)
            for text in ("one", "two"):
                await here.kim.says(here.general, text)
            await idle(world, bot)
        async with bot_in(world, tmp_path, message_history_count="2") as bot:
            assert (answers(bot), taken(bot)) == (["yes"], (0, 0))


async def test_a_part_of_an_answer_that_could_not_be_sent_whole_takes_it_back(tmp_path: Path) -> None:
    model = long_winded()
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, pause=for_ever) as bot:
            posts = f"/channels/{here.general.id}/messages"
            first = world.slow("POST", posts)
            first.open()
            world.fail("POST", posts, status=400)
            await here.kim.says(here.general, "tell me", mention=world.bot)
            await idle(world, bot)
            (part,) = world.bot_messages(here.general)
            assert (len(answers(bot)), events(bot, TurnDelivered)) == (1, [])
            await moderated(here, part)
            await idle(world, bot)
            assert (answers(bot), taken(bot)) == ([], (1, 1))
        async with bot_in(world, tmp_path, model) as bot:
            assert (shown(world, here.general), len(model.asks)) == ([], 1)
            assert (answers(bot), events(bot, TurnDelivered)) == ([], [])
