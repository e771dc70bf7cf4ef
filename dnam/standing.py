"""What only a person's platform knows of them, and what their own direct messages open by it (design §7).

    who runs this memory              `owner`, the operator's private layer: who owns the bot in Discord, and whoever is
                                      this machine's own, in the chat in the terminal
    who can read a channel now        what was learned from them there

It is asked anew each time, so that who may no longer read a channel no longer finds there what they said. Where
nobody can be asked, nothing is opened.
"""

from collections.abc import Awaitable, Callable

from dnam.whereabouts import LOCAL
from projections.ids import DISCORD, NOBODY, Handle
from projections.items import compartments_of
from projections.people import accounts_of
from projections.policies.compartments import OWNER, Setting, readers_place
from projections.rows import Rows

Standing = Callable[[Handle], Awaitable[tuple[str, ...]]]
"""The compartments that a person's own direct messages open besides; a platform's adapter hands it in."""


def is_owner(rows: Rows, person: Handle, owner_ids: tuple[str, ...]) -> bool:
    """Whether one of a person's accounts is among the owners' ids, which are Discord's."""
    ids = frozenset(map(str, owner_ids))
    return any(found.row.platform == DISCORD and found.row.platform_id in ids for found in accounts_of(rows, person))


def is_operator(rows: Rows, person: Handle) -> bool:
    """Whether one of a person's accounts is this machine's own: in the chat in the terminal they are the operator."""
    return any(found.row.platform == LOCAL for found in accounts_of(rows, person))


def of_settings(rows: Rows, person: Handle, owner_ids: tuple[str, ...]) -> tuple[str, ...]:
    """What the settings alone say."""
    return (OWNER,) if is_owner(rows, person, owner_ids) else ()


def opens_more(setting: Setting) -> bool:
    """Whether a setting may open more by where the person stands: their own direct messages alone."""
    return setting.audience.kind == "direct" and setting.person != NOBODY


def settings_say(rows: Rows, setting: Setting, owner_ids: tuple[str, ...]) -> Setting:
    """The setting with what it opens besides where no platform can be asked: what the settings alone say, and in the
    direct messages of the chat in the terminal what that opens to its operator.
    """
    if not opens_more(setting):
        return setting
    if setting.audience.place.platform == LOCAL and is_operator(rows, setting.person):
        return setting._replace(besides=(OWNER,))
    return setting._replace(besides=of_settings(rows, setting.person, owner_ids))


def taught_in_channels(rows: Rows, person: Handle) -> tuple[str, ...]:
    """The compartments of what was learned from a person in restricted channels."""
    mine = f"person/{person.hex()}/"
    return tuple(each for each in compartments_of(rows, person) if each.startswith(mine) and readers_place(each))


async def standing_in(setting: Setting, standing: Standing) -> Setting:
    """The setting with what it opens besides: in a person's own direct messages alone."""
    if not opens_more(setting):
        return setting
    return setting._replace(besides=await standing(setting.person))
