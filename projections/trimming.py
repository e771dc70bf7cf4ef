"""The budget over all blocks of a prompt, in tokens: what goes first where it is over (seed 001, "Token Budget
Management").

    always there          context files, the message and what it replies to, Discord's actions, and what is known of
                          whoever asks, which has a budget of its own ("sender context", small)
    4th, goes last        the recent conversation, from the oldest on
    5th                   the summary, from its end on
    between               passages of past conversations, the least fitting first
    6th, goes first       what is known of the others in the room, the least fitting first

As much of each goes as must, and nothing of the next one while that is enough. Where all of it is not, that is noted.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from projections.durable import Ranked
from projections.events.values import LeftOut
from projections.gathering import Passage
from projections.window_line import WindowLine

T = TypeVar("T")
MOST_LISTED = 12
"""A turn records for good what was left out of its prompt: of each block so many, and the rest as a number."""
_HALF_WORD = re.compile(r"\S+\Z")


class Parts(NamedTuple):
    """What may go: of the room and the passages the best first, the summary's text, the window oldest first."""

    room: tuple[Ranked, ...]
    passages: tuple[Passage, ...]
    summary: str
    recent: tuple[WindowLine, ...]


class Trimmed(NamedTuple):
    """What is left, and what went and why."""

    parts: Parts
    left_out: tuple[LeftOut, ...]


class _Step(NamedTuple):
    """How much there is of a block, what the parts are without so much of it, and how that is reported."""

    size: Callable[[Parts], int]
    without: Callable[[Parts, int], Parts]
    gone: Callable[[Parts, int], Sequence[tuple[str, str]]]


def _of_room(parts: Parts, number: int) -> list[tuple[str, str]]:
    return [("room", hit.item.id) for hit in parts.room[len(parts.room) - number :]]


def _of_past(parts: Parts, number: int) -> list[tuple[str, str]]:
    return [("past", each.uses[0].id.hex()) for each in parts.passages[len(parts.passages) - number :]]


def _of_summary(parts: Parts, number: int) -> list[tuple[str, str]]:
    chars = len(parts.summary) - len(cut(parts.summary, len(parts.summary) - number))
    return [("summary", f"the last {chars} characters")] if chars else []


def _of_recent(parts: Parts, number: int) -> list[tuple[str, str]]:
    return [("recent", line.id.hex()) for line in parts.recent[:number]]


STEPS = (
    _Step(lambda parts: len(parts.room), lambda parts, n: parts._replace(room=_but_last(parts.room, n)), _of_room),
    _Step(
        lambda parts: len(parts.passages),
        lambda parts, n: parts._replace(passages=_but_last(parts.passages, n)),
        _of_past,
    ),
    _Step(
        lambda parts: len(parts.summary),
        lambda parts, n: parts._replace(summary=cut(parts.summary, len(parts.summary) - n)),
        _of_summary,
    ),
    _Step(lambda parts: len(parts.recent), lambda parts, n: parts._replace(recent=parts.recent[n:]), _of_recent),
)
"""In the order in which they are gone through."""


def trimmed(parts: Parts, tokens: int, count: Callable[[Parts], int]) -> Trimmed:
    """The parts within a budget, 0 for none; `count` says how many tokens the whole prompt has with them."""
    gone: list[LeftOut] = []
    for step in STEPS if tokens else ():
        if count(parts) <= tokens:
            break
        size = step.size(parts)
        number = bisect_left(range(size), True, key=lambda n: count(step.without(parts, n)) <= tokens)
        gone += _listed(step.gone(parts, number), tokens)
        parts = step.without(parts, number)
    over = count(parts) - tokens if tokens else 0
    if over > 0:
        why = f"{over} tokens over {tokens} in all: what always stands there has more by itself"
        gone.append(LeftOut("prompt", "nothing more", why))
    return Trimmed(parts, tuple(gone))


def _but_last(each: tuple[T, ...], number: int) -> tuple[T, ...]:
    return each[: len(each) - number]


def _listed(gone: Sequence[tuple[str, str]], tokens: int) -> list[LeftOut]:
    why = f"over {tokens} tokens in all"
    listed = [LeftOut(block, what, why) for block, what in gone[:MOST_LISTED]]
    rest = len(gone) - MOST_LISTED
    return listed if rest <= 0 else [*listed, LeftOut(gone[0][0], f"{rest} more", why)]


def cut(text: str, chars: int) -> str:
    """The text up to the last whole word within its limit; a single word that is too long is cut."""
    if len(text) <= chars:
        return text
    kept = text[:chars]
    whole = kept if text[chars].isspace() else _HALF_WORD.sub("", kept)
    return (whole if whole.strip() else kept).rstrip()
