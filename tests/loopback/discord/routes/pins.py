"""Pins, by the routes of today and by the old ones."""

from tests.loopback.discord import talk
from tests.loopback.discord.errors import missing_permissions, too_many_pins
from tests.loopback.discord.permissions import Permission
from tests.loopback.discord.rest import NO_CONTENT, Answer, Call, Route
from tests.loopback.discord.routes.access import channel_of, message_of
from tests.loopback.discord.routes.messages import shown
from tests.loopback.discord.state import State


def pin(state: State, call: Call) -> Answer:
    channel = channel_of(state, call, Permission.VIEW_CHANNEL | Permission.PIN_MESSAGES)
    message = message_of(channel, call)
    if not message.pinned and len(channel.pins) >= state.settings.pin_limit:
        raise too_many_pins(state.settings.pin_limit)
    talk.pin(state, channel, message, state.bot)
    return NO_CONTENT


def unpin(state: State, call: Call) -> Answer:
    channel = channel_of(state, call, Permission.VIEW_CHANNEL | Permission.PIN_MESSAGES)
    talk.unpin(state, channel, message_of(channel, call))
    return NO_CONTENT


def pins(state: State, call: Call) -> Answer:
    """The last pinned first, with the time; older than `before`."""
    channel = channel_of(state, call)
    if not channel.allowed(state.bot) & Permission.READ_MESSAGE_HISTORY:
        raise missing_permissions()
    before, limit = call.query.get("before"), call.number("limit", 50, 50)
    found = [(at, each) for each, at in reversed(channel.pins.items()) if before is None or at < before]
    items = [{"pinned_at": at, "message": shown(state, channel, channel.messages[each])} for at, each in found[:limit]]
    return Answer({"items": items, "has_more": len(found) > limit})


def old_pins(state: State, call: Call) -> Answer:
    channel = channel_of(state, call)
    return Answer([shown(state, channel, channel.messages[each]) for each in reversed(channel.pins)][:50])


TABLE = (
    Route("GET", "/channels/{channel_id}/messages/pins", pins),
    Route("PUT", "/channels/{channel_id}/messages/pins/{message_id}", pin),
    Route("DELETE", "/channels/{channel_id}/messages/pins/{message_id}", unpin),
    Route("GET", "/channels/{channel_id}/pins", old_pins),
    Route("PUT", "/channels/{channel_id}/pins/{message_id}", pin),
    Route("DELETE", "/channels/{channel_id}/pins/{message_id}", unpin),
)
