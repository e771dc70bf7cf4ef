"""Two memories of the same talk: in the live one people act, in the shadow their acts are applied again.

both = Both(live=[learned("likes tea")], shadow=[learned("likes green tea")])
told = both.act(forget, please_forget("likes tea"))     # what happened live, with its ids
drafts = both.again()                                   # what came of it in the shadow, folded
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from projections.decisions.draft import Draft
from projections.decisions.reapply import ReapplyRequest, reapply
from projections.events import Event, ItemEvent, ItemForgotten, ItemUpserted, SummaryReset
from projections.events.values import Item, Source
from projections.fold import Record
from projections.ids import EventId
from projections.items import ItemRow, forgotten_of, items_of
from projections.policies.human_acts import read_human, takes_apart
from projections.policies.meant import seen_in
from projections.policies.refusals import Claim, refusal
from projections.policies.resting import widening
from projections.policies.text import normalise
from tests.projections.items import ANN, HOME, MODEL, PERSON, an_item, message, quote
from tests.world import World, handle, origin

LEARNED = Source("discord")


def learned(text: str, *messages: str, **fields: Any) -> Item:
    """An item that a model made; it rests on these messages."""
    evidence = tuple(quote(f"{text} in {each}", each) for each in messages)
    return an_item(text, source=LEARNED, evidence=evidence, **fields)


def teach(world: World, name: str, *items: Item) -> None:
    """These items are there, as a model's work, with the messages that they rest on. Ids are of the memory's name."""
    know(world, *(each.message for item in items for each in item.evidence if each.message))
    for item in items:
        made = EventId(handle(f"{name} {item.compartment} {item.id}"))
        world.record(Draft(made, ItemUpserted(said=item.updated, by=MODEL, item=item)))


def know(world: World, *events: EventId) -> None:
    """These were recorded."""
    world.ids.seen |= dict.fromkeys(events, "known")


class Both:
    """The two memories, and what people did in the live one since the shadow was last looked at."""

    def __init__(self, live: Iterable[Item] = (), shadow: Iterable[Item] = (), messages: Iterable[str] = ()) -> None:
        self.live, self.shadow = World(), World()
        teach(self.live, "live", *live)
        teach(self.shadow, "shadow", *shadow)
        for world in (self.live, self.shadow):
            know(world, *map(message, messages))
        self.waiting: list[list[Record]] = []
        self.told = 0

    def act(self, decision: Callable[..., Sequence[Draft]], request: Any) -> list[Record]:
        """Somebody does something in the live memory."""
        made = [self.live.record(draft) for draft in decision(self.live.rows, request)]
        self.waiting.append(made)
        return made

    def tell(self, *events: Event) -> list[Record]:
        """Something was recorded in the live memory."""
        made = [self.live.record(Draft(self._named(), each)) for each in events]
        self.waiting.append(made)
        return made

    def copy(self, event: Event) -> EventId:
        """Something was said, and is in both."""
        made = self._named()
        for world in (self.live, self.shadow):
            world.record(Draft(made, event))
        return made

    def _named(self) -> EventId:
        self.told += 1
        return EventId(handle(f"told {self.told}"))

    def again(self, *, together: bool = True) -> list[Draft]:
        """What people did is applied in the shadow, each act twice: the second time nothing comes of it."""
        found = [draft for made in self.waiting for each in made for draft in self._again(each, made, together)]
        self.waiting = []
        return found

    def _again(self, record: Record, made: Sequence[Record], together: bool) -> list[Draft]:
        if not isinstance(record.event, ItemEvent | SummaryReset) or not read_human(record.event):
            return []
        beside = [each.event for each in made if together and isinstance(each.event, ItemEvent) and each != record]
        request = please_reapply(record, together=tuple(beside), held=self._was_held(record.event))
        drafts = reapply(self.shadow.rows, request)
        assert all(self._may_be_recorded(draft, drafts) for draft in drafts)
        for draft in drafts:
            self.shadow.record(draft)
        assert reapply(self.shadow.rows, request) == []
        return drafts

    def _was_held(self, event: ItemEvent | SummaryReset) -> bool:
        """Whether what they took back was active until then."""
        if not isinstance(event, ItemForgotten):
            return True
        left = (each.event for each in self.live.records if each.id in event.causes[-1:])
        return all(isinstance(each, ItemEvent) and each.item.status == "active" for each in left)

    def _may_be_recorded(self, draft: Draft, drafts: Sequence[Draft]) -> bool:
        """Whether an engine takes this: its causes are there, and it is open to no more people than they are. And what
        is not as it was recorded quotes no message but what it comes of, so that the quote goes with the message.
        """
        there = {each.id: each.event for each in self.shadow.records} | {each.id: each.event for each in drafts}
        causes = {each: there.get(each) for each in draft.event.causes}
        known = all(each in there or self.shadow.ids.status(each) == "known" for each in causes)
        quotes = draft.natural or quotes_only(draft.event, causes)
        return known and quotes and not widening(self.shadow.rows, draft.event, causes)

    def says(self, text: str, compartment: str = HOME) -> list[ItemRow]:
        """The shadow's items that say this, in one compartment; active ones first."""
        found = (each.row for each in items_of(self.shadow.rows, ANN))
        rows = [row for row in found if (row.item.text, row.item.compartment) == (text, compartment)]
        return sorted(rows, key=lambda row: row.item.status != "active")

    def active(self) -> set[tuple[str, str]]:
        """Compartment and text of what is active in the shadow."""
        return active(self.shadow)

    def refuses(self, text: str) -> bool:
        """Whether a model may not say this in the shadow again."""
        return refuses(self.shadow, text)


def active(world: World) -> set[tuple[str, str]]:
    items = (each.row.item for each in items_of(world.rows, ANN))
    return {(item.compartment, item.text) for item in items if item.status == "active"}


def refuses(world: World, text: str) -> bool:
    forgotten = [each.row for each in forgotten_of(world.rows, ANN)]
    return refusal(world.rows, forgotten, Claim(frozenset(), text, ())) is not None


def quotes_only(event: Event, causes: Mapping[EventId, Event | None]) -> bool:
    """Whether an item's event quotes only messages that it comes of: at once, or by an item's event before it."""
    if not isinstance(event, ItemEvent):
        return True
    before = {each.message for cause in causes.values() if isinstance(cause, ItemEvent) for each in cause.item.evidence}
    saw = event.intent.saw if event.intent is not None else None
    unquoted = event.by != PERSON or saw is None or not any(each.quote for each in saw.evidence)
    return unquoted and {each.message for each in event.item.evidence if each.message} <= before | set(causes)


def please_reapply(record: Record, **fields: Any) -> ReapplyRequest:
    assert isinstance(record.event, ItemEvent | SummaryReset)
    return ReapplyRequest(record.event, record.id, origin(f"again {record.id.hex()}"))._replace(**fields)


def reasons(drafts: Iterable[Draft]) -> list[str]:
    """Why, event by event."""
    return [draft.event.reason for draft in drafts if isinstance(draft.event, ItemEvent)]


def tags(drafts: Iterable[Draft]) -> list[str]:
    return [draft.event.TAG for draft in drafts]


def holds(world: World, record: Record, live: World) -> bool:
    """Whether an act has its effect. Of what was brought back: whether anything that is there by that is. What says in
    the live memory, too, what they took back is not what they took back.
    """
    event = record.event
    assert isinstance(event, ItemEvent)
    seen, item = seen_in(event), event.item
    said = _said(world)
    is_seen_here = (seen.compartment, normalise(seen.text)) in said
    match event.TAG:
        case "item.forgotten":
            is_beside = (seen.compartment, normalise(seen.text)) in _said(live)
            return refuses(world, seen.text) and (is_beside or not is_seen_here)
        case "item.reverted" if item.status != "active":
            return not is_seen_here
        case "item.moved" if takes_apart(event):
            return item.compartment in {compartment for compartment, _ in said}
        case "item.moved" if item.compartment == HOME:
            return not is_seen_here
        case "item.restored":
            return any(
                each.row.tag == "item.restored" and each.row.said >= event.said for each in items_of(world.rows, ANN)
            )
        case _:
            return (item.compartment, normalise(item.text)) in said


def _said(world: World) -> set[tuple[str, str]]:
    return {(compartment, normalise(text)) for compartment, text in active(world)}


def kept_alike(one: World, other: World) -> bool:
    """Whether two memories say the same of each item, and refuse the same."""
    return _state(one) == _state(other)


def _state(world: World) -> object:
    items = {
        (each.row.item.compartment, each.row.item.id): (each.row.item, each.row.tag, each.row.intent)
        for each in items_of(world.rows, ANN)
    }
    forgotten = {each.key: each.row.text for each in forgotten_of(world.rows, ANN)}
    return items, forgotten


def same_but(item: Item, **fields: Any) -> Item:
    return msgspec.structs.replace(item, **fields)
