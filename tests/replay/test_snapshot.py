"""Rows of the views as they are read: damaged, in a wrong place, partly above them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from projections.consent import CONSENT_CHANGES
from projections.events import PersonOptedOut
from projections.events.values import PLATFORM
from projections.registry import FOLD
from projections.rows import Stored
from replay import lmdb_file
from replay.builder import check, rebuild
from replay.engine import Engine
from replay.erasure import finish_erasures
from replay.errors import DamagedViews
from replay.packing import pack
from replay.snapshot import LAST_KEY, Snapshot
from replay.store import DiskStore
from tests.generator import fixed_story
from tests.replay.stage import FakeClock, changed, digest, drafts, ranges_agree, says, scanned, tell
from tests.world import NOW


def test_a_damaged_row_of_a_large_file_is_noticed_when_it_is_read(
    data: Path, filled: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lmdb_file, "MOST_PAGES", 0)
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        key, stored = next(rows.raw.scan("messages@1", b"", LAST_KEY))
    changed(data, b"messages@1", key, pack(key, stored)[:-5] + b"12345")
    with Engine.open(data, writable=False) as engine:
        with engine.reading() as rows, pytest.raises(DamagedViews, match="a row of messages@1 is damaged"):
            rows.raw.get("messages@1", key)
        with engine.reading() as rows, pytest.raises(DamagedViews, match="a row of messages@1 is damaged"):
            list(rows.raw.scan("messages@1", b"", LAST_KEY))
        views = engine.store.views
        assert views is not None
        with views.reading() as (_, snapshot), pytest.raises(DamagedViews, match="messages@1"):
            list(snapshot.batches("messages@1"))
        assert views.inspect()[1]
    with Engine.open(data, clock=FakeClock()) as engine:
        assert isinstance(engine.store, DiskStore)
        found = check(engine.store, FOLD)
        assert (found.equal, found.live, found.rebuilt) == (False, b"", filled)
        assert "a row of messages@1 is damaged" in found.unusable
        assert rebuild(engine.store, FOLD, digested=True).digest == filled
        assert digest(engine) == filled


@pytest.mark.parametrize("reverse", [False, True])
def test_a_key_that_rotted_cuts_no_range_short(
    data: Path, filled: bytes, monkeypatch: pytest.MonkeyPatch, *, reverse: bool
) -> None:
    """In a file that is not looked over. It lies where the range ends, and rows of the range may follow it."""
    monkeypatch.setattr(lmdb_file, "MOST_PAGES", 0)
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        key, stored = list(rows.raw.scan("messages@1", b"", LAST_KEY))[1]
    rotted = (b"\0" if reverse else b"\xff") + key[1:]
    start, stop = (rotted + b"\0", LAST_KEY) if reverse else (b"", rotted)
    with Engine.open(data, writable=False) as engine:
        assert isinstance(engine.store, DiskStore)
        assert engine.store.views is not None
        with engine.store.views.reading() as (_, snapshot):
            whole = list(snapshot.keys("messages@1", start, stop, reverse=reverse))
            assert [each for each, _ in snapshot.scan("messages@1", start, stop, reverse=reverse)] == whole
            assert whole
    changed(data, b"messages@1", rotted, pack(key, stored))
    with Engine.open(data, writable=False) as engine:
        assert isinstance(engine.store, DiskStore)
        assert engine.store.views is not None
        with engine.store.views.reading() as (_, snapshot):
            keys = snapshot.keys("messages@1", start, stop, reverse=reverse)
            assert [next(keys) for _ in whole] == whole
            with pytest.raises(DamagedViews, match="a row of messages@1 is damaged"):
                next(keys)
            with pytest.raises(DamagedViews, match="a row of messages@1 is damaged"):
                list(snapshot.scan("messages@1", start, stop, reverse=reverse))
            with pytest.raises(DamagedViews, match="a row of messages@1 is damaged"):
                list(snapshot.data_in("messages@1", b"", rotted))


@pytest.mark.parametrize("salt", range(3))
def test_ranges_of_rows_that_lie_partly_above_the_views(data: Path, salt: int) -> None:
    decisions = list(fixed_story(60, salt).decisions())
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=10_000) as engine:
        tell(engine, decisions[:40])
        engine.commit_views()
        tell(engine, decisions[40:])
        finish_erasures(engine)
        with engine.reading() as rows:
            for table, its_rows in scanned(rows.raw).items():
                ranges_agree(rows.raw, table, its_rows)


def test_what_is_remembered_of_rows_stays_small(data: Path, filled: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replay.remembered.MOST_KNOWN", 2)
    with Engine.open(data, writable=False) as engine:
        for _ in range(3):
            with engine.reading() as rows:
                seen = [rows.raw.get("messages@1", bytes([n]) * 40) for n in range(9)]
            assert seen == [None] * 9
            assert len(engine.live._known.rows) <= 2
        assert digest(engine) == filled


def test_a_table_without_rows_is_looked_at_once_until_the_views_are_committed_again(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[tuple[str, str]] = []
    keys, scan = Snapshot.keys, Snapshot.scan

    def keys_of(snapshot: Snapshot, table: str, *of: Any, **how: Any) -> Iterator[bytes]:
        looked.append(("keys", table))
        return keys(snapshot, table, *of, **how)

    def scan_of(snapshot: Snapshot, table: str, *of: Any, **how: Any) -> Iterator[tuple[bytes, Stored]]:
        looked.append(("scan", table))
        return scan(snapshot, table, *of, **how)

    def out(engine: Engine) -> list[bytes]:
        with engine.reading() as rows:
            return [found.key for found in rows.scan(CONSENT_CHANGES)]

    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m0"))
        engine.commit_views()
        monkeypatch.setattr(Snapshot, "keys", keys_of)
        monkeypatch.setattr(Snapshot, "scan", scan_of)
        assert [out(engine), out(engine)] == [[], []]
        assert looked == [("keys", CONSENT_CHANGES.table)]
        engine.record(drafts(PersonOptedOut(said=NOW, by=PLATFORM, hashes=(b"h" * 32,))))
        (found,) = out(engine)
        assert found[:32] == b"h" * 32
        assert looked == [("keys", CONSENT_CHANGES.table)], "what was recorded since lies above"
        engine.commit_views()
        assert [out(engine), out(engine)] == [[found]] * 2
        assert looked[1:] == [("keys", CONSENT_CHANGES.table), *[("scan", CONSENT_CHANGES.table)] * 2]
