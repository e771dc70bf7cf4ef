"""What people keep, applied again where another model made the items."""

from typing import Any

import pytest

from projections.decisions.imported import ImportItemRequest, import_item
from projections.decisions.moving import MoveRequest, keeping_private, move, sharing
from projections.decisions.reapply import reapply
from projections.decisions.redact_items import LEFT
from projections.decisions.remember import edit, forget, remember, restore
from projections.events import ItemMerged, ItemMoved, ItemRedacted, ItemRestored, ItemUpserted
from projections.events.values import By, Evidence, Intent, Item, Saw, Source
from projections.ids import NOBODY, Ref
from projections.items import forgotten_of, is_quiet, items_of
from projections.policies.capacity import VERSION as CAPACITY
from projections.policies.compartments import SELF, Opening, in_guild
from projections.policies.item_ids import derive
from tests.projections.items import ANN, HOME, MODEL, PERSON, WIDE, message, quote
from tests.projections.shadowed import Both, kept_alike, learned, please_reapply, reasons, same_but, tags
from tests.projections.test_remember import (
    LATER,
    an_answer,
    please_edit,
    please_forget,
    please_remember,
    please_restore,
)
from tests.world import NOW, origin

GUILD = in_guild(Ref("discord", "9"))
TEA = learned("likes tea", "m1")


def ids(records: Any) -> list[bytes]:
    return [each.id for each in records]


def please_import(text: str, **fields: Any) -> ImportItemRequest:
    return ImportItemRequest(
        "1", ANN, HOME, f"their-{text}", "fact", text, "active", NOW, LATER, Source("import")
    )._replace(**fields)


# The same model


@pytest.mark.parametrize(
    ("decision", "request_"),
    [
        (remember, please_remember("plays chess", evidence=(quote("I play chess", "m2"),), tags=("games",))),
        (remember, please_remember("Likes  tea", evidence=(quote("tea, again", "m2"),))),
        (edit, please_edit(TEA.id, "likes coffee", evidence=(quote("coffee", "m2"),))),
        (edit, please_edit(TEA.id, "LIKES tea")),
        (forget, please_forget("likes tea")),
        (forget, please_forget(item_id=TEA.id)),
        (forget, please_forget("like")),
        (move, sharing(ANN, TEA.id, PERSON, LATER, origin("share"))),
        (move, keeping_private(ANN, learned("lives in Rome").id, PERSON, LATER, origin("hide"))),
        (restore, please_restore(learned("had a cat").id)),
        (import_item, please_import("plays the flute")),
        (import_item, please_import("plays the flute", status="deprecated")),
    ],
)
def test_where_items_are_the_same_the_act_is_the_same_event(decision: Any, request_: Any) -> None:
    items = [
        TEA,
        learned("likes", "m1"),
        learned("liked", "m1"),
        learned("lives in Rome", compartment=GUILD),
        learned("had a cat", status="deprecated"),
    ]
    both = Both(items, items, messages=["m2"])
    told = both.act(decision, request_)
    assert told
    assert ids(both.again()) == ids(told)
    assert kept_alike(both.live, both.shadow)


def test_a_whole_story_comes_to_the_same_in_a_memory_made_by_the_same_model() -> None:
    both = Both([TEA], [TEA], messages=["m2", "m3"])
    both.copy(an_answer(message("m1")))
    for decision, request in (
        (edit, please_edit(TEA.id, "likes mint tea")),
        (remember, please_remember("plays chess", evidence=(quote("chess", "m2"),))),
        (forget, please_forget("likes mint tea")),
        (restore, please_restore(TEA.id)),
        (move, sharing(ANN, TEA.id, PERSON, LATER + 2, origin("share"))),
        (forget, please_forget("plays chess")),
        (remember, please_remember("plays chess", said=LATER + 9)),
    ):
        told = both.act(decision, request)
        assert ids(both.again()) == ids(told)
        assert kept_alike(both.live, both.shadow)
    assert not is_quiet(both.shadow.rows, message("m1"))


# Remember


def test_what_another_model_says_already_is_kept() -> None:
    theirs = learned("Likes TEA", "m3", id="durable-theirs", tags=("drinks",))
    both = Both([], [theirs], messages=["m2"])
    both.act(remember, please_remember("likes tea", evidence=(quote("I like tea", "m2"),)))
    (draft,) = both.again()
    (row,) = both.says("likes tea")
    assert (row.item.id, row.item.kept, row.item.tags, row.item.source_count) == (
        "durable-theirs",
        True,
        ("drinks",),
        2,
    )
    assert [each.message for each in row.item.evidence] == [message("m3"), message("m2")]
    assert message("m2") in draft.event.causes
    assert reasons([draft]) == ["asked by the person; it says the same"]
    assert (row.by, row.policy.split()[0]) == (PERSON, "reapply@4")
    assert not draft.natural
    assert all(both.shadow.ids.status(each) == "known" for each in draft.event.causes)


def test_what_they_revived_comes_whole_where_nobody_knows_it() -> None:
    both = Both([learned("likes tea", "m1", id="durable-old")], [], messages=["m1"])
    told = both.act(remember, please_remember("likes tea"))
    assert ids(both.again()) == ids(told)
    assert both.says("likes tea")[0].item.id == "durable-old"


def test_what_has_its_id_says_it_again() -> None:
    both = Both([learned("likes tea", id="durable-x")], [learned("likes mint", "m2", id="durable-x")])
    both.act(remember, please_remember("likes tea"))
    assert reasons(both.again()) == ["asked by the person; found by its id"]
    assert both.active() == {(HOME, "likes tea")}


def test_said_again_after_an_edit_it_is_another_item_here_too() -> None:
    for theirs in ([TEA], [learned("enjoys tea", "m1")], []):
        both = Both([TEA], theirs)
        both.act(edit, please_edit(TEA.id, "likes coffee"))
        both.again()
        both.act(remember, please_remember("likes tea", said=LATER + 5))
        both.again()
        assert {(HOME, "likes coffee"), (HOME, "likes tea")} <= both.active()
        assert kept_alike(both.live, both.shadow) or theirs != [TEA]


def test_edited_and_put_back_it_is_from_where_it_is_in_the_live_memory() -> None:
    both = Both([TEA], [learned("enjoys tea", "m1")])
    both.act(edit, please_edit(TEA.id, "likes coffee"))
    both.again()
    assert [row.item.source.type for row in both.says("likes coffee")] == ["manual"]
    back = please_edit(TEA.id, "likes tea", said=LATER + 5)._replace(guarding=None, source=TEA.source)
    both.act(edit, back)
    both.again()
    active = [row.item for row in both.says("likes tea") if row.item.status == "active"]
    assert [each.source.type for each in active] == [TEA.source.type] == ["discord"]


def test_what_has_its_id_in_other_words_of_theirs_stays_beside_it() -> None:
    both = Both([], [learned("likes mint", id=TEA.id)], messages=["m2"])
    both.shadow.decide(edit, please_edit(TEA.id, "likes cocoa"))
    both.act(remember, please_remember("likes tea", evidence=(quote("tea", "m2"),)))
    (draft,) = both.again()
    (row,) = both.says("likes tea")
    assert (row.item.status, row.item.id) == ("active", derive("fact", "likes tea", 12))
    assert draft.event.causes == (message("m2"),)
    assert reasons([draft]) == ["asked by the person; what has its id says something else, in their words"]
    assert both.active() == {(HOME, "likes cocoa"), (HOME, "likes tea")}


def test_what_they_took_back_under_its_id_in_other_words_stays_so() -> None:
    taken = learned("has a tea pot", id=TEA.id)
    both = Both([], [taken], messages=["m2"])
    both.shadow.decide(forget, please_forget("has a tea pot"))
    both.act(remember, please_remember("likes tea", evidence=(quote("tea", "m2"),)))
    (draft,) = both.again()
    (row,) = both.says("likes tea")
    assert (row.item.status, len(row.item.id)) == ("active", len(TEA.id) + 4)
    assert draft.event.causes == (message("m2"),)
    assert reasons([draft]) == ["asked by the person; what has its id was taken back, and says something else"]
    assert both.refuses("has a tea pot")


def test_what_is_quoted_from_a_message_that_is_not_here_is_left_out() -> None:
    both = Both([], [TEA])
    both.act(remember, please_remember("likes tea", evidence=(quote("gone"), Evidence("paper"))))
    both.again()
    (row,) = both.says("likes tea")
    assert [each.quote for each in row.item.evidence] == ["likes tea in m1", "paper"]


def test_what_is_kept_makes_room() -> None:
    both = Both([], [learned(f"item {n}", updated=NOW + n) for n in range(3)])
    (told,) = both.act(remember, please_remember("likes tea"))
    first, second = both.shadow.decide(reapply, please_reapply(told, cap=3))
    assert (first.TAG, second.TAG, second.by.name) == ("item.remembered", "item.evicted", CAPACITY.split("@")[0])
    assert both.active() == {(HOME, "likes tea"), (HOME, "item 1"), (HOME, "item 2")}


def test_saying_again_what_was_taken_back_lifts_the_refusal() -> None:
    both = Both([TEA], [learned("enjoys tea", "m1")])
    both.act(edit, please_edit(TEA.id, "likes coffee"))
    both.act(remember, please_remember("likes tea", said=LATER + 5))
    both.again()
    assert (HOME, "likes tea") in both.active()


# Edit


def test_what_was_taken_back_in_another_place_is_refused_as_long_as_there() -> None:
    everywhere = learned("likes tea", "m2", compartment=WIDE)
    both = Both([learned("likes tea", "m1", compartment=GUILD), everywhere], [everywhere], ["m1", "m2"])
    both.act(forget, please_forget(item_id=TEA.id, openings=(Opening(ANN, GUILD),)))
    both.again()
    both.act(remember, please_remember("likes tea", said=LATER + 1, compartment=WIDE))
    both.again()
    for world in (both.live, both.shadow):
        assert [each.row.compartment for each in forgotten_of(world.rows, ANN)] == [GUILD]
    assert both.active() == {(WIDE, "likes tea")}


def test_what_was_taken_back_beside_what_they_say_again_stays_refused() -> None:
    user = learned("User likes tea", "m1")
    both = Both([TEA, user], [TEA], ["m1"])
    both.act(forget, please_forget(item_id=user.id))
    both.again()
    both.act(remember, please_remember("likes tea", said=LATER + 1))
    both.again()
    for world in (both.live, both.shadow):
        assert [each.row.text for each in forgotten_of(world.rows, ANN)] == ["User likes tea"]
    assert both.active() == {(HOME, "likes tea")}


def test_what_they_took_back_under_its_id_stays_so_however_alike_the_items_are() -> None:
    rome = learned("lives in Rome")
    both = Both([learned("likes tea"), rome], [same_but(rome, id=TEA.id)])
    both.act(forget, please_forget(item_id=rome.id))
    both.again()
    both.act(remember, please_remember("likes tea", said=LATER + 1))
    both.again()
    assert both.refuses("lives in Rome")
    assert both.active() == {(HOME, "likes tea")}


def test_the_item_that_is_meant_says_the_new_text() -> None:
    both = Both([learned("lives in Paris", "m1")], [learned("Lives in PARIS", "m2", id="durable-theirs")], ["m3"])
    both.act(edit, please_edit(derive("fact", "lives in Paris"), "lives in Rome", evidence=(quote("Rome!", "m3"),)))
    draft, outdated = both.again()
    (row,) = both.says("lives in Rome")
    assert (row.item.id, row.item.confidence, row.item.kept) == ("durable-theirs", 1000, True)
    assert [each.message for each in row.item.evidence] == [message("m2"), message("m3")]
    assert reasons([draft]) == ["asked by the person; found by its text"]
    assert row.intent is not None
    assert row.intent.saw is not None
    assert row.intent.saw.text == "lives in Paris"
    assert outdated.event.TAG == "item.deprecated"
    assert [each.item.status for each in both.says("lives in Paris")] == ["deprecated"]


@pytest.mark.parametrize(
    ("theirs", "reason"),
    [
        (learned("resides in Lyon", id=derive("fact", "lives in Paris")), "found by its id"),
        (learned("User lives in Paris"), "found by most of its text"),
        (learned("is a Parisian", "m1"), "found by what it rests on"),
        (learned("User lives in Paris", status="deprecated"), "found by most of its text"),
    ],
)
def test_an_item_is_found_by_less_and_less(theirs: Any, reason: str) -> None:
    both = Both([learned("lives in Paris", "m1")], [theirs])
    both.act(edit, please_edit(derive("fact", "lives in Paris"), "lives in Rome"))
    assert reasons(both.again())[0] == f"asked by the person; {reason}"
    assert both.active() == {(HOME, "lives in Rome")}


def test_a_correction_of_what_nobody_says_comes_in_and_refuses_the_old_words() -> None:
    both = Both([learned("lives in Paris", "m1")], [learned("likes tea", "m9")])
    (told,) = both.act(edit, please_edit(derive("fact", "lives in Paris"), "lives in Rome"))
    corrected, refusal = both.again()
    assert (corrected.id, corrected.natural) == (told.id, True)
    assert both.active() == {(HOME, "lives in Rome"), (HOME, "likes tea")}
    assert both.refuses("User lives in Paris")
    assert not both.refuses("lives in Rome")
    (old,) = both.says("lives in Paris")
    assert (old.item.status, len(old.item.id)) == ("forgotten", len(derive("fact", "x")) + 4)
    assert refusal.event.causes == (told.id,)
    assert reasons([refusal]) == ["asked by the person; nothing here says what they saw: it stands as a refusal"]


def test_a_mere_change_of_case_refuses_nothing() -> None:
    both = Both([TEA], [])
    told = both.act(edit, please_edit(TEA.id, "Likes TEA"))
    assert ids(both.again()) == ids(told)
    assert not both.refuses("likes tea")


def test_an_edit_of_which_nobody_knows_what_was_seen_comes_in_alone() -> None:
    both = Both([TEA], [])
    intent = Intent("edit", "likes coffee", TEA.id)
    told = both.tell(ItemUpserted(said=LATER, by=PERSON, item=same_but(TEA, text="likes coffee"), intent=intent))
    assert ids(both.again()) == ids(told)
    both.tell(ItemUpserted(said=LATER, by=PERSON, item=same_but(TEA, text="likes mate"), intent=intent))
    both.again()
    assert both.active() == {(HOME, "likes mate")}


def test_where_the_new_text_is_said_already_the_old_one_goes() -> None:
    both = Both([learned("lives in Paris")], [learned("lives in Paris"), learned("lives in rome", "m2")])
    both.act(edit, please_edit(derive("fact", "lives in Paris"), "lives in Rome"))
    assert reasons(both.again()) == [
        "asked by the person; it says this already",
        f"asked by the person; {derive('fact', 'lives in rome')} says it instead, in their words",
    ]
    (row,) = both.says("lives in Rome")
    assert (row.item.id, row.item.kept) == (derive("fact", "lives in rome"), True)
    assert both.active() == {(HOME, "lives in Rome")}
    assert not is_quiet(both.shadow.rows, message("m2"))


def test_whatever_else_says_the_old_text_goes() -> None:
    paris = derive("fact", "lives in Paris")
    both = Both([learned("lives in Paris")], [learned("moved", id=paris), learned("Lives in Paris", id="durable-b")])
    both.act(edit, please_edit(paris, "lives in Rome"))
    assert len(both.again()) == 2
    assert both.active() == {(HOME, "lives in Rome")}
    assert both.says("lives in Rome")[0].item.id == paris
    assert [row.item.status for row in both.says("Lives in Paris")] == ["deprecated"]


def test_where_the_new_text_is_said_and_the_old_one_is_not_that_is_refused() -> None:
    both = Both([learned("lives in Paris")], [learned("lives in Rome")])
    both.act(edit, please_edit(derive("fact", "lives in Paris"), "lives in Rome"))
    kept, refusal = both.again()
    assert refusal.event.causes == (kept.id,)
    assert both.refuses("lives in Paris")
    assert both.active() == {(HOME, "lives in Rome")}


def test_words_of_one_compartment_never_get_into_another() -> None:
    open_to_all = learned("lives in Paris", "m1", compartment=GUILD)
    both = Both([learned("lives in Paris", "m1")], [open_to_all])
    told = both.act(edit, please_edit(open_to_all.id, "lives in a clinic"))
    corrected, gone, refusal = both.again()
    assert corrected.id == told[0].id
    assert both.active() == {(HOME, "lives in a clinic")}
    assert reasons([gone]) == [f"asked by the person; {open_to_all.id} says it instead, in their words"]
    assert refusal.event.causes == (corrected.id,)
    assert both.says("lives in Paris", GUILD)[0].item.status == "deprecated"


def test_what_a_person_keeps_elsewhere_stays() -> None:
    both = Both([learned("lives in Paris", "m1")], [])
    both.shadow.add(ItemUpserted(said=NOW, by=PERSON, item=learned("lives in Paris", compartment=GUILD)))
    both.act(edit, please_edit(derive("fact", "lives in Paris"), "lives in Rome"))
    both.again()
    assert both.active() == {(HOME, "lives in Rome"), (GUILD, "lives in Paris")}


# Restore


@pytest.mark.parametrize("status", ["deprecated", "evicted", "merged", "active"])
def test_what_they_brought_back_is_active_and_kept(status: Any) -> None:
    both = Both([learned("likes tea", status="deprecated")], [learned("Likes tea", id="durable-theirs", status=status)])
    both.act(restore, please_restore(TEA.id))
    assert reasons(both.again()) == ["asked by the person; found by its text"]
    assert both.says("Likes tea")[0].item.kept


def test_what_nobody_has_comes_back_whole_and_no_neighbour_stands_for_it() -> None:
    both = Both([learned("likes tea", "m1", status="deprecated")], [learned("hates queues", "m1")])
    told = both.act(restore, please_restore(TEA.id))
    assert ids(both.again()) == ids(told)
    assert both.active() == {(HOME, "likes tea"), (HOME, "hates queues")}
    assert not both.says("hates queues")[0].item.kept


def test_what_went_with_it_comes_back_with_it() -> None:
    both = Both([TEA], [learned("likes tea", "m1", compartment=GUILD)])
    answer = both.copy(an_answer(message("m1")))
    told = both.act(forget, please_forget(item_id=TEA.id))
    drafts = both.again()
    assert reasons(drafts) == ["asked by the person; found by its id, in another place", "asked by the person"]
    assert drafts[1].id == told[0].id
    assert both.active() == set()
    assert is_quiet(both.shadow.rows, answer)
    both.act(restore, please_restore(TEA.id))
    both.again()
    assert both.active() == {(HOME, "likes tea")}
    assert both.says("likes tea", GUILD)[0].item.status == "deprecated"
    assert not both.refuses("likes tea")
    assert not is_quiet(both.shadow.rows, answer)


def test_what_came_back_goes_once_more_and_comes_back_once() -> None:
    both = Both([TEA], [learned("likes tea", "m1", compartment=GUILD)])
    both.act(forget, please_forget(item_id=TEA.id))
    both.act(restore, please_restore(TEA.id))
    both.again()
    (aside,) = both.says("likes tea", GUILD)
    assert aside.reason.endswith(f"it had been taken back together with {TEA.id}, which says what they saw")
    both.act(forget, please_forget(item_id=TEA.id, said=LATER + 9, origin=origin("once more")))
    both.again()
    assert both.active() == set()
    both.act(restore, please_restore(TEA.id, said=LATER + 10, origin=origin("and back")))
    both.again()
    assert both.active() == {(HOME, "likes tea")}


def test_the_answers_that_left_with_what_was_recorded_come_back_too() -> None:
    both = Both([TEA], [learned("likes TEA", "m1", id="durable-theirs")])
    live = next(each.row for each in items_of(both.live.rows, ANN))
    held, other = both.copy(an_answer(live.event)), both.copy(an_answer(message("other")))
    both.act(forget, please_forget(item_id=TEA.id))
    both.again()
    assert is_quiet(both.shadow.rows, held)
    assert not is_quiet(both.shadow.rows, other)
    both.act(restore, please_restore(TEA.id))
    (draft,) = both.again()
    assert not is_quiet(both.shadow.rows, held)
    assert isinstance(draft.event, ItemRestored)
    assert draft.event.returns == (message("m1"), held)


@pytest.mark.parametrize(
    ("theirs", "expected"),
    [
        ([learned("likes tea and mate")], {"likes tea"}),
        ([learned("likes tea and mate", id="durable-theirs")], {"likes tea"}),
        ([learned("likes mate"), learned("likes tea")], {"likes mate", "likes tea"}),
        ([], set()),
    ],
)
def test_a_merge_is_taken_apart_where_it_was_made_too(theirs: list[Item], expected: set[str]) -> None:
    whole = learned("likes tea and mate", "m1")
    intent = Intent("restore", chosen="durable-mate", saw=Saw(whole.text, "fact", HOME, whole.evidence))
    both = Both([whole], theirs)
    both.tell(ItemUpserted(said=LATER, by=PERSON, item=same_but(whole, text="likes tea"), intent=intent))
    both.again()
    assert {text for _, text in both.active()} == expected


# Share, and moves that are taken back


def please_move(item_id: str, to: str, **fields: Any) -> MoveRequest:
    return MoveRequest(ANN, item_id, to, "keep_private", PERSON, LATER, origin(f"move {item_id} {to}"))._replace(
        **fields
    )


def test_what_they_shared_is_there_as_they_saw_it_and_no_more_of_it() -> None:
    theirs = learned("Likes tea", "m1", "m2", id="durable-theirs", tags=("at night",))
    both = Both([TEA], [theirs])
    both.act(move, sharing(ANN, TEA.id, PERSON, LATER, origin("share")))
    assert reasons(both.again()) == ["asked by the person; found by its text"]
    assert both.active() == {(WIDE, "likes tea")}
    (row,) = both.says("likes tea", WIDE)
    assert (row.item.tags, row.item.evidence) == ((), TEA.evidence)


@pytest.mark.parametrize(
    ("theirs", "left"),
    [(learned("likes tea and his neighbour", "m1"), set()), (learned("hates queues", "m1"), {(HOME, "hates queues")})],
)
def test_what_says_more_than_they_saw_is_not_opened(theirs: Item, left: set[tuple[str, str]]) -> None:
    both = Both([TEA], [theirs])
    told = both.act(move, sharing(ANN, TEA.id, PERSON, LATER, origin("share")))
    assert ids(both.again())[:1] == ids(told)
    assert both.active() == {(WIDE, "likes tea"), *left}


@pytest.mark.parametrize("here", [[TEA], []])
def test_what_is_shared_becomes_one_with_what_says_so_there(here: list[Item]) -> None:
    both = Both([TEA], [*here, learned("Likes tea", "m2", compartment=WIDE, id="durable-wide")])
    both.act(move, sharing(ANN, TEA.id, PERSON, LATER, origin("share")))
    (draft,) = both.again()
    assert reasons([draft]) == ["asked by the person; what says the same, or has its id, lies there already"]
    assert both.active() == {(WIDE, "likes tea")}
    (row,) = both.says("likes tea", WIDE)
    assert row.item.id == "durable-wide"
    assert [each.message for each in row.item.evidence] == [message("m2"), *(message("m1") for _ in here)]


def test_what_says_just_what_they_saw_is_shared_rather_than_what_has_its_id() -> None:
    other = learned("likes coffee", "m2", id=TEA.id)
    both = Both([TEA], [other, learned("likes tea", "m1", id="durable-other")], ["m1", "m2"])
    both.act(move, sharing(ANN, TEA.id, PERSON, LATER, origin("share")))
    both.again()
    assert both.active() == {(HOME, "likes coffee"), (WIDE, "likes tea")}


def test_what_they_took_back_there_in_other_words_stays_so() -> None:
    both = Both([TEA], [learned("has a tea pot", id=TEA.id, compartment=WIDE)])
    both.shadow.decide(forget, please_forget("has a tea pot"))
    both.act(move, sharing(ANN, TEA.id, PERSON, LATER, origin("share")))
    both.again()
    assert both.active() == {(WIDE, "likes tea")}
    assert both.refuses("has a tea pot")


def test_what_they_put_back_among_all_is_as_they_saw_it_too() -> None:
    both = Both([TEA], [learned("likes tea", "m1", "m2")])
    both.act(move, please_move(TEA.id, GUILD))
    both.again()
    assert both.says("likes tea", GUILD)[0].item.evidence == TEA.evidence


def test_what_a_policy_moves_is_moved_anew() -> None:
    both = Both([TEA], [TEA])
    to = same_but(TEA, compartment=WIDE)
    told = both.tell(ItemMoved(said=LATER, by=MODEL, item=to, from_compartment=HOME, from_id=TEA.id))
    assert reapply(both.shadow.rows, please_reapply(told[0])) == []


# Imports


def test_an_import_comes_in_unless_a_model_says_so_already_or_it_was_forgotten() -> None:
    both = Both([], [learned("plays chess"), learned("likes tea", "m1")])
    for text in ("Plays chess", "likes tea!", "plays the flute", "likes mate"):
        both.act(import_item, please_import(text))
    both.shadow.decide(forget, please_forget("likes mate and the like"))
    both.shadow.decide(forget, please_forget("likes tea"))
    assert reasons(both.again()) == ["imported from a file", "imported from a file"]
    assert both.active() == {(HOME, "plays chess"), (HOME, "plays the flute"), (HOME, "likes mate")}


def test_two_imports_that_say_the_same_are_two_as_they_were() -> None:
    both = Both()
    both.act(import_item, please_import("plays chess", id="one"))
    both.act(import_item, please_import("plays chess", id="two"))
    assert len(both.again()) == 2
    assert kept_alike(both.live, both.shadow) or len(both.says("plays chess")) == 2


def test_what_is_nobodys_is_imported_under_no_cap() -> None:
    both = Both()
    both.act(import_item, please_import("the club meets on Fridays", owner=NOBODY, compartment=SELF, about="self"))
    record = both.waiting[0][0]
    assert len(both.shadow.decide(reapply, please_reapply(record, cap=0))) == 1


# What is left of an act whose words went with a message


def redacted(item: Item, **fields: Any) -> ItemRedacted:
    return ItemRedacted(
        said=LATER, by=By("policy", name="redacted-items", version="1"), item=item, reason=LEFT, **fields
    )


@pytest.mark.parametrize(
    ("theirs", "natural"),
    [([], True), ([TEA], True), ([same_but(TEA, id="durable-theirs")], False)],
)
def test_what_they_had_asked_to_keep_is_there(theirs: list[Item], natural: bool) -> None:
    both = Both([], theirs)
    both.tell(redacted(same_but(TEA, evidence=(), kept=True)))
    (draft,) = both.again()
    assert draft.natural is natural
    assert both.active() == {(HOME, "likes tea")}
    assert both.says("likes tea")[0].item.kept
    assert reasons([draft])[0].startswith(LEFT)


def test_what_was_kept_and_is_not_active_any_more_comes_as_it_was() -> None:
    both = Both([], [same_but(TEA, id="durable-theirs")])
    told = both.tell(redacted(same_but(TEA, evidence=(), kept=True, status="deprecated")))
    assert ids(both.again()) == ids(told)


def test_what_is_no_persons_is_not_applied() -> None:
    both = Both()
    (told,) = both.tell(ItemMerged(said=NOW, by=MODEL, item=TEA))
    assert reapply(both.shadow.rows, please_reapply(told)) == []
    assert tags(both.again()) == []


def test_what_they_took_back_under_the_id_of_what_they_bring_back_stays_so() -> None:
    """It was taken back here for another item, whose words it has."""
    gone, teas = learned("likes tea", "m1", status="deprecated"), learned("likes teas", "m2")
    both = Both([gone, teas], [same_but(teas, id=gone.id)], ["m1", "m2"])
    both.act(forget, please_forget(item_id=teas.id))
    both.act(restore, please_restore(gone.id, said=LATER + 1))
    both.again()
    assert both.active() == {(HOME, "likes tea")}
    assert [(row.item.id, row.item.status) for row in both.says("likes teas")] == [(gone.id, "forgotten")]
    assert both.refuses("likes teas")
