"""The ring's two copies: torn, flipped, missing, lost in both, written by others."""

import errno
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from replay.errors import CannotWrite, KeyRingDamaged, KeyRingUnreadable, LogFull
from replay.ring.file import COPIES, FileRingStore
from replay.ring.records import (
    ID_KEY,
    PERSON,
    SIZE,
    VAULT,
    Placed,
    Reading,
    RingRecord,
    Stand,
    following,
    pack,
    reading_of,
    stand_of,
    told,
    unpack,
)

ID = RingRecord(ID_KEY, payload=b"k" * 32)
G = b"gg"


def record(n: int) -> RingRecord:
    return RingRecord(VAULT, bytes([n]) * 16, bytes([n]) * 32, n % 3, bytes([n]) * 16)


@pytest.fixture
def store(folder: Path) -> FileRingStore:
    """#1 written at once, then #2 and #3 appended."""
    made = FileRingStore(folder / "keys")
    made.create([ID])
    made.append([record(1), record(2)])
    return made


def paths(folder: Path) -> list[Path]:
    return [folder / "keys" / name for name in COPIES]


def again(folder: Path) -> FileRingStore:
    return FileRingStore(folder / "keys")


def records(data: bytes) -> list[RingRecord]:
    return [each.record for each in unpack(data)]


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0x10
    path.write_bytes(bytes(data))


def destroy(folder: Path, *numbers: int) -> None:
    """A bit of each of these records flips in both copies."""
    for path in paths(folder):
        for number in numbers:
            flip(path, (number - 1) * SIZE + 40)


# -- records -----------------------------------------------------------------------------------------------------------


def test_both_copies_hold_every_record(store: FileRingStore, folder: Path) -> None:
    assert store.read() == [ID, record(1), record(2)]
    data, other = (path.read_bytes() for path in paths(folder))
    assert data == other
    generation = next(unpack(data)).generation
    assert data == pack([ID], generation) + pack([record(1), record(2)], generation, behind=1)
    assert store.damage() == []
    assert all(path.stat().st_mode & 0o077 == 0 for path in (*paths(folder), folder / "keys"))


def test_a_record_says_what_it_says_and_where_it_stands() -> None:
    assert len(pack([ID])) == SIZE == 88
    person = RingRecord(PERSON, b"v" * 16, b"p" * 16, 1, b"l" * 16)
    long = person._replace(payload=b"p" * 16 + bytes(16))
    assert list(unpack(pack([person, ID], G, 6))) == [Placed(G, 7, 7, 8, long), Placed(G, 8, 7, 8, ID)]
    assert list(unpack(pack([person])[:-1])) == []


def test_a_file_is_as_it_was_drawn() -> None:
    data = pack([record(7)], G, 0x01020304)
    assert data[:16] == bytes((VAULT, 7 % 3)) + G + bytes((1, 2, 3, 5)) * 3
    assert data[16:80] == bytes([7]) * 64


def test_how_far_a_ring_goes_is_told_in_ten_bytes() -> None:
    stand = Stand(G, 258)
    assert stand.encoded()[:6] == G + bytes((0, 0, 1, 2))
    assert stand_of(stand.encoded()) == stand
    assert len(stand.encoded()) == 10
    for at in range(10):
        changed = bytearray(stand.encoded())
        changed[at] ^= 1
        assert stand_of(bytes(changed)) is None
    assert stand_of(b"") is stand_of(stand.encoded() + b"x") is None


def test_copies_that_are_the_same_are_clean_and_one_alone_is_too() -> None:
    data = pack([ID, record(1)], G) + pack([record(2)], G, behind=2)
    clean = Reading([ID, record(1), record(2)], (Stand(G, 3),), (), is_clean=True)
    assert reading_of([data, data]) == reading_of([data]) == clean
    assert reading_of([data, data[:-SIZE]]) == clean._replace(is_clean=False)
    assert reading_of([b"", b""]) == Reading([], (), (), is_clean=False)


def test_what_follows_goes_on_by_its_number_and_in_its_generation() -> None:
    stand = Stand(G, 3)
    assert following(pack([record(1), record(2)], G, behind=3), stand) == [record(1), record(2)]
    assert following(b"", stand) == []
    assert following(pack([record(1)], G, behind=4), stand) is None
    assert following(pack([record(1)], b"--", behind=3), stand) is None
    assert following(pack([record(1), record(2)], G, behind=3)[:-SIZE], stand) is None


def test_numbers_that_are_lost_are_told_by_the_first_and_the_last() -> None:
    assert told([7]) == "1 record (#7)"
    assert told([2, 5, 9]) == "3 records (#2 to #9)"


# -- one copy ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", range(SIZE))
def test_a_flipped_bit_in_one_copy_costs_nothing(store: FileRingStore, folder: Path, at: int) -> None:
    flip(paths(folder)[0], SIZE + at)
    assert records(paths(folder)[0].read_bytes()) == [ID, record(2)]
    assert sorted(store.read()) == sorted([ID, record(1), record(2)])
    assert len(store.damage()) == 2
    assert "the two copies" in store.damage()[1]


@pytest.mark.parametrize("cut", [1, 40, SIZE - 1, SIZE, SIZE * 2])
@pytest.mark.parametrize("copy", [0, 1])
def test_a_torn_tail_in_one_copy_is_mended_by_who_appends(
    store: FileRingStore, folder: Path, cut: int, copy: int
) -> None:
    path = paths(folder)[copy]
    path.write_bytes(path.read_bytes()[:-cut])
    assert set(store.read()) == {ID, record(1), record(2)}
    assert store.damage()
    store.append([record(3), record(4)])
    assert set(again(folder).read()) == {ID, record(1), record(2), record(3), record(4)}
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
        flip(paths(folder)[copy], at)
    assert set(store.read()) == {ID, record(1), record(2)}


# -- both copies -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "said"),
    [((1,), "1 record (#1)"), ((2,), "1 record (#2)"), ((2, 3), "2 records (#2 to #3)"), ((3,), "1 record (#3)")],
)
def test_a_record_that_is_lost_in_both_copies_is_refused(
    store: FileRingStore, folder: Path, numbers: tuple[int, ...], said: str
) -> None:
    store.append([record(3)])
    destroy(folder, *numbers)
    before = [path.read_bytes() for path in paths(folder)]
    loss = (
        f"of the key ring in {folder / 'keys'}, {said} cannot be read in either copy. Put the `keys` folder back "
        "from where you keep it, or `dnam restore-backup` a backup that has the keys"
    )
    for attempt in (store.read, again(folder).read, lambda: again(folder).append([record(4)])):
        with pytest.raises(KeyRingDamaged) as error:
            attempt()
        assert str(error.value) == loss
    assert loss in store.damage()
    assert [path.read_bytes() for path in paths(folder)] == before
    left = [ID, record(1), record(2), record(3)]
    assert store.left() == [each for number, each in enumerate(left, 1) if number not in numbers]


def test_what_one_copy_lacks_in_front_and_the_other_behind_is_lost_only_together(
    store: FileRingStore, folder: Path
) -> None:
    store.append([record(3)])
    first, second = paths(folder)
    flip(first, SIZE + 20)
    flip(second, SIZE * 2 + 20)
    assert set(store.read()) == {ID, record(1), record(2), record(3)}
    flip(first, SIZE * 2 + 21)
    with pytest.raises(KeyRingDamaged, match="#3"):
        store.read()


@pytest.mark.parametrize("cut", [1, SIZE - 1, SIZE, SIZE + 1, SIZE * 2 - 1])
def test_an_append_that_a_crash_cut_short_in_both_copies_counts_for_nothing(
    store: FileRingStore, folder: Path, cut: int
) -> None:
    for path in paths(folder):
        path.write_bytes(path.read_bytes()[:-cut])
    other = again(folder)
    assert other.read() == [ID]
    assert other.damage()
    assert other.news() == []
    store.append([record(3)])
    assert other.news() is None
    assert other.read() == [ID, record(3)]
    assert other.damage() == []


def test_of_a_long_append_a_power_cut_may_leave_any_blocks(store: FileRingStore, folder: Path) -> None:
    """Records in the middle and at the end of it are there, others are zeros, in both copies alike or not."""
    store.append([record(n) for n in range(3, 9)])
    for path in paths(folder):
        data = bytearray(path.read_bytes())
        data[SIZE * 3 : SIZE * 5] = bytes(SIZE * 2)
        path.write_bytes(bytes(data))
    assert store.read() == [ID, record(1), record(2)]
    flip(paths(folder)[1], SIZE * 8)
    assert store.read() == [ID, record(1), record(2)]
    store.append([record(20)])
    assert again(folder).read() == [ID, record(1), record(2), record(20)]
    destroy(folder, 2)
    with pytest.raises(KeyRingDamaged, match="#2"):
        store.read()


def test_an_append_that_was_cut_short_at_the_end_of_a_record_is_told_of(store: FileRingStore, folder: Path) -> None:
    for path in paths(folder):
        path.write_bytes(path.read_bytes()[:-SIZE])
    assert store.damage() == [f"both copies in {folder / 'keys'} end in an append that was cut short"]
    store.rewrite(store.read())
    assert store.damage() == []
    assert store.read() == [ID]


def test_of_what_was_written_at_once_nothing_may_be_missing(store: FileRingStore, folder: Path) -> None:
    """It was whole on the disk before it got its name: no crash leaves a part of it."""
    store.rewrite([ID, record(1), record(2)])
    for path in paths(folder):
        path.write_bytes(path.read_bytes()[:-SIZE])
    with pytest.raises(KeyRingDamaged, match="#3"):
        store.read()


def test_what_holds_nothing_valid_is_no_ring(store: FileRingStore, folder: Path) -> None:
    for path in paths(folder):
        path.write_bytes(bytes(SIZE * 3))
    assert store.read() == []
    assert store.damage() == [f"{path}: 3 damaged records, 0 bytes over" for path in paths(folder)]


# -- the end, which only the log knows ---------------------------------------------------------------------------------


def test_a_ring_that_ends_before_where_it_went_is_refused(store: FileRingStore, folder: Path) -> None:
    before = store.stand()
    assert before is not None
    assert before.last == 3
    store.append([record(3)])
    reached = store.stand()
    assert reached == before._replace(last=4)
    for each in (store, again(folder)):
        each.refuse_cut(reached)
        each.refuse_cut(before)
        each.refuse_cut(Stand(b"--", 99) if before.generation != b"--" else Stand(b"++", 99))
    for path in paths(folder):
        path.write_bytes(path.read_bytes()[:-SIZE])
    late = again(folder)
    assert late.read() == [ID, record(1), record(2)]
    with pytest.raises(KeyRingDamaged) as error:
        late.refuse_cut(reached)
    assert str(error.value).startswith(
        f"the key ring in {folder / 'keys'} ends at #3, and the log was written when it went to #4: in both copies its "
        "end is lost. Put the `keys` folder back"
    )


@pytest.mark.parametrize("left", [b"", bytes(SIZE * 4)])
def test_a_ring_of_which_nothing_is_left_ends_in_front_of_its_first_record(
    store: FileRingStore, folder: Path, left: bytes
) -> None:
    reached = store.stand()
    assert reached is not None
    for path in paths(folder):
        path.write_bytes(left)
    with pytest.raises(KeyRingDamaged, match="ends at #0, and the log was written when it went to #3"):
        again(folder).refuse_cut(reached)


def test_what_another_process_appended_since_is_no_lost_end(store: FileRingStore, folder: Path) -> None:
    other = again(folder)
    other.read()
    store.append([record(3)])
    reached = store.stand()
    assert reached is not None
    other.refuse_cut(reached)


# -- other processes ---------------------------------------------------------------------------------------------------


def test_another_process_appends(store: FileRingStore, folder: Path) -> None:
    other = again(folder)
    other.read()
    assert other.news() == []
    store.append([record(3)])
    assert other.news() == [record(3)]
    assert other.news() == []
    other.append([record(4)])
    assert other.news() == [record(4)]
    assert store.read() == [ID, record(1), record(2), record(3), record(4)]
    other.append([record(5)])
    store.append([record(6)])
    assert store.news() == [record(5), record(6)]
    assert again(folder).damage() == []


def test_what_another_process_appended_while_it_was_read_is_no_news(
    store: FileRingStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file was looked at before, and read behind the append."""
    other, meanwhile = again(folder), [record(3)]
    read: Callable[[Path], bytes] = Path.read_bytes

    def read_late(path: Path) -> bytes:
        while meanwhile:
            store.append([meanwhile.pop()])
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", read_late)
    assert other.read() == [ID, record(1), record(2), record(3)]
    assert other.news() == []
    store.append([record(4)])
    assert other.news() == [record(4)]


def test_who_appends_again_reads_nothing_of_what_is_there_unless_another_process_wrote(
    store: FileRingStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an append costs does not grow with the ring."""
    other = again(folder)
    looks: list[Path] = []
    read: Callable[[Path], bytes] = Path.read_bytes

    def counted(path: Path) -> bytes:
        looks.append(path)
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", counted)
    store.append([record(3)])
    store.append([record(4)])
    assert looks == []
    other.append([record(5)])
    assert looks == paths(folder)
    store.append([record(6)])
    assert looks == paths(folder) * 2


def test_another_process_writes_it_anew(store: FileRingStore, folder: Path) -> None:
    other = again(folder)
    other.read()
    store.rewrite([ID, record(2)])
    other.append([record(5)])
    assert other.news() is None
    assert other.read() == [ID, record(2), record(5)]
    assert again(folder).read() == [ID, record(2), record(5)]
    assert other.damage() == []


def test_one_who_appends_passes_over_what_a_killed_process_left(store: FileRingStore, folder: Path) -> None:
    """It came no further than some records of the first copy."""
    other = again(folder)
    other.read()
    first, _ = paths(folder)
    stand = other.stand()
    assert stand is not None
    whole = first.read_bytes()
    first.write_bytes(whole + pack([record(8), record(9)], *stand)[: SIZE + 30])
    assert other.news() is None
    assert other.read() == [ID, record(1), record(2)]
    assert other.news() == []
    assert other.stand() is None
    store.append([record(3)])
    assert other.news() is None
    assert other.read() == [ID, record(1), record(2), record(3)]
    assert other.damage() == []


def test_a_file_that_became_shorter_or_is_gone_is_read_anew(store: FileRingStore, folder: Path) -> None:
    store.read()
    first, _ = paths(folder)
    whole = first.read_bytes()
    with first.open("r+b") as copy:
        copy.truncate(SIZE)
    assert store.news() is None
    first.write_bytes(whole)
    store.read()
    first.unlink()
    assert store.news() is None


def test_news_that_are_damaged_are_read_from_the_other_copy(store: FileRingStore, folder: Path) -> None:
    other = again(folder)
    other.read()
    store.append([record(3)])
    flip(paths(folder)[0], SIZE * 3 + 5)
    assert other.news() is None
    assert other.read() == [ID, record(1), record(2), record(3)]


def test_what_was_written_between_the_looks_at_two_copies_is_not_lost(
    store: FileRingStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first copy was read before two appends, the second one, in which a record is damaged, behind them."""
    old = paths(folder)[0].read_bytes()
    store.append([record(3)])
    store.append([record(4)])
    flip(paths(folder)[1], SIZE * 3)
    told: list[bytes] = [old]
    read: Callable[[Path], bytes] = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: told.pop() if told else read(path))
    assert set(store.read()) == {ID, record(1), record(2), record(3), record(4)}


def test_copies_of_two_generations_hold_where_one_of_them_is_whole(store: FileRingStore, folder: Path) -> None:
    """A process was killed between writing the first copy anew and the second."""
    first, second = paths(folder)
    old = second.read_bytes()
    store.rewrite([ID, record(2)])
    second.write_bytes(old)
    other = again(folder)
    assert set(other.read()) == {ID, record(1), record(2)}
    other.refuse_cut(Stand(next(unpack(old)).generation, 99))
    flip(first, SIZE)
    assert set(other.read()) == {ID, record(1), record(2)}
    flip(second, 0)
    with pytest.raises(KeyRingDamaged, match=r"#2\)"):
        other.read()
    flip(first, SIZE)
    other.append([record(9)])
    assert set(again(folder).read()) == {ID, record(1), record(2), record(9)}
    assert other.damage() == []


# -- what cannot be read or written ------------------------------------------------------------------------------------


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
    store = again(folder)
    assert not store.exists()
    assert store.read() == []
    assert store.stand() is None
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


def test_an_append_that_can_not_even_be_taken_back_says_what_was_wrong_with_it(
    store: FileRingStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The half record that it leaves is passed over by whoever reads; the second copy was not begun."""
    before = store.read()

    def fails(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("replay.ring.file.os.ftruncate", fails)
    with no_file_over(SIZE * 3 + 33), pytest.raises(LogFull, match="is full"):
        store.append([record(3), record(4)])
    assert [path.stat().st_size for path in paths(folder)] == [SIZE * 3 + 33, SIZE * 3]
    assert again(folder).read() == before


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
    assert store.damage() == [f"{second}: 1 damaged record, 0 bytes over", differ]


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
