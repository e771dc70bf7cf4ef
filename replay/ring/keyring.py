"""The key ring: which key seals which vault, and whose words a vault holds.

Its first record is the id key, which is never rotated or destroyed. A person's vault and a set's vault never grow;
only a session's era vault does. Which vault is meant is found by its people, or by a label: a keyed hash of the
session and era, or of the place, that owns it.

A new key is planned while a decision is recorded, and made to last by `flush` before the log's commit that uses it. It
lasts in both copies, with `settle`, before anybody hears of the commit. A crash in between leaves a key that nobody
uses, never an event without a key. The writer plans while other threads read: whatever reads the file or changes the
ring holds a lock.
"""

import hmac
import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass

from projections.decisions.given import GivenVault, VaultKind
from projections.ids import UNSEALED, EventId, Handle, Identity, VaultId, keyed_hash, named_id
from replay.errors import KeyMissing, KeyRingMissing
from replay.ring.records import ID_KEY, PERSON, VAULT, RingRecord, Stand, stand_of
from replay.ring.store import MemoryRingStore, RingStore

SET, ERA, LABELLED = 0, 1, 2
"""The kinds of vaults: of exactly a set of people; of a session's era; of nobody, found by label."""
KINDS: dict[VaultKind, int] = {"set": SET, "era": ERA, "labelled": LABELLED}
_NAMES = {number: name for name, number in KINDS.items()}
"""Their names, where a vault is told to another log."""
_NO_LABEL = bytes(16)
NONE = "there is a log here and no key ring to open it with"
GARBLED = "both copies of the key ring are damaged: no key can be read from either"


@dataclass(slots=True)
class Vault:
    """A key and the people whose words or facts it seals."""

    key: bytes
    kind: int
    label: bytes
    people: frozenset[Handle] = frozenset()
    before: VaultId | None = None
    """Which one was found by its label before it."""


class KeyRing:
    """The ring as it is now, and what is planned but not written yet. `whose` log it opens and how lost keys come back
    (`remedy`) is said where some are missing.
    """

    whose = "this log"
    remedy = "Put the `keys` folder back from where you keep it"

    def __init__(self, store: RingStore) -> None:
        self._store = store
        self._lock = threading.RLock()
        self.id_key = b""
        self.vaults: dict[VaultId, Vault] = {}
        self._by_people: dict[frozenset[Handle], VaultId] = {}
        self._by_label: dict[bytes, VaultId] = {}
        self._handles: dict[Handle, Handle] = {}
        """Each handle once: who speaks in many eras is listed by as many vaults."""
        self._planned: list[RingRecord] = []
        self._stood: tuple[Stand | None, bytes] = None, b""
        """How far it was seen to go last, and that as a log keeps it."""
        self.gone: frozenset[Handle] = frozenset()
        """Whom this ring has listed, and lists no more: they were erased while it was open."""
        self._returning: frozenset[Handle] = frozenset()
        """Who is no longer gone by what is planned."""
        self.errors: list[Exception] = []
        """What went wrong with one copy of it, while the other holds."""

    @classmethod
    def create(cls, store: RingStore) -> "KeyRing":
        """A new ring with a fresh id key."""
        store.create([RingRecord(ID_KEY, payload=os.urandom(32))])
        return cls.open(store)

    @classmethod
    def open(cls, store: RingStore) -> "KeyRing":
        """The ring in a store. KeyRingMissing when there is none, or when no id key can be read from it; KeyRingDamaged
        when records are lost.
        """
        ring = cls(store)
        ring.reload()
        return ring

    def reload(self) -> None:
        """Read everything anew; what is planned stays planned."""
        with self._lock:
            self._begin_with(self._store.read())
        if not self.id_key:
            raise KeyRingMissing(f"{GARBLED if self._store.exists() else NONE}. {self.remedy}")

    def _begin_with(self, records: Iterable[RingRecord]) -> None:
        """Be the ring of these records and of what is planned."""
        before = self._everybody()
        self.vaults, self._by_people, self._by_label, self._handles = {}, {}, {}, {}
        self._take(records)
        self._take(self._planned)
        self.gone = (self.gone | before) - self._everybody()

    def _everybody(self) -> frozenset[Handle]:
        return frozenset().union(*(each.people for each in self.vaults.values()))

    def refresh(self) -> bool:
        """Take in what other processes wrote; True when the ring was written anew, so that keys may be gone."""
        with self._lock:
            news = self._store.news()
            if news is None:
                self.reload()
                return True
            self._take(news)
            return False

    def _take(self, records: Iterable[RingRecord]) -> None:
        growing: dict[VaultId, list[Handle]] = {}
        for record in records:
            vault = VaultId(record.vault)
            if record.type == ID_KEY:
                self.id_key = self.id_key or record.payload
            elif record.type == VAULT:
                if vault not in self.vaults:
                    self._add(vault, Vault(record.payload, record.kind, record.label))
                growing.setdefault(vault, [])
            elif record.type == PERSON:
                growing.setdefault(vault, []).append(Handle(record.payload[:16]))
        for vault, people in growing.items():
            self._grow(vault, people)

    def _add(self, vault: VaultId, entry: Vault) -> None:
        """Of several with one label the one that was made last is found; of sets of the same people the first one."""
        self.vaults[vault] = entry
        if entry.kind != SET:
            entry.before = self._by_label.get(entry.label)
            self._by_label[entry.label] = vault

    def _grow(self, vault: VaultId, people: list[Handle]) -> None:
        entry = self.vaults.get(vault)
        if entry is None:
            return
        if entry.kind == SET and self._by_people.get(entry.people) == vault:
            del self._by_people[entry.people]  # its records came in two parts
        entry.people |= {self._handles.setdefault(each, each) for each in people}
        if entry.kind == SET:
            self._by_people.setdefault(entry.people, vault)

    def event_id(self, identity: Identity) -> EventId:
        """The id of what a platform names."""
        return named_id(self.id_key, identity)

    def keyed_hash(self, platform: str, platform_id: str) -> bytes:
        """A platform id as it may stand in the clear."""
        return keyed_hash(self.id_key, platform, platform_id)

    def check(self, log_id: bytes) -> bytes:
        """16 bytes in the log that only its own ring can make."""
        return hmac.digest(self.id_key, b"ring of log " + log_id, "sha256")[:16]

    def key(self, vault: VaultId) -> bytes:
        """The key of a vault, or KeyMissing."""
        if vault not in self.vaults:
            self.refresh()  # another process may have made it just now
        entry = self.vaults.get(vault)
        if entry is None:
            raise KeyMissing(
                f"the key of vault {vault.hex()} is not in the key ring, and no erasure destroyed it. {self.remedy}"
            )
        return entry.key

    def people(self, vault: VaultId) -> frozenset[Handle]:
        """Whose words or facts a vault holds. KeyMissing when it is locked: its people are not known either."""
        if vault == UNSEALED:
            return frozenset()
        self.key(vault)
        return self.vaults[vault].people

    def listing(self, person: Handle) -> list[VaultId]:
        """Every vault that lists a person, in a stable order."""
        return sorted(vault for vault, entry in self.vaults.items() if person in entry.people)

    def era_vault(self, label: str, people: frozenset[Handle]) -> VaultId:
        """A session's vault of an era, after these people were added."""
        tag = self._tag(label)
        vault = self._by_label.get(tag) or self._plan(Vault(os.urandom(32), ERA, tag))
        missing = people - self.vaults[vault].people
        if missing:
            self._planned += [RingRecord(PERSON, vault, person) for person in sorted(missing)]
            self._grow(vault, sorted(missing))
        return vault

    def labelled_vault(self, label: str) -> VaultId:
        """The vault of what belongs to nobody, by place, scope or compartment."""
        tag = self._tag(label)
        return self._by_label.get(tag) or self._plan(Vault(os.urandom(32), LABELLED, tag))

    def set_vault(self, people: frozenset[Handle]) -> VaultId:
        """The vault of exactly these people."""
        known = self._by_people.get(people)
        return known or self._plan(Vault(os.urandom(32), SET, _NO_LABEL, people))

    def given(self, vault: VaultId) -> GivenVault:
        """A vault as another log is told of it, without its key. KeyMissing when it is not here."""
        self.key(vault)
        entry = self.vaults[vault]
        return GivenVault(vault, _NAMES[entry.kind], entry.label, entry.people)

    def adopt(self, given: GivenVault) -> None:
        """Take over a vault of another log, under a fresh key; of one that is here already, an era's grows."""
        entry = self.vaults.get(given.id)
        self._returning |= self.gone & given.people
        self.gone -= given.people
        if entry is None:
            self._plan(Vault(os.urandom(32), KINDS[given.kind], given.label, given.people), given.id)
        elif entry.kind == ERA and given.people - entry.people:
            missing = sorted(given.people - entry.people)
            self._planned += [RingRecord(PERSON, given.id, person) for person in missing]
            self._grow(given.id, missing)

    def _tag(self, label: str) -> bytes:
        return hmac.digest(self.id_key, b"label " + label.encode(), "sha256")[:16]

    def _plan(self, entry: Vault, vault: VaultId | None = None) -> VaultId:
        vault = vault or VaultId(os.urandom(16))
        self._add(vault, entry)
        self._planned.append(RingRecord(VAULT, vault, entry.key, entry.kind, entry.label))
        self._planned += [RingRecord(PERSON, vault, person) for person in sorted(entry.people)]
        self._grow(vault, [])
        return vault

    def mark(self) -> int:
        """How much is planned, for `undo`."""
        return len(self._planned)

    def undo(self, mark: int) -> None:
        """Take back what was planned since: a decision was refused, and a vault must not list who is not in it. What
        was found by its people or label before is found again, and who was gone is gone.
        """
        for record in reversed(self._planned[mark:]):
            vault = VaultId(record.vault)
            entry = self.vaults[vault]
            if record.type == VAULT:
                self._remove(vault, entry)
            elif entry.kind == ERA:
                entry.people -= {Handle(record.payload[:16])}
        del self._planned[mark:]
        if self._returning:
            not_after_all = self._returning - self._everybody()
            self.gone |= not_after_all
            self._returning -= not_after_all

    def _remove(self, vault: VaultId, entry: Vault) -> None:
        del self.vaults[vault]
        if entry.kind == SET:
            if self._by_people.get(entry.people) == vault:
                del self._by_people[entry.people]
        elif self._by_label.get(entry.label) == vault:
            del self._by_label[entry.label]
            if entry.before is not None:
                self._by_label[entry.label] = entry.before

    def flush(self, epoch: int = 0) -> None:  # noqa: ARG002 - a shadow's ring, which is not under the write lock, looks
        """Make what was planned last, before the commit that uses it. `epoch`: how many erasures were known by then."""
        with self._lock:
            if self._planned:
                self._store.append(self._planned)
                self._planned, self._returning = [], frozenset()

    def settle(self) -> None:
        """Wait until what was flushed lasts in both copies. That the disk refused to sync one goes to `errors`."""
        with self._lock:
            refusal = self._store.settle()
        if refusal is not None:
            self.errors.append(refusal)

    def destroy(self, vaults: frozenset[VaultId]) -> bool:
        """Write the ring anew without these vaults, from a fresh read; False when none of them was there."""
        with self._lock:
            records = list(self._store.read())
            kept = [record for record in records if record.vault not in vaults]
            if len(kept) < len(records):
                self._store.rewrite(kept)
            self._begin_with(kept)
            return len(kept) < len(records)

    def mend(self) -> None:
        """Write both copies anew from what holds."""
        with self._lock:
            records = self._store.read()
            self._store.rewrite(records)
            self._begin_with(records)

    def stand(self, noted: bytes = b"") -> bytes:
        """How far it goes, for the log to keep; empty where that is not known. Where this process knows of nothing
        behind what it had `noted` there last, that: it is not written again, and need not be looked up on the disk.
        """
        if noted and noted == self._stood[1] and self._store.last_seen() == self._stood[0]:
            return noted
        stand = self._store.stand()
        if stand != self._stood[0]:
            self._stood = stand, b"" if stand is None else stand.encoded()
        return self._stood[1]

    def refuse_cut(self, kept: bytes) -> None:
        """KeyRingDamaged where the ring ends before where the log says that it went."""
        reached = stand_of(kept)
        if reached is not None:
            self._store.refuse_cut(reached)

    def damage(self) -> list[str]:
        """What is wrong with the ring's copies."""
        return self._store.damage()

    def close(self) -> None:
        """Let the files go."""
        self.settle()
        self._store.close()


class NoKeyRing(KeyRing):
    """In the place of a ring that is gone, or that cannot be read: for who looks at what needs no key. Whoever asks for
    one is told `why` there is none.
    """

    def __init__(self, why: str) -> None:
        super().__init__(MemoryRingStore())
        self.why = why

    def key(self, vault: VaultId) -> bytes:  # noqa: ARG002 - it has none at all
        raise KeyRingMissing(self.why)
