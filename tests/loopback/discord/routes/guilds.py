"""Guilds, their channels, members, roles and threads."""

from tests.loopback.discord.channels import Channel, ChannelKind
from tests.loopback.discord.errors import missing_permissions, unknown
from tests.loopback.discord.permissions import Permission
from tests.loopback.discord.rest import Answer, Call, Route
from tests.loopback.discord.state import Event, State
from tests.loopback.discord.users import Intent


def guild(state: State, call: Call) -> Answer:
    return Answer(state.guild(call.id("guild_id")).wire())


def channels(state: State, call: Call) -> Answer:
    """All channels, also those one does not see; no threads."""
    found = state.guild(call.id("guild_id")).channels.values()
    return Answer([each.wire(state.bot) for each in found if not each.is_thread and not each.gone])


def make_channel(state: State, call: Call) -> Answer:
    guild = state.guild(call.id("guild_id"))
    if not guild.allowed(state.bot) & Permission.MANAGE_CHANNELS:
        raise missing_permissions()
    kind = ChannelKind(call.body.get("type") or 0)
    channel = Channel(state.ids.next(), kind, call.body["name"], guild, topic=call.body.get("topic"))
    state.add_channel(channel)
    state.tell(Event("CHANNEL_CREATE", channel.wire(state.bot), Intent.GUILDS))
    return Answer(channel.wire(state.bot), 201)


def members(state: State, call: Call) -> Answer:
    """All members, by id; needs the members intent to be enabled."""
    if not state.application.enabled & Intent.MEMBERS:
        raise missing_permissions()
    after, limit = int(call.query.get("after", 0)), call.number("limit", 1, 1000)
    found = sorted(state.guild(call.id("guild_id")).members.items())
    return Answer([member.wire() for number, member in found if number > after][:limit])


def member(state: State, call: Call) -> Answer:
    found = state.guild(call.id("guild_id")).members.get(call.id("user_id"))
    if found is None:
        raise unknown("Member")
    return Answer(found.wire())


def roles(state: State, call: Call) -> Answer:
    return Answer([each.wire() for each in state.guild(call.id("guild_id")).roles.values()])


def active_threads(state: State, call: Call) -> Answer:
    found = state.guild(call.id("guild_id")).threads()
    threads = [each for each in found if not each.archived and not each.gone and each.sees(state.bot)]
    members = [each.member(state.bot) for each in threads if state.bot in each.recipients]
    return Answer({"threads": [each.wire(state.bot) for each in threads], "members": members, "has_more": False})


TABLE = (
    Route("GET", "/guilds/{guild_id}", guild),
    Route("GET", "/guilds/{guild_id}/channels", channels),
    Route("POST", "/guilds/{guild_id}/channels", make_channel),
    Route("GET", "/guilds/{guild_id}/members", members),
    Route("GET", "/guilds/{guild_id}/members/{user_id}", member),
    Route("GET", "/guilds/{guild_id}/roles", roles),
    Route("GET", "/guilds/{guild_id}/threads/active", active_threads),
)
