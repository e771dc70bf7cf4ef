"""An erasure that breaks off anywhere: nothing of the person is served from its first commit on, and the next who opens
for writing finishes it.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from projections.decisions.delete import message_identity
from projections.decisions.draft import Decision
from projections.events import ErasureCompleted, PersonErased, PersonNoted
from projections.events.values import OPERATOR
from projections.ids import Handle
from projections.registry import FOLD
from replay import codec, folder
from replay.builder import check
from replay.engine import Engine
from replay.erasure import erase, unfinished
from replay.errors import ErasedMeanwhile
from replay.folding import Folding
from replay.lmdb_log import LmdbLog
from replay.rewriting import rewrite
from replay.store import DiskStore
from replay.verify import verify
from replay.views import Views
from tests.replay.stage import (
    ADA,
    KIM,
    FakeClock,
    child,
    contents,
    drafts,
    finished,
    handle_of,
    says,
    setting,
    texts,
)
from tests.world import NOW

ADAS = ["word 0", "word 2"]
EVERYBODYS = ["word 0", "word 1", "word 2", "word 3"]
STEPS = ((LmdbLog, "append"), (Views, "write"), (Views, "sync"), (Path, "replace"), (shutil, "rmtree"))
"""What leaves something on the disk: a commit of the log, of the views, a file or a folder replaced or removed."""


LATER = 4_000_000_000_000
"""Long after every erasure that a process with the real clock makes."""


class Killed(BaseException):
    """The power goes."""


@contextmanager
def dying(patch: pytest.MonkeyPatch, at: int) -> Iterator[list[str]]:
    """Die in front of the step with this number, and clean nothing up; the steps that were done."""
    done: list[str] = []

    def counted(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            if len(done) == at:
                raise Killed
            done.append(name)
            return method(*arguments, **options)

        return step

    with patch.context() as patched:
        patched.setattr(folder, "_remove", lambda _: None)
        for owner, name in STEPS:
            patched.setattr(owner, name, counted(name, getattr(owner, name)))
        yield done


def make(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        for n in range(4):
            engine.record(says(f"m{n}", f"word {n}", (ADA, KIM)[n % 2], said=NOW + n))


def killed_at(data: Path, patch: pytest.MonkeyPatch, at: int) -> bool:
    """Erase, and die in front of a step; False when there was no such step any more."""
    engine = Engine.open(data, clock=FakeClock())
    kim = handle_of(engine, KIM)
    with dying(patch, at):
        try:
            erase(engine, kim)
        except Killed:
            engine.writer._queue.put(None)  # its thread ends, and nothing is finished
            engine.store.close()
            return True
    engine.close()
    return False


def tags(engine: Engine) -> list[str]:
    return [codec.decode_header(stored.header).tag for stored in engine.store.log.read(0)]


def whole(data: Path) -> None:
    """All of it is done, and nothing else was harmed."""
    with Engine.open(data, clock=FakeClock()) as engine:
        if engine.finisher is not None:
            engine.finisher.join()
        assert engine.view_errors == []
        assert unfinished(engine) == []
        assert texts(engine) == ADAS
        assert tags(engine).count(PersonErased.TAG) == tags(engine).count(ErasureCompleted.TAG) == 1
        store = engine.store
        assert isinstance(store, DiskStore)
        assert not store.log.erased_vaults() & store.ring.vaults.keys()
        assert check(store, FOLD).equal
        assert verify(store, Folding(FOLD, store), opened=True).problems == ()
        rewrite(store)
    assert [each.name for each in (data / "views").iterdir() if each.is_dir()] == [
        (data / "views" / "CURRENT").read_text().strip()
    ]
    everything = b"".join(contents(data, skip=lambda _: False).values())
    assert not any(word in everything for word in (b"word 1", b"word 3", b"Kim Quillon", KIM.id.encode()))


def test_killed_at_any_point_it_is_finished_by_whoever_opens_next(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(data)
    at, begun = 0, 0
    while True:
        copy = Path(shutil.copytree(data, tmp_path / f"killed-{at}"))
        was_killed = killed_at(copy, monkeypatch, at)
        with Engine.open(copy, writable=False) as reader:
            is_begun = PersonErased.TAG in tags(reader)
            assert texts(reader) == (ADAS if is_begun else EVERYBODYS)
        if is_begun:
            begun += was_killed
            whole(copy)
        shutil.rmtree(copy)
        if not was_killed:
            break
        at += 1
    assert begun >= 8  # ring a, ring b, views written, synced, put in force, the old ones removed, completed


def test_what_is_recorded_for_somebody_who_was_erased_meanwhile_is_refused(data: Path) -> None:
    make(data)
    with Engine.open(data, clock=FakeClock()) as engine:
        kim = handle_of(engine, KIM)
        finished(child("erases", data))  # another process
        size = engine.head().size
        for work in (about(kim), resting_on(engine, "m1")):
            with pytest.raises(ErasedMeanwhile):
                engine.record(work)
        assert engine.head().size == size
        assert engine.store.ring.listing(kim) == []
        engine.record(says("m9", "I am back", KIM, said=LATER))
        assert handle_of(engine, KIM) != kim
        assert texts(engine) == [*ADAS, "I am back"]


def about(person: Handle) -> Decision:
    """A note on somebody, which rests on nothing."""
    return drafts(PersonNoted(said=NOW, by=OPERATOR, person=person, note="likes tea"), name="note")


def resting_on(engine: Engine, key: str) -> Decision:
    """Something that belongs to nobody, and rests on a message."""
    with engine.reading() as rows:
        heard = rows.ids.event_id(message_identity("discord", key, "heard", NOW + int(key[1:])))
    return drafts(setting("gruff", causes=(heard,)), name="rests")
