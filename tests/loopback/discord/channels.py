"""Channels of all kinds: of a guild, threads, and what is said directly."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from tests.loopback.discord.messages import Message
from tests.loopback.discord.permissions import NONE, TALKING, Overwrite, Permission
from tests.loopback.discord.users import User
from tests.loopback.discord.wire import Wire, made_at

if TYPE_CHECKING:
    from tests.loopback.discord.guilds import Guild


class ChannelKind(IntEnum):
    """(Discord's documentation, Channel: Channel Types)"""

    TEXT = 0
    DM = 1
    ANNOUNCEMENT = 5
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12
    FORUM = 15


THREADS = (ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD)


@dataclass(eq=False)
class Channel:
    """A channel, thread or DM with the messages in it, oldest first."""

    id: int
    kind: ChannelKind
    name: str = ""
    guild: "Guild | None" = None
    parent: "Channel | None" = None
    topic: str | None = None
    overwrites: list[Overwrite] = field(default_factory=list)
    messages: dict[int, Message] = field(default_factory=dict)
    last_message_id: int | None = None
    """It stays when that message is deleted."""
    pins: dict[int, str] = field(default_factory=dict)
    """Which messages are pinned, and since when; the last pinned is the last."""
    recipients: list[User] = field(default_factory=list)
    """Of a DM: the bot and somebody. Of a thread: who is in it."""
    owner: User | None = None
    archived: bool = False
    archived_at: str = ""
    """Of a thread: when it was last archived or opened again; empty for when it began."""
    locked: bool = False
    gone: bool = False
    joined: dict[int, str] = field(default_factory=dict)
    """Of a thread: since when who is in it."""

    def __repr__(self) -> str:
        return f"#{self.name}" if self.name else f"DM with {', '.join(e.name for e in self.recipients if not e.bot)}"

    @property
    def is_thread(self) -> bool:
        return self.kind in THREADS

    @property
    def is_dm(self) -> bool:
        return self.kind == ChannelKind.DM

    def allowed(self, user: User) -> Permission:
        """What somebody may do here."""
        if self.guild is None:
            return TALKING | Permission.PIN_MESSAGES if user in self.recipients else NONE
        if self.parent is not None:
            return self._allowed_in_thread(user, self.parent.allowed(user))
        return self.guild.allowed(user, self.overwrites)

    def _allowed_in_thread(self, user: User, above: Permission) -> Permission:
        hidden = self.kind == ChannelKind.PRIVATE_THREAD and user not in self.recipients
        if hidden and not above & Permission.MANAGE_THREADS:
            return NONE
        speaks = above & Permission.SEND_MESSAGES_IN_THREADS
        return above | Permission.SEND_MESSAGES if speaks else above & ~Permission.SEND_MESSAGES

    def sees(self, user: User) -> bool:
        return bool(self.allowed(user) & Permission.VIEW_CHANNEL)

    def wire(self, viewer: User) -> Wire:
        """As `viewer` gets it: a DM names the other one."""
        shared: Wire = {
            "id": str(self.id),
            "type": int(self.kind),
            "flags": 0,
            "last_message_id": str(self.last_message_id) if self.last_message_id else None,
        }
        if self.pins:
            shared["last_pin_timestamp"] = max(self.pins.values())
        if self.guild is None:
            return shared | {"recipients": [each.wire() for each in self.recipients if each is not viewer]}
        return shared | self._named() | (self._thread(viewer) if self.is_thread else self._channel())

    def _named(self) -> Wire:
        assert self.guild is not None
        parent = str(self.parent.id) if self.parent else None
        return {"guild_id": str(self.guild.id), "name": self.name, "parent_id": parent, "rate_limit_per_user": 0}

    def _channel(self) -> Wire:
        assert self.guild is not None
        shown: Wire = {"topic": self.topic, "position": 0, "nsfw": False}
        shown["permission_overwrites"] = [
            {"id": str(each.of), "type": int(each.member), "allow": str(int(each.allow)), "deny": str(int(each.deny))}
            for each in self.overwrites
        ]
        if self.kind == ChannelKind.FORUM:
            shown |= {"available_tags": [], "default_reaction_emoji": None, "default_sort_order": None}
            shown |= {"default_forum_layout": 0}
        return shown

    @property
    def changed_at(self) -> str:
        """Of a thread: its archive timestamp."""
        return self.archived_at or made_at(self.id)

    def _thread(self, viewer: User) -> Wire:
        assert self.owner is not None
        since = made_at(self.id)
        shown: Wire = {
            "owner_id": str(self.owner.id),
            "message_count": len(self.messages),
            "total_message_sent": len(self.messages),
            "member_count": len(self.recipients),
            "thread_metadata": {
                "archived": self.archived,
                "archive_timestamp": self.changed_at,
                "auto_archive_duration": 1440,
                "locked": self.locked,
                "create_timestamp": since,
            },
        }
        if self.kind == ChannelKind.PRIVATE_THREAD:
            shown["thread_metadata"]["invitable"] = True
        return shown | ({"member": self.member(viewer)} if viewer in self.recipients else {})

    def member(self, user: User) -> Wire:
        """Somebody in this thread."""
        return {"id": str(self.id), "user_id": str(user.id), "join_timestamp": self.joined[user.id], "flags": 0}
