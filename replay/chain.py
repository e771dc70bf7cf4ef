"""From an item back to what was said: a tree of what came from what.

    item            the events of its life, the last one first
      event         the model's work · messages and answers · the items that it absorbed · what was redacted or erased
        work        those of its messages that the item rests on; what else the model had before it is `beside`
        item        as above

An item is told once: where it comes again, and below MOST_DEPTH, a node is `cut`.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from projections.events import ItemMerged
from projections.events.work import WorkEvent
from projections.ids import EventId
from projections.lives import Address, Life, Step, absorbed_by
from projections.rows import Rows
from replay.audit import explained, lives_of
from replay.cited import Cited, as_it_is
from replay.reading import Reader, Reading

MOST_DEPTH = 20
"""How deep items that were absorbed by items are followed."""


class Node(NamedTuple):
    """An item (`life`) or an event (`reading`), and below it what it came from.

    `step` is of an event of the item above; `quotes` are the item's words that stand in a message, and `replaced` is as
    in `Cited`; `beside` is what a model had before it besides.
    """

    life: Life | None = None
    reading: Reading | None = None
    step: Step | None = None
    quotes: tuple[str, ...] = ()
    replaced: bool = False
    beside: tuple[EventId, ...] = ()
    cut: bool = False
    causes: "tuple[Node, ...]" = ()


def chain(rows: Rows, reader: Reader, life: Life) -> Node:
    """The tree of an item; `rows` are those of now."""
    return _Chain(rows, reader).item(life, 0)


class _Chain:
    """One tree while it grows."""

    def __init__(self, rows: Rows, reader: Reader) -> None:
        self._rows = rows
        self._reader = reader
        self._told: set[Address] = set()

    def item(self, life: Life, depth: int) -> Node:
        if life.address in self._told or depth > MOST_DEPTH:
            return Node(life, cut=True)
        self._told.add(life.address)
        return Node(life, causes=tuple(self._event(step, depth) for step in reversed(life.steps)))

    def _event(self, step: Step, depth: int) -> Node:
        what = explained(self._rows, self._reader, step)
        shown = self._as_they_are(_inputs(what.work))
        through = tuple(each for each in what.cited if each.reading.id in shown.values())
        below = (
            *([] if what.work is None else [_work(what.work, through, shown)]),
            *(_said(each) for each in what.cited if each not in through),
            *self._absorbed(step, depth),
            *(Node(reading=each) for each in what.gone),
        )
        return Node(reading=self._reader.at(step.record.seq), step=step, quotes=what.quotes, causes=below)

    def _as_they_are(self, inputs: Iterable[EventId]) -> Mapping[EventId, EventId]:
        """What is told in the place of each message."""
        found = filter(None, map(self._reader.find, inputs))
        return {each.id: as_it_is(self._rows, self._reader, each).id for each in found}

    def _absorbed(self, step: Step, depth: int) -> tuple[Node, ...]:
        event = step.record.event
        if not isinstance(event, ItemMerged) or step.after != event.item:
            return ()
        found = (
            life
            for each in absorbed_by(event)
            for life in lives_of(self._rows, self._reader, each.owner, each.id, refusals=False)
            if step.record.id in life.events and life.steps[-1].after != event.item
        )
        return tuple(self.item(life, depth + 1) for life in found)


def _inputs(work: Reading | None) -> tuple[EventId, ...]:
    event = None if work is None or work.record is None else work.record.event
    return event.inputs if isinstance(event, WorkEvent) else ()


def _work(work: Reading, through: tuple[Cited, ...], shown: Mapping[EventId, EventId]) -> Node:
    """`shown` are the messages that the model had before it, each with what is told in its place."""
    assert work.record is not None, "work that cannot be read is gone"
    told = {each.reading.id for each in through}
    beside = tuple(cause for cause in work.record.event.causes if shown.get(cause, cause) not in told)
    return Node(reading=work, beside=beside, causes=tuple(map(_said, through)))


def _said(cited: Cited) -> Node:
    return Node(reading=cited.reading, quotes=cited.quotes, replaced=cited.replaced)
