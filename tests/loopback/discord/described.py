"""Which part of a gateway event is which described object. What the gateway adds to one, only documentation says."""

from collections.abc import Iterator

from tests.loopback.discord.description import check_object
from tests.loopback.discord.wire import Wire

GATEWAY_ADDS = {
    "MessageResponse": {"guild_id", "member"},
    "UserResponse": {"member", "mfa_enabled", "verified", "email"},
    "ThreadResponse": {"newly_created"},
    "PrivateChannelResponse": {"permissions"},
    "GuildMemberResponse": {"guild_id"},
    "ThreadMemberResponse": {"presence"},
    "GuildResponse": {
        *("joined_at", "large", "unavailable", "member_count", "voice_states", "members", "channels", "threads"),
        *("presences", "stage_instances", "guild_scheduled_events", "soundboard_sounds"),
    },
}
"""By schema: the fields that stand in the gateway's objects alone. (Discord's documentation, Gateway Events)"""
CHANNELS = {1: "PrivateChannelResponse", 11: "ThreadResponse", 12: "ThreadResponse"}


def check_event(name: str, data: Wire) -> None:
    """Every described object in an event against its schema; raises Violation."""
    for schema, each in _objects(name, data):
        added = GATEWAY_ADDS.get(schema, set())
        check_object(schema, {key: value for key, value in each.items() if key not in added})


def _objects(name: str, data: Wire) -> Iterator[tuple[str, Wire]]:
    match name:
        case "MESSAGE_CREATE" | "MESSAGE_UPDATE":
            yield from _message(data)
        case "INTERACTION_CREATE":
            yield from _interaction(data)
        case "GUILD_CREATE":
            yield "GuildResponse", data
            yield from (("GuildMemberResponse", each) for each in data["members"])
            yield from (_channel(each) for each in [*data["channels"], *data["threads"]])
        case "GUILD_MEMBERS_CHUNK":
            yield from (("GuildMemberResponse", each) for each in data["members"])
        case "GUILD_UPDATE":
            yield "GuildResponse", data
        case "GUILD_MEMBER_ADD" | "GUILD_MEMBER_UPDATE":
            yield "GuildMemberResponse", data
        case "GUILD_MEMBER_REMOVE":
            yield "UserResponse", data["user"]
        case "GUILD_ROLE_CREATE" | "GUILD_ROLE_UPDATE":
            yield "GuildRoleResponse", data["role"]
        case "THREAD_MEMBERS_UPDATE":
            yield from (("ThreadMemberResponse", each) for each in data.get("added_members", ()))
        case _ if name.startswith(("CHANNEL_", "THREAD_")) and "type" in data and name != "THREAD_DELETE":
            yield _channel(data)
        case "READY":
            yield "UserResponse", data["user"]


def _message(data: Wire) -> Iterator[tuple[str, Wire]]:
    mentions = [{key: value for key, value in each.items() if key != "member"} for each in data["mentions"]]
    yield "MessageResponse", data | {"mentions": mentions}


def _interaction(data: Wire) -> Iterator[tuple[str, Wire]]:
    if "message" in data:
        yield from _message(data["message"])
    if "member" in data:
        yield "GuildMemberResponse", {key: value for key, value in data["member"].items() if key != "permissions"}
    yield "UserResponse", data["member"]["user"] if "member" in data else data["user"]
    yield _channel(data["channel"])
    resolved = data["data"].get("resolved") or {}
    yield from (("UserResponse", each) for each in resolved.get("users", {}).values())
    yield from (_channel(each) for each in resolved.get("channels", {}).values())
    for each in resolved.get("messages", {}).values():
        yield from _message(each)


def _channel(data: Wire) -> tuple[str, Wire]:
    return CHANNELS.get(data["type"], "GuildChannelResponse"), data
