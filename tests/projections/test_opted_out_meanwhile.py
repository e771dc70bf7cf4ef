"""Who opts out between their question and what becomes of it is nobody: what it took is recorded, and no more."""

from collections.abc import Callable

import pytest

from projections.calls import calls
from projections.decisions.answer import (
    AnswerRequest,
    DeliverRequest,
    FailTurnRequest,
    InterruptRequest,
    answer,
    deliver,
    fail_turn,
    interrupt_turn,
)
from projections.decisions.consent import ConsentRequest, opt_in, opt_out
from projections.decisions.draft import Draft
from projections.events import Event, TurnAnswered, TurnDelivered, TurnFailed, TurnInterrupted
from projections.events.values import Audience, ModelUse
from projections.ids import NOBODY, EventId, Handle, Ref
from projections.pending import is_settled, undelivered
from projections.rows import Rows
from projections.turns import asked_after, turns_after
from projections.vaults import home
from tests.projections.test_hear import SESSION, ask
from tests.world import NOW, World, origin

TOOK = ModelUse("haiku", "7", prompt_digest=b"d" * 32, cost_micros=7)
NOBODYS = "discord:dm:"
Consenting = Callable[[Rows, ConsentRequest], list[Draft]]


@pytest.fixture
def world() -> World:
    return World()


def asked(world: World, *, direct: bool = False) -> AnswerRequest:
    request = ask(world)._replace(call=TOOK, besides=("guild/discord:9",))
    if not direct:
        return request
    place = Ref("discord", f"dm:{request.asker.hex()}")
    audience = Audience("direct", place)
    return request._replace(session=f"discord:{place.key}", place=place, audience=audience, guild=None)


def opts(world: World, person: Handle, decide: Consenting = opt_out) -> None:
    assert world.decide(decide, ConsentRequest(NOW + 1, origin(decide.__name__), person))


def names(event: Event, person: Handle) -> bool:
    """Whether a person is named in an event, by their handle or in a place's name."""
    return person in home(event).people or person.hex() in repr(event) or repr(bytes(person)) in repr(event)


@pytest.mark.parametrize("direct", [False, True])
def test_of_an_answer_what_it_took_is_recorded(world: World, direct: bool) -> None:
    request = asked(world, direct=direct)
    opts(world, request.asker)
    (turn,) = world.decide(answer, request)
    assert isinstance(turn, TurnAnswered)
    assert (turn.asker, turn.text, turn.causes, turn.items, turn.besides) == (NOBODY, "", (), (), ())
    assert (turn.call, len(turn.nonce)) == (ModelUse("haiku", "7", cost_micros=7), 25)
    assert turn.session == (NOBODYS if direct else SESSION)
    assert turn.place == (Ref("discord", "dm:") if direct else request.place)
    assert not names(turn, request.asker)
    assert [call.cost_micros for call in calls(world.rows)] == [7]
    assert list(asked_after(world.rows, request.asker, None)) == []
    assert is_settled(world.rows, request.question)
    assert world.decide(answer, request) == []


@pytest.mark.parametrize("direct", [False, True])
def test_nor_does_a_failure_or_what_was_broken_off_name_them(world: World, direct: bool) -> None:
    it = asked(world, direct=direct)
    opts(world, it.asker)
    given_up = FailTurnRequest(it.question, it.session, it.place, it.audience, it.asker, "529", TOOK, NOW, "Not now.")
    broken_off = InterruptRequest(it.question, it.session, it.audience, it.asker, TOOK, NOW)
    (interrupted,) = world.decide(interrupt_turn, broken_off)
    (failed,) = world.decide(fail_turn, given_up)
    assert isinstance(interrupted, TurnInterrupted)
    assert isinstance(failed, TurnFailed)
    for event in (interrupted, failed):
        assert (event.asker, event.causes, event.session) == (NOBODY, (), NOBODYS if direct else SESSION)
        assert event.call == ModelUse("haiku", "7", cost_micros=7)
        assert not names(event, it.asker)
    assert is_settled(world.rows, it.question)


def delivered(world: World, request: AnswerRequest) -> list[Event]:
    row = next(iter(turns_after(world.rows, request.session, 0, None))).row
    return list(
        world.decide(
            deliver, DeliverRequest(row.event, request.session, request.audience, 0, request.asker, (), NOW + 5)
        )
    )


def test_where_others_read_its_delivery_names_nobody(world: World) -> None:
    request = asked(world)
    opts(world, request.asker)
    world.decide(answer, request)
    (event,) = delivered(world, request)
    assert isinstance(event, TurnDelivered)
    assert event.asker == NOBODY


def test_who_opts_out_before_an_answer_arrived_is_not_sent_it_again(world: World) -> None:
    request = asked(world)
    world.decide(answer, request)
    (waiting,) = undelivered(world.rows, SESSION, NOW)
    assert waiting.turn.asker == request.asker
    opts(world, request.asker)
    assert undelivered(world.rows, SESSION, NOW) == []


def test_in_a_dm_no_delivery_is_recorded(world: World) -> None:
    request = asked(world, direct=True)
    world.decide(answer, request)
    opts(world, request.asker)
    assert delivered(world, request) == []


def test_who_is_back_in_is_recorded(world: World) -> None:
    request = asked(world)
    opts(world, request.asker)
    opts(world, request.asker, opt_in)
    (turn,) = world.decide(answer, request)
    assert isinstance(turn, TurnAnswered)
    assert (turn.asker, turn.text, EventId(request.question.id) in turn.causes) == (request.asker, "hi!", True)
