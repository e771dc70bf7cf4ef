"""Discord's objects as discord.py makes them from what Discord sends, without a connection."""

from typing import Any

import discord

OWN = 99
GUILD = 7
SNOWFLAKE = 1_174_110_000_000_000_000
"""An id from November 2023."""
KIM = {"id": "1", "username": "kim", "global_name": "Kim", "discriminator": "0", "avatar": None}
ADA = {"id": "2", "username": "ada", "global_name": "Ada", "discriminator": "0", "avatar": None}
BOT = {"id": str(OWN), "username": "marcy", "discriminator": "0", "avatar": None, "bot": True}
ROBO = {"id": "3", "username": "robo", "discriminator": "0", "avatar": None, "bot": True}
VIEW = 1 << 10
HISTORY = 1 << 16
EVERYONE = VIEW | HISTORY
"""VIEW_CHANNEL and READ_MESSAGE_HISTORY, what @everyone has in the guild."""
CONNECT = 1 << 20


def state() -> Any:
    """What discord.py keeps of a connection."""
    return discord.Client(intents=discord.Intents.none())._connection


def role(number: int, name: str, permissions: int = 0, **more: Any) -> dict[str, Any]:
    colors = {"primary_color": 0, "secondary_color": None, "tertiary_color": None}
    return {
        "id": str(number), "name": name, "permissions": str(permissions), "position": 1, "color": 0, "colors": colors,
        "hoist": False, "managed": False, "mentionable": False, "flags": 0, **more,
    }  # fmt: skip


def guild(everyone: int = EVERYONE, channels: tuple[dict[str, Any], ...] = (), roles: bool = True) -> discord.Guild:
    own = role(50, "Marcy", tags={"bot_id": str(OWN)}, managed=True)
    known = [role(GUILD, "@everyone", everyone), own, role(51, "gardeners")] if roles else []
    data = {"id": str(GUILD), "name": "Garden", "owner_id": "1", "roles": known, "channels": list(channels)}
    return discord.Guild(data=data, state=state())  # type: ignore[arg-type] # the rest of a guild is not needed


def channel(number: int = 10, kind: int = 0, *, hidden: bool = False, **more: Any) -> dict[str, Any]:
    closed = {"id": str(GUILD), "type": 0, "allow": "0", "deny": str(EVERYONE)}
    return {
        "id": str(number), "type": kind, "name": f"channel-{number}", "guild_id": str(GUILD), "position": 0,
        "permission_overwrites": [closed] if hidden else [], "nsfw": False, "parent_id": None, **more,
    }  # fmt: skip


def thread(home: discord.Guild, kind: int, parent: int) -> discord.Thread:
    about = {"archived": False, "auto_archive_duration": 60, "archive_timestamp": "2023-11-15T00:00:00+00:00"}
    data = {
        "id": "20", "type": kind, "name": "seeds", "guild_id": str(GUILD), "parent_id": str(parent), "owner_id": "1",
        "message_count": 0, "member_count": 1, "thread_metadata": about | {"locked": False},
    }  # fmt: skip
    return discord.Thread(guild=home, state=home._state, data=data)  # type: ignore[arg-type]  # the rest of a thread is not needed


def direct(partner: dict[str, Any] = KIM) -> discord.DMChannel:
    known = state()
    data = {"id": "30", "type": 1, "recipients": [partner]}
    return discord.DMChannel(me=discord.ClientUser(state=known, data=BOT), state=known, data=data)  # type: ignore[arg-type]  # the rest is not needed


def message(content: str = "hello", where: Any = None, author: dict[str, Any] = KIM, **more: Any) -> discord.Message:
    """A message; by default Kim's, in an open channel."""
    place: Any = where or guild(channels=(channel(),)).get_channel(10)
    data = {
        "id": str(SNOWFLAKE), "channel_id": str(place.id), "author": author, "content": content, "type": 0,
        "timestamp": "2023-11-15T00:00:00+00:00", "edited_timestamp": None, "tts": False, "mention_everyone": False,
        "mentions": [], "mention_roles": [], "attachments": [], "embeds": [], "pinned": False, **more,
    }  # fmt: skip
    return discord.Message(state=place._state, channel=place, data=data)  # type: ignore[arg-type]  # all that a message needs to be made


def reply_to(author: dict[str, Any], number: int = 500, where: int = 10, kind: int = 0) -> dict[str, Any]:
    """What makes a message a reply."""
    answered = {
        "id": str(number), "channel_id": str(where), "author": author, "content": "before", "type": 0,
        "timestamp": "2023-11-15T00:00:00+00:00", "edited_timestamp": None, "tts": False, "mention_everyone": False,
        "mentions": [], "mention_roles": [], "attachments": [], "embeds": [], "pinned": False,
    }  # fmt: skip
    reference = {"message_id": str(number), "channel_id": str(where), "guild_id": str(GUILD), "type": kind}
    return {"message_reference": reference, "referenced_message": answered, "type": 19}
