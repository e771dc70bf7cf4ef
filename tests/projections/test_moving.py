"""Share and keep private: an item goes to another compartment of its person's."""

from typing import Any

import msgspec
import pytest

from projections.decisions.moving import MoveRequest, keeping_private, move, promoted, sharing
from projections.decisions.remember import ForgetRequest, forget
from projections.decisions.shelf import Shelf
from projections.errors import BadRequest
from projections.events import ItemMoved
from projections.events.values import OPERATOR
from projections.ids import NOBODY, Ref
from projections.items import ITEMS, forgotten_of, item_key, items_of
from projections.policies.compartments import Opening, in_guild, of_person_in
from projections.policies.item_ids import fresh_id
from projections.policies.promotion import Verdict
from tests.projections.items import ANN, HOME, PERSON, WIDE, an_item, quote, row_of, there_is
from tests.world import NOW, World, origin

GUILD, CHANNEL = in_guild(Ref("discord", "9")), of_person_in(ANN, Ref("discord", "8"))
TEA = an_item("likes tea").id


def please_share(name: str = "share", **fields: Any) -> MoveRequest:
    return sharing(ANN, TEA, PERSON, NOW + 5, origin(name))._replace(**fields)


def please_hide(name: str = "hide", **fields: Any) -> MoveRequest:
    return keeping_private(ANN, TEA, PERSON, NOW + 9, origin(name))._replace(**fields)


def places(world: World) -> list[tuple[str, str]]:
    return sorted((found.row.item.compartment, found.row.item.status) for found in items_of(world.rows, ANN))


def test_a_shared_item_is_at_its_new_address_alone_and_says_who_and_what() -> None:
    world = World()
    there_is(world, an_item("likes tea"))
    before = row_of(world, "likes tea")
    (event,) = world.decide(move, please_share())
    assert isinstance(event, ItemMoved)
    assert world.rows.get(ITEMS, item_key(ANN, HOME, TEA)) is None
    assert (event.from_compartment, event.from_id, event.item.compartment) == (HOME, TEA, WIDE)
    assert (event.causes, event.by, event.reason) == ((before.event,), PERSON, "asked by the person")
    assert event.policy == "moving@2 compartments@2 item_ids@1"
    assert event.intent is not None
    assert (event.intent.action, event.intent.chosen) == ("share", TEA)
    assert event.intent.saw is not None
    assert (event.intent.saw.text, event.intent.saw.compartment) == ("likes tea", HOME)


def test_there_already_is_nothing_and_asked_twice_is_once() -> None:
    world = World()
    there_is(world, an_item("likes tea"))
    assert len(world.decide(move, please_share())) == 1
    assert world.decide(move, please_share()) == []
    assert world.decide(move, please_share("again")) == []
    assert len(world.decide(move, please_hide())) == 1
    assert places(world) == [(HOME, "active")]


def test_the_operator_may_do_it_for_them() -> None:
    world = World()
    there_is(world, an_item("likes tea"))
    (event,) = world.decide(move, please_share(by=OPERATOR))
    assert isinstance(event, ItemMoved)
    assert event.reason == "asked by the operator"


def test_a_move_onto_what_says_the_same_makes_one_of_both() -> None:
    world = World()
    here = an_item("likes tea", evidence=(quote("tea!"),), tags=("drink",), updated=NOW + 3)
    there = an_item("likes tea", compartment=WIDE, evidence=(quote("tea?"),), created=NOW - 7, supersedes=("old",))
    there_is(world, here, msgspec.structs.replace(there, source_count=2))
    (event,) = world.decide(move, please_share())
    assert isinstance(event, ItemMoved)
    assert places(world) == [(WIDE, "active")]
    assert (event.item.created, event.item.source_count, event.item.tags) == (NOW - 7, 3, ("drink",))
    assert [each.quote for each in event.item.evidence] == ["tea?", "tea!"]
    assert event.item.supersedes == ("old",)
    assert len(event.causes) == 2


def test_the_id_of_what_is_there_stays_where_it_says_the_same_under_another() -> None:
    world = World()
    there_is(world, an_item("likes tea"), an_item("likes tea", compartment=WIDE, id="durable-mine"))
    (event,) = world.decide(move, please_share())
    assert isinstance(event, ItemMoved)
    assert (event.item.id, event.from_id, event.item.text) == ("durable-mine", TEA, "likes tea")


@pytest.mark.parametrize("status", ["active", "forgotten", "deprecated", "evicted"])
def test_what_has_its_id_there_and_says_something_else_stays_as_it_is(status: Any) -> None:
    world = World()
    there = an_item("likes coffee", compartment=WIDE, id=TEA, status=status, evidence=(quote("coffee!"),))
    there_is(world, an_item("likes tea"), there)
    (event,) = world.decide(move, please_share())
    assert isinstance(event, ItemMoved)
    longer = fresh_id("fact", "likes tea", {TEA})
    assert (event.item.id, event.from_id, event.item.text) == (longer, TEA, "likes tea")
    assert longer.startswith(TEA)
    assert event.reason == f"asked by the person; {TEA} says something else there"
    assert (len(event.causes), event.item.evidence) == (1, ())
    assert row_of(world, "likes coffee").item == there
    assert places(world) == sorted([(WIDE, "active"), (WIDE, status)])
    assert world.rows.get(ITEMS, item_key(ANN, HOME, TEA)) is None


def test_what_was_taken_back_there_in_other_words_stays_refused() -> None:
    world = World()
    there_is(world, an_item("likes coffee", compartment=WIDE, id=TEA), an_item("likes tea"))
    world.decide(forget, ForgetRequest(ANN, (Opening(ANN, WIDE),), PERSON, NOW + 1, origin("forget"), id=TEA))
    world.decide(move, please_share())
    assert [each.row.text for each in forgotten_of(world.rows, ANN)] == ["likes coffee"]


def test_what_says_the_same_there_under_another_id_is_it_though_its_own_says_something_else() -> None:
    world = World()
    mine, its = an_item("likes tea", compartment=WIDE, id="durable-mine"), an_item("tea?", compartment=WIDE, id=TEA)
    there_is(world, an_item("likes tea"), mine, its)
    (event,) = world.decide(move, please_share())
    assert isinstance(event, ItemMoved)
    assert (event.item.id, event.item.source_count, event.reason) == ("durable-mine", 2, "asked by the person")
    assert row_of(world, "tea?").item == its


def test_what_had_its_words_before_they_were_changed_is_another_one() -> None:
    world = World()
    edited = an_item("likes coffee", compartment=WIDE, id=TEA)
    there_is(world, an_item("likes tea", id="durable-given"), edited)
    (event,) = world.decide(move, please_share(id="durable-given"))
    assert isinstance(event, ItemMoved)
    assert (event.item.id, event.item.text) == ("durable-given", "likes tea")
    assert row_of(world, "likes coffee").item == edited


def test_of_one_id_what_says_the_same_in_another_kind_becomes_one() -> None:
    world = World()
    there_is(world, an_item("likes tea"), an_item("Likes  tea", compartment=WIDE, id=TEA, kind="preference"))
    (event,) = world.decide(move, please_share())
    assert isinstance(event, ItemMoved)
    assert (event.item.id, event.item.source_count, event.item.kind) == (TEA, 2, "fact")


def test_what_follows_its_person_by_two_keys_takes_nothing_s_place_either() -> None:
    world = World()
    there_is(world, an_item("likes tea", compartment=GUILD), an_item("likes coffee", compartment=WIDE, id=TEA))
    shelf = Shelf(world.rows, origin("x"), ANN)
    event = promoted(shelf, row_of(world, "likes tea"), Verdict(shared=True, reason="why"))
    assert (event.item.id, event.reason) == (
        fresh_id("fact", "likes tea", {TEA}),
        f"why; {TEA} says something else there",
    )


def test_of_several_with_one_id_that_say_different_things_none_is_lost() -> None:
    world = World()
    there_is(world, an_item("likes tea"), an_item("likes coffee", compartment=GUILD, id=TEA))
    assert len(world.decide(move, please_share())) == 2
    assert places(world) == [(WIDE, "active"), (WIDE, "active")]
    assert {each.row.item.text for each in items_of(world.rows, ANN)} == {"likes tea", "likes coffee"}


def test_of_several_with_one_id_all_are_meant_that_the_place_opens() -> None:
    world = World()
    there_is(
        world, an_item("likes tea"), an_item("likes tea", compartment=GUILD), an_item("likes tea", compartment=CHANNEL)
    )
    opened = (Opening(ANN, GUILD), Opening(ANN, CHANNEL), Opening(NOBODY, HOME))
    assert len(world.decide(move, please_share(openings=opened))) == 2
    assert places(world) == [(HOME, "active"), (WIDE, "active")]


def test_what_is_not_there_or_not_held_is_said_in_words() -> None:
    world = World()
    there_is(world, an_item("likes tea", status="evicted"))
    with pytest.raises(BadRequest, match="evicted: restore it first"):
        move(world.rows, please_share())
    with pytest.raises(BadRequest, match="there is no item 'durable-x' here"):
        move(world.rows, please_share(id="durable-x"))
    with pytest.raises(BadRequest, match="there is no item"):
        move(world.rows, please_share(openings=(Opening(ANN, GUILD),)))


def test_what_is_shared_onto_something_forgotten_is_held_again() -> None:
    world = World()
    there_is(world, an_item("likes tea", compartment=WIDE))
    asked = ForgetRequest(ANN, (Opening(ANN, WIDE),), PERSON, NOW + 1, origin("forget"), id=TEA)
    world.decide(forget, asked)
    there_is(world, an_item("likes tea"))
    assert len(list(forgotten_of(world.rows, ANN))) == 1
    world.decide(move, please_share())
    assert places(world) == [(WIDE, "active")]
    assert list(forgotten_of(world.rows, ANN)) == []


def test_a_shelf_knows_where_an_item_went() -> None:
    world = World()
    there_is(world, an_item("likes tea", compartment=GUILD))
    shelf = Shelf(world.rows, origin("x"), ANN)
    (row,) = shelf.within([GUILD])
    assert (shelf.within([GUILD, WIDE]), shelf.within([WIDE])) == ((row,), ())
    before = shelf.mark()
    shelf.put(promoted(shelf, row, Verdict(shared=True, reason="why")))
    assert [each.item.compartment for each in shelf.all()] == [WIDE]
    assert (shelf.within([GUILD]), shelf.within([WIDE])) == ((), tuple(shelf.all()))
    assert shelf.touched == {(GUILD, TEA), (WIDE, TEA)}
    shelf.undo(before)
    assert (shelf.within([GUILD]), shelf.within([WIDE])) == ((row,), ())
    shelf.look_at(msgspec.structs.replace(row, reason="looked at"))
    assert [each.reason for each in shelf.within([GUILD])] == ["looked at"]
