"""What a person does to their own items by hand."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.blocks import item_line
from projections.decisions.draft import Draft
from projections.decisions.remember import (
    EditRequest,
    ForgetRequest,
    RememberRequest,
    RestoreRequest,
    edit,
    forget,
    remember,
    restore,
)
from projections.decisions.shelf import MOST_EVIDENCE, Shelf, joined
from projections.errors import BadRequest
from projections.events import (
    ItemEvicted,
    ItemForgotten,
    ItemMoved,
    ItemRemembered,
    ItemRestored,
    ItemUpserted,
    TurnAnswered,
)
from projections.events.values import OPERATOR, Audience, Intent, Limits, ModelUse, Source
from projections.ids import NOBODY, EventId, Ref
from projections.items import FORGOTTEN, QUIET, forgotten_of, is_quiet, items_of, made_of, quiet_among
from projections.policies.compartments import SELF, Opening
from projections.policies.item_ids import derive
from projections.policies.lengths import MOST_CHARS
from projections.rows import Rows
from tests.projections.items import (
    ANN,
    BOB,
    HOME,
    MANUAL,
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
from tests.projections.test_matching import CLASH
from tests.world import NOW, World, origin

LATER = NOW + 1_000
OPENINGS = (Opening(ANN, HOME), Opening(ANN, WIDE), Opening(NOBODY, SELF))


def please_remember(text: str, said: int = LATER, **fields: Any) -> RememberRequest:
    name = fields.pop("name", f"remember {text} {said}")
    return RememberRequest(
        owner=ANN, compartment=HOME, text=text, by=PERSON, said=said, source=MANUAL, origin=origin(name)
    )._replace(**fields)


def please_edit(item_id: str, text: str, **fields: Any) -> EditRequest:
    return EditRequest(ANN, item_id, text, PERSON, LATER, origin(f"edit {item_id} {text}"))._replace(**fields)


def please_forget(needle: str = "", item_id: str = "", **fields: Any) -> ForgetRequest:
    name = f"forget {needle} {item_id}"
    return ForgetRequest(ANN, OPENINGS, PERSON, LATER, origin(name), needle, item_id)._replace(**fields)


def please_restore(item_id: str, **fields: Any) -> RestoreRequest:
    return RestoreRequest(ANN, item_id, PERSON, LATER + 1, origin(f"restore {item_id}"))._replace(**fields)


def an_answer(*causes: EventId) -> TurnAnswered:
    return TurnAnswered(
        said=NOW,
        by=MODEL,
        causes=causes,
        session="s",
        place=Ref("discord", "1"),
        audience=Audience("direct", Ref("discord", "1")),
        era=1,
        asker=ANN,
        answers=message("asked"),
        text="…",
        call=ModelUse("haiku", "7"),
        limits=Limits(),
    )


# Remember


def test_a_new_item_carries_who_what_and_why() -> None:
    world = World()
    request = please_remember("  Likes \n tea ", kind="Preference", evidence=(quote("I like tea"),), tags=("drinks",))
    (event,) = world.decide(remember, request)
    assert isinstance(event, ItemRemembered)
    expected = an_item("Likes tea", kind="preference", created=LATER, updated=LATER, tags=("drinks",))
    assert event.item == msgspec.structs.replace(expected, evidence=(quote("I like tea"),), kept=True)
    assert event.item.id == derive("preference", "likes tea")
    assert (event.said, event.by, event.causes) == (LATER, PERSON, (message("I like tea"),))
    assert event.reason == "asked by the person; no item has this id or says this"
    guards = "own_lengths@1 secrets@1 instructions@4"
    assert event.policy == f"matching@2 item_ids@1 kinds@1 text@1 compartments@2 quiet@3 alike@1 {guards}"
    assert event.intent is not None
    assert (event.intent.action, event.intent.needle) == ("remember", "Likes tea")
    assert event.intent.saw is not None
    assert event.intent.saw.text == "Likes tea"


def test_decided_twice_the_second_time_nothing() -> None:
    world = World()
    assert len(world.decide(remember, please_remember("likes tea"))) == 1
    assert world.decide(remember, please_remember("likes tea")) == []
    item_id = derive("fact", "likes tea")
    for decision, request in (
        (edit, please_edit(item_id, "likes coffee")),
        (forget, please_forget("likes coffee")),
        (restore, please_restore(item_id)),
    ):
        assert len(world.decide(decision, request)) == 1
        assert world.decide(decision, request) == []


def test_the_same_words_again_confirm_the_item() -> None:
    world = World()
    there_is(world, an_item("likes tea", confidence=500, tags=("drinks",), evidence=(quote("a"),)))
    before = row_of(world, "likes tea")
    (event,) = world.decide(remember, please_remember("Likes  TEA", evidence=(quote("b"),)))
    (found,) = items_of(world.rows, ANN)
    item = found.row.item
    assert (item.id, item.text, item.created, item.updated) == (before.item.id, "Likes TEA", NOW, LATER)
    assert (item.confidence, item.source_count, item.tags) == (1000, 2, ("drinks",))
    assert item.evidence == (quote("a"), quote("b"))
    assert before.event in event.causes


@pytest.mark.parametrize("status", ["deprecated", "forgotten", "evicted", "merged"])
def test_what_went_is_revived_with_its_id(status: str) -> None:
    world = World()
    there_is(world, an_item("likes tea", status=status, id="durable-kept"))
    world.decide(remember, please_remember("likes tea"))
    assert row_of(world, "likes tea").item.id == "durable-kept"
    assert statuses(world) == {"likes tea": "active"}


def edited(world: World, then: str) -> None:
    """They had it say tea, and put that right; since then it is as it says."""
    world.decide(remember, please_remember("likes tea"))
    world.decide(edit, please_edit(TEA, "likes coffee"))
    if then != "active":
        there_is(world, msgspec.structs.replace(row_of(world, "likes coffee").item, status=then), by=PERSON)


TEA = derive("fact", "likes tea")


@pytest.mark.parametrize("status", ["active", "deprecated", "forgotten", "evicted", "merged"])
def test_what_an_item_said_before_it_was_edited_is_another_item_when_it_is_said_again(status: str) -> None:
    world = World()
    edited(world, status)
    before = row_of(world, "likes coffee")
    (event,) = world.decide(remember, please_remember("likes tea", said=LATER + 5))
    assert isinstance(event, ItemRemembered)
    assert event.item.id == derive("fact", "likes tea", 12)
    assert (event.reason, event.causes) == (f"asked by the person; {TEA} says something else", ())
    assert event.item.source_count == 1
    assert row_of(world, "likes coffee") == before
    assert statuses(world) == {"likes tea": "active", "likes coffee": status}
    (again,) = world.decide(remember, please_remember("likes tea", said=LATER + 6))
    assert isinstance(again, ItemRemembered)
    assert (again.item.id, again.item.source_count) == (event.item.id, 2)


def test_what_was_forgotten_in_other_words_stays_so_when_the_first_are_said_again() -> None:
    world = World()
    edited(world, "active")
    world.decide(forget, please_forget("likes coffee"))
    world.decide(remember, please_remember("likes tea", said=LATER + 5))
    assert [found.row.text for found in forgotten_of(world.rows, ANN)] == ["likes coffee"]
    world.decide(restore, please_restore(TEA))
    assert statuses(world) == {"likes tea": "active", "likes coffee": "active"}


def test_what_was_forgotten_by_hand_may_be_said_again_by_hand() -> None:
    world = World()
    world.decide(remember, please_remember("likes tea"))
    world.decide(forget, please_forget("likes tea"))
    assert len(list(world.rows.scan(FORGOTTEN))) == 1
    world.decide(remember, please_remember("likes tea", said=LATER + 5))
    assert list(world.rows.scan(FORGOTTEN)) == []
    assert statuses(world) == {"likes tea": "active"}


def test_other_compartments_and_owners_have_their_own() -> None:
    world = World()
    world.decide(remember, please_remember("likes tea"))
    world.decide(remember, please_remember("likes tea", compartment=WIDE, name="wide"))
    world.decide(remember, please_remember("likes tea", owner=BOB, name="bob"))
    assert len(list(items_of(world.rows, ANN))) == 2
    assert len(list(items_of(world.rows, BOB))) == 1


def test_a_clash_lengthens_the_newcomer_s_id() -> None:
    world = World()
    for text in CLASH:
        world.decide(remember, please_remember(text))
    first, second = (row_of(world, text).item.id for text in CLASH)
    assert second.startswith(first)
    assert len(second) == len(first) + 4
    world.decide(remember, please_remember(CLASH[1], said=LATER + 1))
    assert row_of(world, CLASH[1]).item.source_count == 2


@pytest.mark.parametrize("text", ["", " \n\u3000", "\u200b", "\u2060\u00a0", "\u3164 \u2800", "\x1b", "\u0301"])
def test_nothing_cannot_be_remembered(text: str) -> None:
    with pytest.raises(BadRequest, match="write a sentence"):
        World().decide(remember, please_remember(text))


def test_the_longest_text() -> None:
    world = World()
    assert len(world.decide(remember, please_remember("x" * MOST_CHARS))) == 1
    with pytest.raises(BadRequest, match="at most 400"):
        world.decide(remember, please_remember("x" * (MOST_CHARS + 1)))


@pytest.mark.parametrize(
    "text", ["日本語", "茶", "🙂", "👨‍👩‍👧", "🇩🇪", "tea", "x", "7", "né", "ﾃ", "①", "नी", "C", "\u2194\ufe0f"]
)
def test_one_word_of_any_script_is_enough_for_a_person(text: str) -> None:
    world = World()
    assert len(world.decide(remember, please_remember(text))) == 1
    assert statuses(world) == {text: "active"}


@pytest.mark.parametrize("text", ["!", "...", "-", "?!?!?!", "€", "\u0301!", "(\u3164)", "\u2800.", "\x00!", "\ufffd"])
def test_signs_alone_say_nothing(text: str) -> None:
    with pytest.raises(BadRequest, match="too short to say anything: write a word"):
        World().decide(remember, please_remember(text))


def test_over_the_cap_the_oldest_make_room() -> None:
    world = World()
    there_is(
        world,
        an_item("old", updated=NOW - 9),
        an_item("older", updated=NOW - 10, compartment=WIDE),
        an_item("gone", updated=NOW, status="deprecated"),
    )
    events = world.decide(remember, please_remember("fresh", cap=2))
    assert [type(each) for each in events] == [ItemRemembered, ItemEvicted, ItemEvicted]
    assert statuses(world) == {"old": "active", "older": "evicted", "gone": "evicted", "fresh": "active"}
    evicted = events[1]
    assert isinstance(evicted, ItemEvicted)
    assert (evicted.item.text, evicted.cap, evicted.policy) == ("gone", 2, "capacity@1")
    assert "oldest deprecated" in evicted.reason
    assert (evicted.by.kind, evicted.by.name, evicted.by.version) == ("policy", "capacity", "1")
    assert len(evicted.causes) == 2


def test_one_decision_stays_within_its_bounds_when_a_cap_was_lowered_by_far() -> None:
    world = World()
    there_is(world, *(an_item(f"item {n}", updated=NOW + n) for n in range(1_010)))
    assert len(world.decide(remember, please_remember("fresh", cap=1))) == 1_000
    assert len(world.decide(remember, please_remember("newer", said=LATER + 1, cap=1))) == 13


@given(st.lists(st.sampled_from(["able", "bake", "cake", "dale", "east", "fair"]), max_size=12), st.integers(1, 4))
def test_there_are_never_more_than_the_cap(texts: list[str], cap: int) -> None:
    world = World()
    for n, text in enumerate(texts):
        world.decide(remember, please_remember(text, said=NOW + n, cap=cap, name=str(n)))
        assert statuses(world)[text] == "active"
        assert sum(status == "active" for status in statuses(world).values()) <= cap


# Edit


def test_an_edit_keeps_the_id_and_what_was_seen() -> None:
    world = World()
    there_is(world, an_item("lives in Paris", confidence=300))
    item_id = derive("fact", "lives in Paris")
    (event,) = world.decide(edit, please_edit(item_id, " lives in  Rome", openings=OPENINGS))
    assert isinstance(event, ItemUpserted)
    assert (event.item.id, event.item.text, event.item.confidence) == (item_id, "lives in Rome", 1000)
    assert event.item.updated == LATER
    assert event.intent is not None
    assert event.intent.chosen == item_id
    assert event.intent.saw is not None
    assert event.intent.saw.text == "lives in Paris"


SAID = Source("discord", Ref("discord", "5"), Ref("discord", "m"), Ref("discord", "9"))
"""A message of a channel of a guild."""


def test_what_somebody_put_in_other_words_is_theirs_and_still_known_by_where_it_was_learned() -> None:
    """No prompt cites the message as saying what it never said; who may hear of it, and what it goes with, stays."""
    world = World()
    there_is(world, item := an_item("lives in Paris", source=SAID, evidence=(quote("in Paris", "m"),)))
    assert "(src: discord:5/m, " in item_line(item)
    (event,) = world.decide(edit, please_edit(item.id, "lives in Rome"))
    assert isinstance(event, ItemUpserted)
    assert "(src: manual, " in item_line(event.item)
    assert event.item.source == msgspec.structs.replace(SAID, type="manual")
    assert event.item.evidence == item.evidence
    assert made_of(event.item) == made_of(item) == {message("m")}


@pytest.mark.parametrize(("source", "then"), [(SAID, SAID), (None, Source("manual", SAID.place))])
def test_what_says_again_what_it_said_has_it_from_where_it_was(source: Source | None, then: Source) -> None:
    world = World()
    there_is(world, item := an_item("lives in Rome", source=Source("manual", SAID.place)))
    request = please_edit(item.id, "lives in Paris")._replace(guarding=None, source=source)
    (event,) = world.decide(edit, request)
    assert isinstance(event, ItemUpserted)
    assert event.item.source == then


def test_an_edit_that_changes_nothing_is_nothing() -> None:
    world = World()
    there_is(world, an_item("likes tea"))
    assert world.decide(edit, please_edit(derive("fact", "likes tea"), "likes tea ")) == []


def test_edits_that_cannot_be_done() -> None:
    world = World()
    there_is(world, an_item("likes tea"), an_item("gone", status="forgotten"), an_item("both"), an_item("b"))
    there_is(world, an_item("both", compartment=WIDE), an_item("Bob's", owner=BOB))
    cases = [
        ("durable-nothing", "rows", "durable-nothing"),
        (derive("fact", "Bob's"), "rows", "there is no item"),
        (derive("fact", "gone"), "rows", "is forgotten: restore it first"),
        (derive("fact", "both"), "rows", f"in {HOME}, {WIDE}"),
        (derive("fact", "b"), "Likes tea", f"^the item {derive('fact', 'likes tea')} says this already"),
        (derive("fact", "b"), " ", "write a sentence"),
        ("", "rows", "there is no item"),
    ]
    for item_id, text, said in cases:
        with pytest.raises(BadRequest, match=said):
            world.decide(edit, please_edit(item_id, text))


def test_an_ambiguous_id_is_clear_within_one_opening() -> None:
    world = World()
    there_is(world, an_item("both"), an_item("both", compartment=WIDE))
    (event,) = world.decide(edit, please_edit(derive("fact", "both"), "rows", openings=(Opening(ANN, WIDE),)))
    assert isinstance(event, ItemUpserted)
    assert event.item.compartment == WIDE


# Forget


def test_every_match_in_the_openings_is_taken_back() -> None:
    world = World()
    there_is(world, an_item("likes tea"), an_item("likes tea", compartment=WIDE), an_item("likes tea and long walks"))
    there_is(world, an_item("likes tea", owner=BOB), an_item("likes tea!", compartment="guild/x:1"))
    there_is(world, an_item("likes tea", owner=NOBODY, compartment=SELF), an_item("likes tea?", status="evicted"))
    events = world.decide(forget, please_forget("LIKES  tea"))
    assert all(isinstance(each, ItemForgotten) for each in events)
    assert sorted(each.item.compartment for each in events if isinstance(each, ItemForgotten)) == [HOME, WIDE]
    assert statuses(world, BOB) == {"likes tea": "active"}
    assert statuses(world)["likes tea and long walks"] == "active"
    assert statuses(world)["likes tea!"] == "active"
    (event, _) = events
    assert isinstance(event, ItemForgotten)
    assert event.reason == "asked by the person"
    assert event.intent is not None
    assert event.intent.needle == "LIKES tea"
    assert event.intent.saw is not None
    assert event.item.updated == LATER


@pytest.mark.parametrize("status", ["active", "deprecated", "evicted", "merged"])
def test_an_id_forgets_exactly_its_item_whatever_became_of_it(status: str) -> None:
    world = World()
    there_is(world, an_item("likes tea", status=status), an_item("likes teas"))
    (event,) = world.decide(forget, please_forget(item_id=derive("fact", "likes tea"), by=OPERATOR))
    assert event == msgspec.structs.replace(event, reason="asked by the operator")
    assert statuses(world) == {"likes tea": "forgotten", "likes teas": "active"}


def test_an_id_in_several_compartments_is_forgotten_in_all_that_are_open() -> None:
    world = World()
    there_is(world, an_item("both"), an_item("both", compartment=WIDE), an_item("both", compartment="guild/x:1"))
    assert len(world.decide(forget, please_forget(item_id=derive("fact", "both")))) == 2


def test_forgetting_what_is_not_there() -> None:
    world = World()
    there_is(world, an_item("likes tea", status="forgotten"))
    assert world.decide(forget, please_forget("likes tea")) == []
    assert world.decide(forget, please_forget(item_id=derive("fact", "likes tea"))) == []
    with pytest.raises(BadRequest, match="durable-nothing"):
        world.decide(forget, please_forget(item_id="durable-nothing"))
    with pytest.raises(BadRequest, match="say what to forget"):
        world.decide(forget, please_forget(" "))


def quieted(world: World) -> set[bytes]:
    return {found.key for found in world.rows.scan(QUIET)}


def test_messages_that_nothing_else_rests_on_leave_and_return() -> None:
    world = World()
    there_is(
        world,
        an_item(
            "likes tea",
            evidence=(
                quote("a"),
                quote("shared"),
                quote("a"),
                msgspec.structs.replace(quote("b"), message=EventId(b"")),
            ),
        ),
        an_item("likes walks", evidence=(quote("shared"),)),
        an_item("gone", evidence=(quote("a"),), status="deprecated"),
    )
    (event,) = world.decide(forget, please_forget("likes tea"))
    assert isinstance(event, ItemForgotten)
    assert event.quiet == (message("a"),)
    assert quieted(world) == {message("a")}
    world.decide(forget, please_forget("likes walks"))
    assert quieted(world) == {message("a"), message("shared")}
    (back,) = world.decide(restore, please_restore(derive("fact", "likes tea")))
    assert isinstance(back, ItemRestored)
    assert back.returns == (message("a"), message("shared")), "an active item rests on them again"
    assert (back.policy, event.policy) == ("matching@2 text@1 quiet@3 alike@1 telling@2",) * 2
    assert quieted(world) == set()


def test_messages_of_items_forgotten_together_leave() -> None:
    world = World()
    there_is(world, an_item("likes tea", evidence=(quote("a"),)), an_item("likes tea!", evidence=(quote("a"),)))
    world.decide(forget, please_forget("likes tea"))
    assert quieted(world) == {message("a")}


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("first", ["likes tea", "likes tea!"])
def test_a_message_comes_back_with_the_first_item_that_rests_on_it(together: bool, first: str) -> None:
    world = World()
    there_is(
        world, an_item("likes tea", evidence=(quote("m"),)), an_item("likes tea!", evidence=(quote("m"), quote("n")))
    )
    shared, own, *_ = (each.id for each in world.add(an_answer(message("m")), an_answer(message("n"))))
    if together:
        world.decide(forget, please_forget("likes tea"))
    else:
        world.decide(forget, please_forget(item_id=derive("fact", "likes tea")))
        assert quieted(world) == set()
        world.decide(forget, please_forget(item_id=derive("fact", "likes tea!")))
    assert quieted(world) == {message("m"), message("n"), shared, own}
    world.decide(restore, please_restore(derive("fact", first)))
    left = {message("n"), own} if first == "likes tea" else set()
    assert quieted(world) == left
    other = "likes tea!" if first == "likes tea" else "likes tea"
    world.decide(restore, please_restore(derive("fact", other)))
    assert quieted(world) == set()


def test_an_answer_comes_back_only_when_nothing_keeps_it_quiet() -> None:
    world = World()
    there_is(world, an_item("likes tea", evidence=(quote("m"),)), an_item("lives in Rome", evidence=(quote("n"),)))
    rome = row_of(world, "lives in Rome").event
    (both, seen) = world.add(an_answer(message("m"), message("n")), an_answer(message("m"), rome))
    for text in ("likes tea", "lives in Rome"):
        world.decide(forget, please_forget(text))
    world.decide(restore, please_restore(derive("fact", "likes tea")))
    assert quieted(world) == {message("n"), both.id, seen.id}
    assert [is_quiet(world.rows, each) for each in (both.id, message("m"))] == [True, False]
    is_gone = quiet_among(world.rows)
    assert [is_gone(each) for each in (both.id, message("m"))] == [True, False]
    world.decide(remember, please_remember("lives in Rome", LATER + 5))
    assert quieted(world) == set(), "saying it again brings back what left with it"
    assert not quiet_among(world.rows)(both.id)


def test_what_somebody_else_took_back_is_not_looked_at() -> None:
    world = World()
    there_is(
        world, an_item("likes tea", evidence=(quote("m"),)), an_item("likes tea", owner=BOB, evidence=(quote("m"),))
    )
    world.decide(forget, please_forget("likes tea"))
    world.decide(forget, please_forget("likes tea", owner=BOB, openings=(Opening(BOB, HOME),), origin=origin("bob")))
    (back,) = world.decide(restore, please_restore(derive("fact", "likes tea")))
    assert isinstance(back, ItemRestored)
    assert back.returns == (message("m"),)


def test_what_is_forgotten_stays_so_when_it_moves() -> None:
    world = World()
    there_is(world, an_item("likes tea", evidence=(quote("m"),)))
    world.decide(forget, please_forget("likes tea"))
    row = row_of(world, "likes tea")
    (old,) = forgotten_of(world.rows, ANN)
    to = msgspec.structs.replace(row.item, compartment=WIDE)
    move = ItemMoved(
        said=LATER, by=PERSON, causes=(row.event, *old.row.was), item=to, from_compartment=HOME, from_id=to.id
    )
    world.add(move)
    (new,) = forgotten_of(world.rows, ANN)
    assert (new.row.compartment, new.row.text, new.row.evidence) == (WIDE, old.row.text, old.row.evidence)
    world.decide(restore, please_restore(to.id))
    assert list(forgotten_of(world.rows, ANN)) == []
    assert quieted(world) == set()


@pytest.mark.parametrize(("status", "left"), [("active", 0), ("evicted", 1)])
def test_of_what_moves_and_is_not_forgotten_nothing_stays_but_what_an_eviction_left(status: str, left: int) -> None:
    world = World()
    there_is(world, an_item("likes tea"))
    world.decide(forget, please_forget("likes tea"))
    to = an_item("likes tea", compartment=WIDE, status=status)
    world.add(ItemMoved(said=LATER, by=PERSON, item=to, from_compartment=HOME, from_id=to.id))
    assert len(list(forgotten_of(world.rows, ANN))) == left


def test_an_act_is_never_said_before_what_it_changes() -> None:
    world = World()
    world.add(ItemUpserted(said=LATER + 50, by=MODEL, item=an_item("likes tea")))
    item_id = derive("fact", "likes tea")
    acts: list[tuple[Callable[[Rows, Any], Sequence[Draft]], Any]] = [
        (edit, please_edit(item_id, "likes green tea")),
        (forget, please_forget(item_id=item_id)),
        (restore, please_restore(item_id)),
        (remember, please_remember("likes green tea")),
    ]
    assert [each.said for act, request in acts for each in world.decide(act, request)] == [LATER + 50] * 4


def test_answers_that_had_it_before_them_leave_too() -> None:
    world = World()
    there_is(world, an_item("likes tea", evidence=(quote("a"),)))
    item = row_of(world, "likes tea").event
    one, other, *_ = world.add(an_answer(item), an_answer(message("a")), an_answer(message("b")))
    (event,) = world.decide(forget, please_forget("likes tea"))
    assert isinstance(event, ItemForgotten)
    assert event.quiet[0] == message("a")
    assert set(event.quiet[1:]) == {one.id, other.id}


# Restore


@pytest.mark.parametrize("status", ["deprecated", "forgotten", "evicted"])
def test_what_went_can_be_brought_back(status: str) -> None:
    world = World()
    there_is(world, an_item("likes tea", status=status))
    (event,) = world.decide(restore, please_restore(derive("fact", "likes tea"), openings=OPENINGS))
    assert isinstance(event, ItemRestored)
    assert event.returns == ()
    assert event.intent is not None
    assert event.intent == Intent("restore", chosen=event.item.id, saw=event.intent.saw)
    assert statuses(world) == {"likes tea": "active"}


def test_restores_that_cannot_be_done() -> None:
    world = World()
    there_is(world, an_item("active"))
    there_is(world, *(an_item("both", status="forgotten", compartment=each) for each in (HOME, WIDE)))
    assert world.decide(restore, please_restore(derive("fact", "active"))) == []
    with pytest.raises(BadRequest, match="several items"):
        world.decide(restore, please_restore(derive("fact", "both")))
    with pytest.raises(BadRequest, match="durable-nothing"):
        world.decide(restore, please_restore("durable-nothing"))


def test_what_returns_from_eviction_needs_room_again() -> None:
    world = World()
    there_is(world, an_item("old", updated=NOW - 1), an_item("evicted", updated=NOW - 2, status="evicted"))
    events = world.decide(restore, please_restore(derive("fact", "evicted"), cap=1))
    assert [type(each) for each in events] == [ItemRestored, ItemEvicted]
    assert statuses(world) == {"old": "evicted", "evicted": "active"}


# The shelf


def test_the_newest_evidence_is_kept() -> None:
    quotes = [quote(str(n)) for n in range(MOST_EVIDENCE + 1)]
    assert joined(quotes[:2], quotes[1:]) == tuple(quotes[1:])


def test_a_shelf_is_in_order() -> None:
    world = World()
    there_is(world, an_item("b"), an_item("a"), an_item("c", compartment=WIDE))
    ids = [row.item.id for row in Shelf(world.rows, origin("x"), ANN).within([HOME])]
    assert ids == sorted(ids)
    assert len(ids) == 2
