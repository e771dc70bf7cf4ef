"""What the tests of the log stand on: a clock that stands still, decisions without a platform, and rows to compare."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from threading import Event

import lmdb
import msgspec

from projections.decisions.draft import Decision, Draft
from projections.decisions.hear import HeardRequest, hear
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import ConfigSet, MessageHeard
from projections.events.event import Event as AnyEvent
from projections.events.values import OPERATOR
from projections.fold import Record
from projections.ids import EventId, Handle
from projections.people import person_of
from projections.policies.resting import widening
from projections.registry import FOLD
from projections.rows import RawRows, Rows
from replay.engine import Engine
from replay.folder import Folder
from replay.folding import Folding
from replay.group import Recorded
from replay.log import Log
from replay.snapshot import LAST_KEY
from replay.store import DiskStore, MemoryStore
from replay.views import digest_rows, tables_of
from tests.hanging import HANGS
from tests.world import NOW, fresh, handle

PUBLIC = PlaceSeen("discord", "720000000000000001", "channel", "general-chatter", "guild")
ADA = Account("discord", "420000000000000000", "Ada Larkspur")
KIM = Account("discord", "420000000000000001", "Kim Quillon")
TABLES = tables_of(FOLD)


class FakeClock:
    """Stands still until it is told to go."""

    def __init__(self, now: int = NOW) -> None:
        self.time = now
        self.passed = 0

    def now(self) -> int:
        return self.time

    def monotonic(self) -> int:
        return self.passed

    def go(self, milliseconds: int) -> None:
        """Time passes."""
        self.time += milliseconds
        self.passed += milliseconds


def event_id(name: str) -> EventId:
    """A stable id for a name."""
    return EventId(handle(name))


def setting(value: str, key: str = "tone", causes: tuple[EventId, ...] = ()) -> ConfigSet:
    """The smallest event there is: it belongs to nobody."""
    return ConfigSet(said=NOW, by=OPERATOR, causes=causes, scope="global", key=key, value=value)


def drafts(*events: AnyEvent, name: str = "") -> Decision:
    """A decision that yields these events, under ids made from a name."""
    made = [Draft(event_id(f"{name or repr(events)} {n}"), event) for n, event in enumerate(events)]
    return lambda rows: made


def says(
    key: str, text: str = "hello there", who: Account = ADA, place: PlaceSeen = PUBLIC, said: int = NOW
) -> Decision:
    """Somebody says something."""
    request = HeardRequest(key, place, "person", who, text, said, fresh(8, f"{who.id} {key}"))
    return lambda rows: hear(rows, request)


TOLD: dict[EventId, AnyEvent] = {}
"""What was told of last under each id."""


def living(told: Sequence[Draft]) -> Decision:
    """A decision that names no cause which it would not have seen: one that cannot be read any more, or that those
    cannot read for whom it decides.
    """
    own = {draft.id for draft in told}
    TOLD.update((draft.id, draft.event) for draft in told)

    def decision(rows: Rows) -> list[Draft]:
        def lawful(event: AnyEvent) -> AnyEvent:
            known = [each for each in event.causes if each in own or rows.ids.status(each) in ("known", "redacted")]
            alone = (msgspec.structs.replace(event, causes=(each,)) for each in known)
            seen = [
                each.causes[0] for each in alone if not widening(rows, each, {each.causes[0]: TOLD[each.causes[0]]})
            ]
            kept = msgspec.structs.replace(event, causes=tuple(seen))
            causes = {each: TOLD[each] for each in seen}
            return msgspec.structs.replace(kept, by=OPERATOR) if widening(rows, kept, causes) else kept

        return [draft._replace(event=lawful(draft.event)) for draft in told]

    return decision


def tell(engine: Engine, decisions: Iterable[Sequence[Draft]]) -> list[Record]:
    """Record a story, one decision after the other."""
    return [record for told in decisions for record in engine.record(living(told)).records]


def together(engine: Engine, decisions: Sequence[Decision]) -> "list[Future[Recorded]]":
    """Have these decisions recorded in one group; all are done when this returns."""
    started, ready = Event(), Event()

    def waits(rows: Rows) -> list[Draft]:
        started.set()
        ready.wait()
        return []

    engine.submit(waits)
    started.wait()
    futures = [engine.submit(decision) for decision in decisions]
    ready.set()
    wait(futures)
    return futures


def opened(data: Path, *, writable: bool = True) -> Engine:
    """A folder opened by a clock that stands still; only a writer makes one that is not there."""
    return Engine.open(data, writable=writable, create=writable, clock=FakeClock())


def log_folder(data: Path) -> Path:
    """The LMDB folder of the log that is in force."""
    current = Folder(data / "log").current()
    assert current is not None
    return current


def digest(engine: Engine) -> bytes:
    """All rows and their history, as they are now."""
    with engine.reading() as rows:
        return digest_rows(rows.raw, TABLES)


def in_memory(engine: Engine) -> Engine:
    """The same log under the same keys, folded without a disk, to look at."""
    store = MemoryStore(writable=False)
    store.ring = engine.store.ring
    store.log = engine.store.log
    return Engine(store, clock=FakeClock())


def readable(log: Log, store: DiskStore | MemoryStore) -> list[Record]:
    """Every event that can still be read, in order."""
    folding = Folding(FOLD, store)
    records = (folding.record(stored) for stored in log.read(0))
    return [record for record in records if record is not None]


Table = dict[bytes, tuple[int, bytes]]


def folded(records: Iterable[Record]) -> dict[str, Table]:
    """The rows of these events by the plainest fold there is: a dictionary, and the last one wins."""
    tables: dict[str, Table] = {projection.table: {} for projection in FOLD.projections}
    for record in records:
        for table, key, body, _ in FOLD.changes(record):
            if body is None:
                tables[table].pop(key, None)
            else:
                tables[table][key] = record.seq, body
    return tables


def scanned(raw: RawRows) -> dict[str, Table]:
    """The same, of rows as they lie."""
    return {
        projection.table: {key: stored[:2] for key, stored in raw.scan(projection.table, b"", LAST_KEY)}
        for projection in FOLD.projections
    }


def ranges_agree(raw: RawRows, table: str, rows: Table) -> None:
    """Ranges that begin and end at, before and behind a key, in both directions; and single keys."""
    keys = sorted(rows)
    bounds = [b"", LAST_KEY, *(key + tail for key in keys[:: max(1, len(keys) // 3)] for tail in (b"", b"\0", b"\xff"))]
    for start in bounds:
        for stop in bounds:
            expected = [key for key in keys if start <= key < stop]
            assert [key for key, _ in raw.scan(table, start, stop)] == expected
            assert [key for key, _ in raw.scan(table, start, stop, reverse=True)] == expected[::-1]
            assert list(raw.keys(table, start, stop)) == expected
            assert list(raw.keys(table, start, stop, reverse=True)) == expected[::-1]
    assert raw.get(table, b"\xfe" * 16) is None
    for key in keys:
        stored = raw.get(table, key)
        assert stored is not None
        assert stored[:2] == rows[key]


def handle_of(engine: Engine, who: Account) -> Handle:
    """Whom an account belongs to."""
    with engine.reading() as rows:
        found = person_of(rows, who.platform, who.id)
    assert found is not None
    return found.row.person


def texts(engine: Engine) -> list[str]:
    """Every message that was heard, in recorded order."""
    return [
        record.event.message.text
        for record in readable(engine.store.log, engine.store)
        if isinstance(record.event, MessageHeard)
    ]


def contents(folder: Path, skip: Callable[[Path], bool] = lambda path: path.name == "lock.mdb") -> dict[str, bytes]:
    """Every file under a folder, byte for byte."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not skip(path))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


ROOT = Path(__file__).parents[2]


def child(*arguments: object, hash_seed: str = "random") -> "subprocess.Popen[str]":
    """Another process (child.py)."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.replay.child", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def line(process: "subprocess.Popen[str]", said: str = "") -> str:
    """Say something to a process, and its next line."""
    assert process.stdin is not None
    assert process.stdout is not None
    if said:
        process.stdin.write(said + "\n")
        process.stdin.flush()
    return process.stdout.readline().strip()


def finished(process: "subprocess.Popen[str]") -> list[str]:
    """The rest of what a process says; it must end well."""
    out, _ = process.communicate(timeout=HANGS)
    assert process.returncode == 0
    return out.split("\n")[:-1]


def views_folder(data: Path) -> Path:
    """The folder of the views that are in force."""
    current = Folder(data / "views").current()
    assert current is not None
    return current


def changed(data: Path, table: bytes, key: bytes, value: bytes | None) -> None:
    """Another program writes into the views."""
    with lmdb.open(str(views_folder(data)), max_dbs=64) as environment:
        database = environment.open_db(table)
        with environment.begin(write=True) as transaction:
            if value is None:
                transaction.drop(database)
            else:
                transaction.put(key, value, db=database)
