"""How long an answer waits for the log, as a test says: for ever, and no longer from the moment it is `over`."""

import asyncio


class Patience:
    """A limit for `Unwritten`."""

    def __init__(self) -> None:
        self._under_way: list[asyncio.Timeout] = []

    def __call__(self) -> asyncio.Timeout:
        limit = asyncio.timeout(None)
        self._under_way.append(limit)
        return limit

    def over(self) -> None:
        """What is being written now has taken too long."""
        (limit,) = self._under_way[-1:]
        limit.reschedule(asyncio.get_running_loop().time())
