"""The two lists that outlive a person: who opted out, and who was erased up to which moment. By keyed hash only."""

import msgspec

from projections.events import PersonErased, PersonOptedIn, PersonOptedOut
from projections.fold import Change, Projection, Record
from projections.ids import EventId, Handle
from projections.people import accounts_of
from projections.rows import Rows


class ConsentRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An account, by keyed hash, that is not recorded."""

    event: EventId


class ConsentChangeRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An account, by keyed hash, opted out or in again at a moment, which is in the key."""

    event: EventId
    is_out: bool


class ErasedRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
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


def _consent_changes(record: Record) -> list[Change[ConsentChangeRow]]:
    match record.event:
        case PersonOptedOut(said=said, hashes=hashes):
            return [(each + _moment(said), ConsentChangeRow(record.id, is_out=True)) for each in hashes]
        case PersonOptedIn(said=said, hashes=hashes):
            return [(each + _moment(said), ConsentChangeRow(record.id, is_out=False)) for each in hashes]
        case _:
            return []


def _moment(said: int) -> bytes:
    return (said + (1 << 63)).to_bytes(8, "big")


def _erased(record: Record) -> list[Change[ErasedRow]]:
    match record.event:
        case PersonErased(hashes=hashes, until=until):
            return [(each, ErasedRow(record.id, until)) for each in hashes]
        case _:
            return []


OPTED_OUT = Projection("opted_out", 1, ConsentRow, (PersonOptedOut, PersonOptedIn), _opted_out, 32)
CONSENT_CHANGES = Projection(
    "consent_changes", 1, ConsentChangeRow, (PersonOptedOut, PersonOptedIn), _consent_changes, 40, history=False
)
ERASED = Projection("erased", 1, ErasedRow, (PersonErased,), _erased, 32)


def was_out(rows: Rows, hashed: bytes, said: int) -> bool:
    """Whether an account had opted out at a moment (ms), whatever it did later."""
    before = rows.raw.scan(CONSENT_CHANGES.table, hashed, hashed + _moment(said + 1), reverse=True)
    found = next(before, None)
    return found is not None and CONSENT_CHANGES.decode(found[1].body).is_out


def is_out(rows: Rows, person: Handle) -> bool:
    """Whether a person opted out, with any of their accounts."""
    hashes = (rows.ids.keyed_hash(each.row.platform, each.row.platform_id) for each in accounts_of(rows, person))
    return any(rows.get(OPTED_OUT, each) is not None for each in hashes)


def last_erasure(rows: Rows) -> int | None:
    """Up to which moment (ms) what was said may hold words of somebody who was erased; None where nobody was."""
    return max((found.row.until for found in rows.scan(ERASED)), default=None)
