"""Records of the key ring that are lost in both copies: nothing is opened or written around them, and it is said."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from projections.decisions.meet import Account
from projections.registry import FOLD
from replay.backups.backing_up import back_up
from replay.backups.backup import Backup, look_over
from replay.backups.plan import keys_for, look_at, plan
from replay.backups.restore import restore
from replay.errors import KeyRingDamaged
from replay.folding import Folding
from replay.lmdb_log import LmdbLog
from replay.rewriting import rewrite
from replay.ring.file import FileRingStore
from replay.ring.keyring import KeyRing
from replay.ring.records import SIZE, Stand, stand_of
from replay.ring.wrapped import Cost, Wrapping
from replay.store import DiskStore
from replay.verify import verify
from tests.replay.keeping import ring as records_in
from tests.replay.stage import KIM, contents, digest, opened, says
from tests.world import NOW

WRAPPING = Wrapping("a b c d e f g h", Cost(1 << 4, 1, 1))


@pytest.fixture
def kept(data: Path) -> bytes:
    """The digest of some messages of two people that lie in `data`."""
    with opened(data) as engine:
        engine.record(says("m0"))
        engine.record(says("m1", who=KIM))
        engine.record(says("m2"))
        return digest(engine)


def change(data: Path, how: Callable[[bytes], bytes]) -> None:
    """Do it to both copies."""
    for name in ("ring-a", "ring-b"):
        path = data / "keys" / name
        path.write_bytes(how(path.read_bytes()))


def without(number: int) -> Callable[[bytes], bytes]:
    return lambda data: data[: (number - 1) * SIZE] + bytes(SIZE) + data[number * SIZE :]


def backed_up(data: Path, place: Path, wrapping: Wrapping | None) -> Backup:
    store = DiskStore(data, FOLD, writable=False)
    try:
        back_up(store, place, NOW, "none" if wrapping is None else wrapping)
    finally:
        store.close()
    return Backup(place)


def problems(data: Path) -> list[str]:
    """What opening for reading notices, and what verifying finds."""
    store = DiskStore(data, FOLD, writable=False)
    try:
        found = verify(store, Folding(FOLD, store)).problems
        return [*(each.what for each in store.findings), *(each.what for each in found)]
    finally:
        store.close()


@pytest.mark.parametrize("writable", [True, False])
def test_a_lost_record_opens_nothing_and_nothing_is_written(data: Path, kept: bytes, *, writable: bool) -> None:
    change(data, without(3))
    before = contents(data)
    with pytest.raises(KeyRingDamaged, match=r"1 record \(#3\) cannot be read in either copy"):
        opened(data, writable=writable)
    assert contents(data) == before


def test_a_ring_that_is_lost_while_it_is_open_takes_no_new_vault(data: Path, kept: bytes) -> None:
    with opened(data) as engine:
        change(data, lambda whole: without(2)(whole) + b"torn")
        with pytest.raises(KeyRingDamaged, match="#2"):
            engine.record(says("m3", who=Account("discord", "420000000000000099", "Newcomer")))
        assert engine.head().size == engine.live.folded
        assert isinstance(engine.store, DiskStore)
        assert any("#2" in each for each in engine.store.ring.damage())


def test_a_lost_end_opens_for_reading_alone(data: Path, kept: bytes) -> None:
    """Whether it was used, only the log knows."""
    change(data, lambda whole: whole[:-SIZE])
    before = contents(data)
    said = "in both copies its end is lost"
    with pytest.raises(KeyRingDamaged, match=said):
        opened(data)
    with opened(data, writable=False) as engine:
        assert isinstance(engine.store, DiskStore)
        assert [(said in each.what, each.mended) for each in engine.store.findings] == [(True, False)]
    assert sum(said in each for each in problems(data)) == 1
    assert contents(data) == before


def test_an_end_that_no_event_rests_on_is_an_append_that_was_cut_short(data: Path, kept: bytes) -> None:
    with opened(data) as engine:
        ring = engine.store.ring
        ring.labelled_vault("nobody uses it")
        ring.labelled_vault("nor this")
        ring.flush()
    change(data, lambda whole: whole[: -SIZE - 5])
    assert problems(data) != []
    with opened(data) as engine:
        assert digest(engine) == kept
        assert isinstance(engine.store, DiskStore)
        assert all(each.mended for each in engine.store.findings)
    assert problems(data) == []


def test_the_log_says_how_far_the_ring_goes(data: Path, kept: bytes) -> None:
    with opened(data) as engine:
        log, ring = engine.store.log, engine.store.ring
        reached = stand_of(log.ring())
        assert reached is not None
        assert reached.last == (data / "keys" / "ring-a").stat().st_size // SIZE
        engine.record(says("m3"))
        assert log.ring() == reached.encoded() == ring.stand()
        assert isinstance(engine.store, DiskStore)
        rewrite(engine.store)
        assert engine.store.log.ring() == reached.encoded()


def test_how_far_the_ring_goes_is_looked_up_once(data: Path, kept: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[FileRingStore] = []
    stand = FileRingStore.stand

    def counted(store: FileRingStore) -> Stand | None:
        looks.append(store)
        return stand(store)

    with opened(data) as engine:
        engine.record(says("m3"))
        monkeypatch.setattr(FileRingStore, "stand", counted)
        engine.record(says("m4"))
        engine.record(says("m5", who=KIM))
        assert not looks
        engine.record(says("m6", who=Account("discord", "300", "Tobi")))
        assert looks
        assert engine.store.log.ring() == engine.store.ring.stand()


def test_what_another_process_noted_of_the_ring_stays(data: Path, kept: bytes) -> None:
    with opened(data) as engine:
        engine.record(says("m3"))
        other, log = KeyRing.open(FileRingStore(data / "keys")), engine.store.log
        assert isinstance(log, LmdbLog)
        other.labelled_vault("of the other process")
        other.flush()
        other.settle()
        log.note_ring(other.stand())
        engine.record(says("m4"))
        assert log.ring() == other.stand()
        engine.record(says("m5", who=Account("discord", "300", "Tobi")))
        before, after = stand_of(other._stood[1]), stand_of(log.ring())
        assert before is not None
        assert after is not None
        assert before.is_within(after)
        assert before != after
        other.close()


def test_a_ring_that_was_written_anew_has_another_end(data: Path, kept: bytes) -> None:
    """Of how long it is, the log says nothing before its next commit."""
    with opened(data) as engine:
        engine.store.ring.mend()
        before = engine.store.log.ring()
        engine.store.ring.refuse_cut(before)
        engine.record(says("m3"))
        assert engine.store.log.ring() == engine.store.ring.stand() != before


def test_no_backup_takes_the_keys_of_a_ring_that_ends_too_early(data: Path, kept: bytes, tmp_path: Path) -> None:
    """It would replace those that it has."""
    backup = backed_up(data, tmp_path / "backup", WRAPPING)
    before = contents(backup.place)
    change(data, lambda whole: whole[:-SIZE])
    with pytest.raises(KeyRingDamaged):
        backed_up(data, tmp_path / "backup", WRAPPING)
    assert "keys.json" in before
    assert contents(backup.place) == before


def test_a_backup_that_has_the_keys_brings_lost_ones_back(data: Path, kept: bytes, tmp_path: Path) -> None:
    backup = backed_up(data, tmp_path / "backup", WRAPPING)
    whole = records_in(data)
    change(data, without(3))
    looked = look_over(backup)
    planned = plan(looked, look_at(data, backup), looked.backup.manifest.size)
    restore(planned, keys_for(planned, WRAPPING.passphrase), NOW)
    assert records_in(data) == whole
    with opened(data) as engine:
        assert digest(engine) == kept
    assert problems(data) == []


@pytest.mark.parametrize("has_keys", [True, False])
def test_a_restore_without_keys_does_not_pass_over_lost_ones(
    data: Path, kept: bytes, tmp_path: Path, *, has_keys: bool
) -> None:
    backup = backed_up(data, tmp_path / "backup", WRAPPING if has_keys else None)
    change(data, without(3))
    before = contents(data)
    looked = look_over(backup)
    planned = plan(looked, look_at(data, backup), looked.backup.manifest.size)
    with pytest.raises(KeyRingDamaged, match="Nothing was changed"):
        keys_for(planned, None if has_keys else WRAPPING.passphrase)
    assert contents(data) == before


def test_an_empty_folder_has_lost_nothing(data: Path, kept: bytes, tmp_path: Path) -> None:
    backup = backed_up(data, tmp_path / "backup", WRAPPING)
    shutil.rmtree(data)
    assert look_at(data, backup).loss == ""
