"""What an encoder took is recorded once, is on the bill, and says nothing of what it was asked with."""

from typing import Any

import pytest

from projections.calls import calls
from projections.decisions.consent import BY_THEMSELF, ConsentRequest, opt_out
from projections.decisions.encoding import EncodingRequest, record_encoding
from projections.decisions.meet import Account, meet
from projections.events import TextsEncoded
from projections.events.values import ModelUse
from projections.ids import NOBODY, EventId
from tests.world import NOW, World, fresh, handle, origin

USE = ModelUse("voyage-3.5-lite", "1024", tokens_in=1_000, latency_ms=80, cost_micros=20)
KIM = Account("discord", "1", "Kim")


def asked(name: str = "1", **fields: Any) -> EncodingRequest:
    return EncodingRequest(USE, "document", 128, NOW, origin(name))._replace(**fields)


def test_it_is_recorded_once_and_stands_on_the_bill() -> None:
    world = World()
    (event,) = world.decide(record_encoding, asked())
    assert isinstance(event, TextsEncoded)
    assert (event.call, event.kind, event.texts, event.person, event.causes) == (USE, "document", 128, NOBODY, ())
    assert world.decide(record_encoding, asked()) == []
    (call,) = calls(world.rows)
    assert (call.work, call.model, call.tokens_in, call.cost_micros) == ("encoding", "voyage-3.5-lite", 1_000, 20)
    assert not call.failed


def test_what_a_question_took_is_its_asker_s_and_caused_by_it() -> None:
    world = World()
    question, kim = EventId(handle("question")), handle("kim")
    (event,) = world.decide(record_encoding, asked(kind="query", texts=1, person=kim, causes=(question,)))
    assert isinstance(event, TextsEncoded)
    assert (event.person, event.causes) == (kim, (question,))
    assert [call.person for call in calls(world.rows)] == [kim]


@pytest.mark.parametrize("failed", [True, False])
def test_an_answer_of_no_use_is_paid_for_too(failed: bool) -> None:
    world = World()
    world.decide(record_encoding, asked(failed=failed))
    assert [call.failed for call in calls(world.rows)] == [failed]


def test_who_opted_out_meanwhile_is_nobody_in_it() -> None:
    world = World()
    (person,) = fresh(1)
    world.decide(lambda rows, _: meet(rows, KIM, origin("met"), (person,), NOW), None)
    world.decide(opt_out, ConsentRequest(NOW, origin("out"), person, by=BY_THEMSELF))
    (event,) = world.decide(record_encoding, asked(person=person))
    assert isinstance(event, TextsEncoded)
    assert event.person == NOBODY
