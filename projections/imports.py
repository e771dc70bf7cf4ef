"""Imports: when material from elsewhere came in, and from when it is."""

import msgspec

from projections.events import ImportBegan, ImportEnded
from projections.fold import Change, Projection, Record
from projections.ids import EventId
from projections.rows import Rows


class ImportRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One import. `said` is the span of what was read, in ms; None while it is under way, or where it broke off."""

    event: EventId
    began: EventId
    formats: tuple[str, ...]
    said: tuple[int, int] | None


def _rows(record: Record) -> list[Change[ImportRow]]:
    match record.event:
        case ImportBegan(formats=formats):
            return [(record.id, ImportRow(record.id, record.id, formats, None))]
        case ImportEnded(began=began, formats=formats, first_said=first, last_said=last):
            return [(began, ImportRow(record.id, began, formats, (first, last)))]
        case _:
            return []


IMPORTS = Projection("imports", 1, ImportRow, (ImportBegan, ImportEnded), _rows, 16)


def imports(rows: Rows) -> list[ImportRow]:
    """Every import, in the order of the minute in which it began."""
    return [found.row for found in rows.scan(IMPORTS)]
