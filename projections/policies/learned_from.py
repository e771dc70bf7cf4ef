"""What is learned from where somebody spoke: what is said to the assistant, everything, or nothing.

addressed   what was addressed to the assistant, or answered by it
heard       every message
none        nothing, ever: what was said there is passed over also when it is switched on later
"""

from collections.abc import Callable
from typing import Literal

from projections.ids import Handle, Identity
from projections.messages import MessageRow, SpokenRow
from projections.rows import Rows

Learn = Literal["addressed", "heard", "none"]
Learns = Callable[[Handle, SpokenRow], Learn]
"""What is learned from a person in a place where they spoke."""


def addressed(_: Handle, __: SpokenRow) -> Learn:
    """What holds where nobody said otherwise."""
    return "addressed"


def is_learned_from(rows: Rows, row: MessageRow, learn: Learn) -> bool:
    """Whether a message is learned from in a place of this kind."""
    if learn != "addressed":
        return learn == "heard"
    return row.message.addressed or _was_answered(rows, row)


def _was_answered(rows: Rows, row: MessageRow) -> bool:
    turn = Identity("dnam", "turn", row.heard.hex(), "answered", row.message.said)
    return rows.ids.status(rows.ids.event_id(turn)) != "unknown"
