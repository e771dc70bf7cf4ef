"""One write group: decisions run one after the other under the write lock, each seeing what the earlier ones made, and
everything goes to the log in one commit. A decision that raises leaves nothing behind and harms no other.
"""

from collections.abc import Sequence
from typing import NamedTuple

from projections.decisions.draft import MOST_EVENTS, Decision, Draft
from projections.events import Event, MessageRedacted, PersonErased
from projections.fold import Record
from projections.ids import UNSEALED, EventId, Handle, Seq, VaultId
from projections.rows import Rows
from projections.vaults import home
from replay.clock import Recorder
from replay.codec import HEADER_VERSION, Header
from replay.errors import EventConflict, Refused
from replay.live import Live
from replay.log import Commit, Entry, Head
from replay.overlay import Layered, Overlay


class Recorded(NamedTuple):
    """What became of a decision: its events as they were recorded, none when there was nothing to record."""

    records: tuple[Record, ...] = ()

    @property
    def events(self) -> list[Event]:
        """The events alone."""
        return [record.event for record in self.records]


class _Staged(NamedTuple):
    record: Record
    vault: VaultId
    entry: Entry


class Group:
    """What one commit will hold."""

    def __init__(self, live: Live, head: Head, recorder: Recorder) -> None:
        self._live = live
        self._head = head
        self._recorder = recorder
        self._ids = live.ids()
        self._staged: list[_Staged] = []
        self._drops: list[Seq] = []
        self._erased: list[VaultId] = []
        self._at = head.at
        self.overlay = Overlay()

    def run(self, decision: Decision) -> Recorded:
        """Decide, seal and fold one decision. Raises what the decision raises, and Refused or EventConflict."""
        with self._live.raw(self._live.overlay, self.overlay) as raw:
            drafts = self._news(decision(Rows(raw, self._ids)))
            staged = self._seal(drafts)
            own = Overlay()
            layered = Layered(own, raw)
            for each in staged:
                self._live.folding.take(each.record, each.vault, own, layered)
        self._accept(staged, own)
        return Recorded(tuple(each.record for each in staged))

    def _news(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts that are not in the log yet: of a platform's ids the first one recorded wins."""
        if len(drafts) > MOST_EVENTS:
            raise Refused(f"one decision made {len(drafts)} events; {MOST_EVENTS} is the most")
        news: list[Draft] = []
        for draft in drafts:
            if self._ids.status(draft.id) == "unknown":
                news.append(draft)
            elif not draft.natural:
                raise EventConflict(f"the id {draft.id.hex()} of a {draft.event.TAG} is in the log already")
        return news

    def _seal(self, drafts: Sequence[Draft]) -> list[_Staged]:
        plan = self._live.store.ring.mark()
        try:
            return self._sealed(drafts)
        except BaseException:
            self._live.store.ring.undo(plan)
            raise

    def _sealed(self, drafts: Sequence[Draft]) -> list[_Staged]:
        at = self._recorder.at(self._at)
        vaults: dict[EventId, VaultId] = {}
        staged: list[_Staged] = []
        for position, draft in enumerate(drafts):
            vault = vaults[draft.id] = self._vault(draft.event, vaults)
            left = len(drafts) - 1 - position
            event = draft.event
            header = Header(HEADER_VERSION, draft.id, at, left, event.TAG, event.VERSION, vault, b"")
            record = Record(Seq(self._head.size + len(self._staged) + position + 1), draft.id, at, event)
            staged.append(_Staged(record, vault, Entry(draft.id, *self._live.folding.sealer.seal(event, header))))
        return staged

    def _vault(self, event: Event, own: dict[EventId, VaultId]) -> VaultId:
        """The vault of an event: of its people and the people of its causes' vaults (design §5)."""
        place = home(event)
        people = place.people.union(*(self._people(event, cause, own) for cause in event.causes))
        if not place.sealed:
            return UNSEALED
        ring = self._live.store.ring
        if place.era:
            return ring.era_vault(place.label, people)
        return ring.set_vault(people) if people else ring.labelled_vault(place.label)

    def _people(self, event: Event, cause: EventId, own: dict[EventId, VaultId]) -> frozenset[Handle]:
        vault = own.get(cause) or self._ids.vault(cause)
        if vault is None:
            raise Refused(f"a {event.TAG} names a cause that is not in the log: {cause.hex()}")
        if vault in self._live.folding.erased:
            raise Refused(f"a {event.TAG} rests on something that was erased")
        return self._live.store.ring.people(vault)

    def _accept(self, staged: Sequence[_Staged], own: Overlay) -> None:
        for each in staged:
            self._staged.append(each)
            self._ids.staged[each.record.id] = each.vault
            self._at = each.record.at
            self._note(each.record.event)
        self.overlay.absorb(own)

    def _note(self, event: Event) -> None:
        if isinstance(event, MessageRedacted):
            found = (self._live.store.log.find(each) for each in event.events)
            self._drops += [seq for seq in found if seq is not None]
        elif isinstance(event, PersonErased):
            self._erased += event.vaults

    def commit(self) -> Head:
        """Make it last: keys first, then the log. Nothing is written when there is nothing."""
        if not self._staged:
            return self._head
        self._live.store.ring.flush()
        commit = Commit([each.entry for each in self._staged], self._at, self._drops, self._erased)
        return self._live.store.log.append(commit, self._head)
