"""A bot that is watched while it runs, whoever's it is: the pages of DNAM_HEALTH_PORT, where one is set."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord
from discord.ext import commands
from discord.gateway import DiscordWebSocket

from dnam.adapters.discord.desk import Desk
from dnam.metrics import Metrics
from dnam.observing import observed, watch, watch_thinking


@asynccontextmanager
async def watched(desk: Desk) -> AsyncIterator[None]:
    """As long as the `async with` lasts. PortTaken or SettingError when the port cannot be had."""
    settings = desk.memory.settings
    if not settings.health_port:
        yield
        return
    metrics = Metrics()
    watch(metrics, desk.memory, desk.unwritten)
    watch_thinking(metrics, desk.assistant)
    metrics.health.needs("discord", lambda: "" if is_there(desk.bot) else "not connected to Discord")
    async with observed(metrics, settings.health_port, settings.health_host):
        yield


def is_there(bot: commands.Bot | commands.AutoShardedBot) -> bool:
    """Whether a bot has a session with Discord, and one for each of its shards: it answers from then on, while guilds
    are still told of.
    """
    if isinstance(bot, discord.AutoShardedClient):
        return bool(bot.shards) and not any(each.is_closed() for each in bot.shards.values())
    socket: DiscordWebSocket | None = bot.ws
    return socket is not None and socket.open and socket.session_id is not None
