"""Whose turn it is to decide: in a guild, what runs lead to is recorded in the recorded order, since lore belongs to
everybody there. Only the deciding waits: a reply is recorded as soon as it has come, by itself.
"""

import asyncio
from typing import Protocol

from dnam.rederiving.traffic import Traffic

ORDERED = "guild/"
"""What the compartments begin with whose runs wait for each other."""


class OutOfTurn(Exception):
    """A run before this one was broken off: what this one would lead to is decided behind it, another time."""


class Turn(Protocol):
    """A run's."""

    @property
    def has_come(self) -> bool:
        """Whether it may decide now."""

    async def come(self) -> None:
        """Wait until it may. OutOfTurn where that is not to be."""

    def over(self) -> None:
        """It has decided, or has nothing to decide."""


class Anytime:
    """For what waits for no other."""

    has_come = True

    async def come(self) -> None:
        """It has."""

    def over(self) -> None:
        """Nobody waits."""


class Queued:
    """A turn behind another one. `done` is set once it and all before it are over, to whether all of them were."""

    def __init__(self, previous: "asyncio.Future[bool] | None", traffic: Traffic) -> None:
        self._previous = previous
        self._traffic = traffic
        self._is_over = False
        self.done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    @property
    def has_come(self) -> bool:
        """Whether all before it are over."""
        return self._previous is None or (self._previous.done() and self._previous.result())

    async def come(self) -> None:
        """Wait for them."""
        if self._previous is not None and not self._previous.done():
            async with self._traffic.idle():
                await asyncio.shield(self._previous)
        if not self.has_come:
            raise OutOfTurn

    def over(self) -> None:
        """Let the next one decide, once it is its turn."""
        if self._is_over:
            return
        self._is_over = True
        if self._previous is None:
            self.done.set_result(True)
        else:
            self._previous.add_done_callback(lambda previous: self.done.set_result(previous.result()))

    def ended(self) -> None:
        """Its run has ended; where it was broken off before its turn was over, nobody behind it decides."""
        if not self._is_over:
            self._is_over = True
            self.done.set_result(False)


class Turns:
    """The turns in each compartment, in the order in which they are taken."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._last: dict[str, asyncio.Future[bool]] = {}

    def are_over(self, compartment: str) -> bool:
        """Whether all that were taken in a compartment are over."""
        last = self._last.get(compartment)
        return last is None or last.done()

    def take(self, compartment: str) -> Queued:
        """The turn behind those that were taken in a compartment before."""
        turn = Queued(self._last.get(compartment), self._traffic)
        self._last[compartment] = turn.done
        return turn


ANYTIME = Anytime()
