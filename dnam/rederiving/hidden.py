"""What left recall in a memory, with something that a person took back, while a shadow of it is being made: no model
that is asked anew is shown it, wherever in the walk it was said. What was replied then is decided anew from all of it.

It is looked for when a walk begins; whoever takes something back meanwhile has the walk begin again (`watch`). What was
taken back before is at its place in the walk, and is read up to there.
"""

from collections.abc import Set
from typing import NamedTuple

from dnam.rederiving.spoken import Upto
from projections.derived import effects_of
from projections.events import TurnAnswered
from projections.ids import EventId, Point
from projections.items import QUIET
from replay.engine import Engine

END_MS = 1 << 62
"""Behind all that is said."""


def hidden_in(live: Engine, after: int) -> frozenset[EventId]:
    """The messages and answers that left recall behind a seq, and the answers that had such a message before them."""
    with live.reading() as rows:
        quiet = {EventId(found.key) for found in rows.scan(QUIET) if found.seq > after}
        answers = (effect for each in quiet for effect, tag in effects_of(rows, each) if tag == TurnAnswered.TAG)
        return frozenset(quiet.union(answers))


class Shown(NamedTuple):
    """What a run may read, as `upto` says, but for what is `hidden`; all else, where that says nothing."""

    hidden: Set[EventId]
    upto: Upto | None

    @property
    def until(self) -> int:
        """When the last of it was said (ms)."""
        return END_MS if self.upto is None else self.upto.until

    @property
    def edited(self) -> "tuple[Point, ...]":
        """Where messages lie that may say something else than at first."""
        return () if self.upto is None else tuple(self.upto.edited)

    def has(self, heard: EventId, version: EventId) -> bool:
        """Whether it is among them."""
        if heard in self.hidden or version in self.hidden:
            return False
        return self.upto is None or self.upto.has(heard, version)

    def is_new(self, heard: EventId, version: EventId) -> bool:
        """Whether no run before this one could read it."""
        return self.upto is not None and self.upto.is_new(heard, version)

    def has_more(self, known: Set[EventId]) -> bool:
        """Whether anything that no run before this one could read is of other events than these."""
        return self.upto is not None and self.upto.has_more(known)
