"""What a client is told first: READY, its guilds, and who is in them."""

from collections.abc import Iterator

from tests.loopback.discord.guilds import Guild, Member
from tests.loopback.discord.session import Shard
from tests.loopback.discord.state import State
from tests.loopback.discord.wire import Wire

CHUNK = 1000
"""Members in one chunk."""


def ready(state: State, session: str, guilds: list[Guild], shard: Shard) -> Wire:
    """Who one is; the guilds follow one by one."""
    return {
        "v": 10,
        "user": state.bot.wire() | {"mfa_enabled": False, "verified": True, "email": None},
        "guilds": [{"id": str(each.id), "unavailable": True} for each in guilds],
        "session_id": session,
        "session_type": "normal",
        "shard": list(shard),
        "resume_gateway_url": state.settings.gateway_url,
        "application": {"id": str(state.application.id), "flags": state.application.flags},
        "private_channels": [],
        "presences": [],
        "relationships": [],
    }


def chunks(state: State, asked: Wire) -> Iterator[Wire]:
    """The members that were asked for: by ids, or by the beginning of their names."""
    guild = state.guilds[int(asked["guild_id"])]
    ids = asked.get("user_ids")
    wanted = [int(each) for each in ([ids] if isinstance(ids, str | int) else ids or [])]
    found = [each for each in guild.members.values() if _wanted(each, wanted, asked.get("query"))]
    if wanted or asked.get("query"):
        found = found[: asked.get("limit") or 100]
    parts = [found[n : n + CHUNK] for n in range(0, len(found), CHUNK)] or [[]]
    for index, each in enumerate(parts):
        chunk: Wire = {"guild_id": str(guild.id), "members": [member.wire() for member in each]}
        chunk |= {"chunk_index": index, "chunk_count": len(parts)}
        chunk |= {"not_found": [str(one) for one in wanted if one not in guild.members]}
        yield chunk | ({"nonce": asked["nonce"]} if "nonce" in asked else {})


def _wanted(member: Member, ids: list[int], query: str | None) -> bool:
    return member.user.id in ids if ids else member.user.name.lower().startswith((query or "").lower())
