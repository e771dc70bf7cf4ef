"""How far the views are: what does not fit the log, or is damaged, has them built anew."""

from collections.abc import Callable
from pathlib import Path

import lmdb
import pytest

from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.errors import DamagedViews
from replay.position import POSITION, Position, packed_position, unpacked_position
from replay.store import DiskStore
from tests.replay.stage import TABLES, FakeClock, changed, digest, views_folder

POSITIONS: dict[str, Callable[[Position], Position]] = {
    "ahead of the log": lambda position: position._replace(size=position.size + 1),
    "of another log": lambda position: position._replace(log=b"x" * 16),
    "of another history": lambda position: position._replace(digest=b"x" * 32),
}


@pytest.mark.parametrize("what", POSITIONS)
@pytest.mark.parametrize("writable", [True, False])
def test_views_that_do_not_fit_the_log_are_not_used(data: Path, filled: bytes, what: str, *, writable: bool) -> None:
    with Engine.open(data, writable=False) as engine:
        assert engine.live.freshen().size
        assert engine.store.views is not None
        position = engine.store.views.position()
        assert position is not None
    changed(data, b"meta", POSITION, packed_position(POSITIONS[what](position), TABLES))
    looking = DiskStore(data, FOLD, writable=False)
    found = check(looking, FOLD)
    looking.close()
    assert (found.equal, found.live) == (False, found.rebuilt)
    assert found.unusable == "they are ahead of the log, or of another one"
    changed(data, b"config@1", b"x" * 32, b"rubbish")
    with Engine.open(data, writable=writable, clock=FakeClock()) as engine:
        assert digest(engine) == filled


def flipped(value: bytes, bit: int) -> bytes:
    return (int.from_bytes(value, "big") ^ 1 << bit).to_bytes(len(value), "big")


def test_no_flipped_bit_of_where_the_views_are_goes_unseen(data: Path, filled: bytes) -> None:
    """A digest or a size that is another one would have them folded on from a place where they are not."""
    whole = packed_position(Position(3, b"d" * 32, b"l" * 16), TABLES)
    for bit in range(0, 8 * len(whole), 7):
        with pytest.raises(DamagedViews, match="how far the views are"):
            unpacked_position(flipped(whole, bit))


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize("harm", ["a flipped bit", "nothing", "without a checksum"])
def test_views_that_do_not_say_how_far_they_are_are_built_anew(
    data: Path, filled: bytes, harm: str, *, writable: bool
) -> None:
    with lmdb.open(str(views_folder(data)), max_dbs=64, readonly=True) as environment:
        meta = environment.open_db(b"meta", create=False)
        with environment.begin(db=meta) as transaction:
            value = bytes(transaction.get(POSITION, b""))
    harmed = {"a flipped bit": flipped(value, 80), "nothing": b"", "without a checksum": value[:-4]}
    changed(data, b"meta", POSITION, harmed[harm])
    with Engine.open(data, writable=writable, clock=FakeClock()) as engine:
        assert digest(engine) == filled
        assert isinstance(engine.store, DiskStore)
        (found,) = engine.store.findings
        assert "what says how far the views are is damaged" in found.what
    store = DiskStore(data, FOLD, writable=False)
    noticed, checked = store.findings, check(store, FOLD)
    store.close()
    assert (noticed == [], checked.equal) == (writable, writable)
