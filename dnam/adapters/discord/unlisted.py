"""A place of which Discord tells the id alone, since it is in none of its lists: what the log knows it to be.

A thread may have been opened again without a word of it. By its id it could be any channel, restricted to itself; as
the log has it, it is that thread, with its own conversation, and its readers are those of its channel. It is open to
everyone where the log holds it so, and its channel is now: a private one never was.
"""

import discord

from dnam.adapters.discord.places import Channel, audience_of
from dnam.adapters.discord.still_open import closed_now
from projections.decisions.place import PlaceSeen, place_ref
from projections.places import audience_of as known_audience
from projections.places import find_place
from projections.rows import Rows


def is_unlisted(channel: Channel) -> bool:
    """Whether Discord tells no more of a place than its id, and in which guild it is."""
    return isinstance(channel, discord.PartialMessageable) and channel.guild_id is not None


def known_as(rows: Rows, seen: PlaceSeen, guild: discord.Guild | None) -> PlaceSeen:
    """The place as the log knows it, with who can read it now; as it is seen, where that does not know it."""
    found, audience = find_place(rows, place_ref(seen)), known_audience(rows, place_ref(seen))
    if found is None or audience is None or found.row.guild != seen.guild:
        return seen
    row = found.row
    parent = None if guild is None or row.parent is None else guild.get_channel(int(row.parent.key))
    if audience.kind == "guild":
        return closed_now(row)._replace(audience="channel" if parent is None else audience_of(parent))
    return closed_now(row)._replace(readers=None if audience.place == row.place else audience.place)
