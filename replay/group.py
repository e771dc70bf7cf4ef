"""One write group: decisions run one after the other under the write lock, each seeing what the earlier ones made, and
everything goes to the log in one commit. A decision that raises leaves nothing behind and harms no other. An erasure
ends its group: what comes after it must not use a key that is about to be destroyed.
"""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import msgspec

from projections.decisions.draft import MOST_EVENTS, Decision, Draft
from projections.decisions.given import Given, GivenVault, Lost
from projections.events import UNSEALED_TAGS, Event, ItemEvent, MessageRedacted, PersonErased
from projections.events.summaries import SummaryEvent
from projections.fold import Record
from projections.ids import UNSEALED, EventId, Handle, Seq, VaultId
from projections.policies.closing import closing, identity_of
from projections.policies.resting import DERIVED, widening
from projections.rows import RawRows, Rows
from projections.vaults import home
from replay import codec
from replay.clock import Recorder
from replay.codec import HEADER_VERSION, Header
from replay.decoded_once import DecodedOnce
from replay.errors import (
    CannotWrite,
    Damaged,
    ErasedMeanwhile,
    EventConflict,
    KeyMissing,
    KeyRingUnreadable,
    Refused,
    UnknownEvent,
)
from replay.folding import dropped_by, seqs_in
from replay.known import Ids
from replay.live import Live
from replay.log import Commit, Entry, Glance, Head, Syncing, untold
from replay.opened import Opened
from replay.overlay import Layer, Layered, Overlay
from replay.ranges import Ranges
from replay.ring.keyring import KeyRing

SHOWN = (ItemEvent, SummaryEvent)
"""What is derived and shown to a model again: what comes of that rests on it."""


class Recorded(NamedTuple):
    """What became of a decision: its events as they were recorded, none when there was nothing to record."""

    records: tuple[Record, ...] = ()

    @property
    def events(self) -> list[Event]:
        """The events alone."""
        return [record.event for record in self.records]


class _Staged(msgspec.Struct, frozen=True, gc=False):
    record: Record
    vault: VaultId
    entry: Entry


class Group:
    """What one commit will hold. `raw` are the rows below and `log` what was recorded before, all of one moment: nobody
    else writes meanwhile. Both are let go before the commit. `opened` is handed from group to group.
    """

    def __init__(self, live: Live, head: Head, recorder: Recorder, raw: RawRows, log: Glance, opened: Opened) -> None:
        self._live = live
        self._head = head
        self._recorder = recorder
        self._log = log
        self._opened = opened.at(head)
        self._ids = live.ids(log, self._opened.seen)
        self._staged: list[_Staged] = []
        self._erased: list[tuple[VaultId, Seq]] = []
        self._at = head.at
        self.overlay = Overlay()
        self.decisions = 0
        """How many were run."""
        self._raw = Layered(self.overlay, raw)
        self._kept: dict[tuple[str, bytes], Any] = {}
        self._ranges = Ranges()

    def run(self, decision: Decision) -> Recorded:
        """Decide, seal and fold one decision. Raises what the decision raises, and Refused or EventConflict."""
        self.decisions += 1
        drafts = self._news(decision(self.rows()))
        plan = self._live.store.ring.mark()
        try:
            staged = self._sealed(drafts)
            self._refuse_widening(drafts, staged)
            own, dropped = self._folded(staged)
        except BaseException:
            self._live.store.ring.undo(plan)
            raise
        self._accept(staged, own, dropped)
        return Recorded(tuple(each.record for each in staged))

    def take_over(self, decisions: Iterable[Sequence[Draft]]) -> None:
        """Record decisions as they were recorded elsewhere, each whole. None looks at a row, so what they make is laid
        over the rows once for all of them. Raises what `run` does; those before stay.
        """
        made = Layer()
        try:
            for drafts in decisions:
                if any(isinstance(each.event, MessageRedacted) for each in drafts):
                    self._lay_over(made)
                    made = Layer()
                    self.run(partial(_as_they_are, drafts))
                else:
                    self._take_over(drafts, made)
        finally:
            self._lay_over(made)

    def _take_over(self, drafts: Sequence[Draft], made: Layer) -> None:
        self.decisions += 1
        assert all(each.given is not None for each in drafts), "what is derived here is looked at"
        drafts, plan = self._news(drafts), self._live.store.ring.mark()
        try:
            staged = self._sealed(drafts)
            rows = [self._live.folding.rows_of(each.record) for each in staged]
        except BaseException:
            self._live.store.ring.undo(plan)
            raise
        for each, its_rows in zip(staged, rows, strict=True):
            made.write(its_rows, each.record.seq, each.vault)
            if each.entry.body is not None:
                self._opened.taken[each.record.id] = each.record.event
        self._stage(staged, frozenset())

    def rows(self) -> Rows:
        """What there is by now, with what this group recorded."""
        return DecodedOnce(self._raw, self._ids, self._kept, self._ranges, self._readable, self._touched)

    @property
    def ended(self) -> bool:
        """Whether a further decision has to wait for the next group."""
        return bool(self._erased)

    def _news(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts that are not in the log yet: of a platform's ids the first one recorded wins."""
        if len(drafts) > MOST_EVENTS:
            raise Refused(f"one decision made {len(drafts)} events; {MOST_EVENTS} is the most")
        news: dict[EventId, Draft] = {}
        for draft in drafts:
            if draft.id not in news and self._ids.status(draft.id) == "unknown":
                news[draft.id] = draft
            elif not draft.natural:
                raise EventConflict(f"the id {draft.id.hex()} of a {draft.event.TAG} is in the log already")
        return [each for draft in news.values() for each in self._behind_closing(draft)]

    def _behind_closing(self, draft: Draft) -> list[Draft]:
        """A draft, and ahead of it what keeps out of force what it puts out; what comes back from an export brings that
        along.
        """
        ahead = closing(draft.event) if draft.given is None else None
        if ahead is None:
            return [draft]
        return [Draft(self._ids.event_id(identity_of(draft.id, ahead.said)), ahead), draft]

    def _sealed(self, drafts: Sequence[Draft]) -> list[_Staged]:
        at = self._when(drafts)
        vaults: dict[EventId, VaultId] = {}
        staged: list[_Staged] = []
        for position, draft in enumerate(drafts):
            vault = vaults[draft.id] = self._vault(draft, vaults)
            left = len(drafts) - 1 - position
            record = Record(Seq(self._head.size + len(self._staged) + position + 1), draft.id, at, draft.event)
            staged.append(_Staged(record, vault, self._entry(record, left, vault)))
        if not _erased_by(staged).keys().isdisjoint(vaults.values()):
            raise Refused("a decision erases what it records itself")
        return staged

    def _when(self, drafts: Sequence[Draft]) -> int:
        """Now; for what was recorded before, when that was, as far as the events in front of it allow."""
        now = self._recorder.at(self._at)
        given = drafts[0].given if drafts else None
        return now if given is None else max(self._at, min(given.at, now))

    def _entry(self, record: Record, left: int, vault: VaultId) -> Entry:
        event = record.event
        if isinstance(event, Lost):
            header = Header(HEADER_VERSION, record.id, record.at, left, event.tag, event.version, vault, bytes(32))
            return Entry(record.id, codec.encode_header(header), None)
        header = Header(HEADER_VERSION, record.id, record.at, left, event.TAG, event.VERSION, vault, b"")
        return Entry(record.id, *self._live.folding.sealer.seal(event, header))

    def _refuse_widening(self, drafts: Sequence[Draft], staged: Sequence[_Staged]) -> None:
        """Nothing derived is open to more people than what it rests on (design §7). Only derivations are looked at;
        what comes back from an export was looked at when it was first recorded.
        """
        derived = [each.event for each in drafts if isinstance(each.event, DERIVED) and each.given is None]
        if not derived:
            return
        here = {each.record.id: each.record.event for each in staged}
        rows = self.rows()
        for event in derived:
            causes = {cause: here.get(cause) or self._opened_once(cause) for cause in event.causes}
            reason = widening(rows, event, causes)
            if reason:
                raise Refused(reason)

    def _opened_once(self, cause: EventId) -> Event | None:
        known = self._opened.find(cause)
        if known is None and (known := self._event(cause)) is not None:
            self._opened.events[cause] = known
        return known

    def _event(self, event: EventId) -> Event | None:
        """An event of this group or of the log, where it can still be read."""
        seq = self._ids.find(event)
        if seq is None or seq in self._ids.dropped:
            return None
        record = self._record_of(seq)
        return None if record is None else record.event

    def _readable(self, event: EventId) -> Event | None:
        """The same for a decision, which goes on without what cannot be read."""
        with suppress(Damaged, KeyMissing, UnknownEvent):
            return self._event(event)
        return None

    def _touched(self, table: str, key: bytes) -> list[Record]:
        """The events of this group and of the log that touched a row, as far as they can be read."""
        found: list[Record] = []
        for seq in seqs_in(self._raw, table, key):
            with suppress(Damaged, KeyMissing, UnknownEvent):
                record = None if seq in self._ids.dropped else self._record_of(seq)
                found += [] if record is None else [record]
        return found

    def _record_of(self, seq: int) -> Record | None:
        return self._staged[seq - self._head.size - 1].record if seq > self._head.size else self._record_at(seq)

    def _record_at(self, seq: int) -> Record | None:
        stored = self._log.get(seq)
        return None if stored is None else self._live.folding.record(stored)

    def _folded(self, staged: Sequence[_Staged]) -> tuple[Layer, set[Seq]]:
        """The rows of one decision, and the seqs whose bodies it drops."""
        own, folding = Layer(), self._live.folding
        if not any(isinstance(each.record.event, MessageRedacted) for each in staged):
            for each in staged:
                folding.take(each.record, each.vault, own, self._raw)
            return own, set()
        layered, source = Layered(own, self._raw), _Source(self._record_at, self._ids, [*self._staged, *staged])
        for each in staged:
            source.dropped |= dropped_by(each.record, source)
            folding.take(each.record, each.vault, own, layered, source)
        return own, source.dropped

    def _refuse_redacting_the_clear(self, event: Event) -> None:
        """What lies in the clear holds nobody's words, and consent and erasures must stay readable."""
        if isinstance(event, MessageRedacted) and any(self._ids.vault(each) == UNSEALED for each in event.events):
            raise Refused("a redaction names an event that is stored unsealed: there is nothing in it to take back")

    def _vault(self, draft: Draft, own: dict[EventId, VaultId]) -> VaultId:
        """The vault of an event: of its people and the people of its causes' vaults (design §5)."""
        event = draft.event
        self._refuse_redacting_the_clear(event)
        if draft.given is not None:
            return self._given_vault(event, draft.given)
        place = home(event)
        self._refuse_the_erased(event, place.people)
        people = place.people
        if event.causes:
            vaults = {self._vault_of(event, cause, own) for cause in event.causes}
            people = people.union(*(self._people(event, each) for each in vaults))
        if not place.sealed:
            return UNSEALED
        ring = self._live.store.ring
        if place.era:
            return ring.era_vault(place.label, people)
        return ring.set_vault(people) if people else ring.labelled_vault(place.label)

    def _refuse_the_erased(self, event: Event, people: frozenset[Handle]) -> None:
        """Nobody comes back under a handle of which every key was destroyed: who is erased and speaks again is met as
        somebody new. What was under way for them ends here.
        """
        if not people.isdisjoint(self._live.store.ring.gone):
            raise ErasedMeanwhile(f"a {event.TAG} is of somebody who was erased")

    def _given_vault(self, event: Event, given: Given) -> VaultId:
        """The vault that it had, under a key of this log's own. One that was erased there has a key here, which seals
        nothing, until the erasure comes that destroys it; one that was erased here has none.
        """
        erased = given.vault in self._live.folding.erased
        if not isinstance(event, Lost):
            if (given.vault == UNSEALED) != (event.TAG in UNSEALED_TAGS):
                raise Refused(f"a {event.TAG} comes with the vault of another kind of event")
            if erased:
                raise Refused(f"a {event.TAG} comes back that was erased here")
        if given.vault != UNSEALED and not erased:
            self._live.store.ring.adopt(given.ring or GivenVault(given.vault, "labelled", given.vault, frozenset()))
        return given.vault

    def _vault_of(self, event: Event, cause: EventId, own: dict[EventId, VaultId]) -> VaultId:
        vault = own.get(cause) or self._ids.vault(cause)
        if vault is None:
            raise Refused(f"a {event.TAG} names a cause that is not in the log: {cause.hex()}")
        return vault

    def _people(self, event: Event, vault: VaultId) -> frozenset[Handle]:
        if vault in self._live.folding.erased:
            raise ErasedMeanwhile(f"a {event.TAG} rests on something that was erased")
        return self._live.store.ring.people(vault)

    def _accept(self, staged: Sequence[_Staged], own: Layer, dropped: set[Seq]) -> None:
        made = (each.record for each in staged if isinstance(each.record.event, SHOWN))
        self._opened.events.update((each.id, each.event) for each in made)
        self._stage(staged, dropped)
        self._lay_over(own)

    def _stage(self, staged: Sequence[_Staged], dropped: AbstractSet[Seq]) -> None:
        for each in staged:
            self._staged.append(each)
            self._ids.stage(each.record.id, each.record.seq, each.vault, whole=each.entry.body is not None)
            self._at = each.record.at
        if dropped:
            self._opened.forget()
        self._opened.trim()
        self._ids.dropped |= dropped
        self._erased += sorted(_erased_by(staged).items(), key=lambda each: (each[1], each[0]))

    def _lay_over(self, made: Layer) -> None:
        self.overlay.absorb(made)
        self._ranges.changed(made)

    def _sealing(self) -> list[VaultId]:
        return sorted({each.vault for each in self._staged} - {UNSEALED})

    def commit(self, syncing: Syncing = untold) -> Head:
        """Make it last: keys first, then the log. Nothing is written when there is nothing."""
        if not self._staged:
            self._opened.reached(self._head)
            return self._head
        entries = [each.entry for each in self._staged]
        ring = self._live.store.ring
        planned = ring.mark()
        try:
            if planned:
                self._refuse_cut(ring)
            ring.flush(self._head.epoch)
            drops = sorted(self._ids.dropped)
            log = self._live.store.log
            commit = Commit(entries, self._at, drops, self._erased, self._sealing(), ring.stand(log.noted))
            head = log.append(commit, self._head, syncing)
        except BaseException:
            ring.undo(0)
            raise
        if planned:
            ring.settle()
        if head.size == self._staged[-1].record.seq:  # else what is known of it would be of events that are not there
            self._opened.reached(head)
        return head

    def _refuse_cut(self, ring: KeyRing) -> None:
        """New keys come behind all that the log knows of: what lies there may be mended over them."""
        try:
            ring.refuse_cut(self._live.store.log.ring())
        except KeyRingUnreadable as error:
            raise CannotWrite(str(error)) from error


class _Source:
    """Events of the log and of a group that is not in it yet."""

    def __init__(self, before: Callable[[int], Record | None], ids: Ids, staged: Sequence[_Staged]) -> None:
        self._before = before
        self._ids = ids
        self._records = {each.record.seq: each.record for each in staged}
        self._seqs = {each.record.id: each.record.seq for each in staged}
        self.dropped = set(ids.dropped)

    def find(self, event: EventId) -> Seq | None:
        return self._seqs.get(event) or self._ids.find(event)

    def record_at(self, seq: int) -> Record | None:
        return self._records.get(Seq(seq)) or self._before(seq)


def _as_they_are(drafts: Sequence[Draft], _: Rows) -> Sequence[Draft]:
    return drafts


def _erased_by(staged: Sequence[_Staged]) -> dict[VaultId, Seq]:
    """The vaults that erasures among these name, and where."""
    return {
        vault: each.record.seq
        for each in staged
        if isinstance(each.record.event, PersonErased)
        for vault in each.record.event.vaults
    }
