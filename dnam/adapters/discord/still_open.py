"""What the log holds for open to a whole guild, as Discord has it now.

in Discord's lists                     who can read it
────────────────────────────────────   ─────────────────────────────────────────────────────────────────────────
it is                                  as there, also where the bot may not read it
not it, but the channel it is in       the channel's readers: an archived thread; a private one was never open
neither                                as if it were closed: hidden, or deleted and cleared soon

In the last case it is asked about where closing it would undo what is to stay: what only an import told of may have
been deleted long ago, and a place of which no more is known than its readers may be an archived thread.
"""

import discord

from dnam.adapters.discord.places import PLATFORM, audience_of, place_of
from projections.decisions.place import PlaceSeen
from projections.ids import Ref
from projections.lively import is_imported
from projections.places import PlaceRow
from projections.rows import Rows


def whole(guild: discord.Guild) -> PlaceSeen:
    """Stands for all places of a guild that the log holds for open, where places are compared."""
    return PlaceSeen(PLATFORM, f"guild:{guild.id}", "guild", "", "guild", guild=Ref(PLATFORM, str(guild.id)))


def seen_now(row: PlaceRow, guild: discord.Guild) -> PlaceSeen | None:
    """A place as Discord's lists have it, or the channel that it is in; None where they have neither."""
    channel = guild.get_channel_or_thread(int(row.place.key))
    if channel is not None:
        return place_of(channel)
    parent = None if row.parent is None else guild.get_channel(int(row.parent.key))
    return None if parent is None else closed_now(row)._replace(audience=audience_of(parent))


def closed_now(row: PlaceRow) -> PlaceSeen:
    """A place of which nobody says that everyone can read it. A thread has the readers of its channel."""
    return PlaceSeen(
        row.place.platform, row.place.key, row.kind, "", "channel", row.guild, parent=row.parent, readers=row.parent
    )


def must_be_asked_about(rows: Rows, row: PlaceRow) -> bool:
    """Whether only Discord can say what became of a place that is in none of its lists."""
    is_loose = row.kind == "unknown" or (row.kind == "thread" and row.parent is None)
    return is_loose or is_imported(rows, row)
