"""The cog: what Discord tells a bot, handed to whoever does something about it. Any discord.py bot can have it.

    await bot.load_extension("dnam.adapters.discord")      # memory, model and settings from the environment
    await bot.add_cog(MemoryCog(Desk(bot, assistant)))     # with an assistant of your own

It needs the intents `guilds`, `messages` and `message_content`. Without the first it answers direct messages alone.
"""

import asyncio
import logging
import time
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING

import discord
from discord.ext import commands

from dnam.adapters.discord import ui
from dnam.adapters.discord.appearing import may_read_back, own_rights
from dnam.adapters.discord.clearing import Clearing
from dnam.adapters.discord.desk import Desk
from dnam.adapters.discord.hearing import Hearing
from dnam.adapters.discord.notices import Notices
from dnam.adapters.discord.reach import Reach
from dnam.adapters.discord.respond import NOBODY_ALLOWED, strangers
from dnam.adapters.discord.ui.shown import Lists
from dnam.unwritten import Pause
from replay.errors import LogError

if TYPE_CHECKING:
    from discord.abc import MessageableChannel

CLOSING_SECONDS = 7.5
"""How long an answer under way may take when the bot is told to end: it is closed within ten seconds."""
WRITING_SECONDS = 1.5
"""How long what waits to be written may take after that, and then once more how long the log may."""
LEFT_SECONDS = 0.5
"""How long either may where the answers took nearly all the time. A log that nobody holds takes some hundredths."""
NO_CONTENT = (
    "the intent `message_content` is off: in servers the bot reads only what mentions it. Set `intents.message_content`"
    " and enable Message Content Intent under Bot in Discord's developer portal."
)
NO_GUILDS = (
    "the intent `guilds` is off: nobody tells the bot who can read what is said in a server. It is neither heard nor"
    " answered there, and only direct messages are. Set `intents.guilds`."
)
PERMISSIONS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    read_message_history=True,
    pin_messages=True,
)
"""What the bot asks for in a server: to read, to answer, and to pin what the transparency channel shows."""
OWNING = (discord.TeamMemberRole.admin, discord.TeamMemberRole.developer)
"""With which roles in the team that owns an application somebody is an owner of its bot."""
log = logging.getLogger(__name__)


class MemoryCog(commands.Cog, name="Memory"):
    """Listens for a desk. `opened` is closed with it."""

    def __init__(self, desk: Desk, opened: AsyncExitStack | None = None, pause: Pause = asyncio.sleep) -> None:
        self.desk = desk
        self.lists = Lists()
        """The long lists of typed commands and of slash commands, which the same buttons turn."""
        self.hearing = Hearing(desk, self.lists, pause)
        self.clearing = Clearing(self.hearing)
        self._opened = opened or AsyncExitStack()
        self._pause = pause
        self._told = False
        self.notices = Notices(desk)

    async def cog_load(self) -> None:
        self.desk.take_name()
        self.desk.memory.standing = Reach(self.desk)
        self.desk.memory.watchers.append(self.notices.recorded)
        await self._opened.enter_async_context(self.desk.unwritten.retrying(self._pause))
        await self._opened.enter_async_context(self.desk.assistant.watching(self._pause))
        await ui.attach(self.desk, self.lists, self._pause)
        await self._take_up()  # last: what is said from here on is heard

    async def _take_up(self) -> None:
        """What Discord told before this listened. In a bot that runs already, it does now what it does at a connection:
        nobody tells of that again.
        """
        bot = self.desk.bot
        self._connected()
        for guild in bot.guilds:
            if not guild.unavailable:
                await self.on_guild_available(guild)
        if bot.is_ready():
            await self.on_ready()

    async def cog_unload(self) -> None:
        """Take nothing more, finish what is under way, and close what was opened for it."""
        began = time.monotonic()
        await self.hearing.close()
        await self.notices.close()
        await self.desk.bot.remove_cog(ui.MemoryMenus.NAME)
        if not await self.desk.sessions.settle(CLOSING_SECONDS):
            log.warning("discord: what was under way did not end within %g s and is given up", CLOSING_SECONDS)
            await self.desk.sessions.stop()
        await asyncio.gather(self._write_what_waits(_left(began)), self.desk.assistant.stop())
        self._tell_what_is_lost()  # also what a loop took that was given up just now
        self.desk.memory.engine.closing_seconds = _left(began)
        try:
            await self._opened.aclose()
        except LogError as error:
            log.warning("discord: %s", error)

    async def _write_what_waits(self, seconds: float) -> None:
        """Try it once more."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.desk.unwritten.again()

    def _tell_what_is_lost(self) -> None:
        """Say what could not be recorded."""
        unwritten = self.desk.unwritten
        if unwritten:
            what = str(unwritten) or "deliveries"
            log.warning("discord: not recorded, and given up: %s; %s", what, unwritten.reason)

    # -- connections ------------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_connect(self) -> None:
        """A new session, whose guilds are still to come. Of one of many shards it is told besides which one."""
        if not self._is_sharded:
            self._connected()

    @commands.Cog.listener()
    async def on_shard_connect(self, shard_id: int) -> None:
        """A new session of a shard."""
        self._connected(shard_id)

    def _connected(self, shard: int | None = None) -> None:
        self.hearing.catching_up.connected(shard)
        self.desk.take_name()
        self._know_owners()

    @property
    def _is_sharded(self) -> bool:
        """Whether each shard tells of its own connection, and that with its number."""
        return isinstance(self.desk.bot, discord.AutoShardedClient)

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """The guilds are there, and are read back one by one as each comes."""
        self._tell()
        self.hearing.direct()

    @commands.Cog.listener()
    async def on_resumed(self) -> None:
        """The same session goes on; Discord says again what was said meanwhile, as far as it remembers."""
        if not self._is_sharded:
            self._goes_on()

    @commands.Cog.listener()
    async def on_shard_resumed(self, shard_id: int) -> None:
        """The same of a shard: the others missed nothing, or have yet to say so."""
        self._goes_on(shard_id)

    def _goes_on(self, shard: int | None = None) -> None:
        self.hearing.catching_up.connected(shard, resumed=True)
        for guild in self.desk.bot.guilds:
            if shard in (None, guild.shard_id):
                self._read_back_guild(guild)
        if not shard:  # the first one tells of direct messages
            self.hearing.direct()

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """It is there, at the beginning of a session or after it was away."""
        self.clearing.compare(guild)
        self._read_back_guild(guild)
        self.hearing.archived.lately(guild)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """The bot is new there, or was there before."""
        await self.on_guild_available(guild)

    def _know_owners(self) -> None:
        """Whose bot it is, where no setting says: its application's owner, or their team."""
        application = self.desk.bot.application
        if self.desk.owners or application is None:
            return
        team = application.team
        self.desk.owners = frozenset([application.owner.id]) if team is None else team_owners(team)

    def _tell(self) -> None:
        """Say once what the operator should know."""
        if self._told:
            return
        self._told = True
        bot = self.desk.bot
        log.info("discord: connected as %s; servers: %d", bot.user and bot.user.name, len(bot.guilds))
        if not bot.guilds and bot.application_id:
            log.warning("discord: in no server yet: open %s to invite it", invitation(bot.application_id))
        if strange := strangers(self.desk.allowed.guilds, {each.id: each.name for each in bot.guilds}):
            log.warning("discord: %s", strange)
        if self.desk.allowed.is_empty:
            log.warning("discord: %s", NOBODY_ALLOWED)
        if not bot.intents.guilds:
            log.warning("discord: %s", NO_GUILDS)
        if not bot.intents.message_content:
            log.warning("discord: %s", NO_CONTENT)

    def _read_back_guild(self, guild: discord.Guild) -> None:
        """Every place in which something can have been said that the bot sees, or something is left to do; after all
        were compared. Where it may not read what was said before, an answer may still be on its way.
        """
        self.hearing.guild(guild)
        for channel in (*guild.channels, *guild.threads):
            if isinstance(channel, discord.abc.Messageable) and _sees(channel):
                self.hearing.place(channel)
        self.hearing.archived.left(guild)

    # -- what is said -----------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        self.hearing.message(message)

    @commands.Cog.listener()
    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        self.hearing.edited(payload.message)

    @commands.Cog.listener()
    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        self.hearing.deleted(payload.channel_id, payload.guild_id, [payload.message_id])

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        self.hearing.deleted(payload.channel_id, payload.guild_id, payload.message_ids)

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        self.clearing.channel_deleted(channel.id)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        self.clearing.thread_deleted(payload.thread_id)

    # -- who can read it --------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_guild_channel_update(self, _: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        self.hearing.readers_changed(after)
        self._look_again(after)

    @commands.Cog.listener()
    async def on_guild_role_update(self, _: discord.Role, after: discord.Role) -> None:
        if after.is_default():
            self.hearing.readers_changed(*after.guild.channels)
        if after in after.guild.me.roles:
            self._look_again(*after.guild.channels)

    @commands.Cog.listener()
    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        """The bot itself has other roles."""
        if after.id == self.desk.own_id and before.roles != after.roles:
            self._look_again(*after.guild.channels)

    @commands.Cog.listener()
    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        """One that was archived, and so in no list, is opened again."""
        guild = self.desk.bot.get_guild(payload.guild_id)
        thread = None if guild is None else guild.get_thread(payload.thread_id)
        if payload.thread is None and thread is not None and _sees(thread):
            self.hearing.place(thread)

    @commands.Cog.listener()
    async def on_thread_update(self, _: discord.Thread, after: discord.Thread) -> None:
        self.hearing.readers_changed(after)

    def _look_again(self, *channels: discord.abc.GuildChannel) -> None:
        """What the bot may read again is read back: nobody told it what was said while it might not."""
        for channel in channels:
            for each in (channel, *getattr(channel, "threads", ())):
                if isinstance(each, discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread):
                    self.hearing.permitted(each, may_read=_may_read(each))


def _left(began: float) -> float:
    """How long (seconds) writing may take in an end that began then."""
    return max(min(WRITING_SECONDS, CLOSING_SECONDS - (time.monotonic() - began)), LEFT_SECONDS)


def team_owners(team: discord.Team) -> frozenset[int]:
    """Who of a team may do what an owner may: its owner, and those who joined it as admin or developer, as in
    discord.py's `Bot.is_owner`. Who is only invited, or may only read, is none.
    """
    joined = (each for each in team.members if each.membership_state is discord.TeamMembershipState.accepted)
    owners = {each.id for each in joined if each.role in OWNING}
    return frozenset(owners if team.owner_id is None else owners | {team.owner_id})


def invitation(application_id: int) -> str:
    """The link by which whoever manages a server lets the bot in."""
    return discord.utils.oauth_url(application_id, permissions=PERMISSIONS, scopes=("bot", "applications.commands"))


def _may_read(channel: "MessageableChannel") -> bool:
    return _sees(channel) and may_read_back(channel)


def _sees(channel: "MessageableChannel") -> bool:
    """Whether a channel of a server shows itself to the bot, as far as is known."""
    if channel.guild is None or isinstance(channel, discord.PartialMessageable):
        return False
    may = own_rights(channel)
    return may is None or may.view_channel
