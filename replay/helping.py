"""The helper's own side: a process that reads a log for another one, and never writes.

It ends when its standard input does. Whatever it cannot do it says so, and the other one does it and finds out why;
should it break, the other one notices that too.
"""

import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Union

import msgspec

from projections.ids import VaultId
from replay.errors import LogError
from replay.inspecting import Inspected, inspect_table
from replay.lmdb_file import DATA, OF_VIEWS, check_file, open_environment, translated
from replay.lmdb_log import LmdbLog
from replay.pages.flaws import Seen, seen_in
from replay.pipe import FoldJob, Job, LookJob, Opening, PagesJob, SpanJob, TableJob, framed, read_frame, write_all
from replay.stretch import Stretch, look

if TYPE_CHECKING:
    from replay.folding import Folding
    from replay.line import Folded
    from replay.recall.index import Made
    from replay.ring.keyring import KeyRing

Answer = Union["Folded", Stretch, Inspected, Seen, "Made", None]


class Desk:
    """The open folders. What only some jobs need is loaded by the first of them: a start is short, and LMDB follows
    no page before whoever asks has looked at it.
    """

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._log: LmdbLog | None = None
        self._ring: KeyRing | None = None
        self._folding: Folding | None = None
        self._are_views_looked_at = False

    @property
    def log(self) -> LmdbLog:
        """The log, open."""
        if self._log is None:
            self._log = LmdbLog(Path(self._opening.log), writable=False)
        return self._log

    @property
    def ring(self) -> "KeyRing":
        """The key ring, as far as it was read."""
        if self._ring is None:
            from replay.ring.file import FileRingStore
            from replay.ring.keyring import KeyRing

            self._ring = KeyRing.open(FileRingStore(Path(self._opening.keys)))
        return self._ring

    def _folded(self) -> "Folding":
        if self._folding is None:
            from projections.registry import FOLD
            from replay.folding import Folding

            self._folding = Folding(FOLD, self)
            self._folding.erased = frozenset(map(VaultId, self._opening.erased))
        return self._folding

    def answer(self, job: Job) -> Answer:
        """What comes of a job; None when it cannot be done here."""
        try:
            return self._done(job)
        except LogError:
            return None

    def _done(self, job: Job) -> Answer:
        match job:
            case FoldJob(after, upto):
                from replay.line import fold_ahead

                self.ring.refresh()
                return fold_ahead(self._folded(), self.log, after, upto)
            case LookJob(after, upto, opened):
                return look(self.log, after, upto, self._folded() if opened else None)
            case TableJob(table):
                return self._inspected(table)
            case PagesJob(summed):
                with suppress(FileNotFoundError):  # others are in force by now
                    return seen_in(Path(self._opening.views) / DATA, summed)
                return None

            case SpanJob(views, bits, span):
                from replay.recall.indexing import span_in  # it brings numpy

                return span_in(Path(views), bits, span)

    def _inspected(self, table: str) -> Inspected:
        folder = Path(self._opening.views)
        if not self._are_views_looked_at:
            check_file(folder, remedies=OF_VIEWS)
            self._are_views_looked_at = True
        with translated(folder), open_environment(folder, writable=False, durable=False) as environment:
            database = environment.open_db(table.encode(), create=False)
            with environment.begin() as transaction:
                return inspect_table(transaction, table, database)

    def unmap(self) -> None:
        """Open the log anew when it is needed: the pages that were read go out of memory."""
        if self._log is not None:
            self._log.close()
            self._log = None

    def close(self) -> None:
        """Let every file go."""
        self.unmap()
        if self._ring is not None:
            self._ring.close()


def serve(source: BinaryIO, target: int) -> None:
    """Do one job after the other until nobody asks for more."""
    opening = read_frame(source)
    if opening is None:
        return
    desk = Desk(msgspec.msgpack.decode(opening, type=Opening))
    jobs: msgspec.msgpack.Decoder[Job] = msgspec.msgpack.Decoder(Job)
    try:
        with _sender(target) as answers:
            while (asked := read_frame(source)) is not None:
                answers.put(msgspec.msgpack.encode(desk.answer(jobs.decode(asked))))
                desk.unmap()
    finally:
        desk.close()


@contextmanager
def _sender(target: int) -> "Iterator[queue.SimpleQueue[bytes | None]]":
    """A queue of answers and a thread that sends them: rows of millions of bytes, while the next are made."""
    answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    thread = threading.Thread(target=_send, args=(answers, target), daemon=True)
    thread.start()
    try:
        yield answers
    finally:
        answers.put(None)
        thread.join()


def _send(answers: "queue.SimpleQueue[bytes | None]", target: int) -> None:
    with suppress(OSError):  # nobody listens any more
        for data in iter(answers.get, None):
            write_all(target, framed(data))


def main() -> int:
    """Serve whoever started this process; its exit status."""
    serve(sys.stdin.buffer, sys.stdout.fileno())
    return 0
