"""The mirror: DiscoClaw's files of an open memory (files.py), kept up while it is open.

A task of its own looks a few times a second how far the log is, and writes the files of the people and sessions that
the new events touch, whichever process recorded them. So no answer waits for it. The folder itself says as of which
event its files are, once they are: a process that was killed leaves nothing undone that the next does not do again. One
process writes; others leave it to that.
"""

import asyncio
import logging
import shutil
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from dnam.access import Access
from dnam.alongside import alongside
from dnam.discoclaw.file_set import MARK, FileSet
from dnam.discoclaw.files import DURABLE, FORM, ROLLING, FilesOf, guilds, of_person, of_session, only_guild, sessions
from dnam.settings import Settings
from projections.errors import DnamError
from projections.events import (
    ErasureCompleted,
    ItemEvent,
    MessageRedacted,
    PersonErased,
    PersonSeen,
    PlaceAudienceChanged,
    PlaceDescribed,
    SummaryRefreshed,
    SummaryReset,
)
from projections.fold import Record
from projections.ids import EventId, Handle, Ref
from projections.lookup import people
from projections.people import accounts_of
from projections.rows import Rows
from replay import codec
from replay.engine import Engine
from replay.store import DiskStore

FOLDER = "mirror"
PAUSE_SECONDS = 0.2
"""How long it rests between two looks at the log: well under the second in which it is to be up to date."""
RETRY_SECONDS = 5.0
"""How long it rests after the disk did not take a file."""
MANY = 4096
"""With so many new events every file is looked at: that is less work than to look at the events."""

Tell = Callable[[str], None]
_log = logging.getLogger("dnam")


@dataclass
class Touched:
    """Whose files some events touch."""

    everything: bool = False
    people: set[Handle] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)


class Mirror:
    """Keeps a folder up with an engine. `tell` is told once when it cannot, and once when it can again."""

    def __init__(self, engine: Engine, folder: Path, tell: Tell, elsewhere: Mapping[str, Path] | None = None) -> None:
        self._engine = engine
        self._files = FileSet(folder, elsewhere)
        self._tell = tell
        self._turn = threading.Lock()
        self._done: int | None = None
        self._guild: Ref | None = None
        self._failed_at: float | None = None

    async def keep_up(self) -> None:
        """Look and write until cancelled."""
        while True:
            await asyncio.to_thread(self.step)
            await asyncio.sleep(PAUSE_SECONDS)

    def step(self, *, last: bool = False) -> None:
        """Write what is new, if anything is; `last` tries also right after a failure."""
        with self._turn:
            if self._failed_at is not None and not last and time.monotonic() < self._failed_at + RETRY_SECONDS:
                return
            try:
                self._catch_up()
            except (OSError, DnamError) as error:
                self._note_failure(error)
            else:
                self._note_success()

    def close(self) -> None:
        """Leave the folder to others."""
        with self._turn:
            self._files.release()

    def _note_failure(self, error: Exception) -> None:
        if self._failed_at is None:
            self._tell(f"the mirror in {self._files.path} cannot be kept up, and is tried again: {error}")
        self._failed_at = time.monotonic()
        self._files.release()  # the folder itself may be gone
        self._done = None

    def _note_success(self) -> None:
        if self._failed_at is not None:
            self._tell(f"the mirror in {self._files.path} is kept up again")
        self._failed_at = None

    def _catch_up(self) -> None:
        size = self._engine.head().size
        if size == self._done or not self._files.claim():
            return
        if self._done is None:
            self._resume(size)
        every = self._done is None or size - self._done > MANY
        touched = Touched(everything=True) if self._done is None or every else self._touched(self._done, size)
        if touched.everything:
            self._write_all()
        else:
            self._write(touched)
        self._files.stamp(_stamp(self._engine, size, self._guild))
        self._done = size

    def _resume(self, size: int) -> None:
        """Go on where the files are, if they are of this log and say so."""
        stamped = self._files.stamped()
        number = stamped.split(" ")[-1]
        seq = int(number) if number.isdecimal() else size + 1
        with self._engine.reading() as rows:
            known = [None, *guilds(rows)]
        guild = [each for each in known if seq <= size and _stamp(self._engine, seq, each) == stamped]
        if guild:
            self._done, (self._guild,) = seq, guild

    # -- which files ------------------------------------------------------------------------------------------------

    def _touched(self, after: int, upto: int) -> Touched:
        touched, folding = Touched(), self._engine.live.folding
        with self._engine.reading() as rows:
            for stored in self._engine.store.log.read(after, upto):
                record = folding.record(stored)
                if record is not None:
                    self._add(touched, rows, record)
        return touched

    def _add(self, touched: Touched, rows: Rows, record: Record) -> None:
        match record.event:
            case ItemEvent(item=item):
                touched.people.add(item.owner)
            case PersonSeen(person=person):  # whose files are named after an account: perhaps another one now
                touched.people.add(person)
                touched.everything |= len(list(accounts_of(rows, person))) > 1
            case (
                SummaryRefreshed(session=session)
                | SummaryReset(session=session)
                | PlaceAudienceChanged(session=session)
            ):
                touched.sessions.add(session)
            case PlaceDescribed(session=session):
                touched.everything |= only_guild(rows) != self._guild
                touched.sessions.add(session)
            case MessageRedacted(events=events):
                touched.everything |= any(map(self._made_files, events))
            case PersonErased() | ErasureCompleted():
                touched.everything = True
            case _:
                pass

    def _made_files(self, event: EventId) -> bool:
        """Whether what was redacted is something that files are made of."""
        seq = self._engine.store.log.find(event)
        stored = None if seq is None else self._engine.store.log.get(seq)
        if stored is None:
            return False
        family = codec.decode_header(stored.header).tag.partition(".")[0]
        return family in ("item", "summary", "person", "place")

    # -- writing them -----------------------------------------------------------------------------------------------

    def _write(self, touched: Touched) -> None:
        for files in self._each(touched.people, touched.sessions):
            self._files.put(files.files)

    def _write_all(self) -> None:
        """Every file, and no other. Each is read on its own, so that nobody waits for long."""
        with self._engine.reading() as rows:
            self._guild, everybody, every_session = only_guild(rows), people(rows), sessions(rows)
        names: set[str] = set()
        for files in self._each(everybody, every_session):
            self._files.put(files.files)
            names |= {name for name, data in files.files.items() if data is not None}
        self._files.keep_only(names)

    def _each(self, persons: "set[Handle] | list[Handle]", every_session: "set[str] | list[str]") -> Iterator[FilesOf]:
        for person in persons:
            yield self._read(partial(of_person, person=person, guild=self._guild))
        for session in every_session:
            yield self._read(partial(of_session, session=session))

    def _read(self, question: Callable[[Rows], FilesOf]) -> FilesOf:
        with self._engine.reading() as rows:
            return question(rows)


def _stamp(engine: Engine, seq: int, guild: Ref | None) -> str:
    """As of when files are: the log, the guild that they are for, the last event."""
    return f"{FORM} {engine.store.log.id.hex()} {guild or '-'} {seq}"


def folder_of(memory: Access) -> Path | None:
    """Where a memory's mirror lies; None where it is to have none."""
    store, settings = memory.engine.store, memory.settings
    if not settings.json_mirror or not isinstance(store, DiskStore):
        return None
    return settings.json_mirror_dir or store.path / FOLDER


def elsewhere_of(settings: Settings) -> dict[str, Path]:
    """Which of its two folders lie elsewhere, by DiscoClaw's own settings for them."""
    named = {DURABLE: settings.durable_data_dir, ROLLING: settings.summary_data_dir}
    return {name: folder for name, folder in named.items() if folder is not None}


def _remove(memory: Access) -> None:
    """Remove the mirror beside a memory that is open for writing, unless another process keeps it up."""
    store = memory.engine.store
    if not isinstance(store, DiskStore) or not store.writable or not (store.path / FOLDER / MARK).exists():
        return
    files = FileSet(store.path / FOLDER)
    if files.claim():
        shutil.rmtree(files.path, ignore_errors=True)
        files.release()


@asynccontextmanager
async def mirroring(memory: Access, tell: Tell = _log.warning) -> AsyncIterator[None]:
    """Keep a memory's mirror up for as long as the `async with`, where DNAM_JSON_MIRROR says so. Where it says no, one
    that lies there from before is removed: it would keep what is forgotten from now on.
    """
    folder = folder_of(memory)
    if folder is None:
        await asyncio.to_thread(_remove, memory)
        yield
        return
    mirror = Mirror(memory.engine, folder, tell, elsewhere_of(memory.settings))
    try:
        async with alongside(mirror.keep_up(), "the mirror", tell):
            yield
    finally:
        await asyncio.to_thread(mirror.step, last=True)
        mirror.close()
