"""What restoring a backup would mean: what lies in the folder, which events come back, which facts are recorded anew
behind them, and which keys it takes. Nothing is changed here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from projections.counting import counted
from projections.ids import UNSEALED, VaultId
from replay import codec
from replay.backups.backup import Backup, Looked, TakenBack, taken_back
from replay.backups.ledger import Fact, fact_of
from replay.backups.sealed_facts import unopened
from replay.errors import (
    DamagedBackup,
    ForeignBackup,
    ForeignKeyRing,
    HeadMoved,
    KeyMissing,
    KeyRingDamaged,
    LogError,
    NotALog,
)
from replay.folder import Folder
from replay.in_use import refuse_in_use
from replay.lmdb_log import LmdbLog
from replay.log import EMPTY, Head
from replay.ring.file import FileRingStore
from replay.ring.keyring import KeyRing
from replay.ring.records import RingRecord
from replay.ring.store import MemoryRingStore
from replay.ring.wrapped import NAME as KEYS
from replay.ring.wrapped import read_wrapped, unwrapped
from replay.sealer import Sealer
from replay.which_log import databases, in_force_or_only, opened

# -- what is there -------------------------------------------------------------------------------------------------


class Target(NamedTuple):
    """The folder to restore into, as it was found: its log, its facts, its ring.

    `events` is how many its log has: None where there is none, -1 where it cannot be read; `facts_known` is whether all
    that it took back could be read. `loss` says what of the ring is lost; empty where nothing is.
    """

    path: Path
    events: int | None
    facts: tuple[Fact, ...]
    facts_known: bool
    ring: tuple[RingRecord, ...]
    loss: str = ""


UNREADABLE = -1


def look_at(path: Path, backup: Backup) -> Target:
    """What lies in a folder. InUse when somebody has it open; ForeignBackup or ForeignKeyRing when it is another log's.

    Changes nothing.
    """
    refuse_in_use(path)
    place = Folder(path / "log")
    if path.exists() and not path.is_dir():
        raise NotALog(f"{path} is no data folder of dnam: choose an empty folder")
    current = _log_in(place)
    ring, loss = _ring_in(path, backup)
    if current is None and not databases(place):
        if place.strangers():
            raise NotALog(f"{path} is no data folder of dnam: choose an empty folder")
        return Target(path, None, (), True, ring, loss)
    log = None if current is None else opened(current, every_page=True)
    if log is None:
        return Target(path, UNREADABLE, (), False, ring, loss)
    try:
        if log.id != backup.log_id:
            raise ForeignBackup(
                f"the log in {path} is another one than the backup's: {log.id.hex()}, not {backup.manifest.log}. "
                "Restore into an empty folder"
            )
        facts, known = _facts_in(log)
        return Target(path, log.head().size, tuple(facts), known, ring, loss)
    finally:
        log.close()


def _log_in(place: Folder) -> Path | None:
    """Where the log lies that is to be replaced. Where CURRENT is damaged and there is not one log alone, nothing says
    it: all that lies there is moved aside then.
    """
    try:
        return in_force_or_only(place)
    except NotALog:
        return None


def log_in(path: Path) -> LmdbLog | None:
    """The log of a data folder that is to be replaced, for reading; None where there is none, or it cannot be read."""
    current = _log_in(Folder(path / "log"))
    return None if current is None else opened(current, every_page=True)


def _ring_in(path: Path, backup: Backup) -> tuple[tuple[RingRecord, ...], str]:
    """The ring's records, and what of it is lost."""
    store, loss = FileRingStore(path / "keys"), ""
    try:
        if not store.exists():
            return (), ""
        records = store.read()
    except KeyRingDamaged as error:
        records, loss = store.left(), str(error)
    finally:
        store.close()
    if records and ring_of(records).check(backup.log_id) != backup.key_check:
        raise ForeignKeyRing(f"the key ring in {path / 'keys'} belongs to another log. Restore into an empty folder")
    return tuple(records), loss


def ring_of(records: Sequence[RingRecord]) -> KeyRing:
    """A ring in memory."""
    store = MemoryRingStore()
    store.create(records)
    return KeyRing.open(store)


def _facts_in(log: LmdbLog) -> tuple[list[Fact], bool]:
    """What a log takes back, and whether that is all: its headers may be damaged."""
    facts: list[Fact] = []
    known, expected = True, 1
    for stored in log.read(0):
        known = known and stored.seq == expected
        expected = stored.seq + 1
        try:
            fact = fact_of(stored, codec.decode_header(stored.header))
        except LogError:
            known = False
        else:
            facts += [] if fact is None else [fact]
    return facts, known and expected == log.head().size + 1


# -- what will be done ---------------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """A restore that can be done: up to which event, and which facts are recorded anew behind it.

    `gone` is everything that is known to have been taken back; `lacking` are vaults whose keys are not in the ring
    that is in place.
    """

    looked: Looked
    target: Target
    size: int
    again: tuple[Fact, ...]
    gone: TakenBack
    lacking: frozenset[VaultId]


def plan(looked: Looked, target: Target, size: int) -> Plan:
    """What restoring the first `size` events means."""
    known = {fact.id: fact for fact in (*looked.all_facts(), *target.facts)}
    facts = list(known.values())
    inside = {fact.id for fact in looked.facts if fact.seq <= size}
    gone = taken_back(facts)
    wanted = {vault for vault, first in looked.vaults.items() if first <= size} - gone.vaults - {UNSEALED}
    lacking = wanted - {VaultId(record.vault) for record in target.ring}
    again = sorted((fact for fact in facts if fact.id not in inside), key=lambda fact: fact.header.at)
    return Plan(looked, target, size, tuple(again), gone, frozenset(lacking))


def keys_for(plan: Plan, passphrase: str | None) -> list[RingRecord]:
    """The ring to go on with: what is in place, and what the backup has under the passphrase.

    KeyMissing when keys are still lacking, WrongPassphrase when it does not open them, KeyRingDamaged where some of the
    ring is lost and the backup has none: it may be whom a vault lists.
    """
    backup = plan.looked.backup
    if plan.target.loss and (passphrase is None or not backup.manifest.keys):
        raise KeyRingDamaged(f"{plan.target.loss}. Nothing was changed")
    records = list(plan.target.ring)
    if passphrase is not None and backup.manifest.keys:
        records += unwrapped(backup.place / KEYS, passphrase, backup.manifest.log)
    kept = [each for each in dict.fromkeys(records) if each.vault not in plan.gone.vaults]
    lacking = plan.lacking - {VaultId(record.vault) for record in kept}
    if not kept or lacking:
        hint = (
            "the backup has keys, which its passphrase opens"
            if backup.manifest.keys
            else f"the backup has none: put the `keys` folder back into {plan.target.path} from where you keep it"
        )
        raise KeyMissing(f"the keys of {counted(len(lacking), 'vault')} are missing; {hint}. Nothing was changed")
    if ring_of(kept).check(backup.log_id) != backup.key_check:
        raise ForeignKeyRing(f"the keys in {backup.place} belong to another log. Nothing was changed")
    return kept


def unopened_since(plan: Plan, keys: Sequence[RingRecord]) -> Mapping[str, int]:
    """What the restore loses unread: how many events of each kind by which something may have been forgotten, kept
    private or set to be kept less lie in the log that is replaced, not in what is restored, and do not open with these
    keys. By tag, in its order; empty where there is no log, or it cannot be read.
    """
    old = log_in(plan.target.path)
    if old is None:
        return {}
    try:
        locked = {header.id: header.tag for header in unopened(old, Sealer(ring_of(keys)), plan.gone)}
    finally:
        old.close()
    for stored in plan.looked.backup.events() if locked else ():
        if stored.seq > plan.size:
            break
        locked.pop(codec.decode_header(stored.header).id, None)
    return dict(sorted(Counter(locked.values()).items()))


def check_keys(looked: Looked, passphrase: str | None) -> bool:
    """Whether the keys in a backup were opened; without its passphrase they are only held against their own digest.

    DamagedBackup when they are not what was written, or do not open what is in it; WrongPassphrase.
    """
    backup, path = looked.backup, looked.backup.place / KEYS
    if not backup.manifest.keys:
        return False
    if passphrase is None:
        read_wrapped(path)
        return False
    records = unwrapped(path, passphrase, backup.manifest.log)
    if not records or ring_of(records).check(backup.log_id) != backup.key_check:
        raise DamagedBackup(f"the keys in {path} belong to another log")
    gone = taken_back(looked.all_facts()).vaults
    lacking = set(looked.vaults) - gone - {UNSEALED} - {VaultId(record.vault) for record in records}
    if lacking:
        raise DamagedBackup(f"{path} lacks the keys of {counted(len(lacking), 'vault')} whose events are in the backup")
    return True


# -- and that it still is so ---------------------------------------------------------------------------------------


def _head_in(path: Path) -> Head | None:
    """Where the log in force ends; None where there is none, or it cannot be read."""
    log = log_in(path)
    if log is None:
        return None
    try:
        return log.head()
    finally:
        log.close()


def refuse_moved(target: Target) -> Head:
    """The log in force, as it was when the plan was made. HeadMoved when somebody wrote to it since."""
    head = _head_in(target.path)
    if target.events != UNREADABLE and (None if head is None else head.size) != target.events:
        raise HeadMoved(f"somebody wrote to the log in {target.path} meanwhile: look again. Nothing was changed")
    return head or EMPTY
