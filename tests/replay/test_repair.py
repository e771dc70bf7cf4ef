"""Repairing: what is damaged comes from a backup of the same log, what was dropped stays dropped."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import lmdb
import pytest

from projections.registry import FOLD
from replay.backups.backup import Backup, look_over
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import Damaged, ForeignBackup
from replay.folding import Folding
from replay.history import seq_key
from replay.lmdb_log import LmdbLog
from replay.log import StoredEvent
from replay.repair import repairing
from replay.repair.repairing import Examined, examine, repair, unproved
from replay.store import DiskStore
from replay.verify import Problem, verify
from tests.replay.keeping import backed_up, damage, record, redacts, settings, sound, stored_body, talk
from tests.replay.stage import KIM, FakeClock, contents, drafts, event_id, handle_of, log_folder, setting, texts


def repaired(data: Path, place: Path) -> Examined:
    """Repair as the command does it."""
    store = DiskStore(data, FOLD, writable=True)
    try:
        return repair(store, look_over(Backup(place)).backup)
    finally:
        store.close()


def examined(data: Path, place: Path) -> Examined:
    store = DiskStore(data, FOLD, writable=False)
    try:
        return examine(store.log, look_over(Backup(place)).backup)
    finally:
        store.close()


def problems(data: Path) -> tuple[Problem, ...]:
    store = DiskStore(data, FOLD, writable=False)
    try:
        return verify(store, Folding(FOLD, store)).problems
    finally:
        store.close()


def parts(found: Examined) -> list[tuple[int, str, bool]]:
    return [(each.seq, each.part, each.can) for each in found.repairs]


def events_in(data: Path) -> list[StoredEvent]:
    store = DiskStore(data, FOLD, writable=False)
    events = list(store.log.read(0))
    store.close()
    return events


@pytest.mark.parametrize("at", [0, 1, 9, 40, -1])
def test_a_flipped_byte_in_a_header_is_repaired(data: Path, place: Path, at: int) -> None:
    talk(data)
    backed_up(data, place)
    whole = events_in(data)
    damage(data, b"headers", seq_key(4), at)
    assert 4 in {each.seq for each in problems(data)}
    assert (4, "header", True) in parts(examined(data, place))
    assert (4, "header", True) in parts(repaired(data, place))
    assert events_in(data) == whole
    assert sound(data) == len(whole)


def test_a_flipped_byte_in_a_body_is_repaired(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    whole = events_in(data)
    damage(data, b"bodies", seq_key(5))
    assert [each.seq for each in problems(data)] == [5]
    assert parts(repaired(data, place)) == [(5, "body", True)]
    assert events_in(data) == whole
    sound(data)


def test_rows_that_are_missing_are_repaired(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    whole = events_in(data)
    damage(data, b"headers", seq_key(2), None)
    damage(data, b"bodies", seq_key(5), None)
    damage(data, b"headers", seq_key(len(whole)), None)
    found = repaired(data, place)
    assert {(2, "header", True), (5, "body", True), (len(whole), "header", True)} <= set(parts(found))
    assert events_in(data) == whole
    sound(data)


def test_what_was_mended_of_the_key_ring_is_told(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    os.truncate(data / "keys" / "ring-b", 20)
    damaged = [each.what for each in problems(data)]
    assert len(damaged) == 2
    assert all(each.startswith("key ring: ") for each in damaged)
    found = repaired(data, place)
    assert parts(found) == [(0, "ring", True)] * 2
    assert sorted(each.what for each in found.repairs) == damaged
    assert (data / "keys" / "ring-b").read_bytes() == (data / "keys" / "ring-a").read_bytes()
    assert parts(repaired(data, place)) == []
    sound(data)


@pytest.mark.parametrize("at", [None, 3, -1])
def test_an_entry_of_the_id_table_is_made_again(data: Path, place: Path, at: int | None) -> None:
    settings(data, 0, 20)
    backed_up(data, place)
    damage(data, b"ids", event_id("0 6"), at)
    assert problems(data)
    found = repaired(data, place)
    assert parts(found) == [(7, "id", True)]
    with Engine.open(data, writable=False) as engine:
        assert engine.store.log.find(event_id("0 6")) == 7
    sound(data)


def test_what_follows_from_the_headers_is_made_again(data: Path, place: Path) -> None:
    settings(data, 0, 600)
    record(data, redacts("0 1"))
    with Engine.open(data, clock=FakeClock()) as engine:
        engine.record(lambda rows: [])
    backed_up(data, place)
    damage(data, b"tree", bytes([8]) + seq_key(1))
    assert problems(data)
    assert repaired(data, place).repairs == ()
    sound(data)


def test_an_erasure_s_list_is_made_again(data: Path, place: Path) -> None:
    talk(data)
    with Engine.open(data, clock=FakeClock()) as engine:
        erased = erase(engine, handle_of(engine, KIM))
    assert erased is not None
    backed_up(data, place)
    gone = [each.seq for each in Backup(place).events() if each.body is None]
    damage(data, b"erased", erased.vaults[0], None)
    damage(data, b"bodies", seq_key(gone[0]))
    assert problems(data)
    assert repaired(data, place).repairs == ()
    assert events_in(data)[gone[0] - 1].body is None
    with Engine.open(data, writable=False) as engine:
        assert engine.store.log.erased_vaults() == set(erased.vaults)
        assert texts(engine) == ["word 0", "word 2", "word 4", "word 6"]
    sound(data)


def test_what_was_dropped_stays_dropped(data: Path, place: Path, folder: Path) -> None:
    """An older backup still has the bodies."""
    settings(data, 0, 20)
    backed_up(data, place)
    body = stored_body(data, 3)
    record(data, redacts("0 2"))
    damage(data, b"bodies", seq_key(9))
    found = repaired(data, place)
    assert parts(found) == [(9, "body", True)]
    events = events_in(data)
    assert (events[2].body, events[8].body is None) == (None, False)
    assert body not in b"".join(contents(data / "log").values())
    sound(data)


def test_where_the_log_s_word_on_it_is_lost_nothing_that_is_missing_is_fetched(data: Path, place: Path) -> None:
    """The redaction's own body is damaged, and no backup has it: whether #3 was dropped is not known."""
    settings(data, 0, 20)
    backed_up(data, place)
    record(data, redacts("0 2"))
    damage(data, b"bodies", seq_key(21))
    damage(data, b"bodies", seq_key(9))
    found = repaired(data, place)
    assert parts(found) == [(3, "body", False), (9, "body", True), (21, "body", False)]
    assert events_in(data)[2].body is None
    assert {each.seq for each in problems(data)} == {3, 21}


def test_what_the_ledger_knows_to_be_dropped_is_not_fetched(data: Path, place: Path, folder: Path) -> None:
    settings(data, 0, 20)
    backed_up(data, place)
    shutil.copytree(place, folder / "older")
    shutil.copytree(data, folder / "copy")
    record(data, redacts("0 2"))
    backed_up(data, place)
    shutil.copy(place / "ledger", folder / "older" / "ledger")
    damage(folder / "copy", b"bodies", seq_key(3), None)
    assert parts(examined(folder / "copy", folder / "older")) == [(3, "body", False)]


def test_a_body_that_the_backup_lacks_is_told_and_the_rest_repaired(data: Path, place: Path) -> None:
    settings(data, 0, 20)
    backed_up(data, place)
    record(data, drafts(setting("later"), name="later"))
    for seq in (5, 21):
        damage(data, b"bodies", seq_key(seq))
    found = repaired(data, place)
    assert parts(found) == [(5, "body", True), (21, "body", False)]
    assert [each.seq for each in problems(data)] == [21]


@pytest.mark.parametrize("at", [8, None, 0])
def test_a_header_that_the_backup_lacks_changes_nothing(data: Path, place: Path, at: int | None) -> None:
    settings(data, 0, 20)
    backed_up(data, place)
    record(data, drafts(setting("later"), name="later"))
    damage(data, b"bodies", seq_key(5))
    damage(data, b"headers", seq_key(21), at)
    before = contents(data / "log")
    with pytest.raises(Damaged, match="#21, which this backup of 20 events does not have"):
        repaired(data, place)
    assert contents(data / "log") == before


def test_another_history_is_told(data: Path, place: Path, folder: Path) -> None:
    settings(data, 0, 10)
    shutil.copytree(data, folder / "copy")
    settings(data, 100, 110)
    backed_up(data, place)
    settings(folder / "copy", 200, 210, size=30)
    found = examined(folder / "copy", place)
    assert not found.proved
    assert "is of another history" not in unproved(found, Backup(place)) or found.repairs
    with pytest.raises(Damaged, match="Nothing was changed"):
        repaired(folder / "copy", place)
    assert sound(folder / "copy") == 20


def test_a_record_of_the_tree_that_is_damaged_is_told(data: Path, place: Path) -> None:
    settings(data, 0, 10)
    backed_up(data, place)
    damage(data, b"meta", b"log", -3)
    with pytest.raises(Damaged, match="own record of its tree"):
        repaired(data, place)


def test_another_log_is_refused(data: Path, place: Path, folder: Path) -> None:
    talk(data)
    talk(folder / "other")
    backed_up(folder / "other", place)
    with pytest.raises(ForeignBackup):
        repaired(data, place)


def test_a_large_log_is_repaired_in_parts(data: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batch, size = 512, 600
    monkeypatch.setattr(repairing, "BATCH", batch)
    settings(data, 0, size, size=10)
    backed_up(data, place)
    for seq in (10, batch, batch + 1, size):
        damage(data, b"headers", seq_key(seq), 8)
    store = DiskStore(data, FOLD, writable=True)
    called: list[tuple[int, int]] = []
    looked: list[tuple[int, int]] = []
    source = look_over(Backup(place)).backup
    examine(store.log, source, lambda *each: looked.append(each))
    repair(store, source, lambda *each: called.append(each))
    store.close()
    assert called == looked == [(batch, size), (size, size)]
    assert sound(data) == size


def test_a_copy_that_differs_is_thrown_away(data: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings(data, 0, 10)
    backed_up(data, place)
    damage(data, b"bodies", seq_key(5))
    before = contents(data / "log")
    mended, calls = repairing._mended, 0

    def other(log: LmdbLog, backup: Backup, found: Examined, size: int) -> Iterator[StoredEvent]:
        nonlocal calls
        calls += 1
        events = list(mended(log, backup, found, size))
        return iter(events if calls == 1 else events[:-1])

    monkeypatch.setattr(repairing, "_mended", other)
    with pytest.raises(Damaged, match="differs from what was meant"):
        repaired(data, place)
    assert contents(data / "log") == before


def test_a_row_of_no_event_is_left_behind(data: Path, place: Path) -> None:
    settings(data, 0, 10)
    backed_up(data, place)
    folder = log_folder(data)
    with lmdb.open(str(folder), max_dbs=9) as environment:
        headers = environment.open_db(b"headers", create=False)
        with environment.begin(write=True, db=headers) as transaction:
            transaction.put(seq_key(0), b"\x98")
    damage(data, b"bodies", seq_key(5))
    repaired(data, place)
    assert sound(data) == 10
