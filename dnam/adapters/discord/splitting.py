"""Long answers in several messages: cut where a reader would, at 2,000 characters.

Best is between paragraphs, then between lines, between sentences, between words, and anywhere when nothing else is
left. A code fence that is cut is closed, and opened again with its language in the next message.

Characters are code points.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

LIMIT = 2000
"""The longest message, in characters."""
FENCE = re.compile(r"^[ ]{0,3}(`{3,})([^`\n]*)$", re.MULTILINE)
BORDERS = ("\n\n", "\n", ". ", " ")
"""Where a text may be cut, best first; the border stays with what is before it."""
LEAST = 3
"""A border in the first third of the room is not worth a message: a worse one further on is taken."""


class Fence(NamedTuple):
    """A code fence that is open: how it began, and how it is closed."""

    opening: str
    closing: str


def split(text: str, limit: int = LIMIT) -> list[str]:
    """The messages of an answer, each of 1 to `limit` characters; none where there is nothing to say.

    Without the fences and the spaces that were added or taken at the cuts, they are the text.
    """
    return [part for part in _parts(text.strip(), limit) if part.strip()]


def _parts(text: str, limit: int) -> Iterator[str]:
    fence: Fence | None = None
    while text:
        head = _reopened(fence, limit)
        if len(head) + len(text) <= limit:
            yield head + text
            return
        cut = _cut(text, limit - len(head) - _room(text[:limit], fence, limit))
        piece, text = text[:cut], text[cut:]
        fence = _open_fence(piece, fence)
        closing = "" if fence is None else f"\n{fence.closing}"
        yield head + piece.rstrip() + closing
        text = text.removeprefix("\n") if fence else text.lstrip("\n" if piece.endswith("\n") else None)


def _reopened(fence: Fence | None, limit: int) -> str:
    """How a message goes on inside a fence. A language that would leave no room for the code is left out."""
    if fence is None:
        return ""
    opening = fence.opening if len(fence.opening) + len(fence.closing) < limit // 2 else fence.closing
    return f"{opening}\n"


def _room(text: str, fence: Fence | None, limit: int) -> int:
    """How much to keep free for closing a fence that may be open at the cut."""
    fences = [len(found[1]) for found in FENCE.finditer(text)] + ([len(fence.closing)] if fence else [])
    return min(max(fences) + 1, limit // 2) if fences else 0


def _cut(text: str, room: int) -> int:
    """Where to cut, within the room: after the best border that leaves a message worth sending."""
    room = max(room, 1)
    window = text[: room + 1]
    for border in BORDERS:
        found = window.rfind(border)
        if found >= room // LEAST and found + len(border.rstrip()) > 0:
            return min(found + len(border), room)
    return room


def _open_fence(piece: str, fence: Fence | None) -> Fence | None:
    """The fence that is open after a piece, given the one that was open before it."""
    for found in FENCE.finditer(piece):
        ticks, rest = found[1], found[2].strip()
        if fence is None:
            fence = Fence(f"{ticks}{found[2].rstrip()}", ticks)
        elif not rest and len(ticks) >= len(fence.closing):
            fence = None
    return fence
