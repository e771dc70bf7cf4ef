"""Laws 2 and 4: rows on disk = rows in memory = rows after a rebuild, byte for byte, over any subset of the bodies."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.events import UNSEALED_TAGS, MessageRedacted
from projections.events.values import PLATFORM
from projections.registry import FOLD
from replay.builder import check, rebuild
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import ErasedMeanwhile
from replay.folding import Folding
from replay.store import DiskStore
from replay.verify import verify
from tests.examples import examples
from tests.generator import Story, stories
from tests.replay.conftest import SHARED
from tests.replay.stage import FakeClock, digest, drafts, folded, in_memory, living, readable, scanned, together
from tests.world import NOW, handle

HISTORIES = examples(200, 500)
"""How many each law is tried on."""
LAW = settings(max_examples=HISTORIES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@contextmanager
def shared() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="dnam-", dir=SHARED if SHARED.is_dir() else None) as made:
        yield Path(made) / "data"


def opened(path: Path, every: int) -> Engine:
    """A memory in which nothing goes on in the background: an erasure that broke off is finished."""
    engine = Engine.open(path, create=True, clock=FakeClock(), view_commit_events=every)
    if engine.finisher is not None:
        engine.finisher.join()
    return engine


def all_agree(engine: Engine, *, rebuilds: bool = False) -> None:
    store = engine.store
    assert isinstance(store, DiskStore)
    live = digest(engine)
    memory = in_memory(engine)
    assert digest(memory) == live
    with engine.reading() as rows:
        assert scanned(rows.raw) == folded(readable(store.log, store))
    engine.commit_views()
    assert digest(engine) == live
    if rebuilds:
        assert rebuild(store, FOLD, digested=True).digest == live
        assert digest(engine) == live
    else:
        checked = check(store, FOLD)
        assert checked.equal
        assert checked.live == live


@LAW
@given(stories(), st.integers(1, 64), st.frozensets(st.integers(0, 200), max_size=3))
def test_rows_on_disk_in_memory_and_rebuilt_are_the_same(story: Story, every: int, restarts: frozenset[int]) -> None:
    with shared() as path:
        engine = opened(path, every)
        for n, told in enumerate(story.decisions()):
            if n in restarts:
                engine.close()
                engine = opened(path, every)
            engine.record(living(told))
        with engine:
            all_agree(engine, rebuilds=True)


@LAW
@given(stories(), st.data())
def test_any_bodies_may_be_dropped_and_any_keys_destroyed(story: Story, data: st.DataObject) -> None:
    with shared() as path, opened(path, 40) as engine:
        decisions = list(story.decisions())
        erasures = data.draw(st.dictionaries(st.integers(0, max(len(decisions), 1)), st.integers(0, 5), max_size=2))
        for n, told in enumerate(decisions):
            with suppress(ErasedMeanwhile):  # a story knows of no erasure, and goes on about whoever is gone
                engine.record(living(told))
            if n in erasures:
                erase(engine, handle(f"person {erasures[n]}"))
        there = readable(engine.store.log, engine.store)
        sealed = [record.id for record in there if record.event.TAG not in UNSEALED_TAGS]
        dropped = data.draw(st.lists(st.sampled_from(sealed), unique=True, max_size=40)) if sealed else []
        half = len(dropped) // 2
        for n, events in enumerate((dropped[:half], dropped[half:])):
            event = MessageRedacted(said=NOW, by=PLATFORM, events=tuple(events))
            engine.record(drafts(event, name=f"drop {n}"))
        all_agree(engine)
        store = engine.store
        assert isinstance(store, DiskStore)
        assert verify(store, Folding(FOLD, store), opened=True).problems == ()


@settings(LAW, max_examples=examples(25, 60))
@given(stories(120), st.lists(st.integers(1, 20), min_size=1, max_size=8))
def test_the_size_of_a_group_changes_nothing(story: Story, sizes: list[int]) -> None:
    with shared() as path, opened(path, 30) as engine:
        waiting = list(story.decisions())
        while waiting:
            for size in sizes:
                group, waiting = waiting[:size], waiting[size:]
                for future in together(engine, [living(told) for told in group]):
                    future.result()
        all_agree(engine)
