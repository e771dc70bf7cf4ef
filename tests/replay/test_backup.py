"""Backups: taken beside a busy writer, continued by what is new, rid of what was dropped since; and what breaks one."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from projections.errors import BadRequest
from projections.ids import Seq
from projections.registry import FOLD
from replay import codec
from replay.backups import backing_up
from replay.backups import pieces as pieces_module
from replay.backups.backing_up import back_up
from replay.backups.backup import LOCK, Backup, look_over
from replay.backups.ledger import Ledger
from replay.backups.manifest import NAME, decoded, encoded, read_manifest, write_manifest
from replay.backups.pieces import MOST_EVENTS, Piece, events_of, packed, unpacked
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import (
    Busy,
    CannotWrite,
    Damaged,
    DamagedBackup,
    ForeignBackup,
    KeyMissing,
    LogFull,
    NotABackup,
    UnknownEvent,
    WrongPassphrase,
)
from replay.folder import Folder, write_all
from replay.log import Head, MemoryLog, StoredEvent
from replay.rewriting import rewrite
from replay.ring.file import FileRingStore
from replay.ring.wrapped import NAME as KEYS
from replay.ring.wrapped import Cost, WrappedKeys, Wrapping, unwrapped
from replay.store import DiskStore
from tests.replay.keeping import (
    CHEAP,
    PASSPHRASE,
    WRAPPED,
    backed_up,
    damage,
    flip,
    looks_well,
    pieces,
    record,
    redacts,
    ring,
    settings,
    stored_body,
    talk,
)
from tests.replay.mounting import mounting
from tests.replay.stage import KIM, ROOT, FakeClock, child, contents, drafts, finished, handle_of, line, setting
from tests.world import NOW


def events_in(data: Path) -> list[StoredEvent]:
    store = DiskStore(data, FOLD, writable=False)
    events = list(store.log.read(0))
    store.close()
    return events


# -- what is in it -------------------------------------------------------------------------------------------------


def test_a_backup_has_every_event_as_it_lies_in_the_log(data: Path, place: Path) -> None:
    talk(data)
    done = backed_up(data, place)
    backup = Backup(place)
    assert list(backup.events()) == events_in(data)
    manifest = backup.manifest
    assert (manifest.size, manifest.run, manifest.made, manifest.keys) == (done.events, 1, NOW, False)
    assert (bytes.fromhex(manifest.log), bytes.fromhex(manifest.root)) == (done.log, done.root)
    assert done.new == done.events == looks_well(place)
    assert not (place / KEYS).exists()


def test_an_empty_log_is_backed_up_too(data: Path, place: Path) -> None:
    talk(data, last=0)
    assert backed_up(data, place).events == 0
    assert looks_well(place) == 0
    talk(data)
    assert backed_up(data, place).events == looks_well(place) == events_in(data)[-1].seq


def test_no_clear_text_and_no_key_is_in_it(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    everything = b"".join(contents(place).values())
    for clear in (b"word 0", b"Ada", KIM.id.encode(), *(each.payload for each in ring(data) if each.type != 3)):
        assert clear not in everything


def test_the_log_and_the_ring_stay_as_they_were(data: Path, place: Path) -> None:
    talk(data)
    before = contents(data)
    backed_up(data, place, WRAPPED)
    assert contents(data) == before


def test_bytes_shipped_follow_the_new_events(data: Path, place: Path) -> None:
    settings(data, 0, 3 * MOST_EVENTS)
    first = backed_up(data, place)
    settings(data, 20_000, 20_010)
    second = backed_up(data, place)
    assert (second.events - first.events, second.new) == (10, 10)
    assert first.bytes_shipped > 3 * MOST_EVENTS * 400
    assert second.bytes_shipped < 10_000
    assert len(pieces(place)) == 4
    third = backed_up(data, place)
    assert (third.new, third.bytes_shipped) == (0, (place / NAME).stat().st_size)
    assert looks_well(place) == first.events + 10


def test_a_piece_is_full_by_its_bytes_too(data: Path, place: Path) -> None:
    settings(data, 0, 3_000, size=3_000)
    backed_up(data, place)
    assert [path.name for path in pieces(place)] == ["000000000001-000001", *(path.name for path in pieces(place)[1:])]
    assert len(pieces(place)) == 3
    assert looks_well(place) == 3_000


def test_progress_counts_what_is_new(data: Path, place: Path) -> None:
    settings(data, 0, 3_000)
    store = DiskStore(data, FOLD, writable=False)
    called: list[tuple[int, int]] = []
    back_up(store, place, NOW, progress=lambda *each: called.append(each))
    store.close()
    assert called == [(1024, 3_000), (2048, 3_000), (3_000, 3_000)]
    looked: list[tuple[int, int]] = []
    look_over(Backup(place), lambda *each: looked.append(each))
    assert looked == [(3_000, 3_000)]


def test_a_writer_goes_on_meanwhile(data: Path, place: Path) -> None:
    writers = [child("meets", data, name, 40) for name in ("left", "right")]
    for each in writers:
        assert line(each) == "ready"
    for each in writers:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    sizes: list[int] = []
    while any(each.poll() is None for each in writers) and len(sizes) < 200:
        sizes.append(backed_up(data, place).events)
        assert looks_well(place) == sizes[-1]
        if len(sizes) > 2 and sizes[-1] == sizes[-2] > 100:
            break
    for each in writers:
        finished(each)
    assert len(set(sizes)) > 2
    assert backed_up(data, place).events == looks_well(place)
    assert list(Backup(place).events()) == events_in(data)


# -- what was dropped ----------------------------------------------------------------------------------------------


def test_what_was_redacted_leaves_the_backup_s_files(data: Path, place: Path) -> None:
    settings(data, 0, 5_000)
    backed_up(data, place)
    body = stored_body(data, 4_500)
    assert body in b"".join(contents(place).values())
    record(data, redacts("4000 499"))
    done = backed_up(data, place)
    assert (done.new, done.dropped, done.facts) == (1, 1, 1)
    assert body not in b"".join(contents(place, skip=lambda path: False).values())
    assert done.bytes_shipped < done.bytes_total / 2
    assert looks_well(place) == 5_001
    assert backed_up(data, place).bytes_shipped == (place / NAME).stat().st_size
    record(data, drafts(setting("more"), name="more"))
    assert backed_up(data, place).new == 1
    assert looks_well(place) == 5_002


def test_who_was_erased_leaves_the_backup_s_files_and_its_keys(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place, WRAPPED)
    sealed = [stored.body for stored in events_in(data) if stored.body]
    with Engine.open(data, clock=FakeClock()) as engine:
        erased = erase(engine, handle_of(engine, KIM))
    assert erased is not None
    done = backed_up(data, place, WRAPPED)
    assert done.dropped > 3
    everything = b"".join(contents(place, skip=lambda path: False).values())
    assert sum(body in everything for body in sealed) == len(sealed) - done.dropped
    kept = unwrapped(place / KEYS, PASSPHRASE, Backup(place).manifest.log)
    assert not {each.vault for each in kept} & set(erased.vaults)
    assert looks_well(place) == done.events


def test_bodies_that_an_erasure_closed_are_never_shipped(data: Path, place: Path) -> None:
    talk(data)
    with Engine.open(data, clock=FakeClock()) as engine:
        erased = erase(engine, handle_of(engine, KIM))
        assert erased is not None
    backed_up(data, place)
    vaults = [codec.decode_header(stored.header).vault for stored in Backup(place).events() if stored.body is None]
    assert set(vaults) <= set(erased.vaults)
    assert vaults
    store = DiskStore(data, FOLD, writable=True)
    rewrite(store)
    store.close()
    assert backed_up(data, place).dropped == 0


ELSEWHERE = """
import sys
from pathlib import Path
from tests.replay.keeping import record, redacts
record(Path(sys.argv[1]), redacts(*sys.argv[2:]))
"""


def test_a_redaction_in_the_middle_of_a_backup_is_taken_along(data: Path, place: Path) -> None:
    settings(data, 0, 10_000, size=10)
    command = [sys.executable, "-c", ELSEWHERE, str(data), "0 5", "9500 20"]

    def progress(done: int, total: int) -> None:
        if done == 1024:
            subprocess.run(command, cwd=ROOT, check=True)

    store = DiskStore(data, FOLD, writable=False)
    done = back_up(store, place, NOW, progress=progress)
    store.close()
    assert (done.events, done.dropped, done.facts) == (10_001, 1, 1)
    gone = [stored.seq for stored in Backup(place).events() if stored.body is None]
    assert gone == [6, 9521]
    assert looks_well(place) == 10_001


def test_an_erasure_while_the_head_is_read_is_looked_at_again(data: Path, place: Path) -> None:
    talk(data)

    class Raised(MemoryLog):
        """A log whose epoch rises between two looks."""

        def __init__(self) -> None:
            super().__init__(b"", b"")
            self.looks = 0

        def head(self) -> Head:
            self.looks += 1
            return Head(0, 0, min(self.looks, 3), ())

    head, _ = backing_up._stand(Raised())
    assert head.epoch == 3


# -- what it does not take -----------------------------------------------------------------------------------------


def a_file(place: Path) -> None:
    place.write_text("a file")


def other_things(place: Path) -> None:
    place.mkdir()
    (place / "photo.jpg").write_bytes(b"\xff\xd8")


@pytest.mark.parametrize("made", [a_file, other_things])
def test_a_place_that_is_something_else_is_refused(data: Path, place: Path, made: Callable[[Path], None]) -> None:
    talk(data)
    made(place)
    with pytest.raises(NotABackup):
        backed_up(data, place)
    with pytest.raises(NotABackup, match="there is no backup"):
        Backup(place)
    assert not (place / LOCK).exists()


def test_a_place_inside_the_data_folder_is_refused(data: Path) -> None:
    talk(data)
    with pytest.raises(BadRequest, match=r"backup is inside .*: a backup is kept elsewhere"):
        backed_up(data, data / "backup")
    with pytest.raises(BadRequest, match="is the memory itself: a backup is kept elsewhere"):
        backed_up(data, data)


def test_a_backup_of_another_log_is_refused(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    talk(folder / "other")
    backed_up(folder / "other", place)
    before = contents(place)
    with pytest.raises(ForeignBackup, match="another log"):
        backed_up(data, place)
    assert contents(place) == before


def test_a_log_that_went_back_or_another_way_is_refused(data: Path, folder: Path, place: Path) -> None:
    talk(data)
    shutil.copytree(data, folder / "older")
    talk(data, 8, 12)
    backed_up(data, place)
    before = contents(place)
    with pytest.raises(ForeignBackup, match="an older state went on here"):
        backed_up(folder / "older", place)
    talk(folder / "older", 20, 40)
    with pytest.raises(ForeignBackup, match="does not begin with"):
        backed_up(folder / "older", place)
    assert contents(place) == before


def test_two_do_not_write_to_one_place(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    with (place / LOCK).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Busy):
            backed_up(data, place)


def test_a_damaged_event_is_not_backed_up_and_the_earlier_backup_stays(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    size = looks_well(place)
    talk(data, 8, 10)
    shutil.copytree(data, data.with_name("kept"))
    cases: tuple[tuple[bytes, int | None, str], ...] = (
        (b"bodies", -1, "is not backed up"),
        (b"bodies", None, "no event says that it was dropped"),
        (b"headers", 8, "not those that its tree was made of"),
        (b"headers", None, "is missing from the log"),
    )
    for table, at, said in cases:
        shutil.rmtree(data)
        shutil.copytree(data.with_name("kept"), data)
        damage(data, table, (size + 1).to_bytes(8, "big"), at)
        with pytest.raises(Damaged, match=said):
            backed_up(data, place)
        assert looks_well(place) == size
    shutil.rmtree(data)
    shutil.copytree(data.with_name("kept"), data)
    assert backed_up(data, place).new == 2
    looks_well(place)


# -- what breaks off -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["extend", "_wrap", "write_manifest", "_remove_others"])
def test_a_run_that_breaks_off_leaves_the_earlier_backup(
    data: Path, place: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(data, 0, 600)
    backed_up(data, place, WRAPPED)
    record(data, redacts("0 5"))
    settings(data, 1_000, 1_100)
    owner = {"extend": Ledger, "write_manifest": backing_up}.get(where, backing_up._Run)

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patched:
        patched.setattr(owner, where, fails)
        with pytest.raises(CannotWrite, match="disk"):
            backed_up(data, place, WRAPPED)
    assert looks_well(place) == (701 if where == "_remove_others" else 600)
    assert backed_up(data, place, WRAPPED).events == looks_well(place) == 701
    named = {piece.name for piece in Backup(place).manifest.pieces}
    assert {path.name for path in pieces(place)} == named
    assert stored_body(data, 7) in b"".join(contents(place).values())


def test_a_first_run_that_breaks_off_is_begun_anew(
    data: Path, folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(folder / "other")
    with Engine.open(folder / "other") as engine:
        erase(engine, handle_of(engine, KIM))

    def fails(*_: object) -> int:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patched:
        patched.setattr(backing_up, "write_manifest", fails)
        with pytest.raises(CannotWrite):
            backed_up(folder / "other", place)
    with pytest.raises(NotABackup, match="was broken off"):
        Backup(place)
    talk(data)
    done = backed_up(data, place)
    assert (done.facts, looks_well(place)) == (0, done.events)


def test_a_write_that_is_cut_short_leaves_the_earlier_backup(
    data: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(data, 0, 20)
    backed_up(data, place)
    settings(data, 100, 120)
    write, count = write_all, 0

    def short(descriptor: int, data: bytes, start: int) -> None:
        nonlocal count
        count += 1
        write(descriptor, data[: len(data) // 2] if count == 7 else data, start)
        if count == 7:
            raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patched:
        patched.setattr(pieces_module, "write_all", short)
        with pytest.raises(LogFull):
            backed_up(data, place)
    assert looks_well(place) == 20
    assert backed_up(data, place).new == 20
    assert looks_well(place) == 40


SMALL_DISK = """
import subprocess, sys
from pathlib import Path
data, path = map(Path, sys.argv[1:])
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", path]).returncode:
    sys.exit(77)
from replay.errors import LogFull
from tests.replay.keeping import backed_up, looks_well, settings, pieces
place = path / "place"
first = backed_up(data, place).events
settings(data, 10_000, 11_500)
for _ in range(2):
    try:
        backed_up(data, place)
    except LogFull as error:
        print(type(error).__name__)
    assert looks_well(place) == first
subprocess.run(["mount", "-o", "remount,size=60m", path], check=True)
assert backed_up(data, place).events == looks_well(place) == first + 1500
print("sound")
"""


def test_a_disk_that_fills_up_leaves_the_earlier_backup(data: Path, folder: Path) -> None:
    settings(data, 0, 300)
    (folder / "disk").mkdir()
    told = mounting(SMALL_DISK, data, folder / "disk")
    assert told.split() == ["LogFull", "LogFull", "sound"]


KILLED = """
import os, signal, sys
from pathlib import Path
from replay.backups import backing_up
from replay.backups import pieces
data, place, after = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
count = 0
write = pieces.write_all
def counted(*arguments):
    global count
    write(*arguments)
    count += 1
    if count == after:
        os.kill(os.getpid(), signal.SIGKILL)
pieces.write_all = counted
from tests.replay.keeping import backed_up
backed_up(data, place)
"""


@pytest.mark.parametrize("after", [1, 60, 300, 802])
def test_a_kill_in_the_middle_leaves_the_earlier_backup(data: Path, place: Path, after: int) -> None:
    settings(data, 0, 600)
    backed_up(data, place)
    record(data, redacts("0 5"))
    settings(data, 1_000, 1_100)
    command = [sys.executable, "-c", KILLED, str(data), str(place), str(after)]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -9
    assert looks_well(place) == 600
    assert backed_up(data, place).events == looks_well(place) == 701


# -- what was changed in it ----------------------------------------------------------------------------------------


def cut_piece(place: Path) -> None:
    path = pieces(place)[0]
    os.truncate(path, path.stat().st_size - 40)


def flip_piece(place: Path) -> None:
    flip(pieces(place)[0], 300)


def lose_piece(place: Path) -> None:
    pieces(place)[0].unlink()


def cut_manifest(place: Path) -> None:
    os.truncate(place / NAME, 200)


def flip_manifest(place: Path) -> None:
    path = place / NAME
    path.write_bytes(path.read_bytes().replace(b'"size": 2', b'"size": 3').replace(b'"size": 1', b'"size": 3'))


def unreadable_manifest(place: Path) -> None:
    (place / NAME).unlink()
    (place / NAME).mkdir()


def cut_ledger(place: Path) -> None:
    path = place / "ledger"
    os.truncate(path, path.stat().st_size - 5)


def lose_ledger(place: Path) -> None:
    (place / "ledger").unlink()


def flip_ledger(place: Path) -> None:
    flip(place / "ledger", 60)


def garbled_ledger(place: Path) -> None:
    path = place / "ledger"
    path.write_bytes(b"\xff not json\n" + path.read_bytes())


def unreadable_ledger(place: Path) -> None:
    (place / "ledger").unlink()
    (place / "ledger").mkdir()


NESTED = b"[" * 100_000
"""JSON that goes deeper than anybody reads."""


def nested_manifest(place: Path) -> None:
    (place / "manifest.json").write_bytes(b'{"format":1,"log":' + NESTED)


def nested_ledger(place: Path) -> None:
    path = place / "ledger"
    path.write_bytes(b'{"seq":1,"header":' + NESTED + b"\n" + path.read_bytes())


BREAKS = [
    cut_piece, flip_piece, lose_piece, cut_manifest, flip_manifest, unreadable_manifest, cut_ledger, lose_ledger,
    flip_ledger, garbled_ledger, unreadable_ledger, nested_manifest, nested_ledger,
]  # fmt: skip


@pytest.mark.parametrize("break_it", BREAKS)
def test_a_backup_that_is_not_what_was_written_is_refused(
    data: Path, place: Path, break_it: Callable[[Path], None]
) -> None:
    talk(data)
    with Engine.open(data) as engine:
        erase(engine, handle_of(engine, KIM))
    backed_up(data, place)
    break_it(place)
    with pytest.raises(DamagedBackup):
        looks_well(place)
    talk(data, 8, 10)
    if break_it is not lose_piece:
        before = contents(place)
        with pytest.raises(DamagedBackup):
            backed_up(data, place)
        assert contents(place) == before


def with_manifest(place: Path, **changes: object) -> None:
    """A manifest that fits itself and not the rest."""
    manifest = read_manifest(place)
    assert manifest is not None
    write_manifest(place, msgspec.structs.replace(manifest, **changes))


def test_a_manifest_that_does_not_fit_the_files_is_refused(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    manifest = Backup(place).manifest
    (piece,) = manifest.pieces
    wrong: list[tuple[dict[str, object], str]] = [
        ({"root": "00" * 32}, "have the root"),
        ({"size": manifest.size + 1}, "and names"),
        ({"pieces": ()}, "and names"),
        ({"pieces": (piece, piece)}, "no piece that begins with"),
        ({"pieces": (msgspec.structs.replace(piece, last=2),), "size": 2}, "events; it should hold"),
    ]
    for changes, said in wrong:
        write_manifest(place, manifest)
        with_manifest(place, **changes)
        with pytest.raises(DamagedBackup, match=said):
            looks_well(place)


def rewritten(place: Path, change: Callable[[StoredEvent], StoredEvent]) -> None:
    """Change events and make the digests fit."""
    backup = Backup(place)
    (piece,) = backup.manifest.pieces
    data = b"".join(packed(change(stored)) for stored in events_of(place / "events", piece))
    (place / "events" / piece.name).write_bytes(data)
    new = Piece(name=piece.name, first=1, last=piece.last, length=len(data), sha256=sha256(data).hexdigest())
    with_manifest(place, pieces=(new,))


def test_events_that_do_not_fit_themselves_are_refused(data: Path, place: Path, folder: Path) -> None:
    talk(data)
    backed_up(data, place)
    shutil.copytree(place, folder / "kept")
    changes: list[tuple[Callable[[StoredEvent], StoredEvent], str, type[Exception]]] = [
        (lambda stored: stored._replace(body=b"x"), "the body of this", DamagedBackup),
        (lambda stored: stored._replace(body=None), "its body is missing", DamagedBackup),
        (lambda stored: stored._replace(header=b"\x98\x01"), "in the backup: a header cannot be read", DamagedBackup),
        (lambda stored: stored._replace(header=b"\x98\x02"), "Install the version", UnknownEvent),
    ]
    for change, said, kind in changes:
        shutil.rmtree(place)
        shutil.copytree(folder / "kept", place)
        rewritten(place, change)
        with pytest.raises(kind, match=said):
            looks_well(place)


def test_a_frame_that_is_cut_short_is_named() -> None:
    frames = packed(StoredEvent(Seq(7), b"header", b"body")) + packed(StoredEvent(Seq(8), b"header", None))
    assert [each.body for each in unpacked(frames, 7)] == [b"body", None]
    for length, seq in ((3, 7), (len(frames) - 1, 8)):
        with pytest.raises(DamagedBackup, match=f"#{seq} is cut short"):
            list(unpacked(frames[:length], 7))


def test_a_newer_form_is_refused(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    value = json.loads((place / NAME).read_bytes())
    (place / NAME).write_text(json.dumps({**value, "format": 2, "more": "fields"}))
    for action in (lambda: Backup(place), lambda: backed_up(data, place)):
        with pytest.raises(NotABackup, match="Install the version"):
            action()


def test_a_line_that_a_crash_cut_short_is_written_over(data: Path, place: Path) -> None:
    talk(data)
    with Engine.open(data) as engine:
        erase(engine, handle_of(engine, KIM))
    backed_up(data, place)
    with (place / "ledger").open("ab") as ledger:
        ledger.write(bytes(512) + b"\n" + b'{"seq": 99, "tag": "person.era')
    assert len(Backup(place).ledger.facts) == 1
    record(data, drafts(setting("x"), name="x"), redacts("x 0"))
    assert backed_up(data, place).facts == 2
    assert (place / "ledger").read_bytes().count(b"\n") == 2
    looks_well(place)


# -- keys ----------------------------------------------------------------------------------------------------------


def test_keys_are_wrapped_under_a_passphrase(data: Path, place: Path) -> None:
    talk(data)
    assert backed_up(data, place, WRAPPED).keys
    log = Backup(place).manifest.log
    assert set(unwrapped(place / KEYS, PASSPHRASE, log)) == ring(data)
    assert set(unwrapped(place / KEYS, f" {PASSPHRASE} ", log)) == ring(data)
    with pytest.raises(WrongPassphrase):
        unwrapped(place / KEYS, "correct house", log)
    with pytest.raises(WrongPassphrase):
        unwrapped(place / KEYS, PASSPHRASE, "00" * 16)
    everything = b"".join(contents(place).values())
    secrets = [each.payload for each in ring(data)]
    assert not any(each in everything or each.hex().encode() in everything for each in secrets)


def test_a_passphrase_is_the_same_in_either_form_of_unicode(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place, Wrapping("Gr\u00fc\u00dfe aus K\u00f6ln", CHEAP))
    assert unwrapped(place / KEYS, "Gru\u0308\u00dfe aus Ko\u0308ln", Backup(place).manifest.log)


def test_a_backup_with_keys_is_not_continued_without_a_word_on_them(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place, WRAPPED)
    talk(data, 8, 10)
    with pytest.raises(BadRequest, match="--with-keys again, or --without-keys"):
        backed_up(data, place)
    assert backed_up(data, place, "none").keys is False
    assert not (place / KEYS).exists()
    assert backed_up(data, place).keys is False


def test_keys_that_are_lacking_are_told(data: Path, place: Path) -> None:
    talk(data)
    store = FileRingStore(data / "keys")
    records = store.read()
    store.rewrite(records[:3])
    store.close()
    with pytest.raises(KeyMissing, match="Put the `keys` folder back"):
        backed_up(data, place, WRAPPED)
    assert backed_up(data, place).keys is False


def no_file(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def changed(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"nonce": "', b'"nonce": "0'))


def too_dear(path: Path) -> None:
    keys = decoded(path.read_bytes(), WrappedKeys, path)
    path.write_bytes(encoded(msgspec.structs.replace(keys, cost=Cost(1 << 30))))


def no_cost(path: Path) -> None:
    keys = decoded(path.read_bytes(), WrappedKeys, path)
    path.write_bytes(encoded(msgspec.structs.replace(keys, cost=Cost(3))))


@pytest.mark.parametrize("break_it", [no_file, cut, changed, too_dear, no_cost])
def test_keys_that_are_not_what_was_written_are_refused(
    data: Path, place: Path, break_it: Callable[[Path], None]
) -> None:
    talk(data)
    backed_up(data, place, WRAPPED)
    break_it(place / KEYS)
    with pytest.raises(DamagedBackup):
        unwrapped(place / KEYS, PASSPHRASE, Backup(place).manifest.log)


def test_the_default_cost_is_one_that_owasp_names() -> None:
    cost = Wrapping("x").cost
    assert (128 * cost.n * cost.r, cost.p) == (128 << 20, 1)


REWRITES = """
import sys
from pathlib import Path
from projections.registry import FOLD
from replay.rewriting import rewrite
from replay.store import DiskStore
store = DiskStore(Path(sys.argv[1]), FOLD, writable=True)
rewrite(store)
store.close()
"""


def test_a_log_that_was_rewritten_meanwhile_is_followed(data: Path, place: Path) -> None:
    talk(data)
    store = DiskStore(data, FOLD, writable=False)
    subprocess.run([sys.executable, "-c", REWRITES, str(data)], cwd=ROOT, check=True)
    assert back_up(store, place, NOW).events == looks_well(place)
    assert Folder(data / "log").current() == store.log.folder
    store.close()
    assert list(Backup(place).events()) == events_in(data)


@pytest.mark.parametrize("harm", ["cut", "gone"])
def test_a_piece_that_is_cut_or_gone_is_told_also_where_nothing_is_new(data: Path, place: Path, harm: str) -> None:
    settings(data, 0, 3)
    backed_up(data, place)
    (piece,) = (place / "events").iterdir()
    if harm == "cut":
        piece.write_bytes(piece.read_bytes()[:-5])
    else:
        piece.unlink()
    with pytest.raises(DamagedBackup, match=r"was cut to|cannot be read"):
        backed_up(data, place)
