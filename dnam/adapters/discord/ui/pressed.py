"""What a button or a menu means, and whose it is, as Discord keeps it: in its custom_id, at most 100 characters.

dnam:<what>:<user>[:<more>…]

page    <list> <page>       turn a long list to this page
undo    <event>             take back what this event did
pick    <act>               a menu of items; what is chosen comes with the press
more    <act> <offset>      other items in the menu
do      <act>               do it to what is chosen
cancel                      do nothing
sure    <what>              do what was asked, and only told until now
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar, cast, get_args

if TYPE_CHECKING:
    import discord

PREFIX = "dnam"
MOST_CHARS = 100
What = Literal["page", "undo", "pick", "more", "do", "cancel", "sure"]
WHATS: frozenset[str] = frozenset(get_args(What))
MORE: dict[What, int] = {"page": 2, "undo": 1, "pick": 1, "more": 2, "do": 1, "cancel": 0, "sure": 1}
"""How many parts follow the user."""
T = TypeVar("T")
_FORM = re.compile(rf"{PREFIX}:(?P<what>[a-z]+):(?P<user>0|[1-9][0-9]{{0,19}})(?P<more>(?::[^:]*)*)")


class Pressed(NamedTuple):
    """A button or menu: what it does, the id of the one who may press it, and what it needs."""

    what: What
    user: int
    more: tuple[str, ...] = ()

    @property
    def custom_id(self) -> str:
        """As Discord keeps it."""
        text = ":".join((PREFIX, self.what, str(self.user), *self.more))
        assert len(text) <= MOST_CHARS, text
        return text


def read(custom_id: str) -> Pressed | None:
    """What a custom_id says; None for somebody else's, and for what no program of ours wrote."""
    found = _FORM.fullmatch(custom_id)
    if found is None or found["what"] not in WHATS:
        return None
    what, more = cast("What", found["what"]), tuple(found["more"].split(":")[1:])
    return Pressed(what, int(found["user"]), more) if len(more) == MORE[what] else None


def part(interaction: "discord.Interaction", name: str, default: T) -> T:
    """A part of what Discord says of a press; which parts there are depends on what was pressed."""
    data = cast("Mapping[str, T]", interaction.data or {})
    return data.get(name, default)
