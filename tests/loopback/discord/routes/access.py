"""What stands before every request about a channel: that one sees it, and may do it."""

from tests.loopback.discord.channels import Channel
from tests.loopback.discord.errors import missing_access, missing_permissions, unknown
from tests.loopback.discord.messages import Message
from tests.loopback.discord.permissions import Permission
from tests.loopback.discord.rest import Call
from tests.loopback.discord.state import State


def channel_of(state: State, call: Call, needed: Permission = Permission.VIEW_CHANNEL) -> Channel:
    """The channel in the path, if the bot may do what is `needed` there; raises Refused."""
    channel = state.channel(call.id("channel_id"))
    allowed = channel.allowed(state.bot)
    if not allowed & Permission.VIEW_CHANNEL:
        raise missing_access()
    if allowed & needed != needed:
        raise missing_permissions()
    return channel


def message_of(channel: Channel, call: Call) -> Message:
    """The message in the path; raises Refused."""
    found = channel.messages.get(call.id("message_id"))
    if found is None:
        raise unknown("Message")
    return found
