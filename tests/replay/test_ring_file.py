"""The ring's two copies: torn, flipped, missing, damaged, written by others."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from replay.errors import CannotWrite, KeyRingUnreadable, LogFull
from replay.ringfile import COPIES, ID_KEY, PERSON, SIZE, VAULT, FileRingStore, RingRecord, pack, unpack

ID = RingRecord(ID_KEY, payload=b"k" * 32)


def record(n: int) -> RingRecord:
    return RingRecord(VAULT, bytes([n]) * 16, bytes([n]) * 32, n % 3, bytes([n]) * 16)


@pytest.fixture
def store(folder: Path) -> FileRingStore:
    made = FileRingStore(folder / "keys")
    made.create([ID])
    made.append([record(1), record(2)])
    return made


def paths(folder: Path) -> list[Path]:
    return [folder / "keys" / name for name in COPIES]


def test_both_copies_hold_every_record(store: FileRingStore, folder: Path) -> None:
    assert store.read() == [ID, record(1), record(2)]
    assert {path.read_bytes() for path in paths(folder)} == {pack(ID) + pack(record(1)) + pack(record(2))}
    assert store.damage() == []
    assert all(path.stat().st_mode & 0o077 == 0 for path in (*paths(folder), folder / "keys"))


def test_a_record_says_what_it_says() -> None:
    assert len(pack(ID)) == SIZE
    person = RingRecord(PERSON, b"v" * 16, b"p" * 16)
    assert list(unpack(pack(person))) == [person._replace(payload=b"p" * 16 + bytes(16))]


@pytest.mark.parametrize("at", range(SIZE))
def test_a_flipped_bit_in_one_copy_costs_nothing(store: FileRingStore, folder: Path, at: int) -> None:
    data = bytearray(paths(folder)[0].read_bytes())
    data[SIZE + at] ^= 0x10
    paths(folder)[0].write_bytes(bytes(data))
    if at not in (2, 3):
        assert list(unpack(bytes(data))) == [ID, record(2)]
    assert sorted(store.read()) == sorted([ID, record(1), record(2)])
    assert len(store.damage()) == 2
    assert "the two copies" in store.damage()[1]


@pytest.mark.parametrize("cut", [1, 40, SIZE - 1])
@pytest.mark.parametrize("copy", [0, 1])
def test_a_torn_tail_is_written_over(store: FileRingStore, folder: Path, cut: int, copy: int) -> None:
    whole = paths(folder)[copy].read_bytes()
    paths(folder)[copy].write_bytes(whole[:-cut])
    assert set(store.read()) == {ID, record(1), record(2)}
    assert len(store.damage()) == 2
    store.append([record(3), record(4)])
    again = FileRingStore(folder / "keys")
    assert set(again.read()) == {ID, record(1), record(2), record(3), record(4)}
    assert record(4) in unpack(paths(folder)[copy].read_bytes())


def test_torn_tails_in_both_copies_do_not_put_later_records_out_of_step(store: FileRingStore, folder: Path) -> None:
    for path in paths(folder):
        path.write_bytes(path.read_bytes() + pack(record(9))[:33])
    other = FileRingStore(folder / "keys")
    assert other.read() == [ID, record(1), record(2)]
    store.append([record(3)])
    assert store.read() == [ID, record(1), record(2), record(3)]
    assert other.news() == [record(3)]
    assert store.damage() == []


def test_a_missing_copy_costs_nothing_to_read(store: FileRingStore, folder: Path) -> None:
    paths(folder)[0].unlink()
    assert store.exists()
    assert store.read() == [ID, record(1), record(2)]
    assert store.news() is None
    with pytest.raises(CannotWrite):
        store.append([record(3)])
    store.rewrite(store.read())
    store.append([record(3)])
    assert store.read() == [ID, record(1), record(2), record(3)]


def test_both_copies_damaged_in_different_places(store: FileRingStore, folder: Path) -> None:
    for copy, at in ((0, 0), (1, SIZE)):
        data = bytearray(paths(folder)[copy].read_bytes())
        data[at] ^= 0x01
        paths(folder)[copy].write_bytes(bytes(data))
    assert set(store.read()) == {ID, record(1), record(2)}


def test_another_process_appends(store: FileRingStore, folder: Path) -> None:
    other = FileRingStore(folder / "keys")
    other.read()
    assert other.news() == []
    store.append([record(3)])
    assert other.news() == [record(3)]
    assert other.news() == []
    other.append([record(4)])
    assert other.news() == [record(4)]
    assert store.read() == [ID, record(1), record(2), record(3), record(4)]


def test_another_process_writes_it_anew(store: FileRingStore, folder: Path) -> None:
    other = FileRingStore(folder / "keys")
    other.read()
    store.rewrite([ID, record(2)])
    other.append([record(5)])
    assert other.news() is None
    assert other.read() == [ID, record(2), record(5)]
    assert FileRingStore(folder / "keys").read() == [ID, record(2), record(5)]


def test_a_ring_that_cannot_be_read_says_so(store: FileRingStore, folder: Path) -> None:
    paths(folder)[1].unlink()
    paths(folder)[1].mkdir()
    with pytest.raises(KeyRingUnreadable, match="ring-b cannot be read"):
        store.read()
    with pytest.raises(CannotWrite):
        store.append([record(3)])
    with pytest.raises(CannotWrite):
        store.rewrite([ID])


def test_no_ring(folder: Path) -> None:
    store = FileRingStore(folder / "keys")
    assert not store.exists()
    assert store.read() == []
    store.close()


@contextmanager
def no_file_over(size: int) -> Iterator[None]:
    """The system cuts every write short at this size, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_an_append_that_was_cut_short_leaves_no_half_record(store: FileRingStore, folder: Path) -> None:
    before = store.read()
    with no_file_over(SIZE * 3 + 33), pytest.raises(LogFull, match="is full"):
        store.append([record(3), record(4)])
    assert [path.stat().st_size for path in paths(folder)] == [SIZE * 3] * 2
    assert store.read() == before
    store.append([record(5)])
    assert store.read() == [*before, record(5)]
    assert store.damage() == []


def test_a_ring_that_cannot_be_written_anew_stays_as_it_is(store: FileRingStore) -> None:
    before = store.read()
    with no_file_over(SIZE), pytest.raises(LogFull, match="is full"):
        store.rewrite([ID, record(7)])
    assert store.read() == before


def test_damage_is_told_copy_by_copy(store: FileRingStore, folder: Path) -> None:
    first, second = paths(folder)
    whole, differ = first.read_bytes(), f"the two copies in {folder / 'keys'} differ"
    first.write_bytes(whole[:-1])
    assert store.damage() == [f"{first}: 0 damaged records, {SIZE - 1} bytes over", differ]
    second.write_bytes(whole[:-1])
    assert store.damage() == [f"{each}: 0 damaged records, {SIZE - 1} bytes over" for each in (first, second)]
    second.write_bytes(whole[:SIZE] + b"\xff" + whole[SIZE + 1 :])
    first.write_bytes(whole)
    assert store.damage() == [f"{second}: 1 damaged records, 0 bytes over", differ]


def test_what_cannot_be_read_or_written_says_which_and_why(store: FileRingStore, folder: Path) -> None:
    first = paths(folder)[0]
    with no_file_over(SIZE * 3 + 33), pytest.raises(LogFull) as full:
        store.append([record(3), record(4)])
    assert str(full.value) == (
        f"the disk of {folder / 'keys'} is full: make room; nothing that was acknowledged is lost"
    )
    first.unlink()
    with pytest.raises(CannotWrite) as missing:
        store.append([record(3)])
    assert str(missing.value) == f"the key ring in {folder / 'keys'} cannot be written: No such file or directory"
    first.mkdir()
    with pytest.raises(KeyRingUnreadable) as unreadable:
        store.read()
    assert str(unreadable.value) == f"the key ring {first} cannot be read: Is a directory"
