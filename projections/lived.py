"""What one item went through, as a decision asks it: its events from the first one on, by whatever id and wherever it
lay, and those of what it absorbed, up to then.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from projections.events import ItemEvent, ItemMerged, ItemMoved, ItemRedacted
from projections.events.values import Item
from projections.fold import Record
from projections.ids import EventId
from projections.items import ITEMS
from projections.lives import Address, Life, absorbed_by, address_of, key_of, lives, moved_from
from projections.rows import Rows


class Past(NamedTuple):
    """The events that an item went through, the last one first, and what they say of it, as far as they can be read."""

    events: tuple[EventId, ...]
    items: tuple[Item, ...]


def lived(rows: Rows, address: Address) -> Past:
    """The past of what lies at an address; of an event whose words went with a message, its id where another event
    names it. Nothing, where nobody looks into the log.
    """
    by_address = {life.address: life for life in lives(*_records(rows, key_of(address)))}
    own = by_address.get(address)
    records = {} if own is None else {record.seq: record for record in _with_absorbed(own, by_address)}
    newest = [records[seq] for seq in sorted(records, reverse=True)]
    gone = (event for record in newest for event in _gone_before(rows, record))
    items = (record.event.item for record in newest if isinstance(record.event, ItemEvent))
    return Past(tuple(dict.fromkeys((*(record.id for record in newest), *gone))), tuple(items))


def _records(rows: Rows, key: bytes) -> tuple[list[Record], frozenset[bytes]]:
    """All that touched a row, and the rows that it, or what became part of it, came from or went to."""
    found: dict[int, Record] = {}
    keys, waiting = {key}, [key]
    while waiting:
        for record in rows.touched(ITEMS, waiting.pop()):
            found[record.seq] = record
            news = set(_related(record)) - keys
            keys |= news
            waiting += news
    return list(found.values()), frozenset(keys)


def _related(record: Record) -> Iterator[bytes]:
    match record.event:
        case ItemMoved(item=item) as moved:
            yield from (key_of(moved_from(moved)), key_of(address_of(item)))
        case ItemMerged(item=item) as merged:
            yield from (key_of(address_of(each)) for each in (item, *absorbed_by(merged)))
        case _:
            return


def _with_absorbed(life: Life, by_address: Mapping[Address, Life], before: int | None = None) -> Iterator[Record]:
    """The events of a life before one of them, and those of what became part of it and is no item of its own again."""
    for record in (step.record for step in life.steps):
        if before is None or record.seq < before:
            yield record
            for each in _absorbed(record, life, by_address):
                yield from _with_absorbed(each, by_address, record.seq)


def _absorbed(record: Record, life: Life, by_address: Mapping[Address, Life]) -> Iterator[Life]:
    if isinstance(record.event, ItemMerged) and address_of(record.event.item) == life.address:
        found = (by_address.get(address_of(each)) for each in absorbed_by(record.event))
        yield from (each for each in found if each is not None and each.status == "merged")


def _gone_before(rows: Rows, record: Record) -> tuple[EventId, ...]:
    """The event in front of a redaction, where its words went with the message: it is still known by its id."""
    event = record.event
    before = event.causes[:1] if isinstance(event, ItemRedacted) else ()
    return tuple(each for each in before if rows.ids.status(each) == "redacted")
