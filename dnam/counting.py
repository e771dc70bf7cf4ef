"""How many of something there are, in words."""


def counted(count: int, word: str) -> str:
    """A number and its noun, in the plural where there is not one: `2 summaries`."""
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{count} {word if count == 1 else plural}"
