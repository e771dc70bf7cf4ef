"""Who can read a place, as the operator says of an import, and what was said in an epoch that has ended."""

from typing import Any

import pytest

from projections.decisions.hear import DeletedRequest, HeardRequest, delete, hear
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen, widens
from projections.errors import BadRequest
from projections.events import MessageDeleted, MessageEdited, MessageHeard, PlaceAudienceChanged, PlaceDescribed
from projections.events.values import OPERATOR, PLATFORM, Audience
from projections.ids import Ref
from projections.messages import messages_after
from projections.places import audience_of
from tests.world import NOW, World, fresh

ADA = Account("discord", "100", "Ada")
PLACE = Ref("discord", "7")
SESSION = "discord:channel:7"
PUBLIC = PlaceSeen("discord", "7", "channel", "general", "guild", guild=Ref("discord", "9"))
CLOSED = PUBLIC._replace(audience="channel", told=True)


def said(key: str, place: PlaceSeen = PUBLIC, **changes: Any) -> HeardRequest:
    request = HeardRequest(key, place, "person", ADA, "hello", NOW, fresh(salt=key))
    return request._replace(**changes)


def texts(world: World, epoch: int) -> list[str]:
    return [found.row.message.text for found in messages_after(world.rows, SESSION, epoch, None)]


def test_fewer_readers_than_were_known_begin_a_new_epoch() -> None:
    world = World()
    world.decide(hear, said("1"))
    changed, heard = world.decide(hear, said("2", CLOSED))
    assert isinstance(changed, PlaceAudienceChanged)
    assert (changed.audience, changed.previous) == (Audience("channel", PLACE, 1), Audience("guild", PLACE))
    assert (changed.by, changed.session, changed.guild) == (OPERATOR, SESSION, PUBLIC.guild)
    assert isinstance(heard, MessageHeard)
    assert heard.message.audience == changed.audience == audience_of(world.rows, PLACE)
    assert [type(event) for event in world.decide(hear, said("3", CLOSED))] == [MessageHeard]
    assert (len(texts(world, 0)), len(texts(world, 1))) == (1, 2)


def test_it_closes_also_when_every_message_is_known() -> None:
    world = World()
    world.decide(hear, said("1"))
    (changed,) = world.decide(hear, said("1", CLOSED))
    assert isinstance(changed, PlaceAudienceChanged)
    assert world.decide(hear, said("1", CLOSED)) == []


def test_a_new_name_comes_with_the_new_audience() -> None:
    world = World()
    world.decide(hear, said("1"))
    changed, described, _ = world.decide(hear, said("2", CLOSED._replace(name="staff")))
    assert isinstance(changed, PlaceAudienceChanged)
    assert isinstance(described, PlaceDescribed)
    assert described.audience == changed.audience == audience_of(world.rows, PLACE)


def test_what_is_so_already_changes_nothing() -> None:
    world = World()
    world.decide(hear, said("1"))
    assert [type(event) for event in world.decide(hear, said("2"))] == [MessageHeard]
    assert not widens(world.rows, PUBLIC)


def test_where_nobody_said_who_could_read_nothing_new_comes_into_an_open_place() -> None:
    world = World()
    unsaid = CLOSED._replace(told=False)
    world.decide(hear, said("1"))
    assert world.decide(hear, said("1", unsaid)) == []
    with pytest.raises(BadRequest, match="say --audience"):
        world.decide(hear, said("2", unsaid))
    assert audience_of(world.rows, PLACE) == Audience("guild", PLACE)


def test_where_nobody_said_who_could_read_a_new_place_is_restricted() -> None:
    world = World()
    unsaid = CLOSED._replace(told=False)
    world.decide(hear, said("1", unsaid))
    world.decide(hear, said("2", unsaid))
    assert audience_of(world.rows, PLACE) == Audience("channel", PLACE)


def test_more_readers_change_nothing_and_it_can_be_told() -> None:
    world = World()
    told = PUBLIC._replace(told=True)
    assert not widens(world.rows, told)
    world.decide(hear, said("1", CLOSED))
    assert widens(world.rows, told)
    assert not widens(world.rows, PUBLIC._replace(told=False))
    assert [type(event) for event in world.decide(hear, said("2", told))] == [MessageHeard]
    assert audience_of(world.rows, PLACE) == Audience("channel", PLACE)


def two_epochs() -> World:
    """A message, and two epochs that began after it."""
    world = World()
    world.decide(hear, said("1"))
    for epoch in (1, 2):
        here = Audience("channel", PLACE, epoch)
        before = Audience("guild", PLACE, epoch - 1)
        world.add(PlaceAudienceChanged(said=NOW, by=PLATFORM, place=PLACE, audience=here, previous=before))
    return world


def test_an_edit_finds_its_message_in_the_epoch_in_which_it_was_said() -> None:
    world = two_epochs()
    edited, _ = world.decide(hear, said("1", text="hello!", edited=NOW + 9))
    assert isinstance(edited, MessageEdited)
    assert edited.message.audience == Audience("guild", PLACE)
    assert (texts(world, 0), texts(world, 2)) == (["hello!"], [])


def test_so_does_a_deletion() -> None:
    world = two_epochs()
    deleted, _ = world.decide(delete, DeletedRequest("discord", "1", SESSION, NOW, NOW + 9))
    assert isinstance(deleted, MessageDeleted)
    assert deleted.audience == Audience("guild", PLACE)
    assert texts(world, 0) == []


def test_nothing_is_deleted_where_nobody_was_heard() -> None:
    assert World().decide(delete, DeletedRequest("discord", "1", "discord:channel:8", NOW, NOW)) == []
