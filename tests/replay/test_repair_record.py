"""Repairing a log that no longer says what it is: that is made again where all of it is known, else it is refused."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from projections.ids import VaultId
from projections.registry import FOLD
from replay import codec
from replay.backups.backup import Backup, look_over
from replay.builder import Progress
from replay.checkpoint import KEY_FILE, LAST_FILE, last_signed, sign
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import Damaged, DamagedPages, ForeignKeyRing
from replay.history import seq_key
from replay.log import Head, StoredEvent
from replay.pages.fitting import PageFile, metas
from replay.pages.form import PAGE_SIZE
from replay.repair.of_pages import refuse_bad_pages, repair_pages
from replay.repair.own_record import known_beside
from replay.repair.repairing import Examined
from replay.store import DiskStore
from replay.tree_head import Checkpoint
from tests.replay.keeping import backed_up, damage, looks_well, record, redacts, settings, sound, talk
from tests.replay.stage import KIM, FakeClock, contents, drafts, handle_of, setting
from tests.replay.test_pages import spoil

Lost = Callable[[Path], object]


def repaired(data: Path, place: Path) -> Examined:
    return repair_pages(data, look_over(Backup(place)).backup)


def whole(data: Path) -> tuple[list[StoredEvent], Head, bytes, bytes]:
    """The events of a log, and what it says of itself."""
    store = DiskStore(data, FOLD, writable=False)
    try:
        return list(store.log.read(0)), store.log.head(), store.log.id, store.log.key_check
    finally:
        store.close()


def signed(data: Path) -> Checkpoint:
    store = DiskStore(data, FOLD, writable=True)
    try:
        return sign(store).checkpoint
    finally:
        store.close()


def later(data: Path, *names: str) -> None:
    """A decision of its own for each."""
    for name in names:
        record(data, drafts(setting(name), name=name))


def lose_record(data: Path) -> None:
    spoil(data, "log", "meta", 0)


def lose_ids(data: Path) -> None:
    spoil(data, "log", "ids", 0)


def is_of(vaults: Sequence[VaultId], stored: StoredEvent) -> bool:
    return codec.decode_header(stored.header).vault in vaults


def parts(found: Examined) -> set[str]:
    return {each.part for each in found.repairs}


def refused(data: Path, place: Path, words: str) -> None:
    """Nothing is changed, and it is said why."""
    before = contents(data)
    with pytest.raises(Damaged, match=rf"nor be made again: {words}.*`dnam restore-backup`"):
        repaired(data, place)
    assert contents(data) == before


# -- made again ----------------------------------------------------------------------------------------------------


def test_what_a_log_says_of_itself_is_made_again(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    talk(data, 8, 12)
    events, head, *of = whole(data)
    lose_record(data)
    found = repaired(data, place)
    first = found.repairs[0]
    assert (first.seq, first.part, first.can, found.end) == (0, "record", True, head.size)
    assert first.what.endswith(f"it ends with #{head.size}, and the backup with #{Backup(place).manifest.size}")
    assert len(found.repairs) == 1
    again, after, *of_it = whole(data)
    assert (again, of_it) == (events, of)
    assert after == head._replace(epoch=head.epoch + 1)
    assert sound(data) == head.size
    later(data, "and on")
    backed_up(data, place)
    assert looks_well(place) == head.size + 1


def test_a_log_without_events_behind_the_backup_is_made_again(data: Path, place: Path) -> None:
    settings(data, 0, 300)
    backed_up(data, place)
    before = whole(data)
    lose_record(data)
    spoil(data, "log", "headers", 1)
    found = repaired(data, place)
    assert (found.end, parts(found)) == (300, {"record", "header", "body"})
    assert whole(data)[0] == before[0]
    assert sound(data) == 300


def test_headers_that_seal_their_bodies_need_no_id_table(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    talk(data, 8, 12)
    before = whole(data)
    lose_record(data)
    lose_ids(data)
    assert parts(repaired(data, place)) == {"record", "id"}
    assert whole(data)[0] == before[0]
    sound(data)


def test_what_was_taken_back_behind_the_backup_stays_so(data: Path, place: Path) -> None:
    talk(data)
    settings(data, 0, 3)
    backed_up(data, place)
    record(data, redacts("0 1"))
    with Engine.open(data, clock=FakeClock()) as engine:
        erased = erase(engine, handle_of(engine, KIM))
    assert erased is not None
    events, head, *_ = whole(data)
    lose_record(data)
    assert parts(repaired(data, place)) == {"record"}
    again, after, *_ = whole(data)
    assert [each.header for each in again] == [each.header for each in events]
    gone = {each.seq for each in events if each.body is None}
    assert gone
    assert gone <= {each.seq for each in again if each.body is None}
    assert not any(is_of(erased.vaults, each) for each in again if each.body is not None)
    assert after.epoch == head.epoch + 1
    with Engine.open(data, writable=False) as engine:
        assert engine.store.log.erased_vaults() == set(erased.vaults)
    sound(data)


def test_a_body_that_is_lost_for_good_is_told_before_anything_is_changed(data: Path, place: Path) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    later(data, "one", "two")
    damage(data, b"bodies", seq_key(6))
    lose_record(data)
    told: list[Examined] = []
    before = contents(data)

    def decline(found: Examined) -> Progress:
        told.append(found)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        repair_pages(data, look_over(Backup(place)).backup, decline)
    assert contents(data) == before
    assert [(each.seq, each.part, each.can) for each in told[0].repairs] == [(0, "record", True), (6, "body", False)]
    calls: list[tuple[int, int]] = []

    def agree(found: Examined) -> Progress:
        assert found == told[0]
        return lambda *each: calls.append(each)

    assert repair_pages(data, look_over(Backup(place)).backup, agree) == told[0]
    assert calls == [(7, 7)]


def test_a_log_that_says_what_it_is_has_no_end_to_ask_about(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    spoil(data, "log", "bodies", 0)
    assert repaired(data, place).end is None


def test_pages_that_do_not_fit_are_refused_however_many_there_are(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_bad_pages(data)
    talk(data)
    monkeypatch.setattr("replay.lmdb_file.MOST_PAGES", 0)
    refuse_bad_pages(data)
    page = spoil(data, "log", "meta", 0)
    with pytest.raises(DamagedPages, match=rf"page {page} \(meta\).*`dnam repair --from BACKUP`"):
        refuse_bad_pages(data)


# -- what proves headers -------------------------------------------------------------------------------------------


def test_a_header_that_nothing_proves_is_not_put_in_force(data: Path, place: Path) -> None:
    """Redactions lie unsealed."""
    settings(data, 0, 5)
    backed_up(data, place)
    record(data, redacts("0 1"), redacts("0 2", name="another"))
    lose_record(data)
    lose_ids(data)
    refused(data, place, "nothing proves the headers of #6, #7, which came after the backup")


def test_a_checkpoint_proves_headers(data: Path, place: Path) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    record(data, redacts("0 1"))
    assert signed(data).size == 6
    later(data, "later")
    before = whole(data)
    lose_record(data)
    lose_ids(data)
    assert parts(repaired(data, place)) == {"record", "id"}
    assert whole(data)[0] == before[0]


def test_a_checkpoint_of_other_events_is_told(data: Path, place: Path, folder: Path) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    signed(data)
    shutil.copytree(data, folder / "fork")
    later(folder / "fork", "this")
    signed(folder / "fork")
    later(data, "that")
    shutil.copy(folder / "fork" / "keys" / LAST_FILE, data / "keys")
    lose_record(data)
    refused(data, place, "the last checkpoint that was signed is of other events up to #6")


@pytest.mark.parametrize("at", [0, 8, 24, -1])
def test_a_header_that_was_changed_is_not_put_in_force(data: Path, place: Path, at: int) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    later(data, "one", "two")
    damage(data, b"headers", seq_key(6), at)
    lose_record(data)
    refused(data, place, "nothing proves the headers of #6, which")


@pytest.mark.parametrize("at", [20, None])
def test_a_header_without_its_body_needs_the_id_table(data: Path, place: Path, at: int | None) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    later(data, "one", "two")
    damage(data, b"bodies", seq_key(6), at)
    lose_record(data)
    lose_ids(data)
    refused(data, place, "nothing proves the headers of #6, which")


# -- where it ends -------------------------------------------------------------------------------------------------


def nothing(data: Path) -> None: ...


def other_tables(data: Path) -> None:
    """Whatever in the log tells of the last event, #7, but its header."""
    damage(data, b"bodies", seq_key(7), None)
    events = whole(data)[0]
    assert len(events) == 7
    damage(data, b"ids", events[-1].header[4:20], None)


def without_views(data: Path) -> None:
    other_tables(data)
    shutil.rmtree(data / "views")


TELLS: list[tuple[Lost, str]] = [
    (nothing, "it had 6 events, and its table of bodies tells of #7"),
    (other_tables, "it had 6 events, and the views were made of 7"),
    (without_views, "it had 6 events, and a checkpoint was signed of 7"),
]


@pytest.mark.parametrize(("lost", "words"), TELLS)
def test_whatever_tells_of_more_events_is_believed(data: Path, place: Path, lost: Lost, words: str) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    later(data, "one", "two")
    signed(data)
    lost(data)
    damage(data, b"headers", seq_key(7), None)
    lose_record(data)
    refused(data, place, words)


def test_a_decision_that_is_cut_short_is_told(data: Path, place: Path) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    record(data, drafts(setting("one"), setting("two"), name="both"))
    without_views(data)
    damage(data, b"headers", seq_key(7), None)
    lose_record(data)
    refused(data, place, "of its last decision 1 more should follow #6")


@pytest.mark.parametrize("table", ["ids", "tree"])
def test_tables_that_follow_from_the_headers_tell_of_more(data: Path, place: Path, table: str) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    settings(data, 5, 256)
    damage(data, b"bodies", seq_key(256), None)
    if table == "tree":
        damage(data, b"ids", whole(data)[0][-1].header[4:20], None)
    damage(data, b"headers", seq_key(256), None)
    lose_record(data)
    refused(data, place, f"it had 255 events, and its table of {table} tells of #256")


def test_where_its_last_headers_cannot_be_read_it_is_refused(data: Path, place: Path) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    settings(data, 5, 300)
    lose_record(data)
    spoil(data, "log", "headers", -1)
    refused(data, place, "it had 300 events, and the last that can be read is #2")


def test_headers_behind_the_backup_that_are_lost_are_named(data: Path, place: Path) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    settings(data, 5, 300)
    lose_record(data)
    spoil(data, "log", "headers", 3)
    refused(data, place, r"#\d+, (#\d+, ){7}#\d+ …, which came after the backup, cannot be read")


def test_a_log_that_is_empty_by_its_headers_is_refused(data: Path, place: Path) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    for seq in range(1, 6):
        damage(data, b"headers", seq_key(seq), None)
        damage(data, b"bodies", seq_key(seq), None)
    path = next((data / "log").glob("*/data.mdb"))
    assert path.exists()
    lose_record(data)
    lose_ids(data)
    refused(data, place, "it had 0 events, and the last that can be read is #0")


def forget_commit(data: Path) -> None:
    """Have LMDB take the commit before the last one for the newest, and lose where the tables of the last one begin."""
    path = next((data / "log").glob("*/data.mdb"))
    opened = PageFile(path)
    newest = max(metas(opened), key=lambda each: each.commit)
    opened.close()
    with path.open("r+b") as file:
        file.seek(newest.commit % 2 * PAGE_SIZE + COMMIT)
        file.write((newest.commit - 2).to_bytes(8, "little"))
        file.seek(newest.names.root * PAGE_SIZE)
        file.write(bytes(PAGE_SIZE))


COMMIT = 144


@pytest.mark.parametrize("beside", ["views", "checkpoint", "backup"])
def test_events_that_an_earlier_commit_lacks_are_named(data: Path, place: Path, beside: str) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    later(data, "one", "two")
    if beside == "checkpoint":
        signed(data)
    if beside == "backup":
        backed_up(data, place)
    if beside != "views":
        shutil.rmtree(data / "views")
    forget_commit(data)
    found = repaired(data, place)
    words = "what can be read of the log ends before it, and events up to #7 are known to have been there"
    more = "; `dnam restore-backup` puts the backup's in force" if beside == "backup" else ""
    assert found.repairs[-1] == (7, "header", words + more, False)
    assert found.end is None


def test_views_of_another_log_know_nothing_of_this_one(data: Path, place: Path, folder: Path) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    settings(folder / "other", 0, 20)
    shutil.rmtree(data / "views")
    shutil.copytree(folder / "other" / "views", data / "views")
    assert known_beside(Backup(place), data) == 5


# -- which log it is -----------------------------------------------------------------------------------------------


def test_a_backup_that_has_more_is_told(data: Path, place: Path, folder: Path) -> None:
    settings(data, 0, 5)
    shutil.copytree(data, folder / "copy")
    later(data, "later")
    backed_up(data, place)
    lose_record(folder / "copy")
    refused(folder / "copy", place, "it had 5 events, and the backup has 6")


def test_that_the_backup_is_of_this_history_is_seen_by_its_last_header(data: Path, place: Path) -> None:
    settings(data, 0, 5)
    backed_up(data, place)
    later(data, "one", "two")
    damage(data, b"headers", seq_key(5), 8)
    lose_record(data)
    refused(data, place, "nothing proves that the backup is of its history: #5 is another there, or is lost")


def test_another_history_is_refused(data: Path, place: Path, folder: Path) -> None:
    settings(data, 0, 5)
    shutil.copytree(data, folder / "copy")
    later(data, "this")
    backed_up(data, place)
    later(folder / "copy", "that", "more")
    lose_record(folder / "copy")
    refused(folder / "copy", place, "nothing proves that the backup is of its history: #6 is another there, or is lost")


def test_a_backup_of_another_log_is_refused(data: Path, place: Path, folder: Path) -> None:
    talk(data)
    talk(folder / "other")
    backed_up(folder / "other", place)
    lose_record(data)
    before = contents(data)
    with pytest.raises(ForeignKeyRing, match="belongs to another log than the backup"):
        repaired(data, place)
    assert contents(data) == before


def test_views_of_another_log_are_told(data: Path, place: Path, folder: Path) -> None:
    talk(data)
    backed_up(data, place)
    talk(folder / "other")
    shutil.rmtree(data / "views")
    shutil.copytree(folder / "other" / "views", data / "views")
    lose_record(data)
    refused(data, place, r"the views were made of another log, or of another #\d+ than is there")


def test_views_that_cannot_be_read_say_nothing(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    (data / "views" / "CURRENT").write_bytes(b"\0\0")
    lose_record(data)
    assert parts(repaired(data, place)) == {"record"}
    sound(data)


def test_which_checkpoint_was_signed_last(data: Path) -> None:
    talk(data)
    log, keys = whole(data)[2], data / "keys"
    assert last_signed(keys, log) is None
    checkpoint = signed(data)
    assert last_signed(keys, log) == checkpoint
    last = (keys / LAST_FILE).read_bytes()
    (keys / LAST_FILE).write_bytes(last.replace(b"dnam/", b"mand/", 1))
    assert last_signed(keys, log) is None
    (keys / LAST_FILE).write_bytes(b"no checkpoint")
    assert last_signed(keys, log) is None
    (keys / LAST_FILE).unlink()
    assert last_signed(keys, log) is None
    (keys / LAST_FILE).write_bytes(last)
    (keys / KEY_FILE).unlink()
    assert last_signed(keys, log) is None
