"""Which item is meant: by a model that sends an upsert or a deprecation, or by a person who types a few words.

Lengths are code points *of the folded forms*, of the needle and of the text alike: case folding changes lengths
(`ß` becomes `ss`), and a share of two different measures would be none.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from projections.items import ItemRow
from projections.policies.by_people import is_by_people
from projections.policies.item_ids import derive
from projections.policies.text import folded, normalise

VERSION = "matching@2"


class Matching(NamedTuple):
    """`percent` of an item's length is the least that words must cover to mean it."""

    percent: int = 60


STANDARD = Matching()


class Match(NamedTuple):
    """The item that an upsert is about, or None for a new one, and why."""

    row: ItemRow | None
    reason: str


class Meant(NamedTuple):
    """The items that a deprecation is about, perhaps none, and why."""

    rows: tuple[ItemRow, ...]
    reason: str


def covers(needle: str, text: str, rule: Matching = STANDARD) -> bool:
    """Whether the text contains the needle, and the needle is at least `percent` of it (the boundary included)."""
    return _covers(folded(needle), folded(text), rule)


def _covers(short: str, long: str, rule: Matching) -> bool:
    return bool(short) and short in long and 100 * len(short) >= rule.percent * len(long)


def close(one: str, other: str, rule: Matching = STANDARD) -> bool:
    """Whether either covers the other."""
    return close_folded(folded(one), folded(other), rule)


def close_folded(one: str, other: str, rule: Matching = STANDARD) -> bool:
    """The same of texts that are folded already."""
    return _covers(one, other, rule) or _covers(other, one, rule)


def says(row: ItemRow, kind: str, text: str) -> bool:
    """Whether an item is of this kind and says exactly this."""
    return row.item.kind == kind and normalise(row.item.text) == normalise(text)


def find_upsert(items: Sequence[ItemRow], item_id: str, kind: str, text: str) -> Match:
    """The item of one owner and compartment that this id, or this kind and text, stands for (seed 000's order).

    1. the item with the given id, when there is one;
    2. the item that the kind and text derive: it says exactly this, or it was given this id before its text changed;
    3. none: a new item. An id that nothing has is the model's invention and counts for nothing.
    """
    return _by_id(items, item_id) or _by_words(items, kind, text) or _by_derived_id(items, kind, text) or _NEW


def find_said(items: Sequence[ItemRow], kind: str, text: str) -> Match:
    """The item of one owner and compartment that says this, for a person who asks to keep it. What has the id of this
    kind and text and says something else by now is another item: what it says is not replaced.
    """
    return _by_words(items, kind, text) or _beside(items, kind, text)


def to_reword(items: Sequence[ItemRow], match: Match, item_id: str, kind: str, text: str) -> Match:
    """Of what `find_upsert` found, what a model may have say this. What a person worded is that only by its words or
    the given id: what merely said this before they put it right stays as they left it, and this is a new item.
    """
    row = match.row
    if row is None or row.item.id == item_id or says(row, kind, text) or not is_by_people(row):
        return match
    return _beside(items, kind, text)


def _beside(items: Sequence[ItemRow], kind: str, text: str) -> Match:
    derived = derive(kind, text)
    is_taken = any(row.item.id == derived for row in items)
    return Match(None, f"{derived} says something else") if is_taken else _NEW


_NEW = Match(None, "no item has this id or says this")


def _by_id(items: Sequence[ItemRow], item_id: str) -> Match | None:
    found = next((row for row in items if item_id and row.item.id == item_id), None)
    return None if found is None else Match(found, f"the id {item_id} was given")


def _by_words(items: Sequence[ItemRow], kind: str, text: str) -> Match | None:
    wanted = normalise(text)
    same = [row for row in items if row.item.kind == kind and normalise(row.item.text) == wanted]
    found = min(same, key=lambda row: (row.item.status != "active", row.item.id), default=None)
    return None if found is None else Match(found, "it says the same")


def _by_derived_id(items: Sequence[ItemRow], kind: str, text: str) -> Match | None:
    derived = derive(kind, text)
    found = next((row for row in items if row.item.id == derived), None)
    if found is None or derive(found.item.kind, found.item.text) == derived:
        return None  # the second: another text with the same digest, a clash
    return Match(found, f"{derived} said this before its text changed")


def find_meant(items: Iterable[ItemRow], item_id: str, needle: str, rule: Matching = STANDARD) -> Meant:
    """The items that an id names exactly; without an id, those that the needle covers."""
    if item_id:
        return Meant(tuple(row for row in items if row.item.id == item_id), f"the id {item_id} was given")
    short = folded(needle)
    rows = tuple(row for row in items if _covers(short, folded(row.item.text), rule))
    return Meant(rows, f"its text contains the words given, and they are at least {rule.percent} % of it")
