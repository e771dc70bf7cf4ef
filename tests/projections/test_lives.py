"""Lives of items: given these events, then these lives."""

from typing import Any

import msgspec
import pytest

from projections.decisions.adopted import VERSION
from projections.events import (
    ItemDeprecated,
    ItemEvent,
    ItemEvicted,
    ItemForgotten,
    ItemMerged,
    ItemMoved,
    ItemRefused,
    ItemRemembered,
    ItemRestored,
    ItemReverted,
    ItemUpserted,
    ItemWithdrawn,
)
from projections.events.event import Event
from projections.events.values import OPERATOR, Item, RowWas
from projections.fold import Record
from projections.ids import EventId, Seq
from projections.lives import ADOPTION, Life, Step, address_of, changed_fields, key_of, lives, ordered, with_refusals
from tests.projections.items import ANN, HOME, MODEL, PERSON, WIDE, an_item, quote
from tests.world import NOW, handle

TEA, RAIN = an_item("likes tea"), an_item("hates rain")


def record(seq: int, event: Event) -> Record:
    return Record(Seq(seq), EventId(handle(f"event {seq}")), NOW, event)


def told(*events: Event) -> list[Record]:
    return [record(seq, event) for seq, event in enumerate(events, 1)]


def happens(kind: type[ItemEvent], item: Item, said: int = NOW, **fields: Any) -> Event:
    more: dict[str, Any] = {"cap": 200} if kind is ItemEvicted else {}
    return kind(said=said, by=PERSON, item=item, **more, **fields)


def refused(text: str, against: str = "", compartment: str = HOME) -> ItemRefused:
    return ItemRefused(
        said=NOW, by=MODEL, owner=ANN, compartment=compartment, kind="fact", text=text, reason="no", policy="p@1",
        against=against, evidence=(quote(text),),
    )  # fmt: skip


def all_lives(*events: Event) -> list[Life]:
    keys = {key_of(address_of(each)) for event in events if isinstance(event, ItemEvent) for each in (event.item,)}
    return lives(told(*events), keys)


def put(item: Item, **fields: Any) -> Item:
    return msgspec.structs.replace(item, **fields)


def seqs(life: Life) -> list[int]:
    return [step.record.seq for step in life.steps]


def happened(*events: Event) -> list[str]:
    (life,) = all_lives(*events)
    return [step.happened for step in life.steps]


def test_a_life_begins_with_nothing_and_each_step_follows_the_one_before() -> None:
    new = put(TEA, text="likes green tea")
    (life,) = all_lives(happens(ItemRemembered, TEA), happens(ItemUpserted, new))
    assert [(step.before, step.after) for step in life.steps] == [(None, TEA), (TEA, new)]
    assert (life.address, life.item, life.status) == (address_of(TEA), new, "active")
    assert life.events == tuple(each.id for each in told(happens(ItemRemembered, TEA), happens(ItemUpserted, new)))
    assert [step.changed for step in life.steps] == [(), ("text",)]


@pytest.mark.parametrize(
    ("second", "word"),
    [
        (happens(ItemUpserted, TEA), "confirmed"),
        (happens(ItemRemembered, TEA), "confirmed"),
        (happens(ItemUpserted, put(TEA, text="x")), "changed"),
        (happens(ItemDeprecated, put(TEA, status="deprecated")), "deprecated"),
        (happens(ItemEvicted, put(TEA, status="evicted")), "evicted"),
        (happens(ItemForgotten, put(TEA, status="forgotten")), "forgotten"),
        (happens(ItemMerged, TEA), "merged"),
        (happens(ItemMoved, TEA, from_compartment=HOME, from_id=TEA.id), "moved"),
        (happens(ItemReverted, TEA, was=RowWas("item.upserted", NOW, OPERATOR)), "reverted"),
    ],
)
def test_what_happened_in_a_word(second: Event, word: str) -> None:
    assert happened(happens(ItemUpserted, TEA), second) == ["added", word]


def test_what_had_made_an_item_may_be_undone_and_then_there_is_none() -> None:
    was = RowWas("item.upserted", NOW, OPERATOR)
    added, undone = happens(ItemUpserted, TEA), happens(ItemReverted, TEA, was=was, gone=True)
    (life,) = all_lives(added, undone)
    assert (life.item, life.status, life.is_gone) == (TEA, "reverted", True)
    (again,) = all_lives(added, undone, happens(ItemRemembered, TEA))
    assert (again.status, again.is_gone) == ("active", False)


def test_what_was_gone_is_revived_by_the_model_and_restored_by_a_person() -> None:
    gone = happens(ItemDeprecated, put(TEA, status="deprecated"))
    words = happened(happens(ItemRemembered, TEA), gone, happens(ItemUpserted, TEA), gone, happens(ItemRestored, TEA))
    assert words == ["remembered", "deprecated", "revived", "deprecated", "restored"]


def test_an_item_is_followed_through_its_moves() -> None:
    there = put(TEA, compartment=WIDE)
    moved = happens(ItemMoved, there, from_compartment=HOME, from_id=TEA.id)
    again = happens(ItemRemembered, TEA)
    whole = all_lives(
        happens(ItemRemembered, TEA), moved, again, happens(ItemForgotten, put(there, status="forgotten"))
    )
    assert [(life.address.compartment, seqs(life)) for life in whole] == [(WIDE, [1, 2, 4]), (HOME, [3])]
    assert whole[0].steps[1].before == TEA
    assert whole[0].steps[1].changed == ("compartment",)
    assert whole[1].steps[0].before is None


def test_a_move_onto_an_item_makes_one_of_both() -> None:
    there = put(TEA, compartment=WIDE)
    moved = happens(ItemMoved, there, from_compartment=HOME, from_id=TEA.id)
    (life,) = all_lives(happens(ItemRemembered, TEA), happens(ItemRemembered, there), moved)
    assert seqs(life) == [1, 2, 3]
    assert life.steps[-1].before == TEA


def test_what_was_absorbed_ends_there() -> None:
    became = put(TEA, text="likes tea, hates rain")
    merged = happens(ItemMerged, became, absorbed=(put(RAIN, status="merged"), TEA))
    tea, rain = all_lives(happens(ItemRemembered, TEA), happens(ItemRemembered, RAIN), merged)
    assert (seqs(tea), tea.item) == ([1, 3], became)
    assert (seqs(rain), rain.status) == ([2, 3], "merged")


def test_only_the_lives_that_were_asked_for_are_told() -> None:
    merged = happens(ItemMerged, TEA, absorbed=(put(RAIN, status="merged"),))
    found = lives(told(happens(ItemRemembered, RAIN), merged), {key_of(address_of(RAIN))})
    assert [life.item and life.item.id for life in found] == [RAIN.id]
    assert lives(told(refused("x")), set()) == []


def test_either_clock_orders() -> None:
    late, early = happens(ItemRemembered, TEA), happens(ItemUpserted, put(TEA, text="x"), said=NOW - 5)
    records = told(late, early)
    assert [each.seq for each in ordered([*records, *records], "recorded")] == [1, 2]
    assert [each.seq for each in ordered(records, "said")] == [2, 1]
    (life,) = lives(records, {key_of(address_of(TEA))}, "said")
    assert life.item == TEA


def test_the_first_to_begin_comes_first() -> None:
    found = all_lives(happens(ItemRemembered, RAIN), happens(ItemRemembered, TEA), happens(ItemUpserted, RAIN))
    assert [life.address.id for life in found] == [RAIN.id, TEA.id]


def test_new_evidence_is_what_came_with_the_step() -> None:
    one, two = quote("tea!", "1"), quote("more tea", "2")
    first, second = put(TEA, evidence=(one,)), put(TEA, evidence=(one, two))
    (life,) = all_lives(happens(ItemUpserted, first), happens(ItemUpserted, second))
    assert [step.new_evidence for step in life.steps] == [(one,), (two,)]
    assert Step(record(9, refused("x")), None, None).new_evidence == (quote("x"),)
    assert Step(record(9, happens(ItemUpserted, TEA)), None, None).new_evidence == ()


def test_what_was_adopted_and_what_is_again_as_before_rest_on_all_of_their_evidence_anew() -> None:
    one, two = quote("tea!", "1"), quote("more tea", "2")
    both = put(TEA, evidence=(one, two))
    first, adopted = happens(ItemUpserted, put(TEA, evidence=(one,))), happens(ItemUpserted, both, policy=VERSION)
    was = RowWas("item.upserted", NOW, MODEL)
    (life,) = all_lives(first, adopted, happens(ItemReverted, put(TEA, evidence=(one,)), was=was))
    assert [step.new_evidence for step in life.steps] == [(one,), (one, two), (one,)]
    assert VERSION.startswith(ADOPTION)


def test_states_that_are_missing_differ_in_nothing() -> None:
    assert changed_fields(None, TEA) == changed_fields(TEA, None) == ()


# -- what was refused ----------------------------------------------------------------------------------------------


def test_a_refusal_stands_in_the_life_of_what_it_was_held_against() -> None:
    [tea] = all_lives(happens(ItemRemembered, TEA))
    [life] = with_refusals([tea], [record(2, refused("likes tea so much", against=TEA.id))])
    assert [step.happened for step in life.steps] == ["remembered", "refused"]
    assert (life.item, life.address) == (TEA, tea.address)


def test_in_the_same_compartment_first_and_else_wherever_it_is() -> None:
    both = all_lives(happens(ItemRemembered, TEA), happens(ItemRemembered, put(TEA, compartment=WIDE)))
    here = with_refusals(both, [record(3, refused("x", against=TEA.id, compartment=WIDE))])
    assert [len(life.steps) for life in here] == [1, 2]
    anywhere = with_refusals(both, [record(3, refused("x", against=TEA.id, compartment="guild/x"))])
    assert [len(life.steps) for life in anywhere] == [2, 2]


def test_a_refusal_of_what_never_was_is_a_life_of_its_own() -> None:
    [life, other] = with_refusals(
        [], [record(1, refused("likes tea")), record(2, refused("x")), record(3, refused("likes tea"))]
    )
    assert (life.address, life.item, life.status, seqs(life)) == (address_of(TEA), None, "refused", [1, 3])
    assert seqs(other) == [2]


def test_a_refusal_of_what_came_to_be_stands_in_its_life() -> None:
    [life] = with_refusals(all_lives(happens(ItemRemembered, TEA)), [record(2, refused("likes tea"))])
    assert [step.happened for step in life.steps] == ["remembered", "refused"]


def test_what_was_withdrawn_has_no_life() -> None:
    gone = ItemWithdrawn(said=NOW, by=PERSON, owner=TEA.owner, compartment=TEA.compartment, id=TEA.id)
    assert all_lives(happens(ItemRemembered, TEA), gone) == []
    (again,) = all_lives(happens(ItemRemembered, TEA), gone, happens(ItemUpserted, TEA))
    assert seqs(again) == [3]
