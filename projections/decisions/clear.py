"""Clearing: a channel or a thread is gone from its platform, and with it all that was said there.

Whoever deleted it took away what people said and what the assistant answered, as if message by message. What is many
goes in several decisions, each of which has room for a thousand events; the first ones take what is oldest.
"""

from collections.abc import Iterator
from itertools import chain, islice

from projections.decisions.delete import gone
from projections.decisions.draft import Draft, as_many
from projections.messages import MESSAGES, unit
from projections.places import epoch_of
from projections.rows import Rows
from projections.turns import TURNS

MOST_CLEARED = 200
"""How many messages and how many answers one decision takes at most: an event each, and more for what rests on them."""


def clear(rows: Rows, session: str, said: int) -> list[Draft]:
    """All that was said in a session, in whichever epoch, or the first of it; nothing when nothing is there. To be
    decided again until nothing comes of it. `said` is when it was noticed, in ms.
    """
    units = list(_units(rows, session))

    def first(most: int) -> list[Draft]:
        messages = chain.from_iterable(rows.scan(MESSAGES, each) for each in units)
        turns = chain.from_iterable(rows.scan(TURNS, each) for each in units)
        return gone(
            rows,
            [found.row for found in islice(messages, most)],
            [found.row for found in islice(turns, most)],
            said,
        )

    return as_many(first, MOST_CLEARED)


def _units(rows: Rows, session: str) -> Iterator[bytes]:
    return (unit(session, epoch) for epoch in range(epoch_of(rows, session) + 1))
