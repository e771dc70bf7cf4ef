"""A bot without a mind: a real discord.py client that keeps what it is told, for tests of the loopback Discord."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import discord
from discord import app_commands

from tests.loopback.discord import World, running


def intents(*, content: bool = True, members: bool = False) -> discord.Intents:
    """What dnam asks for, or less."""
    wanted = discord.Intents.default()
    wanted.message_content = content
    wanted.members = members
    return wanted


class Listener(discord.Client):
    """It keeps every message of others, and what happens to messages."""

    def __init__(self, world: World, wanted: discord.Intents | None = None) -> None:
        super().__init__(intents=wanted or intents(), guild_ready_timeout=0.01)
        self.world = world
        self.tree: app_commands.CommandTree[Listener] = app_commands.CommandTree(self)
        self.heard: list[str] = []
        self.deleted: list[int] = []
        self.edited: list[str] = []
        self.resumes = 0

    async def setup_hook(self) -> None:
        if self.tree.get_commands() or self.tree.get_commands(type=discord.AppCommandType.message):
            await self.tree.sync()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Without the five seconds that discord.py waits before it identifies anew."""

    async def on_message(self, message: discord.Message) -> None:
        if message.author != self.user:
            self.heard.append(message.content)
            self.world.changed()

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        self.deleted.append(payload.message_id)
        self.world.changed()

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        self.edited.append(payload.message.content)
        self.world.changed()

    async def on_resumed(self) -> None:
        self.resumes += 1
        self.world.changed()

    def text(self, channel: int) -> discord.TextChannel:
        """A channel as this client knows it."""
        found = self.get_channel(channel)
        assert isinstance(found, discord.TextChannel)
        return found


@asynccontextmanager
async def listening(world: World, wanted: discord.Intents | None = None) -> AsyncIterator[Listener]:
    """A listener that is connected."""
    client = Listener(world, wanted)
    async with running(client, world):
        yield client


class Raw:
    """Requests as no library would send them."""

    def __init__(self, world: World, session: aiohttp.ClientSession) -> None:
        self._world = world
        self._session = session

    async def ask(
        self, method: str, path: str, body: object = None, token: str = "", query: Mapping[str, str] | None = None
    ) -> tuple[int, Any, Mapping[str, str]]:
        """Status, JSON and headers of the answer."""
        headers = {"Authorization": f"Bot {token or self._world.token}"}
        url = self._world.api_url + path
        async with self._session.request(method, url, json=body, headers=headers, params=query) as response:
            text = await response.text()
            read = await response.json() if text else None
            return response.status, read, response.headers

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        """A bare connection to the gateway, uncompressed."""
        async with self._session.ws_connect(self._world.gateway_url) as socket:
            yield socket


@asynccontextmanager
async def raw(world: World) -> AsyncIterator[Raw]:
    """Whoever sends them."""
    async with aiohttp.ClientSession() as session:
        yield Raw(world, session)
