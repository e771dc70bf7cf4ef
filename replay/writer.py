"""The writer: one thread that drains a queue of jobs and has them recorded in groups, one commit each.

Where nothing is queued or being written, whoever waits for a decision records it in a thread of their own.
"""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from queue import Empty, SimpleQueue

from projections.decisions.draft import Decision
from replay.errors import LogError
from replay.group import Recorded
from replay.jobs import Job, alone, by_future, by_nobody, deliver

MOST_IN_GROUP = 512
"""How many decisions share a commit at the most."""
CLOSED = "this memory is closed"


class Writer:
    """`record` records a group of jobs and says which have to wait for the next; `turn` is held while it does. The
    thread runs from `start` on.
    """

    def __init__(self, record: Callable[[list[Job]], list[Job]], turn: threading.Lock) -> None:
        self._record = record
        self._turn = turn
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._gate = threading.Lock()
        self._works = 0
        """How much is under way that closing waits for, with the gate held."""
        self._ended = threading.Condition(self._gate)
        """Told when such work ended, or what was queued is done."""
        self._without_work = 0
        self._without_jobs = 0
        """How many close and have got so far: that no such work begins, that nothing is taken at all."""
        self._is_closed = False
        self._pending = 0
        self._thread = threading.Thread(target=self._write, name="writer", daemon=True)

    def start(self) -> None:
        """From now on what is queued is recorded."""
        self._thread.start()

    @property
    def pending(self) -> int:
        """How many jobs are queued or being recorded by the thread."""
        return self._pending

    def submit(self, decision: Decision) -> "Future[Recorded]":
        """Queue a decision. The future holds what was recorded once it is durable, or the error; what was handed in
        cannot be cancelled.
        """
        future: Future[Recorded] = Future()
        future.set_running_or_notify_cancel()
        self.hand_in(Job(alone(decision), by_future, future))
        return future

    def hand_in(self, job: Job) -> None:
        """Queue a job. Its courier is told in the writer's thread, once it is durable or failed."""
        with self._gate:
            self._check_open()
            self._enqueue(job)

    def record(self, decision: Decision) -> Recorded:
        """Record a decision and wait until it is durable.

        Where nothing is queued or being written, the caller's own thread does it: handing over takes as long again.
        """
        with self._gate:
            self._check_open()
            here = not self._pending and self._turn.acquire(blocking=False)
        if not here:
            return self.submit(decision).result()
        job = Job(alone(decision), by_nobody)
        try:
            self._work([job])
        finally:
            self._turn.release()
        return job.result()

    # -- its end -------------------------------------------------------------------------------------------------------

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """For work in a thread that would leave something half done: closing waits for it, and none begins behind."""
        with self._gate:
            if self._without_work:
                raise LogError(CLOSED)
            self._check_open()
            self._works += 1
        try:
            yield
        finally:
            with self._gate:
                self._works -= 1
                self._ended.notify_all()

    @contextmanager
    def without_work(self, until: float | None) -> Iterator[bool]:
        """As long as the `with` lasts no work begins that closing waits for; whether all of it ended in time (monotonic
        seconds).
        """
        with self._gate:
            self._without_work += 1
        try:
            with self._gate:
                is_over = self._ended.wait_for(lambda: not self._works, left(until))
            yield is_over
        finally:
            with self._gate:
                self._without_work -= 1

    @contextmanager
    def without_jobs(self, until: float | None) -> Iterator[bool]:
        """As long as the `with` lasts nothing is taken; whether what is queued was done in time."""
        with self._gate:
            self._without_jobs += 1
        try:
            with self._gate:
                is_over = self._ended.wait_for(lambda: not self._pending, left(until))
            yield is_over
        finally:
            with self._gate:
                self._without_jobs -= 1

    def end(self) -> None:
        """Take nothing more, ever; what is queued is done."""
        with self._gate:
            self._is_closed = True
        self._queue.put(None)
        self._thread.join()

    def _check_open(self) -> None:
        if self._is_closed or self._without_jobs:
            raise LogError(CLOSED)

    # -- its thread ----------------------------------------------------------------------------------------------------

    def _enqueue(self, job: Job) -> None:
        """With the gate held."""
        self._pending += 1
        self._queue.put(job)

    def _write(self) -> None:
        while (job := self._queue.get()) is not None:
            with self._turn:
                jobs = self._drain(job)
                self._work(jobs)
            with self._gate:
                self._pending -= len(jobs)
                self._ended.notify_all()

    def _drain(self, first: Job) -> list[Job]:
        """Everything that waits by now, up to a group's size."""
        jobs = [first]
        while len(jobs) < MOST_IN_GROUP:
            try:
                job = self._queue.get_nowait()
            except Empty:
                break
            assert job is not None  # the end is queued where nothing waits any more
            jobs.append(job)
        return jobs

    def _work(self, jobs: list[Job]) -> None:
        """Record jobs, with the turn held."""
        while jobs:
            rest = self._try(jobs)
            waits = set(map(id, rest))
            deliver([job for job in jobs if id(job) not in waits] if rest else jobs)
            jobs = rest

    def _try(self, jobs: list[Job]) -> list[Job]:
        """Record a group; the jobs that have to wait for the next."""
        try:
            return self._record(jobs)
        except Exception as error:  # noqa: BLE001 - the writer survives; every caller of the group hears of it
            for each in jobs:
                each.fail(error)
            return []


def left(until: float | None) -> float | None:
    """How many seconds are left; None where there is no end."""
    return None if until is None else max(until - time.monotonic(), 0.0)
