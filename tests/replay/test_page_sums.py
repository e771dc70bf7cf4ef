"""Rows summed as they lie in pages: a table is said to be whole just where each row of it is."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from zlib import crc32

import lmdb
import numpy as np
import pytest

from replay.packing import WHOLE
from replay.pages import columns as page_columns
from replay.pages.columns import well
from replay.pages.fitting import PageFile, metas
from replay.pages.form import PAGE_SIZE
from replay.pages.sums import Numbers, all_whole
from tests.replay.test_page_columns import Rows, flip, key, newest, node_of, page_of, written

SUMMED = ("even", "odd", "large", "mixed", "empty")
TRIES = 300


def with_sum(place: bytes, row: bytes) -> bytes:
    return row + crc32(row, crc32(place)).to_bytes(4, "little")


def rows_of(sizes: list[int], dice: Random) -> Rows:
    """A row of each size, with its sum, under keys of many sizes."""
    places = [key(number) + bytes(dice.randrange(20)) for number in range(len(sizes))]
    return {place: with_sum(place, dice.randbytes(size)) for place, size in zip(places, sizes, strict=True)}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables whose rows end with sums, and one whose rows do not; some rows went, and their pages are free."""
    dice = Random(1)
    tables = {
        b"even": rows_of([60] * 400, dice),
        b"odd": rows_of([61] * 400, dice),
        b"large": rows_of([9_000, 2_500, 4_000, 5_001], dice),
        b"mixed": rows_of([dice.choice((0, 1, 7, 90, 1_300, 2_800, 7_001)) for _ in range(200)], dice),
        b"empty": {},
        b"plain": {key(number): dice.randbytes(50) for number in range(90)},
    }
    gone = [place for place in tables[b"mixed"] if dice.random() < 0.2]
    return written(tmp_path_factory.mktemp("sums") / "all", tables, again=gone)


def seen(path: Path) -> dict[str, int] | None:
    opened = PageFile(path)
    try:
        return well(opened, newest(metas(opened)), SUMMED)
    finally:
        opened.close()


def read(path: Path) -> Iterator[tuple[str, int]]:
    """The tables that have only whole rows, as LMDB reads them, and how many."""
    with lmdb.open(str(path.parent), readonly=True, lock=False, max_dbs=8) as environment:
        for name in SUMMED:
            with environment.begin(db=environment.open_db(name.encode(), create=False)) as transaction:
                rows = list(transaction.cursor())
                if all(crc32(data, crc32(place)) == WHOLE for place, data in rows):
                    yield name, len(rows)


def test_tables_of_whole_rows_are_told_with_their_numbers(file: Path) -> None:
    assert seen(file) == dict(read(file))
    found = seen(file)
    assert found is not None
    assert found.keys() == set(SUMMED)
    assert found["even"] > found["mixed"] > found["large"] > found["empty"] == 0


@pytest.mark.parametrize("kind", ["anywhere", "in a row", "two bits"])
def test_a_table_is_whole_just_where_each_row_is(
    file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(page_columns, "AT_ONCE", 16)
    copy = folder / "data.mdb"
    fitting, broken = 0, set[str]()
    for number in range(TRIES):
        dice, data = Random(number), bytearray(file.read_bytes())
        if kind == "anywhere":
            flip(data, dice.randrange(len(data)), dice)
        else:
            place = node_of(data, page_of(data, dice), dice) + 16
            for _ in range(1 + (kind == "two bits")):
                flip(data, min(place + dice.randrange(60), len(data) - 1), dice)
        copy.write_bytes(data)
        found = seen(copy)
        if found is not None:  # then LMDB can be let read it
            assert found == dict(read(copy)), number
            fitting += 1
            broken |= SUMMED - found.keys()
    assert fitting > 40
    assert broken >= {"even", "odd", "mixed"}


def test_rows_that_do_not_stand_one_behind_the_other_are_not_summed() -> None:
    """There may be room between two of them where others share theirs: whoever reads them one by one has to judge."""
    rows = [with_sum(b"", bytes(20)), with_sum(b"", bytes(28))]
    first = PAGE_SIZE - sum(8 + len(row) for row in rows)
    places = np.array([first, first + 8 + len(rows[0])])
    ends = np.array([int(places[1]), PAGE_SIZE])

    def asked(places: Numbers, ends: Numbers) -> bool:
        data = np.zeros(PAGE_SIZE + 8, np.uint8)
        data[first:PAGE_SIZE] = np.frombuffer(b"".join(bytes(8) + row for row in rows), np.uint8)
        return all_whole(data, np.array([first]), places, ends)

    assert asked(places, ends)
    for by in (-4, 2):
        assert not asked(places, ends + np.array([by, 0]))
        assert not asked(places + np.array([0, by]), ends)
