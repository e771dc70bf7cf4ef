"""The tables of the retrieval index, and how seqs fall into its segments and spans.

A table is named after the versions of these rows, of the words in them, of the stemmer and of Unicode's tables, as in
`postings@1-words-1-3.1.1-14.0.0`: whoever has others makes the index anew. Of these only the first two say that a newer
program was here.
"""

import re
from typing import NamedTuple

from projections.recall.words import VERSION as WORDS

_VERSION = f"1-{WORDS}".replace("@", "-")
_NAMED = re.compile(r"(?:recent_)?(?:documents|postings)@(\d+)-words-(\d+)-")


class Level(NamedTuple):
    """Spans of 2^`bits` seqs, and the tables of their rows."""

    bits: int
    documents: str
    postings: str

    def span(self, seq: int) -> int:
        """The span in which a seq lies; seqs begin with 1."""
        return (seq - 1) >> self.bits

    def first(self, span: int) -> int:
        """The first seq of a span."""
        return (span << self.bits) + 1

    def full(self, size: int) -> int:
        """How many spans a log of that size fills."""
        return size >> self.bits


SEGMENT = Level(10, f"recent_documents@{_VERSION}", f"recent_postings@{_VERSION}")
SPAN = Level(16, f"documents@{_VERSION}", f"postings@{_VERSION}")
TABLES = (SPAN.documents, SPAN.postings, SEGMENT.documents, SEGMENT.postings)
"""The tables of the index, named after the version of the rows and of the words in them."""


def is_index(table: str) -> bool:
    """Whether a table is of an index, of whatever version."""
    return _NAMED.match(table) is not None


def is_newer(table: str) -> bool:
    """Whether a table is of an index that a newer program made."""
    return _versions(table) > _versions(SPAN.postings)


def _versions(table: str) -> tuple[int, ...]:
    found = _NAMED.match(table)
    return () if found is None else (int(found[1]), int(found[2]))


def levels() -> tuple[Level, Level]:
    """The levels, what is older first. Whoever needs one asks here: tests make spans small."""
    return SPAN, SEGMENT
