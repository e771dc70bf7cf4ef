"""What the log knows of an id: where its event is, and whether that can still be read."""

from itertools import islice

import msgspec

from projections.ids import EventId, Identity, Seq, VaultId
from projections.rows import Known
from replay import codec
from replay.log import Glance
from replay.ring.keyring import KeyRing

MOST_SEEN = 8_192
"""How many ids are remembered."""


class Standing(msgspec.Struct, frozen=True, gc=False):
    """What the log has of an event: where it is, whose key seals it, and whether its body is there."""

    seq: Seq
    vault: VaultId | None
    whole: bool


Seen = dict[EventId, Standing | None]
"""What was looked up in the log; None of what it does not have."""


class Ids:
    """What the log knows of an id, and of ids that a group is about to record or to drop. `seen` is what was looked up
    before; who hands it in knows that nothing else happened to the log since.
    """

    def __init__(self, log: Glance, ring: KeyRing, erased: frozenset[VaultId], seen: Seen | None = None) -> None:
        self._log = log
        self._ring = ring
        self._erased = erased
        self.staged: dict[EventId, tuple[Seq, VaultId]] = {}
        self.dropped: set[Seq] = set()
        self._seen: Seen = {} if seen is None else seen

    def stage(self, event: EventId, seq: Seq, vault: VaultId, *, whole: bool) -> None:
        """An event is going to be recorded. What is `seen` has it as it will be then."""
        self.staged[event] = seq, vault
        self._see(event, Standing(seq, vault, whole))

    def event_id(self, identity: Identity) -> EventId:
        return self._ring.event_id(identity)

    def keyed_hash(self, platform: str, platform_id: str) -> bytes:
        return self._ring.keyed_hash(platform, platform_id)

    def vault(self, event: EventId) -> VaultId | None:
        """Whose key sealed an event; None when it is not in the log."""
        if event in self.staged:
            return self.staged[event][1]
        standing = self._standing(event)
        return None if standing is None else standing.vault

    def find(self, event: EventId) -> Seq | None:
        """Where an event is, or is going to be."""
        staged = self.staged.get(event)
        if staged is not None:
            return staged[0]
        standing = self._standing(event)
        return None if standing is None else standing.seq

    def status(self, event: EventId) -> Known:
        staged = self.staged.get(event)
        if staged is not None:
            return "redacted" if staged[0] in self.dropped else "known"
        standing = self._standing(event)
        if standing is None:
            return "unknown"
        if standing.seq in self.dropped:
            return "redacted"
        if standing.vault in self._erased:
            return "erased"
        return "known" if standing.whole else "redacted"

    def _standing(self, event: EventId) -> "Standing | None":
        """What the log has of an id, looked up once: a decision asks first, and its group once more, and again for
        every event that rests on it.
        """
        try:
            return self._seen[event]
        except KeyError:
            standing = self._looked_up(event)
        self._see(event, standing)
        return standing

    def _see(self, event: EventId, standing: "Standing | None") -> None:
        if len(self._seen) >= MOST_SEEN:
            for each in list(islice(self._seen, MOST_SEEN // 2)):
                del self._seen[each]
        self._seen[event] = standing

    def _looked_up(self, event: EventId) -> "Standing | None":
        seq = self._log.find(event)
        if seq is None:
            return None
        stored = self._log.get(seq)
        if stored is None:  # a damaged log: `dnam verify` names it
            return Standing(seq, None, whole=True)
        return Standing(seq, codec.decode_header(stored.header).vault, whole=stored.body is not None)
