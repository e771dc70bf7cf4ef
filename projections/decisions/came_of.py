"""What came of an event, for whoever takes it back: the item and summary events that would not be without it.

Causes are followed from what is begun with, and from each event that is found:

    begun with                       what came of it
    ──────────────────────────────   ────────────────────────────────────────────────────────────────────────────────
    a model's work (extraction,      the item events that name it, and the summary
    merge, reflection, summary)
    a tool's call                    what it noted down
    a message, an answer             the item events that rest on it and on nothing else that was said; what these
                                     superseded; what the tools of the answer noted down
    an item's event, a summary's     itself

    then, of an item's event         goes on with it
    ──────────────────────────────   ────────────────────────────────────────────────────────────────────────────────
    a policy's                       yes: what it moved, redacted, evicted to make room; not that it was evicted itself
    a merge                          yes: it draws on nothing but its items
    a model's that only confirmed    yes: it says nothing of its own
    a model's that says more         no: that rests on messages of its own
    an adopted one                   no, also where it says the same: another model found it by itself
    a person's, the operator's       no; only where it brings back what an event that was found had left

    of a summary's                   every later one of a model's, which had it before it; a person's as above
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple, Protocol

import msgspec

from projections.decisions.adopted import VERSION as ADOPTION
from projections.decisions.redact_items import ITEM_TAGS
from projections.decisions.standing import State
from projections.derived import effects_of
from projections.events import (
    ItemDeprecated,
    ItemEvent,
    ItemEvicted,
    ItemMerged,
    ItemReverted,
    ItemUpserted,
    MessageEdited,
    MessageHeard,
    SummaryReverted,
    ToolCalled,
    TurnAnswered,
)
from projections.events.summaries import SummaryEvent
from projections.events.values import Item
from projections.fold import AnyProjection, Record
from projections.ids import EventId
from projections.items import ITEMS, ItemRow
from projections.policies.precedence import HUMANS
from projections.rows import Rows
from projections.summaries import SUMMARIES

SAID_TAGS = ("message.", "turn.")
SUMMARY_TAGS = "summary."


class Chronicle(Protocol):
    """The log, as far as it can be read: what no row says any more."""

    def find(self, event: EventId) -> Record | None:
        """The event, where it is in the log and can be read."""
        ...

    def tag(self, event: EventId) -> str:
        """What kind of event it is, read or not; empty where it is not in the log."""
        ...

    def touched(self, rows: Rows, projection: AnyProjection, key: bytes) -> list[Record]:
        """Every event that touched a row and can be read, in recorded order."""
        ...

    def ever(self, rows: Rows, projection: AnyProjection) -> Iterator[Record]:
        """Every event that touched any row of a projection and can be read, in recorded order."""
        ...

    def decision(self, event: EventId) -> list[Record]:
        """What was recorded in the same decision and can be read, in order."""
        ...


class CameOf(NamedTuple):
    """The events that came of something, by their ids: those of items, and those of summaries."""

    items: Mapping[EventId, Record]
    summaries: Mapping[EventId, Record]


def came_of(rows: Rows, chronicle: Chronicle, begun: Iterable[EventId]) -> CameOf:
    """What came of these events, and of what came of them. What a person did themselves is not begun with. An event
    that cannot be read any more is begun with all the same, as a model's work is.
    """
    following = _Following(rows, chronicle)
    for event in begun:
        following.begin(event)
    return following.found()


def go_on(rows: Rows, chronicle: Chronicle, found: Iterable[EventId]) -> CameOf:
    """The same, from events of which that is known already; what cannot be read any more is left out."""
    following = _Following(rows, chronicle)
    for event in found:
        following.take(chronicle.find(event))
    return following.found()


def left_by(record: Record) -> dict[bytes, ItemRow | None]:
    """The rows of items that an event leaves, by their keys; None for one that it empties."""
    return dict(ITEMS.rows(record))


def item_states(rows: Rows, chronicle: Chronicle, key: bytes) -> list[State[ItemRow]]:
    """The past of an item's row."""
    return [State(each, left_by(each)[key]) for each in chronicle.touched(rows, ITEMS, key)]


def same_state(one: ItemRow | None, other: ItemRow | None) -> bool:
    """Whether two rows say the same, whatever event had made them."""
    if one is None or other is None:
        return one is other
    return msgspec.structs.replace(one, event=other.event) == other


class _Following:
    """The causes, followed."""

    def __init__(self, rows: Rows, chronicle: Chronicle) -> None:
        self._rows = rows
        self._chronicle = chronicle
        self._items: dict[EventId, Record] = {}
        self._summaries: dict[EventId, Record] = {}
        self._waiting: list[Record] = []

    def found(self) -> CameOf:
        while self._waiting:
            record = self._waiting.pop()
            if isinstance(record.event, SummaryEvent):
                self._summaries_of(record)
            else:
                self._items_of(record)
        return CameOf(self._items, self._summaries)

    def take(self, record: Record | None) -> None:
        """An event that came of it."""
        if record is None or record.id in self._items or record.id in self._summaries:
            return
        of = self._summaries if isinstance(record.event, SummaryEvent) else self._items
        of[record.id] = record
        self._waiting.append(record)

    def begin(self, event: EventId) -> None:
        record = self._chronicle.find(event)
        if record is not None and isinstance(record.event, ItemEvent | SummaryEvent):
            self.take(None if _is_human(record) else record)
        elif record is not None and isinstance(record.event, MessageHeard | MessageEdited | TurnAnswered):
            self._begin_with_words(record)
        else:
            for effect in self._effects(event, *ITEM_TAGS):
                self.take(None if _is_human(effect) else effect)

    # -- of what was said --------------------------------------------------------------------------------------------

    def _begin_with_words(self, record: Record) -> None:
        event = record.event
        said = event.heard if isinstance(event, MessageEdited) else record.id
        for effect in self._effects(said, *ITEM_TAGS):
            if not _is_human(effect) and self._rests_alone(effect, said):
                self.take(effect)
                for each in self._superseded(effect):
                    self.take(each)
        if isinstance(event, TurnAnswered):
            for cause in event.causes:
                if self._chronicle.tag(cause) == ToolCalled.TAG:
                    self.begin(cause)

    def _rests_alone(self, record: Record, said: EventId) -> bool:
        others = (each for each in record.event.causes if each != said)
        return not any(self._chronicle.tag(each).startswith(SAID_TAGS) for each in others)

    def _superseded(self, record: Record) -> Iterator[Record]:
        """What the same work deprecated because of this item: that rests on all that the model read."""
        names = _item(record).supersedes
        for cause in record.event.causes if names else ():
            yield from (each for each in self._effects(cause, ItemDeprecated.TAG) if _item(each).id in names)

    # -- of what came of it ------------------------------------------------------------------------------------------

    def _items_of(self, record: Record) -> None:
        for effect in self._effects(record.id, *ITEM_TAGS):
            if self._goes_on(record, effect):
                self.take(effect)

    def _summaries_of(self, record: Record) -> None:
        for effect in self._effects(record.id, SUMMARY_TAGS):
            if effect.event.by.kind == "model" or _brings_back_summary(record, effect):
                self.take(effect)

    def _effects(self, cause: EventId, *tags: str) -> Iterator[Record]:
        for effect, tag in effects_of(self._rows, cause):
            record = self._chronicle.find(effect) if tag.startswith(tags) else None
            if record is not None:
                yield record

    def _goes_on(self, cause: Record, effect: Record) -> bool:
        event = effect.event
        match event.by.kind:
            case "policy":
                return not (isinstance(event, ItemEvicted) and event.causes[0] == cause.id)
            case "model":
                return isinstance(event, ItemMerged) or self._only_confirms(effect)
            case _:
                return isinstance(event, ItemReverted) and self._brings_back(effect)

    def _only_confirms(self, record: Record) -> bool:
        """Whether it leaves the item saying what it said before, and nobody found that by themself."""
        if not isinstance(record.event, ItemUpserted) or record.event.policy.startswith(ADOPTION):
            return False
        (key,) = left_by(record)
        touched = self._chronicle.touched(self._rows, ITEMS, key)
        befores = (left_by(before)[key] for before, after in pairwise(touched) if after.id == record.id)
        before = next(befores, None)
        return before is not None and before.item.status == "active" and before.item.text == _item(record).text

    def _brings_back(self, record: Record) -> bool:
        """Whether it leaves an item as an event that was found had left it."""
        ((key, row),) = left_by(record).items()
        causes = (self._items[each] for each in record.event.causes if each in self._items)
        states = (left[key] for each in causes if key in (left := left_by(each)))
        return any(same_state(row, state) for state in states)


def _brings_back_summary(record: Record, effect: Record) -> bool:
    """Whether it leaves a summary as an event that was found had left it."""
    if not isinstance(effect.event, SummaryReverted):
        return False
    states = [[row for _, row in SUMMARIES.rows(each) if row is not None] for each in (record, effect)]
    was, is_again = ([msgspec.structs.replace(row, event=record.id, at=0) for row in each] for each in states)
    return bool(was) and was == is_again


def _item(record: Record) -> Item:
    assert isinstance(record.event, ItemEvent)
    return record.event.item


def _is_human(record: Record) -> bool:
    return record.event.by.kind in HUMANS
