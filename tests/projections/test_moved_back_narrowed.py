"""A move is taken back after a place was closed that the item rests on: it goes no farther than that can be read."""

from collections.abc import Iterable

import msgspec
import pytest

from projections.decisions.audience import change_audience, where_read
from projections.decisions.moving import MoveRequest, keeping_private, move, sharing
from projections.decisions.moving_back import NARROWED
from projections.decisions.place import PlaceSeen
from projections.decisions.remember import remember
from projections.errors import BadRequest
from projections.events import Event, ItemMoved, ItemReverted
from projections.events.values import Audience, Source
from projections.ids import NOBODY, EventId, Ref
from projections.items import items_of
from projections.policies.compartments import Opening, direct, everywhere, in_channel, in_guild, of_person_in
from projections.rows import Rows
from tests.projections.items import ANN, PERSON, an_item, there_is
from tests.projections.test_audience_changes import (
    CLOSED,
    GUILD,
    LATER,
    OPEN,
    PLACE,
    asked_in,
    change,
    guild_item,
    heard_in,
    open_world,
    where,
)
from tests.projections.test_moving_back import decided
from tests.world import NOW, World, origin

TEXT = "likes jars"
OTHER = OPEN._replace(key="8", name="other")
HERE = in_guild(GUILD)


def closes(world: World, seen: PlaceSeen = CLOSED) -> None:
    world.decide(change_audience, change(seen, f"change {len(world.records)}"))


def goes(world: World, to: str, text: str = TEXT) -> None:
    """It goes to its person's direct messages, or everywhere."""
    way = keeping_private if to == direct(ANN) else sharing
    world.decide(move, way(ANN, an_item(text).id, PERSON, LATER, origin(f"go {len(world.records)}")))


def comes_back(world: World, to: str = HERE) -> list[Event]:
    """The move is undone."""
    (lies,) = where(world).values()
    request = MoveRequest(ANN, an_item(TEXT).id, to, "keep_private", PERSON, LATER, origin(f"b {len(world.records)}"))
    return decided(world, request._replace(openings=(Opening(ANN, lies),)))


def narrowed(events: Iterable[Event]) -> bool:
    return any(isinstance(each, ItemMoved) and each.reason.endswith(NARROWED) for each in events)


@pytest.mark.parametrize("to", [direct(ANN), everywhere(ANN)])
@pytest.mark.parametrize("is_closed", [True, False])
def test_it_goes_where_those_are_who_can_read_the_place(to: str, is_closed: bool) -> None:
    world, here = open_world()
    there_is(world, guild_item(TEXT, here))
    goes(world, to)
    if is_closed:
        closes(world)
    assert narrowed(comes_back(world)) == is_closed
    assert where(world) == {TEXT: of_person_in(ANN, PLACE) if is_closed else HERE}


@pytest.mark.parametrize("to", [direct(ANN), everywhere(ANN)])
def test_of_several_places_nobody_but_their_person_is_known_to_read_all(to: str) -> None:
    world, here = open_world()
    there_is(world, guild_item(TEXT, here, heard_in(world, OTHER, "2")))
    goes(world, to)
    closes(world)
    assert where_read(world.rows, guild_item(TEXT, here)) == of_person_in(ANN, PLACE)
    closes(world, OTHER._replace(audience="channel"))
    if to == direct(ANN):
        with pytest.raises(BadRequest, match="fewer people can read"):
            comes_back(world)
    else:
        assert narrowed(comes_back(world))
    assert where(world) == {TEXT: direct(ANN)}


@pytest.mark.parametrize(
    ("changes", "to"),
    [
        ([], HERE),
        ([CLOSED], of_person_in(ANN, PLACE)),
        ([CLOSED, OPEN], of_person_in(ANN, PLACE)),
    ],
)
def test_what_was_asked_for_by_hand_goes_by_where_that_was(changes: list[PlaceSeen], to: str) -> None:
    world = World()
    world.decide(remember, asked_in(Audience("guild", PLACE), TEXT))
    goes(world, direct(ANN))
    for seen in changes:
        closes(world, seen)
    comes_back(world)
    assert where(world) == {TEXT: to}
    blind = Rows(world.raw, world.ids)
    (item,) = (msgspec.structs.replace(found.row.item, compartment=HERE) for found in items_of(world.rows, ANN))
    assert where_read(blind, item) == to
    since = msgspec.structs.replace(item, created=LATER)
    assert where_read(world.rows, since) == (to if changes == [CLOSED] else HERE), "what it is open to since then"


def test_of_what_is_nobody_s_and_of_what_is_from_nowhere() -> None:
    world, here = open_world()
    closes(world)
    assert where_read(world.rows, guild_item("lore", here, owner=NOBODY)) == in_channel(PLACE)
    for source in (Source("model"), Source("model", Ref("discord", "unknown"))):
        assert where_read(world.rows, guild_item(TEXT, source=source)) == HERE
    assert where_read(world.rows, guild_item(TEXT, EventId(bytes(16)))) == HERE
    assert where_read(world.rows, an_item(TEXT, compartment=everywhere(ANN))) == everywhere(ANN)


def test_what_it_had_become_one_with_follows_its_readers_too() -> None:
    world, here = open_world()
    there = heard_in(world, OTHER, "2")
    there_is(world, guild_item(TEXT, here))
    goes(world, direct(ANN))
    there_is(world, msgspec.structs.replace(guild_item(TEXT, there), updated=NOW + 1))
    back = MoveRequest(ANN, an_item(TEXT).id, HERE, "keep_private", PERSON, LATER, origin("undo"))
    decided(world, back._replace(openings=(Opening(ANN, direct(ANN)),)))
    assert where(world) == {TEXT: HERE}
    closes(world, OTHER._replace(audience="channel"))
    assert where(world) == {TEXT: HERE}, "it rests on what is open, too"
    redo = MoveRequest(ANN, an_item(TEXT).id, direct(ANN), "keep_private", PERSON, LATER, origin("redo"))
    events = decided(world, redo._replace(openings=(Opening(ANN, HERE),)))
    assert [type(each) for each in events] == [ItemMoved, ItemReverted, ItemMoved]
    lie = {found.row.item.compartment: found.row.item.evidence for found in items_of(world.rows, ANN)}
    assert {each: [quoted.message for quoted in evidence] for each, evidence in lie.items()} == {
        direct(ANN): [here],
        of_person_in(ANN, Ref("discord", "8")): [there],
    }
