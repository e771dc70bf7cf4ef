"""A bot of somebody else's gets memory: everything is opened here, and closed when the extension is unloaded."""

import logging
import os
from contextlib import AsyncExitStack
from pathlib import Path

from discord.ext import commands

from dnam.adapters.discord.alone import alone
from dnam.adapters.discord.cog import MemoryCog
from dnam.adapters.discord.desk import Desk
from dnam.adapters.discord.watched import watched
from dnam.assistant import Assistant
from dnam.memory import Memory
from dnam.models import opened as model_opened
from dnam.opening import UNRECORDED
from dnam.regaining import regaining
from dnam.serving import serving
from dnam.settings import Settings, gather, unheeded
from replay.errors import CannotWrite, NothingHere

log = logging.getLogger(__name__)


async def cog_of(bot: commands.Bot | commands.AutoShardedBot) -> MemoryCog:
    """A cog with a memory of its own, by the environment, `.env` and `dnam.toml`."""
    settings = gather(os.environ, Path.cwd())
    for words in unheeded(os.environ, Path.cwd()):
        log.warning("dnam: %s", words)
    async with AsyncExitStack() as opened:
        opened.enter_context(alone(settings.data, bot.http.token or settings.discord_token, log.warning))
        memory = await _memory(opened, settings)
        model = await opened.enter_async_context(model_opened(memory, log.warning))
        assistant = Assistant(memory, model)
        await opened.enter_async_context(serving(assistant, log.warning))
        desk = Desk(bot, assistant)
        await opened.enter_async_context(watched(desk))
        return MemoryCog(desk, opened.pop_all())


async def _memory(opened: AsyncExitStack, settings: Settings) -> Memory:
    """The memory for writing; where it cannot be written, for reading: answers are given all the same."""
    try:
        return await opened.enter_async_context(Memory.open(settings=settings))
    except CannotWrite as error:
        try:
            memory = await opened.enter_async_context(Memory.open(settings=settings, writable=False))
        except NothingHere:  # nor is there anything to read: what is in the way of beginning is what there is to say
            raise error from None
        log.warning("%s", UNRECORDED.format(why=error))
        await opened.enter_async_context(regaining(memory, log.warning))
        return memory
