"""Where a term stands, kept between searches: what was read from disk, with what came since laid behind it."""

from array import array

import numpy as np

from projections.recall.columns import Bytes, Flags, Postings

FEW = 32
"""Up to how many places are looked at one by one."""
SHARE = 64
"""How many times as long the arrays are as the room that is made at once for what comes."""
SHORT = 512
"""Up to how many places are soon read again: most terms are asked for once, and would be held for long."""
HOLDING = 512
"""About how many bytes two arrays, their peak, this, and the term take in CPython."""


class KeptPostings:
    """Postings that grow at their end. What was handed out before stays as it was."""

    __slots__ = ("_at", "_counts", "_dead", "_late", "_peak", "_size")

    def __init__(self, sealed: Postings) -> None:
        self._at, self._counts, self._peak = sealed
        self._size = len(sealed.at)
        self._late = 0
        self._dead = 0

    @property
    def bytes(self) -> int:
        """How many bytes they take, with what holds them: of most terms it is more than where they stand."""
        return HOLDING + self._at.nbytes + self._counts.nbytes

    def postings(self) -> Postings:
        """Where the term stands as far as it is known here."""
        return Postings(self._at[: self._size], self._counts[: self._size], self._peak)

    def is_behind(self, late: int, dead: int) -> bool:
        """Whether more than was followed came one by one, or more are gone than were buried."""
        return late != self._late or dead != self._dead

    def follow(self, places: "array[int]", counts: "array[int]", lengths: Bytes) -> None:
        """Lay behind it what came since; these are all that came one by one. `lengths` are those of all documents."""
        new = len(places) - self._late
        if not new:
            return
        size = self._size + new
        if size > len(self._at):
            more = new + size // SHARE
            self._at = np.concatenate([self._at[: self._size], np.empty(more, np.int32)])
            self._counts = np.concatenate([self._counts[: self._size], np.empty(more, np.uint8)])
        late, often = places[self._late :], counts[self._late :]
        self._at[self._size : size] = late
        self._counts[self._size : size] = often
        self._peak = self._peak.with_more(max(often), _least(lengths, late))
        self._size, self._late = size, len(places)

    def settle(self, number: int) -> bool:
        """The first of what came one by one is told as what was there from the beginning. Whether this is worth keeping
        then: it has them, and is no short one.
        """
        stays = self._late >= number and self._size > SHORT
        self._late -= number if stays else 0
        return stays

    def bury(self, alive: Flags, dead: int) -> None:
        """Leave out what is gone, unless no more are gone by now than when that was done last."""
        if dead == self._dead:
            return
        at, counts, _ = self.postings()
        living = alive[at]
        if not living.all():
            self._at, self._counts = at[living], counts[living]
            self._size = len(self._at)
        self._dead = dead


def _least(values: Bytes, places: "array[int]") -> int:
    """The least of the values at some places."""
    if len(places) <= FEW:
        return min(map(values.item, places))
    return int(values.take(places).min())
