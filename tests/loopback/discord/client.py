"""Pointing a real discord.py at a world, in this process."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from unittest.mock import patch

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.loopback.discord.world import World


@contextmanager
def pointed(world: World) -> Iterator[None]:
    """Within, every discord.py client of this process talks to `world` instead of Discord."""
    with (
        patch.object(Route, "BASE", world.api_url),
        patch.object(DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(world.gateway_url)),
    ):
        yield


@asynccontextmanager
async def running(client: discord.Client, world: World, token: str = "") -> AsyncIterator[discord.Client]:
    """A client that is logged in and connected, and is closed at the end. What it raises is raised here."""
    with pointed(world):
        task = asyncio.create_task(client.start(token or world.token))
        task.add_done_callback(lambda _: world.changed())
        try:
            await world.until(lambda: world.gateway.connected or task.done(), "the client to connect")
            if task.done():
                task.result()
            await world.gateway.flushed()
            yield client
        finally:
            await client.close()
            await asyncio.wait([task])
