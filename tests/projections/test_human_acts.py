"""What of the events a person did, and which item they meant."""

from typing import Any

import pytest

from projections.events import (
    EVENTS,
    Event,
    ItemDeprecated,
    ItemForgotten,
    ItemMoved,
    ItemRedacted,
    ItemRemembered,
    ItemUpserted,
    MessageDeleted,
    SummaryReset,
)
from projections.events.values import OPERATOR, PLATFORM, Audience, By, Intent, Saw
from projections.ids import NOBODY, Ref
from projections.items import ItemRow
from projections.policies.human_acts import HUMAN_ACTS, read_human
from projections.policies.meant import BY_WORDS, WAYS, Found, Seen, elsewhere, find, here, seen_in
from tests.projections.items import ANN, HOME, MODEL, PERSON, WIDE, a_row, message, quote
from tests.projections.shadowed import learned, same_but
from tests.world import NOW

POLICY = By("policy", name="audience", version="1")
TEA = learned("likes tea", "m1", "m2")
SHARE = Intent("share", chosen=TEA.id)
AUDIENCE = Audience("channel", Ref("discord", "1"))


def test_every_event_of_an_item_and_of_a_summary_is_judged_and_no_other() -> None:
    judged = {each for each in EVENTS if each.TAG.startswith(("item.", "summary."))}
    assert set(HUMAN_ACTS) == judged
    assert all(each.why for each in HUMAN_ACTS.values())


@pytest.mark.parametrize(
    ("event", "human"),
    [
        (ItemRemembered(said=NOW, by=PERSON, item=TEA), True),
        (ItemUpserted(said=NOW, by=MODEL, item=TEA), False),
        (ItemUpserted(said=NOW, by=PERSON, item=TEA), True),
        (ItemUpserted(said=NOW, by=OPERATOR, item=TEA), True),
        (ItemDeprecated(said=NOW, by=OPERATOR, item=TEA), True),
        (ItemDeprecated(said=NOW, by=MODEL, item=TEA), False),
        (ItemForgotten(said=NOW, by=OPERATOR, item=TEA), True),
        (ItemMoved(said=NOW, by=POLICY, item=TEA, from_compartment=WIDE, from_id="x"), False),
        (ItemMoved(said=NOW, by=PERSON, item=TEA, from_compartment=WIDE, from_id="x", intent=SHARE), True),
        (ItemMoved(said=NOW, by=PERSON, item=TEA, from_compartment=WIDE, from_id="x"), False),
        (ItemRedacted(said=NOW, by=POLICY, item=TEA), False),
        (ItemRedacted(said=NOW, by=POLICY, item=same_but(TEA, kept=True)), True),
        (ItemRedacted(said=NOW, by=POLICY, item=same_but(TEA, status="forgotten")), True),
        (ItemRedacted(said=NOW, by=POLICY, item=TEA, refuses=True), True),
        (ItemRedacted(said=NOW, by=POLICY, item=TEA, intent=SHARE), True),
        (SummaryReset(said=NOW, by=PERSON, session="s", audience=AUDIENCE, era=1, upto=None), True),
        (
            MessageDeleted(said=NOW, by=PLATFORM, session="s", audience=AUDIENCE, heard=message("m"), heard_said=NOW),
            False,
        ),
    ],
)
def test_who_did_it_decides(event: Event, human: bool) -> None:
    assert read_human(event) is human


def seen(**fields: Any) -> Seen:
    return Seen(ANN, HOME, TEA.id, "likes tea", "fact", frozenset({message("m1"), message("m2")}))._replace(**fields)


def made(text: str, *messages: str, **fields: Any) -> ItemRow:
    """A row that a model made."""
    item = learned(text, *messages, **fields)
    return ItemRow(message(f"{item.compartment} {item.id}"), "item.upserted", NOW, MODEL, item, "", "", None)


@pytest.mark.parametrize(
    ("rows", "meant", "way"),
    [
        ([made("is fond of tea", id=TEA.id), made("Likes tea", id="b")], [TEA.id], "found by its id"),
        (
            [made("Likes  TEA", id="b"), made("likes tea", id="a"), made("likes teas", id="c")],
            ["b", "a"],
            "found by its text",
        ),
        (
            [made("likes teas", id="c"), made("likes te", id="d"), made("is fond of tea", "m1")],
            ["c", "d"],
            "found by most of its text",
        ),
        (
            [made("x", "m1", id="a"), made("y", "m1", "m2", id="b"), made("z", "m1", "m2", "m3", id="c")],
            ["b"],
            "found by what it rests on",
        ),
        ([made("x", "m1", id="b"), made("y", "m1", id="a")], ["a"], "found by what it rests on"),
        ([made("x", "m1", id="b"), made("y", "m1", id="a", kind="project")], ["b"], "found by what it rests on"),
        ([made("x", "m1", status="deprecated"), made("y"), made("z", "m3"), a_row("w", evidence=TEA.evidence)], [], ""),
        ([], [], ""),
    ],
)
def test_one_way_after_the_other(rows: list[ItemRow], meant: list[str], way: str) -> None:
    found = find(rows, seen(), WAYS)
    assert ([row.item.id for row in found.rows], found.reason) == (meant, way)
    if way == WAYS[-1][1]:
        assert find(rows, seen(), BY_WORDS) == Found()


def test_no_words_are_found_by_no_words() -> None:
    assert find([made(" ", id="b")], seen(text=""), BY_WORDS) == Found()


def test_elsewhere_is_what_a_model_made_of_somebody() -> None:
    rows = [made("a"), made("b", compartment=WIDE), a_row("c", compartment=WIDE)]
    assert here(rows, seen()) == rows[:1]
    assert elsewhere(rows, seen()) == rows[1:2]
    assert elsewhere(rows, seen(owner=NOBODY)) == []


def test_what_was_seen_is_told_by_the_act_or_else_by_the_item() -> None:
    saw = Saw("likes mint", "preference", WIDE, (quote("mint", "m3"),))
    told = ItemForgotten(said=NOW, by=PERSON, item=TEA, intent=Intent("forget", saw=saw))
    assert seen_in(told) == seen(text="likes mint", kind="preference", messages=frozenset({message("m3")}))
    assert seen_in(ItemForgotten(said=NOW, by=PERSON, item=TEA)) == seen()
    assert seen_in(ItemUpserted(said=NOW, by=PERSON, item=TEA, intent=SHARE)).text == ""
    moved = ItemMoved(said=NOW, by=PERSON, item=TEA, from_compartment=WIDE, from_id="x", intent=SHARE)
    assert seen_in(moved) == seen(compartment=WIDE, id="x")
