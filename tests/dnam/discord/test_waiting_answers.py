"""Answers that were recorded and not sent when the bot ended, in places that others can read by the time it is back."""

from pathlib import Path

import pytest

from dnam.adapters.discord.answering import Opened
from dnam.model import Ask, Hear, Reply, unheard
from projections.events import TurnAnswered, TurnDelivered
from tests.dnam.discord.stage import Garden, bot_in, events, for_ever, garden, idle, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Channel, World


async def killed_before_it_is_sent(world: World, path: Path, here: Garden, channel: Channel) -> None:
    """Kim asked there, and there is an answer."""
    async with bot_in(world, path, dies=True) as bot:
        sending = world.slow("POST", f"/channels/{channel.id}/messages")
        await here.kim.says(channel, "roses?", mention=world.bot)
        await world.until(lambda: sending.met, "the answer to be on its way")
        assert len(events(bot, TurnAnswered)) == 1


async def test_what_fewer_can_read_is_sent(tmp_path: Path) -> None:
    other = ScriptedModel({"answer": lambda _: "something else"})
    async with garden() as (world, here):
        await killed_before_it_is_sent(world, tmp_path, here, here.general)
        here.general.overwrites = list(here.cellar.overwrites)
        async with bot_in(world, tmp_path, other) as bot:
            assert shown(world, here.general) == ["yes"]
            (delivered,) = events(bot, TurnDelivered)
            assert isinstance(delivered, TurnDelivered)
            assert delivered.audience.kind == "guild"


async def test_what_more_can_read_is_not_sent_and_whoever_asked_is_told_once(tmp_path: Path) -> None:
    async with garden() as (world, here):
        await killed_before_it_is_sent(world, tmp_path, here, here.cellar)
        few, here.cellar.overwrites = here.cellar.overwrites, []
        for _ in range(2):
            async with bot_in(world, tmp_path) as bot:
                assert shown(world, here.cellar) == [Opened.words]
                assert events(bot, TurnDelivered) == []
        here.cellar.overwrites = few
        async with bot_in(world, tmp_path):
            assert shown(world, here.cellar) == [Opened.words]


async def test_what_was_there_before_more_could_read_it_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, dies=True) as bot:
            monkeypatch.setattr(bot.desk.memory, "delivered", for_ever)
            await here.kim.says(here.cellar, "roses?", mention=world.bot)
            await world.until(lambda: shown(world, here.cellar) == ["yes"], "the answer to be there")
        here.cellar.overwrites = []
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, here.cellar) == ["yes"]
            assert len(events(bot, TurnDelivered)) == 1


async def test_what_was_asked_among_few_and_thought_of_anew_for_all_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel()
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, dies=True) as bot:
            think = model.ask

            async def opening(ask: Ask, hear: Hear = unheard) -> Reply:
                if here.cellar.overwrites:
                    here.cellar.overwrites = []
                    world.state.changed_channel(here.cellar)
                    await world.gateway.flushed()
                return await think(ask, hear)

            monkeypatch.setattr(model, "ask", opening)
            sending = world.slow("POST", f"/channels/{here.cellar.id}/messages")
            await here.kim.says(here.cellar, "roses?", mention=world.bot)
            await world.until(lambda: sending.met, "the answer to be on its way")
            (turn,) = events(bot, TurnAnswered)
            assert isinstance(turn, TurnAnswered)
            assert turn.audience.epoch == 1
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, here.cellar) == ["yes"]
            assert len(events(bot, TurnDelivered)) == 1
            await idle(world, bot)
