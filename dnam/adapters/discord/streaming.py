"""Showing an answer while the model writes it: never more than one edit in a while, and none is begun after its end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import discord

from dnam.adapters.discord.desk import UNREACHED
from dnam.alongside import alongside
from dnam.unwritten import Pause

EDIT_SECONDS = 1.2
"""How long an answer rests between two edits: Discord lets a bot edit five times in five seconds, in each channel."""
TYPING_SECONDS = 8.0
"""How often "… is typing" is said again; Discord shows it for ten seconds."""


class Streaming:
    """What a model has written so far, and the one who shows it. `hear` is what the model is given."""

    def __init__(self, show: Callable[[str], Awaitable[None]], pause: Pause = asyncio.sleep) -> None:
        self._show = show
        self._pause = pause
        self._text = ""
        self._news = asyncio.Event()

    def hear(self, text: str) -> None:
        """The whole text so far."""
        self._text = text
        self._news.set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Show it as it comes, for as long as the `async with` lasts, which waits for nothing that is being shown."""
        async with alongside(self._run(), "showing an answer while it is written"):
            yield

    async def _run(self) -> None:
        """First rest, then show: a short answer is whole before anything of it is shown."""
        while True:
            await self._news.wait()
            await self._pause(EDIT_SECONDS)
            self._news.clear()
            await self._show(self._text)


@asynccontextmanager
async def typing(
    channel: discord.abc.Messageable, give_way: Callable[[], Awaitable[None]], pause: Pause = asyncio.sleep
) -> AsyncIterator[None]:
    """Say that the bot is typing, for as long as the `async with` lasts. Nothing waits for it, and what is on its way
    to the model goes first.
    """
    async with alongside(_typing(channel, give_way, pause), "saying that the bot is typing"):
        yield


async def _typing(channel: discord.abc.Messageable, give_way: Callable[[], Awaitable[None]], pause: Pause) -> None:
    try:
        await asyncio.sleep(0)  # who thinks of the answer begins behind this task, and is to be given way too
        await give_way()
        while True:
            await channel.typing()
            await pause(TYPING_SECONDS)
    except UNREACHED:
        return  # whoever may not type may still be able to answer
