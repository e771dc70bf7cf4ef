"""What still stands of a row's past: what was undone is passed over, with what had undone it.

    recorded                          stands by then
    ───────────────────────────────   ──────────────
    A                                 A
    B                                 A B
    C, as before B: undoes B          A
    D, as before C: undoes C          A B

An event that undoes others says what the row was before them, and makes it that again. Which state that was is told by
what it says; where that one cannot be read any more, the event stands for it.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Generic, NamedTuple, TypeVar

from projections.events import ItemReverted, SummaryReverted
from projections.fold import Record
from projections.ids import EventId

Row = TypeVar("Row")
NOTHING = -1


class State(NamedTuple, Generic[Row]):
    """A row as an event left it; None where it emptied it."""

    record: Record
    row: Row | None


def standing(
    past: Sequence[State[Row]],
    same: Callable[[Row | None, Row | None], bool],
    kept: Collection[EventId] = (),
) -> list[State[Row]]:
    """The states of a row that stand, in recorded order, of all that there were. `same`: whether two say the same,
    whatever event had made them. Events of `kept` stand also where they undo others.
    """
    lasts: list[int] = []  # by each state, the last that stands once it is recorded
    below: dict[int, int] = {}
    for number, state in enumerate(past):
        is_kept = state.record.id in kept
        since = number if is_kept else _since(past, number)
        again = NOTHING if is_kept else _again(past, number, same)
        if again != NOTHING:
            lasts.append(lasts[again])
        elif _undoes(state) and state.row is None and not is_kept:
            lasts.append(NOTHING)
        else:
            below[number] = lasts[since - 1] if since else NOTHING
            lasts.append(number)
    stands, last = [], lasts[-1] if lasts else NOTHING
    while last != NOTHING:
        stands.append(past[last])
        last = below[last]
    return stands[::-1]


def put_back(past: Sequence[State[Row]], same: Callable[[Row | None, Row | None], bool]) -> list[Record]:
    """The events that left a row as it is now, the last one first: where that undid others, it put back what one before
    them had left, which may have put it back itself. `same` as in `standing`.
    """
    found: list[Record] = []
    number = len(past) - 1
    while number != NOTHING:
        found.append(past[number].record)
        number = _again(past, number, same)
    return found


def _again(past: Sequence[State[Row]], number: int, same: Callable[[Row | None, Row | None], bool]) -> int:
    """Which state an event put back that undid others; NOTHING where it undid none, or that cannot be read."""
    before = (n for n in reversed(range(_since(past, number))) if same(past[n].row, past[number].row))
    return next(before, NOTHING) if _undoes(past[number]) else NOTHING


def _since(past: Sequence[State[Row]], number: int) -> int:
    """The first state that an event undid; its own where it undid none."""
    undoes = _undoes(past[number])
    return next((n for n in range(number) if past[n].record.id in undoes), number)


def _undoes(state: State[Row]) -> tuple[EventId, ...]:
    event = state.record.event
    return event.undoes if isinstance(event, ItemReverted | SummaryReverted) else ()
