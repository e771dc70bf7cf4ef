"""Runs of which nobody is asked, made one after the other in one commit: they wait for nothing, so each is made to its
end where the log is written, without a loop of events in between.

What is lost when that is broken off costs nothing: it is decided from the same replies again.
"""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from dnam.memory import Memory
from dnam.rederiving.runs import Runs
from projections.decisions.draft import Decision
from projections.rows import Rows
from replay.group import Group, Recorded
from replay.travel import Moment, Past

T = TypeVar("T")
Inside = Callable[[Runs], Coroutine[Any, Any, None]]
"""A run, to be made by these."""


class InGroup(Memory):
    """A memory as it is in the middle of a commit. It answers at once."""

    def __init__(self, memory: Memory, group: Group) -> None:
        super().__init__(memory.engine, memory.settings, memory.language)
        self.guarding, self.sharing = memory.guarding, memory.sharing
        self._group = group

    async def record(self, decision: Decision) -> Recorded:
        """Record it with the others."""
        return self._group.run(decision)

    async def look(self, question: Callable[[Rows], T]) -> T:
        """Ask something of the rows as the decisions before left them."""
        return question(self._group.rows())

    async def look_back(self, moment: Moment, question: Callable[[Rows, Rows], T]) -> T:
        """Ask something of these rows, and of those of a moment before this commit."""
        now = self._group.rows()
        return question(now, Rows(Past(now.raw, self.engine.live, moment), now.ids))


def made_together(memory: Memory, runs: Runs, waiting: Sequence[Inside]) -> Callable[[Group], Recorded]:
    """The work that makes runs one after the other. TakenBack where they may not be: behind this commit, nobody has
    followed in the shadow what was taken back until now.
    """

    def work(group: Group) -> Recorded:
        runs.replies.refuse()
        inside = runs.on(InGroup(memory, group))
        for each in waiting:
            _made(each(inside))
        return Recorded()

    return work


def _made(run: Coroutine[Any, Any, None]) -> None:
    try:
        run.send(None)
    except StopIteration:
        return
    run.close()
    raise AssertionError("a run of which nobody is asked waits for something")
