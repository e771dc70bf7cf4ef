"""What a model's entry says of an item that is there: which fields, under which ids, and whether any of it is new."""

from collections.abc import Sequence

from projections.decisions.shelf import rests_on
from projections.events.values import Evidence, Item
from projections.items import ItemRow
from projections.policies.item_ids import derive
from projections.policies.matching import Match
from projections.policies.replies import UpsertEntry
from projections.policies.text import normalise


def claimed_ids(entry: UpsertEntry, match: Match, here: Sequence[ItemRow]) -> frozenset[str]:
    """The ids under which this would be remembered: that of the item it changes, or of what that was merged into, and
    that of its own words.
    """
    row = match.row
    old = [] if row is None or row.item.status == "active" else [row.item.id]
    whole = [each.item.id for each in here if row is not None and _has_absorbed(each.item, row.item)]
    return frozenset({derive(entry.kind, entry.text), *old, *whole})


def _has_absorbed(item: Item, other: Item) -> bool:
    return other.status == "merged" and other.id in item.supersedes


def fields_said(item: Item, entry: UpsertEntry) -> dict[str, object]:
    """The fields that the entry speaks of; where it is silent, the item keeps what it has."""
    said = {
        "text": item.text if normalise(item.text) == normalise(entry.text) else entry.text,
        "tags": entry.tags or None,
        "type": entry.type,
        "about": entry.about,
        "confidence": entry.confidence,
        "valid_from": entry.valid_from,
        "valid_until": entry.valid_until,
    }
    return {name: value for name, value in said.items() if value is not None}


def is_news(item: Item, entry: UpsertEntry) -> bool:
    """Whether the entry would change what the item says, or revive it."""
    return item.status != "active" or any(
        getattr(item, name) != value for name, value in fields_said(item, entry).items()
    )


def adds(item: Item, evidence: Sequence[Evidence]) -> bool:
    """Whether it was said in a message that the item does not rest on yet: then it was confirmed."""
    return not set(rests_on(evidence)) <= set(rests_on(item.evidence))
