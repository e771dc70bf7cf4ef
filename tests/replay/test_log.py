"""The log as a protocol: one suite over the one in memory and the one in LMDB."""

from collections.abc import Iterator
from pathlib import Path

import lmdb
import pytest

from projections.ids import EventId, Seq, VaultId
from replay import codec
from replay.codec import Header
from replay.errors import Damaged, HeadMoved
from replay.history import seq_key
from replay.lmdb_log import CHUNK, LmdbLog
from replay.log import EMPTY, Commit, Entry, Head, Log, Mark, MemoryLog, StoredEvent
from replay.tree import CompactRange, leaf_hash

ID, CHECK = b"i" * 16, b"c" * 16


@pytest.fixture(params=["memory", "lmdb"])
def log(request: pytest.FixtureRequest, folder: Path) -> Iterator[Log]:
    made: Log = MemoryLog(ID, CHECK) if request.param == "memory" else LmdbLog.create(folder, ID, CHECK)
    yield made
    made.close()


def entry(n: int, body: bytes | None = b"a sealed body") -> Entry:
    event = EventId(n.to_bytes(16, "big"))
    return Entry(event, codec.encode_header(Header(1, event, n, 0, "config.set", 1, VaultId(bytes(16)), b"")), body)


def entries(first: int, last: int) -> list[Entry]:
    return [entry(n) for n in range(first, last + 1)]


def filled(log: Log, size: int, group: int = 700) -> Head:
    head = log.head()
    for first in range(1, size + 1, group):
        head = log.append(Commit(entries(first, min(size, first + group - 1)), at=first), head)
    return head


def test_it_keeps_how_far_the_key_ring_went(log: Log) -> None:
    assert log.ring() == b""
    head = log.append(Commit(entries(1, 1), at=1, ring=b"one"), EMPTY)
    assert log.ring() == b"one"
    head = log.append(Commit(entries(2, 2), at=2), head)
    assert log.ring() == b"one"
    head = log.append(Commit(entries(3, 3), at=3, ring=b"one"), head)
    log.append(Commit(entries(4, 4), at=4, ring=b"two"), head)
    assert log.ring() == b"two"


def test_an_empty_log(log: Log) -> None:
    assert (log.id, log.key_check) == (ID, CHECK)
    assert log.head() == EMPTY
    assert log.head().root().hex().startswith("e3b0c442")
    assert list(log.read(0)) == []
    assert log.get(0) is None
    assert log.get(1) is None
    assert log.find(entry(1).id) is None
    assert list(log.kept()) == []
    assert log.erased_vaults() == frozenset()
    assert list(log.marks(0, 0)) == []


def test_what_is_appended_is_read(log: Log) -> None:
    head = log.append(Commit(entries(1, 3), at=77), EMPTY)
    assert head == log.head()
    assert (head.size, head.at, head.epoch) == (3, 77, 0)
    stored = [StoredEvent(Seq(n), entry(n).header, b"a sealed body") for n in (1, 2, 3)]
    assert list(log.read(0)) == stored
    assert list(log.read(1)) == stored[1:]
    assert list(log.read(1, 2)) == stored[1:2]
    assert list(log.read(3)) == []
    assert list(log.headers(1, 3)) == [(each.seq, each.header) for each in stored[1:]]
    assert log.get(2) == stored[1]
    assert log.get(4) is None
    assert log.find(entry(2).id) == 2
    assert log.find(entry(9).id) is None


def test_the_tree_grows_with_each_append(log: Log) -> None:
    head = filled(log, 700, group=33)
    tree = CompactRange()
    kept = [each for n in range(1, 701) for each in tree.append(leaf_hash(entry(n).header))]
    assert head.root() == tree.root()
    assert head.nodes == tuple(tree.nodes)
    assert list(log.kept()) == kept
    assert [each[:2] for each in kept] == [(8, 0), (8, 1)]


def test_a_writer_that_is_behind_is_turned_away(log: Log) -> None:
    first = log.append(Commit(entries(1, 1), at=1), EMPTY)
    with pytest.raises(HeadMoved):
        log.append(Commit(entries(2, 2), at=2), EMPTY)
    with pytest.raises(HeadMoved):
        log.append(Commit(entries(2, 2), at=2), first._replace(at=0))
    assert log.head() == first
    assert log.get(2) is None
    assert log.append(Commit(entries(2, 2), at=2), first).size == 2


def test_dropped_bodies_are_gone_and_the_tree_stays(log: Log) -> None:
    before = filled(log, 5)
    after = log.append(Commit(entries(6, 6), at=9, drops=[Seq(2), Seq(6)]), before)
    assert [stored.seq for stored in log.read(0) if stored.body is None] == [2, 6]
    tree = CompactRange()
    for n in range(1, 7):
        tree.append(leaf_hash(entry(n).header))
    assert after.root() == tree.root()
    assert log.append(Commit([], at=9, drops=[Seq(2)]), after) == after


def test_a_copy_may_lack_bodies(log: Log) -> None:
    log.append(Commit([entry(1), entry(2, None), entry(3)], at=3), EMPTY)
    assert [stored.body is None for stored in log.read(0)] == [False, True, False]


def test_an_erasure_raises_the_epoch_and_lists_its_vaults(log: Log) -> None:
    head = log.append(
        Commit(entries(1, 1), at=1, erased=[(VaultId(b"v" * 16), Seq(1)), (VaultId(b"w" * 16), Seq(1))]), EMPTY
    )
    assert head.epoch == 1
    assert log.erased_vaults() == {b"v" * 16, b"w" * 16}
    assert log.append(Commit(entries(2, 2), at=1), head).epoch == 1
    assert log.erasures() == [(b"v" * 16, 1), (b"w" * 16, 1)]
    assert log.append(Commit(entries(3, 3), at=1, erased=[(VaultId(b"v" * 16), Seq(3))]), log.head()).epoch == 2
    assert log.erased_vaults() == {b"v" * 16, b"w" * 16}


def test_marks_tie_ids_to_leaves(log: Log) -> None:
    filled(log, 4)
    marks = list(log.marks(1, 3))
    assert [stored.seq for stored, _ in marks] == [2, 3]
    assert [mark for _, mark in marks] == [Mark(Seq(n), leaf_hash(entry(n).header)[:8]) for n in (2, 3)]


def test_reading_crosses_chunks(log: Log) -> None:
    size = CHUNK + 10
    filled(log, size)
    assert [stored.seq for stored in log.read(CHUNK - 5)] == list(range(CHUNK - 4, size + 1))
    assert [stored.seq for stored, mark in log.marks(0, size) if mark is not None] == list(range(1, size + 1))


def everything(log: LmdbLog) -> list[object]:
    return [log.head(), list(log.read(0)), list(log.kept()), log.erased_vaults(), log.erasures()]


def test_a_log_is_found_again(folder: Path) -> None:
    log = LmdbLog.create(folder, ID, CHECK)
    head = filled(log, 300)
    log.append(Commit([], at=1, drops=[Seq(7)], erased=[(VaultId(b"v" * 16), Seq(3))]), head)
    before = everything(log)
    log.close()
    for writable in (True, False):
        again = LmdbLog(folder, writable=writable)
        assert (again.id, again.key_check) == (ID, CHECK)
        assert everything(again) == before
        again.close()


def test_an_id_that_is_taken_is_damage_and_nothing_is_written(folder: Path) -> None:
    log = LmdbLog.create(folder, ID, CHECK)
    head = filled(log, 2)
    with pytest.raises(Damaged, match="event #3 does not fit"):
        log.append(Commit([entry(1)], at=5), head)
    assert log.head() == head
    assert log.get(3) is None
    log.close()


def test_columns_of_what_is_not_there_are_none(folder: Path) -> None:
    log = LmdbLog.create(folder, ID, CHECK)
    assert log.columns(0, 3) is None
    log.close()


def test_an_id_that_leads_to_another_event_is_damage(folder: Path) -> None:
    made = LmdbLog.create(folder, ID, CHECK)
    filled(made, 3)
    made.close()
    for seq, expected in ((2, Seq(2)), (3, None), (9, Seq(9))):
        with lmdb.open(str(folder), max_dbs=16) as environment:
            ids = environment.open_db(b"ids")
            with environment.begin(write=True, db=ids) as transaction:
                transaction.put(entry(2).id, seq_key(seq) + leaf_hash(entry(2).header)[:8])
        made = LmdbLog(folder)
        if expected is None:
            with pytest.raises(Damaged, match=f"#{seq} is another event than the id table says"):
                made.find(entry(2).id)
        else:
            assert made.find(entry(2).id) == expected
        assert made.find(entry(1).id) == Seq(1)
        made.close()


def test_what_has_a_name_is_found_in_whichever_minute_it_was_said(log: Log) -> None:
    name, other, size = b"n" * 12, b"o" * 12, CHUNK + 5
    minutes = {1: name, 3: other, CHUNK: name, size: name}
    made = [
        entry(n)._replace(id=EventId(n.to_bytes(4, "big") + minutes.get(n, n.to_bytes(12, "big"))))
        for n in range(1, size + 1)
    ]
    log.append(Commit(list(reversed(made)), at=1, drops=[Seq(size)]), EMPTY)
    assert log.named([name]) == [made[n - 1].id for n in (1, CHUNK, size)]
    assert log.named([name, other]) == [made[n - 1].id for n in (1, 3, CHUNK, size)]
    assert log.named([b"p" * 12]) == []
    assert log.named([]) == []
