"""What says again what is taken back, though no message of it stood before it: by an item, a summary, another answer.

    message ──▶ item ──▶ answer, perhaps elsewhere ──▶ summary ──▶ answer that repeats it ──▶ …

Such an answer goes where it repeats the words, as one does that had the message itself before it (`redact`). The
summaries that were made of it go with it. Where a decision has no room for all of them, the farthest go first: the way
to the others is still there when it is decided again.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from projections.events import SummaryAnswered, SummaryRefreshed, SummaryReset, SummaryReverted, TurnAnswered
from projections.events.values import Audience
from projections.gaps import STOOD, led_to
from projections.ids import EventId
from projections.rows import Rows
from projections.turns import TurnRow, find_turn

SUMMARIES_MADE = frozenset(each.TAG for each in (SummaryAnswered, SummaryRefreshed, SummaryReset, SummaryReverted))
MOST_AT_ONCE = 300
"""How many answers and summaries one decision takes at most: an event or two each, and it has room for 1,000."""

Says = Callable[[TurnRow], bool]
Units = Mapping[tuple[str, int], Audience]
"""Audiences by session and epoch."""


class SaidAgain(NamedTuple):
    """Answers that say it again, and the summaries that were made of what says it, the nearest first."""

    found: tuple[TurnRow | EventId, ...]

    @property
    def turns(self) -> tuple[TurnRow, ...]:
        """The answers."""
        return tuple(each for each in self.found if isinstance(each, TurnRow))

    @property
    def summaries(self) -> tuple[EventId, ...]:
        """The summaries."""
        return tuple(each for each in self.found if not isinstance(each, TurnRow))

    @property
    def is_too_much(self) -> bool:
        """Whether one decision has no room for all of it."""
        return len(self.found) > MOST_AT_ONCE

    def nearest(self) -> "SaidAgain":
        """As much as one decision has room for."""
        return SaidAgain(self.found[:MOST_AT_ONCE])

    def farthest(self) -> "SaidAgain":
        """What goes first, where it is too much."""
        return SaidAgain(self.found[-MOST_AT_ONCE:])


def units_of_turns(turns: Iterable[TurnRow]) -> dict[tuple[str, int], Audience]:
    """Where these answers were given."""
    return {(turn.session, turn.audience.epoch): turn.audience for turn in turns}


def said_again(rows: Rows, first: Iterable[EventId], says: Says, known: Iterable[EventId]) -> SaidAgain:
    """What came of these events, as far as it says the words again. `known` are answers that were looked at already."""
    waiting = deque(dict.fromkeys(first))
    seen = {*waiting, *known}
    found: list[TurnRow | EventId] = []
    while waiting:
        for effect, tag in led_to(rows, waiting.popleft()):
            if effect in seen:
                continue
            seen.add(effect)
            if tag in SUMMARIES_MADE:
                found.append(effect)
                waiting.append(effect)
            elif tag == STOOD:  # what told the item before tells of it as it stands
                waiting.append(effect)
            elif tag == TurnAnswered.TAG:
                turn = find_turn(rows, effect)
                if turn is None:  # nobody knows what it said, so what came of it is looked at
                    waiting.append(effect)
                elif says(turn):
                    found.append(turn)
                    waiting.append(effect)
    return SaidAgain(
        tuple(each for each in found if isinstance(each, TurnRow) or rows.ids.status(each) == "known"),
    )
