"""Builds that are overtaken: somebody is erased, or a body dropped, while the views are built or checked."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import lmdb
import pytest

from projections.events import MessageRedacted
from projections.events.values import PLATFORM
from projections.fold import Fold
from projections.registry import FOLD
from replay.builder import check, rebuild
from replay.engine import Engine
from replay.erasure import unfinished
from replay.errors import Damaged
from replay.folder import Folder
from replay.store import DiskStore
from tests.replay.conftest import SHARED
from tests.replay.stage import KIM, FakeClock, digest, drafts, event_id, handle_of, setting, texts
from tests.replay.test_erasure import messages, only_recorded, talk
from tests.world import NOW

SHORT = 1024
"""How many events a segment has here, and the last stretch at most."""


@pytest.fixture(params=["alone", "helped"], autouse=True)
def helped(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Every build is done by this process alone, and once more with a helper; it has more than one segment."""
    monkeypatch.setattr("replay.line.SEGMENT", SHORT)
    monkeypatch.setattr("replay.builder.STRETCH", SHORT)
    monkeypatch.setattr("replay.helper.FEWEST", 1)
    monkeypatch.setattr("replay.helper.processors", lambda: 1 + (request.param == "helped"))
    return bool(request.param == "helped")


def padding(engine: Engine) -> None:
    """Events that belong to nobody; more than a segment of them."""
    for first in range(0, SHORT + 500, 250):
        engine.record(drafts(*(setting(f"{n}") for n in range(first, first + 250)), name=f"padding {first}"))


@pytest.fixture(scope="module")
def prepared() -> Iterator[Path]:
    """A padded log, made once."""
    with tempfile.TemporaryDirectory(prefix="dnam-", dir=SHARED if SHARED.is_dir() else None) as folder:
        with Engine.open(Path(folder) / "data", create=True, clock=FakeClock()) as engine:
            padding(engine)
        yield Path(folder) / "data"


@pytest.fixture
def padded(prepared: Path, data: Path) -> Path:
    shutil.copytree(prepared, data)
    return data


@pytest.mark.parametrize("first", [True, False], ids=["already folded", "still to be folded"])
def test_an_erasure_while_views_are_built_begins_the_build_again(
    request: pytest.FixtureRequest, data: Path, *, first: bool
) -> None:
    if not first:
        request.getfixturevalue("padded")
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        talk(engine)
        if first:
            padding(engine)
        store, kim, events = engine.store, handle_of(engine, KIM), engine.head().size
        assert isinstance(store, DiskStore)
        seen: list[tuple[int, int]] = []

        def meanwhile(done: int, total: int) -> None:
            if not seen:
                only_recorded(engine, kim)
                engine.follow_erasures()
            seen.append((done, total))

        built = rebuild(store, FOLD, meanwhile, digested=True)
        assert built.events == engine.head().size == events + 1
        assert built.digest == digest(engine)
        assert messages(engine) == 4
        assert seen[0] == (seen[0][0], events)
        assert seen[-1] == (events + 1, events + 1)
        assert len([path for path in (data / "views").iterdir() if path.is_dir()]) == 1


def test_a_check_that_an_erasure_overtakes_looks_again(padded: Path) -> None:
    with Engine.open(padded, clock=FakeClock()) as engine:
        talk(engine)
        size = engine.head().size
        store, kim = engine.store, handle_of(engine, KIM)
        assert isinstance(store, DiskStore)
        seen: list[int] = []

        def meanwhile(done: int, total: int) -> None:
            if not seen:
                only_recorded(engine, kim)
                engine.follow_erasures()
                engine.finish_in_background()
            seen.append(done)

        checked = check(store, FOLD, meanwhile)
        assert checked.equal
        assert checked.events > size  # of the erasure too
        assert engine.finisher is not None
        engine.finisher.join()
        assert unfinished(engine) == []
        assert check(store, FOLD).equal


def test_a_body_that_is_dropped_while_views_are_built_leaves_them_too(padded: Path) -> None:
    with Engine.open(padded, clock=FakeClock()) as engine:
        engine.record(drafts(setting("other", key="model"), name="other"))
        store = engine.store
        assert isinstance(store, DiskStore)

        def meanwhile(done: int, total: int) -> None:
            if done < total:
                events = (event_id("other 0"), event_id("padding 0 7"))
                engine.record(drafts(MessageRedacted(said=NOW, by=PLATFORM, events=events), name="redaction"))

        assert rebuild(store, FOLD, meanwhile, digested=True).digest == digest(engine)
        assert check(store, FOLD).equal
        assert texts(engine) == []


@pytest.mark.parametrize("builds", [rebuild, check], ids=["replay", "check"])
def test_headers_that_the_tree_was_not_made_of_are_no_ground_to_build_on(
    padded: Path, builds: Callable[[DiskStore, Fold], object]
) -> None:
    with opened_store(padded) as store:
        stored = store.log.get(500)
        assert stored is not None
    folder = Folder(padded / "log").current()
    with lmdb.open(str(folder), max_dbs=16) as environment:
        headers = environment.open_db(b"headers")
        with environment.begin(write=True) as transaction:
            changed = stored.header[:-1] + bytes([stored.header[-1] ^ 1])  # within the body's digest
            transaction.put((500).to_bytes(8, "big"), changed, db=headers)
    with opened_store(padded) as store, pytest.raises(Damaged, match="`dnam verify` names what was changed"):
        builds(store, FOLD)


@contextmanager
def opened_store(data: Path) -> Iterator[DiskStore]:
    store = DiskStore(data, FOLD, writable=True)
    try:
        yield store
    finally:
        store.close()
