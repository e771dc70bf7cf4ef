"""Edits: while the log cannot be written each counts if its message was heard by then, and else it is none. One that
takes all words away takes them away here too.
"""

from pathlib import Path

import pytest

from projections.events import ItemRemembered, MessageDeleted, MessageEdited, MessageHeard, MessageRedacted
from replay.errors import LogFull
from tests.dnam.discord.stage import Writing, bot_in, events, garden, heard, idle, opt_out, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Message, World, talk


def full(_: object) -> None:
    raise LogFull("the disk is full")


async def test_what_was_never_heard_is_not_heard_by_being_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        command = await here.kim.says(here.general, "!memory remember tea")
        await idle(world, bot)
        monkeypatch.setattr(bot.desk.memory.engine, "hand_in", full)
        waiting = await here.kim.says(here.general, "I like tee")
        await here.kim.edits(command, "the code of my diary is 9")
        await here.kim.edits(waiting, "I like tea")
        await idle(world, bot)
        assert len(bot.desk.unwritten) == 3
        monkeypatch.undo()
        assert await bot.desk.unwritten.again()
        assert heard(bot) == ["I like tea"]


@pytest.mark.parametrize("direct", [True, False], ids=["in a DM", "in a channel"])
@pytest.mark.parametrize("is_there", [True, False], ids=["live", "away"])
async def test_who_opted_out_takes_old_words_back_by_an_edit(tmp_path: Path, direct: bool, is_there: bool) -> None:
    async with garden() as (world, here):
        place = here.kim.dm if direct else here.general
        async with bot_in(world, tmp_path) as bot:
            message = await here.kim.says(place, "my pin is velvet")
            same = await here.kim.says(place, "my tea is green")
            await idle(world, bot)
            await opt_out(bot, here.kim)
            if is_there:
                await here.kim.edits(message, "never mind")
            await idle(world, bot)
        if not is_there:
            await here.kim.edits(message, "never mind")
        await here.kim.edits(same, "my tea is green")
        for _ in range(2):
            async with bot_in(world, tmp_path) as bot:
                await idle(world, bot)
                assert heard(bot) == ["my tea is green"]
                assert (len(events(bot, MessageDeleted)), events(bot, MessageEdited)) == (1, [])


# -- what is left without words ----------------------------------------------------------------------------------------

NUMBER = "0171 5551234"


def empty(world: World, message: Message) -> None:
    """Its words are edited away, and only an embed is left."""
    said = talk.said_again(message.said, content="", mentions=(), embeds=[{"type": "rich", "title": "a wave"}])
    talk.edit(world.state, world.state.channel(message.channel_id), message, said)


async def test_an_edit_that_leaves_no_words_takes_the_old_ones_away(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        message = await here.kim.says(here.general, f"my number is {NUMBER}")
        await idle(world, bot)
        empty(world, message)
        await idle(world, bot)
        assert heard(bot) == [""]
        assert len(events(bot, MessageEdited)) == len(events(bot, MessageRedacted)) == 1
        await here.ada.says(here.general, "what is the number?", mention=world.bot)
        await idle(world, bot)
        assert NUMBER not in model.asks[-1].prompt


@pytest.mark.parametrize("history", ["20", "1"], ids=["the latest", "what is older"])
async def test_so_does_one_of_which_only_the_history_tells(tmp_path: Path, history: str) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            message = await here.kim.says(here.general, f"my number is {NUMBER}")
            await here.kim.says(here.general, "good morning")
            await idle(world, bot)
        empty(world, message)
        for _ in range(2):
            async with bot_in(world, tmp_path, message_history_count=history) as bot:
                assert heard(bot) == ["", "good morning"]
                assert len(events(bot, MessageEdited)) == 1


async def test_what_was_never_heard_is_not_heard_without_words_nor_answered(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, respond_mode="all") as bot:
            assert heard(bot) == []
        empty(world, await here.kim.says(here.general, "roses?", mention=world.bot))
        async with bot_in(world, tmp_path, respond_mode="all") as bot:
            assert (shown(world, here.general), events(bot, MessageHeard)) == ([], [])


async def test_a_question_without_words_is_answered_no_more(tmp_path: Path) -> None:
    model = Writing("", "too late")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, dies=True):
            message = await here.kim.says(here.general, "roses?", mention=world.bot)
            await model.was_asked()
        empty(world, message)
        async with bot_in(world, tmp_path) as bot:
            assert (shown(world, here.general), heard(bot)) == ([], [""])


# -- before it is taken up ---------------------------------------------------------------------------------------------


async def test_what_is_edited_before_it_is_taken_up_is_taken_as_it_says_then(tmp_path: Path) -> None:
    model = Writing("one", "one and whole")
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        await here.ada.says(here.general, "first", mention=world.bot)
        await model.was_asked()
        eggs = await here.kim.says(here.general, "how long do I boil eggs?", mention=world.bot)
        cat = await here.kim.says(here.general, "!memory remember my cat is called Mizi")
        unasked = await here.kim.says(here.general, "are you there?", mention=world.bot)
        asked = await here.kim.says(here.general, "and the tea?")
        await world.gateway.flushed()
        await here.kim.edits(eggs, f"{world.bot.mention} how long do I boil potatoes?")
        await here.kim.edits(cat, "!memory remember my cat is called Mitzi")
        await here.kim.edits(unasked, "is anybody there?")
        await here.kim.edits(asked, f"{world.bot.mention} and the tea?")
        await world.gateway.flushed()
        model.go.set()
        await idle(world, bot)
        assert [each.prompt.rpartition("\n")[2] for each in model.asks] == [
            "@marcy first",
            "@marcy how long do I boil potatoes?",
            "@marcy and the tea?",
        ]
        assert [each.item.text for each in events(bot, ItemRemembered)] == ["my cat is called Mitzi"]
        said = {each.message.text: each.message.addressed for each in events(bot, MessageHeard)}
        assert said == {
            "@marcy first": True,
            "@marcy how long do I boil potatoes?": True,
            "is anybody there?": False,
            "@marcy and the tea?": True,
        }
        assert events(bot, MessageEdited) == []


async def test_what_says_nothing_any_more_when_it_is_taken_up_is_not_heard(tmp_path: Path) -> None:
    model = Writing("one", "one and whole")
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        await here.ada.says(here.general, "first", mention=world.bot)
        await model.was_asked()
        message = await here.kim.says(here.general, f"my number is {NUMBER}", mention=world.bot)
        await world.gateway.flushed()
        empty(world, message)
        await world.gateway.flushed()
        model.go.set()
        await idle(world, bot)
        assert (heard(bot), len(model.asks)) == (["@marcy first"], 1)
        assert len(events(bot, MessageHeard)) == 1


async def test_of_very_many_that_wait_the_first_are_taken_as_they_were_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dnam.adapters.discord.hearing.KEPT", 1)
    model = Writing("one", "one and whole")
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        await here.ada.says(here.general, "first", mention=world.bot)
        await model.was_asked()
        messages = [await here.kim.says(here.general, each) for each in ("I like tee", "I like cofee")]
        await world.gateway.flushed()
        for message, text in zip(messages, ("I like tea", "I like coffee"), strict=True):
            await here.kim.edits(message, text)
        await world.gateway.flushed()
        model.go.set()
        await idle(world, bot)
        assert heard(bot) == ["@marcy first", "I like tea", "I like coffee"]
        assert len(events(bot, MessageEdited)) == 1
