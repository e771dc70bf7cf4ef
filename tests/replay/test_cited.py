"""A message that was edited is told as it now is; what was taken back, or cannot be read, is told as that."""

from collections.abc import Iterator

import msgspec
import pytest

from projections.decisions.hear import hear
from projections.events import ItemUpserted, MessageRedacted
from projections.events.values import OPERATOR, ItemUse
from projections.fold import Record
from projections.ids import EventId
from projections.lives import address_of
from replay.audit import audit, uses
from replay.chain import Node
from replay.cited import Cited
from replay.engine import Engine
from replay.reading import Reader
from tests.projections.items import ANN, HOME, an_item, quote
from tests.projections.test_hear import DM, said
from tests.replay.stage import FakeClock
from tests.replay.test_audit import answered, item_event, keep, life_of
from tests.replay.test_chain import extracts, hears, tree
from tests.world import NOW

TEA = an_item("likes tea")


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(FakeClock()) as made:
        yield made


def edits(engine: Engine, text: str, edited: int) -> Record:
    request = said("1", text=text, place=DM, fresh=(ANN,), edited=NOW + edited)
    return engine.record(lambda rows: hear(rows, request)).records[0]


def learns(engine: Engine, heard: EventId, text: str, *work: EventId) -> EventId:
    item = msgspec.structs.replace(TEA, evidence=(msgspec.structs.replace(quote(text), message=heard),))
    return keep(engine, item_event(ItemUpserted, item, *work, heard), f"learned from {text}")


def cites(engine: Engine) -> list[Cited]:
    """What the steps of the one item rest on, a message each."""
    with engine.reading() as rows:
        ((_, steps),) = audit(rows, Reader(engine.live), ANN)
    return [cited for step in steps for cited in step.cited]


def test_what_was_learned_from_an_edit_rests_on_it(engine: Engine) -> None:
    heard = hears(engine, "1", "coffee")
    edit = edits(engine, "tea", 5)
    learns(engine, heard, "tea")
    (one,) = cites(engine)
    assert (one.reading.id, one.reading.record, one.quotes, one.replaced) == (edit.id, edit, ("tea",), False)


def test_what_was_learned_before_an_edit_rests_on_what_is_gone(engine: Engine) -> None:
    heard = hears(engine, "1", "coffee")
    learns(engine, heard, "coffee")
    edits(engine, "tea", 5)
    learns(engine, heard, "tea")
    last = edits(engine, "water", 9)
    assert [(each.reading.id, each.quotes, each.replaced) for each in cites(engine)] == [
        (last.id, ("coffee",), True), (last.id, ("tea",), True),
    ]  # fmt: skip


def test_where_an_edit_left_the_words_they_are_cited_as_they_were_heard(engine: Engine) -> None:
    heard = hears(engine, "1", "coffee")
    learns(engine, heard, "coffee")
    edits(engine, "coffee", 5)
    assert [(each.reading.id, each.replaced) for each in cites(engine)] == [(heard, False)]


def test_what_was_taken_back_is_redacted_as_it_was_heard(engine: Engine) -> None:
    heard = hears(engine, "1", "coffee")
    learns(engine, heard, "coffee")
    edit = edits(engine, "tea", 5)
    keep(engine, MessageRedacted(said=NOW, by=OPERATOR, events=(edit.id,)), "taken back")
    assert [(each.reading.id, each.reading.state, each.replaced) for each in cites(engine)] == [
        (heard, "redacted", False)
    ]


def test_the_chain_leads_through_the_model_s_work_to_the_edit(engine: Engine) -> None:
    heard, other = hears(engine, "1", "coffee"), hears(engine, "2", "rain")
    edit = edits(engine, "tea", 5)
    work = extracts(engine, heard, other, causes=(edit.id,))
    learns(engine, heard, "tea", work)
    (event,) = tree(engine, address_of(TEA)).causes
    (worked,) = event.causes
    assert worked.beside == (other,)
    (told,) = worked.causes
    assert told == Node(reading=told.reading, quotes=("tea",))
    assert told.reading is not None
    assert told.reading.id == edit.id


@pytest.mark.parametrize("is_edited", [False, True])
def test_a_question_is_told_as_it_now_is(engine: Engine, is_edited: bool) -> None:
    heard = hears(engine, "1", "what do I drink?")
    tea = learns(engine, heard, "drink")
    lives = life_of(engine)
    keep(engine, answered(heard, ItemUse(ANN, HOME, TEA.id, tea), causes=(heard, tea)), "answered")
    edit = edits(engine, "what do you drink?", 5) if is_edited else None
    with engine.reading() as rows:
        (use,) = uses(rows, Reader(engine.live), lives)
    question = use.question
    assert question is not None
    assert (question.reading.id, question.replaced) == (edit.id if edit else heard, is_edited)
