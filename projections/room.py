"""What is known of the others in the room: of those whose messages stand in the window, what all who read the answer
could have heard from them (`compartments.opened_of`). Nothing portable, and nothing of direct messages.

What says how one of them is to be answered is not for an answer to somebody else; of who opted out nothing is told.
What answers to the message comes first; then each of them in turn, who spoke last first, so that nobody crowds the
others out.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from projections.consent import is_out
from projections.durable import Chosen, Ranked, Sought, answers, chosen, noting, ranked
from projections.events.values import Limits
from projections.ids import Handle
from projections.policies.compartments import Setting
from projections.policies.told_of_others import is_told_to, opened_there
from projections.rows import Rows
from projections.window import Window

BLOCK = "room"
SPARE = 2
"""How many times as many items are tried as may stand there: some are too long."""


class Room(NamedTuple):
    """Who else is there, who spoke last first, and what is told of them."""

    people: tuple[Handle, ...] = ()
    known: Chosen = Chosen((), ())


def others_in(window: Window, asker: Handle) -> tuple[Handle, ...]:
    """Those besides the asker whose messages stand in a window, who spoke last first."""
    spoke = (line.speaker for line in reversed(window.lines))
    return tuple(dict.fromkeys(person for person in spoke if person and person != asker))


def people_told_of(rows: Rows, window: Window, asker: Handle, limits: Limits) -> tuple[Handle, ...]:
    """Those of them of whom something may stand in a prompt."""
    return _in(rows, window, asker) if limits.room_items else ()


def _in(rows: Rows, window: Window, asker: Handle) -> tuple[Handle, ...]:
    return tuple(person for person in others_in(window, asker) if not is_out(rows, person))


def room(
    rows: Rows, setting: Setting, window: Window, sought: Sought, limits: Limits, length: Callable[[Ranked], int]
) -> Room:
    """What a prompt holds of the others; `length` is how many characters the line of an item has."""
    people = _in(rows, window, setting.person)
    if not (people and limits.room_items):
        return Room(people)
    found = ranked(rows, opened_there(setting, people), sought, limits.scoring)
    hits = [hit for hit in found if is_told_to(hit.item, setting.person)]
    tried = _fairly(hits, people)[: limits.room_items * SPARE]
    known = chosen(tried, limits.room_items, limits.room_chars, BLOCK, length)
    return Room(people, noting(known, BLOCK, found, hits))


def _fairly(hits: Sequence[Ranked], people: Sequence[Handle]) -> list[Ranked]:
    """What answers to the message, best first; then the next one of each in turn."""
    answering: list[Ranked] = []
    others: dict[Handle, list[Ranked]] = {person: [] for person in people}
    for hit in hits:
        (answering if answers(hit) else others[hit.item.owner]).append(hit)
    return [*answering, *_there(hit for turn in zip_longest(*others.values()) for hit in turn)]


def _there(hits: Iterable[Ranked | None]) -> Iterator[Ranked]:
    return (hit for hit in hits if hit is not None)
