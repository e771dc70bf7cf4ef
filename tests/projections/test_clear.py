"""A channel or a thread that is gone: everything said there leaves, in as many decisions as it takes."""

import pytest

from projections.decisions import clear as clearing
from projections.decisions.clear import clear
from projections.decisions.draft import MOST_EVENTS, Draft
from projections.decisions.hear import DeletedRequest, HeardRequest, delete, hear
from projections.decisions.place import PlaceSeen
from projections.events import MessageDeleted, MessageRedacted, PlaceAudienceChanged, TurnWithdrawn
from projections.events.values import PLATFORM, Audience
from projections.ids import EventId, Ref
from projections.places import channels_in, sessions_within
from tests.projections.test_withdraw import GENERAL, HERE, KIM, SESSION, answered, asked, in_window, turn_of
from tests.world import NOW, World, fresh, handle

LATER = NOW + 1000
THREAD = PlaceSeen("discord", "8", "thread", "roses", "guild", parent=Ref("discord", "7"))


@pytest.fixture
def world() -> World:
    return World()


def cleared(world: World, session: str = SESSION) -> list[str]:
    """Decide until nothing comes of it; what each decision recorded, by kind."""
    told: list[str] = []
    while drafts := clear(world.rows, session, LATER):
        kinds = (type(world.record(each).event).__name__ for each in drafts)
        told.append(" ".join(kinds))
    return told


def test_what_was_said_and_what_was_answered_goes_and_nothing_else(world: World) -> None:
    world.decide(hear, HeardRequest("8", THREAD, "person", KIM, "roses", NOW, fresh(salt="8")))
    turn = answered(world, 1, "x")
    second = turn_of(world, asked(world, 2))
    deleted, other, *withdrawn, redacted = (world.record(each).event for each in clear(world.rows, SESSION, LATER))
    heard = tuple(each.heard for each in (deleted, other) if isinstance(each, MessageDeleted))
    assert isinstance(deleted, MessageDeleted)
    assert isinstance(other, MessageDeleted)
    assert (deleted.said, deleted.causes, deleted.audience) == (LATER, (deleted.heard,), HERE)
    assert [each.turn for each in withdrawn if isinstance(each, TurnWithdrawn)] == [turn, second]
    assert isinstance(redacted, MessageRedacted)
    assert redacted.events == (*heard, turn, second)
    assert (in_window(world), clear(world.rows, SESSION, LATER)) == ([], [])
    assert len(clear(world.rows, "discord:thread:8", LATER)) == 2


def test_it_is_the_deletion_of_each_message(world: World) -> None:
    asked(world, 1)
    alone, *_ = delete(world.rows, DeletedRequest("discord", "1", SESSION, NOW + 1, LATER))
    assert clear(world.rows, SESSION, LATER)[0] == alone


def test_what_was_said_before_its_readers_changed_goes_too(world: World) -> None:
    answered(world, 1, "x")
    few = Audience("channel", HERE.place, 1)
    world.record(
        Draft(
            EventId(handle("fewer")),
            PlaceAudienceChanged(
                said=NOW + 50, by=PLATFORM, place=HERE.place, audience=few, previous=HERE, session=SESSION, guild=None
            ),
        )
    )
    answered(world, 60, "y", audience=few)
    assert cleared(world) == ["MessageDeleted MessageDeleted TurnWithdrawn TurnWithdrawn MessageRedacted"]
    assert in_window(world) == in_window(world, 1) == []


def test_what_is_many_goes_in_several_decisions(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clearing, "MOST_CLEARED", 2)
    for key in (1, 2, 3):
        answered(world, key, f"x{key}")
    assert cleared(world) == [
        "MessageDeleted MessageDeleted TurnWithdrawn TurnWithdrawn MessageRedacted",
        "MessageDeleted TurnWithdrawn MessageRedacted",
    ]


def test_a_decision_has_room_for_it() -> None:
    assert 2 * clearing.MOST_CLEARED + 1 <= MOST_EVENTS


def test_threads_are_within_their_channel(world: World) -> None:
    for key, place in (("7", GENERAL), ("8", THREAD)):
        world.decide(hear, HeardRequest(key, place, "person", KIM, "hello", NOW, fresh(salt=key)))
    assert sorted(sessions_within(world.rows, Ref("discord", "7"))) == [SESSION, "discord:thread:8"]
    assert sessions_within(world.rows, Ref("discord", "8")) == ["discord:thread:8"]
    assert sessions_within(world.rows, Ref("discord", "9")) == []


def test_a_channel_is_known_by_a_thread_in_it_alone(world: World) -> None:
    guild, other = Ref("discord", "1"), Ref("discord", "2")
    below = THREAD._replace(guild=guild, parent=Ref("discord", "6"))
    loose = THREAD._replace(key="9", guild=guild, parent=None)
    for key, place in (("7", GENERAL._replace(guild=guild)), ("8", below), ("9", loose)):
        world.decide(hear, HeardRequest(key, place, "person", KIM, "hello", NOW, fresh(salt=key)))
    assert channels_in(world.rows, guild) == {Ref("discord", "7"), Ref("discord", "6")}
    assert channels_in(world.rows, other) == frozenset()
