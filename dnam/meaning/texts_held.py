"""The texts that rows hold, and that have vectors: walked over a few rows a look; other questions come in between."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from projections.rows import Rows
from projections.vectors_texts import TABLES, Held, RowKey, held_at, held_from
from replay.engine import Engine
from replay.store import DiskStore

LOOKED_AT = 512
"""How many rows are looked at in one look."""
FIRST = RowKey(TABLES[0], b"")
"""Where a walk over all rows begins."""


class Stretch(NamedTuple):
    """Some rows' texts, and from where the walk over all rows goes on; None at its end."""

    texts: list[Held]
    after: RowKey | None


def sweep_vectors(engine: Engine, store: DiskStore) -> None:
    """Leave the vectors of texts behind that no row holds any more."""
    store.vectors.keep_only(every_text(engine), store.vectors.encoders())


def every_text(engine: Engine) -> Iterator[Held]:
    """Every text that a row holds, a few rows a look. For a thread of its own."""
    for texts in every_stretch(engine):
        yield from texts


def every_stretch(engine: Engine) -> Iterator[list[Held]]:
    """The same, look by look."""
    walk: RowKey | None = FIRST
    while walk is not None:
        with engine.reading() as rows:
            texts, walk = stretch_of(rows, (), walk)
        yield texts


def stretch_of(rows: Rows, news: Sequence[RowKey], walk: RowKey | None) -> Stretch:
    """The texts of the rows that there are news of, or else of the next ones on the walk."""
    if news or walk is None:
        found = (held_at(rows.raw, place) for place in news)
        return Stretch([text for text in found if text is not None], walk)
    some = list(islice(held_from(rows.raw, walk), LOOKED_AT))
    after = RowKey(some[-1][0].table, some[-1][0].key + b"\0") if len(some) == LOOKED_AT else None
    return Stretch([text for _, text in some if text is not None], after)
