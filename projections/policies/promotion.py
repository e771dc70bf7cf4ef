"""Whether what was learned of a person may follow them everywhere: two keys (seed 004 §6.2, design §7).

The first is the model's word that it is `shareable`. The second is this policy, which believes no model:

    what must hold                                  why
    ─────────────────────────────────────────────   ────────────────────────────────────────────────────────────────
    dnam has a list for the language, and it is     where nobody knows which words are sensitive, all may be
    in that language
    it is semantic, and about the person            what happened depends on where, others have a say of their own
    confidence of 900 thousandths, said outright    what was only inferred may be wrong, and would be so everywhere
    the person's own words, quoted, first person    explicit: nobody said it of them, and it is no question
    item and words name a harmless class            a time zone, a game, a technical preference
    neither has a sensitive word, names others      health, money, work, feelings, whereabouts; he, she, my sister
    neither it nor its like is in their own DMs     what is said there stays there; they may have kept it private

Without all of it the item stays where it was learned, and a person can still share it.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from projections.events.values import Item
from projections.policies.compartments import direct
from projections.policies.matching import close
from projections.policies.text import folded

NAME = "promotion"
VERSION = "promotion@1"
KINDS = frozenset({"preference", "fact", "tool", "profile"})
"""Kinds that may be harmless: a project is work, a constraint or a person hardly ever nothing."""
_WORD = re.compile(r"\w+(?:['’]\w+)*")


class SharingWords(NamedTuple):
    """What a language knows of what may be told anywhere. A word that ends in `*` stands for all that begin with it.

    `plain` are words by one of which a text is known to be in this language; `harmless` are classes by name, with the
    words that each is known by.
    """

    language: str = ""
    first_person: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    harmless: Mapping[str, tuple[str, ...]] = {}


NO_WORDS = SharingWords()
"""Of a language without a list: nothing is harmless in it."""


class Promotion(NamedTuple):
    """`confidence` is in thousandths."""

    confidence: int = 900


STANDARD = Promotion()


class Claimed(NamedTuple):
    """What the model said of an item; `confidence` is None where it did not say. `private` are the texts of what its
    person has in their DMs alone.
    """

    item: Item
    shareable: bool
    confidence: int | None
    private: Sequence[str] = ()


class Verdict(NamedTuple):
    """Whether an item may follow its person, and why, or why not."""

    shared: bool
    reason: str


def promote(claimed: Claimed, words: SharingWords, rule: Promotion = STANDARD) -> Verdict:
    """What both keys say."""
    against = _against(claimed, words, rule)
    if against:
        return Verdict(shared=False, reason=against)
    return Verdict(shared=True, reason=f"the model calls it shareable, and it is {_class_of(claimed.item.text, words)}")


def _against(claimed: Claimed, words: SharingWords, rule: Promotion) -> str:
    """The first thing that stands against it; empty where nothing does."""
    item = claimed.item
    if not claimed.shareable:
        return "the model does not call it shareable"
    if not (words.first_person and words.plain and words.sensitive and words.harmless):
        return f"there is no list of sensitive words for the language {words.language!r}"
    if item.type != "semantic" or item.kind not in KINDS:
        return f"it is {item.type} and of the kind {item.kind}: only lasting, harmless facts are shared"
    if item.compartment == direct(item.owner):
        return "it was said in direct messages: what is said there stays there, unless its person shares it"
    if item.about != "person":
        return f"it is about the {item.about}"
    if claimed.confidence is None or claimed.confidence < rule.confidence:
        return f"the model is not sure of it by {rule.confidence} thousandths"
    return _against_words(item, words) or _kept_private(item, claimed.private)


def _against_words(item: Item, words: SharingWords) -> str:
    quotes = [each.quote for each in item.evidence if each.quote and each.message]
    explicit = [quote for quote in quotes if _has(quote, words.first_person) and _class_of(quote, words)]
    if not explicit:
        return "the person did not say it outright, in the first person, in words of a harmless class"
    if not _class_of(item.text, words):
        return "it is of no class that is known as harmless"
    for text in (item.text, *quotes):
        if not _has(text, words.plain) or not text.isascii():
            return f"it is not known to be in the language {words.language!r}"
        sensitive = _has(text, words.sensitive)
        if sensitive:
            return f"it speaks of {sensitive!r}"
        other = _has(text, words.others)
        if other:
            return f"it speaks of others ({other!r})"
    return ""


def _kept_private(item: Item, private: Sequence[str]) -> str:
    return "the person has it in their direct messages alone" if any(close(item.text, each) for each in private) else ""


def _class_of(text: str, words: SharingWords) -> str:
    """The harmless class that a text names; empty for none."""
    return next((name for name, known in sorted(words.harmless.items()) if _has(text, known)), "")


def _has(text: str, known: Sequence[str]) -> str:
    """The first of the known words that stands in a text, whole; empty for none."""
    spelled = " ".join(_WORD.findall(folded(text).replace("’", "'")))
    return next((each for each in known if _stands(f" {spelled} ", each)), "")


def _stands(spelled: str, word: str) -> bool:
    return f" {word[:-1]}" in spelled if word.endswith("*") else f" {word} " in spelled
