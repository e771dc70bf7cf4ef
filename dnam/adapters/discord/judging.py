"""Whether a message is answered, judged where it is recorded."""

from collections.abc import Awaitable, Callable
from threading import Lock

from dnam.adapters.discord.respond import Verdict
from projections.rows import Rows


class Judging:
    """Whether a message is to be answered, by what is configured where it was said: judged where it is recorded, so
    that nothing need be looked up before. Where it does not come to that, it is judged by a `look`. The first verdict
    holds, also one that is `known` beforehand.
    """

    def __init__(
        self, judge: Callable[[Rows], Verdict], look: Callable[[], Awaitable[Verdict]], known: Verdict | None = None
    ) -> None:
        self._judge = judge
        self._look = look
        self._verdict = known
        self._lock = Lock()

    def __call__(self, rows: Rows) -> bool:
        """Whether it is, by these rows; in the writer's thread."""
        return (self._verdict or self._first(self._judge(rows))).answers

    async def verdict(self) -> Verdict:
        """Whether it is, once it was to be recorded."""
        return self._verdict or self._first(await self._look())

    def _first(self, verdict: Verdict) -> Verdict:
        """This one, or that which was there before it."""
        with self._lock:
            self._verdict = self._verdict or verdict
            return self._verdict
