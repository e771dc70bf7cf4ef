"""The ledger of a backup place: what was taken back, so that restoring an older state brings none of it back.

    ledger     a line of JSON for each fact: seq, tag, header, body, check

A fact is an event that lies unsealed in the log and takes something back or says whom not to record: `person.erased`,
`message.redacted`, `person.opted_out`, `person.opted_in`. It names vaults, ids and keyed hashes, and nobody. Lines are
only added, each run of `backup` behind the last; so an older copy of the events and the manifest, put beside the newest
ledger, is restored without what was taken back since.
"""

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from projections.events import Event, MessageRedacted, PersonErased, PersonOptedIn, PersonOptedOut
from projections.ids import EventId, Seq
from replay import codec
from replay.errors import Damaged, DamagedBackup
from replay.folder import write_all
from replay.log import StoredEvent

NAME = "ledger"
FACTS = frozenset(kind.TAG for kind in (PersonErased, MessageRedacted, PersonOptedOut, PersonOptedIn))


class Fact(NamedTuple):
    """Something that was taken back: the event as it was stored, and what it says. `seq` is where it was."""

    seq: Seq
    header: codec.Header
    event: Event
    stored: StoredEvent

    @property
    def id(self) -> EventId:
        """The event's id."""
        return self.header.id


def fact_of(stored: StoredEvent, header: codec.Header) -> Fact | None:
    """The fact that an event is, if it is one. Damaged when its body is not what was written, or is gone."""
    if header.tag not in FACTS:
        return None
    if stored.body is None or codec.digest(stored.body) != header.body_digest:
        raise Damaged(f"event #{stored.seq}: the body of this {header.tag} is not what was written")
    return Fact(stored.seq, header, codec.decode_body(header.tag, header.tag_version, stored.body), stored)


class _Line(msgspec.Struct, frozen=True):
    seq: int
    tag: str
    header: str
    body: str
    check: str = ""


def _packed(fact: Fact) -> bytes:
    assert fact.stored.body is not None
    line = _Line(fact.seq, fact.header.tag, fact.stored.header.hex(), fact.stored.body.hex())
    return msgspec.json.encode(msgspec.structs.replace(line, check=_check(line))) + b"\n"


def _check(line: _Line) -> str:
    return sha256(msgspec.json.encode(msgspec.structs.replace(line, check=""))).hexdigest()[:16]


def _unpacked(data: bytes) -> Fact | None:
    """The fact in a line; None when it is not what was written."""
    try:
        line = msgspec.json.decode(data, type=_Line)
        if _check(line) != line.check:
            return None
        stored = StoredEvent(Seq(line.seq), bytes.fromhex(line.header), bytes.fromhex(line.body))
    except (*codec.UNREADABLE, ValueError):
        return None
    return fact_of(stored, codec.decode_header(stored.header))


class Ledger:
    """The facts at a place, in the order in which they were found, and room for more."""

    def __init__(self, place: Path, facts: int) -> None:
        """`facts` is how many there were when the manifest was written: with fewer, DamagedBackup."""
        self._path = place / NAME
        self.facts: list[Fact] = []
        self._length = 0
        self._read(facts)
        if len(self.facts) < facts:
            raise DamagedBackup(
                f"{self._path} has {len(self.facts)} of {facts} facts: what was erased or redacted could come back. "
                "Put the whole ledger back from where it was copied to, where there is such a copy"
            )
        self._known = {fact.id for fact in self.facts}

    def _read(self, facts: int) -> None:
        """Up to the last whole line; behind what the manifest knows may be some that a crash cut short."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise DamagedBackup(f"{self._path} cannot be read: {error.strerror}") from error
        for line in data[: data.rfind(b"\n") + 1].splitlines(keepends=True):
            fact = _unpacked(line)
            if fact is None and len(self.facts) >= facts:
                return
            if fact is None:
                raise DamagedBackup(f"{self._path}: line {len(self.facts) + 1} is not what was written")
            self.facts.append(fact)
            self._length += len(line)

    def extend(self, facts: Iterable[Fact]) -> int:
        """Add what is new and make it last; the bytes that were written."""
        news = [fact for fact in facts if fact.id not in self._known]
        if not news:
            return 0
        data = b"".join(map(_packed, news))
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.ftruncate(descriptor, self._length)
            write_all(descriptor, data, self._length)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self.facts += news
        self._known |= {fact.id for fact in news}
        self._length += len(data)
        return len(data)
