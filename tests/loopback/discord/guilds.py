"""Guilds, their roles and their members.

A test sets one up in plain words, before or after the bot has come:

    garden = world.guild("Garden", kim, ada)
    general = garden.channel("general")
    cellar = garden.channel("cellar", hidden_from=[world.bot])
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.loopback.discord.channels import Channel, ChannelKind
from tests.loopback.discord.permissions import ALL, NONE, Overwrite, Permission, everywhere, here
from tests.loopback.discord.users import Intent, User
from tests.loopback.discord.wire import Wire

if TYPE_CHECKING:
    from tests.loopback.discord.state import State


NOTHING_THERE = (
    *("icon", "description", "home_header", "splash", "discovery_splash", "banner", "application_id"),
    *("afk_channel_id", "system_channel_id", "widget_channel_id", "max_presences", "vanity_url_code"),
    *("rules_channel_id", "safety_alerts_channel_id", "public_updates_channel_id", "incidents_data"),
)
ZERO = (
    *("system_channel_flags", "verification_level", "default_message_notifications", "mfa_level"),
    *("explicit_content_filter", "premium_tier", "premium_subscription_count", "nsfw_level"),
)
"""What a plain guild says of everything that it does not have."""


@dataclass(eq=False)
class Role:
    id: int
    name: str
    permissions: Permission
    position: int = 1
    managed: bool = False
    mentionable: bool = False
    """Whether everybody may call its holders."""
    bot: int | None = None
    """Whose own role it is, by the id of that bot."""

    @property
    def mention(self) -> str:
        """What stands in a message that calls its holders."""
        return f"<@&{self.id}>"

    def wire(self) -> Wire:
        return {
            "id": str(self.id),
            "name": self.name,
            "permissions": str(int(self.permissions)),
            "position": self.position,
            "color": 0,
            "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
            "hoist": False,
            "managed": self.managed,
            "mentionable": self.mentionable,
            "icon": None,
            "unicode_emoji": None,
            "flags": 0,
        } | ({} if self.bot is None else {"tags": {"bot_id": str(self.bot)}})


@dataclass(eq=False)
class Member:
    user: User
    joined_at: str
    roles: list[Role] = field(default_factory=list)
    nick: str | None = None

    def wire(self, user: bool = True) -> Wire:
        """With its user, as REST gives it; without, as it stands beside a message's author."""
        return {
            "avatar": None,
            "banner": None,
            "communication_disabled_until": None,
            "flags": 0,
            "joined_at": self.joined_at,
            "nick": self.nick,
            "pending": False,
            "premium_since": None,
            "roles": [str(each.id) for each in self.roles],
            "mute": False,
            "deaf": False,
        } | ({"user": self.user.wire()} if user else {})


@dataclass(eq=False)
class Guild:
    """A guild as it now is. Its everyone role has its own id, as Discord has it."""

    state: "State"
    id: int
    name: str
    owner: User
    roles: dict[int, Role] = field(default_factory=dict)
    members: dict[int, Member] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    """Channels and threads."""

    def __repr__(self) -> str:
        return self.name

    @property
    def everyone(self) -> Role:
        return self.roles[self.id]

    # What a test does

    def channel(
        self,
        name: str,
        kind: ChannelKind = ChannelKind.TEXT,
        *,
        topic: str | None = None,
        hidden_from: Sequence[User] = (),
        only_for: Sequence[User] = (),
    ) -> Channel:
        """A new channel: seen by everyone, by all but some, or by some alone."""
        channel = Channel(self.state.ids.next(), kind, name, self, topic=topic)
        channel.overwrites = [Overwrite(each.id, True, deny=Permission.VIEW_CHANNEL) for each in hidden_from]
        if only_for:
            channel.overwrites.append(Overwrite(self.id, False, deny=Permission.VIEW_CHANNEL))
            channel.overwrites += [Overwrite(each.id, True, allow=Permission.VIEW_CHANNEL) for each in only_for]
        return self.state.new_channel(channel)

    def permit(self, channel: Channel, user: User, allow: Permission = NONE, deny: Permission = NONE) -> None:
        """From now on somebody may do this and may not do that in a channel."""
        channel.overwrites = [each for each in channel.overwrites if each.of != user.id]
        channel.overwrites.append(Overwrite(user.id, True, allow, deny))
        self.state.changed_channel(channel)

    def role(self, name: str, permissions: Permission, *holders: User) -> Role:
        """A new role, and who has it."""
        role = Role(self.state.ids.next(), name, permissions, position=len(self.roles))
        self.state.new_role(self, role, holders)
        return role

    def grants(self, role: Role, permissions: Permission) -> None:
        """From now on a role grants this; `guild.everyone` is everybody's."""
        role.permissions = permissions
        self.state.changed_role(self, role)

    def add(self, *users: User) -> None:
        """They join."""
        for each in users:
            self.state.joins(self, Member(each, self.state.ids.now()))

    def remove(self, user: User) -> None:
        """They leave or are kicked; the bot itself: it is thrown out."""
        self.state.leaves(self, user)

    # What there is

    def threads(self) -> Iterator[Channel]:
        return (each for each in self.channels.values() if each.is_thread)

    def allowed(self, user: User, overwrites: list[Overwrite] | None = None) -> Permission:
        """What somebody may do in the guild, or under these overwrites."""
        member = self.members.get(user.id)
        if member is None:
            return NONE
        if user is self.owner:
            return ALL
        base = everywhere([self.everyone.permissions, *(each.permissions for each in member.roles)])
        if overwrites is None:
            return base
        return here(base, overwrites, self.id, {each.id for each in member.roles}, user.id)

    def wire(self) -> Wire:
        """As REST gives it."""
        nothing = dict.fromkeys(NOTHING_THERE)
        zero = dict.fromkeys(ZERO, 0)
        limits = {"max_members": 500000, "max_stage_video_channel_users": 50, "max_video_channel_users": 25}
        flags = dict.fromkeys(("widget_enabled", "premium_progress_bar_enabled", "nsfw"), False)
        return (
            nothing
            | zero
            | limits
            | flags
            | {
                "id": str(self.id),
                "name": self.name,
                "owner_id": str(self.owner.id),
                "region": "deprecated",
                "afk_timeout": 300,
                "preferred_locale": "en-US",
                "features": [],
                "emojis": [],
                "stickers": [],
                "roles": [each.wire() for each in self.roles.values()],
            }
        )


def guild_create(bot: User, guild: Guild, intents: Intent) -> Wire:
    """A guild with all its channels, also those one does not see, and the threads one does; of these none that is
    archived.

    Of the members only oneself, unless presences are asked for. (Discord's documentation, Gateway: Guild Create)
    """
    mine = guild.members[bot.id]
    members = list(guild.members.values()) if intents & Intent.PRESENCES else [mine]
    channels = [each for each in guild.channels.values() if not (each.gone or each.archived)]
    return guild.wire() | {
        "joined_at": mine.joined_at,
        "large": False,
        "unavailable": False,
        "member_count": len(guild.members),
        "voice_states": [],
        "members": [each.wire() for each in members],
        "channels": [each.wire(bot) for each in channels if not each.is_thread],
        "threads": [each.wire(bot) for each in channels if each.is_thread and each.sees(bot)],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }
