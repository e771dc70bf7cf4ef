"""All that there is on this Discord, and how it tells what happens.

State is changed by plain functions, which `tell` an event each; the gateway hands events to clients in that order.
Whoever waits (`until`) is woken by every change: nothing polls.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from tests.loopback.discord.channels import Channel, ChannelKind
from tests.loopback.discord.commands import Command
from tests.loopback.discord.description import Violation
from tests.loopback.discord.errors import unknown
from tests.loopback.discord.guilds import Guild, Member, Role, guild_create
from tests.loopback.discord.users import NOTHING, Application, Intent, User
from tests.loopback.discord.wire import Clock, Snowflakes, Wire

if TYPE_CHECKING:
    from tests.loopback.discord.interactions import Interaction

T = TypeVar("T")
PATIENCE_SECONDS = 90
"""A condition that does not come true for so long never will: a guard against hanging, not a measure."""


OF_GUILDS = ("GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE")
"""Events whose own id is a guild's."""


@dataclass(frozen=True)
class Event:
    """Something to tell clients, as far as they asked for it (`intent`) and see its channel."""

    name: str
    data: Wire
    intent: Intent = NOTHING
    """One of these is enough; none: it is told to everybody."""
    channel: Channel | None = None
    bare: Wire | None = None
    """The same for who lacks the message content intent."""

    @property
    def guild(self) -> int | None:
        """The id of the guild that it is about."""
        found = self.data.get("guild_id") or (self.data["id"] if self.name in OF_GUILDS else None)
        return None if found is None else int(found)


@dataclass
class Settings:
    """What a test may change at any time."""

    pin_limit: int = 250
    shards: int = 1
    """How many shards it recommends to a bot that asks."""
    gateway_url: str = ""
    address: str = ""


class State:
    """Users, guilds, channels and the application under test."""

    def __init__(self, clock: Clock, name: str, token: str) -> None:
        self.ids = Snowflakes(clock)
        self.settings = Settings()
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.commands: dict[int, Command] = {}
        self.interactions: dict[int, Interaction] = {}
        self.listeners: list[Callable[[Event], None]] = []
        self.violations: list[Violation] = []
        self._waiting: set[asyncio.Future[None]] = set()
        owner = self.add_user("Owner", bot=False)
        bot = self.add_user(name, bot=True)
        self.application = Application(bot.id, token, bot, owner)

    @property
    def bot(self) -> User:
        return self.application.bot

    def add_user(self, name: str, bot: bool) -> User:
        user = User(self.ids.next(), name, bot)
        self.users[user.id] = user
        return user

    def add_channel(self, channel: Channel) -> Channel:
        self.channels[channel.id] = channel
        if channel.guild is not None:
            channel.guild.channels[channel.id] = channel
        return channel

    def direct(self, user: User) -> Channel:
        """The DM of the bot with somebody, made when it is first needed."""
        for each in self.channels.values():
            if each.is_dm and user in each.recipients:
                return each
        return self.add_channel(Channel(self.ids.next(), ChannelKind.DM, recipients=[user, self.bot]))

    def channel(self, channel: int) -> Channel:
        """A channel by id; raises Refused."""
        if channel not in self.channels or self.channels[channel].gone:
            raise unknown("Channel")
        return self.channels[channel]

    def guild(self, guild: int) -> Guild:
        """A guild that the bot is in, by id; raises Refused."""
        if guild not in self.guilds or self.bot.id not in self.guilds[guild].members:
            raise unknown("Guild")
        return self.guilds[guild]

    def guilds_of(self, user: User) -> list[Guild]:
        return [each for each in self.guilds.values() if user.id in each.members]

    # What happens to guilds; each is told

    def new_guild(self, guild: Guild) -> None:
        self.guilds[guild.id] = guild
        self._came(guild)

    def new_channel(self, channel: Channel) -> Channel:
        self.add_channel(channel)
        self.tell(Event("CHANNEL_CREATE", channel.wire(self.bot), Intent.GUILDS))
        return channel

    def changed_channel(self, channel: Channel) -> None:
        self.tell(Event("CHANNEL_UPDATE", channel.wire(self.bot), Intent.GUILDS))

    def deleted_channel(self, channel: Channel) -> None:
        """It is gone. Of the threads in it Discord tells nothing."""
        self.tell(Event("CHANNEL_DELETE", channel.wire(self.bot), Intent.GUILDS, channel))
        channel.gone = True
        for each in self.channels.values():
            each.gone = each.gone or each.parent is channel

    def archive(self, thread: Channel, archived: bool, locked: bool = False) -> None:
        """A thread is archived, or opened again."""
        if archived != thread.archived:
            thread.archived_at = self.ids.now()
        thread.archived, thread.locked = archived, locked
        self.changed_thread(thread)

    def changed_thread(self, thread: Channel) -> None:
        self.tell(Event("THREAD_UPDATE", thread.wire(self.bot), Intent.GUILDS, thread))

    def new_role(self, guild: Guild, role: Role, holders: Sequence[User]) -> None:
        guild.roles[role.id] = role
        self.tell(Event("GUILD_ROLE_CREATE", {"guild_id": str(guild.id), "role": role.wire()}, Intent.GUILDS))
        for each in holders:
            guild.members[each.id].roles.append(role)
            self._member_changed(guild, each)

    def changed_role(self, guild: Guild, role: Role) -> None:
        self.tell(Event("GUILD_ROLE_UPDATE", {"guild_id": str(guild.id), "role": role.wire()}, Intent.GUILDS))

    def joins(self, guild: Guild, member: Member) -> None:
        guild.members[member.user.id] = member
        if member.user is self.bot:
            self._came(guild)
        else:
            self.tell(Event("GUILD_MEMBER_ADD", member.wire() | {"guild_id": str(guild.id)}, Intent.MEMBERS))

    def leaves(self, guild: Guild, user: User) -> None:
        if user is self.bot:
            self.tell(Event("GUILD_DELETE", {"id": str(guild.id)}, Intent.GUILDS))
        else:
            gone = {"guild_id": str(guild.id), "user": user.wire()}
            self.tell(Event("GUILD_MEMBER_REMOVE", gone, Intent.MEMBERS))
        del guild.members[user.id]

    def _came(self, guild: Guild) -> None:
        if self.bot.id in guild.members:
            self.tell(Event("GUILD_CREATE", guild_create(self.bot, guild, NOTHING), Intent.GUILDS))

    def _member_changed(self, guild: Guild, user: User) -> None:
        data = guild.members[user.id].wire() | {"guild_id": str(guild.id)}
        intent = Intent.GUILDS if user is self.bot else Intent.MEMBERS
        self.tell(Event("GUILD_MEMBER_UPDATE", data, intent))

    # How it is told

    def tell(self, event: Event) -> None:
        for each in self.listeners:
            each(event)
        self.changed()

    def violated(self, violation: Violation) -> None:
        """Keep what was said against the description; the test fails with it."""
        self.violations.append(violation)
        self.changed()

    def changed(self) -> None:
        """Wake all who wait."""
        for each in self._waiting:
            if not each.done():
                each.set_result(None)

    async def until(self, holds: Callable[[], T], what: str = "") -> T:
        """Wait until a condition is true, and return its value. Raises Violation as soon as there is one."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not (value := holds()):
                    self.check()
                    await self._change()
                return value
        except TimeoutError:
            raise AssertionError(f"waited in vain for {what or 'a condition'}") from None

    def check(self) -> None:
        """Raises the first Violation that there was."""
        if self.violations:
            raise self.violations[0]

    async def _change(self) -> None:
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        try:
            await waiting
        finally:
            self._waiting.discard(waiting)
