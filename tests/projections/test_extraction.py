"""From a model's reply to items."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.decisions.draft import MOST_EVENTS
from projections.decisions.extraction import ExtractionRequest, extract, read_reply
from projections.decisions.remember import EditRequest, ForgetRequest, edit, forget
from projections.decisions.work import WorkRequest, record_work
from projections.events import (
    Event,
    ExtractionAnswered,
    ExtractionFailed,
    ItemDeprecated,
    ItemEvent,
    ItemEvicted,
    ItemRefused,
    ItemUpserted,
    SummaryAnswered,
)
from projections.events.values import Audience, By, Evidence, ItemUse, ModelUse, Source
from projections.ids import EventId, Point, Ref
from projections.items import REFUSALS, items_of
from projections.policies.compartments import Opening
from projections.policies.evidence import InputMessage, check
from projections.policies.item_ids import derive
from projections.policies.replies import Quote, Unreadable
from projections.policies.text import tidy
from tests.projections.items import (
    ANN,
    BOB,
    HOME,
    KNOWN,
    MODEL,
    PERSON,
    WIDE,
    an_item,
    message,
    quote,
    row_of,
    statuses,
    there_is,
)
from tests.world import NOW, World, handle, origin

SAID = NOW + 500
WORK = EventId(handle("work"))


def an_input(text: str, said: int = SAID, platform: str = "discord", **fields: Any) -> InputMessage:
    return InputMessage(message(text), text, Ref(platform, text), said, **fields)


INPUTS = (
    an_input("I like green tea", NOW, place=Ref("discord", "room"), guild=Ref("discord", "g")),
    an_input("we moved to Rome"),
)


def please_extract(reply: Any, **fields: Any) -> ExtractionRequest:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    return ExtractionRequest(ANN, HOME, text, INPUTS, MODEL, origin(text), work=WORK, guarding=KNOWN)._replace(**fields)


def say(world: World, *upserts: Any, gone: list[dict[str, Any]] | None = None, **fields: Any) -> list[Event]:
    return world.decide(extract, please_extract({"upserts": upserts, "deprecations": gone or []}, **fields))


def refused(events: list[Event]) -> ItemRefused:
    (event,) = events
    assert isinstance(event, ItemRefused)
    return event


def upserted(events: list[Event]) -> ItemUpserted:
    (event,) = events
    assert isinstance(event, ItemUpserted)
    return event


# New items


def test_a_new_item_has_the_defaults_and_says_what_it_rests_on() -> None:
    event = upserted(say(World(), {"kind": "preference", "text": "Likes green tea", "evidence": "I like green TEA"}))
    item = event.item
    assert item.id == derive("preference", "likes green tea")
    assert (item.created, item.updated, event.said) == (SAID, SAID, SAID)
    assert (item.type, item.about, item.confidence, item.tags) == ("episodic", "person", 1000, ())
    assert item.evidence == (Evidence("I like green TEA", INPUTS[0].id, INPUTS[0].ref),)
    assert item.source == Source("discord", Ref("discord", "room"), INPUTS[0].ref, Ref("discord", "g"))
    assert event.causes == (WORK, INPUTS[0].id)
    assert (event.by, event.reason) == (MODEL, "no item has this id or says this")
    assert event.policy == (
        "extraction@1 replies@2 matching@2 text@1 item_ids@1 evidence@1 kinds@1 compartments@2 promotion@2 "
        "lengths@1 secrets@1 instructions@4 about_others@1 grounding@2 asserting@1"
    )


def test_without_evidence_it_rests_on_all_that_was_shown() -> None:
    event = upserted(say(World(), {"text": "Lives in Rome"}))
    assert event.causes == (WORK, INPUTS[0].id, INPUTS[1].id)
    assert event.item.evidence == ()
    assert event.item.source.message == INPUTS[1].ref


def test_the_source_it_names_is_evidence_without_words() -> None:
    event = upserted(say(World(), {"text": "Lives in Rome", "source": {"messageId": INPUTS[0].ref.key}}))
    assert event.item.evidence == (Evidence("", INPUTS[0].id, INPUTS[0].ref),)


def test_elsewhere_than_in_discord_the_source_is_the_model() -> None:
    event = upserted(say(World(), {"text": "Lives in Rome"}, inputs=(an_input("x", platform="terminal"),)))
    assert event.item.source == Source("model", message=Ref("terminal", "x"))


def test_every_field_gets_there() -> None:
    entry = {
        "text": "a lake",
        "type": "procedural",
        "about": "guild",
        "confidence": 0.4,
        "tags": ["A"],
        "valid_from": 1,
        "valid_until": 2,
    }
    item = upserted(say(World(), entry)).item
    assert (item.type, item.about, item.confidence, item.tags) == ("procedural", "guild", 400, ("a",))
    assert (item.valid_from, item.valid_until) == (1, 2)


@pytest.mark.parametrize(
    ("quotes", "found"),
    [
        ((Quote("green TEA"),), (0, "green TEA")),
        ((Quote("Rome", INPUTS[1].id.hex()),), (1, "Rome")),
        ((Quote("Rome", INPUTS[1].ref.key),), (1, "Rome")),
        ((Quote("Rome", str(INPUTS[0].ref)),), (1, "Rome")),  # the words are elsewhere than it says
        ((Quote("Paris", INPUTS[1].ref.key),), (1, "")),  # the message is there, the words are not
        ((Quote("", INPUTS[1].ref.key),), (1, "")),
        ((Quote("Rome", "42"), Quote("Rome")), (1, "Rome")),
    ],
)
def test_where_quotes_stand(quotes: tuple[Quote, ...], found: tuple[int, str]) -> None:
    holding = INPUTS[found[0]]
    assert check(quotes, INPUTS) == (Evidence(found[1], holding.id, holding.ref),)


def test_invented_evidence_falls_away() -> None:
    assert check((Quote("Paris"), Quote("Paris", "42"), Quote("", "42")), INPUTS) == ()


# Changed items


def test_an_id_that_was_shown_changes_its_item() -> None:
    world = World()
    there_is(world, an_item("lives in Paris", tags=("home",), evidence=(quote("a"),), type="semantic", confidence=700))
    before = row_of(world, "lives in Paris")
    entry = {"id": before.item.id, "kind": "project", "text": "Lives in Rome", "evidence": "to Rome"}
    event = upserted(say(world, entry))
    item = event.item
    assert (item.id, item.kind, item.text, item.tags) == (before.item.id, "fact", "Lives in Rome", ("home",))
    assert (item.type, item.confidence, item.source_count) == ("semantic", 700, 2)
    assert (item.created, item.updated) == (NOW, SAID)
    assert [each.quote for each in item.evidence] == ["a", "to Rome"]
    assert event.causes == (WORK, INPUTS[1].id, before.event)


def test_what_is_there_already_changes_nothing() -> None:
    world = World()
    there_is(
        world, an_item("likes tea", tags=("a",), confidence=800, evidence=(quote("green tea", "I like green tea"),))
    )
    same = {"text": "Likes  TEA", "tags": ["A"], "confidence": 0.8, "type": "semantic", "evidence": "green tea"}
    assert say(world, same, {"text": "likes tea"}, {"id": derive("fact", "likes tea"), "text": "likes tea"}) == []
    item = upserted(say(world, {"text": "LIKES tea", "confidence": 0.9})).item
    assert (item.confidence, item.text) == (900, "likes tea")


def test_an_invented_id_is_a_new_item_under_its_own_id() -> None:
    event = upserted(say(World(), {"id": "durable-invented", "text": "likes tea"}))
    assert event.item.id == derive("fact", "likes tea")


@pytest.mark.parametrize("status", ["deprecated", "evicted", "merged"])
def test_what_a_policy_or_the_model_took_may_come_back(status: str) -> None:
    world = World()
    there_is(world, an_item("likes tea", status=status))
    assert upserted(say(world, {"text": "likes tea"})).item.status == "active"


def test_what_was_merged_into_something_forgotten_is_not_revived() -> None:
    world = World()
    there_is(world, an_item("likes tea", status="merged"), an_item("keeps bees", status="merged"))
    whole = an_item("drinks hot things in the morning", supersedes=(derive("fact", "likes tea"),))
    there_is(world, whole)
    world.decide(forget, ForgetRequest(ANN, (Opening(ANN, HOME),), PERSON, SAID, origin("forget"), id=whole.id))
    event = refused(say(world, {"text": "likes tea"}))
    assert event.against == whole.id
    assert upserted(say(world, {"text": "keeps bees"})).item.status == "active"


def test_ids_of_other_people_and_compartments_are_unknown() -> None:
    world = World()
    there_is(world, an_item("likes tea", owner=BOB), an_item("likes tea", compartment=WIDE))
    item_id = derive("fact", "likes tea")
    item = upserted(say(world, {"id": item_id, "text": "likes coffee"}, gone=[{"id": item_id}])).item
    assert (item.owner, item.compartment) == (ANN, HOME)
    assert statuses(world) == {"likes tea": "active", "likes coffee": "active"}


# What no longer holds


def test_deprecations_by_id_and_by_words() -> None:
    world = World()
    there_is(world, an_item("likes tea"), an_item("lives in Paris"), an_item("likes tea and much else"))
    events = say(world, gone=[{"id": derive("fact", "lives in Paris"), "reason": "moved"}, {"matchText": "likes tea"}])
    assert [type(each) for each in events] == [ItemDeprecated, ItemDeprecated]
    first, second = events
    assert isinstance(first, ItemDeprecated)
    assert isinstance(second, ItemDeprecated)
    assert (first.reason, first.item.updated, first.said) == ("moved", SAID, SAID)
    assert first.causes[:3] == (WORK, INPUTS[0].id, INPUTS[1].id)
    assert second.reason == "the model says that this no longer holds"
    assert statuses(world)["likes tea and much else"] == "active"


def test_an_id_is_out_of_reach_only_when_the_reply_touched_that_very_item() -> None:
    world = World()
    there_is(world, an_item("lives in Rome", kind="profile"), an_item("lives in Rome"))
    profile, fact = derive("profile", "lives in Rome"), derive("fact", "lives in Rome")
    say(world, {"text": "lives in Rome", "tags": ["city"]}, gone=[{"id": profile}, {"id": fact}])
    assert row_of(world, "lives in Rome").item.id in (profile, fact)
    found = {each.row.item.id: each.row.item.status for each in items_of(world.rows, ANN)}
    assert found == {profile: "deprecated", fact: "active"}


# What is said again


def test_a_restatement_confirms_the_item() -> None:
    world = World()
    there_is(world, an_item("likes tea", evidence=(quote("earlier"),)))
    again = {"text": "likes tea", "evidence": "green tea"}
    event = upserted(say(world, again))
    assert event.item.evidence == (quote("earlier"), Evidence("green tea", INPUTS[0].id, INPUTS[0].ref))
    assert (event.item.source_count, event.item.updated) == (2, SAID)
    assert event.item.source.message == INPUTS[0].ref
    assert say(world, again, origin=origin("once more")) == []
    assert say(world, {"text": "likes tea"}, origin=origin("and without")) == []


def test_what_is_derived_is_said_as_late_as_the_latest_of_its_causes() -> None:
    world = World()
    late = SAID + 70
    there_is(world, an_item("lives in Paris", kind="profile"), an_item("old", updated=NOW))
    (shown,) = world.add(ItemUpserted(said=late, by=MODEL, item=an_item("likes tea")))
    entry = {"text": "likes tea", "confidence": 0.5}
    new = {"text": "lives in Rome", "supersedes": derive("profile", "lives in Paris")}
    events = say(world, entry, new, gone=[{"matchText": "old"}], said=late + 5)
    assert [type(each) for each in events] == [ItemUpserted, ItemDeprecated, ItemUpserted, ItemDeprecated]
    assert {each.said for each in events} == {late + 5}
    assert {each.item.updated for each in events if isinstance(each, ItemEvent)} == {SAID}
    assert shown.id in events[0].causes
    (later,) = say(world, {"text": "lives in Rome", "confidence": 0.2}, origin=origin("then"))
    assert isinstance(later, ItemUpserted), "what is newer goes by the messages"
    assert later.said == late + 5


def test_an_item_that_was_not_shown_is_among_the_causes_too() -> None:
    world = World()
    world.add(ItemUpserted(said=SAID + 9, by=MODEL, item=an_item("likes tea")))
    assert upserted(say(world, {"text": "likes tea", "confidence": 0.5})).said == SAID + 9
    (gone,) = say(world, gone=[{"matchText": "likes tea"}])
    assert gone.said == SAID + 9


# What leads to too much


def test_whole_entries_are_left_out_and_it_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    most, half = 400, 240
    monkeypatch.setattr("projections.decisions.extraction.MOST", most - 2)
    world = World()
    paris = [an_item(f"paris {'x' * n}", kind="profile") for n in range(half)]
    rome = [an_item(f"rome {'x' * n}", kind="profile") for n in range(half)]
    there_is(world, *paris, *rome)
    parts = [*((paris, start) for start in range(99, half, 99)), *((rome, start) for start in range(0, half, 99))]
    entries: list[dict[str, Any]] = [
        {"text": "lives in Berlin"},
        {"text": "left Paris", "supersedes": [each.id for each in paris[:99]]},
        *(
            {"text": f"left Rome {n}", "supersedes": [each.id for each in items[start : start + 99]]}
            for n, (items, start) in enumerate(parts)
        ),
    ]
    request = please_extract({"upserts": entries}, cap=10_000)
    drafts = extract(world.rows, request)
    *events, last = [each.event for each in drafts]
    assert len(drafts) <= most
    assert len({each.id for each in drafts}) == len(drafts)
    assert isinstance(last, ItemRefused)
    done = {each.item.text for each in events if isinstance(each, ItemUpserted)}
    assert last.reason.startswith(f"{len(entries) - len(done)} entries from this one on were left out")
    assert last.text == entries[len(done)]["text"]
    gone = [each for each in events if isinstance(each, ItemDeprecated)]
    listed = [each for event in events if isinstance(event, ItemUpserted) for each in event.item.supersedes]
    assert len(gone) == len(listed), "nothing goes without what takes its place"


def test_a_single_entry_that_leads_to_too_much_is_left_out_once() -> None:
    world = World()
    there_is(world, *(an_item(f"{'paris ' * 20}{n}", kind="profile") for n in range(MOST_EVENTS)))
    gone = [{"matchText": "paris " * 20}]
    (event,) = say(world, gone=gone, cap=10_000)
    assert isinstance(event, ItemRefused)
    assert event.text == tidy("paris " * 20)
    assert say(world, gone=gone, cap=10_000) == []


def test_deprecating_what_is_not_there_is_nothing() -> None:
    world = World()
    there_is(world, an_item("likes tea", status="deprecated"))
    assert say(world, gone=[{"id": "durable-0"}, {"matchText": "likes tea"}]) == []


def test_what_the_reply_just_said_is_out_of_its_deprecations_reach() -> None:
    world = World()
    there_is(world, an_item("lives in Paris"))
    say(world, {"text": "lives in Rome"}, gone=[{"matchText": "lives in Rome"}, {"matchText": "lives in Paris"}])
    assert statuses(world) == {"lives in Paris": "deprecated", "lives in Rome": "active"}


def test_what_is_superseded_goes_and_is_listed() -> None:
    world = World()
    there_is(world, an_item("lives in Paris"), an_item("likes Paris"))
    entry = {"text": "lives in Rome", "supersedes": ["Lives in Paris", derive("fact", "likes Paris"), "unknown"]}
    events = say(world, entry)
    assert [type(each) for each in events] == [ItemDeprecated, ItemDeprecated, ItemUpserted]
    last = events[-1]
    assert isinstance(last, ItemUpserted)
    assert set(last.item.supersedes) == {derive("fact", "lives in Paris"), derive("fact", "likes Paris")}
    assert {status for text, status in statuses(world).items() if "Paris" in text} == {"deprecated"}


def test_an_item_never_supersedes_itself() -> None:
    world = World()
    there_is(world, an_item("lives in Paris"))
    item_id = derive("fact", "lives in Paris")
    assert upserted(say(world, {"id": item_id, "text": "lives in Rome", "supersedes": item_id})).item.supersedes == ()


def test_over_the_cap_the_oldest_make_room() -> None:
    world = World()
    there_is(world, an_item("old"))
    events = say(world, {"text": "number one"}, {"text": "number two"}, cap=2)
    assert [type(each) for each in events] == [ItemUpserted, ItemUpserted, ItemEvicted]
    assert statuses(world) == {"old": "evicted", "number one": "active", "number two": "active"}


# What people decided stands


def please_forget(needle: str, *compartments: str) -> ForgetRequest:
    openings = tuple(Opening(ANN, each) for each in compartments or (HOME,))
    return ForgetRequest(ANN, openings, PERSON, NOW, origin(f"forget {needle}"), needle)


VERY_ITEM = "the person forgot this very item"
COVERED = "its text and what the person forgot cover each other by 60 %"


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"text": "likes green tea"}, VERY_ITEM),
        ({"id": "durable-x", "text": "something else"}, VERY_ITEM),
        ({"kind": "preference", "text": "likes green tea!"}, COVERED),
        ({"text": "green tea likes", "id": derive("fact", "likes green tea")}, VERY_ITEM),
        ({"text": "green tea"}, COVERED),  # 9 of 15: exactly
        (
            {"text": "drinks it daily", "evidence": "I like green tea"},
            "it rests only on messages that left recall with what the person forgot",
        ),
    ],
)
def test_what_a_person_forgot_is_refused(entry: dict[str, Any], reason: str) -> None:
    world = World()
    there_is(
        world, an_item("likes green tea", evidence=(Evidence("tea", INPUTS[0].id),)), an_item("xy", id="durable-x")
    )
    world.decide(forget, please_forget("likes green tea"))
    world.decide(forget, please_forget("xy"))
    event = refused(say(world, entry))
    assert event.reason == reason
    assert event.policy == "refusals@3 rephrasing@1 closeness@2"
    assert event.against in (derive("fact", "likes green tea"), "durable-x")
    assert (event.owner, event.compartment, event.text, event.said) == (ANN, HOME, entry["text"], SAID)
    assert len(list(world.rows.scan(REFUSALS))) == 1


def test_a_refusal_holds_in_every_compartment_and_outlives_eviction() -> None:
    world = World()
    there_is(world, an_item("likes green tea", compartment=WIDE))
    world.decide(forget, please_forget("likes green tea", WIDE))
    say(world, {"text": "number one"}, {"text": "number two"}, cap=2)
    assert statuses(world)["likes green tea"] == "evicted"
    assert "forgot" in refused(say(world, {"text": "likes green tea"})).reason


@pytest.mark.parametrize(
    "entry",
    [
        {"text": "green te"},  # 8 of 15
        {"text": "drinks it daily", "evidence": ["I like green tea", "Rome"]},  # rests on more than what left
        {"text": "drinks it daily"},
    ],
)
def test_what_only_resembles_it_is_not_refused(entry: dict[str, Any]) -> None:
    world = World()
    there_is(world, an_item("likes green tea", evidence=(Evidence("tea", INPUTS[0].id),)))
    world.decide(forget, please_forget("likes green tea"))
    upserted(say(world, entry))


def test_an_item_that_a_person_said_again_may_be_confirmed() -> None:
    world = World()
    there_is(world, an_item("likes green tea", compartment=WIDE), an_item("likes green tea"))
    world.decide(forget, please_forget("likes green tea", WIDE))
    assert say(world, {"text": "likes green tea"}) == []


LATE_BY = [(PERSON, "a person changed it later"), (MODEL, "what is there was said later")]


@pytest.mark.parametrize(("by", "reason"), LATE_BY)
def test_what_was_said_later_stands(by: By, reason: str) -> None:
    world = World()
    there_is(world, an_item("lives in Paris", updated=SAID + 1), an_item("old", updated=SAID + 1), by=by)
    item_id = derive("fact", "lives in Paris")
    event = refused(say(world, {"id": item_id, "text": "lives in Rome"}))
    assert reason in event.reason
    assert (event.against, event.policy, event.by.name) == (item_id, "precedence@1", "precedence")
    assert reason in refused(say(world, gone=[{"id": item_id}])).reason
    events = say(world, {"text": "lives in Bonn", "supersedes": item_id})
    assert [type(each) for each in events] == [ItemRefused, ItemUpserted]
    assert isinstance(events[1], ItemUpserted)
    assert events[1].item.supersedes == ()


def test_what_was_said_at_the_same_time_may_be_changed() -> None:
    world = World()
    there_is(world, an_item("lives in Paris", updated=SAID))
    upserted(say(world, {"id": derive("fact", "lives in Paris"), "text": "lives in Rome"}))


def test_an_edit_while_the_model_was_thinking_stands() -> None:
    world = World()
    there_is(world, an_item("lives in Paris"))
    item_id = derive("fact", "lives in Paris")
    shown = (ItemUse(ANN, HOME, item_id, row_of(world, "lives in Paris").event),)
    world.decide(edit, EditRequest(ANN, item_id, "lives in Oslo", PERSON, NOW, origin("edit")))
    entry = {"id": item_id, "text": "lives in Rome"}
    assert "while the model was thinking" in refused(say(world, entry, shown=shown)).reason
    now = (ItemUse(ANN, HOME, item_id, row_of(world, "lives in Oslo").event),)
    upserted(say(world, entry, shown=now, origin=origin("again")))


def test_what_a_person_put_right_is_not_put_back_by_what_is_said_later() -> None:
    world = World()
    there_is(world, an_item("lives in Paris"))
    item_id = derive("fact", "lives in Paris")
    world.decide(edit, EditRequest(ANN, item_id, "lives in Rome", PERSON, NOW, origin("edit")))
    before = row_of(world, "lives in Rome")
    event = upserted(say(world, {"text": "lives in Paris"}))
    assert (event.item.id, event.reason) == (derive("fact", "lives in Paris", 12), f"{item_id} says something else")
    assert (event.item.source_count, before.event in event.causes) == (1, False)
    assert row_of(world, "lives in Rome") == before
    assert statuses(world) == {"lives in Paris": "active", "lives in Rome": "active"}


def test_what_a_person_put_right_later_than_it_was_said_is_not_said_again_beside_it() -> None:
    world = World()
    there_is(world, an_item("lives in Paris"))
    item_id = derive("fact", "lives in Paris")
    world.decide(edit, EditRequest(ANN, item_id, "lives in Rome", PERSON, SAID + 1, origin("edit")))
    assert "a person changed it later" in refused(say(world, {"text": "lives in Paris"})).reason
    assert statuses(world) == {"lives in Rome": "active"}


def test_what_a_model_reworded_itself_says_again_what_it_said_first() -> None:
    world = World()
    there_is(world, an_item("lives in Rome", id=derive("fact", "lives in Paris"), source=Source("discord")), by=MODEL)
    event = upserted(say(world, {"text": "lives in Paris"}))
    assert event.item.id == derive("fact", "lives in Paris")
    assert statuses(world) == {"lives in Paris": "active"}


# The whole reply


def test_decided_twice_the_second_time_nothing() -> None:
    world = World()
    request = please_extract([{"text": "likes tea"}, {"text": "likes coffee"}])
    assert len(world.decide(extract, request)) == 2
    assert world.decide(extract, request) == []


def test_the_same_reply_to_another_question_changes_nothing() -> None:
    world = World()
    reply = [{"text": "likes tea", "tags": ["a"], "evidence": "green tea"}]
    world.decide(extract, please_extract(reply))
    assert world.decide(extract, please_extract(reply, origin=origin("other"))) == []


@pytest.mark.parametrize("reply", ["", "no idea", '{"upserts"'])
def test_an_unreadable_reply_changes_nothing(reply: str) -> None:
    assert World().decide(extract, please_extract(reply)) == []
    assert isinstance(read_reply(reply), Unreadable)


def test_a_reply_about_nothing_changes_nothing() -> None:
    assert World().decide(extract, please_extract([{"text": "x"}], inputs=())) == []


ENTRIES = st.lists(
    st.fixed_dictionaries(
        {"text": st.sampled_from(["likes tea", "likes teas", "lives in Rome", "Likes Tea ", "x"])},
        optional={
            "id": st.sampled_from([derive("fact", "likes tea"), "durable-0"]),
            "supersedes": st.sampled_from(["likes tea", "x"]),
            "evidence": st.sampled_from(["I like green tea", "Rome", "?"]),
            "kind": st.sampled_from(["preference", "fact"]),
        },
    ),
    max_size=5,
)
GONE = st.lists(st.sampled_from([{"matchText": "likes tea"}, {"id": derive("fact", "likes teas")}]), max_size=2)


@given(st.lists(st.tuples(ENTRIES, GONE), max_size=4), st.integers(1, 4))
def test_any_replies_leave_ids_distinct_forgotten_things_forgotten_and_the_cap_kept(
    replies: list[tuple[list[dict[str, Any]], list[dict[str, Any]]]], cap: int
) -> None:
    world = World()
    there_is(world, an_item("likes tea"))
    world.decide(forget, please_forget("likes tea"))
    for n, (entries, gone) in enumerate(replies):
        say(world, *entries, gone=gone, cap=cap, origin=origin(str(n)))
        active = [text for text, status in statuses(world).items() if status == "active"]
        assert not any("likes tea" in text.lower() for text in active)
        assert len(active) <= cap


# The record of the work


def test_work_is_recorded_once_and_can_be_stored() -> None:
    world = World()
    call = ModelUse("haiku", "7")
    point = Point(SAID, WORK)
    answered = ExtractionAnswered(
        said=SAID, by=MODEL, owner=ANN, compartment=HOME, after=None, upto=point, call=call, reply="a\ud800"
    )
    failed = ExtractionFailed(
        said=SAID, by=MODEL, owner=ANN, compartment=HOME, after=None, upto=point, call=call, error="no"
    )
    audience = Audience("direct", Ref("discord", "dm"))
    summary = SummaryAnswered(
        said=SAID, by=MODEL, session="s", audience=audience, era=1, after=None, upto=point, call=call, reply="b"
    )
    for event, reply in ((answered, "a\ufffd"), (failed, ""), (summary, "b")):
        request = WorkRequest(event, origin(event.TAG))
        assert world.decide(record_work, request) == [msgspec.structs.replace(event, reply=reply)]
        assert world.decide(record_work, request) == []
