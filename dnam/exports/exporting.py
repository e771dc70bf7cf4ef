"""A whole memory as the lines of an export (form.py), in recorded order.

It is as of its first line: what is recorded meanwhile is not in it. Where somebody's words are taken back meanwhile,
they might be in it and must not: then it is refused at the end, and has no last line.
"""

import hashlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dnam import __version__
from dnam.exports.form import (
    FORM,
    WITH_KEY,
    WITHOUT_KEY,
    End,
    EventLine,
    GapLine,
    Head,
    Line,
    VaultLine,
    Why,
    encode,
    fields,
)
from projections.errors import DnamError
from projections.events import MessageRedacted, PersonErased
from projections.ids import UNSEALED, VaultId
from replay import codec
from replay.codec import Header
from replay.engine import Engine
from replay.errors import LogError
from replay.log import StoredEvent

TAKES_BACK = frozenset({MessageRedacted.TAG, PersonErased.TAG})
Progress = Callable[[int, int], None]


class TakenBackMeanwhile(DnamError):
    """Words were redacted or erased while they were being exported."""


class Exported(NamedTuple):
    """What was written: how many events, and how many of them as gaps."""

    events: int
    gaps: int


class Export:
    """One export of one memory. `lines` may be asked for once; `exported` counts."""

    def __init__(self, engine: Engine, *, with_id_key: bool = True) -> None:
        self._engine = engine
        self._with_id_key = with_id_key
        self._told: set[VaultId] = set()
        self.exported = Exported(0, 0)

    def lines(self, progress: Progress) -> Iterator[bytes]:
        """Every line. KeyMissing, Damaged and UnknownEvent where an event cannot be read: nothing is left out unsaid.

        TakenBackMeanwhile in place of the last line.
        """
        sha, size = hashlib.sha256(), self._engine.head().size
        for line in self._all(size, progress):
            data = encode(line)
            sha.update(data)
            yield data
        self._refuse_what_was_taken_back(size)
        events, gaps = self.exported
        yield encode(End(events=events, gaps=gaps, digest=sha.hexdigest()))

    def _all(self, size: int, progress: Progress) -> Iterator[Line]:
        log = self._engine.store.log
        yield self._head(size)
        self._engine.store.ring.refresh()
        for stored in log.read(0, size):
            yield from self._of(stored)
            if stored.seq % 1024 == 0 or stored.seq == size:
                progress(stored.seq, size)

    def _head(self, size: int) -> Head:
        first = self._engine.store.log.get(1) if size else None
        return Head(
            dnam_export=FORM,
            program=__version__,
            made=self._engine.recorder.now(),
            events=size,
            first=b"" if first is None else codec.header_id(first.header),
            id_key=self._engine.store.ring.id_key if self._with_id_key else None,
            says=WITH_KEY if self._with_id_key else WITHOUT_KEY,
        )

    def _of(self, stored: StoredEvent) -> Iterator[Line]:
        header = codec.decode_header(stored.header)
        try:
            line = self._line(stored, header)
            if self._is_news(header.vault):
                yield self._vault(header.vault)
        except LogError as error:
            raise type(error)(f"event #{stored.seq} cannot be exported: {error}") from error
        self.exported = Exported(self.exported.events + 1, self.exported.gaps + isinstance(line, GapLine))
        yield line

    def _line(self, stored: StoredEvent, header: Header) -> EventLine | GapLine:
        folding = self._engine.live.folding
        erased = header.vault in folding.erased
        record = None if stored.body is None or erased else folding.sealer.opened(stored, header, folding.erased)
        seq, vault = stored.seq, header.vault
        if record is None:
            why: Why = "erased" if erased else "redacted"
            return GapLine(seq=seq, id=header.id, at=header.at, left=header.left, vault=vault, tag=header.tag,
                           version=header.tag_version, why=why)  # fmt: skip
        event = record.event
        return EventLine(seq=seq, id=header.id, at=header.at, left=header.left, vault=vault, tag=event.TAG,
                         version=event.VERSION, event=fields(event))  # fmt: skip

    def _is_news(self, vault: VaultId) -> bool:
        return vault not in self._told and vault != UNSEALED and vault not in self._engine.live.folding.erased

    def _vault(self, vault: VaultId) -> VaultLine:
        self._told.add(vault)
        given = self._engine.store.ring.given(vault)
        return VaultLine(vault=vault, kind=given.kind, label=given.label, people=tuple(sorted(given.people)))

    def _refuse_what_was_taken_back(self, size: int) -> None:
        for stored in self._engine.store.log.read(size):
            if codec.decode_header(stored.header).tag in TAKES_BACK:
                raise TakenBackMeanwhile(
                    "something was taken back while it was being exported, and may be in this export: "
                    "throw it away, and export again"
                )
