"""What went wrong in the background, in words: the last of it, since a bot runs for months, and how much in all."""

from collections import Counter, deque
from collections.abc import Callable, Iterator

MOST = 100
OTHER = "other"
"""What is counted together once there are MOST jobs."""
Tell = Callable[[str], None]


def untold(_: str) -> None:
    """Tell nobody."""


class Failures:
    """The last MOST failures, oldest first; `total` counts those that are gone too, `by_job` each under what stands
    before its colon. `tell` hears of each, for the program's log: without anybody's words.
    """

    def __init__(self) -> None:
        self.tell: Tell = untold
        self._last: deque[str] = deque(maxlen=MOST)
        self.total = 0
        self.by_job: Counter[str] = Counter()

    def append(self, words: str, logged: str = "") -> None:
        """One more. `logged`: what may be told of it; without that, only what it was that failed."""
        self._last.append(words)
        self.total += 1
        job = words.partition(":")[0]
        self.by_job[job if job in self.by_job or len(self.by_job) < MOST else OTHER] += 1
        self.tell(logged or f"{job} failed; `dnam log` says why")

    def after(self, told: int) -> list[str]:
        """Those behind the first `told` of them, as far as they are still known."""
        return list(self._last)[-(self.total - told) :] if self.total > told else []

    def __iter__(self) -> Iterator[str]:
        return iter(self._last)

    def __len__(self) -> int:
        return len(self._last)

    def __bool__(self) -> bool:
        return bool(self._last)
