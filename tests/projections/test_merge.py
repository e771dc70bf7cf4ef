"""Two close items become one, and come apart again; whatever goes wrong, both stand."""

import json
from typing import Any

import msgspec
import pytest

from projections.decisions.merge import MergeRequest, merge, merged, overtaken
from projections.decisions.remember import ForgetRequest, RestoreRequest, forget, restore
from projections.decisions.work import JobRequest, WorkRequest, record_job
from projections.events import (
    Event,
    ItemEvicted,
    ItemMerged,
    ItemRefused,
    ItemRestored,
    ItemUpserted,
    JobFailed,
    MergeAnswered,
)
from projections.events.values import Item, ItemUse, ModelUse, Source
from projections.ids import Point
from projections.items import ItemRow, items_of
from projections.policies.compartments import Opening
from projections.policies.item_ids import derive
from projections.policies.merge_replies import MergeReply, read_merge
from projections.policies.replies import MOST_REPLY_CHARS, Unreadable
from projections.policies.reply_shapes import AskedMerge
from projections.policies.text import MOST_ITEM_CHARS
from tests.projections.items import ANN, HOME, KNOWN, MODEL, ORDER, PERSON, an_item, quote, row_of, statuses, there_is
from tests.world import NOW, World, origin

LEARNED = Source("model")
OLD = an_item(
    "User likes tea", source=LEARNED, updated=NOW, evidence=(quote("I like tea"),), tags=("tea",), source_count=2,
    confidence=500, valid_from=NOW - 9, supersedes=("durable-older",),
)  # fmt: skip
NEW = an_item(
    "User likes green tea", source=Source("discord"), updated=NOW + 5, evidence=(quote("green tea, really"),),
    tags=("green", "tea"), confidence=900, valid_until=NOW + 900,
)  # fmt: skip
BOTH = "User likes tea, above all green tea"
REPLY = {"merged_summary": BOTH, "merged_dialogue": "I like tea", "confidence": 0.8}


def both(*items: Item) -> World:
    world = World()
    there_is(world, *(items or (OLD, NEW)), by=MODEL)
    return world


def use(row: ItemRow) -> ItemUse:
    return ItemUse(ANN, HOME, row.item.id, row.event)


def please_merge(world: World, reply: Any = REPLY, name: str = "merge") -> tuple[WorkRequest, MergeRequest]:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    older, newer = row_of(world, OLD.text), row_of(world, NEW.text)
    answered = MergeAnswered(
        said=newer.said, by=MODEL, causes=(older.event, newer.event), owner=ANN, compartment=HOME, after=None,
        upto=Point(newer.said, newer.event), call=ModelUse("m", "1"), inputs=(older.event, newer.event), reply=text,
    )  # fmt: skip
    request = MergeRequest(use(older), use(newer), text, "close", MODEL, origin(name), guarding=KNOWN)
    return WorkRequest(answered, origin(f"{name} work")), request


def decide(world: World, asked: tuple[WorkRequest, MergeRequest]) -> list[Event]:
    return world.decide(lambda rows, _: merge(rows, *asked), None)


def test_the_older_item_becomes_both_and_the_newer_is_absorbed() -> None:
    world = both()
    older, newer = row_of(world, OLD.text), row_of(world, NEW.text)
    answered, event = decide(world, please_merge(world))
    assert isinstance(answered, MergeAnswered)
    assert isinstance(event, ItemMerged)
    assert event.item == msgspec.structs.replace(
        OLD, text=BOTH, updated=NOW + 5, confidence=800, source=NEW.source, source_count=3, tags=("green", "tea"),
        evidence=(*OLD.evidence, *NEW.evidence), valid_until=NOW + 900, supersedes=("durable-older", NEW.id),
    )  # fmt: skip
    assert event.absorbed == (msgspec.structs.replace(NEW, status="merged"),)
    assert event.causes == (world.records[-2].id, older.event, newer.event)
    assert (event.said, event.reason) == (NOW + 5, "close")
    assert event.policy == "merge@1 closeness@2 merge_replies@1 item_ids@1 text@1 lengths@1 secrets@1 instructions@4"
    assert statuses(world) == {BOTH: "active", NEW.text: "merged"}


def test_where_the_model_is_silent_the_newer_s_confidence_holds() -> None:
    assert merged(OLD, NEW, MergeReply(BOTH)).confidence == NEW.confidence
    dated = msgspec.structs.replace(NEW, valid_from=NOW - 1)
    assert merged(OLD, dated, MergeReply(BOTH)).valid_from == NOW - 1


def test_the_same_words_stay_as_they_were_written() -> None:
    assert merged(OLD, NEW, MergeReply(OLD.text.upper())).text == OLD.text


def test_decided_twice_the_second_time_nothing() -> None:
    world = both()
    asked = please_merge(world)
    assert len(decide(world, asked)) == 2
    assert decide(world, asked) == []
    work, request = asked
    again = (work._replace(origin=origin("other work")), request)
    assert [type(each) for each in decide(world, again)] == [MergeAnswered]


@pytest.mark.parametrize("reply", [{"merged_summary": "  "}, {"merged_summary": None}, "no JSON"])
def test_what_stays_apart_stays_and_the_reply_is_kept(reply: Any) -> None:
    world = both()
    (answered,) = decide(world, please_merge(world, reply))
    assert isinstance(answered, MergeAnswered)
    assert statuses(world) == {OLD.text: "active", NEW.text: "active"}


def test_what_changed_meanwhile_is_left_alone() -> None:
    world = both()
    work, request = please_merge(world)
    assert not overtaken(world.rows, request)
    there_is(world, msgspec.structs.replace(NEW, text="User likes coffee"))
    assert overtaken(world.rows, request)
    assert [type(each) for each in decide(world, (work, request))] == [MergeAnswered]
    gone = both(OLD, msgspec.structs.replace(NEW, status="deprecated"))
    assert overtaken(gone.rows, please_merge(gone)[1])


def test_what_a_person_forgot_is_not_said_again_by_a_merge() -> None:
    world = both()
    there_is(world, an_item(BOTH))
    world.decide(forget, ForgetRequest(ANN, (Opening(ANN, HOME),), PERSON, NOW + 9, origin("forget"), BOTH))
    _, refused = decide(world, please_merge(world))
    assert isinstance(refused, ItemRefused)
    assert (refused.against, refused.text) == (derive("fact", BOTH), BOTH)
    assert statuses(world)[OLD.text] == statuses(world)[NEW.text] == "active"


# Taking them apart


def please_restore(**fields: Any) -> RestoreRequest:
    return RestoreRequest(ANN, NEW.id, PERSON, NOW + 99, origin("restore"))._replace(**fields)


def test_a_person_takes_them_apart_again() -> None:
    world = both()
    decide(world, please_merge(world))
    apart, restored = world.decide(restore, please_restore(before=OLD))
    assert isinstance(apart, ItemUpserted)
    assert isinstance(restored, ItemRestored)
    assert apart.item == msgspec.structs.replace(OLD, updated=NOW + 99)
    assert apart.intent is not None
    assert apart.intent.saw is not None
    assert apart.intent.saw.text == BOTH
    assert restored.item == msgspec.structs.replace(NEW, updated=NOW + 99, kept=True)
    assert statuses(world) == {OLD.text: "active", NEW.text: "active"}
    assert world.decide(restore, please_restore(before=OLD)) == []
    assert world.decide(restore, please_restore(before=OLD, origin=origin("once more"))) == []


def test_what_was_changed_since_stays_and_only_the_absorbed_comes_back() -> None:
    world = both()
    decide(world, please_merge(world))
    there_is(world, msgspec.structs.replace(OLD, text="User likes all tea"))
    (restored,) = world.decide(restore, please_restore(before=OLD))
    assert isinstance(restored, ItemRestored)
    assert statuses(world) == {"User likes all tea": "active", NEW.text: "active"}


def test_where_the_state_before_cannot_be_read_the_absorbed_comes_back_alone() -> None:
    world = both()
    decide(world, please_merge(world))
    (restored,) = world.decide(restore, please_restore())
    assert isinstance(restored, ItemRestored)


def test_what_comes_apart_needs_room_again() -> None:
    world = both()
    decide(world, please_merge(world))
    events = world.decide(restore, please_restore(before=OLD, cap=1))
    assert [type(each) for each in events] == [ItemUpserted, ItemRestored, ItemEvicted]
    assert len([found for found in items_of(world.rows, ANN) if found.row.item.status == "active"]) == 1


# The reply


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ('{"merged_summary": " User  likes tea ", "confidence": 0.8}', MergeReply("User likes tea", 800)),
        ('Here: ```json\n{"merged_summary": "User likes tea"}\n```', MergeReply("User likes tea")),
        ('So: {"merged_summary": "", "merged_dialogue": ["any", 1]}', MergeReply("")),
    ],
)
def test_replies_that_can_be_read(reply: str, read: MergeReply) -> None:
    assert read_merge(reply) == read


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("I would rather not.", "no JSON"),
        ("[1]", "no JSON"),
        ('{"summary": "x"}', "no JSON"),
        ('{"merged_summary": 7}', "Expected `str | null`"),
        ('{"merged_summary": "x", "confidence": 7}', "confidence"),
        (json.dumps({"merged_summary": "x" * (MOST_ITEM_CHARS + 1)}), "longer than"),
        ("x" * (MOST_REPLY_CHARS + 1), "longer than"),
    ],
)
def test_replies_that_cannot(reply: str, reason: str) -> None:
    read = read_merge(reply)
    assert isinstance(read, Unreadable)
    assert reason in read.reason


def test_what_is_asked_for_can_be_read() -> None:
    asked = AskedMerge("User likes tea", "I like tea", 0.5)
    assert read_merge(msgspec.json.encode(asked).decode()) == MergeReply("User likes tea", 500)


# Jobs


def test_a_job_that_failed_is_recorded_once() -> None:
    world = World()
    request = JobRequest("encoder", "boom \ud800", NOW, origin("job"), "s", ANN)
    (event,) = world.decide(record_job, request)
    assert isinstance(event, JobFailed)
    assert (event.job, event.error, event.session, event.person) == ("encoder", "boom \ufffd", "s", ANN)
    assert world.decide(record_job, request) == []


def test_what_a_guard_holds_of_the_new_text_leaves_both_standing() -> None:
    world = both()
    *_, event = decide(world, please_merge(world, {"merged_summary": f"User says: {ORDER}"}))
    assert isinstance(event, ItemRefused)
    assert (event.policy, event.by.name, event.against) == ("instructions@4", "instructions", "")
    assert statuses(world) == {OLD.text: "active", NEW.text: "active"}
