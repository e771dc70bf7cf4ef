"""The example in the extraction's prompt: what it replies is what this program takes."""

import json
from typing import Any

import msgspec

from dnam.guarding import guarding_of
from dnam.languages import load as load_language
from dnam.learning.tending import EXTRACTION_PROMPT
from dnam.prompts import load
from dnam.sharing import sharing_of
from projections.decisions.extraction import ExtractionRequest, extract
from projections.events import ItemMoved, ItemUpserted
from projections.ids import EventId, Ref
from projections.items import items_of
from projections.policies.evidence import InputMessage
from projections.policies.reply_shapes import AskedExtraction
from tests.projections.items import ANN, MODEL, WIDE
from tests.world import NOW, World, handle, origin

GARDEN = "guild/discord:g"
ENGLISH = load_language("en")


def example() -> tuple[list[dict[str, str]], str]:
    """The lines that it shows, and the reply."""
    text = load(EXTRACTION_PROMPT).text.partition("An example. From the lines\n")[2]
    lines, end = json.JSONDecoder().raw_decode(text.lstrip())
    reply: Any = json.JSONDecoder().raw_decode(text, text.index("{", end + 2))[0]
    return lines, json.dumps(reply)


def test_it_has_the_form_that_is_asked_for_and_every_quote_stands_in_its_line() -> None:
    lines, reply = example()
    said = {each["id"]: each["text"] for each in lines}
    notes = msgspec.json.decode(reply, type=AskedExtraction).upserts
    assert all(each.quote in said[each.message] for note in notes for each in note.evidence)
    assert [note.source for note in notes] == [note.evidence[0].message for note in notes]


def test_all_three_notes_are_learned_and_the_one_to_share_follows_its_person() -> None:
    lines, reply = example()
    inputs = tuple(
        InputMessage(EventId(handle(each["id"])), each["text"], Ref("discord", each["id"]), NOW) for each in lines
    )
    guarding, sharing = guarding_of(ENGLISH), sharing_of(ENGLISH)
    world = World()
    request = ExtractionRequest(
        ANN, GARDEN, reply, inputs, MODEL, origin("example"), guarding=guarding, sharing=sharing
    )
    events = world.decide(extract, request)
    assert [type(event) for event in events] == [ItemUpserted, ItemMoved, ItemUpserted, ItemUpserted]
    kept = {
        (item.type, item.confidence, item.compartment) for item in (each.row.item for each in items_of(world.rows, ANN))
    }
    assert kept == {("semantic", 1000, WIDE), ("episodic", 1000, GARDEN), ("semantic", 800, GARDEN)}
