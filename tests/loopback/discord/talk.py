"""Saying, editing, deleting and pinning: what happens to a message, and the event that tells it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.loopback.discord.channels import Channel
from tests.loopback.discord.messages import Message, MessageKind, Said
from tests.loopback.discord.state import Event, State
from tests.loopback.discord.users import Intent, User
from tests.loopback.discord.wire import Wire


def post(state: State, channel: Channel, message: Message) -> Message:
    """A message that was not there before. A thread that was archived is opened by it, and that is told first."""
    if channel.archived and not channel.locked:
        state.archive(channel, False)
    channel.messages[message.id] = message
    channel.last_message_id = max(message.id, channel.last_message_id or 0)
    state.tell(message_event(state, "MESSAGE_CREATE", channel, message))
    return message


def edit(state: State, channel: Channel, message: Message, said: Said, silent: bool = False) -> Message:
    """It now says something else. `silent`: it counts as not edited, like a link preview that arrives."""
    if said.content != message.said.content:
        message.history.append(message.said.content)
    message.said = said
    message.edited_at = message.edited_at if silent else state.ids.now()
    state.tell(message_event(state, "MESSAGE_UPDATE", channel, message))
    return message


def delete(state: State, channel: Channel, messages: Sequence[Message]) -> None:
    """They are gone; several at once are told at once."""
    for each in messages:
        each.deleted = True
        channel.messages.pop(each.id, None)
        channel.pins.pop(each.id, None)
    ids = [str(each.id) for each in messages]
    gone: Wire = {"id": ids[0]} if len(ids) == 1 else {"ids": ids}
    name = "MESSAGE_DELETE" if len(ids) == 1 else "MESSAGE_DELETE_BULK"
    state.tell(Event(name, gone | _place(channel), spoken(channel), channel))


def pin(state: State, channel: Channel, message: Message, by: User) -> None:
    """It stands at the top, and a line in the channel says so."""
    if message.pinned:
        return
    message.pinned = True
    channel.pins[message.id] = state.ids.now()
    _pins_changed(state, channel, message)
    line = Message(state.ids.next(), channel.id, message.guild_id, by, Said(), MessageKind.PINNED, message)
    post(state, channel, line)


def unpin(state: State, channel: Channel, message: Message) -> None:
    if message.pinned:
        message.pinned = False
        del channel.pins[message.id]
        _pins_changed(state, channel, message)


def typing(state: State, channel: Channel, user: int) -> None:
    """Somebody types."""
    intent = Intent.DIRECT_TYPING if channel.guild is None else Intent.GUILD_TYPING
    data: Wire = _place(channel) | {"user_id": str(user), "timestamp": state.ids.seconds()}
    if channel.guild is not None:
        data["member"] = channel.guild.members[user].wire()
    state.tell(Event("TYPING_START", data, intent, channel))


def message_event(state: State, name: str, channel: Channel, message: Message) -> Event:
    """A message as the gateway gives it: with its guild, and its author's and mentioned people's places in that."""
    data = message.wire() | beside(channel, message)
    intent = spoken(channel)
    if message.ephemeral:
        # Discord tells them as if they had been said directly: discord/discord-api-docs issue 4557, open since 2022.
        return Event(name, message.wire(), Intent.DIRECT_MESSAGES)
    if reads_content(state, channel, message):
        return Event(name, data, intent, channel)
    return Event(name, data, intent, channel, bare=message.wire(content=False) | beside(channel, message))


def beside(channel: Channel, message: Message) -> Wire:
    """What the gateway adds to a message in a guild."""
    if channel.guild is None:
        return {}
    members = channel.guild.members
    added: Wire = {"guild_id": str(channel.guild.id), "mentions": []}
    if message.author.id in members:
        added["member"] = members[message.author.id].wire(user=False)
    for each in message.said.mentions:
        member = {"member": members[each.id].wire(user=False)} if each.id in members else {}
        added["mentions"].append(each.wire() | member)
    return added


def reads_content(state: State, channel: Channel, message: Message) -> bool:
    """Whether the bot gets the words without the message content intent.

    Its own, what is said to it directly, what mentions it. (Discord's documentation, Gateway: Message Content Intent)
    """
    return channel.is_dm or message.author is state.bot or state.bot in message.said.mentions


def spoken(channel: Channel) -> Intent:
    """The intent under which messages of this channel are told."""
    return Intent.DIRECT_MESSAGES if channel.guild is None else Intent.GUILD_MESSAGES


def said_again(said: Said, **changes: Any) -> Said:
    """What it says, with changes."""
    return replace(said, **changes)


def _pins_changed(state: State, channel: Channel, message: Message) -> None:
    at = max(channel.pins.values(), default=None)
    state.tell(Event("CHANNEL_PINS_UPDATE", _place(channel) | {"last_pin_timestamp": at}, Intent.GUILDS, channel))
    state.tell(message_event(state, "MESSAGE_UPDATE", channel, message))


def _place(channel: Channel) -> Wire:
    guild = {"guild_id": str(channel.guild.id)} if channel.guild else {}
    return {"channel_id": str(channel.id)} | guild
