"""What an import did: counts, and what was skipped or changed, with the reason."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from dnam.importers.source import Arrival, Skipped
from projections.ids import Handle

MOST_PLACES = 3
"""How many of the places where something was skipped or changed are told for each reason."""


@dataclass
class Tally:
    """What an import did so far. `messages` are the new ones and `edits` those of known ones; `narrowed` are the places
    that fewer can read since, by the operator's word. `known` was there already; `skipped` counts by reason; `own` are
    the messages that the assistant is taken to have written, known ones too. `people` and `sessions` are all that the
    sources named, known ones too: what an earlier run brought in may still be unread. `changed` counts by reason what
    is taken otherwise than its file has it, known or new. `skipped_at` and `changed_at` are the first places of each
    reason that a source gave.
    """

    read: int = 0
    messages: int = 0
    edits: int = 0
    items: int = 0
    summaries: int = 0
    narrowed: int = 0
    known: int = 0
    events: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    skipped_at: dict[str, list[str]] = field(default_factory=dict)
    changed: Counter[str] = field(default_factory=Counter)
    changed_at: dict[str, list[str]] = field(default_factory=dict)
    own: int = 0
    people: set[Handle] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)

    def skip(self, reason: str, where: str) -> None:
        """Something in a source is not taken."""
        self.skipped[reason] += 1
        _note_place(self.skipped_at, reason, where)

    def change(self, reason: str, where: str) -> None:
        """Something in a source is taken, and is not as it is there."""
        self.changed[reason] += 1
        _note_place(self.changed_at, reason, where)

    def where(self, reason: str) -> str:
        """The first places of a reason, to be put behind it; nothing where none is known."""
        places = [*self.skipped_at.get(reason, []), *self.changed_at.get(reason, [])]
        more = ", …" if len(places) < self.skipped[reason] + self.changed[reason] else ""
        return f" ({', '.join(places)}{more})" if places else ""


def _note_place(places: dict[str, list[str]], reason: str, where: str) -> None:
    of_reason = places.setdefault(reason, [])
    if len(of_reason) < MOST_PLACES:
        of_reason.append(where)


def ahead_of_what_comes_in(arrivals: Iterator[Arrival], tally: Tally) -> Iterator[Arrival] | None:
    """The arrivals from the first that may come in, once what is skipped before it is counted; None where none may."""
    for arrival in arrivals:
        if not isinstance(arrival, Skipped):
            return chain([arrival], arrivals)
        tally.read += 1
        tally.skip(arrival.reason, arrival.where)
    return None
