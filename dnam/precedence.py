"""Answers go first: what goes on behind them waits while a message is on its way to the model."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

LONGEST_SECONDS = 0.25
"""How long something waits at the most: where messages never stop coming, memory is kept up all the same."""


class Precedence:
    """Who is on the way to the model, and who gives way to them."""

    def __init__(self) -> None:
        self._arriving = 0
        self._free = asyncio.Event()
        self._free.set()

    @property
    def is_anyone_arriving(self) -> bool:
        """Whether a message is on its way just now."""
        return self._arriving > 0

    @contextmanager
    def arriving(self) -> Iterator[None]:
        """As long as this lasts, a message is being heard or a prompt assembled."""
        self._arriving += 1
        self._free.clear()
        try:
            yield
        finally:
            self._arriving -= 1
            if not self._arriving:
                self._free.set()

    async def give_way(self) -> None:
        """Wait until nobody is on the way; for so long at the most."""
        if self.is_anyone_arriving:
            with suppress(TimeoutError):
                async with asyncio.timeout(LONGEST_SECONDS):
                    await self._free.wait()
