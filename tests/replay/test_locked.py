"""A locked vault: its key is not in the ring and no erasure destroyed it. It is read around, never written around."""

import shutil
from functools import partial
from pathlib import Path

import lmdb
import msgspec
import pytest

from projections.decisions.hear import hear
from projections.ids import VaultId
from projections.lookup import people
from projections.people import name_of
from projections.registry import FOLD
from replay.engine import Engine
from replay.errors import Damaged, KeyMissing, LogMissing, NothingHere
from replay.folding import Folding
from replay.log import MemoryLog
from replay.rewriting import rewrite
from replay.ring.file import FileRingStore
from replay.ring.keyring import KeyRing
from replay.store import DiskStore
from replay.verify import verify
from tests.projections.test_hear import ADA, BEN, said

SIZE = 3
"""Where the number of events stands in what the log says of itself."""


def lose(data: Path, person: str) -> VaultId:
    """Take a person's key out of both copies of the ring; the vault that is locked then."""
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        handle = next(each for each in people(rows) if name_of(rows, each) == person)
        (vault,) = engine.store.ring.listing(handle)
    store = FileRingStore(data / "keys")
    store.rewrite(record for record in store.read() if record.vault != vault)
    store.close()
    return vault


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Ada and Ben have spoken; the views are complete."""
    with Engine.open(tmp_path / "data", create=True) as engine:
        engine.record(lambda rows: hear(rows, said()))
        engine.record(lambda rows: hear(rows, said("2", speaker=BEN)))
    return tmp_path / "data"


def test_nothing_is_written_beside_a_locked_vault(data: Path) -> None:
    keys = {path: path.read_bytes() for path in (data / "keys").iterdir()}
    lose(data, "Ada")
    with Engine.open(data) as engine:
        assert isinstance(engine.stopped(), KeyMissing)
        size = engine.head().size
        for speaker in (ADA, BEN):
            with pytest.raises(KeyMissing, match="1 vault of this log"):
                engine.record(partial(hear, request=said("3", speaker=speaker)))
        assert engine.head().size == size
    for path, content in keys.items():
        path.write_bytes(content)
    with Engine.open(data) as engine:
        assert engine.stopped() is None
        assert len(engine.record(lambda rows: hear(rows, said("3"))).records) == 1


def test_verify_names_it_without_opening_a_body(data: Path) -> None:
    vault = lose(data, "Ben")
    store = DiskStore(data, FOLD, writable=False)
    problems = verify(store, Folding(FOLD, store)).problems
    store.close()
    assert [problem.what for problem in problems] == [
        f"the key of vault {vault.hex()} is missing, and no erasure destroyed it"
    ]


def test_a_ring_does_not_know_whose_a_locked_vault_is(data: Path) -> None:
    vault = lose(data, "Ada")
    store = DiskStore(data, FOLD, writable=False)
    with pytest.raises(KeyMissing):
        store.ring.people(vault)
    store.close()


def test_a_rewritten_log_remembers_its_vaults(data: Path) -> None:
    store = DiskStore(data, FOLD, writable=True)
    before = store.log.vaults()
    rewrite(store)
    assert store.log.vaults() == before != frozenset()
    store.close()


def test_a_log_in_memory_has_vaults_too() -> None:
    with Engine.in_memory() as engine:
        engine.record(lambda rows: hear(rows, said()))
        assert isinstance(engine.store.log, MemoryLog)
        assert engine.store.log.vaults() <= engine.store.ring.vaults.keys()


def test_another_log_is_not_begun_beside_a_ring_that_was_used(data: Path) -> None:
    shutil.rmtree(data / "log")
    for writable in (True, False):
        with pytest.raises(LogMissing, match="Put the `log` folder back"):
            Engine.open(data, writable=writable, create=writable)
    assert not (data / "log" / "CURRENT").exists()


def test_a_ring_that_was_never_used_gets_its_log(tmp_path: Path) -> None:
    KeyRing.create(FileRingStore(tmp_path / "data" / "keys")).close()
    with pytest.raises(NothingHere):
        Engine.open(tmp_path / "data", writable=False)
    with Engine.open(tmp_path / "data", create=True) as engine:
        assert engine.head().size == 0


def says_it_ends(data: Path, by: int) -> int:
    """Another number of events stands in what the log says of itself; how many there are."""
    store = DiskStore(data, FOLD, writable=False)
    folder, (_, size) = store.log.folder, store.log.ends()
    store.close()
    with lmdb.open(str(folder), max_dbs=16) as environment:
        meta = environment.open_db(b"meta")
        with environment.begin(write=True, db=meta) as transaction:
            fields = msgspec.msgpack.decode(transaction.get(b"log", b""))
            fields[SIZE] += by
            transaction.put(b"log", msgspec.msgpack.encode(fields))
    return size


@pytest.mark.parametrize("by", [-1, 3])
def test_a_log_that_does_not_end_where_it_says_is_not_written_to(data: Path, by: int) -> None:
    size = says_it_ends(data, by)
    why = f"it ends at #{size + by}, and its last event is #{size}"
    with Engine.open(data) as engine:
        with pytest.raises(Damaged, match=why):
            engine.record(lambda rows: hear(rows, said("3")))
        assert engine.store.log.ends() == (size + by, size)
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        assert [name_of(rows, each) for each in people(rows)][:1] == ["Ada"]
        assert str(engine.stopped()).startswith(f"the log says that {why}")
    store = DiskStore(data, FOLD, writable=False)
    problems = verify(store, Folding(FOLD, store)).problems
    store.close()
    assert any(f"the log says it has {size + by} events" in each.what for each in problems) == (by > 0)
    assert problems
    says_it_ends(data, -by)
    with Engine.open(data) as engine:
        assert engine.stopped() is None
        assert len(engine.record(lambda rows: hear(rows, said("3"))).records) == 1


def test_no_moment_is_looked_for_behind_the_last_event(data: Path) -> None:
    says_it_ends(data, 3)
    with Engine.open(data, writable=False) as engine, pytest.raises(Damaged, match="is missing; run `dnam verify`"):
        engine.seq_at(2**60)
