"""Vectors that were opened, kept in memory: a search looks at all of a place, and opening one takes microseconds.

They are those of one encoder, and of vaults whose keys are in the ring: an erasure empties this at the next look.
"""

from collections.abc import Container, Sequence

from projections.ids import Seq, VaultId
from projections.vectors import Numbers

MOST_BYTES = 128 << 20
"""How many bytes of vectors are kept; with more, it begins anew."""


class Opened:
    """Opened vectors by the seq of the event that made their row."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._encoder = ""
        self._vectors: dict[Seq, Numbers] = {}
        self._vaults: set[VaultId] = set()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._vectors)

    def only(self, encoder: str, vaults: Container[VaultId]) -> None:
        """Keep nothing of another encoder, and nothing once one of its vaults has lost its key."""
        if encoder != self._encoder or not all(vault in vaults for vault in self._vaults):
            self.clear()
            self._encoder = encoder

    def of(self, seqs: Sequence[Seq]) -> list[Numbers | None]:
        """What is there of these."""
        return list(map(self._vectors.get, seqs))

    def lacking(self, seqs: Sequence[Seq]) -> list[Seq]:
        """Those of which nothing is there."""
        return [seq for seq in seqs if seq not in self._vectors]

    def put(self, seq: Seq, vault: VaultId, numbers: Numbers) -> None:
        """Keep one."""
        self._vectors[seq] = numbers
        self._vaults.add(vault)
        self._bytes += len(numbers)

    def forget(self, seq: Seq) -> None:
        """A row has another text than before."""
        self._bytes -= len(self._vectors.pop(seq, ()))

    def make_room(self) -> None:
        """Let everything go where it is too much."""
        if self._bytes > self._most_bytes:
            self.clear()

    def clear(self) -> None:
        """Let everything go."""
        self._vectors, self._vaults, self._bytes = {}, set(), 0
