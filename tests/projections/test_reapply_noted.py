"""What the answering model noted down at a person's word, applied again where another model made the items."""

from typing import Any

import pytest

from dnam.languages import load
from dnam.sharing import sharing_of
from projections.decisions.draft import Draft
from projections.decisions.noting import take_note
from projections.decisions.place import PlaceSeen
from projections.decisions.reapply import ReapplyRequest, reapply
from projections.decisions.remember import EditRequest, edit
from projections.events import Event, ItemEvent, ItemMoved, ItemUpserted, ToolCalled
from projections.events.values import By, Evidence, Item, Source
from projections.ids import NOBODY, EventId
from projections.items import ItemRow, items_of
from projections.policies.compartments import OWNER, everywhere, in_guild
from projections.policies.item_ids import derive
from projections.policies.learned_from import as_addressed
from projections.policies.resting import widening
from projections.rederiving.roles import is_by_tool, role_of
from tests.projections.test_tools import ADA, GENERAL, GUILD, MODEL, Talk, dm_of
from tests.world import NOW, handle, origin

OTHER = By("model", name="other", version="1")


class Both:
    """Two memories of what Ada says: in the live one the model that answers notes it down."""

    def __init__(self, place: PlaceSeen = GENERAL, besides: Any = ()) -> None:
        self.live, self.shadow = Talk(place, besides), Talk(place, besides)

    def says(self, text: str) -> EventId:
        self.shadow.says(text)
        return self.live.says(text).id

    def learns(self, text: str, *messages: EventId, talk: Talk | None = None) -> Item:
        """A model makes an item of messages: the live one, or another in a shadow."""
        talk = talk or self.live
        item = Item(
            id=derive("fact", text), owner=talk.person(), compartment=in_guild(GUILD), kind="fact", text=text,
            created=NOW, updated=NOW, source=Source("discord"), evidence=tuple(Evidence("", each) for each in messages),
        )  # fmt: skip
        by = MODEL if talk is self.live else OTHER
        made = EventId(handle(f"{by.name} {text}"))
        talk.world.record(Draft(made, ItemUpserted(said=NOW, by=by, causes=messages, item=item)))
        return item

    def notes(self, text: str, **more: Any) -> list[Event]:
        """It is noted down, and what came of that is applied in the shadow, twice."""
        drafts = take_note(self.live.rows, self.live.request(text, **more), as_addressed)
        records = [self.live.world.record(draft) for draft in drafts]
        events = [each.event for each in records]
        assert is_by_tool(events) != any(role_of(each) == "decided" for each in events)
        for each in records:
            if isinstance(each.event, ToolCalled):
                self.shadow.world.record(drafts[0])
        return [event for each in records for event in self.again(each, events)]

    def again(self, record: Any, events: list[Event]) -> list[Event]:
        if role_of(record.event) != "decided":
            return []
        beside = tuple(each for each in events if isinstance(each, ItemEvent) and each is not record.event)
        request = ReapplyRequest(record.event, record.id, origin(f"again {record.id.hex()}"), together=beside)
        rows = self.shadow.rows
        drafts = reapply(rows, request)
        there = {each.id: each.event for each in self.shadow.world.records} | {each.id: each.event for each in drafts}
        for draft in drafts:
            assert not widening(rows, draft.event, {each: there.get(each) for each in draft.event.causes})
            self.shadow.world.record(draft)
        assert reapply(rows, request) == []
        return [draft.event for draft in drafts]

    def active(self, talk: Talk | None = None) -> set[str]:
        return {row.item.text for row in self.rows(talk or self.shadow) if row.item.status == "active"}

    def rows(self, talk: Talk) -> list[ItemRow]:
        owners = (talk.person(), NOBODY)
        return [each.row for owner in owners for each in items_of(talk.rows, owner)]


def moved(both: Both, *theirs: str) -> tuple[Item, list[Event]]:
    """Ada lived in Lyon, of which the other model made something in its own words; and she moves."""
    said = both.says("I live in Lyon")
    old = both.learns("lives in Lyon", said)
    for text in theirs:
        both.learns(text, said, talk=both.shadow)
    both.says("I moved to Nantes")
    return old, both.notes("moved to Nantes", quote="I moved to Nantes", replaces=old.id)


@pytest.mark.parametrize(
    "theirs", [["resides in Lyon"], ["User lives in Lyon"], ["is at home in Lyon", "has a flat in Lyon"]]
)
def test_a_correction_by_talking_reaches_what_another_model_made_of_the_same(theirs: list[str]) -> None:
    both = Both()
    _, events = moved(both, *theirs)
    assert both.active() == {"moved to Nantes"}
    item = next(row.item for row in both.rows(both.shadow) if row.item.text == "moved to Nantes")
    assert set(item.supersedes) == {derive("fact", text) for text in theirs}
    assert all(each.by == MODEL for each in events)
    assert not item.kept


def test_what_is_known_of_the_same_messages_besides_stays() -> None:
    both = Both()
    moved(both, "resides in Lyon", "likes tea")
    assert both.active() == {"likes tea", "moved to Nantes"}


def test_where_nobody_says_it_the_words_are_known_as_what_holds_no_more() -> None:
    both = Both()
    old, _ = moved(both)
    assert both.active() == {"moved to Nantes"}
    (row,) = (row for row in both.rows(both.shadow) if row.item.id == old.id)
    assert (row.item.status, row.item.text) == ("deprecated", "lives in Lyon")
    assert row.item.updated > NOW


def test_among_the_same_items_it_comes_over_as_it_was() -> None:
    both = Both()
    said = both.says("I live in Lyon")
    old, _ = (both.learns("lives in Lyon", said, talk=talk) for talk in (both.live, both.shadow))
    for talk in (both.live, both.shadow):
        both.learns("has a flat in Lyon", said, talk=talk)
    both.says("I moved to Nantes")
    both.notes("moved to Nantes", quote="I moved to Nantes", replaces=old.id)
    live, shadow = ({row.item.id: row.item for row in both.rows(talk)} for talk in (both.live, both.shadow))
    assert live == shadow


def test_a_note_that_another_model_says_already_makes_one_of_both() -> None:
    both = Both()
    said = both.says("I own two bicycles")
    both.learns("Own two bicycles", said, talk=both.shadow)
    both.notes("own two bicycles", quote="I own two bicycles")
    (row,) = both.rows(both.shadow)
    assert (row.item.text, row.item.source_count) == ("Own two bicycles", 2)


def test_what_is_put_right_and_back_again_is_found_by_what_it_rested_on() -> None:
    both = Both()
    said = both.says("I live in Lyon")
    old = both.learns("lives in Lyon", said)
    both.learns("resides in Lyon", said, talk=both.shadow)
    person = both.live.person()
    by = By("person", person)
    request = EditRequest(person, old.id, "lives in Nantes", by, NOW + 1_500, origin("edit"))
    for draft in edit(both.live.rows, request):
        record = both.live.world.record(draft)
        both.again(record, [record.event])
    assert both.active() == {"lives in Nantes"}
    both.says("I lives in Lyon, after all")
    both.notes("lives in Lyon", quote="lives in Lyon", replaces=old.id)
    assert both.active(both.live) == {"lives in Lyon"}
    assert both.active() == {"lives in Lyon"}


def test_a_note_reaches_what_had_said_it_before_a_person_put_that_right() -> None:
    both = Both()
    said = both.says("I live in Lyon")
    both.learns("lives in Lyon", said)
    theirs = both.learns("resides in Lyon", said, talk=both.shadow)
    person = both.shadow.person()
    for number, text in enumerate(("lives in Lyon", "is at home in Nantes"), 1):
        by = By("person", person)
        request = EditRequest(person, theirs.id, text, by, NOW + 1_000 + number, origin(f"edit {number}"))
        for draft in edit(both.shadow.rows, request):
            both.shadow.world.record(draft)
    both.says("yes, lives in Lyon")
    both.notes("lives in Lyon")
    assert both.active() == {"lives in Lyon"}
    (row,) = both.rows(both.shadow)
    assert row.item.id == theirs.id


def test_a_note_that_confirms_takes_the_place_of_what_was_made_of_the_same_messages() -> None:
    both = Both()
    said = both.says("I live in Lyon")
    both.learns("lives in Lyon", said)
    both.learns("resides in Lyon", said, talk=both.shadow)
    both.says("yes, lives in Lyon")
    both.notes("lives in Lyon")
    assert both.active(both.live) == both.active() == {"lives in Lyon"}
    (row,) = both.rows(both.shadow)
    assert (row.item.id, len(row.item.evidence)) == (derive("fact", "resides in Lyon"), 2)


def test_what_follows_its_person_everywhere_does_so_here_too() -> None:
    both = Both()
    said = both.says("I prefer Python")
    both.learns("Prefers Python", said, talk=both.shadow)
    both.notes("I prefer Python", kind="preference", shareable=True, sharing=sharing_of(load("en")))
    held = {row.item.text: row.item.compartment for row in both.rows(both.shadow)}
    assert held["I prefer Python"] == everywhere(both.shadow.person())
    assert held["Prefers Python"] == in_guild(GUILD)


def test_what_is_no_more_when_it_would_follow_stays() -> None:
    both = Both()
    both.says("I prefer Python")
    request = both.live.request("I prefer Python", kind="preference", shareable=True, sharing=sharing_of(load("en")))
    *_, move = take_note(both.live.rows, request, as_addressed)
    assert isinstance(move.event, ItemMoved)
    assert reapply(both.shadow.rows, ReapplyRequest(move.event, move.id, origin("again"))) == []


def test_what_the_owner_has_noted_lies_where_only_the_owner_is() -> None:
    both = Both(dm_of(ADA), (OWNER,))
    both.says("the plan is two trains")
    both.notes("the plan is two trains", namespace="owner")
    (row,) = both.rows(both.shadow)
    assert (row.item.compartment, row.item.text) == (OWNER, "the plan is two trains")
