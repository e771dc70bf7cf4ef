"""The bot of `dnam run`: discord.py's, with the cog, and an end that is clean.

On SIGTERM and SIGINT it takes nothing more, finishes the answer under way where that takes seven and a half seconds at
most, and closes within ten. What it gave up is answered at the next start.
"""

import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import aiohttp
import discord
import yarl
from discord.ext import commands
from discord.gateway import DiscordWebSocket
from discord.http import Route

from dnam.adapters.discord.cog import MemoryCog
from dnam.adapters.discord.desk import Desk
from dnam.adapters.discord.watched import is_there, watched
from dnam.assistant import Assistant
from dnam.unreached import no_answer
from dnam.unwritten import Pause
from projections.errors import BadRequest, DnamError

ENDINGS = (signal.SIGTERM, signal.SIGINT)
GOODBYE_SECONDS = 8.4
"""How long closing may take before the connections to Discord are cut: answers under way end before (`cog.py`)."""
BAD_TOKEN = (
    "Discord does not accept DISCORD_TOKEN. Copy it anew: Discord's developer portal, your application, Bot, Reset"
    " Token."
)
NO_INTENTS = (
    "Discord refuses the intents. Enable Message Content Intent: Discord's developer portal, your application, Bot,"
    " Privileged Gateway Intents."
)
log = logging.getLogger(__name__)


class CannotConnect(DnamError):
    """Discord cannot be reached just now."""


class NotLetIn(BadRequest):
    """Discord refuses the bot as it is set up: trying again does not help, and the message says what does."""


def intents() -> discord.Intents:
    """What the bot needs to hear: guilds with their channels and roles, messages everywhere, and what they say."""
    return discord.Intents(guilds=True, messages=True, message_content=True)


def without_voice() -> None:
    """Clients of this process neither speak nor listen: discord.py need not warn of what it would take to."""
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False


class DnamBot(commands.Bot):
    """A bot that does nothing but what its cog does."""

    def __init__(self, assistant: Assistant, pause: Pause = asyncio.sleep, *, guild_ready_seconds: float = 2.0) -> None:
        without_voice()
        super().__init__(
            command_prefix=commands.when_mentioned,
            intents=intents(),
            help_command=None,
            allowed_mentions=discord.AllowedMentions.none(),
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            guild_ready_timeout=guild_ready_seconds,
        )
        self.desk = Desk(self, assistant, owns_commands=True)
        self._pause = pause

    @property
    def is_there(self) -> bool:
        """Whether it has a session with Discord: it answers from then on, while guilds are still told of."""
        return is_there(self)

    async def setup_hook(self) -> None:
        if self.desk.memory.settings.discord_api_url:
            _, url, _ = await self.http.get_bot_gateway()
            DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(url)
        await self.add_cog(MemoryCog(self.desk, pause=self._pause))

    async def on_message(self, message: discord.Message, /) -> None:
        """The cog hears it; there are no commands with a prefix."""

    async def on_error(self, event_method: str, /, *_: object, **__: object) -> None:
        """A listener raised: keep it as an event."""
        error = sys.exc_info()[1]
        if isinstance(error, Exception):
            await self.desk.failed(event_method, error)


@contextmanager
def at(api_url: str) -> Iterator[None]:
    """Speak with another REST API than Discord's own, where a setting names one; it says where its gateway is.

    discord.py keeps both addresses in class attributes, so they hold for the whole process.
    """
    rest, gateway = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    if api_url:
        Route.BASE = api_url.rstrip("/")
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = rest, gateway


async def run(assistant: Assistant, token: str, *, pause: Pause = asyncio.sleep) -> None:
    """Be at Discord until somebody ends it, and be watched meanwhile. NotLetIn or CannotConnect when it cannot be."""
    async with DnamBot(assistant, pause) as bot, ended_by_signals() as ended, watched(bot.desk):
        await _until(ended, bot, token)


async def _until(ended: asyncio.Event, bot: DnamBot, token: str) -> None:
    """Until it is told to end, or cannot go on. Whoever waits to connect again is not waited for."""
    connected = asyncio.create_task(_connected(bot, token))
    ending = asyncio.create_task(ended.wait())
    try:
        await asyncio.wait({connected, ending}, return_when=asyncio.FIRST_COMPLETED)
        failed = connected.done()
        if not failed:
            log.info("discord: told to end: what is under way is finished")
        await _closed(bot)
    finally:
        connected.cancel()
        ending.cancel()
        await asyncio.wait({connected, ending})
    if failed:
        await connected


async def _closed(bot: DnamBot) -> None:
    """Close; a Discord that does not say good-bye is not waited for."""
    closing = asyncio.create_task(bot.close())
    done, _ = await asyncio.wait({closing}, timeout=GOODBYE_SECONDS)
    if not done:
        log.warning("discord: it did not close the connection within %g s, which is cut", GOODBYE_SECONDS)
        await bot.http.close()
    await closing


async def _connected(bot: DnamBot, token: str) -> None:
    try:
        await bot.start(token)
    except discord.LoginFailure:
        raise NotLetIn(BAD_TOKEN) from None
    except discord.PrivilegedIntentsRequired:
        raise NotLetIn(NO_INTENTS) from None
    except discord.ConnectionClosed as error:
        # discord.py connects again by itself after every code but those that stay as they are: 4004, 4010 to 4014
        raise NotLetIn(BAD_TOKEN if error.code == 4004 else f"Discord ended it with code {error.code}") from None
    except (discord.HTTPException, discord.GatewayNotFound, aiohttp.ClientError, OSError) as error:
        raise CannotConnect(f"Discord cannot be reached: {no_answer(error)}") from error


@asynccontextmanager
async def ended_by_signals() -> AsyncIterator[asyncio.Event]:
    """An event that is set when the process is told to end."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for each in ENDINGS:
        loop.add_signal_handler(each, ended.set)
    try:
        yield ended
    finally:
        for each in ENDINGS:
            loop.remove_signal_handler(each)


@contextmanager
def ending_before() -> Iterator[None]:
    """Until the bot runs in here, being told to end breaks off whatever is awaited, and is as clean an end as later."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    told: list[bool] = []

    def end() -> None:
        told.append(task.cancel())

    for each in ENDINGS:
        loop.add_signal_handler(each, end)
    try:
        yield
    except asyncio.CancelledError:
        if not told:
            raise
        log.info("discord: told to end before it had begun")
    finally:
        for each in ENDINGS:
            loop.remove_signal_handler(each)
