"""What is added to a bot: commands, menus, whoever hears of buttons, and the keeper of the transparency channel."""

import asyncio
import logging
from datetime import datetime
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from dnam.adapters.discord.desk import Desk
from dnam.adapters.discord.memory_channel import hindrance
from dnam.adapters.discord.ui.asking import Asking
from dnam.adapters.discord.ui.pointing import menus
from dnam.adapters.discord.ui.presses import Presses
from dnam.adapters.discord.ui.shown import Lists
from dnam.adapters.discord.ui.slash import memory_group
from dnam.adapters.discord.ui.snapshots import Snapshots
from dnam.unwritten import Pause

AppCommand = app_commands.Group | app_commands.ContextMenu
log = logging.getLogger(__name__)


class MemoryMenus(commands.Cog, name="dnam menus"):
    """Commands where they are on, the transparency channel where there is one. `pause` waits so many seconds."""

    NAME = "dnam menus"

    def __init__(self, desk: Desk, lists: Lists, pause: Pause = asyncio.sleep) -> None:
        settings = desk.memory.settings
        self.asking = Asking(desk, lists)
        channel = settings.memory_channel_id if settings.memory_enabled else ""
        self.snapshots = Snapshots(desk, int(channel), pause) if channel else None
        self._wanted = _commands(self.asking) if settings.memory_commands_enabled else []
        self._added: list[AppCommand] = []
        self._presses = Presses(self.asking)
        self._bot = desk.bot
        self._tree = desk.bot.tree
        self._keeping: asyncio.Task[None] | None = None
        self._told = self._gone = False
        self.ready = asyncio.Event()
        """Set once Discord knows of the commands, or has refused them, and the channel is kept."""

    async def cog_load(self) -> None:
        """Offer the commands, and begin to keep the channel. What the bot calls so already stays its own."""
        for each in self._wanted:
            try:
                self._tree.add_command(each)
                self._added.append(each)
            except app_commands.CommandAlreadyRegistered:
                log.warning("discord: the bot has a command %r of its own, so the memory's is not offered", each.name)
        if self._bot.is_ready():  # added to a bot that runs
            await self.on_ready()

    async def cog_unload(self) -> None:
        """Take them away, and let go of the channel."""
        self._gone = True
        for each in self._added:
            self._tree.remove_command(each.name, type=_type(each))
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait([self._keeping])

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Tell Discord which commands there are, once a process: it says that it is ready at every new session."""
        if self.snapshots is not None:
            self.snapshots.connected()
        if self._told:
            return
        self._told = True
        await self._begin_keeping()
        if self._added or self.asking.desk.owns_commands:
            await self.asking.guarded("telling Discord of the commands", self._tell)
        self.ready.set()

    async def _tell(self) -> None:
        """A bot of our own has these commands and no others. To somebody else's they are added one by one, so that what
        Discord knows of its other commands stays as it is, told or not yet told.
        """
        if self.asking.desk.owns_commands:
            await self._tree.sync()
            return
        assert self._bot.application_id is not None
        for each in self._added:
            payload: Any = each.to_dict(self._tree)
            await self._bot.http.upsert_global_command(self._bot.application_id, payload)

    async def _begin_keeping(self) -> None:
        if self.snapshots is not None:
            await self.asking.guarded("looking at the transparency channel", self._tell_of_channel)
            await self.snapshots.begin()
        if self.snapshots is not None and not self._gone:
            self._keeping = asyncio.create_task(self.snapshots.keep_up(), name="transparency channel")

    async def _tell_of_channel(self) -> None:
        """Say at the start what stands against showing anything there."""
        found = await hindrance(self._bot, int(self.asking.desk.memory.settings.memory_channel_id))
        if found is not None:
            log.warning("discord: transparency channel: %s. %s", found.what, found.do)

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """A button or a menu, of ours or somebody else's."""
        await self._presses.on_interaction(interaction)

    @commands.Cog.listener()
    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Perhaps a message in the transparency channel."""
        if self.snapshots is not None:
            self.snapshots.deleted(payload.channel_id, [payload.message_id])

    @commands.Cog.listener()
    async def on_guild_channel_pins_update(
        self, channel: discord.abc.GuildChannel | discord.Thread, _: datetime | None
    ) -> None:
        """Perhaps of the transparency channel."""
        if self.snapshots is not None:
            self.snapshots.pins_changed(channel.id)

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """The same, of many."""
        if self.snapshots is not None:
            self.snapshots.deleted(payload.channel_id, payload.message_ids)


def _commands(asking: Asking) -> list[AppCommand]:
    """What is offered: without a memory, what needs none."""
    on_messages = menus(asking) if asking.desk.memory.settings.memory_enabled else []
    return [memory_group(asking), *on_messages]


def _type(command: AppCommand) -> discord.AppCommandType:
    return command.type if isinstance(command, app_commands.ContextMenu) else discord.AppCommandType.chat_input
