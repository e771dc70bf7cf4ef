"""Threads: what was remembered in a channel of few holds in its public threads, and back; and the message at which a
thread began stands above what is said in it.
"""

from pathlib import Path

import discord
import pytest

from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.places import place_of
from dnam.erasing.person import erase
from projections.ids import Ref
from projections.messages import MESSAGES
from tests.dnam.discord import made
from tests.dnam.discord.stage import Garden, bot_in, garden, idle, shown
from tests.dnam.discord.test_talking import answers_in, differences, messages_in
from tests.dnam.discord.test_withdrawing import answers
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Channel, Message, Person, World


async def test_what_is_kept_in_the_channel_is_known_in_its_public_thread_and_back(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        await here.kim.says(here.cellar, "!memory remember the treasure is in the cellar")
        await idle(world, bot)
        dig = await here.kim.begins_thread(here.cellar, "dig")
        await here.kim.says(dig, "!memory remember the spade is in the shed")
        await idle(world, bot)
        await here.kim.says(dig, "where is what?", mention=world.bot)
        await here.kim.says(here.cellar, "where is what?", mention=world.bot)
        await here.kim.says(here.general, "where is what?", mention=world.bot)
        await idle(world, bot)
        known = [("treasure" in each.prompt, "spade is" in each.prompt) for each in model.asked("answer")]
        assert sorted(known) == [(False, False), (True, True), (True, True)]


BEGAN = "my roses have black spots"
QUOTING = "You say that my roses have black spots: it is a fungus."


async def begun(
    world: World, here: Garden, bot: DnamBot, channel: Channel, who: Person | None = None
) -> tuple[Message, Channel]:
    """Somebody said something in a channel, Ada unless told, and more was said since. Kim begins a thread at it, and
    asks there.
    """
    message = await (who or here.ada).says(channel, BEGAN)
    for number in range(3):
        await here.kim.says(channel, f"chat {number}")
    thread = await here.kim.begins_thread(channel, "roses", at=message)
    await here.kim.says(thread, "what should I do about it?", mention=world.bot)
    await idle(world, bot)
    return message, thread


@pytest.mark.parametrize("restricted", [False, True])
async def test_what_is_asked_in_a_thread_is_asked_below_the_message_at_which_it_began(
    tmp_path: Path, restricted: bool
) -> None:
    model = ScriptedModel({"answer": lambda _: "it is a fungus"})
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        who, channel = (here.kim, here.cellar) if restricted else (here.ada, here.general)
        _, thread = await begun(world, here, bot, channel, who)
        await here.kim.says(thread, "and then?", mention=world.bot)
        await idle(world, bot)
        first, second = (ask.prompt for ask in model.asked("answer"))
        assert first.endswith(
            f"\nRecent conversation:\n[{who.name}]: {BEGAN}\n\n---\nUser message:\n@marcy what should I do about it?"
        )
        assert second.endswith(
            f"\nRecent conversation:\n[{who.name}]: {BEGAN}\n[Kim]: @marcy what should I do about it?\n"
            "[marcy]: it is a fungus\n\n---\nUser message:\n@marcy and then?"
        )
        with bot.desk.memory.engine.reading() as rows:
            said = next(each.row for each in rows.scan(MESSAGES) if each.row.message.text == BEGAN)
        assert all(said.heard in turn.event.causes for turn in answers_in(bot))
        assert differences(bot) == []


async def test_a_private_thread_is_asked_below_nothing(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        await here.ada.says(here.general, BEGAN)
        private = await here.kim.begins_thread(here.general, "secret", private=True, add=[world.bot])
        await here.kim.says(private, "what should I do about it?", mention=world.bot)
        await idle(world, bot)
        (ask,) = model.asked("answer")
        assert "Recent conversation" not in ask.prompt


@pytest.mark.parametrize("edited", [False, True])
async def test_with_the_message_at_which_a_thread_began_goes_an_answer_in_it_that_says_it_again(
    tmp_path: Path, edited: bool
) -> None:
    model = ScriptedModel({"answer": lambda _: QUOTING})
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        message, thread = await begun(world, here, bot, here.general)
        assert answers(bot) == [QUOTING]
        await (here.ada.edits(message, "they are fine") if edited else here.ada.deletes(message))
        await idle(world, bot)
        assert answers(bot) == []
        await here.kim.says(thread, "and then?", mention=world.bot)
        await idle(world, bot)
        prompt = model.asked("answer")[-1].prompt
        assert "black spots" not in prompt
        assert ("[Ada]: they are fine\n[Kim]: @marcy what should I do about it?\n" in prompt) == edited
        assert shown(world, thread)[-1] == QUOTING


async def test_with_whoever_began_a_thread_its_answers_are_erased(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        _, thread = await begun(world, here, bot, here.general)
        assert (shown(world, thread), len(answers_in(bot))) == (["yes"], 1)
        ada = next(each.speaker for each in messages_in(bot) if each.text == BEGAN)
        await erase(bot.desk.memory, ada)
        assert answers_in(bot) == []


def test_only_a_public_thread_whose_parent_is_known_has_its_readers() -> None:
    home = made.guild(channels=(made.channel(hidden=True),))
    assert place_of(made.thread(home, 11, 10)).readers == Ref("discord", "10")
    assert place_of(made.thread(home, 12, 10)).readers is None
    assert place_of(made.thread(home, 11, 404)).readers is None
    channel = home.get_channel(10)
    assert isinstance(channel, discord.TextChannel)
    assert place_of(channel).readers is None
