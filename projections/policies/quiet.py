"""What leaves recall together with an item that a person takes back (design §8).

The messages that it rests on leave, unless another active item of theirs rests on them too; and so do the answers
whose prompt held such a message, or the item itself. When it is brought back, so are its messages, whatever else rests
on them: an active item does again; and the answers that nothing else which is still taken back keeps quiet.
"""

from collections.abc import Iterable, Sequence

from projections.derived import effects_of
from projections.events import TurnAnswered
from projections.events.values import Evidence, Item
from projections.ids import EventId
from projections.items import QUIET, ForgottenRow, ItemRow, is_quiet
from projections.messages import ids_in
from projections.rows import Rows

VERSION = "quiet@1"
MOST_QUIET = 1_000
"""The most that leaves with one item, messages first, then answers, the newest of them."""


def quiet_with(rows: Rows, owned: Iterable[ItemRow], meant: Sequence[ItemRow]) -> dict[EventId, tuple[EventId, ...]]:
    """By the event of each row that is meant: what leaves with it. `owned` are all of the owner's items."""
    leaving = {row.event for row in meant}
    staying = {
        message
        for row in owned
        if row.item.status == "active" and row.event not in leaving
        for message in _messages(row.item)
    }
    return {row.event: _leaves(rows, row, staying) for row in meant}


def returns_with(
    rows: Rows, owned: Iterable[ItemRow], back: ForgottenRow, others: Iterable[ForgottenRow]
) -> tuple[EventId, ...]:
    """What comes back with an item, messages first. `others` are what its owner took back besides it."""
    mine = _resting_on(back.evidence)
    staying = {*mine, *(message for row in owned if row.item.status == "active" for message in _messages(row.item))}
    gone = {cause for other in others for cause in (*_resting_on(other.evidence), *other.was)} - staying
    answers = sorted(_answers(rows, [*mine, *back.was]) - _answers(rows, gone), reverse=True)
    return tuple(each for each in (*mine, *answers) if is_quiet(rows, each))


def left_with(rows: Rows, forgotten: ForgottenRow) -> tuple[EventId, ...]:
    """What left recall with what was taken back, and has not returned."""
    return tuple(EventId(found.key) for found in rows.scan(QUIET) if found.row.event == forgotten.event)


def resting_on_quiet(rows: Rows, session: str, epoch: int) -> frozenset[EventId]:
    """The answers of a session that had a message before them which has left recall: what they repeat of it has left
    too, also where they were given later.
    """
    if next(rows.scan(QUIET), None) is None:
        return frozenset()
    return frozenset(_answers(rows, (each for each in ids_in(rows, session, epoch + 1) if is_quiet(rows, each))))


def _messages(item: Item) -> list[EventId]:
    return _resting_on(item.evidence)


def _resting_on(evidence: Iterable[Evidence]) -> list[EventId]:
    return list(dict.fromkeys(each.message for each in evidence if each.message))


def _answers(rows: Rows, causes: Iterable[EventId]) -> set[EventId]:
    return {effect for cause in causes for effect, tag in effects_of(rows, cause) if tag == TurnAnswered.TAG}


def _leaves(rows: Rows, row: ItemRow, staying: set[EventId]) -> tuple[EventId, ...]:
    messages = [message for message in _messages(row.item) if message not in staying]
    newest = sorted(_answers(rows, [*messages, row.event]), reverse=True)  # an id begins with its minute
    return (*messages, *newest)[:MOST_QUIET]
