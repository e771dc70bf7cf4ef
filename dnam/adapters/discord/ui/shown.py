"""A reply as Discord shows it: at most 2,000 characters, a long one page by page, with the buttons under it."""

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import discord

from dnam.adapters.discord.splitting import split
from dnam.adapters.discord.ui.pressed import Pressed, What
from dnam.commands.command import Reply

PAGE_CHARS = 1900
"""Leaves room for the line that says which page it is."""
MOST_LISTS = 256
"""How many long lists can be turned at a time; the one that was turned longest ago goes first."""
NOTHING = "(nothing)"
EXPIRED = "This list has expired. Ask again to see it."


class Shown(NamedTuple):
    """What a message says, and what is under it; None for nothing."""

    text: str
    view: discord.ui.View | None = None


class Lists:
    """The pages of long replies, the latest MOST_LISTS of them."""

    def __init__(self) -> None:
        self._lists: OrderedDict[str, tuple[tuple[str, ...], str]] = OrderedDict()

    def shown(self, reply: Reply, user: int) -> Shown:
        """A reply for the person with this id; a long one at its first page."""
        pages = split(reply.text, PAGE_CHARS) or [NOTHING]
        undo = "" if reply.undo is None else reply.undo.hex()
        if len(pages) == 1:
            return Shown(pages[0], _view(_undo(user, undo)))
        name = secrets.token_hex(8)
        self._lists[name] = tuple(pages), undo
        while len(self._lists) > MOST_LISTS:
            self._lists.popitem(last=False)
        return self._page(name, user, 0)

    def turned(self, name: str, page: str, user: int) -> Shown:
        """A list at a page; what has expired says so."""
        if name not in self._lists or not page.isdecimal():
            return Shown(EXPIRED)
        self._lists.move_to_end(name)
        return self._page(name, user, int(page))

    def _page(self, name: str, user: int, page: int) -> Shown:
        pages, undo = self._lists[name]
        at = min(page, len(pages) - 1)
        turns = [
            _turn(name, user, at - 1, "◀ Back", at > 0),
            _turn(name, user, at + 1, "Next ▶", at + 1 < len(pages)),
        ]
        return Shown(f"{pages[at]}\n-# page {at + 1} of {len(pages)}", _view([*turns, *_undo(user, undo)]))


def under(reply: Reply, user: int) -> discord.ui.View | None:
    """What stands under a reply that is said as text, for the person with this id."""
    return None if reply.undo is None else view_of(undo_button(user, reply.undo.hex()))


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


def _undo(user: int, event: str) -> list[discord.ui.Item[discord.ui.View]]:
    return [undo_button(user, event)] if event else []


def _turn(name: str, user: int, page: int, label: str, enabled: bool) -> discord.ui.Button[discord.ui.View]:
    what: What = "page"
    return button(label, Pressed(what, user, (name, str(max(page, 0)))), enabled=enabled)
