"""What a killed `backup` leaves, held against the log: at the kill, read whole, and restored."""

from collections.abc import Iterator
from itertools import starmap
from pathlib import Path
from typing import NamedTuple

from projections.registry import FOLD
from replay import codec
from replay.backups.backup import EVENTS, Backup, TakenBack, look_over, taken_back
from replay.backups.ledger import fact_of
from replay.backups.manifest import NAME
from replay.backups.pieces import content_of
from replay.builder import check
from replay.errors import LogError
from replay.folding import Folding
from replay.log import StoredEvent
from replay.store import DiskStore
from replay.verify import verify
from tests.proof.crashes.stood import NOTHING, Stood


class Kept(NamedTuple):
    """A backup as it lies there: how far it goes, None where there is none yet, and what is wrong with it."""

    stood: Stood | None
    wrong: tuple[str, ...] = ()


def glanced(place: Path, data: Path, least: Stood = NOTHING) -> Kept:
    """Its manifest, its ledger and the digests of its pieces, held against the log; `least` is how far a backup went
    that was there before, or was said to be made.
    """
    return _held(place, data, least, is_whole=False)


def read_whole(place: Path, data: Path, least: Stood = NOTHING) -> Kept:
    """The same, and every event of it."""
    return _held(place, data, least, is_whole=True)


def _held(place: Path, data: Path, least: Stood, *, is_whole: bool) -> Kept:
    if not (place / NAME).exists():
        return Kept(None, (f"there is none, and one of {least.size} events was",) if least.size else ())
    store = DiskStore(data, FOLD, writable=False)
    try:
        backup = Backup(place)
        wrong = [*_glanced(backup, store, least), *(_compared(backup, store) if is_whole else ())]
        return Kept(Stood(backup.manifest.size, bytes.fromhex(backup.manifest.root)), tuple(wrong))
    except LogError as error:
        return Kept(None, (str(error),))
    finally:
        store.close()


def _glanced(backup: Backup, store: DiskStore, least: Stood) -> Iterator[str]:
    """LogError where it is damaged."""
    manifest = backup.manifest
    stood = Stood(manifest.size, bytes.fromhex(manifest.root))
    if not stood.is_prefix_of(store):
        yield f"the log does not begin with its {stood.size} events"
    if stood.size < least.size:
        yield f"it has {stood.size} events, and had {least.size}"
    for piece in manifest.pieces:
        content_of(backup.place / EVENTS, piece)
    last = max((piece.last for piece in manifest.pieces), default=0)
    if last != stood.size:
        yield f"its pieces end at #{last}, and it at #{stood.size}"
    headers = ((stored, codec.decode_header(stored.header)) for stored in store.log.read(0))
    facts = [fact for fact in starmap(fact_of, headers) if fact is not None]
    known, expected = [fact.id for fact in backup.ledger.facts], [fact.id for fact in facts]
    if known != expected[: len(known)] or manifest.facts != sum(fact.seq <= stood.size for fact in facts):
        yield f"its ledger has {len(known)} facts, {manifest.facts} of them counted, and the log others"


def _compared(backup: Backup, store: DiskStore) -> Iterator[str]:
    gone = taken_back(look_over(backup).facts)
    yield from differing(backup.events(), store.log.read(0, backup.manifest.size), gone)


def differing(kept: Iterator[StoredEvent], logged: Iterator[StoredEvent], gone: TakenBack) -> Iterator[str]:
    """The events that are not as the log has them, or that have the words of what was taken back."""
    for ours, theirs in zip(kept, logged, strict=True):
        is_gone = gone.has(codec.decode_header(theirs.header))
        body = None if is_gone else theirs.body
        if (ours.seq, ours.header, ours.body) != (theirs.seq, theirs.header, body):
            yield f"#{ours.seq} has {'words that were taken back' if is_gone and ours.body else 'other bytes'}"


def restored(folder: Path, data: Path, backed_up: Stood) -> Kept:
    """A memory that a backup of all of the log was restored into: the same events, the same rows, every byte sound."""
    here, there = (DiskStore(each, FOLD, writable=False) for each in (data, folder))
    try:
        stood, looked = Stood.of(there), (check(here, FOLD), check(there, FOLD))
        wrong = [f"#{each.seq} {each.what}" for each in verify(there, Folding(FOLD, there), opened=True).problems]
        if not (stood == Stood.of(here) == backed_up):
            wrong.append(f"it has {stood.size} events of {backed_up.size} in the backup, and not the log's")
        elif not (looked[1].equal and looked[0].live == looked[1].live):
            wrong.append("its rows are not the log's")
        return Kept(stood, tuple(wrong))
    finally:
        here.close()
        there.close()
