"""Events as far as they can be read, for whoever looks at single ones: each is opened once."""

from typing import Literal, NamedTuple

from projections.fold import Record
from projections.ids import EventId, Seq
from replay import codec
from replay.codec import Header
from replay.errors import Damaged, KeyMissing, LogError, UnknownEvent
from replay.folding import Folding
from replay.live import Live
from replay.log import StoredEvent

Readable = Literal["known", "redacted", "erased", "locked", "unknown", "damaged"]
"""`known`, or why an event's words cannot be read."""
_WHY: dict[type[LogError], Readable] = {Damaged: "damaged", KeyMissing: "locked", UnknownEvent: "unknown"}


class Reading(NamedTuple):
    """An event of the log as far as it can be read; `record` is None when its body cannot."""

    seq: Seq
    header: Header
    state: Readable
    record: Record | None

    @property
    def id(self) -> EventId:
        """The event's."""
        return EventId(self.header.id)


def read(folding: Folding, stored: StoredEvent) -> Reading:
    """A stored event, as far as it can be read. Damaged when not even its header can."""
    header = header_of(stored)
    try:
        record = folding.record(stored)
    except (Damaged, KeyMissing, UnknownEvent) as error:
        return Reading(stored.seq, header, _WHY[type(error)], None)
    if record is not None:
        return Reading(stored.seq, header, "known", record)
    return Reading(stored.seq, header, "erased" if header.vault in folding.erased else "redacted", None)


def header_of(stored: StoredEvent) -> Header:
    """The header of a stored event; what is wrong with it names the event."""
    try:
        return codec.decode_header(stored.header)
    except LogError as error:
        raise type(error)(f"event #{stored.seq}: {error}") from error


class Reader:
    """Opens events of a log by seq or by id, and remembers what it opened."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._read: dict[int, Reading] = {}

    @property
    def size(self) -> int:
        """How far the log reaches."""
        return self._live.store.log.head().size

    def at(self, seq: int) -> Reading:
        """The event at a place in the log, where there is one."""
        if seq not in self._read:
            stored = self._live.store.log.get(seq)
            assert stored is not None, f"the log does not reach #{seq}"
            self._read[seq] = read(self._live.folding, stored)
        return self._read[seq]

    def find(self, event: EventId) -> Reading | None:
        """The event of this id; None when the log does not have it."""
        seq = self._live.store.log.find(event)
        return None if seq is None else self.at(seq)

    def tag_at(self, seq: int) -> str:
        """What kind of event it is, without opening it."""
        if seq in self._read:
            return self._read[seq].header.tag
        stored = self._live.store.log.get(seq)
        assert stored is not None, f"the log does not reach #{seq}"
        return header_of(stored).tag
