"""A reply as Discord shows it: at most 2,000 characters, a long one page by page, with the buttons under it.

No page is kept: each is made from a reply of the moment, so that none outlives what it shows.
"""

import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

import discord

from dnam.adapters.discord.splitting import split
from dnam.adapters.discord.ui.pressed import Pressed, What
from dnam.commands.command import Confirms, File, Invocation, Reply
from dnam.commands.erase import BUTTON_SAYS
from dnam.commands.erase_guild import BUTTON_SAYS as GUILD_BUTTON_SAYS
from dnam.markdown import tamed

PAGE_CHARS = 1900
"""Leaves room for the line that says which page it is."""
MOST_LISTS = 256
"""How many long lists can be turned at a time; the one that was turned longest ago goes first."""
NOTHING = "(nothing)"
EXPIRED = "This list has expired. Ask again to see it."
CUT = "-# and so on: `/memory show` lists what I remember here"
"""What stands under a long reply to what cannot be asked again for its next page, since it changed something."""
Work = Callable[[Invocation], Awaitable[Reply]]
"""What makes a reply."""


CONFIRMS: Mapping[Confirms, str] = {"erase": BUTTON_SAYS, "erase-guild": GUILD_BUTTON_SAYS}
"""What stands on the button that confirms something."""


class Shown(NamedTuple):
    """What a message says, and what is under it; None for nothing. `file` is for whoever asked, in their DM. `failed`:
    it says that nothing could be done.
    """

    text: str
    view: discord.ui.View | None = None
    file: File | None = None
    failed: bool = False


class Lists:
    """What long replies came from, the latest MOST_LISTS of them."""

    def __init__(self) -> None:
        self._lists: OrderedDict[str, Work] = OrderedDict()

    def shown(self, reply: Reply, user: int, work: Work | None = None) -> Shown:
        """A reply for the person with this id; a long one at its first page, if `work` can make it again."""
        pages = _pages(reply)
        buttons = _buttons(reply, user)
        if len(pages) == 1:
            return Shown(pages[0], _view(buttons), reply.file)
        if work is None:
            return Shown(f"{pages[0]}\n{CUT}", _view(buttons))
        name = secrets.token_hex(8)
        self._lists[name] = work
        while len(self._lists) > MOST_LISTS:
            self._lists.popitem(last=False)
        return paged(reply, name, user, 0)

    def asked(self, name: str) -> Work | None:
        """What makes the reply of a list again; None when it has expired."""
        if name in self._lists:
            self._lists.move_to_end(name)
        return self._lists.get(name)


def paged(reply: Reply, name: str, user: int, page: int) -> Shown:
    """A list at a page, or at its last one where it has fewer by now."""
    pages = _pages(reply)
    at = min(page, len(pages) - 1)
    if len(pages) == 1:
        return Shown(pages[0])
    turns = [
        _turn(name, user, at - 1, "◀ Back", at > 0),
        _turn(name, user, at + 1, "Next ▶", at + 1 < len(pages)),
    ]
    return Shown(f"{pages[at]}\n-# page {at + 1} of {len(pages)}", view_of(*turns))


def _pages(reply: Reply) -> list[str]:
    return split(tamed(reply.text), PAGE_CHARS) or [NOTHING]


def under(reply: Reply, user: int) -> discord.ui.View | None:
    """What stands under a reply that is said as text, for the person with this id."""
    return _view(_buttons(reply, user))


def _buttons(reply: Reply, user: int) -> list[discord.ui.Button[discord.ui.View]]:
    if reply.confirm:
        what = CONFIRMS[reply.confirm]
        sure = button(what, Pressed("sure", user, (reply.confirm,)), discord.ButtonStyle.danger)
        return [sure, button("Cancel", Pressed("cancel", user))]
    return [] if reply.undo is None else [undo_button(user, reply.undo.hex())]


def view_of(*items: discord.ui.Item[discord.ui.View]) -> discord.ui.View:
    """These under a message. discord.py need not remember them: `presses` reads what is pressed from the press."""
    view = discord.ui.View(timeout=None)
    for item in items:
        view.add_item(item)
    view.stop()
    return view


def button(
    label: str,
    pressed: Pressed,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
    *,
    enabled: bool = True,
) -> discord.ui.Button[discord.ui.View]:
    """A button that means this."""
    return discord.ui.Button(label=label, custom_id=pressed.custom_id, style=style, disabled=not enabled)


def undo_button(user: int, event: str) -> discord.ui.Button[discord.ui.View]:
    """A button that takes back what this event, in hex, did."""
    return button("Undo", Pressed("undo", user, (event,)))


def _view(items: Sequence[discord.ui.Item[discord.ui.View]]) -> discord.ui.View | None:
    return view_of(*items) if items else None


def _turn(name: str, user: int, page: int, label: str, enabled: bool) -> discord.ui.Button[discord.ui.View]:
    what: What = "page"
    return button(label, Pressed(what, user, (name, str(max(page, 0)))), enabled=enabled)
