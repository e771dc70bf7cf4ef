"""What is remembered because it comes again, and holds what people typed or are called by: it is let go of with an
erasure, in every process that follows one.

    @of_people
    @lru_cache(4096)
    def stem_of(word: str) -> str: …

What holds nothing of anybody's, as a pattern of a language, is remembered without this.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar


class Remembering(Protocol):
    """A function that remembers what it was asked."""

    def cache_clear(self) -> None:
        """Forget it."""


C = TypeVar("C", bound=Remembering)
_LET_GO: list[Callable[[], None]] = []


def of_people(function: C) -> C:
    """Have a function forget with the next erasure what it was asked."""
    letting_go(function.cache_clear)
    return function


def letting_go(clear: Callable[[], None]) -> None:
    """Have this called with each erasure."""
    _LET_GO.append(clear)


def let_go() -> None:
    """Somebody was erased: forget all of it. What of it is anybody else's is found out again."""
    for clear in _LET_GO:
        clear()
