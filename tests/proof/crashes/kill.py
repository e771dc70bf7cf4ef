"""A command that ran, and one that was killed: when that was, and how it left the memory."""

from typing import NamedTuple

from tests.kills.child import Write
from tests.proof.crashes.backups import Kept


class Kill(NamedTuple):
    """A kill: of which command, whether at any moment (or else inside of a write that was waited for), what was being
    written, and what the other process was writing and had begun to write since the command began; whether the log went
    on from what it was, whether there were views on disk, and whether the rows, as they lay there, were what a rebuild
    makes; and, of a kill of `backup`, how the backup lay there.
    """

    command: str
    is_random: bool
    inside: Write | None
    beside: Write | None
    begun: int
    goes_on: bool
    has_views: bool
    is_equal: bool
    backup: Kept | None = None

    def __str__(self) -> str:
        return f"of {self.command}, {f'inside {self.inside}' if self.inside else 'outside of a write'}"

    @property
    def is_met(self) -> bool:
        """Whether the other process wrote at the same time."""
        return self.beside is not None or self.begun > 0


class Run(NamedTuple):
    """A command: what it printed, and its exit code, below zero where it was killed."""

    printed: str
    code: int
