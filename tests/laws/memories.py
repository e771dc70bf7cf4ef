"""What becomes of durable items."""

from typing import Any

import msgspec

from projections import events as e
from projections.events.values import OPERATOR, By, Evidence, Intent, IntentKind, Item, RowWas, Saw, Source
from projections.ids import EventId
from tests.laws.teller import GUILD, Teller


def _new_item(told: Teller) -> tuple[tuple[EventId, ...], Item]:
    source = told.hear()
    owner = source.message.speaker
    text, lasting = told.text(), told.matter.lasting
    ends = lasting is not None and len(told.told) % 3 == 0
    item = Item(
        id=f"durable-{len(told.told):08x}",
        owner=owner,
        compartment=source.room.compartment if owner else told.any(("self", "owner", f"guild/{GUILD}")),
        kind=told.any(told.matter.kinds),
        text=text,
        created=source.message.said,
        updated=source.message.said,
        source=Source("discord", source.room.place, source.message.ref, GUILD),
        tags=("tag one", "zweites"),
        evidence=(Evidence(source.message.text[:40], source.id, source.message.ref),),
        valid_until=source.message.said + (lasting or 0) if ends else None,
    )
    return (source.id,), item


def _known_item(told: Teller) -> tuple[tuple[EventId, ...], Item]:
    if not told.items:
        upserted(told)
    event, item = told.any(list(told.items.values()))
    return (event,), item


def _item_event(told: Teller, kind: type[e.ItemEvent], causes: tuple[EventId, ...], item: Item, **more: Any) -> None:
    event = kind(
        said=told.latest(*causes),
        by=told.any((OPERATOR, By("person", item.owner), By("policy", name="capacity", version="1"))),
        causes=causes,
        item=item,
        reason="because it was said so",
        policy="matching@1",
        **more,
    )
    told.items[item.owner, item.compartment, item.id] = told.add(event), item


def _intent(told: Teller, action: IntentKind, item: Item) -> Intent:
    saw = Saw(item.text, item.kind, item.compartment, item.evidence)
    return Intent(action, needle=told.text(), chosen=item.id, saw=saw)


def remembered(told: Teller) -> None:
    causes, item = told.any((_new_item, _known_item))(told)
    item = msgspec.structs.replace(item, status="active", text=told.text())
    returns = tuple(each.message for each in item.evidence)
    _item_event(told, e.ItemRemembered, causes, item, intent=_intent(told, "remember", item), returns=returns)


def upserted(told: Teller) -> None:
    causes, item = _new_item(told)
    _item_event(told, e.ItemUpserted, causes, item)


def deprecated(told: Teller) -> None:
    causes, item = _known_item(told)
    _item_event(told, e.ItemDeprecated, causes, msgspec.structs.replace(item, status="deprecated"))


def merged(told: Teller) -> None:
    causes, item = _known_item(told)
    more, other = _known_item(told)
    absorbed = msgspec.structs.replace(other, status="merged")
    item = msgspec.structs.replace(item, text=told.text(), source_count=item.source_count + 1)
    _item_event(told, e.ItemMerged, tuple(dict.fromkeys((*causes, *more))), item, absorbed=(absorbed,))


def evicted(told: Teller) -> None:
    causes, item = _known_item(told)
    _item_event(told, e.ItemEvicted, causes, msgspec.structs.replace(item, status="evicted"), cap=200)


def forgotten(told: Teller) -> None:
    causes, item = _known_item(told)
    quiet = tuple(each.message for each in item.evidence)
    item = msgspec.structs.replace(item, status="forgotten")
    _item_event(told, e.ItemForgotten, causes, item, quiet=quiet, intent=_intent(told, "forget", item))


def restored(told: Teller) -> None:
    causes, item = _known_item(told)
    returns = tuple(each.message for each in item.evidence)
    item = msgspec.structs.replace(item, status="active")
    _item_event(told, e.ItemRestored, causes, item, returns=returns, intent=_intent(told, "restore", item))


def moved(told: Teller) -> None:
    causes, item = _known_item(told)
    told.items.pop((item.owner, item.compartment, item.id))
    to = msgspec.structs.replace(item, compartment=f"person/{item.owner.hex()}/everywhere")
    _item_event(told, e.ItemMoved, causes, to, from_compartment=item.compartment, from_id=item.id)


def redacted(told: Teller) -> None:
    causes, item = _known_item(told)
    refuses = told.any((True, False))
    quiet = tuple(each.message for each in item.evidence) if refuses else ()
    was = causes if refuses else ()
    item = msgspec.structs.replace(item, evidence=())
    intent = Intent("remember", needle=told.text())
    _item_event(told, e.ItemRedacted, causes, item, refuses=refuses, was=was, quiet=quiet, intent=intent)


def withdrawn(told: Teller) -> None:
    """An item is gone with its message; mostly the bodies go too, as the decision has it."""
    causes, item = _known_item(told)
    told.items.pop((item.owner, item.compartment, item.id))
    if told.any((True, True, False)):
        told.add(e.MessageRedacted(said=told.said, by=OPERATOR, events=causes))
    told.add(
        e.ItemWithdrawn(
            said=told.latest(*causes),
            by=By("policy", name="redaction", version="1"),
            causes=causes,
            owner=item.owner,
            compartment=item.compartment,
            id=item.id,
            reason="the messages that it rested on were taken back",
            policy="redaction@1",
        )
    )


def closed(told: Teller) -> None:
    """An address is closed; mostly ahead of what takes the item from there."""
    _, item = _known_item(told)
    told.items.pop((item.owner, item.compartment, item.id))
    told.add(
        e.ItemClosed(
            said=told.said,
            by=By("policy", name="closing", version="1"),
            owner=item.owner,
            compartment=item.compartment,
            id=item.id,
            reason="it is taken back",
            policy="closing@1",
            quiet=tuple(each.message for each in item.evidence) if told.any((True, False)) else (),
        )
    )
    if told.any((True, True, False)):
        to = msgspec.structs.replace(item, status="forgotten")
        _item_event(told, e.ItemForgotten, (), to)


def reverted(told: Teller) -> None:
    """An item is as it was before an event, or is none any more."""
    causes, item = _known_item(told)
    was = RowWas("item.upserted", item.created, told.any((OPERATOR, By("model", name="offline", version="1"))))
    gone = told.any((False, True))
    _item_event(told, e.ItemReverted, causes, item, was=was, undoes=causes, gone=gone)
    if gone:
        told.items.pop((item.owner, item.compartment, item.id))


def refused(told: Teller) -> None:
    causes, item = _new_item(told)
    told.add(
        e.ItemRefused(
            said=told.latest(*causes),
            by=By("policy", name="refusals", version="1"),
            causes=causes,
            owner=item.owner,
            compartment=item.compartment,
            kind=item.kind,
            text=item.text,
            reason="a person forgot this",
            policy="refusals@1",
            evidence=item.evidence,
            against="durable-00000000",
        )
    )
