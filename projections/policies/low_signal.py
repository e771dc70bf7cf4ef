"""Whether a message says anything by itself: "yeah", "ok, and then?" and 👍 go on with what was said before, and there
is nothing in them that could be looked for (seed 003, "low-signal backchannels").

A message says nothing where each of its words is a stop word, one of the language's backchannels, or a plain word of
fewer than three letters, as for DNAM's tokens. Not plain is one with a capital within a sentence that is not shouted
("who is Bo?", "PC or TV?"), one that is written with a sign ("C#"), what has a digit beside a letter, or signs between
("S3", "v1.2", "3.11"), and a number behind capitals ("PR 42"). Signs and emoji are no words; but an emoji may be asked
after ("where was the 🦊?"). Of a language without a file only messages without words say nothing.
"""

import re
import unicodedata

from projections.retrieval import TOKEN_CHARS, Vocabulary

_WORDS = re.compile(r"[^\W_]+")
_SIGNED = re.compile(r"(?<!\w)\w+(?:\+\+|#)(?!\w)")
_NAMED = re.compile(r"(?<=[\w,;:])\s+(?!I\b)[A-Z]\w?\b")
_EXACT = re.compile(r"\d[-_./:#@+]\w|[^\W\d_]\d|\d[^\W\d_]|(?<![A-Z])[A-Z]{2,}+\s++\d|[^\W_]_[^\W_]")
_SIGN = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff][\ufe0f\U0001f3fb-\U0001f3ff]*")
_EMOJI = re.compile(r"<a?:\w+:\d+>|(?<!\w):\w+:(?!\w)")
"""A platform's own emoji, as it stands in a text, and as it is spelled."""


def is_low_signal(text: str, vocabulary: Vocabulary) -> bool:
    """Whether there is nothing to look for in a text."""
    plain = unicodedata.normalize("NFC", _EMOJI.sub(" ", text))
    if _SIGNED.search(plain) or _EXACT.search(plain) or _asks_after_a_sign(plain):
        return False
    if _NAMED.search(plain) and not plain.isupper():
        return False
    return all(_says_nothing(word, vocabulary) for word in _WORDS.findall(plain.casefold()))


def _asks_after_a_sign(text: str) -> bool:
    """Whether words ask after an emoji: it stands before the question mark at their end."""
    asked = text.rstrip()
    if not asked.endswith("?"):
        return False
    asked = asked[:-1].rstrip()
    last = max(len(asked) - 2, 0)
    return _WORDS.search(asked) is not None and any(_SIGN.fullmatch(asked, at) for at in range(last, len(asked)))


def _says_nothing(word: str, vocabulary: Vocabulary) -> bool:
    short = word.isascii() and len(word) < TOKEN_CHARS
    return short or word in vocabulary.stop_words or word in vocabulary.backchannels
