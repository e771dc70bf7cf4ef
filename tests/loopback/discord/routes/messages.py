"""Saying, reading back, editing, deleting; typing."""

from collections.abc import Sequence

from tests.loopback.discord import talk
from tests.loopback.discord.channels import Channel, ChannelKind
from tests.loopback.discord.errors import (
    archived,
    cannot_reply,
    cannot_send_to_user,
    missing_permissions,
    not_the_author,
    wrong_form,
)
from tests.loopback.discord.messages import Message, MessageFlag, MessageKind
from tests.loopback.discord.permissions import Permission
from tests.loopback.discord.rest import NO_CONTENT, Answer, Call, Route
from tests.loopback.discord.routes.access import channel_of, message_of
from tests.loopback.discord.state import State
from tests.loopback.discord.users import Intent
from tests.loopback.discord.wire import Wire
from tests.loopback.discord.writing import may_send, mentionable, rewritten, written


def shown(state: State, channel: Channel, message: Message) -> Wire:
    """A message as REST gives it to the bot: empty without the message content intent, unless it concerns the bot."""
    enabled = bool(state.application.enabled & Intent.CONTENT)
    return message.wire(content=enabled or talk.reads_content(state, channel, message))


def create(state: State, call: Call) -> Answer:
    """Say something. With `enforce_nonce`, the same nonce a second time answers with what was said the first time."""
    channel = channel_of(state, call)
    _can_be_said_in(channel, state)
    said = written(state, channel, state.bot, call.body, call.uploads)
    may_send(channel, state.bot, said)
    nonce = call.body.get("nonce")
    if call.body.get("enforce_nonce") and (before := _said_with(state, channel, nonce)):
        return Answer(shown(state, channel, before))
    reference = _answered(channel, state, call.body.get("message_reference"))
    if reference is not None and mentionable(call.body.get("allowed_mentions")).replied:
        said.mentions = list(dict.fromkeys([*said.mentions, reference.author]))
    kind = MessageKind.REPLY if reference else MessageKind.DEFAULT
    guild = channel.guild.id if channel.guild else None
    message = Message(state.ids.next(), channel.id, guild, state.bot, said, kind, reference, nonce)
    return Answer(shown(state, channel, talk.post(state, channel, message)))


def _can_be_said_in(channel: Channel, state: State) -> None:
    if channel.kind == ChannelKind.FORUM:
        raise wrong_form("channel", "CANNOT_SEND_IN_FORUM", "Cannot send messages in a non-text channel")
    if channel.archived and channel.locked:
        raise archived()
    if channel.is_dm:
        someone = next(each for each in channel.recipients if each is not state.bot)
        if not someone.takes_messages:
            raise cannot_send_to_user()


def _said_with(state: State, channel: Channel, nonce: str | int | None) -> Message | None:
    mine = (each for each in reversed(channel.messages.values()) if each.author is state.bot)
    return next((each for each in mine if nonce is not None and each.nonce == nonce), None)


def _answered(channel: Channel, state: State, reference: Wire | None) -> Message | None:
    if not reference:
        return None
    if not channel.is_dm and not channel.allowed(state.bot) & Permission.READ_MESSAGE_HISTORY:
        raise cannot_reply()
    found = channel.messages.get(int(reference["message_id"]))
    if found is None and reference.get("fail_if_not_exists", True):
        raise wrong_form("message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message")
    return found


def read(state: State, call: Call) -> Answer:
    """One message."""
    channel = channel_of(state, call, Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY)
    return Answer(shown(state, channel, message_of(channel, call)))


def history(state: State, call: Call) -> Answer:
    """The newest first: all, or those before, after or around one."""
    channel = channel_of(state, call)
    if not channel.allowed(state.bot) & Permission.READ_MESSAGE_HISTORY:
        return Answer([])
    limit = call.number("limit", 50, 100)
    found = _part(sorted(channel.messages), call, limit)
    return Answer([shown(state, channel, channel.messages[each]) for each in sorted(found, reverse=True)])


def _part(ids: Sequence[int], call: Call, limit: int) -> Sequence[int]:
    if "after" in call.query:
        return [each for each in ids if each > int(call.query["after"])][:limit]
    if "around" in call.query:
        middle, half = int(call.query["around"]), limit // 2
        before, since = [each for each in ids if each < middle], [each for each in ids if each >= middle]
        return [*before[-half:], *since[: half + 1]][:limit]
    if "before" in call.query:
        ids = [each for each in ids if each < int(call.query["before"])]
    return ids[-limit:]


def edit(state: State, call: Call) -> Answer:
    """One's own words; of others' messages, with MANAGE_MESSAGES, only whether embeds show. In an archived thread
    nothing.
    """
    channel = channel_of(state, call)
    if channel.archived:
        raise archived()
    message = message_of(channel, call)
    if message.author is not state.bot:
        _only_flags(channel, state, call)
        flags = MessageFlag(call.body["flags"] or 0) & MessageFlag.SUPPRESS_EMBEDS
        talk.edit(state, channel, message, talk.said_again(message.said, flags=flags), silent=True)
    else:
        said = rewritten(state, channel, message, call.body, call.uploads)
        talk.edit(state, channel, message, said)
    return Answer(shown(state, channel, message))


def _only_flags(channel: Channel, state: State, call: Call) -> None:
    if set(call.body) != {"flags"}:
        raise not_the_author()
    if not channel.allowed(state.bot) & Permission.MANAGE_MESSAGES:
        raise missing_permissions()


def delete(state: State, call: Call) -> Answer:
    channel = channel_of(state, call)
    message = message_of(channel, call)
    if message.author is not state.bot and not channel.allowed(state.bot) & Permission.MANAGE_MESSAGES:
        raise missing_permissions()
    talk.delete(state, channel, [message])
    return NO_CONTENT


def delete_many(state: State, call: Call) -> Answer:
    """Two to a hundred at once; what is not there is passed over."""
    channel = channel_of(state, call, Permission.VIEW_CHANNEL | Permission.MANAGE_MESSAGES)
    ids = [int(each) for each in call.body["messages"]]
    if not 2 <= len(ids) <= 100:
        raise wrong_form("messages", "BASE_TYPE_BAD_LENGTH", "Must be between 2 and 100 in length.")
    found = [channel.messages[each] for each in ids if each in channel.messages]
    if found:
        talk.delete(state, channel, found)
    return NO_CONTENT


def typing(state: State, call: Call) -> Answer:
    channel = channel_of(state, call, Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES)
    talk.typing(state, channel, state.bot.id)
    return NO_CONTENT


TABLE = (
    Route("GET", "/channels/{channel_id}/messages", history),
    Route("POST", "/channels/{channel_id}/messages", create),
    Route("POST", "/channels/{channel_id}/messages/bulk-delete", delete_many),
    Route("GET", "/channels/{channel_id}/messages/{message_id}", read),
    Route("PATCH", "/channels/{channel_id}/messages/{message_id}", edit),
    Route("DELETE", "/channels/{channel_id}/messages/{message_id}", delete),
    Route("POST", "/channels/{channel_id}/typing", typing),
)
