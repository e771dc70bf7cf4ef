"""Two towns in which the same was said, and another model read it: what the one takes over from the other."""

from collections.abc import Mapping, Sequence
from typing import Any

from projections.decisions.adopt import Plan, adopt, planned
from projections.decisions.adopt_pairs import AdoptRequest, standing
from projections.decisions.adopt_rests import said_behind
from projections.decisions.adopted import Adoption, of_owner
from projections.decisions.shelf import rests_on
from projections.decisions.unadopt import Before, UnadoptRequest
from projections.events import Event, ItemEvent, ItemMoved
from projections.events.values import By, Evidence, Item, Source
from projections.ids import EventId, Handle, Point, Ref
from projections.items import ItemRow, items_of
from projections.lives import Address, address_of, moved_from
from projections.policies.item_ids import derive
from projections.policies.resting import widening
from projections.rederiving.pairs import compare
from projections.rows import Rows
from tests.projections.items import KNOWN
from tests.projections.learning import HOME, Town
from tests.world import NOW, World, handle

ADOPTION = Adoption(EventId(handle("adoption")), NOW)
OPUS = By("model", name="opus", version="9")
SAID = ("I like green tea", "I live in Lyon", "I play chess on Sundays", "I work at the harbour")


class Two:
    """The live town, and its shadow: whatever is said is said in both."""

    def __init__(self, *said: str) -> None:
        self.live, self.shadow = Town(), Town()
        self.said = [self.says(each) for each in said or SAID]

    def says(self, text: str, **more: Any) -> Point:
        point = self.live.says(text, **more)
        assert self.shadow.says(text, **more) == point
        return point

    def both(self, number: int, text: str, **more: Any) -> None:
        """Both models say this of what was said then."""
        for town in (self.live, self.shadow):
            self.reads(town, number, text, **more)

    def reads(self, town: Town, number: int, text: str, **more: Any) -> list[Event]:
        return town.reads([self.said[number]], {"text": text, "evidence": SAID[number], **more})

    def request(self, owner: Handle | None = None, **fields: Any) -> AdoptRequest:
        whose = self.live.ada if owner is None else owner
        return requested(self.live.world, self.shadow.rows, whose, **fields)

    def plan(self, owner: Handle | None = None, **fields: Any) -> Plan:
        return planned(self.live.rows, self.request(owner, **fields))

    def adopt(self, owner: Handle | None = None, **fields: Any) -> list[Event]:
        """Take it over; and say so if the engine would refuse any of it."""
        return recorded(self.live.world, self.request(owner, **fields))

    def left(self, **fields: Any) -> list[str]:
        return [each.reason for each in self.plan(**fields).left]

    def reasons(self) -> set[str]:
        return {row.reason for row in self.live.items()}

    def kinds(self) -> list[str]:
        """What still differs."""
        sides = ([found.row for found in items_of(town.rows, self.live.ada)] for town in (self.live, self.shadow))
        return [pair.kind for pair in compare(*sides) if pair.kind != "same"]


def requested(live: World, shadow: Rows, owner: Handle, **fields: Any) -> AdoptRequest:
    """What the shell would hand in."""
    events = {record.id: record.event for record in live.records if live.ids.status(record.id) == "known"}
    items = tuple(found.row for found in items_of(shadow, owner))
    said = {message for row in items for message in rests_on(row.item.evidence)}
    now = {message: standing(live.rows, message) for message in said}
    heard = {message: events[at] for message, at in now.items() if at is not None}
    request = AdoptRequest(ADOPTION, owner, items, "opus", OPUS, "extraction@3", len(live.records), heard=heard)
    return request._replace(**({"guarding": KNOWN} | fields))


def recorded(live: World, request: AdoptRequest, most: int = 1000) -> list[Event]:
    """One decision, in the log; the engine's rule on widening holds."""
    made: list[Event] = []
    for draft in adopt(live.rows, request, most):
        events: dict[EventId, Event | None] = {each.id: each.event for each in live.records}
        assert not widening(live.rows, draft.event, {cause: events.get(cause) for cause in draft.event.causes})
        assert all(live.ids.status(cause) != "unknown" for cause in draft.event.causes)
        made.append(live.record(draft).event)
    return made


def undone(live: World, owner: Handle, before: Mapping[Address, ItemRow], **fields: Any) -> UnadoptRequest:
    """What the shell would hand in to take the adoption back; `before` are the rows from before it."""
    touched: dict[Address, tuple[EventId, bool]] = {}
    mine = [event for decision in ADOPTION.decisions(live.rows, of_owner(owner)) for event in decision]
    records = [each for each in live.records if each.id in mine]
    for record in records:
        event = record.event
        assert isinstance(event, ItemEvent)
        if isinstance(event, ItemMoved):
            touched[moved_from(event)] = record.id, True
        touched[address_of(event.item)] = record.id, False
    found = tuple(Before(where, made, before.get(where), gone) for where, (made, gone) in touched.items())
    request = UnadoptRequest(ADOPTION.undoing(), owner, found, "taken back", records[0].seq)
    return request._replace(**fields)


def rows_of(rows: Rows, owner: Handle) -> dict[Address, ItemRow]:
    """An owner's rows as they are now."""
    return {address_of(found.row.item): found.row for found in items_of(rows, owner)}


def an_item(owner: Handle, text: str, quotes: Sequence[tuple[str, EventId]] = (), **fields: Any) -> Item:
    """An item in the town's guild."""
    evidence = tuple(Evidence(words, message, Ref("discord", "1")) for words, message in quotes)
    known: dict[str, Any] = {
        "id": derive("fact", text), "owner": owner, "compartment": HOME, "kind": "fact", "text": text,
        "created": NOW, "updated": NOW, "source": Source("discord"), "evidence": evidence,
    }  # fmt: skip
    return Item(**(known | fields))


def states(rows: Rows, owner: Handle) -> dict[tuple[str, str], tuple[Any, ...]]:
    """An owner's rows but for the event that made them."""
    return {(row.item.compartment, row.item.id): _state(row) for row in (each.row for each in items_of(rows, owner))}


def _state(row: ItemRow) -> tuple[Any, ...]:
    return row.tag, row.said, row.by, row.item, row.reason, row.policy, row.intent


def rests(made: World, row: ItemRow) -> tuple[EventId, ...]:
    """On what was said an item of the shadow rests."""
    events = {each.id: each.event for each in made.records}
    return said_behind((row.event,), events.get)
