"""Spare pages of a log's file: taken many at once, without a trace, and not where they would be in the way."""

import errno
import os
from collections.abc import Iterator
from itertools import cycle, pairwise
from pathlib import Path

import lmdb
import pytest

from projections.ids import EventId, VaultId
from replay import codec, spare_pages
from replay.codec import Header
from replay.lmdb_file import check_file
from replay.lmdb_log import LmdbLog
from replay.log import Commit, Entry, Head
from replay.page_flaws import flaws_of
from replay.pages import PAGE_SIZE
from replay.spare_pages import LOOK, MOST, SparePages

EVENTS = 900


def entry(n: int) -> Entry:
    event = EventId(n.to_bytes(16, "big"))
    header = Header(1, event, n, 0, "message.heard", 1, VaultId(bytes(16)), bytes(32))
    return Entry(event, codec.encode_header(header), n.to_bytes(4, "big") * 130)


def one_by_one(log: LmdbLog, events: int, head: Head) -> Iterator[tuple[Head, int]]:
    """The head after each of so many commits, and the file's last page by then."""
    for n in range(head.size + 1, head.size + events + 1):
        head = log.append(Commit([entry(n)], at=n), head)
        yield head, log._environment.info()["last_pgno"]


def test_a_file_grows_seldom_and_by_many_pages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "data.mdb"
    log, beside = LmdbLog.create(folder, b"i" * 16, b"c" * 16), folder / "beside"
    beside.mkdir()
    plain = LmdbLog.create(beside, b"i" * 16, b"c" * 16)
    sizes = []
    for _, last in one_by_one(log, EVENTS, log.head()):
        sizes.append(last)
        assert path.stat().st_size >= (last + 1) * PAGE_SIZE  # it is as long as it says
    monkeypatch.setattr(spare_pages, "MOST", 0)
    plain_sizes = [last for _, last in one_by_one(plain, EVENTS, plain.head())]
    grown, plain_grown = (sum(b > a for a, b in pairwise(each[300:])) for each in (sizes, plain_sizes))
    assert 0 < 4 * grown < plain_grown
    assert sizes[-1] <= plain_sizes[-1] + MOST
    check_file(folder)
    assert not flaws_of(path)
    assert [each.header for each in log.read(0)] == [entry(n).header for n in range(1, EVENTS + 1)]
    with log._environment.begin(db=log._meta) as transaction:
        assert [key for key, _ in transaction.cursor()] == [b"log"]
    log.close()
    plain.close()


def test_a_small_log_stays_small(folder: Path) -> None:
    log = LmdbLog.create(folder, b"i" * 16, b"c" * 16)
    *_, (_, last) = one_by_one(log, 100, log.head())
    assert last < 60
    log.close()


def test_each_opening_takes_none_before_the_file_grows(folder: Path) -> None:
    log = LmdbLog.create(folder, b"i" * 16, b"c" * 16)
    head = log.head()
    *_, (head, last) = one_by_one(log, 600, head)
    log.close()
    for _ in range(3):
        log = LmdbLog(folder)
        *_, (head, now) = one_by_one(log, LOOK, head)
        assert now - last < LOOK
        last = now
        log.close()


def test_a_file_that_goes_on_behind_its_last_page_is_whole(folder: Path) -> None:
    """So does one whose writer was killed between making it longer and the end of its commit."""
    log = LmdbLog.create(folder, b"i" * 16, b"c" * 16)
    *_, (head, last) = one_by_one(log, 40, log.head())
    log.close()
    os.truncate(folder / "data.mdb", (last + 1 + MOST) * PAGE_SIZE)
    assert not flaws_of(folder / "data.mdb")
    log = LmdbLog(folder, thorough=True)
    *_, (head, _) = one_by_one(log, 40, head)
    assert log.head() == head
    assert not flaws_of(folder / "data.mdb")
    log.close()


def filling(environment: lmdb.Environment, commits: int, *writers: SparePages) -> int:
    """The last page after so many commits of a page each, by writers in turn."""
    table = environment.open_db(b"rows")
    for n, spare in zip(range(commits), cycle(writers), strict=False):
        with environment.begin(write=True) as transaction:
            spare.keep_some(transaction, table)
            transaction.put(n.to_bytes(4, "big"), bytes(3000), db=table)
    last: int = environment.info()["last_pgno"]
    return last


def test_two_writers_in_turn_do_not_outbid_each_other(folder: Path) -> None:
    """What the one takes is no reason for the other to take more."""
    with lmdb.open(str(folder), map_size=1 << 30, max_dbs=1) as environment:
        writers = [SparePages(environment, folder / "data.mdb") for _ in range(2)]  # as two processes have them
        assert filling(environment, 400, *writers) < 420


def test_none_is_taken_where_the_map_is_nearly_full(folder: Path) -> None:
    ends = []
    for map_size in (1 << 30, 300 * PAGE_SIZE):
        place = folder / str(map_size)
        with lmdb.open(str(place), map_size=map_size, max_dbs=1) as environment:
            ends.append(filling(environment, 200, SparePages(environment, place / "data.mdb")))
    assert ends[1] < ends[0]


def test_a_file_that_cannot_be_made_longer_is_left_as_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is shorter than it says then, lawfully, until these pages are written."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))

    monkeypatch.setattr(os, "truncate", refuse)
    shorter = 0
    log = LmdbLog.create(folder, b"i" * 16, b"c" * 16)
    for _, last in one_by_one(log, EVENTS, log.head()):
        shorter += (folder / "data.mdb").stat().st_size < (last + 1) * PAGE_SIZE
        check_file(folder)
    assert shorter
    assert not flaws_of(folder / "data.mdb")
    log.close()
