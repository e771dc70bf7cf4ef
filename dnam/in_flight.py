"""Decisions that wait for the log together, so that they share commits: an import hands in the next before the last is
written.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from dnam.memory import Memory
from projections.decisions.draft import Decision
from projections.errors import BadRequest
from replay.group import Recorded

IN_FLIGHT = 256
"""How many decisions wait for the log at once."""

What = TypeVar("What")


class InFlight(Generic[What]):
    """A window of decisions, each with what it is about.

    `counted` hears of each one that was recorded, in their order. `refused` hears what a decision refused; without it,
    that is a failure like any other.
    """

    def __init__(
        self,
        memory: Memory,
        counted: Callable[[What, Recorded], None],
        refused: Callable[[BadRequest], None] | None = None,
    ) -> None:
        self._memory = memory
        self._counted = counted
        self._refused = refused
        self._waiting: deque[tuple[What, asyncio.Future[Recorded]]] = deque()

    async def submit(self, what: What, decision: Decision) -> None:
        """Hand a decision in, and wait while the window is full."""
        self._waiting.append((what, self._memory.submit(decision)))
        await self._settle(IN_FLIGHT)

    async def settle(self) -> None:
        """Wait for all of them. The first failure is raised once every one has ended."""
        await self._settle(0)

    async def _settle(self, most: int) -> None:
        failure: Exception | None = None
        while len(self._waiting) > (most if failure is None else 0):
            what, future = self._waiting.popleft()
            try:
                self._counted(what, await asyncio.shield(future))
            except asyncio.CancelledError:
                self._waiting.appendleft((what, future))
                raise
            except Exception as error:  # noqa: BLE001 - raised below, once the rest has ended
                if self._refused is not None and isinstance(error, BadRequest):
                    self._refused(error)
                else:
                    failure = failure or error
        if failure is not None:
            raise failure
