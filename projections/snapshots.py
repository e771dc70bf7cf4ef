"""What stands of whom in a transparency channel: one message per person and channel."""

from collections.abc import Iterator

import msgspec

from projections.events import SnapshotPosted
from projections.fold import Change, Projection, Record
from projections.ids import EventId, Handle, Ref
from projections.places import place_key
from projections.rows import Found, Rows


class SnapshotRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The message that shows a person's memory in a channel. `digest` is SHA-256 of its text; `said` when (ms) it was
    last written.
    """

    event: EventId
    person: Handle
    place: Ref
    message: Ref
    digest: bytes
    pinned: bool
    said: int


def _snapshots(record: Record) -> list[Change[SnapshotRow]]:
    match record.event:
        case SnapshotPosted() as event:
            row = SnapshotRow(
                record.id, event.person, event.place, event.message, event.digest, event.pinned, event.said
            )
            return [(place_key(event.place) + event.person, row)]
        case _:
            return []


SNAPSHOTS = Projection("snapshots", 1, SnapshotRow, (SnapshotPosted,), _snapshots, 32)


def snapshot_of(rows: Rows, place: Ref, person: Handle) -> SnapshotRow | None:
    """The message that shows a person's memory in a channel."""
    return rows.get(SNAPSHOTS, place_key(place) + person)


def snapshots_in(rows: Rows, place: Ref) -> Iterator[Found[SnapshotRow]]:
    """Everything that is shown in a channel; a moderate number, one for each person."""
    return rows.scan(SNAPSHOTS, place_key(place))


def unpinned(rows: Rows) -> list[SnapshotRow]:
    """The messages that found no room among the pins of their channel, for whoever checks that all is well."""
    return [found.row for found in rows.scan(SNAPSHOTS) if not found.row.pinned]
