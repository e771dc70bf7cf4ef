"""Links that open a message where it was said, on platforms that have them."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from projections.events.values import Audience
from projections.ids import DISCORD, Ref

_SNOWFLAKE = re.compile(r"[0-9]{1,20}")
WITH_PEOPLE = "@me"
"""What stands in Discord's links for the guild of a conversation outside of any."""


class Direct(NamedTuple):
    """A direct conversation, and the channel as which its platform shows it to whoever is told of it."""

    place: Ref
    channel: Ref


def jump_link(
    message: Ref, place: Ref, guild: Ref | None, audience: Audience, direct: Direct | None = None
) -> str | None:
    """Where a message can be seen; None where its platform has no links, or not all that one is made of is known.

    A direct conversation is kept under its person's handle, and not under its channel's id: it has a link only where
    that is told in the conversation itself (`direct`).
    """
    link = LINKS.get(message.platform)
    if direct is not None and audience.kind == "direct" and place == direct.place:
        place = direct.channel
    return None if link is None or place.platform != message.platform else link(message, place, guild, audience)


def _discord(message: Ref, place: Ref, guild: Ref | None, audience: Audience) -> str | None:
    """https://discord.com/channels/<guild or @me>/<channel>/<message>, of ids alone."""
    if guild is None:
        above = WITH_PEOPLE if audience.kind != "guild" else ""
    else:
        above = guild.key if guild.platform == message.platform and _SNOWFLAKE.fullmatch(guild.key) else ""
    if not above or not _SNOWFLAKE.fullmatch(place.key) or not _SNOWFLAKE.fullmatch(message.key):
        return None
    return f"https://discord.com/channels/{above}/{place.key}/{message.key}"


LINKS: Mapping[str, Callable[[Ref, Ref, Ref | None, Audience], str | None]] = {DISCORD: _discord}
