"""Taking back what came of a message, of an answer, of an item's event or a tool's call."""

from typing import Any

import msgspec
import pytest

from projections.events import (
    ItemUpserted,
    ToolCalled,
    TurnAnswered,
)
from projections.events.values import Limits, Source
from projections.ids import EventId
from tests.projections.items import an_item
from tests.projections.learning import CALL, HERE, HOME, LATER, MODEL, SESSION
from tests.projections.reverting import Reverting, edits, teaches


@pytest.fixture
def town() -> Reverting:
    return Reverting()


# -- of what was said ----------------------------------------------------------------------------------------------


def test_of_a_message_goes_what_rests_on_it_alone(town: Reverting) -> None:
    town.learned("User lives in Paris.")
    rome, both, chess = town.says("Rome!"), town.says("tea"), town.says("and chess")
    town.reads(
        [rome, both, chess],
        {"text": "User lives in Rome.", "evidence": "Rome!", "supersedes": ["User lives in Paris."]},
        {"text": "User likes tea.", "evidence": [{"quote": "tea"}, {"quote": "and chess"}]},
        {"text": "User plays chess.", "evidence": "and chess"},
    )
    town.revert(rome.id)
    assert town.texts() == ["User likes tea.", "User lives in Paris.", "User plays chess."]
    town.revert(chess.id)
    assert town.texts() == ["User likes tea.", "User lives in Paris."]
    assert town.tags(both.id) == []


def test_an_edited_message_is_the_message(town: Reverting) -> None:
    point = town.says("tea and cake")
    town.edits(point, "tea and buns")
    town.reads([point], {"text": "User likes tea.", "evidence": "tea and buns"})
    assert town.tags(town.last("message.edited")) == ["item.upserted"]


def test_of_one_s_own_keeping_of_a_message_nothing_comes(town: Reverting) -> None:
    point = town.learned("User likes tea.")
    edits(town, "tea", "User likes green tea.")
    row = town.item("green tea")
    event = ItemUpserted(said=LATER, by=row.by, causes=(point.id,), item=row.item, intent=row.intent)
    town.world.add(event)
    assert town.tags(point.id) == ["item.upserted"]
    assert town.left(point.id) == {"User likes green tea.": "a person changed it since"}


def test_of_an_item_event_it_goes_itself(town: Reverting) -> None:
    teaches(town, "I am a cat", "User is a cat.")
    town.revert(town.last("item.upserted"))
    assert town.texts() == []


def test_what_nothing_came_of(town: Reverting) -> None:
    point = town.says("hello")
    assert town.came_of(point.id, town.world.records[0].id) == ({}, {})
    assert town.revert(point.id) == []


# -- what an answer's tools noted down -----------------------------------------------------------------------------


def answered_with_a_note(town: Reverting) -> EventId:
    """A question, a tool's note, a search, and the answer."""
    question = town.says("note that I like tea")
    common: dict[str, Any] = {
        "said": question.said + 1, "by": MODEL, "session": SESSION, "place": HERE.place, "audience": HERE, "era": 0,
        "asker": town.ada, "answers": question.id, "input": "{}",
    }  # fmt: skip
    note, search = town.world.add(
        ToolCalled(causes=(question.id,), tool="remember", outcome="written", **common),
        ToolCalled(causes=(question.id,), tool="search", outcome="found", number=2, **common),
    )
    item = msgspec.structs.replace(
        an_item("User likes tea."), owner=town.ada, compartment=HOME, source=Source("discord")
    )
    town.world.add(ItemUpserted(said=question.said + 1, by=MODEL, causes=(note.id, question.id), item=item))
    turn = TurnAnswered(
        **{key: value for key, value in common.items() if key != "input"},
        causes=(question.id, note.id, search.id), text="noted", call=CALL, limits=Limits(),
    )  # fmt: skip
    return town.world.add(turn)[0].id


def test_of_an_answer_goes_what_its_tools_noted(town: Reverting) -> None:
    turn = answered_with_a_note(town)
    assert town.tags(turn) == ["item.upserted"]
    assert town.tags(town.last("message.heard")) == ["item.upserted"]
    town.revert(turn)
    assert town.texts() == []


def test_of_a_tool_s_call_goes_what_it_noted(town: Reverting) -> None:
    answered_with_a_note(town)
    calls = [each.id for each in town.world.records if each.event.TAG == "tool.called"]
    assert [town.tags(each) for each in calls] == [["item.upserted"], []]
