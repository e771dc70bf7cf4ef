"""Taking an export back: every event is recorded as it was, under its own id, and what is known is passed over.

A memory takes back what it exported itself, or what it began with. The export of another memory comes into a new
folder only: there each has ids of its own for the same people and messages, and two of them would be mixed up.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from dnam.exports.form import Head
from dnam.importers.dnam_export import Returned
from dnam.in_flight import IN_FLIGHT, InFlight
from dnam.memory import Memory
from projections.decisions.draft import Decision, Draft
from projections.decisions.given import lost
from projections.errors import BadRequest, DnamError
from projections.events import MessageRedacted, PersonErased
from projections.events.values import OPERATOR
from projections.ids import EventId, Seq, VaultId, seeded_id
from replay import codec
from replay.beginning import begin_with
from replay.builder import thin_out
from replay.engine import Engine
from replay.group import Recorded
from replay.store import DiskStore

Progress = Callable[[int, int], None]


@dataclass
class Tally:
    """What came back so far: events read, new, new ones without their words, and known ones."""

    read: int = 0
    events: int = 0
    gaps: int = 0
    known: int = 0


class _Read(NamedTuple):
    """Decisions that were read, none at the end, and the break behind them."""

    decisions: list[Returned]
    broken: DnamError | None = None


def _read(decisions: Iterator[Returned]) -> _Read:
    """The next decisions: changing threads for each of them would take longer than reading it."""
    read: list[Returned] = []
    try:
        read.extend(islice(decisions, IN_FLIGHT))
    except DnamError as error:
        return _Read(read, error)
    return _Read(read)


def prepare(head: Head, data: Path) -> None:
    """Where there is no memory yet, begin it with the export's id key, so that ids stay what they were."""
    if head.id_key is not None:
        begin_with(data, head.id_key)


def refuse_another(head: Head, engine: Engine) -> None:
    """BadRequest where this memory neither is new nor began as the one that was exported."""
    first = engine.store.log.get(Seq(1))
    if first is not None and codec.header_id(first.header) != head.first:
        raise BadRequest(
            "this is the export of another memory, and there is one here already: import it into a new folder"
        )
    if first is None and head.id_key is not None and engine.store.ring.id_key != head.id_key:
        raise BadRequest("the memory here is empty and has an id key of its own already: import into a new folder")


class Returning:
    """Records what an export holds, in its order, and counts it in `tally`."""

    def __init__(self, memory: Memory, head: Head, tally: Tally | None = None) -> None:
        self._memory = memory
        self._head = head
        self._in_flight = InFlight(memory, self._count)
        self._open: dict[EventId, VaultId] = {}
        self._erasures = 0
        self.tally = Tally() if tally is None else tally

    async def bring(self, decisions: Iterator[Returned], progress: Progress) -> Tally:
        """Record everything; what was read before an error or an interruption is recorded too."""
        refuse_another(self._head, self._memory.engine)
        try:
            more = True
            while more:
                read = await asyncio.to_thread(_read, decisions)
                for returned in read.decisions:
                    await self._take(returned)
                progress(self.tally.read, self._head.events)
                if read.broken is not None:
                    raise read.broken
                more = bool(read.decisions)
        finally:
            await self._in_flight.settle()
            await self._close_gaps()
            await self._finish_erasures()
        return self.tally

    async def _take(self, returned: Returned) -> None:
        erased = self._memory.engine.live.folding.erased
        drafts = [_as_it_may_come(draft, erased) for draft in returned.drafts]
        self._note_gaps(returned)
        self.tally.read += len(drafts)
        await self._in_flight.submit(returned, _as_given(drafts))

    def _count(self, returned: Returned, recorded: Recorded) -> None:
        new = {record.id for record in recorded.records}
        self._erasures += sum(isinstance(event, PersonErased) for event in recorded.events)
        self.tally.events += len(new)
        self.tally.gaps += len(new & returned.gaps)
        self.tally.known += len(returned.drafts) - len(new)

    # -- words that are gone, and the events that say so -----------------------------------------------------------

    def _note_gaps(self, returned: Returned) -> None:
        """A gap is open until the event comes that says why it is one."""
        for draft in returned.drafts:
            if draft.id in returned.gaps and draft.given is not None:
                self._open[draft.id] = draft.given.vault
            match draft.event:
                case MessageRedacted(events=events):
                    for each in events:
                        self._open.pop(each, None)
                case PersonErased(vaults=vaults):
                    self._open = {event: vault for event, vault in self._open.items() if vault not in vaults}

    async def _close_gaps(self) -> None:
        """Of an export that broke off: what says why these words are gone did not come, so it is said here, once."""
        if self._open:
            events, now = tuple(sorted(self._open)), self._memory.now()
            event_id = seeded_id(hashlib.sha256(b"".join(events)).digest(), 0, 0)
            event = MessageRedacted(said=now, by=OPERATOR, events=events)
            await self._memory.record(_as_given([Draft(event_id, event, natural=True)]))

    async def _finish_erasures(self) -> None:
        """An erasure that was new here takes its person's rows off the disk, as the first one did there."""
        engine = self._memory.engine
        if self._erasures and self.tally.known and isinstance(engine.store, DiskStore):
            await asyncio.to_thread(engine.follow_erasures)
            await asyncio.to_thread(thin_out, engine.store, engine.fold)


def _as_given(drafts: list[Draft]) -> Decision:
    return lambda _: drafts


def _as_it_may_come(draft: Draft, erased: frozenset[VaultId]) -> Draft:
    """What was erased here since it was exported leaves its place alone."""
    given = draft.given
    if given is None or given.vault not in erased:
        return draft
    event = draft.event
    gone = event if not event.TAG else lost(event.TAG, event.VERSION)
    return draft._replace(event=gone, given=given._replace(ring=None))
