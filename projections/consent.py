"""The two lists that outlive a person: who opted out, and who was erased up to which moment. By keyed hash only."""

import msgspec

from projections.events import PersonErased, PersonOptedIn, PersonOptedOut
from projections.fold import Change, Projection, Record
from projections.ids import EventId


class ConsentRow(msgspec.Struct, frozen=True, array_like=True):
    """An account, by keyed hash, that is not recorded."""

    event: EventId


class ErasedRow(msgspec.Struct, frozen=True, array_like=True):
    """An account, by keyed hash, of which nothing said up to `until` (ms) comes back."""

    event: EventId
    until: int


def _opted_out(record: Record) -> list[Change[ConsentRow]]:
    match record.event:
        case PersonOptedOut(hashes=hashes):
            return [(each, ConsentRow(record.id)) for each in hashes]
        case PersonOptedIn(hashes=hashes):
            return [(each, None) for each in hashes]
        case _:
            return []


def _erased(record: Record) -> list[Change[ErasedRow]]:
    match record.event:
        case PersonErased(hashes=hashes, until=until):
            return [(each, ErasedRow(record.id, until)) for each in hashes]
        case _:
            return []


OPTED_OUT = Projection("opted_out", 1, ConsentRow, (PersonOptedOut, PersonOptedIn), _opted_out, 32)
ERASED = Projection("erased", 1, ErasedRow, (PersonErased,), _erased, 32)
