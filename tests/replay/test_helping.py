"""The helper's own side: answers to jobs, in order, and nothing where it cannot do them."""

import io
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from projections.events import MessageRedacted
from projections.events.values import PLATFORM
from replay.engine import Engine
from replay.helping import main, serve
from replay.pipe import FoldJob, Job, LookJob, Opening, PagesJob, TableJob, framed, read_frame
from replay.ring.records import SIZE
from replay.store import DiskStore
from tests.replay.stage import FakeClock, drafts, event_id, says, setting
from tests.replay.test_verify import gone, key
from tests.world import NOW

SEALED = 5


@pytest.fixture
def opening(data: Path) -> Opening:
    """Of a log of settings, something said, and at its end a redaction of the first event."""
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=1) as engine:
        engine.record(drafts(*(setting(f"{n}") for n in range(SEALED)), name="some"))
        engine.record(says("m1", "a word"))
        redaction = MessageRedacted(said=NOW, by=PLATFORM, events=(event_id("some 0"),))
        engine.record(drafts(redaction, name="redaction"))
        engine.commit_views()
        store = engine.store
        assert isinstance(store, DiskStore)
        assert store.views is not None
        return Opening(str(data / "keys"), str(store.log.folder), str(store.views.folder), [])


def frames(*messages: object) -> io.BytesIO:
    return io.BytesIO(b"".join(framed(msgspec.msgpack.encode(message)) for message in messages))


def asked(opening: Opening, *jobs: Job) -> Sequence[Any]:
    """What a helper answers."""
    with tempfile.TemporaryFile() as sink:
        serve(frames(opening, *jobs), sink.fileno())
        sink.seek(0)
        return [msgspec.msgpack.decode(answer) for answer in iter(lambda: read_frame(sink), None)]


def test_rows_are_made_without_those_in_front_of_them(opening: Opening) -> None:
    (first, all_nodes), (second, nodes) = asked(opening, FoldJob(0, SEALED), FoldJob(2, SEALED))
    assert sum(1 << level for level, _ in all_nodes) == SEALED
    assert sum(1 << level for level, _ in nodes) == SEALED - 2
    assert set(first) == set(second) == {"config@1", "config_given@1", "history", "touched"}
    (places, lists), (later, their_lists) = first["touched"], second["touched"]
    assert (places[1:], lists[1:]) == (later, their_lists)
    assert places == [key(seq) for seq in range(2, SEALED + 1)]
    assert first["config@1"] == second["config@1"]


def test_what_it_cannot_do_is_nothing(data: Path, opening: Opening) -> None:
    whole, some, behind = asked(opening, FoldJob(0, 99), FoldJob(0, 2), LookJob(SEALED, 99, False))
    assert whole is behind is None
    assert some is not None
    for ring in ("ring-a", "ring-b"):
        path = data / "keys" / ring
        path.write_bytes(path.read_bytes()[:SIZE])
    assert asked(opening, FoldJob(0, 2))[0] is None
    gone(data, b"headers", key(3))
    assert asked(opening, LookJob(0, SEALED, False)) == [None]


def test_it_looks_at_events_and_rows(opening: Opening) -> None:
    plain, opened, rows, none = asked(
        opening, LookJob(0, 4, False), LookJob(0, 4, True), TableJob("touched"), TableJob("nothing@1")
    )
    assert plain == opened
    assert plain[5] == [[1, event_id("some 0"), plain[5][0][2]]]
    assert rows[1] == []
    assert rows[0] > 2
    assert none is None


def test_it_looks_at_pages_and_opens_no_log_for_that(opening: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    ((rows, _),) = asked(opening, TableJob("touched"))
    monkeypatch.setattr("replay.helping.LmdbLog", None)
    ((flaws, whole),) = asked(opening, PagesJob(["touched"]))
    assert (flaws, whole) == ([], {})
    monkeypatch.setattr("replay.pages.flaws.MANY_PAGES", 0)
    ((flaws, whole),) = asked(opening, PagesJob(["touched"]))
    assert flaws == []
    assert whole == {"touched": rows}
    path = Path(opening.views) / "data.mdb"
    path.write_bytes(path.read_bytes()[:5000])  # the second page is not whole
    ((flaws, whole),) = asked(opening, PagesJob(["touched"]))
    assert [flaw[2] for flaw in flaws] == ["the file ends before it"]
    assert whole == {}
    path.unlink()
    assert asked(opening, PagesJob([])) == [None]


def test_an_answer_that_nobody_takes_is_let_go(opening: Opening) -> None:
    near, far = os.pipe()
    os.close(near)
    serve(frames(opening, *(FoldJob(0, SEALED),) * 3), far)
    os.close(far)
    assert len(asked(opening, FoldJob(0, SEALED))) == 1  # and the next one is served as ever


def test_whoever_says_nothing_is_served_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    serve(io.BytesIO(b"\0\0\0\x05half"), -1)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    with Path(os.devnull).open("w") as nothing:
        monkeypatch.setattr(sys, "stdout", nothing)
        assert main() == 0
