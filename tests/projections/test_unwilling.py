"""Nothing of theirs is recorded who opted out: no item by hand, no words of theirs as lore, no causes of a turn."""

from collections.abc import Callable
from typing import Any

import pytest

from projections.decisions.answer import DeliverRequest, answer, deliver
from projections.decisions.consent import ConsentRequest, opt_in, opt_out
from projections.decisions.remember import UNWILLING, edit, forget, remember, restore
from projections.errors import BadRequest
from projections.events import PersonSeen, TurnAnswered, TurnDelivered
from projections.events.values import OPERATOR, PLATFORM, By, FileDigest, ModelUse
from projections.ids import NOBODY, EventId, Handle, Point, Ref
from projections.pending import is_settled
from tests.projections.items import ANN, BOB, row_of, statuses
from tests.projections.test_hear import ask
from tests.projections.test_lore import by_hand
from tests.projections.test_remember import please_edit, please_forget, please_remember, please_restore
from tests.world import NOW, World, origin

TEA, COFFEE = "I drink tea", "I drink coffee"


@pytest.fixture
def world() -> World:
    """Ann, with an item that stands and one that she forgot, and Bob."""
    world = World()
    for person, name in ((ANN, "ann"), (BOB, "bob")):
        world.add(PersonSeen(said=NOW, by=PLATFORM, person=person, platform="discord", platform_id=name, name=name))
    for text in (TEA, COFFEE):
        world.decide(remember, please_remember(text))
    world.decide(forget, please_forget(COFFEE))
    return world


def goes_out(world: World, person: Handle) -> None:
    world.decide(opt_out, ConsentRequest(NOW, origin("out"), person))


def id_of(world: World, text: str) -> str:
    return row_of(world, text).item.id


ACTS: dict[str, tuple[Any, Callable[[World], Any]]] = {
    "remember": (remember, lambda _: please_remember("I like rain")),
    "remember, by the operator": (remember, lambda _: please_remember("I like rain", by=OPERATOR)),
    "say it again": (remember, lambda _: please_remember(TEA, name="again")),
    "edit": (edit, lambda world: please_edit(id_of(world, TEA), "I drink juice")),
    "edit, by the operator": (edit, lambda world: please_edit(id_of(world, TEA), "I drink juice", by=OPERATOR)),
    "restore": (restore, lambda world: please_restore(id_of(world, COFFEE))),
    "their words, as lore": (remember, lambda _: by_hand(by=OPERATOR, speakers=(ANN,))),
    "lore of their own hand": (remember, lambda _: by_hand(by=By("person", ANN))),
}


@pytest.mark.parametrize("act", ACTS)
def test_who_opted_out_gets_nothing_new(world: World, act: str) -> None:
    decide, asked = ACTS[act]
    request = asked(world)
    goes_out(world, ANN)
    with pytest.raises(BadRequest, match=UNWILLING):
        decide(world.rows, request)
    world.decide(opt_in, ConsentRequest(NOW, origin("in"), ANN))
    assert world.decide(decide, request)


@pytest.mark.parametrize("act", ACTS)
def test_that_another_did_hinders_nobody(world: World, act: str) -> None:
    decide, asked = ACTS[act]
    goes_out(world, BOB)
    assert world.decide(decide, asked(world))


def test_they_may_forget(world: World) -> None:
    goes_out(world, ANN)
    assert world.decide(forget, please_forget(TEA))
    assert set(statuses(world).values()) == {"forgotten"}


# -- turns -----------------------------------------------------------------------------------------------------------


def test_of_an_answer_in_a_channel_only_what_it_took_and_its_nonce_are_kept() -> None:
    """The question was never recorded, and its asker is nobody; the words that the answer drew on are others'."""
    world = World()
    asked = ask(world)
    files, took = (FileDigest("/core.md", b"d" * 32),), ModelUse("haiku", "7", prompt_digest=b"d" * 32, cost_micros=7)
    question = Point(NOW + 1, EventId(b"q" * 16))
    request = asked._replace(asker=NOBODY, question=question, files=files, call=took, besides=("guild/discord:9",))
    assert asked.context.causes
    (turn,) = world.decide(answer, request)
    assert isinstance(turn, TurnAnswered)
    assert (turn.text, turn.causes, turn.items, turn.left_out, turn.spans) == ("", (), (), (), ())
    assert (turn.context_digest, turn.files, turn.besides) == (b"", (), ())
    assert (turn.call, len(turn.nonce)) == (ModelUse("haiku", "7", cost_micros=7), 25)
    assert is_settled(world.rows, question)
    assert world.decide(answer, request) == []


def test_its_messages_are_named_so_that_it_is_not_heard_again_with_all_its_words() -> None:
    world = World()
    asked = ask(world)
    world.decide(answer, asked._replace(asker=NOBODY))
    turn = EventId(world.records[-1].id)
    request = DeliverRequest(turn, asked.session, asked.audience, 0, NOBODY, (Ref("discord", "88"),), NOW + 5)
    (event,) = world.decide(deliver, request)
    assert isinstance(event, TurnDelivered)
    assert (event.asker, event.messages) == (NOBODY, (Ref("discord", "88"),))
