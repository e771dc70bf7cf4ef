"""The data folder: which log, ring and views are in it, opened and checked.

    data/write.lock   data/log/CURRENT   data/keys/ring-a, ring-b   data/views/CURRENT   data/vectors/CURRENT

Opening checks, and only a writer mends. What another process replaces is noticed by the stamp of its CURRENT.
"""

import os
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from projections.fold import Fold
from projections.ids import Seq
from replay.clock import CLOCK_NOTE
from replay.errors import (
    DamagedViews,
    ForeignKeyRing,
    KeyRingDamaged,
    KeyRingMissing,
    LogError,
    LogMissing,
    NotALog,
    NothingHere,
)
from replay.folder import Folder, Stamp, make_private, refuse_file, sync_folder
from replay.lmdb_file import NO_FOLDER_OF_OURS, REFUSED, GivenUp, is_dead, translated
from replay.lmdb_log import LmdbLog
from replay.lock import ThreadLock, Waits, WriteLock, silently
from replay.log import Log, MemoryLog
from replay.misfit import misfit
from replay.position import Position
from replay.ring.file import FileRingStore
from replay.ring.keyring import KeyRing, NoKeyRing
from replay.ring.store import MemoryRingStore
from replay.versions import EARLIER, OfViews, names, other_version
from replay.views import Views
from replay.which_log import holds_more, refuse_lost

if TYPE_CHECKING:
    from replay.vectors.vectors import Vectors


OWN_KEYS = "Put the `keys` folder back that was kept with this log"
VECTORS = "vectors"
MOST_RETIRED = 4
"""How many logs and views that were replaced stay open: those of two nights."""
RING = "key ring: "
"""How findings and problems of the key ring begin."""
UNUSABLE = "the views cannot be used (a writer builds them again from the log, and so does `dnam replay`)"
"""How a finding begins that says why they cannot."""


class Finding(NamedTuple):
    """Something that opening noticed; `mended` says whether a writer put it right."""

    what: str
    mended: bool


class DiskStore:
    """An open data folder. It is `shared` where other threads may be reading from it at any time. `keyless`: it opens
    without a key ring too, for who looks at what needs no key (`ring` is a NoKeyRing then, and that is a finding).
    """

    def __init__(
        self,
        path: Path,
        fold: Fold,
        *,
        writable: bool,
        create: bool = False,
        keyless: bool = False,
        waits: Waits = silently,
    ) -> None:
        assert not (keyless and writable), "what is sealed without a key could never be opened"
        self.path = path
        self.writable = writable
        self._keyless = keyless
        self._notes = writable
        self._thorough = writable
        """Whether files are looked over at length: by a writer, when they are opened for the first time."""
        self.findings: list[Finding] = []
        self._fold = fold
        self._log_folder = Folder(path / "log")
        self._views_folder = Folder(path / "views")
        self._vectors_folder = Folder(path / VECTORS)
        self._vectors: Vectors | None = None
        self._vectors_lock = threading.Lock()
        self._following = threading.RLock()
        self.lock = WriteLock(path / "write.lock", waits=waits)
        self.shared = False
        self._check_path()
        if create and self._log_folder.current() is None:
            with translated(path):
                self._create()
        self._retired: list[LmdbLog | Views] = []
        self._log_stamp: Stamp | None = None
        self.ring, self.log = self._open_ring_and_log()
        self.views: Views | None = None
        self._why_unusable = ""
        self._views_stamp: Stamp | None = None
        try:
            self._open_views()
            self._notice_misfit()
            self._thorough = False
            if writable:
                with translated(path):
                    self._mend()
        except BaseException:
            self.close()  # LMDB opens nothing twice, and what cannot be written may be read
            raise

    def _check_path(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise NotALog(f"{self.path} is a file; dnam keeps its data in a folder")
        for each in (self._log_folder.path, self.keys_path):  # before anything is made beside it
            refuse_file(each)
        if (self.path / "data.mdb").exists():
            raise NotALog(f"{self.path} holds an LMDB database of another program; choose another folder")
        self._refuse_lost()
        if self._log_folder.strangers() and self._log_folder.current() is None:  # in this order: see `strangers`
            log = self._log_folder.path
            raise NotALog(
                f"{log} holds a database, and its file CURRENT, which would name it, is not there: {NO_FOLDER_OF_OURS}"
            )

    def _refuse_lost(self) -> None:
        refuse_lost(self._log_folder)

    def _create(self) -> None:
        refuse_file(self._views_folder.path)
        make_private(self.path)
        with self.lock:
            if self._log_folder.current() is not None:
                return
            keys = FileRingStore(self.path / "keys")
            ring = KeyRing.open(keys) if keys.exists() else KeyRing.create(keys)
            self._refuse_beside(ring)
            log_id = os.urandom(16)
            self._views_folder.forget()  # what was made of a log that is gone is not of this one
            with self._log_folder.building() as fresh:
                LmdbLog.create(fresh, log_id, ring.check(log_id)).close()
                self._log_folder.put_in_force(fresh)
            sync_folder(self.path)
            ring.close()

    def _refuse_beside(self, ring: KeyRing) -> None:
        """A key ring that sealed something has a log somewhere: another one is not begun in its place."""
        if ring.vaults:
            raise LogMissing(
                f"there is a key ring in {self.path / 'keys'} that has been used, and no log in {self.path / 'log'}. "
                "Put the `log` folder back from where you keep it, or a backup of it with `dnam restore-backup`; "
                "to begin anew, use another folder"
            )

    def _open_ring_and_log(self) -> tuple[KeyRing, LmdbLog]:
        current = self._log_folder.current()
        keys = FileRingStore(self.keys_path)
        if current is None:
            if keys.exists():
                self._refuse_beside(KeyRing.open(keys))
            raise NothingHere(f"there is no log in {self.path} yet. `dnam chat` or `dnam import` starts one")
        try:
            ring = self._ring_in(keys)
        except (KeyRingMissing, KeyRingDamaged) as error:
            if not self._keyless:
                raise
            self.findings.append(Finding(str(error), mended=False))
            return NoKeyRing(str(error)), self._open_log()
        log = self._open_log()
        foreign = f"the key ring in {self.path / 'keys'} belongs to another log than {current}. {OWN_KEYS}"
        self._refuse_unfit(ring, log, foreign)
        return ring, log

    def _ring_in(self, keys: FileRingStore) -> KeyRing:
        if not keys.exists():
            raise KeyRingMissing(
                f"there is a log in {self.path} and no key ring in {self.path / 'keys'}: nothing in it can be read. "
                "Put the `keys` folder back from where you keep it"
            )
        return KeyRing.open(keys)

    def _refuse_unfit(self, ring: KeyRing, log: LmdbLog, foreign: str, *others: LmdbLog) -> None:
        """A ring that is another log's opens nothing. One of which the end is lost, as this log or another knows it,
        opens for reading alone: whom a vault lists may not be known any more.
        """
        try:
            if ring.check(log.id) != log.key_check:
                raise ForeignKeyRing(foreign)
            for each in (log, *others):
                ring.refuse_cut(each.ring())
        except KeyRingDamaged as error:
            if self.writable:
                log.close()
                raise
            self.findings.append(Finding(str(error), mended=False))
        except LogError:
            log.close()
            raise

    def _open_log(self) -> LmdbLog:
        """The log in force; once more when it was replaced while it was being opened."""
        while True:
            self._log_stamp, current = self._log_folder.in_force()
            if current is None:
                raise NotALog(f"the log in {self.path} is gone")
            try:
                return self._log_in(current)
            except LogError:  # or its folder went while it was being opened
                if self._log_folder.stamp() == self._log_stamp:
                    raise

    def _log_in(self, folder: Path) -> LmdbLog:
        return LmdbLog(folder, writable=self._notes, thorough=self._thorough)

    @property
    def keys_path(self) -> Path:
        """Where the key ring lies."""
        return self.path / "keys"

    @property
    def clock_note(self) -> Path:
        """Where it is noted which clock was accepted by hand."""
        return self.path / CLOCK_NOTE

    def _open_views(self) -> None:
        before = self.views
        self._why_unusable = ""
        self.views = self._usable_views()
        if self.writable and self.version_of_views() == "current":
            self.findings = [
                each._replace(mended=each.mended or each.what.startswith((UNUSABLE, EARLIER))) for each in self.findings
            ]
        if before is not None:
            self._retire(before)

    def _retire(self, before: LmdbLog | Views) -> None:
        """Let go of what was replaced, but not at once: somebody may be reading it. As long as it is open, its file
        stays on the disk, and a TiB of addresses with it, of which there are 128.
        """
        self._retired.append(before)
        while len(self._retired) > MOST_RETIRED:
            self._retired.pop(0).close()

    def _usable_views(self) -> Views | None:
        self._views_stamp = self._views_folder.stamp()  # of one that names nothing, too
        try:
            self._views_stamp, current = self._views_folder.in_force()
            if current is None:
                return None
            views = Views(current, self._fold, writable=self.writable, thorough=self._thorough)
        except LogError as error:
            self._refuse_views(str(error))
            return None
        lost = views.lost()
        if lost:
            self._refuse_views(f"{names(lost)} is lost")
        elif views.lacking or views.newer_tables:
            self.findings.append(Finding(other_version(views.lacking, views.newer_tables), mended=False))
        return views

    def _notice_misfit(self) -> None:
        found = self.misfit()
        if found:
            self.findings.append(Finding(found, mended=False))

    def misfit(self) -> str:
        """Why the views on disk, of whatever version, were not made of this log as it is; empty where they were, or
        where there are none. The log is followed first: what another process put in its place has more events.
        """
        position = self._position_of_views()
        if position is None:
            return ""
        if misfit(position, self.log):
            self.follow_log()
        return misfit(position, self.log)

    def _position_of_views(self) -> Position | None:
        """None also where it cannot be read (any more): they are not used then, and whoever looks at them says why."""
        with suppress(DamagedViews, GivenUp):
            written = None if self.views is None else self.views.written()
            return None if written is None else written.position
        return None

    def _refuse_views(self, why: str) -> None:
        self._why_unusable = why
        self.findings.append(Finding(f"{UNUSABLE}: {why}", mended=False))

    def _mend(self) -> None:
        with self.lock:
            self._begin_views_anew()
            self._clear_logs()
            self._remove_orphans(self._views_folder)
            with suppress(LogError):  # of vectors, what cannot be read is begun anew when they are needed
                self._remove_orphans(self._vectors_folder)
            damage = self.ring.damage()
            if damage:
                self.ring.mend()
                self.findings += [Finding(f"{RING}{each}", mended=True) for each in damage]

    def _begin_views_anew(self) -> None:
        """Where nothing says which views are in force, none are: they are built from the log."""
        try:
            self._views_folder.current()
        except NotALog as error:
            self._views_folder.forget()
            self.findings.append(Finding(str(error), mended=True))

    def _clear_logs(self) -> None:
        """Remove what rewrites of the log left behind. What may hold events that the log in force does not have stays:
        CURRENT may name the wrong one.
        """
        kept: list[Path] = []

        def keep(orphan: Path) -> bool:
            if holds_more(orphan, self.log):
                kept.append(orphan)
            return orphan in kept

        self._remove_orphans(self._log_folder, keep)
        for each in kept:
            what = (
                f"{each} may hold events that the log in force does not have, and was not removed: look whether "
                f"{self._log_folder.path / 'CURRENT'} names the right one, or move it away"
            )
            self.findings.append(Finding(what, mended=False))

    def _remove_orphans(self, folder: Folder, keep: Callable[[Path], bool] = lambda _: False) -> None:
        for orphan in folder.remove_orphans(keep):
            self.findings.append(Finding(f"removed {orphan}, left by a broken-off build", mended=True))

    def unmap(self) -> None:
        """Open the log anew: the pages that were read go out of memory. For whoever has the store alone."""
        self.log.close()
        self.log = self._open_log()

    def check_readers(self) -> None:
        """Strike readers who died from both tables; opening does it too."""
        self.log.check_readers()
        if self.views is not None:
            self.views.check_readers()

    def take_notes(self) -> None:
        """Have the log note how far the ring goes, though nothing else is written to it: a shadow that is written needs
        it. For whoever has the store alone by now.
        """
        if not self._notes:
            self._notes = True
            self.unmap()

    def follow_log(self) -> None:
        """Follow what another process put in force of the log alone: a shadow does so beside whoever has this open."""
        with self._following:
            if REFUSED and self.log.folder in REFUSED:
                if is_dead(self.log.head):
                    self.unmap()  # whoever was reading from it cannot do so any more
                REFUSED.pop(self.log.folder, None)
            if self._log_folder.stamp() != self._log_stamp:
                before, self.log = self.log, self._open_log()
                self._retire(before)

    def refresh(self) -> bool:
        """Follow what other processes put in force; True when the views are others now."""
        self.follow_log()
        with self._following:
            if self._views_folder.stamp() != self._views_stamp or self._views_are_dead():
                self._open_views()
                return True
            return False

    def _views_are_dead(self) -> bool:
        """Whether LMDB has given them up; they are closed then, since it opens nothing twice."""
        if not REFUSED or self.views is None or self.views.folder not in REFUSED:
            return False
        REFUSED.pop(self.views.folder, None)
        if not is_dead(self.views.position):
            return False
        self.views.close()
        return True

    def views_folder(self) -> Folder:
        """Where views lie and are built."""
        return self._views_folder

    def log_folder(self) -> Folder:
        """Where the log lies and is rewritten."""
        return self._log_folder

    @property
    def vectors(self) -> "Vectors":
        """The vectors of the texts, opened when they are needed: numpy takes longer to load than `dnam show` has."""
        from replay.vectors.vectors import Vectors

        with self._vectors_lock:
            if self._vectors is None:
                self._vectors = Vectors(self._vectors_folder.path, self.ring, writable=self.writable)
            return self._vectors

    def let_go(self, dropped: Collection[Seq] | None = None) -> None:
        """Keep no vector in memory of what these events said, whose bodies were dropped; of anything where it is not
        known which that were.
        """
        if self._vectors is not None:
            self._vectors.let_go(dropped)

    def take_vectors(self, before: "DiskStore") -> None:
        """Go on with the vectors that another store has open: who looks at them holds them, and LMDB opens nothing
        twice.
        """
        with before._vectors_lock:
            self._vectors, before._vectors = before._vectors, None
        if self._vectors is not None:
            self._vectors.stand_on(self.ring, writable=self.writable)

    @property
    def has_vectors(self) -> bool:
        """Whether there is anything where vectors lie."""
        return self._vectors_folder.path.exists()

    def unusable_views(self) -> str:
        """Why views that are on disk are damaged; empty where they are not, or where there are none."""
        return self._why_unusable

    def version_of_views(self) -> OfViews:
        """Whose views are on disk, if any that can be used."""
        if self._why_unusable:
            return "unusable"
        if self.views is None:
            return "none"
        if self.views.newer_tables:
            return "newer"
        return "earlier" if self.views.lacking else "current"

    def newer_views(self) -> frozenset[str]:
        """Tables of a newer program in the views."""
        return frozenset() if self.views is None else self.views.newer_tables

    def close(self) -> None:
        """Let every file go, also what was replaced meanwhile: somebody may have been reading it."""
        if self.views is not None:
            self.views.close()
        if self._vectors is not None:
            self._vectors.close()
        for each in (*self._retired, self.log):
            each.close()
        self.ring.close()
        self.lock.close()


class MemoryStore:
    """A log, a ring and no views, gone with the process."""

    shared = False
    views: Views | None = None
    clock_note: Path | None = None
    """Nobody else reaches it."""

    def __init__(self, *, writable: bool = True) -> None:
        self.writable = writable
        self.ring = KeyRing.create(MemoryRingStore())
        log_id = os.urandom(16)
        self.log: Log = MemoryLog(log_id, self.ring.check(log_id))
        self.lock = ThreadLock()

    def refresh(self) -> bool:
        """Nobody else replaces anything."""
        return False

    def let_go(self, dropped: Collection[Seq] | None = None) -> None:
        """There are no vectors."""

    def misfit(self) -> str:
        """There are no views."""
        return ""

    def check_readers(self) -> None:
        """There are no readers but this process."""

    def newer_views(self) -> frozenset[str]:
        """There are none."""
        return frozenset()

    def close(self) -> None:
        """Nothing to let go."""


Store = DiskStore | MemoryStore
"""What an engine stands on: a log, its ring, perhaps views, and the right to write."""
