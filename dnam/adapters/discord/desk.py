"""The desk: what everything that faces Discord shares. The cog makes one; listeners, commands and buttons hold it.

    desk.assistant, desk.memory            what is asked and changed
    desk.owners, desk.is_owner(user)       whose bot it is
    desk.askers                            who asks and where, as `dnam.commands` wants it
    await desk.run_in_session(queue, work, slow=…) in order with what is said there
    desk.sent(message)                     "this message is ours": it is not heard as something that was said

`await dnam.adapters.discord.ui.attach(desk)` is called once, before the bot is ready, and adds commands and menus to
`desk.bot`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, TypeVar, cast

import aiohttp
import discord
from discord.ext import commands

from dnam.adapters.discord.askers import UNSURE, Askers, invocation, place_of_interaction
from dnam.adapters.discord.own_messages import OwnMessages
from dnam.adapters.discord.places import PLATFORM, is_known, queue_of
from dnam.adapters.discord.respond import Allowed
from dnam.assistant import Assistant
from dnam.commands.command import File
from dnam.configuration import PlaceConfig, RespondMode, config_for, value_for
from dnam.logs import OWN_WORDS
from dnam.sessions import Sessions
from dnam.settings import DEFAULT, Settings
from dnam.unwritten import Unwritten
from dnam.whereabouts import handle_of, last_said
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen, place_ref
from projections.decisions.work import JobRequest, record_job
from projections.ids import FIRST, NOBODY, Handle, Point, Ref
from projections.pending import open_threads
from projections.people import accounts_of
from projections.places import PLACES
from projections.policies.learned_from import Learn
from projections.quoting import line_name
from projections.rows import Rows
from replay.errors import LogError

if TYPE_CHECKING:
    from discord.abc import MessageableChannel

T = TypeVar("T")
UNREACHED = (discord.HTTPException, aiohttp.ClientError, OSError)
"""What is raised when Discord, or the network on the way to it, does not do what was asked."""
AUDIENCES = "discord:audiences"
"""The queue of what is compared when channels and roles change."""
NO_DIRECT = "I may not write you a direct message. Allow those in this server's privacy settings, and ask me again."
NEVER = Point(0, FIRST)
"""Before all that is said."""
log = logging.getLogger(__name__)


class Desk(OwnMessages):
    """One bot, its assistant, and what they share."""

    def __init__(
        self,
        bot: commands.Bot | commands.AutoShardedBot,
        assistant: Assistant,
        unwritten: Unwritten | None = None,
        *,
        owns_commands: bool = False,
    ) -> None:
        super().__init__(bot, assistant)
        self.owns_commands = owns_commands
        """Whether the bot has no commands but ours: then Discord forgets all others that it knows of the bot."""
        self.sessions = Sessions()
        self.unwritten = Unwritten(tell=_warn) if unwritten is None else unwritten
        assistant.failures.tell = assistant.trouble.tell = _warn
        assistant.admits = self._admits
        self.owners: frozenset[int] = frozenset(map(int, assistant.memory.settings.owner_ids))
        """Where no setting says, the application's owner or its team: known once the bot is connected."""
        self.uncompared: dict[str, PlaceSeen] = {}
        """Places, by their key, of which it could not be recorded who can read them now."""
        self.comparing: dict[str, PlaceSeen] = {}
        """Those of which that was told and is not recorded yet."""
        self.compare_again: Callable[[], None] = _nothing
        """Begins to compare those once more, in the queue of AUDIENCES."""
        self.askers = Askers(self, self.is_owner, self.is_unsure_of)

    def take_name(self) -> None:
        """The bot goes by the name that it has in Discord, where no setting gives it one."""
        settings, user = self.memory.settings, self.bot.user
        if user is not None and settings.origins["DNAM_ASSISTANT_NAME"] == DEFAULT:
            self.memory.settings = replace(settings, assistant_name=line_name(user.display_name))

    def is_owner(self, user: discord.abc.User) -> bool:
        """Whether this is one of the bot's owners."""
        return user.id in self.owners

    @property
    def allowed(self) -> Allowed:
        """Whom the bot answers, as far as lists say."""
        settings = self.memory.settings
        users, guilds = frozenset(map(int, settings.allow_users)), frozenset(map(int, settings.allow_guilds))
        return Allowed(users, guilds, self.owners)

    def _admits(self, rows: Rows, person: Handle) -> bool:
        """Whether somebody's direct messages are answered, by the lists as they are now."""
        ids = (each.row.platform_id for each in accounts_of(rows, person) if each.row.platform == PLATFORM)
        allowed = self.allowed
        return any(allowed.admits(int(each), None) for each in ids if each.isdecimal())

    async def config(self, place: PlaceSeen, who: Account) -> PlaceConfig:
        """What is in force for somebody in a place; what the settings say, where nothing can be read."""
        settings = self.memory.settings
        try:
            return await self.memory.look(lambda rows: _config(rows, settings, place, who))
        except (LogError, OSError):
            return PlaceConfig(
                cast(RespondMode, self.mode_unread(place)),
                settings.message_history_count,
                cast(Learn, settings.learn),
                settings.retention_days,
            )

    def mode_unread(self, place: PlaceSeen) -> str:
        """What is answered in a place, where what is configured cannot be read."""
        return self.memory.settings.respond_mode if place.partner is None else "mention"

    async def is_silent_for(self, user: discord.abc.User, place: PlaceSeen, who: Account) -> bool:
        """Whether nothing that somebody asks of the memory is replied to there where all can read it."""
        mode = (await self.config(place, who)).respond_mode
        return mode == "none" or (mode == "owner" and not self.is_owner(user))

    def respond_mode(self, rows: Rows, place: PlaceSeen, who: Account) -> str:
        """What of that says which messages are answered, by these rows."""
        partner = handle_of(rows, place.partner) if place.partner else NOBODY
        ref, settings = place_ref(place, partner), self.memory.settings
        return value_for(rows, settings, "respond_mode", handle_of(rows, who), ref, place.guild, place.parent)

    async def is_hosts_command(self, message: discord.Message) -> bool:
        """Whether a text is a command that somebody else's bot has besides, and answers itself."""
        return not self.owns_commands and (await self.bot.get_context(message)).valid

    # -- in order ---------------------------------------------------------------------------------------------------

    async def run_in_session(self, queue: str, work: Callable[[], Awaitable[T]], *, slow: bool) -> T:
        """Do this in order with everything else of a session, which waits for it as `begun` says; `queue` is
        `queue_of(place)`.
        """

        async def closed_first() -> asyncio.Task[T]:
            await self.closed()
            return await self.begun(work, slow=slow)

        return await asyncio.shield(await self.sessions.run(queue, closed_first))

    async def begun(self, work: Callable[[], Awaitable[T]], *, slow: bool = False) -> "asyncio.Task[T]":
        """Do this, and wait for it no longer than an answer waits for the log: what is said next is answered meanwhile.
        For what is `slow` in any case nothing waits.
        """
        task = self.sessions.begin(work)
        if not slow:
            with suppress(TimeoutError):
                async with self.unwritten.limit():
                    await asyncio.wait({task})
        return task

    async def closed(self) -> None:
        """Until what was told of who can read a place is recorded: what closed anywhere is told nowhere after that.
        What could not be recorded is tried once more; what rests on it, or on what takes too long to record, stays
        closed meanwhile (`is_unsure_of`).
        """
        if self.uncompared:
            self.compare_again()
        if not self.sessions.is_busy(AUDIENCES):
            return
        try:
            async with self.unwritten.limit():
                await self.sessions.passed(AUDIENCES)
        except TimeoutError:
            self.uncompared.update(self.comparing)

    def is_unsure_of(self, guild: Ref | None) -> bool:
        """Whether something may be open to a whole guild that is not: a place of it could not be compared, or Discord
        does not tell of it.
        """
        if guild is None:
            return False
        return not self.knows_guild(int(guild.key)) or any(each.guild == guild for each in self.uncompared.values())

    def knows_guild(self, guild_id: int | None) -> bool:
        """Whether Discord tells who can read what in a guild; where a place is in none, there is nothing to tell."""
        return guild_id is None or is_known(self.bot.get_guild(guild_id))

    def queue_of(self, interaction: discord.Interaction) -> str:
        """The queue of the place where something is used."""
        return queue_of(place_of_interaction(interaction))

    # -- what is handed over ----------------------------------------------------------------------------------------

    async def handed_over(self, user: "discord.User | discord.Member", text: str, file: File | None) -> str:
        """Send somebody a file in a direct message; what to tell them then, which is `text` where it arrived.

        discord.HTTPException when that does not work just now.
        """
        if file is None:
            return text
        try:
            sent = await user.send(
                file=discord.File(BytesIO(file.data), file.name),
                allowed_mentions=discord.AllowedMentions.none(),
                suppress_embeds=True,
            )
        except discord.Forbidden:
            return NO_DIRECT
        self.sent(sent)
        await self.askers.wrote_to(user)
        return text

    # -- what went wrong --------------------------------------------------------------------------------------------

    async def could_not_ask(self, job: str, error: Exception) -> None:
        """Note why. That nobody knows who can read a channel was noted when it came to be so."""
        if str(error) != UNSURE:
            await self.failed(job, error)

    async def failed(self, job: str, error: Exception) -> None:
        """Keep it as an event, and in the log of the program, without anybody's words."""
        words = error_words(error)
        log.warning("discord: %s failed: %s%s", job, words, _line(error))
        memory = self.memory
        request = JobRequest(f"discord {job}", words, memory.now(), memory.origin())

        async def step() -> None:
            await memory.record(lambda rows: record_job(rows, request))

        await self.unwritten.write("failure", step)

    # -- where ------------------------------------------------------------------------------------------------------

    async def direct_partners(self) -> list[int]:
        """With whom the bot has DMs, by Discord's ids: those who said something there last come first, and behind them
        those of whose words none are known.
        """
        try:
            return await self.memory.look(_direct_partners)
        except (LogError, OSError) as error:
            await self.failed("looking for DMs", error)
            return []

    async def open_threads(self, guild_id: int, since: int) -> list[int]:
        """Threads of a guild in which something said since then (ms) is still to be answered, or an answer to be sent,
        by Discord's ids.
        """
        guild = Ref(PLATFORM, str(guild_id))
        try:
            found = await self.memory.look(lambda rows: open_threads(rows, guild, since))
        except (LogError, OSError) as error:
            await self.failed("looking for archived threads", error)
            return []
        return [int(each.key) for each in found if each.key.isdecimal()]

    def channel(self, channel_id: int, guild_id: int | None) -> "MessageableChannel | None":
        """A place as far as it is in the cache."""
        if guild_id is None:
            found = self.bot.get_channel(channel_id)
        else:
            guild = self.bot.get_guild(guild_id)
            found = None if guild is None else guild.get_channel_or_thread(channel_id)
        return found if isinstance(found, discord.abc.Messageable) else None


def _nothing() -> None:
    """Where nobody compares."""


def _warn(words: str) -> None:
    """Into the bot's log: what waits, what is lost, and what fails behind it."""
    log.warning("%s", words)


def error_words(error: Exception) -> str:
    """What went wrong, where the program's words quote nobody; else its kind. Discord may quote what was to be sent,
    and a BadRequest what somebody typed.
    """
    if isinstance(error, discord.HTTPException):
        return f"{type(error).__name__}: status {error.status}, code {error.code}"
    return str(error) if isinstance(error, OWN_WORDS) else type(error).__name__


def _line(error: Exception) -> str:
    """The line that raised what nobody foresaw, without a word of what it worked on; empty for all else."""
    frames = extract_tb(error.__traceback__)
    if not frames or isinstance(error, (*OWN_WORDS, *UNREACHED)):
        return ""
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"


def _config(rows: Rows, settings: Settings, place: PlaceSeen, who: Account) -> PlaceConfig:
    asked = invocation(rows, who, place)
    partner = handle_of(rows, place.partner) if place.partner else NOBODY
    return config_for(rows, settings, asked.person, place_ref(place, partner), place.guild, place.parent)


def _direct_partners(rows: Rows) -> list[int]:
    found = [each for each in rows.scan(PLACES) if each.row.person and each.row.place.platform == PLATFORM]
    latest = sorted(found, key=lambda each: (last_said(rows, each.row.session, 0) or NEVER, each.seq), reverse=True)
    accounts = (account.row for each in latest for account in accounts_of(rows, each.row.person))
    return [int(each.platform_id) for each in accounts if each.platform == PLATFORM and each.platform_id.isdecimal()]
