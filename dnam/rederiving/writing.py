"""What a walk takes over on its way into the shadow: gathered, and handed to the log in one commit, alone or with runs
that read it.

    what was said    in one step for all of it: as it was recorded, and none of it looks at a row
    runs             behind it, one after the other (`together`); what they rest on is known from that step
"""

import asyncio
from collections import deque
from collections.abc import Iterable
from functools import partial

from dnam.courier import working
from projections.decisions.draft import Draft
from replay.builder import no_collection
from replay.engine import Engine
from replay.group import Group, Recorded
from replay.jobs import Work


class Writing:
    """What is gathered, and what is on its way to the log of a shadow."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._copies: list[list[Draft]] = []
        self._under_way: deque[asyncio.Future[Recorded]] = deque()

    def take_over(self, drafts: Iterable[Draft]) -> None:
        """Gather the events of a decision, as they were recorded."""
        taken = list(drafts)
        if taken:
            self._copies.append(taken)

    def send(self, runs: Work | None = None) -> None:
        """Hand over what was gathered, and runs behind it, without waiting for the log."""
        copies, self._copies = self._copies, []
        if not copies and runs is None:
            return
        writing = working(self._engine, partial(_written, copies, runs))
        writing.add_done_callback(_seen)
        self._under_way.append(writing)

    @property
    def last(self) -> "asyncio.Future[Recorded] | None":
        """What was handed over last, if that was not waited for yet."""
        return self._under_way[-1] if self._under_way else None

    async def done(self) -> None:
        """Hand over what is left, and wait until the log has all of it."""
        self.send()
        while self._under_way:
            await self._under_way.popleft()


def _written(copies: Iterable[list[Draft]], runs: Work | None, group: Group) -> Recorded:
    """Record what was recorded elsewhere, decision by decision, and what runs lead to."""
    with no_collection():
        group.take_over(copies)
        return Recorded() if runs is None else runs(group)


def _seen(writing: "asyncio.Future[Recorded]") -> None:
    """Where several fail for one reason, the first is raised, and the walk breaks off: nobody waits for the others."""
    if not writing.cancelled():
        writing.exception()
