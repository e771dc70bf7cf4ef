"""The ranking of items once more: what is open to whom, BM25 among that, the boosts, and the order of ties.

Written from what `facts`, `durable`, `retrieval` and `compartments` say of themselves, and shares no code with them.
Every item that rows hold is looked at, whoever owns it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple
from unicodedata import normalize

from projections.events.values import Item
from projections.ids import NOBODY, Handle
from projections.items import ITEMS, item_key
from projections.policies.compartments import Setting
from projections.retrieval import Vocabulary
from projections.rows import Rows
from tests.projections.recall import oracle
from tests.projections.recall.oracle_words import Looked, Told, looked_for, told, with_misspelt

WEEK = 7 * 86_400_000
Address = tuple[Handle, str]
"""An owner and a compartment."""


Place = tuple[Handle, str, str]
"""An item's owner, compartment and id."""
Ranks = Mapping[Place, int]
"""The ranks of items that are near in meaning."""
NOTHING_NEAR: Ranks = MappingProxyType({})


class Scored(NamedTuple):
    """An item, what its words give, and its score: in 1/1024."""

    item: Item
    words: int
    score: int


def open_to(rows: Rows, setting: Setting, room: Iterable[Handle] = ()) -> list[Address]:
    """The compartments that a context opens, with those of others in the `room`."""
    person, guild, kind, place = setting.person, setting.guild, setting.audience.kind, str(setting.audience.place)
    is_own = bool(person) and place == f"discord:dm:{person.hex()}"
    here = [f"guild/{guild}"] if guild and kind != "direct" else []
    found: list[Address] = [(person, f"person/{person.hex()}/everywhere")] if person else []
    found += [(person, each) for each in here if person] + [(NOBODY, each) for each in (*here, "self")]
    if kind == "channel":
        found += [(NOBODY, f"channel/{place}")]
        found += [(person, f"person/{person.hex()}/channel/{place}")] if person else []
    if is_own:
        taught = {each.compartment for each in every_item(rows) if each.owner == person}
        found += [(person, f"person/{person.hex()}/direct")]
        found += [(person, each) for each in taught if each.startswith("guild/")]
        found += [(NOBODY, "owner")] if "owner" in setting.besides else []
    for other in {*room} - {person, NOBODY}:
        found += [(other, each) for each in here]
        found += [(other, f"person/{other.hex()}/channel/{place}")] if kind == "channel" else []
    return found


def address(item: Item) -> Place:
    """Where an item lies."""
    return item.owner, item.compartment, item.id


def every_item(rows: Rows) -> list[Item]:
    """Whatever its status."""
    return [found.row.item for found in rows.scan(ITEMS)]


def items_in(rows: Rows, addresses: Sequence[Address], said: int) -> list[Item]:
    """The active items that lie there and hold when something is said."""
    there = [each for each in every_item(rows) if (each.owner, each.compartment) in addresses]
    active = [each for each in there if each.status == "active"]
    return [each for each in active if each.valid_until is None or each.valid_until >= said]


def looked_in(items: Sequence[Item], text: str) -> Looked:
    """What a text looks for among items, with what is misspelt."""
    return _with_misspelt(items, looked_for(text, {}))


def _with_misspelt(items: Sequence[Item], looked: Looked) -> Looked:
    texts = [_told(each) for each in items]
    there = {term for each in texts for term in each.counts}
    return with_misspelt(looked, there, {stem for each in texts for stem in each.stems}, in_items=True)


def near_ranks(items: Sequence[Item], cosines: Mapping[str, int], seqs: Mapping[Place, int]) -> Ranks:
    """The ranks of the 50 items whose texts are nearest; of those as near as each other, what was recorded last comes
    first.
    """
    near = [each for each in items if each.text in cosines]
    near.sort(key=lambda each: (-cosines[each.text], -seqs[address(each)]))
    return {address(each): number + 1 for number, each in enumerate(near[:50])}


def ranked(
    items: Sequence[Item],
    shares: Mapping[bytes, int],
    said: int,
    near: Ranks = NOTHING_NEAR,
    *,
    about_project: bool = False,
) -> list[Scored]:
    """Items, best first."""
    scored = []
    for item, words in zip(items, by_words(items, shares), strict=True):
        boosts = 2 * (about_project and item.kind == "project") + (-WEEK <= item.updated - said <= WEEK)
        meaning = 102_400 // (10 + near[address(item)]) if address(item) in near else 0
        scored.append(Scored(item, words, words + 1024 * boosts + meaning))
    return sorted(scored, key=lambda each: (-each.score, *_tie(each.item)))


def by_words(items: Sequence[Item], shares: Mapping[bytes, int]) -> list[int]:
    """BM25 of each item among these."""
    texts = [_told(each) for each in items]
    average = Fraction(max(sum(each.length for each in texts), 1), max(len(texts), 1))
    having = {term: sum(term in each.counts for each in texts) for term in shares}
    worth = {term: oracle.worth(len(texts), having[term], shares[term]) for term in shares if having[term]}
    return [
        sum(each * oracle.weight(text.counts[term], text.length, average) // 1024 for term, each in worth.items())
        for text in texts
    ]


def keys(items: Sequence[Item], shares: Mapping[bytes, int]) -> list[tuple[int, Item]]:
    """The 32 items that have most of what is looked for, as keys to what they rest on."""
    found = zip(by_words(items, shares), items, strict=True)
    having = [(points, item) for points, item in found if not _told(item).counts.keys().isdisjoint(shares)]
    return sorted(having, key=lambda each: (-each[0], item_key(each[1].owner, each[1].compartment, each[1].id)))[:32]


class Said(NamedTuple):
    """A message, the conversation before it, and when it was said."""

    words: str
    window: str
    said: int


def for_prompt(items: Sequence[Item], message: Said, language: Vocabulary, near: Ranks = NOTHING_NEAR) -> list[Scored]:
    """Items in the order in which a prompt takes them."""
    own, wanted = tokens(message.words, language), dnam_query(message, language)
    looked = looked_for(message.words if own else f"{message.words}\n{message.window}", {})
    if len(own) == 1:
        window = looked_for(message.window, {})
        both = dict.fromkeys(window.shares, 1024 // 16) | dict(looked.shares)
        looked = looked._replace(shares=both, words={**window.words, **looked.words})
    shares = _with_misspelt(items, looked).shares
    about_project = not wanted.isdisjoint(language.project_words)
    best = ranked(items, shares, message.said, near, about_project=about_project)
    spoken_of = [each for each in best if each.item.kind != "behavioral" or _has_any(each.item, shares)]
    return sorted(spoken_of, key=lambda each: each.item.kind != "guidance")


def as_dnam(items: Sequence[Item], message: Said, language: Vocabulary) -> list[tuple[Item, int]]:
    """Items as DNAM ranks them, with their scores."""
    wanted = dnam_query(message, language)
    about_project = not wanted.isdisjoint(language.project_words)
    scores = [
        len(wanted & set(_long_runs(_text(each))))
        + 2 * (about_project and each.kind == "project")
        + (-WEEK <= each.updated - message.said <= WEEK)
        for each in items
    ]
    scored = zip(items, scores, strict=True)
    return sorted(scored, key=lambda each: (-each[1], *_tie(each[0])))


def dnam_query(message: Said, language: Vocabulary) -> set[str]:
    """The tokens that DNAM looks for."""
    own = tokens(message.words, language)
    return own | tokens(message.window, language) if len(own) < 2 else own


def tokens(text: str, language: Vocabulary) -> set[str]:
    """DNAM's tokens of a text."""
    return set(_long_runs(text)) - language.stop_words


def _long_runs(text: str) -> list[str]:
    return [each for each in re.findall(r"[^\W_]+", normalize("NFC", text).casefold()) if len(each) >= 3]


def _has_any(item: Item, terms: Iterable[bytes]) -> bool:
    return not _told(item).counts.keys().isdisjoint(terms)


def _told(item: Item) -> Told:
    return told(_text(item))


def _text(item: Item) -> str:
    return " ".join((item.text, *item.tags, item.kind))


def _tie(item: Item) -> tuple[int, str, str, bytes]:
    """The newest first, then by id, compartment and owner."""
    return -item.updated, item.id, item.compartment, item.owner
