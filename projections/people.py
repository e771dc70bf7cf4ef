"""People: which accounts belong to whom, under which names, then and now."""

from collections.abc import Iterator

import msgspec

from projections.events import PersonNoted, PersonRenamed, PersonSeen
from projections.fold import Change, Projection, Record
from projections.ids import EventId, Handle, Point, digest16
from projections.messages import point_key
from projections.rows import Found, Rows

SOMEONE = "someone"


class AccountRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An account of a person on a platform, and its name now."""

    event: EventId
    person: Handle
    platform: str
    platform_id: str
    name: str
    said: int


class NameRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A name that a person had from `said` on."""

    name: str
    platform: str
    said: int


class NoteRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A note of the operator on a person."""

    note: str
    said: int


def account_key(platform: str, platform_id: str) -> bytes:
    """16 bytes for an account of a platform."""
    return digest16(platform, platform_id)


def _account(record: Record) -> AccountRow | None:
    match record.event:
        case PersonSeen() | PersonRenamed() as event:
            return AccountRow(record.id, event.person, event.platform, event.platform_id, event.name, event.said)
        case _:
            return None


def _accounts(record: Record) -> list[Change[AccountRow]]:
    row = _account(record)
    return [] if row is None else [(account_key(row.platform, row.platform_id), row)]


def _people(record: Record) -> list[Change[AccountRow]]:
    row = _account(record)
    return [] if row is None else [(row.person + account_key(row.platform, row.platform_id), row)]


def _names(record: Record) -> list[Change[NameRow]]:
    match record.event:
        case PersonSeen() | PersonRenamed() as event:
            row = NameRow(event.name, event.platform, event.said)
            return [(event.person + point_key(Point(event.said, record.id)), row)]
        case _:
            return []


def _notes(record: Record) -> list[Change[NoteRow]]:
    match record.event:
        case PersonNoted(person=person, note=note, said=said):
            return [(person + record.id, NoteRow(note, said))]
        case _:
            return []


ACCOUNTS = Projection("accounts", 1, AccountRow, (PersonSeen, PersonRenamed), _accounts, 16)
PEOPLE = Projection("people", 1, AccountRow, (PersonSeen, PersonRenamed), _people, 32)
NAMES = Projection("names", 1, NameRow, (PersonSeen, PersonRenamed), _names, 40, history=False)
NOTES = Projection("notes", 1, NoteRow, (PersonNoted,), _notes, 32, history=False)


def person_of(rows: Rows, platform: str, platform_id: str) -> Found[AccountRow] | None:
    """Whose account it is."""
    return rows.find(ACCOUNTS, account_key(platform, platform_id))


def accounts_of(rows: Rows, person: Handle) -> Iterator[Found[AccountRow]]:
    """A person's accounts; nobody has none."""
    return rows.scan(PEOPLE, person or bytes(16))


def names_of(rows: Rows, person: Handle) -> list[NameRow]:
    """A person's names over time, oldest first: of those that came at once, as they were recorded."""
    found = sorted(rows.scan(NAMES, person or bytes(16)), key=lambda each: (each.row.said, each.seq))
    return [each.row for each in found]


def account_words(rows: Rows, person: Handle, platform: str = "") -> str:
    """By which account a person is told from whoever goes by the same name: `platform:id`, of the newest account there
    where they have one; empty when nobody knows them any more.
    """
    found = accounts_of(rows, person)
    best = max(found, key=lambda each: (each.row.platform == platform, each.row.said, each.seq), default=None)
    return "" if best is None else f"{best.row.platform}:{best.row.platform_id}"


def name_of(rows: Rows, person: Handle) -> str:
    """What to call a person: their newest name, or "someone" when nobody knows them any more."""
    newest = max(accounts_of(rows, person), key=lambda found: (found.row.said, found.seq), default=None)
    return SOMEONE if newest is None else newest.row.name or SOMEONE
