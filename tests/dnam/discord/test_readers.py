"""Who can read a channel when some of its guild cannot: it is nobody's but its own, and so is what rests on it."""

from pathlib import Path
from typing import Any

import pytest

from dnam.adapters.discord.askers import UNSURE
from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.places import place_of
from projections.events import PlaceAudienceChanged
from replay.errors import LogFull
from tests.dnam.discord.made import CONNECT, EVERYONE, HISTORY, VIEW, channel, guild, thread
from tests.dnam.discord.stage import Garden, bot_in, events, garden, idle, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import World
from tests.loopback.discord.permissions import Overwrite, Permission

ROLE, MEMBER = 0, 1
TALK = 1 << 11
"""SEND_MESSAGES."""


def overwrite(of: int, kind: int, *, deny: int = 0, allow: int = 0) -> dict[str, Any]:
    return {"id": str(of), "type": kind, "allow": str(allow), "deny": str(deny)}


@pytest.mark.parametrize(
    ("kind", "overwrites", "audience"),
    [
        (0, [overwrite(1, MEMBER, deny=EVERYONE)], "channel"),
        (0, [overwrite(51, ROLE, deny=EVERYONE)], "channel"),
        (0, [overwrite(404, ROLE, deny=EVERYONE)], "channel"),
        (0, [overwrite(51, ROLE, deny=VIEW)], "channel"),
        (0, [overwrite(51, ROLE, deny=HISTORY)], "channel"),
        (0, [overwrite(51, ROLE, deny=EVERYONE), overwrite(1, MEMBER, allow=EVERYONE)], "channel"),
        (0, [overwrite(51, ROLE, deny=TALK), overwrite(1, MEMBER, allow=EVERYONE)], "guild"),
        (0, [overwrite(51, ROLE, deny=CONNECT)], "guild"),
        (2, [overwrite(51, ROLE, deny=CONNECT)], "channel"),
        (2, [overwrite(51, ROLE, deny=TALK)], "guild"),
        (15, [overwrite(1, MEMBER, deny=EVERYONE)], "channel"),
    ],
)
def test_what_anybody_is_kept_out_of_is_not_the_guild_s(
    kind: int, overwrites: list[dict[str, Any]], audience: str
) -> None:
    data = channel(kind=kind, permission_overwrites=overwrites, bitrate=1, user_limit=0)
    home = guild(EVERYONE | CONNECT, (data,))
    there = home.get_channel(10)
    assert there is not None
    assert place_of(there).audience == audience
    assert place_of(thread(home, 11, 10)).audience == audience


async def test_what_is_said_where_one_may_not_read_is_not_told_where_she_does(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        party = here.guild.channel("surprise", hidden_from=[here.ada])
        await here.kim.says(party, "!memory remember Ada gets a bicycle for her birthday")
        await idle(world, bot)
        await here.kim.says(here.general, "!memory show")
        await here.ada.says(here.general, "what of my birthday?", mention=world.bot)
        await idle(world, bot)
        assert "bicycle" in shown(world, party)[0]
        assert not any("bicycle" in each for each in shown(world, here.general))
        assert "bicycle" not in model.asked("answer")[-1].prompt


async def test_a_channel_closes_when_one_is_kept_out_of_it_and_what_rests_on_it_with_it(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        porch = here.guild.channel("porch")
        await here.kim.says(porch, "I keep a bicycle there", mention=world.bot)
        await here.kim.says(porch, "!memory remember the bicycle is on the porch")
        await idle(world, bot)
        here.guild.permit(porch, here.ada, deny=Permission.VIEW_CHANNEL)
        await idle(world, bot)
        (changed,) = events(bot, PlaceAudienceChanged)
        assert isinstance(changed, PlaceAudienceChanged)
        assert (changed.place.key, changed.audience.kind, changed.audience.epoch) == (str(porch.id), "channel", 1)
        await here.kim.says(here.general, "where is it?", mention=world.bot)
        await idle(world, bot)
        assert "bicycle" not in model.asked("answer")[-1].prompt
        porch.overwrites = [Overwrite(here.ada.id, True, deny=Permission.SEND_MESSAGES)]
        world.state.changed_channel(porch)
        await idle(world, bot)
        assert len(events(bot, PlaceAudienceChanged)) == 2


def full(_: object) -> None:
    raise LogFull("the disk is full")


async def widened(world: World, here: Garden, bot: DnamBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ada is known, Kim and the summary of the cellar have a secret; now all can read there, and the log is full."""
    await here.ada.says(here.general, "hello")
    await here.kim.says(here.cellar, "!memory remember the treasure is in the cellar")
    await here.kim.says(here.cellar, "hello", mention=world.bot)
    await idle(world, bot)
    monkeypatch.setattr(bot.desk.memory.engine, "hand_in", full)
    here.cellar.overwrites = []
    world.state.changed_channel(here.cellar)
    await idle(world, bot)


def hoarding() -> ScriptedModel:
    return ScriptedModel({"summary": lambda _: "Kim buried a treasure."})


async def test_a_typed_command_shows_nothing_to_more_than_the_log_knows_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"memory_commands_enabled": "1", "summary_every_n_turns": "1"}
    async with garden() as (world, here), bot_in(world, tmp_path, hoarding(), told=told) as bot:
        await widened(world, here, bot, monkeypatch)
        before = len(shown(world, here.cellar))
        await here.kim.says(here.cellar, "!memory show")
        await idle(world, bot)
        refused = f"The memory cannot be asked just now, and nothing was done: {UNSURE}"
        assert shown(world, here.cellar)[before:] == [refused]
        monkeypatch.undo()
        await here.kim.says(here.cellar, "!memory show")
        await idle(world, bot)
        assert len(events(bot, PlaceAudienceChanged)) == 1
        assert "treasure" not in shown(world, here.cellar)[-1]


async def test_a_slash_command_shows_nothing_there_of_when_fewer_could_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"memory_commands_enabled": "1", "summary_every_n_turns": "1"}
    async with garden() as (world, here), bot_in(world, tmp_path, hoarding(), told=told) as bot:
        await widened(world, here, bot, monkeypatch)
        reply = await (await here.ada.uses(here.cellar, "/memory show")).reply()
        assert reply.said.content == f"The memory cannot be asked just now, and nothing was done: {UNSURE}"
        monkeypatch.undo()
