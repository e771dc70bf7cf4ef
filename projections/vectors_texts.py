"""Which texts are made into vectors: what was said, what was answered, and the items that are active.

A text is that of one row alone, without the names in it: people who are mentioned stand in spans, not in texts. It is
known by the seq of the event that made the row, as a document of the index is, and sealed with that event's vault.
"""

from collections.abc import Iterator
from typing import NamedTuple

from projections.events.values import Item
from projections.fold import Record
from projections.ids import UNSEALED, Seq, VaultId
from projections.items import ITEMS
from projections.messages import MESSAGES
from projections.recall.documents import spoken_text
from projections.registry import FOLD
from projections.rows import RawRows, Stored
from projections.turns import TURNS

TABLES = (MESSAGES.table, TURNS.table, ITEMS.table)
"""Where texts lie."""
LAST_KEY = b"\xff" * 64


class Held(NamedTuple):
    """A text that a row holds: by which event, and in whose vault."""

    seq: Seq
    vault: VaultId
    text: str


class RowKey(NamedTuple):
    """Where a row lies."""

    table: str
    key: bytes


def held(table: str, stored: Stored) -> Held | None:
    """The text of a row; None where there is none to encode."""
    text = _text(table, stored.body).strip()
    return Held(stored.seq, stored.vault, text) if text and stored.vault != UNSEALED else None


def _text(table: str, body: bytes) -> str:
    if table == MESSAGES.table:
        return spoken_text(MESSAGES.decode(body).message)
    if table == TURNS.table:
        return TURNS.decode(body).text
    return _of_item(ITEMS.decode(body).item)


def _of_item(item: Item) -> str:
    return item.text if item.status == "active" else ""


def held_at(raw: RawRows, place: RowKey) -> Held | None:
    """The text of the row that lies there now, if one does."""
    stored = raw.get(*place)
    return None if stored is None else held(place.table, stored)


def held_from(raw: RawRows, start: RowKey) -> Iterator[tuple[RowKey, Held | None]]:
    """Every row from a place on, table by table, and its text if it has one."""
    for table in TABLES[TABLES.index(start.table) :]:
        first = start.key if table == start.table else b""
        for key, stored in raw.scan(table, first, LAST_KEY):
            yield RowKey(table, key), held(table, stored)


def touched(record: Record) -> list[RowKey]:
    """Where an event may have left a text."""
    return [RowKey(table, key) for table, key, body, _ in FOLD.changes(record) if table in TABLES and body is not None]
