"""Whether a message says anything by itself: "yeah", "ok, and then?" and 👍 go on with what was said before, and there
is nothing in them that could be looked for (seed 003, "low-signal backchannels").

A message says nothing where each of its words is a stop word, one of the language's backchannels, or a plain word of
fewer than three letters, as for DNAM's tokens. Not plain is one with a capital within a sentence that is not shouted
("who is Bo?", "PC or TV?"), and one that is written with a sign ("C#"). Signs and emoji are no words. Of a language
without a file only messages without words say nothing.
"""

import re
import unicodedata

from projections.retrieval import TOKEN_CHARS, Vocabulary

_WORDS = re.compile(r"[^\W_]+")
_SIGNED = re.compile(r"(?<!\w)\w+(?:\+\+|#)(?!\w)")
_NAMED = re.compile(r"(?<=[\w,;:])\s+(?!I\b)[A-Z]\w?\b")
_EMOJI = re.compile(r"<a?:\w+:\d+>|(?<!\w):\w+:(?!\w)")
"""A platform's own emoji, as it stands in a text, and as it is spelled."""


def is_low_signal(text: str, vocabulary: Vocabulary) -> bool:
    """Whether there is nothing to look for in a text."""
    plain = unicodedata.normalize("NFC", _EMOJI.sub(" ", text))
    if _SIGNED.search(plain) or (_NAMED.search(plain) and not plain.isupper()):
        return False
    return all(_says_nothing(word, vocabulary) for word in _WORDS.findall(plain.casefold()))


def _says_nothing(word: str, vocabulary: Vocabulary) -> bool:
    short = word.isascii() and len(word) < TOKEN_CHARS
    return short or word in vocabulary.stop_words or word in vocabulary.backchannels
