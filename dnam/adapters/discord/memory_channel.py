"""The transparency channel: whether the bot can keep it. The doctor asks, and so does the bot when it starts."""

from typing import NamedTuple

import discord

FOR_SNAPSHOTS = ("view_channel", "send_messages", "read_message_history", "pin_messages")
IN_A_THREAD = ("view_channel", "send_messages_in_threads", "read_message_history", "pin_messages")
CHOOSE = "Set DNAM_MEMORY_CHANNEL_ID to a text channel that the bot sees."
GRANT = "Grant it to the bot's role there."


class Hindrance(NamedTuple):
    """Why nothing can be shown there, and what to do about it."""

    what: str
    do: str


async def hindrance(client: discord.Client, channel_id: int) -> Hindrance | None:
    """What stands against showing there what is remembered. Only what is in no cache is asked for over REST:
    discord.HTTPException or a connection's error where that does not work.
    """
    try:
        channel = client.get_channel(channel_id) or await client.fetch_channel(channel_id)
    except (discord.NotFound, discord.Forbidden):
        return Hindrance(f"the bot does not see the channel {channel_id}", CHOOSE)
    if not isinstance(channel, discord.TextChannel | discord.Thread):
        return Hindrance(f"{channel_id} is no text channel of a server", CHOOSE)
    lacks = await _lacks(client, channel)
    if not lacks:
        return None
    return Hindrance(f"in {channel.name} ({channel_id}) the bot lacks {', '.join(lacks)}", GRANT)


async def _lacks(client: discord.Client, channel: discord.TextChannel | discord.Thread) -> list[str]:
    """The permissions that it needs there and has not. Those of a thread are its channel's."""
    needed = IN_A_THREAD if isinstance(channel, discord.Thread) else FOR_SNAPSHOTS
    above = await _parent(client, channel) if isinstance(channel, discord.Thread) else channel
    guild = client.get_guild(channel.guild.id) or await client.fetch_guild(channel.guild.id, with_counts=False)
    assert client.user is not None
    me = guild.get_member(client.user.id) or await guild.fetch_member(client.user.id)
    above.guild = guild  # with its roles, which a channel that was asked for does not bring
    may = above.permissions_for(me)
    return [in_words(name) for name in needed if not getattr(may, name)]


async def _parent(client: discord.Client, thread: discord.Thread) -> discord.TextChannel | discord.ForumChannel:
    found = thread.parent or await client.fetch_channel(thread.parent_id)
    assert isinstance(found, discord.TextChannel | discord.ForumChannel)
    return found


def in_words(permission: str) -> str:
    """A permission as Discord's own settings call it: Read Message History."""
    return permission.replace("_", " ").title().replace(" In ", " in ")
