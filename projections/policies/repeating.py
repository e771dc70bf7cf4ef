"""Whether a text says the words of another one again: an answer that quotes a message that was taken back goes with it.

It does where it holds the whole of the other text, a run of so many of its words, or one word that can be all that the
message was deleted for: a long one, or one with a number in it. What is shorter than that is not anybody's in
particular.
"""

import re

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
    said, again, allowed = _words(words), _run(_words(text)), _run(_words(but))
    runs = [said] if len(said) <= RUN else [said[start : start + RUN] for start in range(len(said) - RUN + 1)]
    joined = [run for each in runs if len(run := _run(each)) >= FEWEST_CHARS]
    alone = [_run([word]) for word in said if _stands_alone(word)]
    return any(run in again and run not in allowed for run in (*joined, *alone))


def _stands_alone(word: str) -> bool:
    return len(word) >= LONG or sum(map(str.isdigit, word)) >= DIGITS


def _run(words: list[str]) -> str:
    return f" {' '.join(words)} "


def _words(text: str) -> list[str]:
    return _WORD.findall(folded(text))
