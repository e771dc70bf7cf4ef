"""What the log knows of an id: looked up once, within one moment of the log."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import lmdb
import pytest

from projections.ids import UNSEALED, EventId, Seq, VaultId
from replay import codec, known
from replay.codec import Header
from replay.known import Ids
from replay.lmdb_log import LmdbLog
from replay.log import EMPTY, Commit, Entry, Head, Log, MemoryLog, StoredEvent
from replay.ring.keyring import KeyRing
from replay.ring.store import MemoryRingStore
from tests.world import NOW

LOG_ID, KEY_CHECK = b"l" * 16, b"k" * 16
HERE, GONE, OTHER = (EventId(letter * 16) for letter in (b"a", b"b", b"c"))
VAULT = VaultId(b"v" * 16)


@pytest.fixture(params=["lmdb", "memory"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    with closing(
        LmdbLog.create(tmp_path, LOG_ID, KEY_CHECK) if request.param == "lmdb" else MemoryLog(LOG_ID, KEY_CHECK)
    ) as log:
        yield log


class Counted:
    """A log that counts how often it is asked."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.asked: list[EventId | int] = []

    def find(self, event: EventId) -> Seq | None:
        self.asked.append(event)
        return self._log.find(event)

    def get(self, seq: int) -> StoredEvent | None:
        self.asked.append(seq)
        return self._log.get(seq)


def put(log: Log, head: Head, *events: EventId, vault: VaultId = VAULT) -> Head:
    headers = (codec.encode_header(Header(1, each, NOW, 0, "config.set", 1, vault, bytes(32))) for each in events)
    entries = [Entry(each, header, b"body") for each, header in zip(events, headers, strict=True)]
    return log.append(Commit(entries, NOW), head)


def ids(log: Log | Counted, erased: frozenset[VaultId] = frozenset()) -> Ids:
    return Ids(log, KeyRing.create(MemoryRingStore()), erased)


def test_an_id_is_looked_up_once(log: Log) -> None:
    put(log, EMPTY, HERE)
    counted = Counted(log)
    seen = ids(counted)
    for _ in range(3):
        assert (seen.status(HERE), seen.find(HERE), seen.vault(HERE)) == ("known", 1, VAULT)
        assert (seen.status(GONE), seen.find(GONE), seen.vault(GONE)) == ("unknown", None, None)
    assert counted.asked == [HERE, 1, GONE]


def test_no_more_ids_are_remembered_than_fit(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "MOST_SEEN", 2)
    put(log, EMPTY, HERE)
    counted = Counted(log)
    seen = ids(counted)
    for each in (HERE, GONE, OTHER, HERE):
        seen.find(each)
    assert counted.asked == [HERE, 1, GONE, OTHER, HERE, 1]


def test_what_became_of_an_event(log: Log) -> None:
    head = put(log, EMPTY, HERE, GONE)
    put(log, head, OTHER, vault=UNSEALED)
    seen = ids(log, frozenset({VAULT}))
    assert [seen.status(each) for each in (HERE, GONE, OTHER)] == ["erased", "erased", "known"]
    log.append(Commit((), NOW, drops=[Seq(1)]), log.head())
    assert [ids(log).status(each) for each in (HERE, GONE)] == ["redacted", "known"]


def test_what_is_about_to_be_recorded_or_dropped_is_known(log: Log) -> None:
    put(log, EMPTY, HERE)
    seen = ids(log)
    seen.staged[OTHER] = Seq(2), UNSEALED
    assert (seen.status(OTHER), seen.find(OTHER), seen.vault(OTHER)) == ("known", 2, UNSEALED)
    assert seen.status(HERE) == "known"
    seen.dropped |= {Seq(1), Seq(2)}
    assert (seen.status(HERE), seen.status(OTHER)) == ("redacted", "redacted")


def test_a_glance_is_of_one_moment(tmp_path: Path) -> None:
    """What another process records meanwhile is not half in it."""
    with closing(LmdbLog.create(tmp_path, LOG_ID, KEY_CHECK)) as log:
        head = put(log, EMPTY, HERE)
        with log.glancing() as look:
            put(log, head, OTHER)
            assert (look.find(HERE), look.find(OTHER), look.get(2)) == (1, None, None)
            assert log.find(OTHER) == 2
        with log.glancing() as look:
            assert look.find(OTHER) == 2
            assert look.get(2) == log.get(2)


def test_a_glance_that_ended_can_not_be_used(tmp_path: Path) -> None:
    """It keeps nothing on the disk, and nobody reads what is no more."""
    with closing(LmdbLog.create(tmp_path, LOG_ID, KEY_CHECK)) as log:
        with log.glancing() as look:
            pass
        with pytest.raises(lmdb.Error):
            look.find(HERE)


def test_an_id_without_its_event_is_not_taken_for_new(tmp_path: Path) -> None:
    """The log is damaged then, which `verify` tells; nothing is recorded twice."""
    with closing(LmdbLog.create(tmp_path, LOG_ID, KEY_CHECK)) as log:
        put(log, EMPTY, HERE)
    with lmdb.open(str(tmp_path), max_dbs=16) as environment, environment.begin(write=True) as transaction:
        transaction.delete((1).to_bytes(8, "big"), db=environment.open_db(b"headers", transaction, create=False))
    with closing(LmdbLog(tmp_path)) as log:
        seen = ids(log)
        assert (seen.status(HERE), seen.find(HERE), seen.vault(HERE)) == ("known", 1, None)
