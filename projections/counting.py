"""How many of something there are, in words."""

from collections.abc import Sequence

VOWELS = "aeiou"


def counted(count: int, word: str) -> str:
    """A number and its noun, in the plural where there is not one: `2 summaries`, `2 keys`."""
    plural = f"{word[:-1]}ies" if word.endswith("y") and word[-2] not in VOWELS else f"{word}s"
    return f"{count} {word if count == 1 else plural}"


def listed(words: Sequence[str]) -> str:
    """`A, B and C`; nothing of nothing."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
