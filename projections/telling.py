"""What was said and may be told again in an answer: nothing that a person took back.

Words of people may. Of the assistant only its answers in this session's era may, as in the window: the vault of an era
grows by everybody in the prompts of its answers, and one from elsewhere would bring all of its people into it; only the
one at which a thread began may all the same (`starter`). One that had before it what a person took back left with that.
"""

from collections.abc import Callable
from functools import cache, cached_property

from projections.items import QUIET
from projections.messages import MessageRow, unit
from projections.rows import Rows
from projections.said import is_of_era, says_something
from projections.summaries import era_of
from projections.turns import TurnRow

Quiet = Callable[[], frozenset[bytes]]
"""The ids of everything that a person took back, read when they are first asked for."""


class MayTell:
    """Whether something may be told again in an answer in a session. What is `quiet` is read once for a prompt."""

    def __init__(self, rows: Rows, session: str, epoch: int, quiet: Quiet | None = None) -> None:
        self._rows = rows
        self._here = unit(session, epoch)
        self._era = era_of(rows, session, epoch)
        self._read_quiet: Quiet = quiet or cache(lambda: frozenset(rows.keys(QUIET, b"")))

    @cached_property
    def _quiet(self) -> frozenset[bytes]:
        return self._read_quiet()

    def as_in(self, session: str, epoch: int) -> "MayTell":
        """Whether it might be told in another session."""
        return MayTell(self._rows, session, epoch, self._read_quiet)

    def __call__(self, key: bytes, row: MessageRow | TurnRow) -> bool:
        if key[-16:] in self._quiet or not says_something(row):
            return False
        is_of_others = isinstance(row, MessageRow) and row.message.author != "self"
        return is_of_others or self._is_answer_here(key, row)

    def _is_answer_here(self, key: bytes, row: MessageRow | TurnRow) -> bool:
        """Whether the assistant's own words would stand in the window, were it longer."""
        return key[:16] == self._here and is_of_era(row, self._era)
