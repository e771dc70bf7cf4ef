"""Spare pages of a log's file: in one piece, without a trace, and not where they would be in the way."""

import errno
import os
from collections.abc import Iterator
from itertools import cycle, pairwise
from pathlib import Path
from statistics import mean

import lmdb
import pytest

from projections.ids import EventId, Seq, VaultId
from replay import codec
from replay.codec import Header
from replay.lmdb_file import check_file
from replay.lmdb_log import LmdbLog
from replay.log import Commit, Entry, Head
from replay.pages import spare as spare_pages
from replay.pages.flaws import flaws_of
from replay.pages.form import PAGE_SIZE
from replay.pages.spare import EVERY, MOST, BySeq, SparePages

EVENTS = 900
BODY, LONG = 520, 3000


def entry(n: int, size: int = BODY) -> Entry:
    event = EventId(n.to_bytes(16, "big"))
    header = Header(1, event, n, 0, "message.heard", 1, VaultId(bytes(16)), bytes(32))
    return Entry(event, codec.encode_header(header), n.to_bytes(4, "big") * (size // 4))


def one_by_one(log: LmdbLog, events: int, head: Head, size: int = BODY) -> Iterator[tuple[Head, int]]:
    """The head after each of so many commits, and the file's last page by then."""
    for n in range(head.size + 1, head.size + events + 1):
        head = log.append(Commit([entry(n, size)], at=n), head)
        yield head, log._environment.info()["last_pgno"]


def pages_of(path: Path) -> list[bytes]:
    data = path.read_bytes()
    return [data[start : start + PAGE_SIZE] for start in range(0, len(data), PAGE_SIZE)]


def places_of_commits(log: LmdbLog, commits: int) -> Iterator[int]:
    """In how many pieces the pages lie that each commit wrote."""
    path = log.folder / "data.mdb"
    before = pages_of(path)
    for _ in one_by_one(log, commits, log.head()):
        after = pages_of(path)
        written = [n for n, page in enumerate(after) if n >= len(before) or page != before[n]]
        yield sum(b > a + 1 for a, b in pairwise([-1, *written]))
        before = after


def test_the_pages_of_a_commit_lie_together(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = []
    for name, most in (("plain", 0), ("kept", MOST)):
        monkeypatch.setattr(spare_pages, "MOST", most)
        (folder / name).mkdir()
        log = LmdbLog.create(folder / name, b"i" * 16, b"c" * 16)
        *_, _ = one_by_one(log, EVENTS, log.head())
        places.append(mean(places_of_commits(log, EVERY)))
        log.close()
    plain, kept = places
    assert kept < 5 < plain


def test_a_file_grows_seldom_and_stays_about_as_long(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert sizes[-1] <= plain_sizes[-1] + 5 * MOST
    check_file(folder)
    assert not flaws_of(path)
    log.close()
    plain.close()


def test_what_a_file_grows_by_is_written_and_no_hole(folder: Path) -> None:
    path = folder / "data.mdb"
    log = LmdbLog.create(folder, b"i" * 16, b"c" * 16)
    *_, _ = one_by_one(log, EVENTS, log.head())
    log.close()
    pages = path.stat().st_size // PAGE_SIZE
    with path.open("rb") as file:
        os.fsync(file.fileno())
        behind = [os.lseek(file.fileno(), page * PAGE_SIZE, os.SEEK_HOLE) for page in range(pages - MOST, pages)]
    assert behind == [pages * PAGE_SIZE] * MOST


def test_rows_stay_as_they_were(folder: Path) -> None:
    """What was dropped meanwhile, and what is long, too: that has pages of its own, and is not written again."""
    log = LmdbLog.create(folder, b"i" * 16, b"c" * 16)
    entries = [entry(n, LONG if n % 3 == 1 else BODY) for n in range(1, 4 * EVERY + 1)]
    head = log.head()
    for n, each in enumerate(entries, 1):
        head = log.append(Commit([each], at=n, drops=[Seq(n - 1)] if n % 5 == 0 else []), head)
    kept = [None if n % 5 == 4 else each.body for n, each in enumerate(entries, 1)]
    assert [(each.header, each.body) for each in log.read(0)] == [
        (each.header, body) for each, body in zip(entries, kept, strict=True)
    ]
    with log._environment.begin(db=log._meta) as transaction:
        assert [key for key, _ in transaction.cursor()] == [b"forms", b"log"]
    assert not flaws_of(folder / "data.mdb")
    long = entries[0].body
    assert long is not None
    assert (folder / "data.mdb").read_bytes().count(long) == 1
    log.close()


def test_a_small_log_stays_small(folder: Path) -> None:
    log = LmdbLog.create(folder, b"i" * 16, b"c" * 16)
    *_, (_, last) = one_by_one(log, 100, log.head())
    assert last < 60
    log.close()


def test_who_records_little_at_a_time_takes_none(folder: Path) -> None:
    log = LmdbLog.create(folder, b"i" * 16, b"c" * 16)
    head = log.head()
    *_, (head, last) = one_by_one(log, 600, head)
    log.close()
    for _ in range(3):
        log = LmdbLog(folder)
        *_, (head, now) = one_by_one(log, 8, head)
        assert now - last < 8
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


def filling(environment: lmdb.Environment, path: Path, commits: int, writers: int = 1) -> int:
    """The last page after so many commits of a page each, by writers in turn, as processes are."""
    table = environment.open_db(b"rows")
    spares = [SparePages(environment, path, [BySeq(table, 1)]) for _ in range(writers)]
    for n, spare in zip(range(commits), cycle(spares), strict=False):
        with environment.begin(write=True) as transaction:
            spare.keep(transaction, n, table)
            transaction.put((n + 1).to_bytes(8, "big"), bytes(1800), db=table, append=True)
    last: int = environment.info()["last_pgno"]
    return last


def test_two_writers_in_turn_do_not_outbid_each_other(folder: Path) -> None:
    """What the one took and gave back is there for the other."""
    lasts = []
    for writers in (1, 2):
        place = folder / str(writers)
        with lmdb.open(str(place), map_size=1 << 30, max_dbs=1) as environment:
            lasts.append(filling(environment, place / "data.mdb", 800, writers))
    assert lasts[1] - lasts[0] < 4 * MOST


def test_none_is_taken_where_the_map_is_nearly_full(folder: Path) -> None:
    lasts = []
    for map_size in (1 << 30, 300 * PAGE_SIZE):
        place = folder / str(map_size)
        with lmdb.open(str(place), map_size=map_size, max_dbs=1) as environment:
            lasts.append(filling(environment, place / "data.mdb", 400))
    assert lasts[1] < lasts[0]


def test_a_file_that_cannot_be_made_longer_is_left_as_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is shorter than it says then, lawfully, until these pages are written."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))

    monkeypatch.setattr(spare_pages, "write_all", refuse)
    shorter = 0
    log = LmdbLog.create(folder, b"i" * 16, b"c" * 16)
    for _, last in one_by_one(log, EVENTS, log.head()):
        shorter += (folder / "data.mdb").stat().st_size < (last + 1) * PAGE_SIZE
        check_file(folder)
    assert shorter
    assert not flaws_of(folder / "data.mdb")
    log.close()
