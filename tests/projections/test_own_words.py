"""What the assistant itself said, as an import or a read-back brings it: it rests on what stood before it."""

from typing import Any

from projections.decisions.draft import Draft
from projections.decisions.hear import WINDOW, DeletedRequest, HeardRequest, delete, hear, message_identity
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import (
    MessageDeleted,
    MessageEdited,
    MessageHeard,
    SummaryRefreshed,
    TurnAnswered,
    TurnDelivered,
)
from projections.events.values import PLATFORM, Audience, Limits, ModelUse
from projections.ids import EventId, Point, Ref
from projections.people import person_of
from projections.vaults import Home, home, partner_of
from tests.world import NOW, World, fresh, handle

ADA = Account("discord", "100", "Ada")
SELF = Account("discord", "1", "dnam")
GENERAL = PlaceSeen("discord", "7", "channel", "general", "guild")
DM = PlaceSeen("discord", "555", "direct", "", "direct", partner=ADA)
SESSION = "discord:channel:7"
HERE = Audience("guild", Ref("discord", "7"))
CALL = ModelUse("offline", "1")
ANSWER = TurnAnswered(
    said=NOW, by=PLATFORM, session=SESSION, place=HERE.place, audience=HERE, era=0, asker=handle("Ada"),
    answers=EventId(b"q" * 16), text="an answer", call=CALL, limits=Limits(),
)  # fmt: skip
SUMMARY = SummaryRefreshed(
    said=NOW, by=PLATFORM, session=SESSION, audience=HERE, era=4, text="They talk.", refresh=1, after=None,
    upto=Point(NOW, EventId(b"u" * 16)), covered=1, call=CALL,
)  # fmt: skip


def said(key: int, place: PlaceSeen = GENERAL, **changes: Any) -> HeardRequest:
    """The key-th message, of Ada's."""
    request = HeardRequest(str(key), place, "person", ADA, f"message {key}", NOW + key, fresh(salt=str(key)))
    return request._replace(**changes)


def own(key: int, place: PlaceSeen = GENERAL, **changes: Any) -> HeardRequest:
    """The key-th message, of the assistant's."""
    return said(key, place, author="self", speaker=SELF, **changes)


def hear_one(world: World, request: HeardRequest) -> MessageHeard:
    event = world.decide(hear, request)[-1]
    assert isinstance(event, MessageHeard)
    return event


def event_of(world: World, key: int) -> EventId:
    return world.ids.event_id(message_identity("discord", str(key), "heard", NOW + key))


def test_its_causes_are_the_window_before_it() -> None:
    world = World()
    for key in (*range(WINDOW + 3), 90):
        assert hear_one(world, said(key)).causes == ()
    event = hear_one(world, own(50))
    assert set(event.causes) == {event_of(world, key) for key in range(3, WINDOW + 3)}


def test_what_it_replies_to_is_a_cause_however_long_ago() -> None:
    world = World()
    for key in range(WINDOW + 3):
        hear_one(world, said(key))
    old = Ref("discord", "0")
    assert event_of(world, 0) in hear_one(world, own(50, reply_to=old, reply_said=NOW)).causes
    assert event_of(world, 0) not in hear_one(world, own(51, reply_to=old)).causes
    assert hear_one(world, own(-1, reply_to=Ref("discord", "never"), reply_said=NOW)).causes == ()


def test_a_reply_to_one_of_its_answers_rests_on_the_turn() -> None:
    world = World()
    turn = world.record(Draft(event_of(world, 9), ANSWER))
    delivered = TurnDelivered(
        said=NOW, by=PLATFORM, turn=turn.id, session=SESSION, audience=HERE, era=0, asker=handle("Ada"),
        messages=(Ref("discord", "x"),),
    )  # fmt: skip
    world.add(delivered)
    assert turn.id in hear_one(world, own(-1, reply_to=Ref("discord", "x"))).causes


def test_nothing_rests_on_what_was_erased_or_never_was() -> None:
    world = World()
    for key in (1, 2, 3):
        hear_one(world, said(key))
    world.ids.seen[event_of(world, 1)] = "erased"
    world.ids.seen[event_of(world, 2)] = "redacted"
    assert set(hear_one(world, own(4)).causes) == {event_of(world, 2), event_of(world, 3)}


def test_it_lies_with_the_session_s_answers_of_the_era() -> None:
    world = World()
    event = hear_one(world, own(1))
    assert home(event) == Home(frozenset(), f"session {SESSION} 0 0", era=True)
    world.add(SUMMARY)
    later = hear_one(world, own(2))
    assert home(later) == Home(frozenset(), f"session {SESSION} 0 4", era=True)
    assert hear_one(world, said(3)).era == 0


def test_in_a_dm_it_is_its_partner_s_and_so_is_what_bots_say() -> None:
    world = World()
    first = hear_one(world, own(1, DM))
    account = person_of(world.rows, "discord", "100")
    assert account is not None
    ada = account.row.person
    assert partner_of(first.message.audience) == ada
    assert home(first).people == home(hear_one(world, said(2, DM))).people == {ada}
    assert not home(first).era
    for key, author in enumerate(("bot", "webhook", "unknown"), 3):
        assert home(hear_one(world, said(key, DM, author=author, speaker=SELF))).people == {ada}
        assert home(hear_one(world, said(key + 10, author=author, speaker=SELF))).people == frozenset()


def test_an_edit_rests_on_it_and_on_the_same_window() -> None:
    world = World()
    hear_one(world, said(1))
    hear_one(world, own(2))
    hear_one(world, said(3))
    edited, _ = world.decide(hear, own(2, text="other words", edited=NOW + 9))
    assert isinstance(edited, MessageEdited)
    assert edited.causes == (event_of(world, 2), event_of(world, 1))
    assert home(edited).era
    deleted, _ = world.decide(delete, DeletedRequest("discord", "2", SESSION, NOW + 2, NOW + 20))
    assert isinstance(deleted, MessageDeleted)
    assert deleted.causes == (event_of(world, 2),)
