"""Whether a model's entry has a ground: where it quotes, the words really occur in the messages that it was shown.

Words are compared without regard to case, signs and accents, which models mend, and piece by piece where a quote leaves
something out ("…"). An entry without any quote rests on the message that it names, or on all that was shown: the form
of seed 000 has no quotes.
"""

import re
import unicodedata
from collections.abc import Sequence

from projections.policies.evidence import InputMessage
from projections.policies.replies import Quote
from projections.policies.verdict import Verdict

VERSION = "grounding@1"
_NO_WORD = re.compile(r"[\W_]+")
_ELISION = re.compile(r"…|\.{3,}")


def ungrounded(quotes: Sequence[Quote], inputs: Sequence[InputMessage]) -> Verdict | None:
    """Why an entry is no memory, if all the words that it quotes are invented."""
    words = [each.quote for each in quotes if _pieces(each.quote)]
    if not words or quoted_in(words, [each.text for each in inputs]):
        return None
    return Verdict("the words that it quotes occur in none of the messages", VERSION)


def quoted_in(quotes: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether the words of one of these quotes, at least, occur in the texts."""
    said = " ".join(map(_key, texts))
    return any(pieces and all(piece in said for piece in pieces) for pieces in map(_pieces, quotes))


def _pieces(quote: str) -> list[str]:
    return [key for each in _ELISION.split(quote) if (key := _key(each))]


def _key(text: str) -> str:
    spread = unicodedata.normalize("NFKD", text).casefold()
    return _NO_WORD.sub(" ", "".join(each for each in spread if not unicodedata.combining(each))).strip()
