"""A shadow: a log beside the live one, for what another model would have made of the same words (design §9).

    data/shadows/NAME/   write.lock   log/CURRENT   views/CURRENT

It has no keys of its own: its bodies are sealed by the live key ring, in the same vaults, so who is erased there cannot
be read here either, from the same moment on. Its epoch is the live log's. The vaults that only it needs are listed in
the live ring too, under labels of its own; the ring is written under the live write lock.

Of the live log only its note of how far the ring goes is written: it is moved on once keys were made to last for a
shadow, and before any event of it rests on them. So whoever mends the ring knows them from what a crash left behind.

Who is erased while a derivation goes on is gone from it as from the live memory: the epoch says so before each
decision, and no key is made to last that was planned before the erasure.

Locks are taken in the order shadow, live.
"""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from projections.fold import Fold
from projections.ids import Seq, VaultId
from replay.clock import CLOCK_NOTE
from replay.errors import ErasedMeanwhile, NothingHere
from replay.folder import Folder, Stamp, make_private, sync_folder
from replay.lmdb_log import LmdbLog
from replay.lock import WriteLock
from replay.log import Commit, Head, Syncing, untold
from replay.ring.file import FileRingStore
from replay.ring.keyring import KeyRing
from replay.ring.store import RingStore
from replay.store import DiskStore

SHADOWS = "shadows"
"""The folder of all shadows, in the data folder."""
_OPENING = threading.RLock()
"""Held while a shadow is opened or closed, and while an open one is lent: LMDB opens nothing twice in a process."""
_OPEN: "dict[Path, ShadowStore]" = {}
"""The shadows that this process has open, by folder."""


class ShadowRing(KeyRing):
    """The live key ring, as a shadow uses it: what belongs to an era or to nobody has vaults of its own there."""

    def __init__(self, store: RingStore, lock: WriteLock, name: str, log: Callable[[], LmdbLog]) -> None:
        super().__init__(store)
        self.whose = f"the shadow {name!r}"
        self.remedy = f"`dnam shadows drop {name}`, then `dnam rederive --name {name}` again"
        self._live = lock
        self._name = name
        self._log = log
        self._noted: bytes | None = None
        """How far it went when the live log was last seen to say so."""

    def _tag(self, label: str) -> bytes:
        return super()._tag(f"shadow {self._name} {label}")

    def flush(self, epoch: int = 0) -> None:
        """ErasedMeanwhile where somebody was erased since these keys were planned: a vault that lists them would come
        behind their erasure, which does not name it.
        """
        if self._planned or self.stand() != self._noted:
            with self._live:
                live = self._log()
                if self._planned and live.head().epoch != epoch:
                    raise ErasedMeanwhile("somebody was erased while this was decided")
                self._make_last(live)

    def _make_last(self, live: LmdbLog) -> None:
        """The keys first, then the note. Keys that a crash left without one may be used from here on: it is made up."""
        self.refuse_cut(live.ring())
        self.refresh()
        super().flush()
        self.settle()
        if not self.stand():
            self.mend()
        reached = self.stand()
        if live.ring() != reached:
            live.note_ring(reached)
        self._noted = reached

    def destroy(self, vaults: frozenset[VaultId]) -> bool:
        with self._live:
            return super().destroy(vaults)


class ShadowLog(LmdbLog):
    """The log of a shadow. Who is erased, and how many erasures there were, is the live log's to say."""

    live: Callable[[], LmdbLog]
    """The live log, as it is in force now."""

    def head(self) -> Head:
        return super().head()._replace(epoch=self.live().head().epoch)

    def append(self, commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
        super().append(commit, expected._replace(epoch=super().head().epoch), syncing)
        return self.head()

    def erased_vaults(self) -> frozenset[VaultId]:
        return self.live().erased_vaults()

    def erasures(self) -> list[tuple[VaultId, Seq]]:
        """None of its own: whoever opens the live memory finishes them."""
        return []


class ShadowStore(DiskStore):
    """An open shadow of the memory in a data folder. `beside` is that memory's store, where this process has it open:
    LMDB opens nothing twice.
    """

    def __init__(
        self,
        data: Path,
        name: str,
        fold: Fold,
        *,
        writable: bool,
        create: bool = False,
        beside: DiskStore | None = None,
    ) -> None:
        self.data = data
        self.name = name
        self._beside = beside
        self._live_lock = WriteLock(data / "write.lock")
        self._live_folder = Folder(data / "log")
        self._live_stamp: Stamp | None = None
        self._live_logs: list[LmdbLog] = []
        with _OPENING:
            try:
                if writable and beside is not None:
                    beside.take_notes()
                super().__init__(shadow_folder(data, name), fold, writable=writable, create=create)
            except BaseException:
                self._close_live()
                raise
            _OPEN[self.path.resolve()] = self

    @property
    def keys_path(self) -> Path:
        """The live key ring."""
        return self.data / "keys"

    @property
    def clock_note(self) -> Path:
        """What is accepted of the clock holds for the live memory's shadows too."""
        return self.data / CLOCK_NOTE

    def _refuse_lost(self) -> None:
        """A shadow is not repaired: it is dropped and made anew."""

    def _create(self) -> None:
        make_private(self.data / SHADOWS)
        make_private(self.path)
        with self.lock:
            if self._log_folder.current() is not None:
                return
            ring, log_id = self._open_ring(), os.urandom(16)
            with self._log_folder.building() as fresh:
                LmdbLog.create(fresh, log_id, ring.check(log_id)).close()
                self._log_folder.put_in_force(fresh)
            sync_folder(self.path)
            ring.close()

    def _open_ring(self) -> ShadowRing:
        ring = ShadowRing(FileRingStore(self.keys_path), self._live_lock, self.name, self._followed)
        ring.reload()
        return ring

    def _open_ring_and_log(self) -> tuple[KeyRing, LmdbLog]:
        if self._log_folder.current() is None:
            raise NothingHere(f"there is no shadow {self.name!r} here: `dnam shadows` lists those that there are")
        ring, log = self._open_ring(), self._open_log()
        foreign = f"the shadow {self.name!r} was made beside another memory: `dnam shadows drop` it"
        self._refuse_unfit(ring, log, foreign, self._live_log())
        return ring, log

    def _log_in(self, folder: Path) -> LmdbLog:
        log = ShadowLog(folder, writable=self.writable, thorough=self._thorough)
        log.live = self._live_log
        self._follow_live()
        return log

    def _live_log(self) -> LmdbLog:
        return self._live_logs[-1] if self._beside is None else self._beside.log

    def _followed(self) -> LmdbLog:
        """The live log that is in force by now."""
        self._follow_live()
        return self._live_log()

    def _follow_live(self) -> None:
        """Open the live log that is in force."""
        if self._beside is not None:
            self._beside.follow_log()
            return
        if self._live_logs and self._live_folder.stamp() == self._live_stamp:
            return
        self._live_stamp, current = self._live_folder.in_force()
        if current is None:
            raise NothingHere(f"there is no log in {self.data}: a shadow is nothing without the memory it is of")
        self._live_logs.append(LmdbLog(current, writable=self.writable))

    def refresh(self) -> bool:
        """Follow what other processes put in force, here and in the live folder."""
        self._follow_live()
        return super().refresh()

    def _mend(self) -> None:
        with self.lock:
            self._begin_views_anew()
            self._clear_logs()
            self._remove_orphans(self._views_folder)

    def close(self) -> None:
        with _OPENING:
            _OPEN.pop(self.path.resolve(), None)
            super().close()
            self._close_live()

    def _close_live(self) -> None:
        for each in self._live_logs:
            each.close()
        self._live_logs = []
        self._live_lock.close()


def shadow_folder(data: Path, name: str) -> Path:
    """Where a shadow of this name lies, or would."""
    return data / SHADOWS / name


def shadows_in(data: Path) -> list[str]:
    """The shadows of a data folder that have a log, by name."""
    folder = data / SHADOWS
    names = sorted(each.name for each in folder.iterdir()) if folder.is_dir() else []
    return [name for name in names if (folder / name / "log" / "CURRENT").exists()]


def remove_shadow(data: Path, name: str) -> None:
    """Remove a shadow from the disk. What only it had sealed has keys in the ring still, which nothing uses."""
    lock = WriteLock(shadow_folder(data, name) / "write.lock")
    try:
        with lock:
            shutil.rmtree(shadow_folder(data, name))
    finally:
        lock.close()
    sync_folder(data / SHADOWS)


@contextmanager
def lent(live: DiskStore, name: str, fold: Fold) -> Iterator[ShadowStore]:
    """A shadow of an open memory, for what is to be done to its files: the one that this process has open, or one that
    is opened for it. Nobody opens or closes one meanwhile.
    """
    with _OPENING:
        known = _OPEN.get(shadow_folder(live.path, name).resolve())
        if known is not None:
            yield known
            return
        store = ShadowStore(live.path, name, fold, writable=True, beside=live)
        try:
            yield store
        finally:
            store.close()
