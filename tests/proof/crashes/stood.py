"""Where a log stood."""

from typing import NamedTuple, Self

from replay.log import EMPTY
from replay.proofs import root_at
from replay.store import DiskStore


class Stood(NamedTuple):
    """How many events a log had, and their root."""

    size: int
    root: bytes

    @classmethod
    def of(cls, store: DiskStore) -> Self:
        head = store.log.head()
        return cls(head.size, head.root())

    def is_prefix_of(self, store: DiskStore) -> bool:
        """Whether the log begins with what it was."""
        return store.log.head().size >= self.size and root_at(store.log, self.size) == self.root


NOTHING = Stood(0, EMPTY.root())
"""A log that is empty."""
