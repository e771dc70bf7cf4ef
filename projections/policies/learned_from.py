"""What is learned from where somebody spoke: what is said to the assistant, everything, or nothing.

addressed   what was addressed to the assistant, or answered by it
heard       every message
none        nothing, ever: what was said there is passed over also when it is switched on later

So a message is judged by the least of what has held since it was said, and never by more than holds now.
"""

from collections.abc import Callable
from typing import Literal

from projections.ids import EventId, Handle, Identity
from projections.messages import MessageRow, SpokenRow
from projections.rows import Found, Rows

Learn = Literal["addressed", "heard", "none"]
Learns = Callable[[Handle, SpokenRow], Learn]
"""What is learned from a person in a place where they spoke, as it holds now."""
LearnedAs = Callable[[Handle, SpokenRow], Callable[[Found[MessageRow]], Learn]]
"""What one message of a person in a place is judged by."""
RISING: tuple[Learn, ...] = ("none", "addressed", "heard")


def least(*learns: Learn) -> Learn:
    """What lets the fewest messages through."""
    return min(learns, key=RISING.index)


def addressed(_: Handle, __: SpokenRow) -> Learn:
    """What holds where nobody said otherwise."""
    return "addressed"


def as_addressed(_: Handle, __: SpokenRow) -> Callable[[Found[MessageRow]], Learn]:
    """What every message is judged by where nobody ever said otherwise."""
    return lambda _: "addressed"


def is_learned_from(rows: Rows, row: MessageRow, learn: Learn) -> bool:
    """Whether a message is learned from in a place of this kind."""
    if learn != "addressed":
        return learn == "heard"
    return row.message.addressed or was_answered(rows, row.heard, row.message.said)


def was_answered(rows: Rows, heard: EventId, said: int) -> bool:
    """Whether the assistant answered a message that was said then (ms)."""
    turn = Identity("dnam", "turn", heard.hex(), "answered", said)
    return rows.ids.status(rows.ids.event_id(turn)) != "unknown"
