"""What went wrong in the background, in words: the last of it, since a bot runs for months, and how much in all."""

from collections import deque
from collections.abc import Iterator

MOST = 100


class Failures:
    """The last MOST failures, oldest first; `total` counts those that are gone too."""

    def __init__(self) -> None:
        self._last: deque[str] = deque(maxlen=MOST)
        self.total = 0

    def append(self, words: str) -> None:
        """One more."""
        self._last.append(words)
        self.total += 1

    def after(self, told: int) -> list[str]:
        """Those behind the first `told` of them, as far as they are still known."""
        return list(self._last)[-(self.total - told) :] if self.total > told else []

    def __iter__(self) -> Iterator[str]:
        return iter(self._last)

    def __len__(self) -> int:
        return len(self._last)

    def __bool__(self) -> bool:
        return bool(self._last)
