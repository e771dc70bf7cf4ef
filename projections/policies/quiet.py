"""What leaves recall together with an item that a person takes back (design §8).

The messages that it rests on leave, unless another active item of theirs rests on them too; and so do the answers
whose prompt held such a message, or the item itself.
"""

from collections.abc import Iterable, Sequence

from projections.derived import effects_of
from projections.events import TurnAnswered
from projections.events.values import Item
from projections.ids import EventId
from projections.items import ItemRow
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


def _messages(item: Item) -> list[EventId]:
    return [each.message for each in item.evidence if each.message]


def _leaves(rows: Rows, row: ItemRow, staying: set[EventId]) -> tuple[EventId, ...]:
    messages = dict.fromkeys(message for message in _messages(row.item) if message not in staying)
    answers = {
        effect for cause in (*messages, row.event) for effect, tag in effects_of(rows, cause) if tag == TurnAnswered.TAG
    }
    newest = sorted(answers, reverse=True)  # an id begins with its minute
    return (*messages, *newest)[:MOST_QUIET]
