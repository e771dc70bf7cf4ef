"""What models cost, added up by day, by person or by model."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple

from dnam.prices import dollars, prices
from projections.calls import CallRow, calls
from projections.counting import counted
from projections.people import name_of
from projections.rows import Rows
from projections.times import DAY_MS

By = Literal["day", "user", "model"]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SHARED = "(several people)"
"""Whom work is for that is no one person's, such as the summary of a channel."""
WORDS_DAYS = 7
"""How many days a short answer goes back."""


class Cost(NamedTuple):
    """Calls of one day, person or model; of one that took several requests, what all of them took. `key` is the day,
    the person's handle in hex or the model; `name` is shown.

    `failed` are those of which nothing came. `cost_micros` is in 10⁻⁶ USD; tokens read from a cache are part of
    `tokens_in`.
    """

    key: str
    name: str
    calls: int
    failed: int
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    cost_micros: int

    @property
    def usd(self) -> str:
        """The cost for people."""
        return dollars(self.cost_micros)


class Costs(NamedTuple):
    """All of it: a line for each day in order, or for each person or model, the dearest first; and the sum.

    `unpriced` are the models that were asked and whose price is not in the table of `prices_as_of`: they count as free.
    """

    by: By
    lines: tuple[Cost, ...]
    total: Cost
    unpriced: tuple[str, ...]
    prices_as_of: str


def costs(rows: Rows, by: By, since: int | None = None) -> Costs:
    """What was spent from `since` on (ms), or ever. Days are days of UTC, by when a call was recorded."""
    found = list(calls(rows, since))
    groups: dict[str, list[CallRow]] = {}
    for call in found:
        groups.setdefault(KEYS[by](call), []).append(call)
    lines = [_cost(key, _name(rows, by, of[0], key), of) for key, of in groups.items()]
    if by != "day":
        lines.sort(key=lambda line: (-line.cost_micros, -line.calls, line.name))
    return Costs(by, tuple(lines), _cost("", "total", found), _unpriced(found), prices().as_of.isoformat())


def words(rows: Rows, now: int) -> str:
    """Today's and the last days' cost in a few lines, for a chat: what `!memory costs` answers."""
    today = day_of(now)
    first = (now // DAY_MS - WORDS_DAYS + 1) * DAY_MS
    lately = costs(rows, "model", first)
    if not lately.lines:
        return f"No model was asked in the last {WORDS_DAYS} days."
    days = costs(rows, "day", first).lines
    spent = sum(line.cost_micros for line in days if line.key == today)
    lines = [f"{line.name}: {line.usd} for {counted(line.calls, 'call')}" for line in lately.lines]
    return "\n".join([f"Today (UTC): {dollars(spent)}", f"Last {WORDS_DAYS} days: {lately.total.usd}", *lines])


def day_of(at: int) -> str:
    """The day of UTC of a moment, as in 2026-02-09."""
    return (EPOCH + timedelta(milliseconds=at)).date().isoformat()


KEYS: dict[By, Callable[[CallRow], str]] = {
    "day": lambda call: day_of(call.at),
    "user": lambda call: call.person.hex(),
    "model": lambda call: call.model,
}


def _name(rows: Rows, by: By, call: CallRow, key: str) -> str:
    if by != "user":
        return key
    return name_of(rows, call.person) if call.person else SHARED


def _cost(key: str, name: str, of: Iterable[CallRow]) -> Cost:
    each = list(of)
    return Cost(
        key=key,
        name=name,
        calls=len(each),
        failed=sum(call.failed for call in each),
        tokens_in=sum(call.tokens_in for call in each),
        tokens_cached=sum(call.tokens_cached for call in each),
        tokens_out=sum(call.tokens_out for call in each),
        cost_micros=sum(call.cost_micros for call in each),
    )


def _unpriced(found: Iterable[CallRow]) -> tuple[str, ...]:
    return tuple(sorted(set(_asked_free(found))))


def _asked_free(found: Iterable[CallRow]) -> Iterator[str]:
    """Models that took tokens and cost nothing: nobody knows their price. The offline model takes none."""
    for call in found:
        if call.tokens_in and not call.cost_micros and prices().price_of(call.model) is None:
            yield call.model
