"""Where that lies which was said: at a point of a unit, and around it."""

from collections.abc import Sequence
from itertools import islice

from projections.messages import MessageRow
from projections.order import Order, RowAt
from projections.recall.corpus import Corpus
from projections.rows import Found, Rows, after_prefix
from projections.said import SAID, SAID_TABLES
from projections.turns import TurnRow


class Lying:
    """Where that lies which was said at a point of a unit."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._orders: dict[bytes, Order] = {}
        """Of a unit, where that is kept in memory: most of what is found lies in a few."""

    def at(self, point: bytes) -> Sequence[RowAt]:
        """Where it lies, nearly always once."""
        order = self._order(point[:16])
        if order is None:
            stop = after_prefix(point)
            return [RowAt(key, table) for table in SAID_TABLES for key in self._rows.raw.keys(table, point, stop)]
        return order.beginning(point)

    def _order(self, unit: bytes) -> Order | None:
        order = self._orders.get(unit)
        if order is None and (order := self._rows.order(SAID_TABLES, unit)) is not None:
            self._orders[unit] = order
        return order

    def row(self, corpus: Corpus, at: int) -> Found[MessageRow | TurnRow] | None:
        """The row that a document is."""
        seq = corpus.seqs.item(at)
        point = corpus.units.all[corpus.unit.item(at)] + (corpus.said.item(at) + (1 << 63)).to_bytes(8, "big")
        for key, table in self.at(point):
            found = self._rows.kept(SAID[table], key)
            if found is not None and found.seq == seq:
                return found
        return None


def around(rows: Rows, key: bytes, before: int, after: int) -> tuple[RowAt, ...]:
    """Where lies what was said around something in its unit, oldest first, and itself: nothing of it is read yet."""
    unit, end = key[:16], key + b"\0"
    order = rows.order(SAID_TABLES, unit)
    if order is not None:
        at = order.find(end)
        return tuple(order.between(max(at - before - 1, 0), at + after))
    earlier = _closest(rows, before + 1, unit, end, reverse=True)
    return (*reversed(earlier), *_closest(rows, after, end, after_prefix(unit)))


def read(rows: Rows, at: RowAt) -> Found[MessageRow | TurnRow]:
    """What lies there."""
    found = rows.kept(SAID[at.table], at.key)
    assert found is not None, "it was there a moment ago, in the same rows"
    return found


def _closest(rows: Rows, most: int, start: bytes, stop: bytes, *, reverse: bool = False) -> list[RowAt]:
    """The first few of either table, which is more than enough, and of these the first few."""
    found: list[RowAt] = []
    for table in SAID_TABLES:
        found += [RowAt(key, table) for key in islice(rows.raw.keys(table, start, stop, reverse=reverse), most)]
    found.sort(reverse=reverse)
    return found[:most]
