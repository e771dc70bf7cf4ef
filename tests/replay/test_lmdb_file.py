"""An LMDB file before it is opened: cut short, grown meanwhile, or lawfully shorter than it says."""

import os
from io import FileIO
from pathlib import Path

import lmdb
import pytest

from replay.errors import Truncated
from replay.free_pages import FreePages
from replay.lmdb_file import _check, check_file


def test_a_file_may_lack_pages_that_are_free(folder: Path) -> None:
    """LMDB never writes a page that it took and gave back in one transaction, and counts it all the same."""
    lacking = 0
    with lmdb.open(str(folder), map_size=1 << 30, max_dbs=4) as environment:
        database = environment.open_db(b"bodies")
        for n in range(60):
            with environment.begin(write=True, db=database) as transaction:
                for each in range(n % 7 * 30):
                    transaction.put(f"{n} {each}".encode(), b"x" * 1800)
                transaction.put(b"taken", b"x" * 100_000)
                transaction.delete(b"taken")
                for key in [key for key, _ in transaction.cursor()][:: n % 5 + 1]:
                    transaction.delete(key)
            pages = environment.info()["last_pgno"] + 1
            lacking += (folder / "data.mdb").stat().st_size < pages * 4096
            check_file(folder)
    assert lacking
    path = folder / "data.mdb"
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)
    with pytest.raises(Truncated):
        check_file(folder)


class Growing(FileIO):
    """A file that a writer has grown, and whose first look is of before."""

    looks = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.looks += 1
        found = super().read(size)
        return found[:136] + (10**6).to_bytes(8, "little") + found[144:] if self.looks <= 2 else found


def test_a_file_that_grows_meanwhile_is_looked_at_again(folder: Path) -> None:
    lmdb.open(str(folder)).close()
    path = folder / "data.mdb"
    with Growing(path) as file:
        _check(path, file)
        assert file.looks >= 4


def test_no_free_pages() -> None:
    with FileIO(os.devnull) as file:
        assert list(FreePages(file, 4096).under((1 << 64) - 1)) == []
        with pytest.raises(EOFError):
            list(FreePages(file, 4096).under(7))
