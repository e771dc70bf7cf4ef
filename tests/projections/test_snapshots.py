"""What stands of whom in a transparency channel."""

import pytest

from projections.decisions.snapshots import PostRequest, post_snapshot
from projections.events import PersonSeen, SnapshotPosted
from projections.events.values import PLATFORM
from projections.ids import Handle, Ref
from projections.snapshots import SnapshotRow, snapshot_of, snapshots_in, unpinned
from tests.projections.items import ANN, BOB
from tests.world import NOW, World, origin

HERE, THERE = Ref("discord", "100"), Ref("discord", "200")
FIRST, SECOND = Ref("discord", "1"), Ref("discord", "2")


@pytest.fixture
def world() -> World:
    world = World()
    for person, name in ((ANN, "Ann"), (BOB, "Bob")):
        world.add(PersonSeen(said=NOW, by=PLATFORM, person=person, platform="discord", platform_id=name, name=name))
    return world


def post(person: Handle, message: Ref, *, place: Ref = HERE, pinned: bool = True, name: str = "") -> PostRequest:
    return PostRequest(person, place, message, b"d" * 32, pinned, NOW, origin(name or str(message)))


def test_a_person_has_one_message_in_a_channel_the_last_that_was_written(world: World) -> None:
    for request in (post(ANN, FIRST), post(BOB, SECOND), post(ANN, FIRST, place=THERE, name="there")):
        assert len(world.decide(post_snapshot, request)) == 1
    [anew] = world.decide(post_snapshot, post(ANN, Ref("discord", "3")))
    assert isinstance(anew, SnapshotPosted)
    row = snapshot_of(world.rows, HERE, ANN)
    assert row == SnapshotRow(world.records[-1].id, ANN, HERE, Ref("discord", "3"), b"d" * 32, True, NOW)
    assert {found.row.person for found in snapshots_in(world.rows, HERE)} == {ANN, BOB}
    assert [found.row.person for found in snapshots_in(world.rows, THERE)] == [ANN]


def test_deciding_twice_records_once(world: World) -> None:
    assert world.decide(post_snapshot, post(ANN, FIRST))
    assert world.decide(post_snapshot, post(ANN, FIRST)) == []


def test_nothing_is_recorded_of_somebody_who_is_not_known_any_more() -> None:
    assert World().decide(post_snapshot, post(ANN, FIRST)) == []


def test_what_found_no_room_among_the_pins_is_listed_until_it_does(world: World) -> None:
    world.decide(post_snapshot, post(ANN, FIRST))
    world.decide(post_snapshot, post(BOB, SECOND, pinned=False))
    assert [row.person for row in unpinned(world.rows)] == [BOB]
    world.decide(post_snapshot, post(BOB, SECOND, name="again"))
    assert unpinned(world.rows) == []
