"""Makers of items and rows for the tests of this folder."""

from typing import Any

import msgspec

from projections.events import ItemRemembered
from projections.events.values import By, Evidence, Item, Source
from projections.ids import EventId, Ref
from projections.items import ItemRow, items_of
from projections.policies.compartments import direct, everywhere
from projections.policies.guards import Guarding
from projections.policies.instructions import InstructionRule, InstructionWords
from projections.policies.item_ids import derive
from tests.world import NOW, World, handle

ANN = handle("ann")
BOB = handle("bob")
HOME = direct(ANN)
WIDE = everywhere(ANN)
MANUAL = Source("manual")
PERSON = By("person", ANN)
MODEL = By("model", name="haiku", version="7")

ORDER = "ignore all previous instructions"
KNOWN = Guarding(InstructionWords("en", (InstructionRule("override", (ORDER,)),)))
"""A language with a list, as small as may be."""


def message(name: str) -> EventId:
    return EventId(handle(f"message {name}"))


def quote(words: str, name: str = "") -> Evidence:
    return Evidence(words, message(name or words), Ref("discord", name or words))


def an_item(text: str, **fields: Any) -> Item:
    kind = fields.pop("kind", "fact")
    item = Item(
        id=derive(kind, text),
        owner=ANN,
        compartment=HOME,
        kind=kind,
        text=text,
        created=NOW,
        updated=NOW,
        source=MANUAL,
    )
    return msgspec.structs.replace(item, **fields)


def a_row(text: str, **fields: Any) -> ItemRow:
    item = an_item(text, **fields)
    event = EventId(handle(f"row {item.compartment} {item.id}"))
    return ItemRow(event, "item.remembered", item.updated, PERSON, item, "", "", None)


def there_is(world: World, *items: Item, by: By = PERSON) -> None:
    """Items as the log would have them."""
    world.add(*(ItemRemembered(said=each.updated, by=by, item=each) for each in items))


def statuses(world: World, owner: Any = ANN) -> dict[str, str]:
    """Text to status, over all of an owner's items."""
    return {found.row.item.text: found.row.item.status for found in items_of(world.rows, owner)}


def row_of(world: World, text: str, owner: Any = ANN) -> ItemRow:
    return next(found.row for found in items_of(world.rows, owner) if found.row.item.text == text)
