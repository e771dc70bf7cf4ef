"""What may be spent: US dollars in a day, answers for one person in a minute.

Learning stops at a part of the day's limit, so that what is left of it goes to people who wait for an answer. A call
that is under way is counted when it is recorded, so a day ends a few calls above its limit, not a few dollars.
"""

from typing import NamedTuple

from projections.calls import Spent, Work
from projections.ids import LAST, MINUTE_MS, Handle, Point
from projections.rows import Rows
from projections.turns import asked_after

LEARNING_THOUSANDTHS = 800
"""The part of a day's limit that learning may use up."""


class Budget(NamedTuple):
    """The limits in force; 0 is no limit. `micros_per_day` is in 10⁻⁶ USD, for a day of UTC."""

    micros_per_day: int = 0
    turns_per_minute: int = 0


class Over(NamedTuple):
    """A limit is reached: `reason` for the operator, `words` for the person who waits."""

    reason: str
    words: str


def _dollars(micros: int) -> str:
    """An amount without zeros at its end, to the last millionth: `2.5`, `0.000001`."""
    return f"{micros / 1_000_000:.6f}".rstrip("0").rstrip(".")


def over_cost(spent: Spent, work: Work, budget: Budget) -> Over | None:
    """Whether work has to wait for the next day; learning before answers."""
    limit = budget.micros_per_day
    allowed = limit if work == "answer" else limit * LEARNING_THOUSANDTHS // 1000
    if not limit or spent.micros < allowed:
        return None
    what = f"{spent.micros / 1_000_000:.4f} of {_dollars(limit)} US dollars are spent today (UTC)"
    held = "" if work == "answer" else f"; from {LEARNING_THOUSANDTHS // 10} % on learning waits"
    return Over(
        f"{what}{held}: DNAM_MAX_COST_PER_DAY", "I have used up what I may spend today. Please ask me tomorrow."
    )


def answered_lately(rows: Rows, person: Handle, now: int) -> int:
    """How many answers to a person were recorded within the last minute (`now` in ms). Nobody's are nobody's."""
    return sum(1 for _ in asked_after(rows, person, Point(now - MINUTE_MS, LAST)))


def over_turns(turns: int, budget: Budget) -> Over | None:
    """Whether somebody has had their answers of this minute, when they had so many."""
    limit = budget.turns_per_minute
    if not limit or turns < limit:
        return None
    words = "That is more than I can answer at once. Please give me a minute."
    return Over(f"a person gets {limit} answers a minute at most: DNAM_TURNS_PER_MINUTE", words)
