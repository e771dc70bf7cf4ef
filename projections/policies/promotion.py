"""Whether what was learned of a person may follow them everywhere: two keys (seed 004 §6.2, design §7).

The first is the model's word that it is `shareable`. The second is this policy, which believes no model:

    what must hold                                  why
    ─────────────────────────────────────────────   ────────────────────────────────────────────────────────────────
    dnam has a list for the language                where nobody knows which words are sensitive, all may be
    it is semantic, and about the person            what happened depends on where, others have a say of their own
    confidence of 900 thousandths, said outright    what was only inferred may be wrong, and would be so everywhere
    the person's own words, quoted, first person    explicit: nobody said it of them, and it is no question
    item, words and tags are of one harmless        a time zone, a game, a technical preference. No list of sensitive
    class, short, and say nothing else              words is ever complete, so a word of no list is one word too many
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
VERSION = "promotion@2"
KINDS = frozenset({"preference", "fact", "tool", "profile"})
"""Kinds that may be harmless: a project is work, a constraint or a person hardly ever nothing."""
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_HANDLE = re.compile(r"(?=\w{3,16}$)(?!\w*\d{5})(?=\w*[a-zA-Z])\w*?(?:[a-z][A-Z]|\d|_)\w*", re.ASCII)
"""A made-up name, as in a game, and no word of a language: it has a digit, a low line or a capital inside."""
SHORTEST_PART = 3
"""The fewest letters of a sensitive word that are looked for inside of such a name."""


class Harmless(NamedTuple):
    """A class of what is harmless: a text is of it that has one of its `words`, and no others than these, those
    `around` them and fillers. `ends_in_name`: but for the last one, which is a made-up name.
    """

    words: tuple[str, ...]
    around: tuple[str, ...] = ()
    ends_in_name: bool = False


class SharingWords(NamedTuple):
    """What a language knows of what may be told anywhere. A word of `others` and `sensitive` that ends in `*` stands
    for all that begin with it.

    `fillers` are words that say nothing of anybody, `tags` what any tag may say, `harmless` are classes by name.
    """

    language: str = ""
    first_person: tuple[str, ...] = ()
    fillers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    harmless: Mapping[str, Harmless] = {}


NO_WORDS = SharingWords()
"""Of a language without a list: nothing is harmless in it."""


class Promotion(NamedTuple):
    """`confidence` is in thousandths; a text has as many words as `most_words`."""

    confidence: int = 900
    most_words: int = 14


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
    named = _class_of(claimed.item.text, words, rule)
    return Verdict(shared=True, reason=f"the model calls it shareable, and it is {named}")


def _against(claimed: Claimed, words: SharingWords, rule: Promotion) -> str:
    """The first thing that stands against it; empty where nothing does."""
    item = claimed.item
    if not claimed.shareable:
        return "the model does not call it shareable"
    if not (words.first_person and words.fillers and words.sensitive and words.harmless):
        return f"there is no list of sensitive words for the language {words.language!r}"
    if item.type != "semantic" or item.kind not in KINDS:
        return f"it is {item.type} and of the kind {item.kind}: only lasting, harmless facts are shared"
    if item.compartment == direct(item.owner):
        return "it was said in direct messages: what is said there stays there, unless its person shares it"
    if item.about != "person":
        return f"it is about the {item.about}"
    if claimed.confidence is None or claimed.confidence < rule.confidence:
        return f"the model is not sure of it by {rule.confidence} thousandths"
    return _against_words(item, words, rule) or _kept_private(item, claimed.private)


def _against_words(item: Item, words: SharingWords, rule: Promotion) -> str:
    quotes = [each.quote for each in item.evidence if each.quote and each.message]
    if not any(_has(quote, words.first_person) for quote in quotes):
        return "the person did not say it outright, in the first person"
    for text in (item.text, *quotes, *item.tags):
        sensitive = _has(text, words.sensitive)
        if sensitive:
            return f"it speaks of {sensitive!r}"
        other = _has(text, words.others)
        if other:
            return f"it speaks of others ({other!r})"
    named = _class_of(item.text, words, rule)
    if not named:
        return "it is of no class that is known as harmless, or says more than that"
    if any(_class_of(quote, words, rule) != named for quote in quotes):
        return f"the person said something else than {named}, or more than that"
    known = (*words.fillers, *words.tags, *words.harmless[named].words, *words.harmless[named].around)
    if any(_besides(tag, known) for tag in item.tags):
        return f"its tags say more than {named}"
    return ""


def _kept_private(item: Item, private: Sequence[str]) -> str:
    return "the person has it in their direct messages alone" if any(close(item.text, each) for each in private) else ""


def _class_of(text: str, words: SharingWords, rule: Promotion) -> str:
    """The harmless class that a text is of, as a whole; empty for none."""
    if not text.isascii() or len(_WORD.findall(text)) > rule.most_words:
        return ""
    return next((name for name, each in sorted(words.harmless.items()) if _is_of(text, each, words)), "")


def _is_of(text: str, harmless: Harmless, words: SharingWords) -> bool:
    if not _has(text, harmless.words):
        return False
    besides = _besides(text, (*words.fillers, *harmless.words, *harmless.around))
    return not besides or (harmless.ends_in_name and len(besides) == 1 and _ends_in_name(text, besides[0], words))


def _ends_in_name(text: str, name: str, words: SharingWords) -> bool:
    """Whether a text ends in a name that is no word, and has no sensitive one inside."""
    last = _WORD.findall(text)[-1]
    parts = (each.removesuffix("*") for each in words.sensitive)
    hidden = any(each in name for each in parts if len(each) >= SHORTEST_PART)
    return folded(last) == name and _HANDLE.fullmatch(last) is not None and not hidden


def _besides(text: str, known: Sequence[str]) -> list[str]:
    """The words of a text that are not known, the longest phrases being taken first."""
    spelled = _spelled(text)
    for each in sorted(known, key=len, reverse=True):
        spelled = spelled.replace(f" {each} ", "  ")
    return spelled.split()


def _has(text: str, known: Sequence[str]) -> str:
    """The first of the known words that stands in a text, whole; empty for none."""
    spelled = _spelled(text)
    return next((each for each in known if _stands(spelled, each)), "")


def _spelled(text: str) -> str:
    words = " ".join(_WORD.findall(folded(text).replace("’", "'")))
    return f" {words} "


def _stands(spelled: str, word: str) -> bool:
    return f" {word[:-1]}" in spelled if word.endswith("*") else f" {word} " in spelled
