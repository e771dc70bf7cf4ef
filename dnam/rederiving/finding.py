"""Where a message lies whose event is known, and what an item was until it was reverted, or taken back."""

from collections.abc import Iterable

import msgspec

from dnam.loops.extraction import ANYBODY, Said
from dnam.rederiving.spoken import There
from projections.decisions.came_of import left_by
from projections.decisions.shelf import rests_on
from projections.derived import effects_of
from projections.events import Event, ItemForgotten, ItemReverted, MessageEdited, MessageHeard
from projections.events.values import Item
from projections.fruitless import passed_over
from projections.ids import EventId, Point, Seq
from projections.items import ITEMS
from projections.lives import address_of, key_of
from projections.messages import MESSAGES, MessageRow, find_message, unit
from projections.rows import Rows
from projections.turns import TURNS
from projections.work import was_read
from replay.engine import Engine
from replay.units import Told

MOST_PASSED = 65_536
"""Of so many events it is remembered where they are, and where the messages lie that they are of."""


class MessageAt(msgspec.Struct, frozen=True, gc=False):
    """Where a message lies. There are many: the collector of garbage need not look at them."""

    session: str
    epoch: int
    point: Point


class Passed:
    """Where events are in the live log that came by lately, and where the messages lie that they are of: they need not
    be looked up, nor be in the shadow's log yet.
    """

    def __init__(self) -> None:
        self._places: dict[EventId, MessageAt] = {}
        self._seqs: dict[EventId, Seq] = {}

    def take(self, told: Iterable[Told]) -> None:
        """Events come by."""
        for each in told:
            self._seqs[each.id] = each.seq
            if isinstance(each.event, MessageHeard | MessageEdited):
                self._places[each.id] = _place(each.id, each.event)

    def trim(self) -> None:
        """Let go of what came by long ago, and is in the log."""
        if len(self._seqs) > MOST_PASSED:
            self._places.clear()
            self._seqs.clear()

    def get(self, event_id: EventId) -> MessageAt | None:
        """Where its message lies, if it came by lately."""
        return self._places.get(event_id)

    def seq(self, event_id: EventId) -> Seq | None:
        """Where an event is in the live log, if it came by lately."""
        return self._seqs.get(event_id)


NONE_PASSED = Passed()


def message_of(engine: Engine, rows: Rows, event: EventId, passed: Passed = NONE_PASSED) -> Said | None:
    """The message that an event heard or edited, as it is now; None where there is none any more."""
    place = _place_or_edited(engine, rows, event, passed)
    row = None if place is None else find_message(rows, place.session, place.epoch, place.point)
    return None if place is None or row is None else Said(place.point, row)


def _place_or_edited(engine: Engine, rows: Rows, event: EventId, passed: Passed = NONE_PASSED) -> MessageAt | None:
    place = _place_of(engine, event, passed)
    if place is not None:
        return place
    # its first words are gone: it was edited, or taken back
    edits = (effect for effect, tag in effects_of(rows, event) if tag == MessageEdited.TAG)
    places = (_place_of(engine, each, passed) for each in edits)
    return next((each for each in places if each is not None), None)


def _place_of(engine: Engine, event: EventId, passed: Passed) -> MessageAt | None:
    known = passed.get(event)
    if known is not None:
        return known
    seq = engine.store.log.find(event)
    record = None if seq is None else engine.live.folding.record_at(seq)
    if record is None or not isinstance(record.event, MessageHeard | MessageEdited):
        return None
    return _place(event, record.event)


def _place(event_id: EventId, event: MessageHeard | MessageEdited) -> MessageAt:
    message, heard = event.message, event.heard if isinstance(event, MessageEdited) else event_id
    return MessageAt(message.session, message.audience.epoch, Point(message.said, heard))


def item_until(engine: Engine, event: ItemReverted) -> Item | None:
    """The item as the last of the events had left it that this one undoes; None where that cannot be read, or was no
    state of it.
    """
    return _left_by(engine, event.undoes[-1], event.item) if event.undoes else None


def was_held(engine: Engine, event: Event) -> bool:
    """Whether what somebody took back was active until then, as far as that can be read."""
    if not isinstance(event, ItemForgotten) or not event.causes:
        return True
    until = _left_by(engine, event.causes[-1], event.item)
    return until is None or until.status == "active"


def _left_by(engine: Engine, event: EventId, item: Item) -> Item | None:
    """An item as an event had left it; None where that cannot be read, or the event was none of its."""
    seq = engine.store.log.find(event)
    record = None if seq is None else engine.live.folding.record_at(seq)
    row = None if record is None else left_by(record).get(key_of(address_of(item)))
    return None if row is None else row.item


def messages_of(engine: Engine, rows: Rows, events: Iterable[EventId]) -> list[MessageRow]:
    """The messages that these events heard or edited and that are there, each once."""
    found = (message_of(engine, rows, event) for event in events)
    rows_ = {each.point: each.found.row for each in found if each is not None}
    return list(rows_.values())


def absent_in(live: Engine, shadow: Engine) -> dict[EventId, bytes]:
    """The messages on which items of a shadow rest and whose first words are gone, by the units in which they were
    said: where the walk has not come to their edit yet, only the live memory knows that.
    """
    with shadow.reading() as rows:
        rested = {each for found in rows.scan(ITEMS) for each in rests_on(found.row.item.evidence)}
        gone = [each for each in rested if rows.ids.status(each) == "redacted"]
    with live.reading() as rows:
        places = {each: _place_or_edited(live, rows, each) for each in gone}
    return {each: unit(place.session, place.epoch) for each, place in places.items() if place is not None}


def unread(
    engine: Engine, rows: Rows, events: Iterable[EventId], there: There, passed: Passed = NONE_PASSED
) -> list[Said]:
    """Those of these messages that are `there` as they are now, have words, and were not read so; in order. What a
    model was shown too often in vain is passed over.
    """
    found = {each.point: each for event in events if (each := message_of(engine, rows, event, passed)) is not None}
    then = (each for each in found.values() if there(each.found.row.event))
    worded = (each for each in then if each.found.row.message.text.strip())
    is_passed_over = passed_over(rows, ANYBODY)
    shown = (each for each in worded if not is_passed_over(each.point.id))
    return sorted((each for each in shown if not _was_read(rows, each)), key=lambda each: each.point)


def _was_read(rows: Rows, said: Said) -> bool:
    row = said.found.row
    return was_read(rows, row.event) if row.event != row.heard else was_read(rows, row.heard)


def said_in(rows: Rows, session: str, epoch: int) -> set[EventId]:
    """The ids of everything said in a session so far: messages and answers."""
    where = unit(session, epoch)
    return {EventId(key[-16:]) for key in (*rows.keys(MESSAGES, where), *rows.keys(TURNS, where))}
