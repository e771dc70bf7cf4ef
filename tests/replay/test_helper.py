"""A helper shares the work on a log: whatever becomes of it, the result is what one process alone makes."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec
import pytest

from projections.fold import Fold
from projections.ids import VaultId
from projections.registry import FOLD
from replay import codec, line
from replay import helper as module
from replay.builder import bring, rebuild
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import Damaged, DamagedPages, ErasedMeanwhile, LogError
from replay.folding import Folding
from replay.helper import Helper, helped, processors
from replay.packing import Packed
from replay.pages import flaws as page_flaws
from replay.pipe import FoldJob, Job, SpanJob
from replay.position import Position
from replay.recall import tables as layout
from replay.recall.index import Find, Made
from replay.rewriting import rewrite
from replay.ring.file import FileRingStore
from replay.store import DiskStore
from replay.tree import CompactRange, graft, leaf_hash
from replay.verify import Verified, verify
from replay.views import Views, unhurried
from tests.generator import fixed_story
from tests.replay.conftest import SHARED
from tests.replay.keeping import damage_a_leaf
from tests.replay.stage import FakeClock, contents, digest, drafts, living, setting
from tests.replay.test_verify import gone, key, put, values
from tests.world import handle

SHORT = 512
"""How many events a stretch has here, in this process and in the helper."""


@pytest.fixture
def helpers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Helper]]:
    """Every log is large enough for a helper; segments and stretches are short. The helpers that were there; all have
    ended.
    """
    started: list[Helper] = []
    start = module._started

    def watched(store: DiskStore, folding: Folding) -> Helper | None:
        helper = start(store, folding)
        started.extend([helper] if helper else [])
        return helper

    monkeypatch.setattr(module, "_started", watched)
    monkeypatch.setattr(module, "FEWEST", 1)
    monkeypatch.setattr(module, "processors", lambda: 2)
    monkeypatch.setattr(line, "SEGMENT", 16)
    monkeypatch.setattr("replay.builder.STRETCH", 2 * SHORT)
    for name in ("stretch", "looking", "verify"):
        monkeypatch.setattr(f"replay.{name}.WHOLE", SHORT)
    path, shorter = "sys.path[:] = {path!r}; ", f"from replay import stretch; stretch.WHOLE = {SHORT}; "
    assert path in module._COMMAND
    monkeypatch.setattr(module, "_COMMAND", module._COMMAND.replace(path, path + shorter))
    yield started
    assert all(helper.process.returncode is not None for helper in started)


@pytest.fixture
def short_spans(monkeypatch: pytest.MonkeyPatch, helpers: list[Helper]) -> None:
    """Spans of the retrieval index are short too, in both processes."""
    monkeypatch.setattr(layout, "SEGMENT", layout.SEGMENT._replace(bits=3))
    monkeypatch.setattr(layout, "SPAN", layout.SPAN._replace(bits=5))
    path, spans = "sys.path[:] = {path!r}; ", "layout.SEGMENT._replace(bits=3), layout.SPAN._replace(bits=5)"
    shorter = f"from replay.recall import tables as layout; layout.SEGMENT, layout.SPAN = {spans}; "
    monkeypatch.setattr(module, "_COMMAND", module._COMMAND.replace(path, path + shorter))


class Result(NamedTuple):
    """What comes of a log: the bytes of all rows, those of the retrieval index, and what verifying finds."""

    rows: bytes
    recall: bytes
    found: Verified
    opened: Verified


def result(data: Path) -> Result:
    """Build all views anew, and verify."""
    store = DiskStore(data, FOLD, writable=True)
    try:
        built = rebuild(store, FOLD, digested=True)
        store.refresh()
        found, opened = (verify(store, Folding(FOLD, store), opened=opened) for opened in (False, True))
        assert store.views is not None
        return Result(built.digest, index_of(store.views), found, opened)
    finally:
        store.close()


def index_of(views: Views) -> bytes:
    """The bytes of the retrieval index."""
    sha = sha256()
    with views._environment.begin() as transaction:
        for table in layout.TABLES:
            for place, data in transaction.cursor(db=views._tables[table]):
                sha.update(place + data)
    return sha.digest()


def alone(data: Path) -> Result:
    """The same, by this process alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "processors", lambda: 1)
        return result(data)


@pytest.mark.parametrize("salt", range(6))
def test_two_processes_make_what_one_makes(data: Path, helpers: list[Helper], salt: int) -> None:
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=50) as engine:
        for n, told in enumerate(fixed_story(220, salt).decisions()):
            with suppress(ErasedMeanwhile):  # a story knows of no erasure, and goes on about whoever is gone
                engine.record(living(told))
            if n in (60, 120):
                erase(engine, handle(f"person {n // 60 + salt % 3}"))
        assert isinstance(engine.store, DiskStore)
        if salt % 2:
            rewrite(engine.store)
        live = digest(engine)
    helpers.clear()
    together = result(data)
    assert len(helpers) == 3
    assert together == alone(data)
    assert together.rows == live
    assert together.found.problems == together.opened.problems == ()
    assert len(helpers) == 3


@pytest.mark.usefixtures("short_spans")
@pytest.mark.parametrize("lost", [0, 1, 2])
def test_spans_of_the_retrieval_index_are_shared(
    monkeypatch: pytest.MonkeyPatch, data: Path, helpers: list[Helper], lost: int
) -> None:
    """Also where a helper is lost after so many of them: the others are made here."""
    monkeypatch.setattr("replay.builder.STRETCH", 8)
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        for told in fixed_story(120, 1).decisions():
            engine.record(living(told))
    here: list[tuple[int, int]] = []
    asked: list[tuple[int, int]] = []
    own, ask = Views.span_of_index, Helper.ask

    def making(self: Views, level: layout.Level, span: int) -> Made:
        here.append((level.bits, span))
        return own(self, level, span)

    def asking(self: Helper, job: Job, extra_ms: int = 0) -> module.Ticket:
        if isinstance(job, SpanJob):
            asked.append((job.bits, job.span))
            if len(asked) == lost:
                self.process.kill()
                self.process.wait()
        return ask(self, job, extra_ms)

    monkeypatch.setattr(Views, "span_of_index", making)
    monkeypatch.setattr(Helper, "ask", asking)
    together, made_here = result(data), list(here)
    here.clear()
    assert together.recall != sha256().digest()
    assert together == alone(data)
    assert asked[:2] == here[: lost or 2]
    assert sorted({*made_here, *asked}) == sorted(here)
    if lost:
        assert len(asked) == lost
    else:
        assert not set(made_here) & set(asked)


@pytest.fixture(scope="module")
def built() -> Iterator[Path]:
    """More events than two stretches have, some decisions of more than one. Only copies of it are opened."""
    with TemporaryDirectory(prefix="dnam-", dir=SHARED if SHARED.is_dir() else None) as made:
        data = Path(made) / "data"
        with Engine.open(data, create=True, clock=FakeClock()) as engine:
            for first in range(0, 2 * SHORT + 176, 80):
                decision = [setting(f"{n}", f"{n % 200}") for n in range(first, first + 80)]
                engine.record(drafts(*decision, name=f"{first}"))
        yield data


@pytest.fixture
def long(built: Path, data: Path) -> Path:
    return Path(shutil.copytree(built, data))


@pytest.fixture(scope="module")
def expected(built: Path) -> Result:
    """What one process alone makes of it."""
    with TemporaryDirectory(prefix="dnam-", dir=SHARED if SHARED.is_dir() else None) as made:
        return alone(Path(shutil.copytree(built, Path(made) / "data")))


def flip(data: Path, table: bytes, place: bytes) -> None:
    value = bytearray(dict(values(data, table))[place])
    value[-1] ^= 1
    put(data, table, place, bytes(value))


@pytest.mark.parametrize("views", [True, False], ids=["views", "no views"])
@pytest.mark.parametrize("harm", ["none", "body", "header", "id", "order", "no header", "no body", "newer", "short"])
def test_two_processes_find_what_one_finds(
    monkeypatch: pytest.MonkeyPatch, long: Path, helpers: list[Helper], harm: str, *, views: bool
) -> None:
    if not views:
        shutil.rmtree(long / "views")
    headers = dict(values(long, b"headers"))
    match harm:
        case "body":
            flip(long, b"bodies", key(750))
        case "header":
            flip(long, b"headers", key(620))
        case "id":
            flip(long, b"ids", values(long, b"ids")[250][0])
        case "order":
            header = codec.decode_header(headers[key(750)])
            data = codec.encode_header(header._replace(at=1))
            put(long, b"headers", key(750), data)
            put(long, b"ids", header.id, key(750) + leaf_hash(data)[:8])
        case "no header":
            gone(long, b"headers", key(250))
        case "no body":
            gone(long, b"bodies", key(1_100))
        case "newer":
            put(long, b"headers", key(1_100), b"\x98\x02" + headers[key(1_100)][2:])
        case "short":
            put(long, b"headers", key(1_100), b"\x98\x01")
    store = DiskStore(long, FOLD, writable=False)
    folding = Folding(FOLD, store)
    together = [verify(store, folding, opened=opened) for opened in (False, True)]
    monkeypatch.setattr(module, "processors", lambda: 1)
    assert [verify(store, folding, opened=opened) for opened in (False, True)] == together
    monkeypatch.setattr("replay.looking.look", lambda *_: None)
    assert [verify(store, folding, opened=opened) for opened in (False, True)] == together
    assert [bool(found.problems) for found in together] == [harm != "none"] * 2
    assert len(helpers) == 2
    store.close()


@pytest.mark.parametrize("many", [True, False], ids=["many pages", "few pages"])
@pytest.mark.parametrize("which", ["log", "views", "both", "no file"])
def test_two_processes_refuse_the_pages_that_one_refuses(
    monkeypatch: pytest.MonkeyPatch, long: Path, helpers: list[Helper], which: str, *, many: bool
) -> None:
    store = DiskStore(long, FOLD, writable=False)
    assert store.views is not None
    if many:
        monkeypatch.setattr(page_flaws, "MANY_PAGES", 0)
        now = "from replay.pages import flaws; flaws.MANY_PAGES = 0; from replay.helping"
        monkeypatch.setattr(module, "_COMMAND", module._COMMAND.replace("from replay.helping", now))
        with monkeypatch.context() as patch:
            patch.delattr(Views, "inspect_table")  # the helper looks at all rows
            assert verify(store, Folding(FOLD, store)).problems == ()
    if which in ("log", "both"):
        damage_a_leaf(store.log.folder / "data.mdb", "headers")
    if which in ("views", "both"):
        damage_a_leaf(store.views.folder / "data.mdb", "history")
    if which == "no file":
        (store.views.folder / "data.mdb").unlink()
    said: list[str] = []
    for used in (2, 1):
        monkeypatch.setattr(module, "processors", lambda used=used: used)
        try:
            said.append(str(verify(store, Folding(FOLD, store))))
        except DamagedPages as error:
            said.append(str(error))
    assert said[0] == said[1]
    assert (f"{which if which != 'both' else 'log'}/000" in said[0]) == (which != "no file")
    assert len(helpers) == 1 + many
    store.close()


def test_looking_changes_nothing(long: Path, helpers: list[Helper]) -> None:
    before = contents(long)
    store = DiskStore(long, FOLD, writable=False)
    assert verify(store, Folding(FOLD, store)).problems == ()
    store.close()
    assert contents(long) == before
    assert len(helpers) == 1


@pytest.mark.parametrize("harm", ["body", "no key"])
def test_what_is_wrong_with_a_segment_is_said_as_ever(long: Path, helpers: list[Helper], harm: str) -> None:
    if harm == "body":
        flip(long, b"bodies", key(750))
    else:
        ring = FileRingStore(long / "keys")
        ring.rewrite(ring.read()[:1])
        ring.close()
    said: list[str] = []
    for used in (2, 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "processors", lambda used=used: used)
            store = DiskStore(long, FOLD, writable=True)
            with pytest.raises(LogError, match=r"#750|is not in the key ring") as error:
                rebuild(store, FOLD)
            store.close()
            said.append(repr(error.value))
    assert said[0] == said[1]
    assert harm != "body" or repr(Damaged("event #750: the body of a config.set does not fit its seal")) == said[0]
    assert len(helpers) == 1


def test_another_process_that_writes_the_views_meanwhile_is_followed(
    monkeypatch: pytest.MonkeyPatch, long: Path, folder: Path, helpers: list[Helper]
) -> None:
    store = DiskStore(long, FOLD, writable=True)
    (folder / "own").mkdir()
    views, write = Views(folder / "own", FOLD, writable=True, building=True), Views.write
    overtaken: list[int] = []

    def late(
        self: Views,
        made: Packed,
        position: Position,
        *,
        since: int,
        find: Find | None = None,
        look: Callable[[], object] = unhurried,
    ) -> bool:
        if since >= 64 and not overtaken:
            overtaken.append(since)
            bring(views, store, Folding(FOLD, store), 560)
        return write(self, made, position, since=since, find=find, look=look)

    monkeypatch.setattr(Views, "write", late)
    bring(views, store, Folding(FOLD, store), store.log.head().size)
    expected = rebuild(store, FOLD, digested=True)
    assert views.digest() == expected.digest
    assert len(overtaken) == 1
    assert len(helpers) == 3
    views.close()
    store.close()


@pytest.mark.parametrize("harm", ["missing", "short"])
def test_a_log_that_does_not_say_where_a_segment_ends_is_folded_in_turn(
    monkeypatch: pytest.MonkeyPatch, long: Path, helpers: list[Helper], harm: str
) -> None:
    gone(long, b"headers", key(80)) if harm == "missing" else put(long, b"headers", key(16), b"\x98\x01")
    said: list[str] = []
    for used in (2, 1):
        monkeypatch.setattr(module, "processors", lambda used=used: used)
        store = DiskStore(long, FOLD, writable=True)
        try:
            said.append(rebuild(store, FOLD, digested=True).digest.hex())
        except Damaged as error:
            said.append(str(error))
        store.close()
    assert said[0] == said[1]
    assert said[0].startswith("a header cannot be read") == (harm == "short")
    assert len(helpers) == 1


def test_a_tree_of_subtrees_is_the_tree_of_their_leaves() -> None:
    one, other = CompactRange(), CompactRange()
    leaves = [leaf_hash(bytes([n])) for n in range(256)]
    part = CompactRange()
    first = [each.hash for leaf in leaves for each in part.append(leaf)]
    expected = [each for _ in range(258) for leaf in leaves for each in one.append(leaf) if each.level > 8]
    assert [each for _ in range(258) for each in graft(other, 8, first[0])] == expected
    assert [each.level for each in expected] == [16]
    assert (other.size, other.nodes) == (one.size, one.nodes)


BROKEN = {
    "ends at once": "raise SystemExit",
    "is no program": "(",
    "is silent": "import time; time.sleep(60)",
    "says something else": "import sys; sys.stdout.write('garbage' * 10_000)",
    "says less than it says": "import sys; sys.stdout.buffer.write(bytes((0, 0, 1, 0, 0, 0)))",
    "says too much": "import sys; sys.stdout.buffer.write(bytes((255, 255, 255, 255)) * 100); sys.stdin.read()",
    "says what cannot be read": "import sys; sys.stdout.buffer.write(bytes((0, 0, 0, 1, 193)) * 999); sys.stdin.read()",
    "ends later": "import sys, time; sys.stdin.buffer.read(1); time.sleep(0.2)",
}


@pytest.mark.parametrize("command", BROKEN.values(), ids=BROKEN)
def test_without_its_help_the_work_is_done_too(
    monkeypatch: pytest.MonkeyPatch, long: Path, expected: Result, helpers: list[Helper], command: str
) -> None:
    monkeypatch.setattr(module, "_COMMAND", command)
    monkeypatch.setattr(module, "PATIENCE_MS", 100)
    assert result(long) == expected
    assert len(helpers) == 3


def test_a_helper_that_cannot_be_started_is_none(
    monkeypatch: pytest.MonkeyPatch, long: Path, expected: Result, helpers: list[Helper]
) -> None:
    monkeypatch.setattr(sys, "executable", str(long / "nothing"))
    assert result(long) == expected
    assert helpers == []


@pytest.mark.parametrize("at", [1, 2, 4])
def test_a_helper_that_is_killed_at_its_work_is_not_missed(
    monkeypatch: pytest.MonkeyPatch, long: Path, expected: Result, helpers: list[Helper], at: int
) -> None:
    ask, asked = Helper.ask, 0

    def killing(self: Helper, job: FoldJob, extra_ms: int = 0) -> module.Ticket:
        nonlocal asked
        asked += 1
        if asked == at:
            self.process.kill()
            self.process.wait()
        return ask(self, job, extra_ms)

    monkeypatch.setattr(Helper, "ask", killing)
    assert result(long) == expected
    assert asked >= at


def test_one_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch, long: Path, helpers: list[Helper]) -> None:
    monkeypatch.setattr(module, "_COMMAND", "import time; time.sleep(60)")
    monkeypatch.setattr(module, "GOING_SECONDS", 0.1)
    store = DiskStore(long, FOLD, writable=False)
    with helped(store, Folding(FOLD, store), 1) as helper:
        assert helper is not None
    store.close()
    assert helper.process.returncode == -signal.SIGKILL


def test_one_that_does_not_listen_is_let_go(monkeypatch: pytest.MonkeyPatch, long: Path, helpers: list[Helper]) -> None:
    monkeypatch.setattr(module, "_COMMAND", "import time; time.sleep(60)")
    monkeypatch.setattr(module, "PATIENCE_MS", 100)
    store = DiskStore(long, FOLD, writable=False)
    folding = Folding(FOLD, store)
    folding.erased = frozenset(VaultId(n.to_bytes(16, "big")) for n in range(10_000))
    with helped(store, folding, 1) as helper:
        assert helper is not None
        assert not helper.free
    store.close()


SILENT = """\
import sys, time
time.sleep(0.3)
sys.stdout.buffer.write(bytes((0, 0, 0, 1, 192)))  # a frame of one byte: nil
sys.stdout.buffer.flush()
sys.stdin.read()
"""


@pytest.mark.parametrize(("extra_ms", "is_heard"), [(0, False), (60_000, True)])
def test_one_that_is_silent_over_a_long_job_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, long: Path, helpers: list[Helper], extra_ms: int, is_heard: bool
) -> None:
    monkeypatch.setattr(module, "_COMMAND", SILENT)
    monkeypatch.setattr(module, "PATIENCE_MS", 20)
    store = DiskStore(long, FOLD, writable=False)
    with helped(store, Folding(FOLD, store), 1) as helper:
        assert helper is not None
        ticket = helper.ask(FoldJob(0, 1), extra_ms)
        helper.result(ticket, msgspec.msgpack.Decoder(None))
        assert (ticket.answer is not None, helper.free) == (is_heard, is_heard)
    store.close()


def test_a_helper_ends_with_whom_it_helps_and_hears_no_ctrl_c(long: Path, helpers: list[Helper]) -> None:
    store = DiskStore(long, FOLD, writable=False)
    with helped(store, Folding(FOLD, store), 1) as helper:
        assert helper is not None
        assert os.getpgid(helper.process.pid) == helper.process.pid != os.getpgrp()
        helper.ask(FoldJob(0, 300))
        helper.dismiss()  # what the system does for a process that dies
        assert helper.process.wait(20) in (0, -signal.SIGPIPE)
    store.close()


def test_a_helper_is_had_where_it_is_worth_one(monkeypatch: pytest.MonkeyPatch, long: Path) -> None:
    store = DiskStore(long, FOLD, writable=False)

    def have_one(fold: Fold, events: int, processors: int) -> bool:
        monkeypatch.setattr(module, "processors", lambda: processors)
        with helped(store, Folding(fold, store), events) as helper:
            return helper is not None

    assert have_one(FOLD, module.FEWEST, 2)
    assert not have_one(FOLD, module.FEWEST - 1, 2)
    assert not have_one(FOLD, module.FEWEST, 1)
    assert not have_one(Fold(FOLD.projections), module.FEWEST, 2)
    store.close()


def test_processors_are_those_that_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    if hasattr(os, "sched_getaffinity"):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 7})
        assert processors() == 3
        monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert processors() == 1
