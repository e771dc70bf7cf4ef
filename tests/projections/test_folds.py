"""What holds for every projection there is."""

import pytest

from projections.decisions.answer import answer
from projections.decisions.hear import hear
from projections.events import EVENTS, ErasureCompleted
from projections.events.values import OPERATOR
from projections.fold import AnyProjection, Record
from projections.ids import EventId, Seq
from projections.messages import MessageRow
from projections.registry import FOLD, PROJECTIONS
from projections.rows import after_prefix
from projections.said import forwards
from tests.projections.test_hear import SESSION, ask, said
from tests.world import NOW, World


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.table)
def test_an_event_that_a_projection_does_not_see_makes_nothing(projection: AnyProjection) -> None:
    record = Record(Seq(1), EventId(bytes(16)), NOW, ErasureCompleted(said=NOW, by=OPERATOR, erased=EventId(b"")))
    assert projection.rows(record) == []


def test_tables_have_distinct_names_and_their_keys_one_length() -> None:
    world = World()
    world.decide(answer, ask(world))
    assert len({projection.table for projection in PROJECTIONS}) == len(PROJECTIONS)
    for projection in FOLD.projections:
        keys = [key for key, _ in world.raw.scan(projection.table, b"", after_prefix(b""))]
        assert {len(key) for key in keys} <= {projection.key_size}


def test_the_collector_of_garbage_need_not_look_at_events_and_rows() -> None:
    kinds = [*EVENTS, *(each.row for each in PROJECTIONS)]
    assert [each for each in kinds if each.__struct_config__.gc] == []


def test_a_session_reads_forwards_with_its_answers_in_place() -> None:
    world = World()
    world.decide(answer, ask(world))
    world.decide(hear, said("2", "thanks", said=NOW + 50))
    texts = [entry.row.text if hasattr(entry.row, "text") else entry.row.message.text
             for entry in forwards(world.rows, SESSION, 0, None)]  # fmt: skip
    assert texts == ["hello", "hi!", "thanks"]


def test_a_session_reads_forwards_where_nothing_was_answered() -> None:
    world = World()
    for number, text in enumerate(("hello", "thanks")):
        world.decide(hear, said(str(number), text, said=NOW + number))
    rows = [entry.row for entry in forwards(world.rows, SESSION, 0, None)]
    assert [row.message.text for row in rows if isinstance(row, MessageRow)] == ["hello", "thanks"]
