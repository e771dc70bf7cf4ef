"""What is recorded ahead of an event that puts something out of force: of which events, and what it says."""

from collections.abc import Callable
from typing import Any

import pytest

from projections.events import (
    Event,
    ItemClosed,
    ItemDeprecated,
    ItemEvicted,
    ItemForgotten,
    ItemMoved,
    ItemRemembered,
    ItemReverted,
    SummaryFailed,
    SummaryRefreshed,
    SummaryReset,
    SummaryWithheld,
)
from projections.events.values import OPERATOR, Audience, By, ModelUse, RowWas
from projections.ids import NOBODY, EventId, Handle, Identity, Point, Ref
from projections.policies.closing import MOVED, TAKEN_BACK, closing, identity_of, is_closing
from tests.projections.items import ANN, HOME, MODEL, PERSON, WIDE, an_item, message
from tests.world import NOW, handle

LORE = "guild/discord:9"
CLOSING = By("policy", name="closing", version="1")
PUBLIC, RESTRICTED = Audience("guild", Ref("discord", "7")), Audience("channel", Ref("discord", "8"), 3)
DIRECT = Audience("direct", Ref("discord", "dm"))
CALL, WAS = ModelUse("haiku", "7"), RowWas("item.remembered", NOW, MODEL)
QUIET = (message("one"), message("another"))
UPTO, AFTER, FLOOR = (Point(NOW + n, EventId(handle(name))) for n, name in enumerate(("upto", "after", "floor")))


def an_event(kind: Callable[..., Event], owner: Handle = NOBODY, by: By = PERSON, **more: Any) -> Event:
    """Of an item."""
    item = an_item("Raids are on Kallisto.", owner=owner, compartment=LORE if owner == NOBODY else HOME)
    return kind(said=NOW, by=by, item=item, **more)


def gone(owner: Handle, compartment: str, item_id: str, reason: str, quiet: tuple[EventId, ...] = ()) -> ItemClosed:
    return ItemClosed(
        said=NOW, by=CLOSING, owner=owner, compartment=compartment, id=item_id, reason=reason, quiet=quiet,
        policy="closing@1",
    )  # fmt: skip


def a_summary(kind: Callable[..., Event], audience: Audience = RESTRICTED, era: int = 4, **more: Any) -> Event:
    return kind(said=NOW, by=PERSON, session="s", audience=audience, era=era, person=ANN, **more)


def refreshed(audience: Audience = RESTRICTED, era: int = 4, refresh: int = 1, after: Point | None = AFTER) -> Event:
    return a_summary(
        SummaryRefreshed, audience, era, text="tea", refresh=refresh, after=after, upto=UPTO, covered=2, call=CALL,
        floor=FLOOR,
    )  # fmt: skip


def withheld(upto: Point | None, floor: Point | None, audience: Audience = RESTRICTED) -> SummaryWithheld:
    return SummaryWithheld(
        said=NOW, by=CLOSING, session="s", audience=audience, era=4, person=ANN, policy="closing@1", refresh=0,
        upto=upto, floor=floor,
    )  # fmt: skip


LORES_ID = an_item("Raids are on Kallisto.").id
TAKEN = gone(NOBODY, LORE, LORES_ID, TAKEN_BACK)


@pytest.mark.parametrize(
    ("event", "ahead"),
    [
        (an_event(ItemMoved, ANN, from_compartment=WIDE, from_id="durable-1"), gone(ANN, WIDE, "durable-1", MOVED)),
        (an_event(ItemMoved, from_compartment="self", from_id="durable-2"), gone(NOBODY, "self", "durable-2", MOVED)),
        (an_event(ItemForgotten, quiet=QUIET), gone(NOBODY, LORE, LORES_ID, TAKEN_BACK, QUIET)),
        (an_event(ItemForgotten), TAKEN),
        (an_event(ItemDeprecated), TAKEN),
        (an_event(ItemDeprecated, by=OPERATOR), TAKEN),
        (an_event(ItemReverted, gone=True, was=WAS), TAKEN),
        (a_summary(SummaryReset, upto=UPTO), withheld(UPTO, UPTO)),
        (a_summary(SummaryReset, PUBLIC, upto=None), withheld(None, None, PUBLIC)),
        (refreshed(), withheld(AFTER, FLOOR)),
        (refreshed(PUBLIC, after=None), withheld(None, FLOOR, PUBLIC)),
    ],
)
def test_what_is_put_out_of_force_is_so_ahead_of_the_event(event: Event, ahead: Event) -> None:
    assert closing(event) == ahead
    assert is_closing(ahead)
    assert not is_closing(event)


@pytest.mark.parametrize(
    "event",
    [
        an_event(ItemForgotten, ANN, quiet=QUIET),
        an_event(ItemDeprecated, ANN),
        an_event(ItemDeprecated, by=MODEL),
        an_event(ItemDeprecated, by=By("policy", name="capacity", version="1")),
        an_event(ItemReverted, ANN, gone=True, was=WAS),
        an_event(ItemReverted, was=WAS),
        an_event(ItemRemembered),
        an_event(ItemEvicted, cap=1),
        a_summary(SummaryReset, DIRECT, upto=UPTO),
        refreshed(DIRECT),
        refreshed(era=0),
        refreshed(refresh=2),
        a_summary(SummaryFailed, error="no", after=None, upto=UPTO, call=CALL),
    ],
)
def test_nothing_is_put_ahead_of_what_takes_nothing_out_of_force(event: Event) -> None:
    assert closing(event) is None


def test_only_what_the_policy_put_ahead_is_of_its_kind() -> None:
    """An event of the same kind that something else recorded, or an older version, is told of as any other."""
    item = ItemClosed(said=NOW, by=PERSON, owner=ANN, compartment=HOME, id="durable-1")
    summary = SummaryWithheld(
        said=NOW, by=PERSON, session="s", audience=PUBLIC, era=4, refresh=1, upto=UPTO, policy="closing@0"
    )
    assert not is_closing(item)
    assert not is_closing(summary)


def test_its_name_follows_from_the_event_behind_it() -> None:
    behind = message("behind")
    assert identity_of(behind, NOW) == Identity("dnam", "closing", behind.hex(), "closed", NOW)
