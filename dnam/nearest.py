"""What a mistyped word may mean: the known one that is most like it (difflib)."""

from collections.abc import Iterable

from projections.policies.text import composed
from projections.quoting import in_quotes


def nearest(word: str, words: Iterable[str]) -> str:
    """The known word that is most like one that is not known; empty when none is."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(words), 1)), "")


def nearest_name(name: str, names: Iterable[str]) -> str:
    """The same, in whatever case, and with letters and their marks composed in whatever way."""
    known = {composed(each).casefold(): each for each in names}
    return known.get(nearest(composed(name).casefold(), known), "")


def or_near(name: str, names: Iterable[str]) -> str:
    """What to say behind a name that nobody knows: the one that is most like it, if any is, and a full stop."""
    near = nearest_name(name, names)
    return f"; did you mean {in_quotes(near)}?" if near else "."
