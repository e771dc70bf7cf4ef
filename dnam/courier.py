"""From the writer's thread back to an event loop: one wake-up for all that a group recorded."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from projections.decisions.draft import Decision
from replay.engine import Engine
from replay.group import Recorded
from replay.jobs import Decided, Job, Work, alone


@dataclass(frozen=True)
class _Courier:
    loop: asyncio.AbstractEventLoop

    def __call__(self, jobs: Sequence[Job]) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more, and what is durable stays so
            self.loop.call_soon_threadsafe(_tell, jobs)


def _tell(jobs: Sequence[Job]) -> None:
    for job in jobs:
        future: asyncio.Future[Recorded] = job.ticket
        if future.done():  # who waited was cancelled meanwhile
            continue
        if job.error is None:
            future.set_result(job.result())
        else:
            future.set_exception(job.error)


def recording(engine: Engine, decision: Decision, decided: Decided | None = None) -> "asyncio.Future[Recorded]":
    """Hand a decision to the engine; the future is done once it is durable. Cancelling it ends the waiting, not the
    recording. `decided` is told in the writer's thread.
    """
    return working(engine, alone(decision), decided)


def working(engine: Engine, work: Work, decided: Decided | None = None) -> "asyncio.Future[Recorded]":
    """The same for work of several decisions."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Recorded] = loop.create_future()
    engine.hand_in(Job(work, _Courier(loop), future, decided))
    return future
