"""Where a message lies whose event is known, and what an item was until it was reverted."""

from collections.abc import Iterable

from dnam.loops.extraction import Said
from dnam.rederiving.spoken import There
from projections.decisions.came_of import left_by
from projections.derived import effects_of
from projections.events import ItemReverted, MessageEdited, MessageHeard
from projections.events.values import Item
from projections.fruitless import is_passed_over
from projections.ids import EventId, Point
from projections.lives import address_of, key_of
from projections.messages import MESSAGES, MessageRow, find_message, unit
from projections.rows import Rows
from projections.turns import TURNS
from projections.work import was_read
from replay.engine import Engine


def message_of(engine: Engine, rows: Rows, event: EventId) -> Said | None:
    """The message that an event heard or edited, as it is now; None where there is none any more."""
    found = _event(engine, event)
    if found is None:  # its first words are gone: it was edited, or taken back
        edits = (_event(engine, effect) for effect, tag in effects_of(rows, event) if tag == MessageEdited.TAG)
        found = next((each for each in edits if each is not None), None)
    if found is None:
        return None
    message, heard = found.message, found.heard if isinstance(found, MessageEdited) else event
    row = find_message(rows, message.session, message.audience.epoch, Point(message.said, heard))
    return None if row is None else Said(Point(message.said, heard), row)


def _event(engine: Engine, event: EventId) -> MessageHeard | MessageEdited | None:
    seq = engine.store.log.find(event)
    record = None if seq is None else engine.live.folding.record_at(seq)
    if record is None or not isinstance(record.event, MessageHeard | MessageEdited):
        return None
    return record.event


def item_until(engine: Engine, event: ItemReverted) -> Item | None:
    """The item as the last of the events had left it that this one undoes; None where that cannot be read, or was no
    state of it.
    """
    seq = engine.store.log.find(event.undoes[-1]) if event.undoes else None
    record = None if seq is None else engine.live.folding.record_at(seq)
    row = None if record is None else left_by(record).get(key_of(address_of(event.item)))
    return None if row is None else row.item


def messages_of(engine: Engine, rows: Rows, events: Iterable[EventId]) -> list[MessageRow]:
    """The messages that these events heard or edited and that are there, each once."""
    found = (message_of(engine, rows, event) for event in events)
    rows_ = {each.point: each.found.row for each in found if each is not None}
    return list(rows_.values())


def unread(engine: Engine, rows: Rows, events: Iterable[EventId], there: There) -> list[Said]:
    """Those of these messages that are `there` as they are now, have words, and were not read so; in order. What a
    model was shown too often in vain is passed over.
    """
    found = {each.point: each for event in events if (each := message_of(engine, rows, event)) is not None}
    then = (each for each in found.values() if there(each.found.row.event))
    worded = (each for each in then if each.found.row.message.text.strip())
    shown = (each for each in worded if not is_passed_over(rows, "extraction", each.point.id))
    return sorted((each for each in shown if not _was_read(rows, each)), key=lambda each: each.point)


def _was_read(rows: Rows, said: Said) -> bool:
    row = said.found.row
    return was_read(rows, row.event) if row.event != row.heard else was_read(rows, row.heard)


def said_in(rows: Rows, session: str, epoch: int) -> set[EventId]:
    """The ids of everything said in a session so far: messages and answers."""
    where = unit(session, epoch)
    return {EventId(key[-16:]) for key in (*rows.keys(MESSAGES, where), *rows.keys(TURNS, where))}
