"""Making the retrieval index of views that have none: span by span, some of them by a helper.

The rows of a span follow from the rows of what was said in it and from nothing else, so it does not matter who makes
them, nor in which order they are written. Large spans come first, so that both processes end at about the same time.
"""

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from replay.helper import Helper, Ticket
from replay.lmdb_file import open_environment, translated
from replay.pipe import SpanJob
from replay.recall import tables as layout
from replay.recall.index import READ, Index, Made, filled
from replay.recall.tables import Level
from replay.views import Views

AHEAD = 2
"""How many spans a helper has before it: the one it is at, and the next."""
_made: "msgspec.msgpack.Decoder[Made | None]" = msgspec.msgpack.Decoder(Made | None)


class _Asked(NamedTuple):
    """A span that a helper was asked for."""

    level: Level
    span: int
    ticket: Ticket


def is_shared(views: Views) -> bool:
    """Whether there is more than one span to make."""
    return len(_spans(views)) > 1


def _spans(views: Views) -> list[tuple[Level, int]]:
    position = views.position()
    return [] if position is None else list(filled(0, position.size))


def make_index(views: Views, helper: Helper | None, look: Callable[[], object]) -> None:
    """Make the retrieval index of the rows that are there, in views without one. `look` is called at every step."""
    left = deque(_spans(views))
    asked: deque[_Asked] = deque()
    while left or asked:
        look()
        while helper is not None and helper.free and left and len(asked) < AHEAD:
            level, span = left.popleft()
            asked.append(_Asked(level, span, helper.ask(SpanJob(str(views.folder), level.bits, span))))
        if helper is not None and asked and (helper.ready(asked[0].ticket) or not left):
            first = asked.popleft()
            made = helper.result(first.ticket, _made) or views.span_of_index(first.level, first.span)
        else:
            made = views.span_of_index(*left.popleft())
        views.put_span(made)
    views.index_is_made()


def span_in(folder: Path, bits: int, span: int) -> Made | None:
    """The rows of a span, of views in a folder that somebody else builds; None of a level that is not known here."""
    level = next((each for each in layout.levels() if each.bits == bits), None)
    if level is None:
        return None
    with translated(folder), open_environment(folder, writable=False, durable=False) as environment:
        tables = {name: environment.open_db(name.encode(), create=False) for name in READ}
        with environment.begin() as transaction:
            return Index(transaction, tables).rows_of(level, span)
