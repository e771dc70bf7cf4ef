"""Many pages looked at at once: all is well there only where the walk over them, page by page, finds no flaw."""

import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import lmdb
import numpy as np
import pytest

from replay.pages import columns as page_columns
from replay.pages import flaws as page_flaws
from replay.pages.columns import Keys, ascending, in_order, well
from replay.pages.fitting import BadPage, Meta, PageFile, metas
from replay.pages.flaws import flaws_of, unlike
from replay.pages.form import PAGE_SIZE

Rows = dict[bytes, bytes]
TRIES = 70
"""How often each kind of damage is done."""
FEW = 16
"""So few pages are looked at at once that a small table takes several looks."""


def key(number: int) -> bytes:
    return number.to_bytes(8, "big")


def long_key(number: int) -> bytes:
    """Few of them fill a page; they begin alike."""
    return b"so long and " + bytes((number,)) + b"." * 430


def some_rows() -> dict[bytes, Rows]:
    """Tables with all that there is: three heights, large data, an empty one, keys that begin with one another."""
    alike = {b"a" + bytes(zeros) + end: b"x" * zeros for zeros in range(20) for end in (b"", b"\1", b"\xff" * 9)}
    return {
        b"bodies": {key(seq): bytes(9000 if seq % 20 == 0 else 90 + seq) for seq in range(1, 61)},
        b"long": {long_key(number): b"" for number in range(120)},
        b"alike": alike | {b"\xff" * size: b"" for size in (1, 7, 8, 9, 511)},
        b"single": {b"one": b"row"},
        b"empty": {},
    }


def written(folder: Path, tables: dict[bytes, Rows], *, again: Sequence[bytes] = ()) -> Path:
    """A database; some rows are deleted and written again, so that there are free pages."""
    folder.mkdir()
    with lmdb.open(str(folder), map_size=1 << 26, max_dbs=8, sync=False) as environment:
        opened = {name: environment.open_db(name) for name in tables}
        for name, rows in tables.items():
            with environment.begin(write=True, db=opened[name]) as transaction:
                transaction.cursor().putmulti(rows.items())
        for one in again:
            for name in tables:
                with environment.begin(write=True, db=opened[name]) as transaction:
                    transaction.delete(one)
    return folder / "data.mdb"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small database with all sorts of pages."""
    gone = [key(20), *map(key, range(23, 40)), *map(long_key, range(3, 60, 7))]
    return written(tmp_path_factory.mktemp("columns") / "all", some_rows(), again=gone)


def all_well(path: Path) -> bool:
    opened = PageFile(path)
    try:
        both = metas(opened)
        return not unlike(both) and well(opened, newest(both)) is not None
    finally:
        opened.close()


def newest(both: Sequence[Meta]) -> Meta:
    return max(both, key=lambda each: each.commit)


# -- what is whole -------------------------------------------------------------------------------------------------


def test_a_file_of_all_sorts_is_well(file: Path) -> None:
    assert flaws_of(file) == ()
    assert all_well(file)
    with lmdb.open(str(file.parent), readonly=True, max_dbs=8) as environment, environment.begin() as transaction:
        stats = [transaction.stat(environment.open_db(name, transaction, create=False)) for name in some_rows()]
    assert max(each["depth"] for each in stats) == 3
    assert max(each["leaf_pages"] for each in stats) > FEW
    assert sum(each["overflow_pages"] for each in stats) > 3


@pytest.mark.parametrize("story", range(12))
def test_files_of_many_shapes_are_well(folder: Path, story: int) -> None:
    dice = Random(story)
    tables: dict[bytes, Rows] = {}
    for name in (b"a", b"b"):
        wide, most = dice.choice((2, 8, 9, 16, 120, 511)), dice.choice((0, 30, 300, 5000))
        numbers = (dice.randrange(1 << 8 * min(wide, 3)) for _ in range(dice.choice((0, 1, 90, 700))))
        keys = [number.to_bytes(wide, dice.choice(("big", "little"))) for number in numbers]
        tables[name] = {each.lstrip(b"\0") or b"\0": bytes(dice.randint(0, most)) for each in keys}
    gone = [each for rows in tables.values() for each in rows if dice.random() < 0.05]
    path = written(folder / "shape", tables, again=gone)
    assert all_well(path)
    assert flaws_of(path) == ()


def test_an_empty_file_is_well(folder: Path) -> None:
    assert all_well(written(folder / "nothing", {b"a": {}}))


# -- what is damaged -----------------------------------------------------------------------------------------------

Damage = Callable[[bytearray, Random], None]


def page_of(data: bytearray, dice: Random) -> int:
    """Where a page begins."""
    return dice.randrange(len(data) // PAGE_SIZE) * PAGE_SIZE


def flip(data: bytearray, place: int, dice: Random) -> None:
    data[place] ^= 1 << dice.randrange(8)


def node_of(data: bytearray, page: int, dice: Random) -> int:
    """Where a node of a page begins, or something that is taken for one."""
    lower = min(max(*struct.unpack_from("<H", data, page + 12), 18), PAGE_SIZE)
    place = page + 16 + 2 * dice.randrange((lower - 16) // 2)
    return min(page + int(*struct.unpack_from("<H", data, place)), len(data) - 32)


def in_a_head(data: bytearray, dice: Random) -> None:
    flip(data, page_of(data, dice) + dice.randrange(16), dice)


def in_a_pointer(data: bytearray, dice: Random) -> None:
    flip(data, page_of(data, dice) + 16 + dice.randrange(40), dice)


def in_a_node(data: bytearray, dice: Random) -> None:
    flip(data, node_of(data, page_of(data, dice), dice) + dice.randrange(8), dice)


def in_a_key(data: bytearray, dice: Random) -> None:
    flip(data, node_of(data, page_of(data, dice), dice) + 8 + dice.randrange(24), dice)


def in_a_meta(data: bytearray, dice: Random) -> None:
    flip(data, dice.randrange(2) * PAGE_SIZE + 40 + dice.randrange(112), dice)


def in_a_tree(data: bytearray, dice: Random) -> None:
    """What is recorded of a table: it lies behind its name."""
    (first,), (second,) = (struct.unpack_from("<Q", data, page * PAGE_SIZE + 144) for page in (0, 1))
    (names,) = struct.unpack_from("<Q", data, 128 + PAGE_SIZE * (second > first))
    name = dice.choice(list(some_rows()))
    flip(data, data.index(name, names * PAGE_SIZE) + len(name) + dice.randrange(48), dice)


def a_number(data: bytearray, dice: Random) -> None:
    """Two bytes that say something else, such as might stand there."""
    page = page_of(data, dice)
    place = dice.choice((page + 16 + 2 * dice.randrange(20), node_of(data, page, dice) + 2 * dice.randrange(4)))
    struct.pack_into("<H", data, place, dice.randrange(dice.choice((4, 64, 4100))))


def by_two_bytes(data: bytearray, dice: Random) -> None:
    """One row less, or one more."""
    place = page_of(data, dice) + dice.choice((12, 14))
    (stood,) = struct.unpack_from("<H", data, place)
    struct.pack_into("<H", data, place, (stood + dice.choice((-2, 2))) % 65536)


def two_rows_changed_about(data: bytearray, dice: Random) -> None:
    page = page_of(data, dice)
    one, other = (page + 16 + 2 * dice.randrange(6) for _ in range(2))
    data[one : one + 2], data[other : other + 2] = data[other : other + 2], data[one : one + 2]


def two_nodes_changed_about(data: bytearray, dice: Random) -> None:
    """Their lengths, or their children."""
    page = page_of(data, dice)
    one, other = (node_of(data, page, dice) for _ in range(2))
    data[one : one + 6], data[other : other + 6] = data[other : other + 6], data[one : one + 6]


def two_pages_changed_about(data: bytearray, dice: Random) -> None:
    """With their numbers, or without: then each says rightly which it is."""
    less = dice.choice((0, 8))
    one, other = (page_of(data, dice) for _ in range(2))
    first, second = data[one + less : one + PAGE_SIZE], data[other + less : other + PAGE_SIZE]
    data[one + less : one + PAGE_SIZE], data[other + less : other + PAGE_SIZE] = second, first


def a_page_twice(data: bytearray, dice: Random) -> None:
    less = dice.choice((0, 8))
    one, other = (page_of(data, dice) for _ in range(2))
    data[one + less : one + PAGE_SIZE] = data[other + less : other + PAGE_SIZE]


def zeros(data: bytearray, dice: Random) -> None:
    page, size = page_of(data, dice), dice.choice((16, 512, PAGE_SIZE))
    data[page : page + size] = bytes(size)


def cut(data: bytearray, dice: Random) -> None:
    del data[dice.randrange(2 * PAGE_SIZE, len(data)) :]


def anywhere(data: bytearray, dice: Random) -> None:
    flip(data, dice.randrange(len(data)), dice)


DAMAGES: tuple[Damage, ...] = (
    in_a_head,
    in_a_pointer,
    in_a_node,
    in_a_key,
    in_a_meta,
    in_a_tree,
    a_number,
    by_two_bytes,
    two_rows_changed_about,
    two_nodes_changed_about,
    two_pages_changed_about,
    a_page_twice,
    zeros,
    cut,
    anywhere,
)


def tried(file: Path, copy: Path, damage: Damage, tries: range) -> Iterator[tuple[int, bool, bool]]:
    """Of each damaged copy: whether all is well, and whether the walk finds no flaw."""
    for number in tries:
        dice, data = Random(number), bytearray(file.read_bytes())
        for _ in range(dice.choice((1, 1, 2))):
            damage(data, dice)
        copy.write_bytes(data)
        yield number, all_well(copy), not flaws_of(copy)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: each.__name__)
def test_all_is_well_only_where_the_walk_finds_no_flaw(
    file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, damage: Damage
) -> None:
    monkeypatch.setattr(page_columns, "AT_ONCE", FEW)
    found = 0
    for number, quick, walked in tried(file, folder / "data.mdb", damage, range(TRIES)):
        assert quick == walked, number  # where it were only stricter, it would be slow
        found += not walked
    assert found > 5


def test_a_file_of_many_pages_is_looked_at_at_once_and_its_flaws_are_named(
    file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = bytearray(file.read_bytes())
    copy = folder / "data.mdb"
    two_pages_changed_about(data, Random(1))
    copy.write_bytes(data)
    flaws = flaws_of(copy)
    assert flaws
    monkeypatch.setattr(page_flaws, "MANY_PAGES", 0)
    assert flaws_of(copy) == flaws
    monkeypatch.setattr(page_flaws, "Walk", None)  # nobody walks where all is well
    assert flaws_of(file) == ()


def test_a_first_page_that_tells_of_more_pages_than_can_be_is_a_flaw(file: Path, folder: Path) -> None:
    data = bytearray(file.read_bytes())
    for page in (0, 1):
        struct.pack_into("<Q", data, page * PAGE_SIZE + 136, 1 << 60)
    (folder / "data.mdb").write_bytes(data)
    (flaw,) = flaws_of(folder / "data.mdb")
    assert flaw.what == "it says that the file has more pages than it can have"
    assert not all_well(folder / "data.mdb")


def test_pages_that_somebody_cuts_off_meanwhile_are_not_there(file: Path) -> None:
    opened = PageFile(file)
    room = memoryview(bytearray(2 * PAGE_SIZE))
    with pytest.raises(BadPage, match="the file ends before it"):
        opened.fill(room, opened.pages - 1)
    with pytest.raises(BadPage, match="the file ends before it"):
        opened.heads([1, opened.pages])
    assert len(opened.heads([1, opened.pages - 1])) == 32
    opened.close()


# -- keys ----------------------------------------------------------------------------------------------------------


def laid(keys: Sequence[bytes]) -> Keys:
    """Keys as they might lie in pages, with something between them."""
    sizes = np.array([len(each) for each in keys], np.int64)
    places = np.cumsum(sizes + 3) - sizes
    return Keys(
        np.frombuffer(b"".join(b"abc" + each for each in keys) + b"\xffroom for a word", np.uint8), places, sizes
    )


class Cold(PageFile):
    """A file of which every so manieth stretch of pages is not in memory, and what the disk was told of."""

    every = 1

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.asked = 0
        self.told: list[int] = []
        self.filled: list[int] = []

    def fill_now(self, room: memoryview, number: int) -> bool:
        self.asked += 1
        return self.asked % self.every != 0 and super().fill_now(room, number)

    def ahead(self, number: int, count: int) -> None:
        self.told.append(number)
        super().ahead(number, count)

    def fill(self, room: memoryview, number: int) -> None:
        assert number in self.told
        self.filled.append(number)
        super().fill(room, number)


@pytest.mark.parametrize("every", [1, 3, 10**9])
def test_what_is_not_in_memory_is_told_to_the_disk_before_it_is_waited_for(
    file: Path, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Cold, "every", every)
    cold = Cold(file)
    newest = max(metas(cold), key=lambda each: each.commit)
    assert well(cold, newest) is not None
    assert bool(cold.told) == (every < 10**9)
    assert cold.filled == cold.told
    cold.close()


def test_pages_are_read_at_once_only_where_that_can_be_said(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages, room = PageFile(file), memoryview(bytearray(PAGE_SIZE))
    pages.fill(room, 1)
    assert pages.fill_now(room, 1)
    assert not pages.fill_now(room, pages.pages)
    monkeypatch.setattr("replay.pages.fitting._NO_WAIT", 1 << 30)  # no system knows it
    assert not pages.fill_now(room, 1)
    monkeypatch.setattr("replay.pages.fitting._SOON", None)
    pages.ahead(0, 1)  # where nobody can be told, nobody is
    pages.close()


def test_keys_are_compared_as_bytes() -> None:
    dice = Random(5)

    def some() -> bytes:
        return bytes(dice.choice((0, 0, 0, 255)) for _ in range(dice.choice((0, 1, 7, 8, 9, 16, 17, 40))))

    for _ in range(800):
        pairs = [(some(), some()) for _ in range(dice.randint(0, 2))]
        left, right = laid([one for one, _ in pairs]), laid([other for _, other in pairs])
        assert in_order(left, right) == all(one < other for one, other in pairs)
        assert in_order(left, right, same_too=True) == all(one <= other for one, other in pairs)
        three = [some() for _ in range(3)]
        assert ascending(laid(three)) == (three[0] < three[1] < three[2])
