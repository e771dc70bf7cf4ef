"""A town in which reverts happen: what the log is asked while one is decided, and the revert of an event by its id.

town = Reverting()
town.learned("User likes green tea.")
town.revert(town.last("extraction.answered"))
town.undo()
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from dnam.languages import load
from dnam.sharing import sharing_of
from projections.decisions import revert as reverts
from projections.decisions import revert_summaries as summaries
from projections.decisions.audience import AudienceRequest, change_audience
from projections.decisions.came_of import CameOf, came_of
from projections.decisions.draft import Draft
from projections.decisions.remember import EditRequest, ForgetRequest, edit, forget
from projections.decisions.reversal import Reversal, reversal
from projections.decisions.revert import RevertRequest
from projections.events import Event, ItemEvent, ItemMoved
from projections.events.values import By
from projections.fold import AnyProjection, Record
from projections.ids import EventId, Handle, Point
from projections.items import ITEMS, ItemRow
from projections.messages import MessageRow, find_message
from projections.policies.compartments import Opening, of_person_in
from projections.rows import Rows
from projections.summaries import SUMMARY_ATTEMPTS, AttemptRow
from tests.projections.learning import GENERAL, HERE, LATER, Town
from tests.world import World, origin

WORK = "extraction.answered"
SHARING = sharing_of(load("en"))


class WorldChronicle:
    """The records of a world as a chronicle. `decisions` are those that more than one event was recorded in."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.decisions: list[list[EventId]] = []
        self.hidden: set[EventId] = set()

    def find(self, event: EventId) -> Record | None:
        return next((each for each in self._readable() if each.id == event), None)

    def tag(self, event: EventId) -> str:
        return next((each.event.TAG for each in self._world.records if each.id == event), "")

    def touched(self, rows: Rows, projection: AnyProjection, key: bytes) -> list[Record]:
        seen = (each for each in self._readable() if isinstance(each.event, projection.sees))
        return [each for each in seen if key in dict(projection.rows(each))]

    def ever(self, rows: Rows, projection: AnyProjection) -> Iterator[Record]:
        return (each for each in self._readable() if isinstance(each.event, projection.sees))

    def decision(self, event: EventId) -> list[Record]:
        ids = next((each for each in self.decisions if event in each), [event])
        return [each for each in map(self.find, ids) if each is not None]

    def _readable(self) -> list[Record]:
        status = self._world.rows.ids.status
        return [each for each in self._world.records if status(each.id) == "known" and each.id not in self.hidden]


class Reverting(Town):
    """A town in which what came of an event can be taken back."""

    def __init__(self) -> None:
        super().__init__()
        self.chronicle = WorldChronicle(self.world)
        self.cap = 200
        self.reverted: Record | None = None

    def message(self, point: Point) -> MessageRow | None:
        """What was said, here or in the lounge."""
        found = find_message(self.rows, "discord:channel:8", 0, point)
        return super().message(point) if found is None else found.row

    # -- looking -----------------------------------------------------------------------------------------------------

    def last(self, tag: str) -> EventId:
        return next(each.id for each in reversed(self.world.records) if tag == each.event.TAG)

    def came_of(self, *events: EventId) -> CameOf:
        return came_of(self.rows, self.chronicle, events)

    def tags(self, *events: EventId) -> list[str]:
        found = self.came_of(*events)
        return sorted(each.event.TAG for each in (*found.items.values(), *found.summaries.values()))

    def becomes(self, *events: EventId) -> Reversal:
        """What would become of everything."""
        undone = reverts.undone_by_reverting(self.rows, self.chronicle, tuple(self.came_of(*events).items), None)
        return reversal(self.rows, self.chronicle, undone)

    def left(self, *events: EventId) -> dict[str, str]:
        return {each.row.item.text: each.reason for each in self.becomes(*events).left}

    def state(self) -> dict[bytes, Any]:
        """Every item's row, whatever event had made it."""
        rows = ((found.key, found.row) for found in self.rows.scan(ITEMS))
        return {key: msgspec.structs.replace(row, event=EventId(b"")) for key, row in rows}

    # -- reverting ---------------------------------------------------------------------------------------------------

    def revert(self, *events: EventId, what: str = "what came of #1") -> list[Event]:
        found = self.came_of(*events)
        return self._all(reverts.revert, tuple(found.items), what)

    def undo(self, record: Record | None = None) -> list[Event]:
        record = record or self.reverted
        assert record is not None
        what = reverts.what_was_reverted(record)
        found = reverts.events_of_revert(self.rows, self.chronicle, what, record)
        return self._all(reverts.undo_revert, tuple(each.id for each in found), what)

    def _all(self, decide: Callable[..., list[Draft]], events: tuple[EventId, ...], what: str) -> list[Event]:
        made: list[Event] = []
        for owner in (self.ada, Handle(b"")):
            while recorded := self.decided(decide, self.request(owner, events, what)):
                first = recorded[0]
                if isinstance(first.event, ItemEvent) and first.event.policy == reverts.VERSION:
                    self.reverted = first if not made else self.reverted
                made += [each.event for each in recorded]
        return made

    def request(self, owner: Handle, events: tuple[EventId, ...], what: str = "what came of #1") -> RevertRequest:
        seed = origin(f"revert {len(self.world.records)}")
        return RevertRequest(owner, events, what, LATER, seed, self.cap, known=self.guarding.rephrasing)

    def decided(self, decide: Callable[..., list[Draft]], request: RevertRequest) -> list[Record]:
        """What one decision records."""
        recorded = [self.world.record(draft) for draft in decide(self.rows, self.chronicle, request)]
        self.chronicle.decisions.append([each.id for each in recorded])
        return recorded

    # -- summaries ---------------------------------------------------------------------------------------------------

    def revert_summary(self, *events: EventId, what: str = "what came of #1") -> list[Event]:
        found = tuple(self.came_of(*events).summaries)
        return self._summary(summaries.revert_summary, found, what, reverted=False)

    def attempt(self) -> AttemptRow:
        (found,) = self.rows.scan(SUMMARY_ATTEMPTS)
        row: AttemptRow = found.row
        return row

    def summaries_left(self, *events: EventId) -> list[str]:
        records = self.came_of(*events).summaries.values()
        return [each.reason for each in summaries.summaries_reversal(self.rows, self.chronicle, records)[1]]

    def undo_summary(self, what: str = "what came of #1") -> list[Event]:
        found = summaries.summary_events_of_revert(self.rows, self.chronicle, what)
        return self._summary(summaries.undo_revert_summary, tuple(each.id for each in found), what, reverted=True)

    def _summary(
        self, decide: Callable[..., list[Draft]], events: tuple[EventId, ...], what: str, *, reverted: bool
    ) -> list[Event]:
        records = [each for each in map(self.chronicle.find, events) if each is not None]
        changes, _ = summaries.summaries_reversal(self.rows, self.chronicle, records, reverts=reverted)
        made: list[Event] = []
        for change in changes:
            drafts = decide(self.rows, self.chronicle, change.key, self.request(Handle(b""), events, what))
            made += [self.world.record(each).event for each in drafts]
        return made


def teaches(town: Reverting, said: str, text: str, **fields: Any) -> Point:
    """Something is said, and learned as the model has it."""
    point = town.says(said)
    town.reads([point], {"text": text, "evidence": said, **fields})
    return point


def changes(town: Reverting, words: str, said: str, text: str) -> Point:
    """A model says of the item with these words that it is otherwise."""
    return teaches(town, said, text, id=town.item(words).item.id)


def reads_two(town: Reverting) -> None:
    """What a model makes of a message about tea and a cat: it changes one item, and adds another."""
    said = "tea for the cat"
    tea = {"id": town.item("tea").item.id, "text": "User hates tea.", "evidence": said}
    town.reads([town.says(said)], tea, {"text": "User is a cat.", "evidence": said})


def edits(town: Reverting, words: str, text: str) -> None:
    row = town.item(words)
    by = By("person", town.ada)
    town.world.decide(edit, EditRequest(town.ada, row.item.id, text, by, LATER, origin(f"edit {text}")))


def forgets(town: Reverting, words: str) -> None:
    row = town.item(words)
    here = (Opening(row.item.owner, row.item.compartment),)
    request = ForgetRequest(
        row.item.owner, here, By("person", town.ada), LATER, origin(f"forget {words}"), id=row.item.id
    )
    town.world.decide(forget, request)


def same(row: ItemRow) -> ItemRow:
    return msgspec.structs.replace(row, event=EventId(b""))


def narrows(town: Reverting) -> None:
    seen = GENERAL._replace(audience="channel")
    town.world.decide(change_audience, AudienceRequest(seen, LATER, origin(f"narrower {len(town.world.records)}")))


def in_channel(town: Reverting) -> str:
    return of_person_in(town.ada, HERE.place)


def promotes(town: Reverting, said: str, text: str) -> bool:
    """Something is learned, and the model wants it to be known everywhere; whether it is."""
    entry = {"kind": "preference", "type": "semantic", "text": text, "evidence": said, "shareable": True}
    work, request = town.extraction([town.says(said)], {**entry, "confidence": 0.95})
    return ItemMoved in map(type, town.learns(work, request._replace(sharing=SHARING)))
