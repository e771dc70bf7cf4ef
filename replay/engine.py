"""The engine: a writer that records decisions (`writer`), and rows to read from any thread.

A decision is handed in with `submit` and runs under the write lock, after everything that any process recorded before
it. The log's commit is the acknowledgement. Views are committed later, by a thread of their own, every few hundred
events, and opened anew then; what is not in them yet is folded from the log's tail.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path

import lmdb

from projections.decisions.draft import Decision
from projections.fold import Fold
from projections.registry import FOLD
from projections.rows import Rows
from replay import codec
from replay.builder import bring_up, rebuild
from replay.clock import Clock, Recorder, SystemClock
from replay.erasure import finish_erasures, unfinished
from replay.errors import Busy, Damaged, HeadMoved, KeyMissing, LogError, NewerViews, ReadOnly, UnknownEvent
from replay.group import Group, Recorded
from replay.jobs import Job
from replay.live import Live, Tail
from replay.lock import Waits, silently
from replay.log import Head, Log
from replay.opened import Opened
from replay.store import DiskStore, MemoryStore, Store
from replay.travel import Moment, Past, settle, settled
from replay.view_commits import BEHIND, ViewCommits
from replay.writer import CLOSED, Writer, left

BETWEEN = "this memory is just being opened for writing"


class Engine:
    """An open memory. Close it, or use it in a `with`."""

    def __init__(
        self, store: Store, *, clock: Clock | None = None, fold: Fold = FOLD, view_commit_events: int = 512
    ) -> None:
        self.store = store
        self.fold = fold
        self.live = Live(store, fold)
        self.recorder = Recorder(clock or SystemClock(), store.clock_note)
        self.timing: Callable[[], AbstractContextManager[object]] = nullcontext
        """Stands around every commit of the log: whoever measures hands in a timer."""
        self.closing_seconds: float | None = None
        """How long closing waits for what is under way, and writes views; None: as long as it takes."""
        self._mutex = threading.RLock()
        self._recorded: deque[Tail] = deque()
        self._opened = Opened()
        self._under_way: int | None = None
        """While a commit is under way here, where the log ended before."""
        self.view_commits = ViewCommits(self._alone, view_commit_events)
        self._turn = threading.Lock()
        self._writer: Writer | None = None
        self._closed_for: LogError | None = None
        """While nothing is open, between reading alone and writing: why."""
        self.finisher: threading.Thread | None = None
        self.finishing = threading.Lock()
        """Held by the thread that finishes erasures."""
        self._let_go = False
        if store.writable:
            self._prepare()
        store.shared = True
        if store.writable:
            self._start_writing()

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        writable: bool = True,
        create: bool = False,
        clock: Clock | None = None,
        view_commit_events: int = 512,
        waits: Waits = silently,
    ) -> "Engine":
        """The memory in a data folder. Opening for reading changes nothing on disk. `waits` is told while opening waits
        for another process that writes, and may end that.
        """
        store = DiskStore(path, FOLD, writable=writable, create=create, waits=waits)
        try:
            engine = cls(store, clock=clock, view_commit_events=view_commit_events)
        except BaseException:
            store.close()
            raise
        store.lock.waits = silently
        return engine

    @classmethod
    def in_memory(cls, clock: Clock | None = None) -> "Engine":
        """A memory that is gone with the process."""
        return cls(MemoryStore(), clock=clock)

    def begin_writing(self) -> None:
        """Have what was opened for reading alone open for writing from now on; who looks meanwhile waits. ReadOnly
        where the disk still takes nothing, and whatever else stands in the way: then it is read as before.
        """
        if not self.store.writable:
            self._open_for_writing()
        self._prepare()
        self._start_writing()

    def _open_for_writing(self) -> None:
        with self._alone():
            store = self.store
            assert isinstance(store, DiskStore)
            store.lock.refuse_unwritable()
            self._closed_for = Busy(BETWEEN)
            store.close()  # LMDB opens nothing twice
            try:
                self._stand_on(DiskStore(store.path, self.fold, writable=True, waits=_not_waiting), store)
            except LogError as error:
                self._closed_for = error
                self._stand_on(DiskStore(store.path, self.fold, writable=False), store)
                raise

    def _stand_on(self, store: DiskStore, before: DiskStore) -> None:
        """Look, and perhaps write, here from now on; nobody looks at the rows."""
        store.shared = True
        store.lock.waits = silently
        store.take_vectors(before)
        self.store, self.live, self._opened = store, Live(store, self.fold), Opened()
        self._closed_for = None

    def _start_writing(self) -> None:
        self._writer = Writer(self._record, self._turn)
        self._writer.start()
        self.finisher = self._finishing()

    def _prepare(self) -> None:
        """A writer's opening: the ring follows every erasure, views exist and are near the log's end. Nothing is made
        of a log that does not end where it says, or before its views do.
        """
        if isinstance(self.live.locked, Damaged):
            return
        self.follow_erasures()
        if isinstance(self.store, DiskStore) and not self.store.newer_views():
            with suppress(UnknownEvent, KeyMissing, Damaged):  # rows stop there too: `stopped` says why
                self._prepare_views(self.store)

    def _prepare_views(self, store: DiskStore) -> None:
        with self._alone():
            self.live.freshen_views()
            views = self.live.views()
        if views is None:
            rebuild(store, self.fold)
            with self._alone():
                self.live.follow()  # what opening noticed of the old ones is mended
        else:
            head = store.log.head()
            position = views.position()
            if position is not None and head.size - position.size > BEHIND:
                bring_up(store, self.live, head)

    def _finishing(self) -> threading.Thread | None:
        """Goes on with erasures that broke off, in the background; None when there are none."""
        if self.stopped() is not None or self.store.newer_views() or not unfinished(self):
            return None
        thread = threading.Thread(target=self._finish_erasures, name="erasures", daemon=True)
        thread.start()
        return thread

    def finish_in_background(self) -> None:
        """Do what is left to do of an erasure, in a thread that closing waits for."""
        before = self.finisher
        self.finisher = threading.Thread(target=self._finish_after, args=(before,), name="erasures", daemon=True)
        self.finisher.start()

    def _finish_after(self, before: threading.Thread | None) -> None:
        if before is not None:
            before.join()
        self._finish_erasures()

    def _finish_erasures(self) -> None:
        try:
            finish_erasures(self)
        except Exception as error:  # noqa: BLE001 - the next writer tries again; it is told when the memory is closed
            self.view_commits.errors.append(error)

    def follow_erasures(self) -> None:
        """Bring the ring in line with every erasure in the log."""
        with self._alone():
            self.live.follow()
            doomed = self.live.doomed()
        if doomed:
            with self.store.lock, self._alone():
                self.live.follow()
                self._destroy()

    def _destroy(self) -> None:
        doomed = self.live.doomed()
        if doomed:
            self.store.ring.destroy(doomed)
            self.live.folding.after_erasure()
            self._opened = Opened()

    @property
    def writer(self) -> Writer:
        """Who records. ReadOnly where nobody may."""
        if self._writer is None:
            raise ReadOnly("this memory was opened for reading only")
        return self._writer

    def submit(self, decision: Decision) -> "Future[Recorded]":
        """See `Writer.submit`."""
        return self.writer.submit(decision)

    def hand_in(self, job: Job) -> None:
        """See `Writer.hand_in`."""
        self.writer.hand_in(job)

    def record(self, decision: Decision) -> Recorded:
        """See `Writer.record`."""
        return self.writer.record(decision)

    def kept_open(self) -> AbstractContextManager[None]:
        """See `Writer.kept_open`."""
        return self.writer.kept_open()

    def _refuse_let_go(self) -> None:
        if self._let_go:
            raise LogError(CLOSED)
        if self._closed_for is not None:
            raise self._closed_for

    @contextmanager
    def _open_log(self) -> Iterator[Log]:
        """The log itself, for what needs no rows and waits for nobody who looks at them: it may be let go meanwhile."""
        self._refuse_let_go()
        store = self.store
        try:
            yield store.log
        except lmdb.Error:
            self._refuse_let_go()
            if store is not self.store:
                raise Busy(BETWEEN) from None
            raise

    def _record(self, jobs: list[Job]) -> list[Job]:
        """Record a group; the jobs that have to wait for the next.

        A process that is killed between the end of its commit and the note of it for readers (LMDB's lock table) leaves
        a log of which readers do not see the end; the next writer mends that, and finds that the log has moved on. Then
        everything is decided anew.
        """
        try:
            return self._record_once(jobs)
        except HeadMoved:
            return self._record_once([job for job in jobs if job.error is None])

    def _record_once(self, jobs: list[Job]) -> list[Job]:
        waiting = iter(jobs)
        with self.store.lock:
            done: list[tuple[Job, Recorded]] = []
            with self._mutex:
                self._absorb()
                before = self.live.follow()
                self._destroy()
                self.live.catch_up(before)
                self._check_writable()
                with self.live.raw() as raw, self.store.log.glancing() as log:
                    group = Group(self.live, before, self.recorder, raw, log, self._opened)
                    for job in waiting:
                        try:
                            done.append((job, job.work(group)))
                        except Exception as error:  # noqa: BLE001 - a decision fails its own caller and nobody else
                            job.fail(error)
                        if group.ended:
                            break
            told = [partial(job.decided, recorded) for job, recorded in done if job.decided is not None]
            self._under_way = before.size
            try:
                with self.timing():
                    head = group.commit(partial(_call, told))
                self._take_over(Tail(group.overlay, before.size, head.size))
            finally:
                self._under_way = None
        for job, recorded in done:
            job.succeed(recorded)
        self.view_commits.keep_up(self.live, group.decisions)
        return list(waiting)

    def _take_over(self, tail: Tail) -> None:
        """What was recorded joins the rows: at once, or with the next look where one is under way. Nobody is told any
        later for a look of somebody else's.
        """
        self._recorded.append(tail)
        if self._mutex.acquire(blocking=False):
            try:
                self._absorb()
            finally:
                self._mutex.release()

    def _absorb(self) -> None:
        """With the mutex held: first of all, so that the rows are never behind what was acknowledged. In a look that is
        under way nothing changes.
        """
        while self._recorded and not self.live.is_looked_at:
            self.live.absorb(self._recorded.popleft())

    @contextmanager
    def _alone(self) -> Iterator[Live]:
        """The mutex, with everything that was recorded here among the rows."""
        with self._mutex:
            self._absorb()
            yield self.live

    def _freshen(self) -> None:
        """With the mutex held: the rows up to the log's end, but for what is being committed here: that is taken over
        when it is acknowledged, and need not be read. `_under_way` is looked at behind the log: where it is over by
        then, what it left is among what was recorded. A look within a look is of the same moment.
        """
        self._refuse_let_go()
        if self.live.is_looked_at:
            return
        head = self.live.follow()
        upto = self._under_way
        self._absorb()
        self.live.catch_up(head, head.size if upto is None else upto)

    def _check_writable(self) -> None:
        hindrance = self.stopped()
        if hindrance is not None:
            raise hindrance
        newer = self.store.newer_views()
        if newer:
            raise NewerViews(
                f"a newer dnam keeps views here that this one does not know ({', '.join(sorted(newer))}). "
                "This program can read, but must not write; install the newer version"
            )

    def commit_views(self, least: int = 1) -> None:
        """See `ViewCommits.commit`."""
        self.view_commits.commit(least)

    @property
    def view_errors(self) -> list[Exception]:
        """Why views could not be written, and what else the next writer tries again."""
        return self.view_commits.errors

    @contextmanager
    def reading(self) -> Iterator[Rows]:
        """The rows as they are now, with everything that any process has recorded. Keep it short."""
        with self._alone():
            self._freshen()
            with self.live.rows() as rows:
                yield rows

    @contextmanager
    def past(self, moment: Moment) -> Iterator[Rows]:
        """The rows as they were at a moment; inside a decision, at its end."""
        with self.now_and_then(moment) as (_, then):
            yield then

    @contextmanager
    def now_and_then(self, moment: Moment) -> Iterator[tuple[Rows, Rows]]:
        """The rows as they are and as they were, of one look: somebody is named as today, and looked at as then."""
        with self._alone():
            self._freshen()
            moment = settle(self.store.log, moment)
            with self.live.raw() as raw:
                ids = self.live.ids()
                yield Rows(raw, ids), Rows(Past(raw, self.live, moment), ids)

    def head(self) -> Head:
        """Where the log ends now."""
        with self._open_log() as log:
            return log.head()

    def seq_at(self, milliseconds: int) -> int:
        """The last event recorded at or before a time; 0 when there is none. A few header reads, whatever the size."""
        with self._open_log() as log:
            low, high = 0, log.head().size
            while low < high:
                middle = (low + high + 1) // 2
                stored = log.get(middle)
                if stored is None:
                    raise Damaged(f"event #{middle} is missing; run `dnam verify`")
                if codec.decode_header(stored.header).at <= milliseconds:
                    low = middle
                else:
                    high = middle - 1
            return low

    def settled(self, seq: int) -> int:
        """The end of the decision that a seq lies in."""
        with self._open_log() as log:
            return settled(log, seq)

    @property
    def pending(self) -> int:
        """How many decisions are queued or being recorded by the writer."""
        return 0 if self._writer is None else self._writer.pending

    def stopped(self) -> LogError | None:
        """Why folding stopped before the log's end, or why nothing can be written; rows are as of `folded`."""
        return self.live.stopped or self.live.locked

    def close(self) -> None:
        """Finish what is queued, commit the views, let everything go. Views that take longer than `closing_seconds`
        stay as they were: the log has it all, and the next writer brings them up.

        Busy when what is under way takes longer than `closing_seconds`: then it is open as before, and can be closed
        again. Where the process ends instead, what is under way breaks off with it, as when it is killed.
        """
        until = None if self.closing_seconds is None else time.monotonic() + self.closing_seconds
        with self._at_rest(until):
            if self._let_go:
                return
            self._let_go = True
            if self._writer is not None:
                self._writer.end()
        self.view_commits.closing(self.closing_seconds, until)
        try:
            if self._writer is not None and not self.store.newer_views():
                with self._alone():
                    self.live.follow()  # what LMDB gave up is opened anew
                self.commit_views()
        except LogError as error:
            self.view_commits.errors.append(error)  # they can wait: the next writer brings them up
        finally:
            with self._mutex:
                self.store.close()

    @contextmanager
    def _at_rest(self, until: float | None) -> Iterator[None]:
        """As long as the `with` lasts nothing is under way here, and nothing begins. Busy where that is not so until
        then (monotonic seconds): then everything goes on.
        """
        writes, looks = "does another process write to it?", "does a thread still look at it?"
        with ExitStack() as rest:
            if self._writer is not None:
                self._in_time(rest.enter_context(self._writer.without_work(until)), writes)
                if self.finisher is not None:
                    self.finisher.join(left(until))
                    self._in_time(not self.finisher.is_alive(), writes)
                self._in_time(rest.enter_context(self._writer.without_jobs(until)), writes)
            # a caller may be recording in a thread of its own, or look, as one that nobody waits for any more
            self._in_time(rest.enter_context(_held(self._turn, until)), writes)
            self._in_time(rest.enter_context(_held(self._mutex, until)), looks)
            yield

    def _in_time(self, is_over: bool, why: str) -> None:
        if not is_over:
            raise Busy(
                f"this memory could not be closed within {self.closing_seconds:.2g} s; {why}"
                f" Not recorded by then: {self.pending} decisions"
            )

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def _held(lock: "threading.Lock | threading.RLock", until: float | None) -> Iterator[bool]:
    """A lock; whether it could be had in time (monotonic seconds)."""
    seconds = left(until)
    is_held = lock.acquire(timeout=-1 if seconds is None else seconds)
    try:
        yield is_held
    finally:
        if is_held:
            lock.release()


def _not_waiting(path: Path, _seconds: float) -> None:
    """For who has something open that others look at: it is tried again."""
    raise Busy(f"another process holds {path}")


def _call(told: Iterable[Callable[[], None]]) -> None:
    for each in told:
        each()
