"""An answer that somebody deleted: all of it is taken away, once, and what it cost stays."""

import msgspec
import pytest

from projections.calls import CallRow, calls
from projections.decisions.answer import DeliverRequest, deliver, turn_origin
from projections.decisions.delete import delete_all
from projections.decisions.draft import Draft, Minter
from projections.decisions.hear import HeardRequest, hear, message_identity
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.decisions.withdraw import WithdrawRequest
from projections.events import Event, MessageRedacted, PlaceAudienceChanged, TurnAnswered, TurnWithdrawn
from projections.events.values import PLATFORM, Audience, By, Gap, Limits, ModelUse
from projections.ids import EventId, Point, Ref
from projections.pending import is_settled, undelivered
from projections.rows import Rows
from projections.said import END, backwards, sent_between
from projections.turns import TurnRow, find_turn, turns_after
from tests.world import NOW, World, fresh, handle

KIM = Account("discord", "100", "Kim")
GENERAL = PlaceSeen("discord", "7", "channel", "general", "guild")
SESSION = "discord:channel:7"
HERE = Audience("guild", Ref("discord", "7"))
COST = ModelUse("haiku", "7", tokens_in=30, cost_micros=45)
CALL = msgspec.structs.replace(COST, prompt_digest=b"d" * 32)


def asked(world: World, key: int, audience: Audience = HERE) -> Point:
    """The key-th question, answered and not yet sent."""
    world.decide(hear, HeardRequest(str(key), GENERAL, "person", KIM, f"{key}?", NOW + key, fresh(salt=str(key))))
    point = Point(NOW + key, world.ids.event_id(message_identity("discord", str(key), "heard", NOW + key)))
    turn = TurnAnswered(
        said=point.said + 1, by=By("model", name="haiku", version="7"), causes=(point.id,), session=SESSION,
        place=HERE.place, audience=audience, era=2, asker=handle("Kim"), answers=point.id, text=f"answer {key}",
        call=CALL, limits=Limits(),
    )  # fmt: skip
    world.record(Minter(world.rows, turn_origin(point)).draft(turn))
    return point


def turn_of(world: World, question: Point) -> EventId:
    return Minter(world.rows, turn_origin(question)).next()


def answered(world: World, key: int, *sent: str, audience: Audience = HERE) -> EventId:
    """The key-th question, whose answer arrived as these messages."""
    turn = turn_of(world, asked(world, key, audience))
    refs = tuple(Ref("discord", each) for each in sent)
    world.decide(deliver, DeliverRequest(turn, SESSION, audience, 2, handle("Kim"), refs, NOW + key + 2))
    return turn


def gone(*keys: str, session: str = SESSION, questions: tuple[Point, ...] = ()) -> WithdrawRequest:
    return WithdrawRequest("discord", keys, session, NOW + 1000, questions)


def withdraw(rows: Rows, request: WithdrawRequest) -> list[Draft]:
    """What a deletion decides where no message of a person's is among what is gone."""
    return delete_all(rows, [], request)


def in_window(world: World, epoch: int = 0) -> list[str]:
    """What stands in the window, newest first."""
    found = backwards(world.rows, SESSION, epoch, END)
    rows = [entry.row for entry in found]
    return [row.text if isinstance(row, TurnRow) else row.message.text for row in rows]


def withdrawn_by(events: list[Event]) -> list[EventId]:
    return [each.turn for each in events if isinstance(each, TurnWithdrawn)]


def test_it_leaves_the_window_and_its_body_goes() -> None:
    world = World()
    turn = answered(world, 1, "x")
    assert in_window(world) == ["answer 1", "1?"]
    drafts = withdraw(world.rows, gone("x"))
    withdrawn, redacted = [world.record(each).event for each in drafts]
    assert withdrawn == TurnWithdrawn(
        said=NOW + 1000, by=PLATFORM, causes=(turn,), turn=turn, session=SESSION, audience=HERE, era=2,
        asker=handle("Kim"), turn_said=NOW + 2, call=COST,
    )  # fmt: skip
    (question,) = next(each.event.causes for each in world.records if each.id == turn)
    gap = Gap(turn, TurnAnswered.TAG, (question,))
    assert redacted == MessageRedacted(
        said=NOW + 1000, by=PLATFORM, causes=(drafts[0].id,), events=(turn,), gaps=(gap,)
    )
    assert all(each.natural for each in drafts)
    assert in_window(world) == ["1?"]
    assert list(turns_after(world.rows, SESSION, 0, None)) == []


def test_a_second_time_nothing_happens() -> None:
    world = World()
    answered(world, 1, "x", "y")
    world.decide(withdraw, gone("x"))
    assert withdraw(world.rows, gone("x")) == []
    assert withdraw(world.rows, gone("y")) == []


@pytest.mark.parametrize("part", ["x", "y", "z"])
def test_any_part_takes_all_of_it(part: str) -> None:
    world = World()
    turn = answered(world, 1, "x", "y", "z")
    assert withdrawn_by(world.decide(withdraw, gone(part))) == [turn]
    assert in_window(world) == ["1?"]


def test_many_at_once_are_one_redaction_and_each_answer_once() -> None:
    world = World()
    one, other = answered(world, 1, "a", "b"), answered(world, 11, "c")
    kept = answered(world, 21, "d")
    events = world.decide(withdraw, gone("b", "1", "c", "a", "nothing"))
    assert withdrawn_by(events) == [one, other]
    (redacted,) = [each for each in events if isinstance(each, MessageRedacted)]
    assert redacted.events == (one, other)
    assert [found.row.event for found in turns_after(world.rows, SESSION, 0, None)] == [kept]


@pytest.mark.parametrize("request_", [gone("1"), gone(), gone("x", session="discord:channel:8")])
def test_what_is_no_answer_of_the_session_is_let_be(request_: WithdrawRequest) -> None:
    world = World()
    answered(world, 1, "x")
    assert withdraw(world.rows, request_) == []


def test_it_is_found_in_an_earlier_epoch() -> None:
    world = World()
    turn = answered(world, 1, "x")
    later = Audience("channel", HERE.place, 1)
    world.add(
        PlaceAudienceChanged(said=NOW, by=PLATFORM, place=HERE.place, audience=later, previous=HERE, session=SESSION)
    )
    answered(world, 11, "y", audience=later)
    assert withdrawn_by(world.decide(withdraw, gone("x"))) == [turn]
    assert in_window(world, 1) == ["answer 11", "11?"]


def test_one_of_which_a_part_was_shown_is_not_sent_again() -> None:
    world = World()
    question = asked(world, 1)
    assert [each.text for each in undelivered(world.rows, SESSION, NOW)] == ["answer 1"]
    assert withdrawn_by(world.decide(withdraw, gone("x", questions=(question,)))) == [turn_of(world, question)]
    assert undelivered(world.rows, SESSION, NOW) == []
    assert withdraw(world.rows, gone("x", questions=(question,))) == []


def test_a_question_that_was_never_answered_has_nothing_to_withdraw() -> None:
    world = World()
    never = Point(NOW, EventId(handle("never")))
    assert withdraw(world.rows, gone("x", questions=(never,))) == []


def test_its_question_counts_as_answered() -> None:
    world = World()
    question = asked(world, 1)
    world.decide(withdraw, gone(questions=(question,)))
    assert is_settled(world.rows, question)
    world.ids.seen[turn_of(world, question)] = "redacted"  # as the log says of it
    assert is_settled(world.rows, question)


def test_what_it_cost_stays_on_its_day() -> None:
    world = World()
    turn = TurnWithdrawn(
        said=NOW, by=PLATFORM, turn=EventId(handle("turn")), session=SESSION, audience=HERE, era=0,
        asker=handle("Kim"), turn_said=NOW - 86_400_000, call=COST,
    )  # fmt: skip
    world.add(turn)
    (row,) = calls(world.rows)
    assert row == CallRow(NOW - 86_400_000, "answer", handle("Kim"), "haiku", "7", 30, 0, 0, 0, 45, False)


def test_an_answer_is_found_by_its_id() -> None:
    world = World()
    first, second = answered(world, 1, "x"), answered(world, 61_000, "y")
    for turn, text in ((first, "answer 1"), (second, "answer 61000")):
        row = find_turn(world.rows, turn)
        assert row is not None
        assert row.text == text
    assert find_turn(world.rows, EventId(handle("another"))) is None


def test_the_messages_of_a_span_of_time_are_those_of_its_answers() -> None:
    world = World()
    answered(world, 1, "a", "b")
    answered(world, 11, "c")
    asked(world, 21)
    assert [ref.key for ref in sent_between(world.rows, SESSION, 0, NOW, NOW + 12)] == ["a", "b", "c"]
    assert [ref.key for ref in sent_between(world.rows, SESSION, 0, NOW + 3, NOW + 100)] == ["c"]
    assert [ref.key for ref in sent_between(world.rows, SESSION, 0, NOW, NOW + 11)] == ["a", "b"]


def test_the_answer_s_own_time_is_never_after_its_withdrawal() -> None:
    world = World()
    answered(world, 5000, "x")
    withdrawn, redacted = withdraw(world.rows, gone("x"))
    assert withdrawn.event.said == redacted.event.said == NOW + 5001


def test_two_requests_for_one_answer_mint_the_same_ids() -> None:
    world = World()
    answered(world, 1, "x", "y")
    one, other = withdraw(world.rows, gone("x")), withdraw(world.rows, gone("y"))
    assert [each.id for each in one] == [each.id for each in other]
    assert all(isinstance(each, Draft) for each in one)
