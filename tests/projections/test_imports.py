"""Imports: begun, ended, broken off."""

from projections.events import ImportBegan, ImportEnded, MessageRedacted
from projections.events.values import OPERATOR, PLATFORM
from projections.fold import Record
from projections.ids import EventId, Seq
from projections.imports import IMPORTS, ImportRow, imports
from tests.world import NOW, World


def test_an_import_that_ended_says_from_when_its_words_are() -> None:
    world = World()
    first = world.add(ImportBegan(said=NOW, by=OPERATOR, formats=("locomo",)))[0].id
    assert imports(world.rows) == [ImportRow(first, first, ("locomo",), None)]
    [record] = world.add(
        ImportEnded(
            said=NOW + 5, by=OPERATOR, causes=(first,), began=first, formats=("locomo",),
            first_said=1, last_said=NOW - 1, messages=3, items=0, summaries=0,
        )
    )  # fmt: skip
    assert imports(world.rows) == [ImportRow(record.id, first, ("locomo",), (1, NOW - 1))]


def test_nothing_else_makes_one() -> None:
    event = EventId(bytes(16))
    other = MessageRedacted(said=NOW, by=PLATFORM, events=(event,))
    assert IMPORTS.rows(Record(Seq(1), event, NOW, other)) == []
