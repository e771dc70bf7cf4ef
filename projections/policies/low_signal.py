"""Whether a message says anything by itself: "yeah", "ok, and then?" and 👍 go on with what was said before, and there
is nothing in them that could be looked for (seed 003, "low-signal backchannels").

A message says nothing where each of its words is a stop word, one of the language's backchannels, or a plain word of
fewer than three letters, as for DNAM's tokens. Signs and emoji are no words. Of a language without a file only
messages without words say nothing.
"""

import re
import unicodedata

from projections.retrieval import TOKEN_CHARS, Vocabulary

_WORDS = re.compile(r"[^\W_]+")
_EMOJI = re.compile(r"<a?:\w+:\d+>|(?<!\w):\w+:(?!\w)")
"""A platform's own emoji, as it stands in a text, and as it is spelled."""


def is_low_signal(text: str, vocabulary: Vocabulary) -> bool:
    """Whether there is nothing to look for in a text."""
    folded = unicodedata.normalize("NFC", _EMOJI.sub(" ", text)).casefold()
    return all(_says_nothing(word, vocabulary) for word in _WORDS.findall(folded))


def _says_nothing(word: str, vocabulary: Vocabulary) -> bool:
    short = word.isascii() and len(word) < TOKEN_CHARS
    return short or word in vocabulary.stop_words or word in vocabulary.backchannels
