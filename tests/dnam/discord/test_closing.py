"""A place closes, and in the same moment somebody asks elsewhere: what rests on it is told there no more."""

import asyncio
from pathlib import Path

import discord
import pytest

from dnam.adapters.discord.audiences import Audiences
from tests.dnam.discord.stage import bot_in, garden, idle
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord.permissions import Overwrite, Permission

Seen = discord.abc.GuildChannel | discord.Thread
SAID = "the key is under the pot"


async def test_what_closes_is_not_told_elsewhere_while_that_is_being_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, go = ScriptedModel(), asyncio.Event()
    compare = Audiences.compare_channel

    async def slow(audiences: Audiences, channel: Seen) -> None:
        await go.wait()
        await compare(audiences, channel)

    monkeypatch.setattr(Audiences, "compare_channel", slow)
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        porch = here.guild.channel("porch")
        await here.kim.says(porch, "good morning")
        await here.kim.says(porch, f"!memory remember {SAID}")
        await idle(world, bot)
        await here.kim.says(here.general, "where was the key?", mention=world.bot)
        await idle(world, bot)
        assert SAID in model.asks[-1].prompt
        porch.overwrites.append(Overwrite(here.guild.id, False, deny=Permission.VIEW_CHANNEL))
        world.state.changed_channel(porch)
        await here.kim.says(here.general, "and where is the key now?", mention=world.bot)
        await world.gateway.flushed()
        go.set()
        await idle(world, bot)
        assert "and where is the key now?" in model.asks[-1].prompt
        assert SAID not in model.asks[-1].prompt


async def test_a_message_in_the_closed_place_itself_closes_as_much(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        porch = here.guild.channel("porch")
        await here.kim.says(porch, "good morning")
        await here.kim.says(porch, f"!memory remember {SAID}")
        await idle(world, bot)
        porch.overwrites.append(Overwrite(here.guild.id, False, deny=Permission.VIEW_CHANNEL))
        porch.overwrites.append(Overwrite(here.kim.id, True, allow=Permission.VIEW_CHANNEL))
        porch.overwrites.append(Overwrite(world.bot.id, True, allow=Permission.VIEW_CHANNEL))
        world.state.changed_channel(porch)
        await here.kim.says(porch, "it is quiet here now")
        await here.kim.says(here.general, "where is the key?", mention=world.bot)
        await idle(world, bot)
        assert SAID not in model.asks[-1].prompt
        await here.kim.says(porch, "and here, where is the key?", mention=world.bot)
        await idle(world, bot)
        assert SAID in model.asks[-1].prompt
