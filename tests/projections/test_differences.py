"""What differs between two states of a person's memory."""

from typing import Any

import msgspec

from projections.differences import Difference, differences
from projections.events.values import Item
from projections.items import ItemRow
from projections.lives import address_of
from tests.projections.items import HOME, WIDE, a_row

TEA, RAIN = a_row("likes tea"), a_row("hates rain")


def put(row: ItemRow, **fields: Any) -> ItemRow:
    item: Item = msgspec.structs.replace(row.item, **fields)
    return msgspec.structs.replace(row, item=item)


def told(found: list[Difference]) -> list[tuple[str, str]]:
    return [(each.kind, each.row.item.text) for each in found]


def test_nothing_differs_from_itself() -> None:
    gone = put(RAIN, status="forgotten")
    assert differences([TEA, gone], [gone, TEA], {}) == []


def test_learned_changed_dropped_restored_in_this_order() -> None:
    new, old, back = a_row("a new one"), a_row("an old one"), a_row("back again")
    before = [TEA, old, put(back, status="forgotten")]
    after = [new, put(TEA, text="likes green tea"), put(old, status="evicted"), back]
    assert told(differences(before, after, {})) == [
        ("learned", "a new one"),
        ("changed", "likes green tea"),
        ("dropped", "an old one"),
        ("restored", "back again"),
    ]


def test_what_has_no_row_any_more_was_dropped() -> None:
    (found,) = differences([TEA, put(RAIN, status="merged")], [], {})
    assert (found.kind, found.row, found.after) == ("dropped", TEA, None)


def test_what_was_learned_and_dropped_in_between_does_not_differ() -> None:
    assert differences([], [put(TEA, status="evicted")], {}) == []
    assert differences([put(TEA, status="evicted")], [put(TEA, status="forgotten")], {}) == []


def test_other_things_of_an_item_that_do_not_count() -> None:
    assert differences([TEA], [put(TEA, hits=3, updated=TEA.item.updated + 1)], {}) == []


def test_what_moved_changed_its_place_and_nothing_is_dropped() -> None:
    there = put(TEA, compartment=WIDE)
    moved = {address_of(there.item): address_of(TEA.item)}
    (found,) = differences([TEA], [there], moved)
    assert (found.kind, found.before, found.after) == ("changed", TEA, there)
    assert told(differences([TEA], [there], {})) == [("learned", "likes tea"), ("dropped", "likes tea")]
    assert (TEA.item.compartment, there.item.compartment) == (HOME, WIDE)
