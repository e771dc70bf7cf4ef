"""The vectors of a data folder: opened when they are needed, and gone with a person's keys and with another log."""

from pathlib import Path

import pytest

from projections.events import MessageRedacted
from projections.events.values import PLATFORM
from projections.ids import EventId, Seq, VaultId
from projections.vectors import quantised
from projections.vectors_texts import TABLES, Held, RowKey, held_from
from replay.backups.backup import Backup, look_over
from replay.backups.plan import keys_for, look_at, plan
from replay.backups.restore import restore
from replay.engine import Engine
from replay.erasure import destroy_keys, erase, finish_erasures, unfinished
from replay.errors import CannotWrite
from replay.store import VECTORS, DiskStore
from replay.vectors.vectors import Vectors
from tests.replay.keeping import backed_up
from tests.replay.stage import ADA, KIM, FakeClock, child, contents, drafts, finished, handle_of, line, says
from tests.world import NOW

TINY = "tiny@1/2"


def opened(data: Path) -> tuple[Engine, DiskStore]:
    engine = Engine.open(data, create=True, clock=FakeClock())
    assert isinstance(engine.store, DiskStore)
    return engine, engine.store


def texts(engine: Engine) -> list[Held]:
    with engine.reading() as rows:
        return [text for _, text in held_from(rows.raw, RowKey(TABLES[0], b"")) if text is not None]


def keep(engine: Engine, store: DiskStore) -> None:
    """Ada and Kim say something each, and it has vectors."""
    engine.record(says("1", "the bees swarm", ADA, said=NOW))
    engine.record(says("2", "so they do", KIM, said=NOW + 1))
    held = texts(engine)
    store.vectors.put(TINY, held, {each.text: quantised((1.0, each.seq)) for each in held})


def has(data: Path, vaults: list[VaultId]) -> list[bool]:
    """Whether anything under a vault lies among the vectors."""
    return [any(bytes(vault) in each for each in contents(data / VECTORS).values()) for vault in vaults]


def test_nothing_is_there_before_it_is_needed(data: Path) -> None:
    engine, store = opened(data)
    with engine:
        assert (store.has_vectors, store.vectors.encoders()) == (False, [])
        assert store.vectors is store.vectors
        keep(engine, store)
        assert (store.has_vectors, store.vectors.encoders()) == (True, [TINY])
    engine, store = opened(data)
    with engine:
        found = store.vectors.get(TINY, [each.seq for each in texts(engine)])
        assert [each is None for each in found] == [False, False]


def test_an_erasure_takes_a_person_s_off_the_disk_before_it_is_complete(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise CannotWrite("the disk is full")

    engine, store = opened(data)
    with engine:
        keep(engine, store)
        ada = handle_of(engine, ADA)
        vaults = [*store.ring.listing(ada), *store.ring.listing(handle_of(engine, KIM))]
        assert has(data, vaults) == [True, True]
        destroy_keys(engine, ada)
        with monkeypatch.context() as patch:
            patch.setattr(Vectors, "drop", full)
            with pytest.raises(CannotWrite):
                finish_erasures(engine)
        assert (len(unfinished(engine)), has(data, vaults)) == (1, [True, True])
        assert finish_erasures(engine) == 1
        assert (unfinished(engine), has(data, vaults)) == ([], [False, True])
        assert store.vectors.size(TINY) == 1


def looked_through(engine: Engine, store: DiskStore) -> list[Seq]:
    """Have all that was said opened; the seqs of what memory has then."""
    store.vectors.cosines(TINY, quantised((1, 0)), [each.seq for each in texts(engine)])
    return in_memory(engine, store)


def in_memory(engine: Engine, store: DiskStore) -> list[Seq]:
    """What memory has with the next look, of whatever."""
    with engine.reading():
        return store.vectors.in_memory()


def event_of(engine: Engine, seq: Seq) -> EventId:
    record = engine.live.folding.record_at(seq)
    assert record is not None
    return record.id


def test_what_is_redacted_leaves_memory_with_the_decision_and_nothing_else_does(data: Path) -> None:
    engine, store = opened(data)
    with engine:
        keep(engine, store)
        first, second = looked_through(engine, store)
        engine.record(says("3", "nothing", ADA, said=NOW + 2))
        assert store.vectors.in_memory() == [first, second]
        gone = MessageRedacted(said=NOW, by=PLATFORM, events=(event_of(engine, first),))
        engine.record(drafts(gone))
        assert store.vectors.in_memory() == [second]
        assert store.vectors.size(TINY) == 2, "a sweep takes it off the disk"


def test_what_another_process_redacts_leaves_memory_with_the_next_look(data: Path) -> None:
    engine, store = opened(data)
    with engine:
        keep(engine, store)
        first, second = looked_through(engine, store)
        other = child("redacts", data, event_of(engine, first).hex())
        assert line(other) == "1"
        assert in_memory(engine, store) == [second]
        finished(other)
        finished(child("redacts", data, event_of(engine, second).hex()))
        assert in_memory(engine, store) == [], "its views go further than what was folded here: all begins anew"


@pytest.mark.parametrize("by_another", [True, False])
def test_nothing_of_whom_an_erasure_takes_stays_in_memory(data: Path, *, by_another: bool) -> None:
    engine, store = opened(data)
    with engine:
        keep(engine, store)
        assert len(looked_through(engine, store)) == 2
        if by_another:
            finished(child("erases", data))
        else:
            destroy_keys(engine, handle_of(engine, KIM))
        assert in_memory(engine, store) == []
        assert len(looked_through(engine, store)) == 1


def test_an_erasure_without_vectors_makes_none(data: Path) -> None:
    engine, store = opened(data)
    with engine:
        engine.record(says("1", "the bees swarm", ADA, said=NOW))
        erase(engine, handle_of(engine, ADA))
        assert not store.has_vectors


def test_a_writer_removes_what_a_broken_off_copy_left_and_a_name_that_is_none_stops_nobody(data: Path) -> None:
    engine, store = opened(data)
    with engine:
        keep(engine, store)
    (data / VECTORS / "000009").mkdir()
    engine, store = opened(data)
    engine.close()
    assert [each.mended for each in store.findings] == [True]
    assert not (data / VECTORS / "000009").exists()
    (data / VECTORS / "CURRENT").write_bytes(b"moths\n")
    engine, store = opened(data)
    with engine:
        assert (store.findings, store.vectors.get(TINY, [Seq(1)])) == ([], [None])
        keep(engine, store)
        assert store.vectors.size(TINY) == 2


def test_another_log_begins_without_vectors_and_a_backup_holds_none(data: Path, folder: Path) -> None:
    engine, store = opened(data)
    with engine:
        keep(engine, store)
    place = folder / "place"
    backed_up(data, place)
    assert not any(VECTORS in name for name in contents(place))
    looked = look_over(Backup(place))
    planned = plan(looked, look_at(data, looked.backup), 2)
    restore(planned, keys_for(planned, None), NOW)
    assert not (data / VECTORS).exists()
