"""What was said and waits to be read together, until there is as much of it as is read at a time."""

from typing import NamedTuple

from projections.ids import EventId, Point, Seq
from projections.messages import MessageRow


class Waiting(NamedTuple):
    """A message, or an answer, which is no `message`; recorded at `seq`. What does not count is read with the rest. Of
    an import, a rest that is fewer is read too, and so is one of which a recorded run had read something (`was_read`).
    """

    point: Point
    seq: Seq
    message: MessageRow | None = None
    counts: bool = True
    is_imported: bool = False
    was_read: bool = False

    @property
    def id(self) -> EventId:
        """The event's that was heard, or the answer's."""
        return self.point.id


Piece = list[Waiting]


class Pile:
    """What waits, of one person in one compartment or of one session. `has_begun`: something of it was read."""

    def __init__(self) -> None:
        self.waiting: Piece = []
        self.has_begun = False

    @property
    def size(self) -> int:
        """How many there are that count."""
        return sum(each.counts for each in self.waiting)

    def full(self, every: int) -> list[Piece]:
        """Take off what is as many as are read at a time, earliest first."""
        pieces: list[Piece] = []
        piece: Piece = []
        for each in sorted(self.waiting, key=lambda each: each.point):
            piece.append(each)
            if each.counts and sum(one.counts for one in piece) == every:
                pieces.append(piece)
                piece = []
        self.waiting = piece
        self.has_begun = self.has_begun or bool(pieces)
        return pieces

    def all(self, every: int) -> list[Piece]:
        """The same, and a rest that is fewer where something was read before it, or where it was imported."""
        pieces = self.full(every)
        if self.size and (self.has_begun or any(each.is_imported for each in self.waiting)):
            pieces.append(self._whole())
        return pieces

    def last(self, every: int) -> list[Piece]:
        """The same, and a rest of which something was read when it was recorded: what came of that is nowhere else."""
        pieces = self.all(every)
        if any(each.was_read for each in self.waiting):
            pieces.append(self._whole())
        return pieces

    def _whole(self) -> Piece:
        waiting, self.waiting = self.waiting, []
        return waiting
