"""A thread in a channel of few: what they had remembered in the channel holds in its public threads, and back."""

from pathlib import Path

import discord

from dnam.adapters.discord.places import place_of
from projections.ids import Ref
from tests.dnam.discord import made
from tests.dnam.discord.stage import bot_in, garden, idle
from tests.dnam.scripted import ScriptedModel


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


def test_only_a_public_thread_whose_parent_is_known_has_its_readers() -> None:
    home = made.guild(channels=(made.channel(hidden=True),))
    assert place_of(made.thread(home, 11, 10)).readers == Ref("discord", "10")
    assert place_of(made.thread(home, 12, 10)).readers is None
    assert place_of(made.thread(home, 11, 404)).readers is None
    channel = home.get_channel(10)
    assert isinstance(channel, discord.TextChannel)
    assert place_of(channel).readers is None
