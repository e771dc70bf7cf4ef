"""Restoring: an older state is put in force as a log of its own; nothing comes back that is known to be taken back."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from projections.consent import ERASED, OPTED_OUT
from projections.decisions.meet import Account
from projections.errors import BadRequest
from projections.events import ErasureCompleted, ImportBegan, MessageRedacted, PersonErased, PersonOptedOut
from projections.events.values import OPERATOR
from projections.ids import VaultId
from projections.registry import FOLD
from replay import codec, lmdb_file, which_log
from replay.backups import plan as restore_plan
from replay.backups import restore as restoring
from replay.backups.backing_up import Keys
from replay.backups.backup import Backup, Wanted, look_over, seq_of
from replay.backups.plan import UNREADABLE, check_keys, keys_for, look_at, plan
from replay.backups.restore import REPLACED, Restored, restore
from replay.checkpoint import origin_of, read_signer, sign
from replay.engine import Engine
from replay.erasure import erase, finish_erasures
from replay.errors import (
    Busy,
    CannotWrite,
    Damaged,
    DamagedBackup,
    ForeignBackup,
    ForeignKeyRing,
    HeadMoved,
    InUse,
    KeyMissing,
    NewerLog,
    NotALog,
    ReadOnly,
    WrongPassphrase,
)
from replay.folder import Folder
from replay.in_use import users
from replay.lock import WriteLock
from replay.ring.file import FileRingStore
from replay.ring.wrapped import NAME, wrapped
from replay.store import DiskStore
from tests.generator import fixed_story
from tests.replay.keeping import (
    PASSPHRASE,
    WRAPPED,
    backed_up,
    damage,
    damage_a_leaf,
    looks_well,
    pieces,
    record,
    redacts,
    ring,
    settings,
    sound,
    talk,
)
from tests.replay.mounting import mounting
from tests.replay.stage import (
    ADA,
    KIM,
    ROOT,
    FakeClock,
    child,
    contents,
    drafts,
    event_id,
    finished,
    handle_of,
    line,
    log_folder,
    says,
    setting,
    tell,
    texts,
)
from tests.world import NOW

LATER = NOW + 60_000


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restoring, "PATIENCE", 0.1)


def restored(place: Path, data: Path, size: int | None = None, passphrase: str | None = None) -> Restored:
    """Restore as the command does it."""
    looked = look_over(Backup(place))
    chosen = looked.backup.manifest.size if size is None else size
    planned = plan(looked, look_at(data, looked.backup), chosen)
    return restore(planned, keys_for(planned, passphrase), LATER)


def words(data: Path) -> list[str]:
    with Engine.open(data, writable=False) as engine:
        return texts(engine)


def erased_in(data: Path, who: Account = KIM) -> PersonErased:
    with Engine.open(data, clock=FakeClock(LATER)) as engine:
        erased = erase(engine, handle_of(engine, who))
    assert erased is not None
    return erased


def tags(data: Path) -> list[str]:
    with Engine.open(data, writable=False) as engine:
        return [codec.decode_header(stored.header).tag for stored in engine.store.log.read(0)]


# -- its keys, looked at alone --------------------------------------------------------------------------------------


def test_the_keys_of_a_backup_are_checked_as_far_as_can_be(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    assert not check_keys(look_over(Backup(place)), PASSPHRASE), "there are none"
    backed_up(data, folder / "with", WRAPPED)
    looked = look_over(Backup(folder / "with"))
    assert not check_keys(looked, None)
    assert check_keys(looked, PASSPHRASE)
    with pytest.raises(WrongPassphrase):
        check_keys(looked, "another one")
    (folder / "with" / NAME).unlink()
    with pytest.raises(DamagedBackup, match=NAME):
        check_keys(looked, None)


def test_keys_that_do_not_fit_a_backup_are_damage(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place, WRAPPED)
    looked = look_over(Backup(place))
    own = ring(data)
    talk(folder / "other")
    others = {
        f"{NAME} belong to another log": ring(folder / "other"),
        "lacks the keys of ": {each for each in own if VaultId(each.vault) not in looked.vaults},
    }
    for why, records in others.items():
        (place / NAME).write_bytes(wrapped(records, WRAPPED, looked.backup.manifest.log))
        with pytest.raises(DamagedBackup, match=why):
            check_keys(looked, PASSPHRASE)


# -- where CURRENT does not say which log it is ---------------------------------------------------------------------


def name_in_current(data: Path, current: str | None) -> None:
    (data / "log" / "CURRENT").unlink()
    if current is not None:
        (data / "log" / "CURRENT").write_text(current)


@pytest.mark.parametrize("current", ["000003\n", "nowhere\n", "\n", None])
def test_a_log_that_current_does_not_name_lies_aside_too(data: Path, place: Path, current: str | None) -> None:
    talk(data)
    backed_up(data, place)
    talk(data, 8, 12)
    before, size = contents(data / "log"), len(tags(data))
    name_in_current(data, current)
    assert look_at(data, Backup(place)).events == size
    done = restored(place, data)
    assert done.replaced is not None
    assert contents(done.replaced / "log") == before  # CURRENT too: moved back, it is in force again
    assert words(data) == [f"word {n}" for n in range(8)]
    sound(data)


@pytest.mark.parametrize("current", ["000003\n", "nowhere\n", None])
def test_every_database_lies_aside_where_it_is_not_known_which_is_the_log(
    data: Path, place: Path, current: str | None
) -> None:
    talk(data)
    backed_up(data, place)
    shutil.copytree(data / "log" / "000001", data / "log" / "000002")
    name_in_current(data, current)
    before = contents(data / "log")
    assert look_at(data, Backup(place)).events == UNREADABLE
    done = restored(place, data)
    assert done.replaced is not None
    assert contents(done.replaced / "log") == before
    assert words(data) == [f"word {n}" for n in range(8)]


def test_what_the_log_took_back_stays_so_where_current_does_not_name_it(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    erased_in(data)
    name_in_current(data, None)
    assert restored(place, data).again == 1
    assert PersonErased.TAG in tags(data)


# -- what comes back -----------------------------------------------------------------------------------------------


def test_a_backup_with_keys_opens_in_an_empty_folder(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place, WRAPPED)
    done = restored(place, folder / "new", passphrase=PASSPHRASE)
    assert (done.again, done.replaced) == (0, None)
    assert words(folder / "new") == words(data)
    assert sound(folder / "new") == done.size == done.events
    assert ring(folder / "new") == ring(data)
    assert not (folder / "new" / REPLACED).exists()


def test_the_ring_that_is_in_place_opens_a_backup_without_keys(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    shutil.copytree(data / "keys", folder / "new" / "keys")
    restored(place, folder / "new")
    assert words(folder / "new") == words(data)
    sound(folder / "new")


def test_the_log_that_was_there_lies_aside_and_can_be_put_back(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    talk(data, 8, 12)
    before, ring_before = contents(data / "log"), ring(data)
    done = restored(place, data)
    assert done.replaced == data / REPLACED / "000001"
    assert words(data) == [f"word {n}" for n in range(8)]
    assert contents(done.replaced / "log") == before
    assert ring(data) >= ring_before
    sound(data)
    shutil.rmtree(data / "log")
    shutil.rmtree(data / "views")
    (done.replaced / "log").rename(data / "log")
    with Engine.open(data):
        pass
    assert words(data) == [f"word {n}" for n in range(12)]
    sound(data)


def test_every_restore_keeps_what_it_replaced(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    found = [restored(place, data).replaced for _ in range(2)]
    assert found == [data / REPLACED / f"{n:06}" for n in (1, 2)]


def test_a_disk_without_second_names_gets_a_copy(data: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(data)
    backed_up(data, place)
    before = contents(data / "log")

    def no_links(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    done = restored(place, data)
    assert done.replaced is not None
    assert contents(done.replaced / "log") == before


def test_it_goes_on_as_a_log_of_its_own(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    store = DiskStore(data, FOLD, writable=True)
    sign(store)
    store.close()
    signed = contents(data / "keys")["checkpoint-key"]
    done = restored(place, data)
    log_id = bytes.fromhex(Backup(place).manifest.log)
    signer = read_signer(data / "keys", log_id)
    assert signer is not None
    assert signer.name == done.origin
    assert done.origin.startswith(origin_of(log_id) + "/")
    assert done.replaced is not None
    assert contents(done.replaced / "keys")["checkpoint-key"] == signed
    talk(data, 20, 22)
    sound(data)


def test_what_is_restored_whole_can_be_backed_up_to_the_same_place(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    shutil.rmtree(data / "log")
    restored(place, data)
    talk(data, 8, 10)
    assert backed_up(data, place).new == 2
    assert looks_well(place) == sound(data)


# -- up to a moment ------------------------------------------------------------------------------------------------


def test_a_moment_is_a_seq_a_time_or_the_last_import(data: Path, place: Path) -> None:
    record(data, drafts(*(setting(f"{n}", key=f"a{n}") for n in range(4)), name="a"))
    began = ImportBegan(said=NOW, by=OPERATOR, formats=("discord",))
    record(data, drafts(began, setting("b"), name="b"), now=NOW + 10)
    record(data, drafts(setting("c"), name="c"), now=NOW + 20)
    backed_up(data, place)
    looked = look_over(Backup(place))
    asked: list[tuple[Wanted, int]] = [
        (Wanted(), 7),
        (Wanted(seq=2), 4),
        (Wanted(seq=7), 7),
        (Wanted(ms=NOW), 4),
        (Wanted(ms=NOW + 9), 4),
        (Wanted(ms=NOW + 10), 6),
        (Wanted(ms=NOW + 10_000), 7),
        (Wanted(last_import=True), 4),
    ]
    assert [seq_of(looked, wanted) for wanted, _ in asked] == [seq for _, seq in asked]
    refused = [
        (Wanted(ms=NOW - 1), "nothing was recorded"),
        (Wanted(seq=0), "nothing was recorded"),
        (Wanted(seq=8), "it ends at #7"),
    ]
    for wanted, said in refused:
        with pytest.raises(BadRequest, match=said):
            seq_of(looked, wanted)


def test_no_import_is_no_moment(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    with pytest.raises(BadRequest, match="nothing was ever imported"):
        seq_of(look_over(Backup(place)), Wanted(last_import=True))


def test_up_to_a_moment_is_the_log_as_it_was(data: Path, folder: Path, place: Path) -> None:
    talk(data, last=4)
    size = sound(data)
    shutil.copytree(data, folder / "then")
    talk(data, 4, 8)
    backed_up(data, place)
    done = restored(place, data, size)
    assert (done.events, done.size) == (size, size)
    assert words(data) == [f"word {n}" for n in range(4)]
    with Engine.open(folder / "then", writable=False) as then, Engine.open(data, writable=False) as now:
        assert now.head().root() == then.head().root()
        assert now.head().epoch > then.head().epoch
    sound(data)


def test_a_large_log_comes_back_in_parts(data: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replay.backups.restore.BATCH", 400)
    settings(data, 0, 1_500, size=10)
    backed_up(data, place)
    called: list[tuple[int, int]] = []
    looked = look_over(Backup(place))
    planned = plan(looked, look_at(data, looked.backup), 1_000)
    restore(planned, keys_for(planned, None), LATER, lambda *each: called.append(each))
    assert called[:3] == [(400, 1_000), (800, 1_000), (1_000, 1_000)]
    assert sound(data) == 1_000


# -- what does not come back ---------------------------------------------------------------------------------------


def test_an_erasure_after_the_moment_is_done_again(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    size = sound(data)
    backed_up(data, place, WRAPPED)
    erased = erased_in(data)
    backed_up(data, place, WRAPPED)
    done = restored(place, folder / "new", size, PASSPHRASE)
    assert done.again == 1
    assert words(folder / "new") == ["word 0", "word 2", "word 4", "word 6"]
    assert tags(folder / "new")[size:] == [PersonErased.TAG, ErasureCompleted.TAG]
    assert not {each.vault for each in ring(folder / "new")} & set(erased.vaults)
    with Engine.open(folder / "new", clock=FakeClock(LATER)) as engine:
        assert engine.record(says("m99", "older words", KIM, said=NOW)).records == ()
        with engine.reading() as rows:
            assert len(list(rows.scan(ERASED))) == 1
    sound(folder / "new")


def test_every_erasure_after_the_moment_is_completed(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    size = sound(data)
    kim = erased_in(data)
    record(data, says("m9", "word 9", ADA, said=NOW + 9), now=LATER)
    ada = erased_in(data, ADA)
    backed_up(data, place, WRAPPED)
    assert restored(place, folder / "new", size, PASSPHRASE).again == 2
    assert tags(folder / "new")[size:] == [PersonErased.TAG] * 2 + [ErasureCompleted.TAG] * 2
    with Engine.open(folder / "new", writable=False) as engine:
        named = dict(engine.store.log.erasures())
    assert {seq for vault, seq in named.items() if vault in ada.vaults} == {size + 2}
    assert {seq for vault, seq in named.items() if vault in kim.vaults} <= {size + 1, size + 2}
    assert words(folder / "new") == []
    sound(folder / "new")


def test_an_older_state_of_the_place_beside_its_newest_ledger(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place, WRAPPED)
    shutil.copytree(place, folder / "older")
    erased_in(data)
    record(data, says("secret", "a secret", ADA, said=LATER), now=LATER)
    backed_up(data, place, WRAPPED)
    shutil.copy(place / "ledger", folder / "older" / "ledger")
    done = restored(folder / "older", folder / "new", passphrase=PASSPHRASE)
    assert done.again == 1
    assert words(folder / "new") == ["word 0", "word 2", "word 4", "word 6"]
    sound(folder / "new")


def test_a_redaction_after_the_moment_is_done_again(data: Path, place: Path) -> None:
    record(data, drafts(setting("one"), setting("two"), name="a"))
    record(data, drafts(setting("three"), name="b"))
    record(data, redacts("a 0", "b 0", name="r"), now=LATER)
    record(data, drafts(setting("four"), name="c"), redacts("c 0", name="r2"), now=LATER)
    backed_up(data, place)
    done = restored(place, data, 2)
    assert (done.events, done.again, done.size) == (2, 1, 3)
    with Engine.open(data, writable=False) as engine:
        stored = list(engine.store.log.read(0))
        assert [each.body is None for each in stored] == [True, False, False]
        event = engine.live.folding.record_at(3)
    assert event is not None
    assert isinstance(event.event, MessageRedacted)
    assert len(event.event.events) == 1
    header = codec.decode_header(stored[2].header)
    assert (header.tag, header.left, header.at) == (MessageRedacted.TAG, 0, LATER)
    sound(data)


def test_a_redaction_rests_on_what_is_there(data: Path, place: Path) -> None:
    record(data, drafts(setting("one"), name="a"), drafts(setting("two"), name="b"))
    causes = (event_id("a 0"), event_id("b 0"))
    gone = MessageRedacted(said=NOW, by=OPERATOR, causes=causes, events=(event_id("a 0"),))
    record(data, drafts(gone, name="r"))
    backed_up(data, place)
    restored(place, data, 1)
    with Engine.open(data, writable=False) as engine:
        event = engine.live.folding.record_at(2)
    assert event is not None
    assert event.event.causes == (event_id("a 0"),)


def test_who_opted_out_since_stays_out(data: Path, place: Path) -> None:
    talk(data, last=2)
    size = sound(data)
    with Engine.open(data, clock=FakeClock(LATER)) as engine, engine.reading() as rows:
        hashes = (rows.ids.keyed_hash(KIM.platform, KIM.id),)
    record(data, drafts(PersonOptedOut(said=LATER, by=OPERATOR, hashes=hashes), name="out"), now=LATER)
    backed_up(data, place)
    assert restored(place, data, size).again == 1
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        assert [found.key for found in rows.scan(OPTED_OUT)] == list(hashes)
    sound(data)


def test_what_the_replaced_log_took_back_stays_so_too(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    erased_in(data)
    done = restored(place, data)
    assert done.again == 1
    assert words(data) == ["word 0", "word 2", "word 4", "word 6"]
    sound(data)


def test_an_erasure_before_the_moment_is_kept(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    erased = erased_in(data)
    talk(data, 8, 10)
    backed_up(data, place, WRAPPED)
    done = restored(place, folder / "new", passphrase=PASSPHRASE)
    assert (done.again, done.size) == (0, done.events)
    with Engine.open(folder / "new", writable=False) as engine:
        assert engine.store.log.erased_vaults() == set(erased.vaults)
    sound(folder / "new")


def test_a_moment_inside_an_erasure_is_finished(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    erased_in(data)
    backed_up(data, place, WRAPPED)
    size = tags(data).index(PersonErased.TAG) + 1
    restored(place, folder / "new", size, PASSPHRASE)
    assert tags(folder / "new")[-1] == ErasureCompleted.TAG
    sound(folder / "new")


def test_a_log_that_is_damaged_is_replaced_and_says_that_its_facts_are_not_all_known(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    damage(data, b"headers", (3).to_bytes(8, "big"), 0)
    backup = Backup(place)
    assert look_at(data, backup).facts_known is False
    restored(place, data)
    assert look_at(data, backup).facts_known is True
    assert words(data) == [f"word {n}" for n in range(8)]
    sound(data)


def test_an_erasure_that_cannot_be_read_in_the_replaced_log_is_told(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    erased_in(data)
    seq = tags(data).index(PersonErased.TAG) + 1
    damage(data, b"bodies", seq.to_bytes(8, "big"), None)
    assert look_at(data, Backup(place)).facts_known is False


def no_database(data: Path) -> None:
    folder = log_folder(data)
    (folder / "data.mdb").write_bytes(b"no database")


def no_file(data: Path) -> None:
    folder = log_folder(data)
    shutil.rmtree(folder)


def no_headers(data: Path) -> None:
    folder = log_folder(data)
    damage_a_leaf(folder / "data.mdb", "headers")


@pytest.mark.parametrize("break_it", [no_headers, no_database, no_file])
def test_a_log_that_cannot_be_read_is_replaced(
    data: Path, place: Path, break_it: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lmdb_file, "MOST_PAGES", 0)  # as of a large file, whose pages are not looked over elsewhere
    talk(data)
    backed_up(data, place)
    break_it(data)
    target = look_at(data, Backup(place))
    assert (target.events, target.facts_known) == (UNREADABLE, False)
    done = restored(place, data)
    assert (done.replaced is None) == (break_it is no_file)
    sound(data)


def test_any_moment_of_a_long_story(data: Path, folder: Path, place: Path) -> None:
    """Backed up again and again while it is told, and restored from its middle: what is missing then was taken back."""
    story = list(fixed_story(240).decisions())
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        tell(engine, story[:120])
    size = sound(data)
    for start in range(120, 240, 40):
        backed_up(data, place, WRAPPED)
        with Engine.open(data, clock=FakeClock()) as engine:
            tell(engine, story[start : start + 40])
            finish_erasures(engine)
    backed_up(data, place, WRAPPED)
    looks_well(place)
    restored(place, folder / "whole", passphrase=PASSPHRASE)
    assert sound(folder / "whole") >= sound(data)
    done = restored(place, folder / "middle", size, PASSPHRASE)
    assert sound(folder / "middle") == done.size >= size
    with Engine.open(data, writable=False) as now, Engine.open(folder / "middle", writable=False) as then:
        gone = now.store.log.erased_vaults()
        for old, new in zip(then.store.log.read(0, size), now.store.log.read(0, size), strict=True):
            erased = codec.decode_header(new.header).vault in gone
            assert (old.header, old.body) == (new.header, None if erased else new.body)


# -- what is refused -----------------------------------------------------------------------------------------------


def refused(place: Path, data: Path, error: type[Exception], said: str, passphrase: str | None = None) -> None:
    before = contents(data)
    with pytest.raises(error, match=said):
        restored(place, data, passphrase=passphrase)
    assert contents(data) == before


def test_another_log_or_ring_is_not_replaced(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    talk(folder / "other")
    refused(place, folder / "other", ForeignKeyRing, "belongs to another log")
    shutil.rmtree(folder / "other" / "keys")
    refused(place, folder / "other", ForeignBackup, "is another one")


def test_a_folder_of_something_else_is_refused(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    (folder / "file").write_text("x")
    with pytest.raises(NotALog):
        restored(place, folder / "file")
    (folder / "lmdb" / "log").mkdir(parents=True)
    (folder / "lmdb" / "log" / "data.mdb").write_bytes(b"of another program")
    refused(place, folder / "lmdb", NotALog, "no data folder")


@pytest.mark.parametrize("error", [NewerLog, ReadOnly])
def test_a_log_that_only_another_can_read_is_not_taken_for_a_broken_one(
    data: Path, place: Path, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(data)
    backed_up(data, place)

    def refuses(*_: object, **__: object) -> None:
        raise error("not by this program")

    monkeypatch.setattr(which_log, "LmdbLog", refuses)
    refused(place, data, error, "not by this program")


def test_keys_are_asked_for_and_a_wrong_passphrase_changes_nothing(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place, WRAPPED)
    (folder / "new").mkdir()
    refused(place, folder / "new", KeyMissing, "which its passphrase opens")
    refused(place, folder / "new", WrongPassphrase, "Nothing was changed", "wrong words")
    shutil.rmtree(data / "keys")
    refused(place, data, WrongPassphrase, "Nothing was changed", "wrong words")


@pytest.mark.parametrize("keys", [None, WRAPPED])
def test_keys_that_nobody_has_are_told(data: Path, folder: Path, place: Path, keys: Keys) -> None:
    talk(data)
    backed_up(data, place, keys)
    few = FileRingStore(folder / "new" / "keys")
    few.create(sorted(ring(data))[:2])
    few.close()
    refused(place, folder / "new", KeyMissing, "passphrase opens" if keys else "the backup has none")


def test_a_ring_that_lacks_some_keys_takes_them_from_the_backup(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place, WRAPPED)
    few = FileRingStore(folder / "new" / "keys")
    few.create(sorted(ring(data))[:2])
    few.close()
    restored(place, folder / "new", passphrase=PASSPHRASE)
    assert ring(folder / "new") == ring(data)
    sound(folder / "new")


def test_keys_of_another_log_in_the_backup_are_refused(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place, WRAPPED)
    stolen = [each._replace(payload=bytes(32)) if each.type == 1 else each for each in sorted(ring(data))]
    (place / NAME).write_bytes(wrapped(stolen, WRAPPED, Backup(place).manifest.log))
    (folder / "new").mkdir()
    refused(place, folder / "new", ForeignKeyRing, "belong to another log", PASSPHRASE)


def test_a_body_that_its_key_does_not_open_is_refused(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place, WRAPPED)
    forged = [each._replace(payload=bytes(32)) if each.type == 2 else each for each in sorted(ring(data))]
    looked = look_over(Backup(place))
    planned = plan(looked, look_at(folder / "new", looked.backup), looked.backup.manifest.size)
    with pytest.raises(DamagedBackup, match="what its keys do not open"):
        restore(planned, forged, LATER)
    assert Folder(folder / "new" / "log").current() is None
    assert not (folder / "new" / "keys").exists()


def test_a_truncated_backup_replaces_nothing(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    os.truncate(pieces(place)[0], 500)
    refused(place, data, DamagedBackup, "was cut to 500")


# -- who else is there ---------------------------------------------------------------------------------------------


def test_a_restore_over_a_running_process_is_refused(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    reader = child("reads", data)
    assert line(reader) == "ready"
    assert users(data) == [reader.pid]
    refused(place, data, InUse, f"another process \\({reader.pid}\\)")
    assert line(reader, "?") == "8"
    finished(reader)
    assert users(data) == []
    writer = child("meets", data, "writer", 1)
    assert line(writer) == "ready"
    refused(place, data, InUse, f"{writer.pid}")
    writer.kill()
    writer.wait()
    assert users(data) == []
    restored(place, data)
    for each in (writer.stdin, writer.stdout):
        assert each is not None
        each.close()


def test_who_comes_between_the_look_and_the_swap_is_seen(
    data: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(data)
    backed_up(data, place)
    looks = 0

    def second(path: Path) -> None:
        nonlocal looks
        looks += 1
        if looks == 2:
            raise InUse("somebody came")

    before = contents(data / "log")
    monkeypatch.setattr(restoring, "refuse_in_use", second)
    with pytest.raises(InUse):
        restored(place, data)
    assert contents(data / "log") == before


def test_a_write_lock_that_is_held_is_waited_for_and_told(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    with WriteLock(data / "write.lock"):
        refused(place, data, Busy, "another process has held")


def test_what_was_written_since_the_plan_is_not_lost(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    looked = look_over(Backup(place))
    planned = plan(looked, look_at(data, looked.backup), 4)
    keys = keys_for(planned, None)
    talk(data, 8, 9)
    with pytest.raises(HeadMoved, match="wrote to the log"):
        restore(planned, keys, LATER)
    assert words(data)[-1] == "word 8"
    assert not (data / REPLACED).exists()


# -- what breaks off -----------------------------------------------------------------------------------------------

STEPS = ["_fill", "_record_again", "refuse_moved", "_join", "_set_aside", "new_origin"]


@pytest.mark.parametrize("step", STEPS)
def test_a_restore_that_breaks_off_leaves_the_log_in_force(
    data: Path, place: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(data)
    backed_up(data, place)
    talk(data, 8, 10)
    before = contents(data / "log")

    def fails(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patched:
        patched.setattr(restoring, step, fails)
        with pytest.raises(CannotWrite, match="full"):
            restored(place, data)
    assert contents(data / "log") == before
    sound(data)
    restored(place, data)
    assert words(data) == [f"word {n}" for n in range(8)]


def test_a_kill_behind_the_last_step_leaves_no_views_of_more_than_the_log_has(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    talk(data, 8, 10)
    killed(data, place, "rmtree")
    with Engine.open(data, clock=FakeClock()) as engine:
        assert engine.stopped() is None
        engine.record(says("behind it"))
    sound(data)


def test_what_was_stored_otherwise_is_noticed(data: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(data)
    backed_up(data, place)
    before = contents(data / "log")
    wanted = restoring._wanted
    calls = 0

    def other(planned: restore_plan.Plan) -> object:
        nonlocal calls
        calls += 1
        events = list(wanted(planned))
        return iter(events if calls == 1 else [each._replace(body=b"x") for each in events])

    monkeypatch.setattr(restoring, "_wanted", other)
    with pytest.raises(Damaged, match="was not stored"):
        restored(place, data)
    assert contents(data / "log") == before


KILLED = """
import os, signal, sys
from pathlib import Path
from replay.backups import restore
data, place, step = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
def killed(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
owner = restore if hasattr(restore, step) else restore.Folder if hasattr(restore.Folder, step) else restore.shutil
setattr(owner, step, killed)
from tests.replay.test_restore import restored
restored(place, data)
"""


@pytest.mark.parametrize("step", ["_record_again", "_join", "new_origin", "put_in_force"])
def test_a_kill_in_the_middle_leaves_the_log_in_force(data: Path, place: Path, step: str) -> None:
    talk(data)
    backed_up(data, place)
    talk(data, 8, 10)
    killed(data, place, step)
    sound(data)
    talk(data, 10, 11)
    assert words(data) == [f"word {n}" for n in range(11)]
    assert [path.name for path in (data / "log").iterdir() if path.is_dir()] == ["000001"]
    restored(place, data)
    assert words(data) == [f"word {n}" for n in range(8)]
    sound(data)


def killed(data: Path, place: Path, step: str) -> None:
    command = [sys.executable, "-c", KILLED, str(data), str(place), step]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -9


@pytest.mark.parametrize("step", ["rmtree", "_bring_up", "finish_erasures"])
def test_a_kill_after_the_swap_leaves_the_restored_log_and_nobody_comes_back(
    data: Path, place: Path, step: str
) -> None:
    talk(data)
    backed_up(data, place)
    erased = erased_in(data)
    talk(data, 8, 10)
    backed_up(data, place)
    killed(data, place, step)
    with Engine.open(data, clock=FakeClock(LATER)) as engine:
        assert texts(engine)[:4] == ["word 0", "word 2", "word 4", "word 6"]
        assert not set(engine.store.ring.vaults) & set(erased.vaults)
        finish_erasures(engine)
    sound(data)


SMALL_DISK = """
import subprocess, sys
from pathlib import Path
place, path = map(Path, sys.argv[1:])
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=500k", "tmpfs", path]).returncode:
    sys.exit(77)
from replay.errors import LogFull
from tests.replay.keeping import backed_up, settings, sound
from tests.replay.test_restore import restored
data = path / "data"
settings(data, 0, 300)
backed_up(data, place)
try:
    restored(place, data)
except LogFull as error:
    print(type(error).__name__)
subprocess.run(["mount", "-o", "remount,size=60m", path], check=True)
assert not (data / "replaced").exists()
assert sound(data) == 300
assert restored(place, data).events == sound(data) == 300
print("sound")
"""


def test_a_disk_that_fills_up_leaves_the_log_in_force(folder: Path, place: Path) -> None:
    (folder / "disk").mkdir()
    told = mounting(SMALL_DISK, place, folder / "disk")
    assert told.split() == ["LogFull", "sound"]
