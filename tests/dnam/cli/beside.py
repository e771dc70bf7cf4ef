"""A shadow beside a small memory: every event of it, as a test leaves it, and what the test adds; and broken ones."""

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from dnam.shadows.manifest import FILE, Asked, Manifest, save
from projections.decisions.draft import Draft
from projections.events import Event
from projections.ids import EventId
from projections.rows import Rows
from replay.engine import Engine
from replay.folder import Folder
from replay.lmdb_log import LmdbLog
from replay.reading import Reader
from replay.shadows.shadow import shadow_engine, shadow_folder
from tests.dnam.scripted import FakeClock
from tests.world import NOW, handle

Change = Callable[[Event], Event | None]
PAGE = 4096
ASKED = Asked("claude-next", "claude-next", "extraction@2", "summary@1", "merge@1")


def unchanged(event: Event) -> Event:
    """The shadow has what the memory has."""
    return event


def beside(data: Path, name: str, change: Change = unchanged, more: Iterable[Event] = (), **fields: object) -> None:
    """Make a shadow of a memory. `change` yields None for what the shadow has not; `fields` are the manifest's."""
    with (
        Engine.open(data, writable=False) as live,
        shadow_engine(data, name, writable=True, create=True, clock=FakeClock(), beside=live) as shadow,
    ):
        reader = Reader(live.live)
        readings = [reader.at(seq) for seq in range(1, live.head().size + 1)]
        kept = ((each.record.id, change(each.record.event)) for each in readings if each.record is not None)
        added = ((EventId(handle(f"{name} {number}")), event) for number, event in enumerate(more))
        for event_id, event in (*kept, *added):
            if event is not None:
                _record(shadow, event_id, event)
        manifest = Manifest(
            name=name, asked=ASKED, made=NOW, log=shadow.store.log.id.hex(), of=live.store.log.id.hex(),
            state="complete", upto=live.head().size, calls=3, tokens_in=2_000, tokens_out=100, cost_micros=12_345,
        )  # fmt: skip
        save(data, msgspec.structs.replace(manifest, **fields))


# -- what may become of one ----------------------------------------------------------------------------------------


def _damage(data: Path) -> str:
    file = log_of(data) / "data.mdb"
    content = bytearray(file.read_bytes())
    for page in range(2 * PAGE, len(content), PAGE):
        content[page + 16 : page + PAGE] = b"\xff" * (PAGE - 16)
    file.write_bytes(content)
    return f"its log is damaged: {file} is damaged"


def _flip(data: Path) -> str:
    """A bit of the last event's words."""
    folder = log_of(data)
    log = LmdbLog(folder, writable=False)
    stored = log.get(log.head().size)
    log.close()
    assert stored is not None
    assert stored.body is not None
    file = folder / "data.mdb"
    body = stored.body[:-1] + bytes([stored.body[-1] ^ 1])
    file.write_bytes(file.read_bytes().replace(stored.body, body))
    return f"its log is damaged: event #{stored.seq}"


def _cut(data: Path) -> str:
    file = log_of(data) / "data.mdb"
    os.truncate(file, PAGE * 3)
    return f"its log is damaged: {file} has {PAGE * 3} bytes"


def _lose(data: Path) -> str:
    shutil.rmtree(shadow_folder(data, "next") / "log")
    return "its log is gone"


def _copy(data: Path) -> str:
    """The log of another shadow, beside the words of this one."""
    beside(data, "another")
    here = shadow_folder(data, "next")
    for each in ("log", "views"):
        shutil.rmtree(here / each, ignore_errors=True)
    shadow_folder(data, "another").joinpath("log").rename(here / "log")
    shutil.rmtree(shadow_folder(data, "another"))
    return "its log is not the one that it was made in"


def _scribble(data: Path) -> str:
    (shadow_folder(data, "next") / FILE).write_text("no manifest")
    return f"{FILE} cannot be read: "


def _unlink(data: Path) -> str:
    (shadow_folder(data, "next") / FILE).unlink()
    return f"{FILE} is gone"


def _lock(data: Path) -> str:
    """Destroy the keys of what only the shadow has sealed."""
    with Engine.open(data, clock=FakeClock()) as live, shadow_engine(data, "next", beside=live) as shadow:
        ring = live.store.ring
        only = shadow.store.log.vaults() - live.store.log.vaults()
        assert only
        ring.destroy(only)
    return f"the keys of {len(only)} vaults of the shadow 'next' are not in the key ring"


HARMS: Mapping[str, Callable[[Path], str]] = {
    "pages damaged": _damage,
    "an event damaged": _flip,
    "cut short": _cut,
    "log gone": _lose,
    "log of another shadow": _copy,
    "manifest damaged": _scribble,
    "manifest gone": _unlink,
    "keys lost": _lock,
}
"""What is done to a shadow called next, and what is said of it then."""


def nothing_recorded(data: Path) -> None:
    """What a kill leaves of the shadow called next before anything is recorded in it: an empty log, and no words."""
    folder = shadow_folder(data, "next")
    for each in ("log", "views"):
        shutil.rmtree(folder / each, ignore_errors=True)
    (folder / FILE).unlink()
    with (
        Engine.open(data, writable=False) as live,
        shadow_engine(data, "next", writable=True, create=True, clock=FakeClock(), beside=live),
    ):
        pass


def log_of(data: Path) -> Path:
    """Where the log of the shadow called next lies."""
    current = Folder(shadow_folder(data, "next") / "log").current()
    assert current is not None
    return current


def _record(shadow: Engine, event_id: EventId, event: Event) -> None:
    def decision(rows: Rows) -> list[Draft]:
        known = tuple(each for each in event.causes if rows.ids.status(each) == "known")
        return [Draft(event_id, msgspec.structs.replace(event, causes=known))]

    shadow.record(decision)
