"""The budget over all blocks of a prompt, in tokens: what goes first where it is over (seed 001, "Token Budget
Management").

    always there          context files, the message and what it replies to, Discord's actions, and what is known of
                          whoever asks, which has a budget of its own ("sender context", small)
    4th, goes last        the recent conversation, from the oldest on
    5th                   the summary, from its end on
    between               passages of past conversations
    6th, goes first       what is known of the others in the room

As much of each goes as must, and nothing of the next one while that is enough. Of the room and the passages the best is
tried first, and where one does not fit the next one is (design §10). Of a passage that does not fit whole, each thing
that was found in it is tried with what stands around it, or else alone, as when passages are gathered; what is left of
it is in one piece. Where all of it is not enough, that is noted.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple

from projections.counting import counted
from projections.durable import Ranked
from projections.events.values import LeftOut
from projections.gathering import NEAR, Passage
from projections.window_line import WindowLine

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


Fits = Callable[[Parts], bool]
"""Whether the whole prompt is within its budget with these parts."""
Gone = list[tuple[str, str]]
"""What went: of which block, and what."""


def _trim_room(parts: Parts, fits: Fits) -> tuple[Parts, Gone]:
    kept: tuple[Ranked, ...] = ()
    gone: Gone = []
    for hit in parts.room:
        if fits(parts._replace(room=(*kept, hit))):
            kept = (*kept, hit)
        else:
            gone.append(("room", hit.item.id))
    return parts._replace(room=kept), gone


def _trim_past(parts: Parts, fits: Fits) -> tuple[Parts, Gone]:
    kept: list[Passage] = []
    gone: Gone = []

    def has_room(passage: Passage) -> bool:
        return fits(parts._replace(passages=(*kept, passage)))

    for passage in parts.passages:
        left = passage if has_room(passage) else _piece(passage, has_room)
        gone += _gone_of(passage, left)
        kept += [] if left is None else [left]
    return parts._replace(passages=tuple(kept)), gone


def _trim_summary(parts: Parts, fits: Fits) -> tuple[Parts, Gone]:
    size = len(parts.summary)

    def without(number: int) -> Parts:
        return parts._replace(summary=cut(parts.summary, size - number))

    left = without(bisect_left(range(size), True, key=lambda number: fits(without(number))))
    chars = size - len(left.summary)
    return left, [("summary", f"the last {chars} characters")] if chars else []


def _trim_recent(parts: Parts, fits: Fits) -> tuple[Parts, Gone]:
    def without(number: int) -> Parts:
        return parts._replace(recent=parts.recent[number:])

    number = bisect_left(range(len(parts.recent)), True, key=lambda number: fits(without(number)))
    return without(number), [("recent", line.id.hex()) for line in parts.recent[:number]]


STEPS = (_trim_room, _trim_past, _trim_summary, _trim_recent)
"""In the order in which they are gone through."""


def trimmed(parts: Parts, tokens: int, count: Callable[[Parts], int]) -> Trimmed:
    """The parts within a budget, 0 for none; `count` says how many tokens the whole prompt has with them."""
    gone: list[LeftOut] = []

    def fits(each: Parts) -> bool:
        return count(each) <= tokens

    for trim in STEPS if tokens else ():
        if fits(parts):
            break
        parts, went = trim(parts, fits)
        gone += _listed(went, tokens)
    over = count(parts) - tokens if tokens else 0
    if over > 0:
        why = f"{over} tokens over {tokens} in all: what always stands there has more by itself"
        gone.append(LeftOut("prompt", "nothing more", why))
    return Trimmed(parts, tuple(gone))


def _listed(gone: Sequence[tuple[str, str]], tokens: int) -> list[LeftOut]:
    why = f"over {tokens} tokens in all"
    listed = [LeftOut(block, what, why) for block, what in gone[:MOST_LISTED]]
    rest = len(gone) - MOST_LISTED
    return listed if rest <= 0 else [*listed, LeftOut(gone[0][0], f"{rest} more", why)]


# -- a passage that does not fit whole -------------------------------------------------------------------------------


def _piece(passage: Passage, has_room: Callable[[Passage], bool]) -> Passage | None:
    """As much of a passage as there is room for; None for nothing."""
    places = {line.id: at for at, line in enumerate(passage.lines)}
    shown = range(0)
    for at in (places[use.id] for use in passage.uses):
        for near in (NEAR, 0) if at not in shown else ():
            more = _together(shown, range(max(at - near, 0), min(at + near + 1, len(passage.lines))))
            if more and has_room(_lines_of(passage, more)):
                shown = more
                break
    return _lines_of(passage, shown) if shown else None


def _together(one: range, other: range) -> range:
    """Two stretches as one; none where they do not touch."""
    if not one:
        return other
    if max(one.start, other.start) > min(one.stop, other.stop):
        return range(0)
    return range(min(one.start, other.start), max(one.stop, other.stop))


def _lines_of(passage: Passage, shown: range) -> Passage:
    """Some lines of a passage, with what was found in them."""
    lines = passage.lines[shown.start : shown.stop]
    there = {line.id for line in lines}
    found = [number for number, use in enumerate(passage.uses) if use.id in there]
    return Passage(
        tuple(passage.uses[number] for number in found),
        lines,
        tuple(passage.links[number] for number in found),
        tuple(passage.hits[number] for number in found),
    )


def _gone_of(passage: Passage, left: Passage | None) -> Gone:
    """What was found in a passage and is not in what is left of it; of what stood around the rest, how much."""
    if left is None:
        return [("past", use.id.hex()) for use in passage.uses]
    gone = [("past", use.id.hex()) for use in passage.uses if use not in left.uses]
    beside = len(passage.lines) - len(left.lines) - len(gone)
    return [*gone, *([("past", f"{counted(beside, 'line')} beside what was found")] if beside else [])]


def cut(text: str, chars: int) -> str:
    """The text up to the last whole word within its limit; a single word that is too long is cut."""
    if len(text) <= chars:
        return text
    kept = text[:chars]
    whole = kept if text[chars].isspace() else _HALF_WORD.sub("", kept)
    return (whole if whole.strip() else kept).rstrip()
