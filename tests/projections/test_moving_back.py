"""A move that had made one of two is taken back: both are there again, each as it was before."""

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.decisions.moving import MoveRequest, keeping_private, move
from projections.decisions.moving_back import AS_ONE, move_back
from projections.decisions.reapply import reapply
from projections.decisions.remember import forget, remember
from projections.decisions.undoing import undoing
from projections.errors import BadRequest
from projections.events import Event, ItemEvicted, ItemForgotten, ItemMoved, ItemRedacted, ItemReverted, ItemUpserted
from projections.events.values import Intent, Item
from projections.ids import Ref
from projections.items import ITEMS, ItemRow, forgotten_of, item_key, items_of
from projections.lives import Life, lives
from projections.policies.compartments import Opening, in_guild
from projections.policies.item_ids import fresh_id
from projections.policies.resting import widening
from projections.policies.text import normalise
from tests.projections.items import ANN, HOME, MODEL, PERSON, WIDE, an_item, message, quote, row_of, there_is
from tests.projections.reverting import WorldChronicle
from tests.projections.shadowed import Both, kept_alike, learned, please_reapply, same_but, tags, teach
from tests.projections.test_moving import please_share
from tests.projections.test_remember import LATER, please_forget, please_remember
from tests.world import NOW, World, origin

GUILD = in_guild(Ref("discord", "9"))
TEA = an_item("likes tea", evidence=(quote("tea!"),), tags=("drink",), confidence=700, updated=NOW + 3)
THERE = an_item("likes tea", compartment=WIDE, evidence=(quote("tea?"),), source_count=2, supersedes=("old",))


def back(world: World, cap: int = 200, **fields: Any) -> list[Event]:
    """The item that lies everywhere goes back into direct messages."""
    named = {"id": TEA.id, "to": HOME, "openings": (Opening(ANN, WIDE),)} | fields
    request = keeping_private(ANN, "", PERSON, NOW + 9, origin(f"back {len(world.records)}"))._replace(**named)
    return decided(world, request, cap)


def decided(world: World, request: MoveRequest, cap: int = 200) -> list[Event]:
    """What is decided, as far as an engine takes it."""
    made: list[Event] = []
    for draft in undoing(move_back(world.rows, WorldChronicle(world), request, cap)):
        events = {each.id: each.event for each in world.records}
        assert not widening(world.rows, draft.event, {cause: events.get(cause) for cause in draft.event.causes})
        made.append(world.record(draft).event)
    assert move_back(world.rows, WorldChronicle(world), request, cap) == []
    return made


def said(world: World) -> dict[bytes, Any]:
    """Every item's row, but for the event that made it and what a move says of itself."""
    return {each.key: msgspec.structs.replace(each.row.item, updated=0) for each in items_of(world.rows, ANN)}


def lies(world: World, where: str, item_id: str = TEA.id) -> ItemRow:
    row = world.rows.get(ITEMS, item_key(ANN, where, item_id))
    assert row is not None
    return row


def shared(*items: Item) -> World:
    world = World()
    there_is(world, *items)
    world.decide(move, please_share())
    return world


def test_both_are_as_they_were_and_the_one_that_stayed_says_again_how_it_had_come_to_be_so() -> None:
    world = World()
    there_is(world, TEA, THERE)
    before, mine, its = said(world), lies(world, HOME), lies(world, WIDE)
    world.decide(move, please_share())
    one = row_of(world, "likes tea")
    moved, again = back(world)
    assert isinstance(moved, ItemMoved)
    assert isinstance(again, ItemReverted)
    assert said(world) == before
    assert (moved.item, moved.causes) == (msgspec.structs.replace(mine.item, updated=NOW + 9), (one.event,))
    assert (moved.intent and moved.intent.undoes, moved.policy[:13]) == (True, "moving-back@4")
    assert again.causes == (one.event, its.event)
    assert again.reason == "asked by the person; it is an item of its own again"
    assert msgspec.structs.replace(lies(world, WIDE), event=its.event) == its


ROWS = st.lists(
    st.builds(
        lambda text, where, status, count, given: an_item(
            text, compartment=where, status=status, source_count=count, **given
        ),
        st.sampled_from(("likes tea", "Likes TEA", "likes coffee")),
        st.sampled_from((HOME, WIDE, GUILD)),
        st.sampled_from(("active", "active", "deprecated", "evicted")),
        st.integers(1, 9),
        st.sampled_from(({}, {}, {"id": TEA.id}, {"id": "durable-given"})),
    ),
    max_size=6,
)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(ROWS, st.sampled_from((HOME, GUILD)), st.sampled_from((WIDE, HOME)))
def test_whatever_lies_where_a_move_that_is_taken_back_changes_nothing(items: list[Item], come: str, to: str) -> None:
    world = World()
    once = {(each.compartment, normalise(each.text)): each for each in items}.values()
    there_is(world, *{(each.compartment, each.id): each for each in once}.values())
    before = said(world)
    for row in [each.row for each in items_of(world.rows, ANN) if each.row.item.compartment == come]:
        if row.item.status != "active" or come == to:
            continue
        asked = MoveRequest(ANN, row.item.id, to, "share", PERSON, NOW + 5, origin("go"), (Opening(ANN, come),))
        (event,) = world.decide(move, asked)
        assert isinstance(event, ItemMoved)
        now, here = event.item, (Opening(ANN, to),)
        decided(world, asked._replace(id=now.id, to=come, origin=origin(f"back {len(world.records)}"), openings=here))
        break
    assert said(world) == before


def test_the_messages_that_it_quotes_are_among_what_it_comes_of_so_that_it_goes_with_them() -> None:
    world = World()
    known = [each.message for each in (*TEA.evidence, *THERE.evidence)]
    world.ids.seen |= dict.fromkeys(known, "known")
    there_is(world, TEA, THERE)
    world.decide(move, please_share())
    assert back(world)[1].causes[2:] == (THERE.evidence[0].message,)


def test_where_nothing_lay_it_moves_back_as_it_is() -> None:
    world = shared(TEA)
    (event,) = back(world)
    assert isinstance(event, ItemMoved)
    assert event.reason == "asked by the person"
    assert list(said(world).values()) == [msgspec.structs.replace(TEA, updated=0)]


def test_what_did_not_come_from_there_goes_there_all_the_same() -> None:
    world = World()
    there_is(world, THERE)
    assert tags_of(back(world)) == ["item.moved"]
    assert back(world, to=WIDE, openings=(Opening(ANN, HOME),))[0].TAG == "item.moved"
    with pytest.raises(BadRequest, match="there is no item"):
        back(world, id="durable-x")


def tags_of(events: list[Event]) -> list[str]:
    return [each.TAG for each in events]


def test_decided_before_nothing_comes_of_it() -> None:
    world = shared(TEA, THERE)
    request = keeping_private(ANN, TEA.id, PERSON, NOW + 9, origin("once"))
    assert len(decided(world, request)) == 2
    assert move_back(world.rows, WorldChronicle(world), request, 200) == []


def test_what_was_said_of_both_since_comes_back_with_the_one_and_the_other_is_as_it_was() -> None:
    world = shared(TEA, THERE)
    one = row_of(world, "likes tea").item
    later = msgspec.structs.replace(one, evidence=(*one.evidence, quote("tea indeed")), updated=NOW + 7)
    world.add(ItemUpserted(said=NOW + 7, by=MODEL, item=later))
    moved, _ = back(world)
    assert isinstance(moved, ItemMoved)
    assert [each.quote for each in moved.item.evidence] == ["tea?", "tea!", "tea indeed"]
    assert lies(world, WIDE).item == THERE


def test_a_move_that_was_taken_back_is_no_more_to_take_back() -> None:
    world = shared(TEA, THERE)
    back(world)
    here = (Opening(ANN, HOME),)
    assert tags_of(back(world, to=WIDE, openings=here)) == ["item.moved"]
    assert tags_of(back(world)) == ["item.moved", "item.reverted"]
    assert lies(world, WIDE).item == THERE


@pytest.mark.parametrize("status", ["deprecated", "evicted"])
def test_what_did_not_hold_any_more_does_not_hold_again(status: Any) -> None:
    world = World()
    there_is(world, TEA, msgspec.structs.replace(THERE, status=status))
    before = said(world)
    world.decide(move, please_share())
    assert tags_of(back(world)) == ["item.moved", "item.reverted"]
    assert said(world) == before


def test_what_was_taken_back_is_refused_again() -> None:
    world = World()
    there_is(world, THERE)
    world.decide(forget, please_forget(item_id=TEA.id, openings=(Opening(ANN, WIDE),), said=NOW + 1))
    there_is(world, TEA)
    before, refused = said(world), [each.row for each in forgotten_of(world.rows, ANN)]
    world.decide(move, please_share())
    assert list(forgotten_of(world.rows, ANN)) == []
    _, again = back(world)
    assert isinstance(again, ItemForgotten)
    assert said(world) == before
    (now,) = (each.row for each in forgotten_of(world.rows, ANN))
    assert (now.text, now.compartment, refused[0].was[0]) == ("likes tea", WIDE, now.was[0])


def test_what_left_recall_with_it_stays_out_also_where_words_of_it_went_since() -> None:
    quiet, was = message("quiet"), message("was")
    world = World()
    gone = msgspec.structs.replace(THERE, status="forgotten", evidence=())
    world.add(ItemRedacted(said=NOW, by=MODEL, item=gone, refuses=True, was=(was,), quiet=(quiet,)))
    there_is(world, TEA)
    world.decide(move, please_share())
    _, again = back(world)
    assert isinstance(again, ItemForgotten)
    assert (again.quiet, again.causes[0]) == ((quiet,), was)
    assert lies(world, WIDE).item == gone


@pytest.mark.parametrize("readable", [(), (msgspec.structs.replace(THERE, text="likes coffee"),)])
def test_what_cannot_be_read_any_more_comes_along_and_that_is_said(readable: tuple[Item, ...]) -> None:
    world = World()
    there_is(world, *readable, THERE, TEA)
    hidden = world.records[len(readable)].id
    world.decide(move, please_share())
    chronicle = WorldChronicle(world)
    chronicle.hidden.add(hidden)
    asked = keeping_private(ANN, TEA.id, PERSON, NOW + 9, origin("x"))
    (draft,) = move_back(world.rows, chronicle, asked, 200)
    assert isinstance(draft.event, ItemMoved)
    assert draft.event.reason == f"asked by the person; {AS_ONE}"
    assert draft.event.item.source_count == 3


def test_what_one_act_brought_together_comes_apart_as_one_act() -> None:
    world = World()
    there_is(world, an_item("likes tea", compartment=GUILD), TEA)
    before = said(world)
    drafts = move(world.rows, please_share())
    chronicle = WorldChronicle(world)
    chronicle.decisions.append([world.record(each).id for each in drafts])
    assert len(drafts) == 2
    last = drafts[-1].event
    assert isinstance(last, ItemMoved)
    asked = keeping_private(ANN, TEA.id, PERSON, NOW + 9, origin("x"))._replace(to=last.from_compartment)
    made = [world.record(each).event for each in move_back(world.rows, chronicle, asked, 200)]
    assert tags_of(made) == ["item.moved", "item.reverted", "item.moved"]
    assert said(world) == before


def test_one_too_many_makes_room() -> None:
    world = World()
    there_is(world, TEA, THERE, an_item("hates rain", updated=NOW - 1))
    world.decide(move, please_share())
    *_, gone = back(world, cap=2)
    assert isinstance(gone, ItemEvicted)
    assert (gone.item.text, len(gone.causes)) == ("hates rain", 2)


class TestWhatLiesThereByNow:
    def test_what_says_the_same_becomes_one_with_it(self) -> None:
        world = shared(TEA, THERE)
        there_is(world, an_item("likes tea", evidence=(quote("tea, of course"),), source_count=4))
        moved, _ = back(world)
        assert isinstance(moved, ItemMoved)
        assert (moved.item.source_count, len(moved.causes)) == (5, 2)

    def test_what_says_something_else_keeps_its_id(self) -> None:
        world = shared(TEA, THERE)
        there_is(world, an_item("likes hot tea", id=TEA.id))
        moved, _ = back(world)
        assert isinstance(moved, ItemMoved)
        assert moved.item.id != TEA.id
        assert lies(world, HOME).item.text == "likes hot tea"
        assert lies(world, HOME, moved.item.id).item.text == "likes tea"

    @pytest.mark.parametrize("item_id", [TEA.id, "durable-theirs"])
    @pytest.mark.parametrize("status", ["deprecated", "evicted"])
    def test_so_does_what_is_not_held_any_more(self, status: Any, item_id: str) -> None:
        world = shared(TEA, THERE)
        there_is(world, an_item("likes tea", id=item_id, status=status, source_count=4))
        moved, _ = back(world)
        assert isinstance(moved, ItemMoved)
        assert (moved.item.id, moved.item.source_count, len(moved.causes)) == (item_id, 5, 2)
        assert [each.quote for each in lies(world, HOME, item_id).item.evidence] == ["tea!"]

    def test_what_was_forgotten_there_is_refused_again_where_that_is_taken_back(self) -> None:
        world = shared(TEA, THERE)
        there_is(world, an_item("likes tea", evidence=(quote("tee"),)))
        world.decide(forget, please_forget(item_id=TEA.id, openings=(Opening(ANN, HOME),), said=NOW + 6))
        forgotten = lies(world, HOME).item
        back(world)
        assert list(forgotten_of(world.rows, ANN)) == []
        back(world, to=WIDE, openings=(Opening(ANN, HOME),))
        assert lies(world, HOME).item == forgotten
        assert [each.row.text for each in forgotten_of(world.rows, ANN)] == ["likes tea"]

    @pytest.mark.parametrize("status", ["active", "forgotten", "deprecated"])
    def test_what_says_something_else_stays_whether_it_is_held_or_not(self, status: Any) -> None:
        world = shared(TEA, THERE)
        coffee = an_item("likes coffee", id=TEA.id, status=status)
        there_is(world, coffee)
        moved, _ = back(world)
        assert isinstance(moved, ItemMoved)
        assert moved.reason == f"asked by the person; {TEA.id} says something else there"
        assert lies(world, HOME).item == coffee
        assert lies(world, HOME, moved.item.id).item.text == "likes tea"


class TestWhatGotAnotherId:
    """Something else had its id where it came to."""

    COFFEE = an_item("likes coffee", compartment=WIDE, id=TEA.id)
    LONGER = fresh_id("fact", "likes tea", {TEA.id})

    def test_it_has_its_own_again_where_it_lay(self) -> None:
        world = World()
        there_is(world, TEA, self.COFFEE)
        before = said(world)
        world.decide(move, please_share())
        (event,) = back(world, id=self.LONGER)
        assert isinstance(event, ItemMoved)
        assert said(world) == before
        assert (event.from_id, event.item.id, event.policy[:13]) == (self.LONGER, TEA.id, "moving-back@4")
        assert event.reason == "asked by the person"

    def test_taken_back_itself_it_has_the_other_one_again(self) -> None:
        world = shared(TEA, self.COFFEE)
        before = said(world)
        back(world, id=self.LONGER)
        back(world, to=WIDE, openings=(Opening(ANN, HOME),))
        assert said(world) == before

    def test_what_lies_there_by_now_keeps_the_id(self) -> None:
        world = shared(TEA, self.COFFEE)
        there_is(world, an_item("likes cocoa", id=TEA.id))
        (event,) = back(world, id=self.LONGER)
        assert isinstance(event, ItemMoved)
        assert (event.item.id, event.item.text) == (self.LONGER, "likes tea")
        assert lies(world, HOME).item.text == "likes cocoa"

    def test_both_have_their_lives(self) -> None:
        world = shared(TEA, self.COFFEE)
        keys = {item_key(ANN, where, each) for where in (HOME, WIDE) for each in (TEA.id, self.LONGER)}
        found = {life.address.id: life for life in lives(world.records, keys)}
        assert [[step.happened for step in found[each].steps] for each in (TEA.id, self.LONGER)] == [
            ["remembered"],
            ["remembered", "moved"],
        ]
        assert [step.before for step in found[self.LONGER].steps] == [None, TEA]


class TestLives:
    def lived(self, world: World) -> dict[str, Life]:
        keys = {item_key(ANN, where, TEA.id) for where in (HOME, WIDE)}
        return {life.address.compartment: life for life in lives(world.records, keys)}

    def test_each_of_the_two_has_its_own_past(self) -> None:
        world = World()
        there_is(world, THERE, TEA)
        world.decide(move, please_share())
        one = lies(world, WIDE).item
        world.add(ItemUpserted(said=NOW + 7, by=PERSON, item=one, intent=Intent("edit")))
        back(world)
        found = self.lived(world)
        assert [[step.record.seq for step in found[where].steps] for where in (HOME, WIDE)] == [
            [2, 3, 4, 5],
            [1, 3, 4, 6],
        ]
        assert [step.before for step in found[WIDE].steps] == [None, THERE, one, one]
        assert [step.after for step in found[WIDE].steps][-1] == THERE
        assert [step.happened for step in found[WIDE].steps][-1] == "reverted"
        assert found[HOME].steps[1].before == TEA

    def test_where_one_did_not_come_of_two_the_past_is_its_own(self) -> None:
        world = shared(TEA)
        back(world)
        there_is(world, THERE)
        found = self.lived(world)
        assert [len(found[where].steps) for where in (HOME, WIDE)] == [3, 1]

    def test_what_moved_away_as_one_and_left_something_behind_is_one(self) -> None:
        world = shared(TEA, THERE)
        one = lies(world, WIDE).item
        gone = msgspec.structs.replace(one, compartment=GUILD)
        world.add(
            ItemMoved(said=NOW + 8, by=PERSON, item=gone, from_compartment=WIDE, from_id=TEA.id),
            ItemUpserted(said=NOW + 8, by=PERSON, item=THERE),
        )
        keys = {item_key(ANN, where, TEA.id) for where in (HOME, WIDE, GUILD)}
        assert [len(life.steps) for life in lives(world.records, keys)] == [4, 1]


class TestAgain:
    """Applied again where a memory is made anew."""

    def both(self, shadow: list[Item]) -> Both:
        both = Both([learned("likes tea", "m1"), learned("likes tea", "m2", compartment=WIDE)], shadow, ["m1", "m2"])
        both.act(move, please_share(said=LATER))
        asked = keeping_private(ANN, TEA.id, PERSON, LATER + 1, origin("back"))
        both.act(lambda rows, request: undoing(move_back(rows, WorldChronicle(both.live), request, 200)), asked)
        return both

    def test_among_the_same_items_it_is_the_same(self) -> None:
        both = self.both([learned("likes tea", "m1"), learned("likes tea", "m2", compartment=WIDE)])
        told = [each.id for made in both.waiting for each in made]
        assert [draft.id for draft in both.again()] == told
        assert kept_alike(both.live, both.shadow)

    def test_an_undo_that_is_undone_is_the_same_with_all_that_it_rests_on(self) -> None:
        made = [learned("likes tea", compartment=GUILD), learned("likes tea", "m1", "m2", compartment=WIDE)]
        both = Both(made, made, ["m1", "m2"])

        def goes(start: str, to: str, number: int, *, is_back: bool = False) -> None:
            made, here = origin(f"go {number}"), (Opening(ANN, start),)
            asked = MoveRequest(ANN, TEA.id, to, "share", PERSON, LATER + number, made, here)
            if is_back:
                both.act(lambda rows, request: undoing(move_back(rows, WorldChronicle(both.live), request, 200)), asked)
            else:
                both.act(move, asked)

        goes(GUILD, WIDE, 1)
        both.act(remember, please_remember("likes tea", said=LATER + 2, compartment=GUILD))
        goes(WIDE, GUILD, 3, is_back=True)
        goes(WIDE, HOME, 4)
        goes(GUILD, WIDE, 5, is_back=True)
        told = [each.id for made in both.waiting for each in made]
        assert [draft.id for draft in both.again()] == told
        assert kept_alike(both.live, both.shadow)

    @pytest.mark.parametrize("is_there", [False, True])
    def test_what_is_refused_again_leaves_what_lies_elsewhere(self, is_there: bool) -> None:
        """Undone onto what they had forgotten before they shared onto it."""
        made = [learned("likes tea", each, compartment=at) for each, at in (("m1", HOME), ("m2", WIDE), ("m3", GUILD))]
        both = Both(made, made, ["m1", "m2", "m3"])
        both.act(forget, please_forget(item_id=TEA.id, openings=(Opening(ANN, WIDE),), said=LATER))
        both.act(move, please_share(said=LATER + 1, openings=(Opening(ANN, HOME),)))
        both.again()
        if is_there:
            teach(both.shadow, "other", learned("User likes tea", "m2", compartment=WIDE, id="durable-other"))
        asked = keeping_private(ANN, TEA.id, PERSON, LATER + 2, origin("back"))._replace(openings=(Opening(ANN, WIDE),))
        both.act(lambda rows, request: undoing(move_back(rows, WorldChronicle(both.live), request, 200)), asked)
        both.again()
        assert both.active() == {(HOME, "likes tea"), (GUILD, "likes tea")}
        assert both.refuses("likes tea")
        assert is_there or kept_alike(both.live, both.shadow)

    def test_among_others_what_they_see_is_there_in_both_places(self) -> None:
        both = self.both([learned("User likes tea", "m1")])
        drafts = both.again()
        assert tags(drafts)[-1] == "item.reverted"
        assert {where for where, _ in both.active()} == {HOME, WIDE}

    def test_with_another_id_in_between_it_is_the_same(self) -> None:
        there = learned("likes coffee", "m2", compartment=WIDE, id=TEA.id)
        both = Both([learned("likes tea", "m1"), there], [learned("likes tea", "m1"), there], ["m1", "m2"])
        both.act(move, please_share(said=LATER))
        asked = keeping_private(ANN, TestWhatGotAnotherId.LONGER, PERSON, LATER + 1, origin("back"))
        both.act(lambda rows, request: undoing(move_back(rows, WorldChronicle(both.live), request, 200)), asked)
        told = [each.id for made in both.waiting for each in made]
        assert [draft.id for draft in both.again()] == told
        assert kept_alike(both.live, both.shadow)

    def test_what_says_it_there_stands_for_it(self) -> None:
        both = self.both([learned("Likes TEA", "m2", compartment=WIDE, id="durable-theirs")])
        again = both.waiting[-1][-1]
        assert isinstance(again.event, ItemReverted)
        assert reapply(both.shadow.rows, please_reapply(again)) == []

    @pytest.mark.parametrize("status", ["active", "deprecated", "evicted", "forgotten"])
    def test_what_has_its_id_and_says_something_else_does_not_stand_for_it(self, status: Any) -> None:
        there = learned("likes hot tea", "m2", compartment=WIDE, id=TEA.id, status=status)
        both = self.both([there])
        (draft,) = reapply(both.shadow.rows, please_reapply(both.waiting[-1][-1]))
        both.shadow.record(draft)
        (kept,) = both.says("likes hot tea", WIDE)
        assert (kept.item.id, kept.item.status) == (TEA.id, status)
        (again,) = both.says("likes tea", WIDE)
        assert (again.tag, again.item.id) == ("item.upserted", TestWhatGotAnotherId.LONGER)
        assert again.item.status == "active"
        assert again.item.evidence == learned("likes tea", "m2").evidence

    def test_what_they_brought_back_is_active_where_something_active_has_its_id(self) -> None:
        """The live model had given one item's id to other words; in the shadow the words that derive it have it."""
        mine, theirs = learned("lives in Rome", compartment=HOME, id=TEA.id), learned("likes tea")
        both = Both([mine, learned("lives in Rome", compartment=WIDE)], [theirs])
        here = (Opening(ANN, WIDE),)
        rome = learned("lives in Rome").id
        both.act(move, MoveRequest(ANN, rome, HOME, "keep_private", PERSON, LATER, origin("hide"), here))
        both.again()
        asked = MoveRequest(ANN, TEA.id, WIDE, "share", PERSON, LATER + 1, origin("back"), (Opening(ANN, HOME),))
        both.act(lambda rows, request: undoing(move_back(rows, WorldChronicle(both.live), request, 200)), asked)
        both.again()
        assert both.active() == {(HOME, "likes tea"), (HOME, "lives in Rome"), (WIDE, "lives in Rome")}

    def test_what_says_it_and_is_not_held_is_there_again(self) -> None:
        both = self.both([learned("likes TEA", "m2", compartment=WIDE, id=TEA.id, status="deprecated")])
        both.again()
        assert {where for where, _ in both.active()} >= {WIDE}
        assert both.says("likes tea", WIDE)[0].item.id == TEA.id

    @pytest.mark.parametrize("item_id", [TEA.id, "durable-theirs"])
    def test_what_was_taken_back_there_in_these_words_stays_refused_beside_it(self, item_id: str) -> None:
        """Here it was taken back with what they had taken back elsewhere; where they undid the share, it holds."""
        both = self.both([])
        teach(both.shadow, "other", learned("likes tea", "m9", compartment=WIDE, id=item_id))
        both.shadow.decide(forget, please_forget("likes tea", openings=(Opening(ANN, WIDE),)))
        again = both.waiting[-1][-1]
        (draft,) = reapply(both.shadow.rows, please_reapply(again))
        both.shadow.record(draft)
        assert draft.natural is (item_id != TEA.id)
        assert [row.item.status for row in both.says("likes tea", WIDE)] == ["active", "forgotten"]
        assert both.refuses("likes tea")

    def test_what_did_not_hold_is_not_put_beside_what_has_its_id(self) -> None:
        there = learned("likes tea", "m2", compartment=WIDE, status="deprecated")
        both = Both([learned("likes tea", "m1"), there], [same_but(there, text="likes hot tea")], ["m1", "m2"])
        both.act(move, please_share(said=LATER))
        asked = keeping_private(ANN, TEA.id, PERSON, LATER + 1, origin("back"))
        both.act(lambda rows, request: undoing(move_back(rows, WorldChronicle(both.live), request, 200)), asked)
        again = both.waiting[-1][-1]
        assert isinstance(again.event, ItemReverted)
        assert reapply(both.shadow.rows, please_reapply(again)) == []
