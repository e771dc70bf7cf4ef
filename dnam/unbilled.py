"""What this process has paid for and no event tells of yet: it is being recorded, waits to be, or never can be.

A limit on what a day may cost is held against the bill in the log. While the log takes nothing, that bill stands still
and the calls go on: so what was paid here is added to it, until it stands there.
"""

from projections.calls import calls_made
from projections.times import DAY_MS
from replay.group import Recorded


class Unbilled:
    """An amount of today's, in 10⁻⁶ USD. What is still on no bill when the day (UTC) ends is forgotten here: the day
    on which it is recorded has it on its bill.
    """

    def __init__(self) -> None:
        self._day = 0
        self._micros = 0

    def on_day_of(self, now: int) -> int:
        """How much it is on the day of a moment (ms)."""
        if now // DAY_MS != self._day:
            self._day, self._micros = now // DAY_MS, 0
        return self._micros

    def paid(self, micros: int, now: int) -> None:
        """A call took this."""
        self._micros = self.on_day_of(now) + micros

    def recorded(self, recorded: Recorded) -> None:
        """What a decision recorded is on the bill from now on. What was paid before this process began is no part of
        the amount, and takes nothing from it below zero.
        """
        made = (call for record in recorded.records for call in calls_made(record))
        self._micros = max(self._micros - sum(call.cost_micros for call in made), 0)
