"""Work in the background: one job at a time of a kind and a thing, and an end to wait for.

What is under way is all that is kept: a job that has ended, however it ended, leaves nothing behind.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import NamedTuple

from dnam.errors import OptedOut
from projections.ids import NOBODY, Handle
from replay.errors import ErasedMeanwhile

Work = Callable[[], Awaitable[None]]


class Job(NamedTuple):
    """What is done, about what: there is one of each at a time. `session` and `person` are for the record."""

    name: str
    about: Hashable
    session: str = ""
    person: Handle = NOBODY


Wrong = Callable[[Job, Exception], Awaitable[None]]


class Jobs:
    """The jobs that are under way. `wrong` is told of one that raised."""

    def __init__(self, wrong: Wrong) -> None:
        self._wrong = wrong
        self._tasks: dict[tuple[str, Hashable], asyncio.Task[None]] = {}
        self._whose: dict[tuple[str, Hashable], Handle] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def is_running(self, name: str, about: Hashable) -> bool:
        """Whether there is such a job."""
        return (name, about) in self._tasks

    def start(self, job: Job, work: Work) -> bool:
        """Begin, unless such a job is under way; whether it began."""
        key = (job.name, job.about)
        if key in self._tasks:
            return False
        task = asyncio.create_task(self._guarded(job, work))
        self._tasks[key], self._whose[key] = task, job.person
        # Not in a `finally` of the job: one that is cancelled before its first step never reaches it.
        task.add_done_callback(lambda _: self._ended(key))
        return True

    def _ended(self, key: tuple[str, Hashable]) -> None:
        del self._tasks[key], self._whose[key]

    def people(self) -> frozenset[Handle]:
        """About whom something is under way."""
        return frozenset(self._whose.values()) - {NOBODY}

    def give_up(self, person: Handle) -> None:
        """Give up what is under way about a person: they are gone, or nothing of theirs is to be recorded any more."""
        for key, whose in list(self._whose.items()):
            if whose == person:
                self._tasks[key].cancel()

    async def _guarded(self, job: Job, work: Work) -> None:
        try:
            await work()
        except (ErasedMeanwhile, OptedOut):
            pass  # what it was about is gone: it ends without writing, and the next cycle makes what is to be made
        except Exception as error:  # noqa: BLE001 - an answer never fails because of what goes on behind it; it is told
            await self._wrong(job, error)

    async def settle(self) -> None:
        """Wait until every job has ended: before closing."""
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    async def stop(self) -> None:
        """Give every job up: before closing in a hurry. What they had recorded stays."""
        for task in list(self._tasks.values()):
            task.cancel()
        await self.settle()
