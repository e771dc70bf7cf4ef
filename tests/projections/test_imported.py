"""Items from another program's files."""

from typing import Any

import pytest

from projections.decisions.imported import ImportItemRequest, import_item
from projections.decisions.remember import ForgetRequest, forget
from projections.errors import BadRequest
from projections.events import ItemDeprecated, ItemEvicted, ItemUpserted
from projections.events.values import OPERATOR, Source
from projections.ids import NOBODY, Ref
from projections.policies.compartments import Opening
from projections.policies.text import MOST_ITEM_CHARS
from tests.projections.items import ANN, HOME, PERSON, an_item, row_of, statuses, there_is
from tests.world import NOW, World, origin

SOURCE = Source("discord", Ref("discord", "1"), Ref("discord", "2"))


def please_import(text: str = "likes tea", **fields: Any) -> ImportItemRequest:
    return ImportItemRequest(
        user="42",
        owner=ANN,
        compartment=HOME,
        id="stable_string_id",
        kind="Preference",
        text=text,
        status="active",
        created=NOW - 5,
        updated=NOW,
        source=SOURCE,
        tags=("Drinks",),
        hits=3,
        last_hit=NOW - 1,
    )._replace(**fields)


def test_id_state_and_times_are_kept() -> None:
    world = World()
    (event,) = world.decide(import_item, please_import(" likes\ttea "))
    assert isinstance(event, ItemUpserted)
    item = event.item
    assert (item.id, item.kind, item.text, item.tags) == ("stable_string_id", "preference", "likes tea", ("drinks",))
    assert (item.created, item.updated, item.hits, item.last_hit, item.source) == (NOW - 5, NOW, 3, NOW - 1, SOURCE)
    assert (event.said, event.by, event.policy) == (NOW, OPERATOR, "imported@1")


def test_nothing_is_kept_for_nobody() -> None:
    assert World().decide(import_item, please_import(owner=NOBODY)) == []


def test_deprecated_ones_stay_deprecated() -> None:
    (event,) = World().decide(import_item, please_import(status="deprecated"))
    assert isinstance(event, ItemDeprecated)
    assert event.item.status == "deprecated"


def test_the_same_file_twice_is_nothing_and_a_newer_one_is_the_difference() -> None:
    world = World()
    assert len(world.decide(import_item, please_import())) == 1
    assert world.decide(import_item, please_import()) == []
    assert len(world.decide(import_item, please_import("likes coffee", updated=NOW + 1))) == 1
    assert statuses(world) == {"likes coffee": "active"}
    assert world.decide(import_item, please_import("older", updated=NOW - 1)) == []


@pytest.mark.parametrize(("live", "kept"), [(NOW - 1, "likes tea"), (NOW, "live"), (NOW + 1, "live")])
def test_what_the_live_memory_has_as_new_is_left_alone(live: int, kept: str) -> None:
    world = World()
    there_is(world, an_item("live", id="stable_string_id", updated=live))
    world.decide(import_item, please_import())
    assert list(statuses(world)) == [kept]


def test_what_its_person_forgot_stays_forgotten() -> None:
    world = World()
    world.decide(import_item, please_import())
    world.decide(forget, ForgetRequest(ANN, (Opening(ANN, HOME),), PERSON, NOW, origin("f"), "likes tea"))
    assert world.decide(import_item, please_import(updated=NOW + 9)) == []
    assert row_of(world, "likes tea").item.status == "forgotten"


@pytest.mark.parametrize("fields", [{"text": " "}, {"id": ""}, {"text": "x" * (MOST_ITEM_CHARS + 1)}])
def test_what_cannot_be_an_item_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(BadRequest, match=r"cannot be imported|stable_string_id is too long"):
        World().decide(import_item, please_import(**fields))


def test_an_import_keeps_to_the_cap() -> None:
    world = World()
    there_is(world, an_item("old", updated=NOW - 9))
    events = world.decide(import_item, please_import(cap=1))
    assert [type(each) for each in events] == [ItemUpserted, ItemEvicted]
