"""Which model each alias stood for when it was last looked up, and what a model is called without its date."""

import re

import msgspec

from projections.events import ModelResolved
from projections.fold import Change, Projection, Record
from projections.ids import EventId, digest16
from projections.rows import Rows

_DATED = re.compile(r"-20[0-9]{6}\Z")


class ResolvedRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An alias, the model it stands for, and the one before; `previous` is empty the first time."""

    event: EventId
    alias: str
    model: str
    previous: str


def _rows(record: Record) -> list[Change[ResolvedRow]]:
    match record.event:
        case ModelResolved(alias=alias, model=model, previous=previous):
            return [(digest16(alias), ResolvedRow(record.id, alias, model, previous))]
        case _:
            return []


RESOLVED = Projection("resolved", 1, ResolvedRow, (ModelResolved,), _rows, 16)


def resolved(rows: Rows, alias: str) -> ResolvedRow | None:
    """What an alias last stood for; None when it was never looked up."""
    return rows.get(RESOLVED, digest16(alias))


def undated(name: str) -> str:
    """A model's name without the day of its making: the API may answer by either."""
    return _DATED.sub("", name)
