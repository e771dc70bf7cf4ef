"""What is recorded ahead of an event that puts something out of force, so that it stays out.

An item's event holds the item whole, and a summary lies under its era's key. So such an event goes with a message whose
words it has, or with the key of anybody whose words it has; what it is of is then again what the last event says that
can still be read. Where the event had moved it, cleared it, or taken it back, that would be told again where it is not
to be told. Hence the engine records an event ahead of it, in the same decision, that holds nobody's words, and that
only its owner's own erasure takes away:

    an item moves                              its old address is closed
    what is nobody's (lore) is taken back      its address is: the words of several may be in it. What is somebody's own
                                               lies in their vault alone, and so does what is done with it
    a summary is cleared, or a new era begins  the older one is withheld; a direct message has one key for all of them
"""

from projections.events import (
    Event,
    ItemClosed,
    ItemDeprecated,
    ItemEvent,
    ItemForgotten,
    ItemMoved,
    ItemReverted,
    SummaryRefreshed,
    SummaryReset,
    SummaryWithheld,
)
from projections.events.values import By
from projections.ids import NOBODY, EventId, Identity, Point
from projections.policies.precedence import HUMANS

VERSION = "closing@1"
MOVED = "it moves, and nothing of it stays here"
TAKEN_BACK = "it is taken back"
_BY = By("policy", name=VERSION.partition("@")[0], version=VERSION.partition("@")[2])


def closing(event: Event) -> ItemClosed | SummaryWithheld | None:
    """What is recorded ahead of an event; None where nothing is to be kept from coming back."""
    match event:
        case ItemMoved(from_compartment=compartment, from_id=item_id):
            return _closed(event, compartment, item_id, MOVED)
        case ItemForgotten(quiet=quiet) if event.item.owner == NOBODY:
            return _closed(event, event.item.compartment, event.item.id, TAKEN_BACK, quiet)
        case ItemDeprecated() if event.item.owner == NOBODY and event.by.kind in HUMANS:
            return _closed(event, event.item.compartment, event.item.id, TAKEN_BACK)
        case ItemReverted(gone=True) if event.item.owner == NOBODY:
            return _closed(event, event.item.compartment, event.item.id, TAKEN_BACK)
        case SummaryReset(upto=upto) if event.audience.kind != "direct":
            return _withheld(event, upto, upto)
        case SummaryRefreshed(refresh=1, after=after, floor=floor) if event.era and event.audience.kind != "direct":
            return _withheld(event, after, floor)
        case _:
            return None


def identity_of(event: EventId, said: int) -> Identity:
    """What names the event ahead of an event that was said then (ms)."""
    return Identity("dnam", "closing", event.hex(), "closed", said)


def is_closing(event: Event) -> bool:
    """Whether an event is of this kind: of whatever happened, the one behind it tells."""
    return isinstance(event, ItemClosed | SummaryWithheld) and event.policy == VERSION


def _closed(
    event: ItemEvent, compartment: str, item_id: str, reason: str, quiet: tuple[EventId, ...] = ()
) -> ItemClosed:
    return ItemClosed(
        said=event.said,
        by=_BY,
        owner=event.item.owner,
        compartment=compartment,
        id=item_id,
        reason=reason,
        policy=VERSION,
        quiet=quiet,
    )


def _withheld(event: SummaryRefreshed | SummaryReset, upto: Point | None, floor: Point | None) -> SummaryWithheld:
    return SummaryWithheld(
        said=event.said,
        by=_BY,
        session=event.session,
        audience=event.audience,
        era=event.era,
        person=event.person,
        policy=VERSION,
        refresh=0,
        upto=upto,
        floor=floor,
    )
