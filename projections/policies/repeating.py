"""Whether a text says the words of another one again: an answer that quotes a message that was taken back goes with it.

It does where it holds the whole of the other text, a run of so many of its words, or one word that can be all that the
message was deleted for: a long one, or one with a number in it. What is shorter than that is not anybody's in
particular.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from projections.policies.text import folded

VERSION = "repeating@1"
FEWEST_CHARS = 12
"""How long a text is at least that is looked for as a whole, in code points."""
RUN = 4
"""How many words in a row are a quotation, where they are long enough."""
LONG = 10
DIGITS = 3
"""How many letters, or digits, one word has that is looked for alone."""

_WORD = re.compile(r"\w+(?:['’]\w+)*")


def repeats(text: str, words: str, but: str = "") -> bool:
    """Whether `text` says `words` again, as a whole or a run of them; what stands in `but` too does not count."""
    return repeating([words], but)(text)


def repeating(texts: Iterable[str], but: str = "") -> Callable[[str], bool]:
    """What judges whether a text says one of these again; what stands in `but` too does not count."""
    allowed = _run(_words(but))
    wanted = {run for each in texts for run in _runs(_words(each)) if _run(run) not in allowed}
    lengths = {len(run) for run in wanted}

    def says(text: str) -> bool:
        again = tuple(_words(text)) if wanted else ()
        return any(again[start : start + length] in wanted for length in lengths for start in range(len(again)))

    return says


def _runs(said: list[str]) -> Iterator[tuple[str, ...]]:
    """The runs of words that are looked for."""
    for start in range(max(1, len(said) - RUN + 1)):
        run = tuple(said[start : start + RUN])
        if len(_run(run)) >= FEWEST_CHARS:
            yield run
    yield from ((word,) for word in said if _stands_alone(word))


def _stands_alone(word: str) -> bool:
    return len(word) >= LONG or sum(map(str.isdigit, word)) >= DIGITS


def _run(words: Iterable[str]) -> str:
    return f" {' '.join(words)} "


def _words(text: str) -> list[str]:
    return _WORD.findall(folded(text))
