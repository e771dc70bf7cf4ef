"""What is still to be done of a conversation, from rows alone."""

from typing import Any

import pytest

from projections import pending
from projections.context import Request, assemble
from projections.decisions.answer import AnswerRequest, DeliverRequest, FailTurnRequest, answer, deliver, fail_turn
from projections.decisions.hear import DeletedRequest, HeardRequest, Mention, delete, hear, message_identity
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import MessageHeard, TurnAnswered
from projections.events.values import Audience, Limits, ModelUse
from projections.ids import NOBODY, Handle, Point, Ref
from projections.pending import is_settled, open_threads, undelivered
from projections.policies.compartments import Setting
from projections.retrieval import Vocabulary
from projections.said import latest_said, said_between
from projections.turns import answer_id
from tests.world import NOW, World, fresh

ADA = Account("discord", "100", "Ada")
KIM = Account("discord", "101", "Kim")
GUILD, PLACE = Ref("discord", "9"), Ref("discord", "7")
SEEN = PlaceSeen("discord", "7", "channel", "general", "guild", guild=GUILD)
SESSION = "discord:channel:7"
CALL = ModelUse("scripted", "1")


def say(world: World, key: str, text: str = "hello", said: int = NOW, **more: Any) -> Point:
    request = HeardRequest(key, SEEN, "person", ADA, text, said, fresh(salt=key), **more)
    world.decide(hear, request)
    return Point(said, world.ids.event_id(message_identity("discord", key, "heard", said)))


def speaker(world: World) -> Handle:
    event = next(each.event for each in world.records if isinstance(each.event, MessageHeard))
    assert isinstance(event, MessageHeard)
    return event.message.speaker


def answered(world: World, question: Point, text: str = "yes", asker: Handle | None = None) -> TurnAnswered:
    person = speaker(world) if asker is None else asker
    setting = Setting(person, Audience("guild", PLACE), GUILD)
    request = Request(setting, SESSION, question, "dnam", Vocabulary(frozenset(), frozenset()), "hello", Limits())
    context = assemble(world.rows, request)
    said = question.said + 1
    (turn,) = world.decide(answer, AnswerRequest(
        question, SESSION, PLACE, setting.audience, GUILD, person, text, context, CALL, Limits(), said, "dnam"
    ))  # fmt: skip
    assert isinstance(turn, TurnAnswered)
    return turn


def arrived(world: World, question: Point) -> None:
    turn = answer_id(world.rows.ids, question)
    request = DeliverRequest(turn, SESSION, Audience("guild", PLACE), 0, speaker(world), (), question.said + 2)
    world.decide(deliver, request)


def test_a_question_is_settled_by_an_answer_or_a_failure() -> None:
    world = World()
    first, second = say(world, "1"), say(world, "2", said=NOW + 9)
    assert not is_settled(world.rows, first)
    answered(world, first)
    assert (is_settled(world.rows, first), is_settled(world.rows, second)) == (True, False)
    audience = Audience("guild", PLACE)
    world.decide(fail_turn, FailTurnRequest(second, SESSION, PLACE, audience, speaker(world), "down", CALL, NOW + 10))
    assert is_settled(world.rows, second)


def test_an_answer_waits_until_it_arrived() -> None:
    world = World()
    question = say(world, "1", "do you know ", mentions=(Mention(12, KIM),))
    turn = answered(world, question, "Kim is nice")
    assert turn.text == " is nice"
    (waiting,) = undelivered(world.rows, SESSION, NOW)
    assert (waiting.text, waiting.question.ref.key) == ("@Kim is nice", "1")
    assert waiting.turn.event == answer_id(world.rows.ids, question)
    assert undelivered(world.rows, SESSION, NOW + 60_000) == []
    arrived(world, question)
    assert undelivered(world.rows, SESSION, NOW) == []


def test_whose_question_is_gone_took_it_back() -> None:
    world = World()
    answered(world, say(world, "1"))
    world.decide(delete, DeletedRequest("discord", "1", SESSION, NOW, NOW + 5))
    assert undelivered(world.rows, SESSION, NOW) == []


def test_nobody_is_not_sent_anything_a_second_time() -> None:
    world = World()
    answered(world, say(world, "1"), "", NOBODY)
    assert undelivered(world.rows, SESSION, NOW) == []


def test_a_question_is_found_on_either_side_of_the_first_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    answered(world, say(world, "1"))
    answered(world, say(world, "2", said=NOW + 50))
    assert [each.question.ref.key for each in undelivered(world.rows, SESSION, NOW)] == ["1", "2"]
    monkeypatch.setattr(pending, "REACH", 1)
    assert [each.question.ref.key for each in undelivered(world.rows, SESSION, NOW)] == ["1", "2"]


@pytest.mark.parametrize(("addressed", "is_open"), [(True, True), (False, False)])
def test_a_thread_in_which_a_question_has_no_answer_is_open(addressed: bool, is_open: bool) -> None:
    world = World()
    thread = SEEN._replace(key="8", kind="thread", parent=PLACE)
    say(world, "1", addressed=True)  # in no thread
    world.decide(hear, HeardRequest("2", thread, "person", ADA, "roses?", NOW, fresh(salt="2"), addressed=addressed))
    assert open_threads(world.rows, GUILD, NOW) == ([Ref("discord", "8")] if is_open else [])
    assert open_threads(world.rows, GUILD, NOW + 1) == open_threads(world.rows, Ref("discord", "1"), NOW) == []


def test_what_was_said_in_a_span_of_time() -> None:
    world = World()
    for number in range(5):
        say(world, str(number), said=NOW + number)
    found = said_between(world.rows, SESSION, 0, NOW + 1, NOW + 3)
    assert [each.ref.key for each in found] == ["1", "2", "3"]
    assert said_between(world.rows, SESSION, 0, NOW + 4, NOW + 9)[0].ref.key == "4"
    assert [each.ref.key for each in latest_said(world.rows, SESSION, 0, 2)] == ["4", "3"]
