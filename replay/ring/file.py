"""The key ring's file: two copies of its records (records.py) that are appended to and synced together.

    append   written to both, the second's sync begun, the first synced     the keys last
    settle   the second's sync awaited                                      they last twice

Between the two, the log's commit that uses the keys may be written: a power cut leaves them in the first copy at least,
and one copy is enough. Who waits for the commit hears of it once the second copy is there as well.

An append that a crash cut short counts for nothing, and a record that is lost in both copies is refused. A writer that
finds a copy that differs writes both anew from what holds, in one rename each.
"""

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from projections.counting import counted
from replay.errors import CannotWrite, KeyRingDamaged, KeyRingUnreadable, LogFull
from replay.folder import make_private, replace_file, sync_folder, write_all
from replay.ring.records import SIZE, Reading, RingRecord, Seen, Stand, following, pack, reading_of, told, unpack
from replay.ring.second_copy import Outcome, SecondCopy

COPIES = ("ring-a", "ring-b")
PUT_BACK = "Put the `keys` folder back from where you keep it, or `dnam restore-backup` a backup that has the keys"


class FileRingStore:
    """Two copies in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths = [folder / name for name in COPIES]
        self._first = str(self._paths[0])
        self._descriptors: list[int] = []
        self._second = SecondCopy()
        self._under_way: Outcome | None = None
        self._is_in_doubt = False
        """Whether the disk refused to sync the second copy: what is read of it need not be what is on the disk."""
        self._untold: CannotWrite | None = None
        """The latest such refusal, as long as nobody was told of it."""
        self._known: Seen | None = None
        """What this process saw or wrote last; None where it was not clean."""
        self._generations: frozenset[bytes] = frozenset()
        self._taken: tuple[Seen | None, tuple[int, int]] = None, (0, 0)
        """What `read` and `news` gave out last, and the first copy's inode and size as of then."""

    def exists(self) -> bool:
        return any(path.exists() for path in self._paths)

    def create(self, records: Iterable[RingRecord]) -> None:
        make_private(self._folder)
        self.rewrite(records)
        sync_folder(self._folder.parent)

    def _load(self) -> list[bytes]:
        copies: list[bytes] = []
        for path in self._paths:
            try:
                copies.append(path.read_bytes())
            except FileNotFoundError:
                copies.append(b"")
            except OSError as error:
                raise KeyRingUnreadable(f"the key ring {path} cannot be read: {error.strerror}") from error
        return copies

    def _look(self) -> Reading:
        """What lies there. What seems to be lost may only have been written between two looks."""
        copies = self._load()
        while (reading := reading_of(copies)).lost:
            before, copies = copies, self._load()
            if copies == before:
                break
        self._generations = frozenset(each.generation for each in reading.stands)
        return reading

    def read(self) -> list[RingRecord]:
        stamp = self._stamp()
        reading = self._refusing_losses()
        self._known = Seen(stamp[0], reading.stands[0]) if reading.is_clean else None
        self._taken = self._known, stamp
        return reading.records

    def _refusing_losses(self) -> Reading:
        reading = self._look()
        if reading.lost:
            raise KeyRingDamaged(self._loss(reading))
        return reading

    def _loss(self, reading: Reading) -> str:
        return f"of the key ring in {self._folder}, {told(reading.lost)} cannot be read in either copy. {PUT_BACK}"

    def left(self) -> list[RingRecord]:
        return self._look().records

    def stand(self) -> Stand | None:
        known = self._known
        return None if known is None or self._stamp() != (known.inode, known.size) else known.stand

    def last_seen(self) -> Stand | None:
        return None if self._known is None else self._known.stand

    def refuse_cut(self, reached: Stand) -> None:
        stand = self.stand()
        if stand is not None and reached.is_within(stand):
            return
        stands = self._look().stands  # another process may have appended since
        if not any(reached.is_within(each) for each in stands):
            last = max((each.last for each in stands), default=0)
            raise KeyRingDamaged(
                f"the key ring in {self._folder} ends at #{last}, and the log was written when it went to "
                f"#{reached.last}: in both copies its end is lost. {PUT_BACK}"
            )

    def _stamp(self) -> tuple[int, int]:
        """The first copy's inode and size; zeros where it is missing."""
        try:
            status = os.stat(self._first)  # noqa: PTH116 - every write group asks, and a Path takes as long again
        except FileNotFoundError:
            return 0, 0
        return status.st_ino, status.st_size

    def news(self) -> list[RingRecord] | None:
        seen, before = self._taken
        stamp = self._stamp()
        if stamp == before != (0, 0):
            return []
        if seen is None or stamp[0] != seen.inode or stamp[1] < seen.size:
            return None
        with self._paths[0].open("rb") as copy:
            copy.seek(seen.size)
            records = following(copy.read(), seen.stand)
        if records is None:
            return None
        seen = seen.reaching(seen.stand.last + len(records))
        self._known, self._taken = seen, (seen, (seen.inode, seen.size))
        return records

    def append(self, records: list[RingRecord]) -> None:
        try:
            known = self._ready()
            data = pack(records, *known.stand)
            try:
                self._write_both(data, known.size)
            except OSError:
                for each in self._descriptors:
                    with suppress(OSError):
                        os.ftruncate(each, known.size)
                raise
        except OSError as error:
            raise self._failure(error) from error
        self._known = known.reaching(known.stand.last + len(records))

    def _failure(self, error: OSError) -> CannotWrite:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return LogFull(f"the disk of {self._folder} is full: make room; nothing that was acknowledged is lost")
        return CannotWrite(f"the key ring in {self._folder} cannot be written: {error.strerror}")

    def _ready(self) -> Seen:
        """Both copies, open and clean. Another process may have appended, written them anew, or been killed over it."""
        self._await_second()
        known = self._known
        if known is None or self._is_in_doubt or self._opened() != [(known.inode, known.size)] * 2:
            known = self._settled()
        return known

    def _opened(self) -> list[tuple[int, int]]:
        """Open both copies as they are called now; the first one's inode, and the size of each."""
        named = [path.stat() for path in self._paths]
        if [os.fstat(each).st_ino for each in self._descriptors] != [status.st_ino for status in named]:
            self._let_go()
            for path in self._paths:
                self._descriptors.append(os.open(path, os.O_WRONLY))
        return [(named[0].st_ino, status.st_size) for status in named]

    def _settled(self) -> Seen:
        """Both copies as they are, written anew where they are not clean."""
        self._opened()
        reading = self._refusing_losses()
        is_clean = reading.is_clean and not self._is_in_doubt
        known = Seen(self._stamp()[0], reading.stands[0]) if is_clean else self._write_anew(reading.records)
        self._opened()
        return known

    def _write_both(self, data: bytes, start: int) -> None:
        """Write into both copies, from a place on, and make it last in the first; the second's sync is under way."""
        first, second = self._descriptors
        for each in (first, second):
            write_all(each, data, start)
        self._under_way = self._second.begin(second)
        try:
            os.fdatasync(first)
        except OSError:
            self._await_second()  # nothing is cut that is being synced
            raise

    def _await_second(self) -> None:
        """Wait for the sync of the second copy, where one is under way."""
        under_way, self._under_way = self._under_way, None
        error = None if under_way is None else under_way.get()
        if error is not None:
            self._is_in_doubt = True
            self._untold = CannotWrite(f"the disk refused to sync {self._paths[1]}: {error}")

    def settle(self) -> CannotWrite | None:
        self._await_second()
        refusal, self._untold = self._untold, None
        return refusal

    def rewrite(self, records: Iterable[RingRecord]) -> None:
        self._await_second()
        try:
            self._known = self._write_anew(list(records))
        except OSError as error:
            raise self._failure(error) from error
        self._taken = self._known, (self._known.inode, self._known.size)

    def _write_anew(self, records: list[RingRecord]) -> Seen:
        generation = next(each for each in iter(lambda: os.urandom(2), b"") if each not in self._generations)
        data = pack(records, generation)
        self._let_go()
        for path in self._paths:
            replace_file(path, data)
        self._generations = frozenset({generation})
        self._is_in_doubt = False
        return Seen(self._stamp()[0], Stand(generation, len(records)))

    def damage(self) -> list[str]:
        copies = self._load()
        reading = reading_of(copies)
        if reading.is_clean:
            return []
        found: list[str] = []
        valid = over = 0
        for at, (path, copy) in enumerate(zip(self._paths, copies, strict=True)):
            if at == 0 or copy != copies[0]:  # what is equal has the same damage
                valid, over = len(list(unpack(copy))), len(copy) % SIZE
            damaged = len(copy) // SIZE - valid
            if damaged or over:
                records = counted(damaged, "damaged record")
                found.append(f"{path}: {records}, {over} bytes over")
        if copies[0] != copies[1]:
            found.append(f"the two copies in {self._folder} differ")
        if reading.lost:
            found.append(self._loss(reading))
        return found or [f"both copies in {self._folder} end in an append that was cut short"]

    def _let_go(self) -> None:
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = []

    def close(self) -> None:
        self._await_second()
        self._let_go()
        self._second.end()
