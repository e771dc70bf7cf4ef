"""One run in a process of its own: `python -m tests.proof.determinism.run ORDER`, ORDER being JSON. It prints JSON.

A copy of a given log is folded anew, and a given history is recorded, by a clock that stands still and with dice that
always fall alike. What comes out must not depend on interpreter, hash seed, folder, day, zone, batches or restarts.
"""

import hashlib
import json
import os
import random
import shutil
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from projections.decisions.draft import Draft
from projections.events import EVENTS
from projections.fold import Fold
from projections.ids import EventId
from projections.registry import FOLD
from replay import codec, line
from replay.builder import check, rebuild
from replay.engine import Engine
from replay.recall import tables as layout
from replay.snapshot import LAST_KEY
from replay.store import DiskStore
from tests.replay.stage import FakeClock, digest, living


class Order(NamedTuple):
    """What to do: the log to fold (a data folder), the history to record (a file), where; every how many events views
    are committed, how many a segment of a rebuild has, before which decisions it is closed and opened again, on which
    day (empty: today), and whether a fold is to depend on the order of a set.
    """

    given: str
    history: str
    folder: str
    commit_events: int
    segment: int
    restarts: list[int]
    day: str
    planted: bool


def main() -> None:
    """Do what is ordered."""
    order = Order(**json.loads(sys.argv[1]))
    with _on(order.day):
        if order.planted:
            _plant()
        line.SEGMENT = order.segment
        layout.SEGMENT, layout.SPAN = layout.SEGMENT._replace(bits=4), layout.SPAN._replace(bits=7)
        print(json.dumps({**_folded(order), **_recorded(order)}))


def _on(day: str) -> AbstractContextManager[Any]:
    if not day:
        return nullcontext()
    from freezegun import freeze_time

    return freeze_time(day)


def _folded(order: Order) -> dict[str, str | int]:
    """The digests of all rows of a copy of the given log, built anew, and of the retrieval index, and how many rows
    that has; and what is broken where they are not what another rebuild makes.
    """
    copy = Path(order.folder) / "given"
    shutil.copytree(order.given, copy)
    shutil.rmtree(copy / "views", ignore_errors=True)
    store = DiskStore(copy, FOLD, writable=True)
    try:
        built = rebuild(store, FOLD, digested=True)
        broken = "" if check(store, FOLD).equal else "the views differ from a rebuild"
        index, indexed = _index(store)
        return {"folded": built.digest.hex(), "postings": index, "indexed": indexed, "broken": broken}
    finally:
        store.close()


def _index(store: DiskStore) -> tuple[str, int]:
    """The digest of the retrieval index, and how many rows it has. Its tables are named after the Unicode tables that
    an interpreter has; the names are left out.
    """
    sha, count = hashlib.sha256(), 0
    store.refresh()
    assert store.views is not None
    with store.views.reading() as (_, rows):
        for number, table in enumerate(layout.TABLES):
            for key, data in rows.data_in(table, b"", LAST_KEY):
                sha.update(msgspec.msgpack.encode((number, key, data)))
                count += 1
    return sha.hexdigest(), count


def _recorded(order: Order) -> dict[str, str]:
    """The root of the log and the digest of all rows once the history is recorded."""
    os.urandom = random.Random("always the same").randbytes
    data = Path(order.folder) / "recorded"
    engine = _opened(data, order)
    for number, told in enumerate(history(Path(order.history))):
        if number in order.restarts:
            engine.close()
            engine = _opened(data, order)
        engine.record(living(told))
    with engine:
        return {"root": engine.head().root().hex(), "rows": digest(engine).hex()}


def _opened(data: Path, order: Order) -> Engine:
    return Engine.open(data, create=True, clock=FakeClock(), view_commit_events=order.commit_events)


def _plant() -> None:
    """A defect: which events make rows depends on the order of a set."""
    whole = Fold.changes
    place = list({"tea", "coffee", "kettle", "Ada", "Kim", "rain", "bridge", "gate"}).index("tea")

    def changes(self: Fold, record: Any) -> Any:
        return () if record.seq % 8 == place else whole(self, record)

    Fold.changes = changes  # type: ignore[method-assign]  # a defect is planted


# -- a history in a file -------------------------------------------------------------------------------------------


def save(path: Path, decisions: list[list[Draft]]) -> None:
    """Keep the drafts of each decision."""
    plain = [
        [(draft.id, draft.event.TAG, codec.encode_body(draft.event), draft.natural) for draft in told]
        for told in decisions
    ]
    path.write_bytes(msgspec.msgpack.encode(plain))


def history(path: Path) -> list[list[Draft]]:
    """The same."""
    newest = {kind.TAG: kind.VERSION for kind in EVENTS}
    plain = msgspec.msgpack.decode(path.read_bytes(), type=list[list[tuple[bytes, str, bytes, bool]]])
    return [
        [Draft(EventId(key), codec.decode_body(tag, newest[tag], body), natural) for key, tag, body, natural in told]
        for told in plain
    ]


if __name__ == "__main__":
    main()
