"""Which durable items come first: DNAM's scoring, pinned.

1. Tokens are the runs of letters and digits of a text, case folded (after NFC, so that both spellings of é are one), of
   at least 3 code points, minus the stop list. Each counts once.
2. The query is the message; where that leaves fewer than two tokens, the window's words are added.
3. An item's score is how many tokens of the query are among those of its text, tags and kind,
4. and 2 more for an item of kind `project` when the query has one of the project words (repo, build, deploy and their
   like),
5. and 1 more when it was updated within 7 days of the message's `said`: before or after it, both edges counted. After,
   because the past is also looked at by other clocks, and an import may bring messages older than the items.
6. Ties go by `updated`, newest first, then by id (then by compartment and owner, so that there is one order).

Items of score 0 follow in that order and fill the room that is left.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from projections.blocks import item_line
from projections.events.values import Item
from projections.items import ItemRow
from projections.rows import Found

VERSION = "dnam-scoring@1"
TOKEN_CHARS = 3
FEWEST_TOKENS = 2
PROJECT = "project"
PROJECT_BOOST = 2
RECENT_BOOST = 1
RECENT_MS = 7 * 24 * 3600 * 1000

_RUNS = re.compile(rf"[^\W_]{{{TOKEN_CHARS},}}")
"""Runs of letters and digits that are long enough. A match takes the whole of its run, so a short run has none."""


class Vocabulary(NamedTuple):
    """What scoring knows of a language, in case-folded words. The shell reads it from a data file. `backchannels` are
    what people say to go on with what was said before (`policies.low_signal`).
    """

    stop_words: frozenset[str] = frozenset()
    project_words: frozenset[str] = frozenset()
    backchannels: frozenset[str] = frozenset()


class Query(NamedTuple):
    """What is looked for: tokens, whether they speak of a project, and when (ms) it was said."""

    tokens: frozenset[str]
    about_project: bool
    said: int


class Candidate(NamedTuple):
    """An item and the runs of letters and digits that it is found by."""

    found: Found[ItemRow]
    runs: frozenset[str]


class Hit(NamedTuple):
    """An item and why it stands where it does: the tokens it shares with the query, and its boosts."""

    found: Found[ItemRow]
    overlap: tuple[str, ...]
    project_boost: int
    recent_boost: int

    @property
    def score(self) -> int:
        return len(self.overlap) + self.project_boost + self.recent_boost

    @property
    def item(self) -> Item:
        return self.found.row.item

    def line(self, *, with_place: bool) -> str:
        """Its line in a prompt."""
        return item_line(self.item, with_place=with_place)

    @property
    def reason(self) -> str:
        """The score in words."""
        parts = [f"shares {', '.join(self.overlap)}" if self.overlap else ""]
        parts += [f"a project, asked about one (+{self.project_boost})" if self.project_boost else ""]
        parts += [f"updated within 7 days (+{self.recent_boost})" if self.recent_boost else ""]
        return "; ".join(part for part in parts if part) or "fills the room that is left"


def tokens(text: str, vocabulary: Vocabulary) -> frozenset[str]:
    """The tokens of a text (rule 1)."""
    return frozenset(_RUNS.findall(_folded(text))) - vocabulary.stop_words


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def query(message: str, window: str, said: int, vocabulary: Vocabulary) -> Query:
    """What a message looks for (rule 2)."""
    wanted = tokens(message, vocabulary)
    if len(wanted) < FEWEST_TOKENS:
        wanted |= tokens(window, vocabulary)
    return Query(wanted, not wanted.isdisjoint(vocabulary.project_words), said)


def candidate(found: Found[ItemRow]) -> Candidate:
    """An item, made ready to be found."""
    item = found.row.item
    return Candidate(found, frozenset(_RUNS.findall(_folded(" ".join([item.text, *item.tags, item.kind])))))


def _overlap(runs: frozenset[str], wanted: Query) -> tuple[str, ...]:
    """The tokens that both have. No stop word is among them: the query has none."""
    return () if runs.isdisjoint(wanted.tokens) else tuple(sorted(runs & wanted.tokens))


def hit(each: Candidate, wanted: Query) -> Hit:
    """How an item meets a query (rules 3 to 5)."""
    item = each.found.row.item
    return Hit(
        found=each.found,
        overlap=_overlap(each.runs, wanted),
        project_boost=PROJECT_BOOST if item.kind == PROJECT and wanted.about_project else 0,
        recent_boost=RECENT_BOOST if abs(wanted.said - item.updated) <= RECENT_MS else 0,
    )


def rank(items: Iterable[Candidate], wanted: Query) -> list[Hit]:
    """The items, best first (rule 6)."""
    return sorted([hit(each, wanted) for each in items], key=_order)


def _order(hit: Hit) -> tuple[int, int, str, str, bytes]:
    item = hit.item
    return (-hit.score, -item.updated, item.id, item.compartment, item.owner)
