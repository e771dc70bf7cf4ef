"""Decisions on their way to the writer, and what became of them on the way back.

Whoever waits is told by a courier, once for all decisions of a group that came from the same place: waking an event
loop, or handing the interpreter from thread to thread, takes longer than recording.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from itertools import groupby
from operator import attrgetter
from typing import Any

from projections.decisions.draft import Decision
from replay.group import Group, Recorded

Work = Callable[[Group], Recorded]
"""Records one decision in a group, or several that follow one from the other: they share a commit, and see what those
before them became before any is durable. Where it raises, those before stay. It may be done again in another group,
where the first one came to nothing.
"""


def alone(decision: Decision) -> Work:
    """The work of one decision."""
    return lambda group: group.run(decision)


Decided = Callable[[Recorded], None]
"""Hears what work came to while the disk is waited for: it may still come to nothing. It must not raise, and not block.
"""


class Job:
    """Work to be done in a group, and who is told. `ticket` is the courier's own: what it knows the waiting one by."""

    __slots__ = ("_error", "_recorded", "courier", "decided", "ticket", "work")

    def __init__(self, work: "Work", courier: "Courier", ticket: Any = None, decided: Decided | None = None) -> None:
        self.work = work
        self.courier = courier
        self.ticket = ticket
        self.decided = decided
        self._recorded = Recorded()
        self._error: Exception | None = None

    def succeed(self, recorded: Recorded) -> None:
        """It is durable."""
        self._recorded = recorded

    def fail(self, error: Exception) -> None:
        """It came to nothing. The first reason holds."""
        self._error = self._error or error

    @property
    def error(self) -> Exception | None:
        """Why nothing was recorded; None when it was."""
        return self._error

    def result(self) -> Recorded:
        """What was recorded; raises what kept it from that."""
        if self._error is not None:
            raise self._error
        return self._recorded


Courier = Callable[[Sequence[Job]], None]
"""Tells those who wait for these jobs. It must not raise, and not block: the writer thread calls it."""


def by_future(jobs: Sequence[Job]) -> None:
    """The courier of those who wait for a future, which is the ticket."""
    for job in jobs:
        future: Future[Recorded] = job.ticket
        if job.error is None:
            future.set_result(job.result())
        else:
            future.set_exception(job.error)


def by_nobody(jobs: Sequence[Job]) -> None:
    """The courier of those who look for themselves."""


def deliver(jobs: Sequence[Job]) -> None:
    """Tell everybody who waits for one of these."""
    if len(jobs) == 1:
        jobs[0].courier(jobs)
        return
    for courier, group in groupby(jobs, key=attrgetter("courier")):
        courier(list(group))
