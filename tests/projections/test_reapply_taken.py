"""What people take away, applied again where another model made the items; and summaries that were cleared."""

from typing import Any

import pytest

from projections.decisions.given import Given
from projections.decisions.moving import MoveRequest, keeping_private, move
from projections.decisions.reapply import reapply
from projections.decisions.redact_items import LEFT
from projections.decisions.remember import edit, forget, remember, restore
from projections.decisions.summaries import refresh, reset
from projections.events import ItemForgotten, ItemRedacted, SummaryReset
from projections.events.values import By, Intent, Item
from projections.fold import Record
from projections.ids import NOBODY, Ref, VaultId
from projections.items import is_quiet
from projections.policies.compartments import Opening, in_guild
from projections.summaries import find_summary
from tests.projections.items import ANN, BOB, HOME, PERSON, WIDE, message
from tests.projections.shadowed import Both, kept_alike, learned, please_reapply, reasons, same_but, tags
from tests.projections.test_remember import (
    LATER,
    an_answer,
    please_edit,
    please_forget,
    please_remember,
    please_restore,
)
from tests.projections.test_summaries import AUDIENCE, please_refresh, please_reset
from tests.world import NOW, origin

GUILD = in_guild(Ref("discord", "9"))
TEA = learned("likes tea", "m1")
POLICY = By("policy", name="redacted-items", version="1")


def ids(records: Any) -> list[bytes]:
    return [each.id for each in records]


# Forget


@pytest.mark.parametrize(
    ("theirs", "reason"),
    [
        (learned("is a tea drinker", id=TEA.id), "found by its id"),
        (learned("is a tea drinker", id=TEA.id, compartment=WIDE), "found by its id, in another place"),
        (learned("LIKES tea", id="durable-theirs", status="deprecated"), "found by its text"),
        (learned("likes  tea", id="durable-theirs", compartment=GUILD), "found by its text, in another place"),
        (learned("User likes tea"), "found by most of its text"),
        (learned("User likes tea", compartment=WIDE), "found by most of its text, in another place"),
        (learned("is a tea drinker", "m1"), "found by what it rests on"),
        (learned("is a tea drinker", "m1", compartment=GUILD), "found by what it rests on, in another place"),
    ],
)
def test_what_is_meant_is_found_and_what_they_saw_is_refused(theirs: Item, reason: str) -> None:
    both = Both([TEA], [theirs])
    both.act(forget, please_forget(item_id=TEA.id))
    assert reasons(both.again())[0] == f"asked by the person; {reason}"
    assert both.active() == set()
    assert both.refuses("likes tea")
    assert both.refuses(theirs.text)


@pytest.mark.parametrize(
    "theirs",
    [
        learned("likes coffee", "m2"),
        learned("is a tea drinker", "m1", "m2"),  # it rests on more than they saw
        learned("is a tea drinker", "m1", status="deprecated"),
        learned("likes tea", owner=BOB, compartment=GUILD),
        same_but(learned("User likes tea", "m1"), kept=True),
        same_but(learned("likes tea", "m1", compartment=GUILD), kept=True),
    ],
)
def test_what_nobody_says_is_refused_from_now_on_and_all_else_stays(theirs: Item) -> None:
    both = Both([TEA], [theirs])
    before = both.active()
    told = both.act(forget, please_forget(item_id=TEA.id))
    assert ids(both.again()) == ids(told)
    assert both.active() == before
    assert both.refuses("User likes tea")
    assert is_quiet(both.shadow.rows, message("m1"))


def test_what_leaves_recall_is_what_rests_on_it_here() -> None:
    theirs = [learned("likes tea", "m1", "m2", "m3"), learned("lives in Rome", "m2")]
    both = Both([TEA], theirs)
    answer = both.copy(an_answer(message("m3")))
    both.act(forget, please_forget("likes tea"))
    (draft,) = both.again()
    assert isinstance(draft.event, ItemForgotten)
    assert draft.event.quiet == (message("m1"), message("m3"), answer)
    assert not is_quiet(both.shadow.rows, message("m2"))


def test_the_item_with_its_id_goes_and_what_they_saw_is_refused_beside_it() -> None:
    both = Both([TEA], [learned("is a tea drinker", "m2", id=TEA.id)])
    both.act(forget, please_forget(item_id=TEA.id))
    gone, refusal = both.again()
    assert tags([gone, refusal]) == ["item.forgotten", "item.forgotten"]
    assert [row.item.id for row in both.says("is a tea drinker")] == [TEA.id]
    (row,) = both.says("likes tea")
    assert row.item.id.startswith(TEA.id)
    assert row.item.status == "forgotten"
    assert not is_quiet(both.shadow.rows, message("m1"))


def test_what_says_it_beside_the_item_with_its_id_goes_too() -> None:
    both = Both([TEA], [learned("is a tea drinker", id=TEA.id), learned("Likes tea", id="durable-theirs")])
    both.act(forget, please_forget(item_id=TEA.id))
    assert reasons(both.again()) == ["asked by the person; found by its id, and by its text"] * 2
    assert both.active() == set()


def test_where_its_address_is_taken_the_refusal_keeps_the_messages_away() -> None:
    both = Both([TEA], [same_but(learned("is a tea drinker", "m2", id=TEA.id), status="forgotten")], messages=["m1"])
    both.act(forget, please_forget(item_id=TEA.id))
    (refusal,) = both.again()
    assert both.says("likes tea")[0].event == refusal.id
    assert both.refuses("likes tea")
    assert is_quiet(both.shadow.rows, message("m1"))


@pytest.mark.parametrize("together", [True, False])
def test_the_words_given_take_what_only_this_model_says(together: bool) -> None:
    live = [learned("likes tea", "m1"), learned("likes teas", "m2", compartment=WIDE)]
    theirs = [*live, learned("likes tea!", "m3"), learned("like tea?", "m4", compartment=WIDE)]
    theirs += [learned("likes tea :)", "m5", compartment=GUILD), same_but(learned("likes tea…", "m6"), kept=True)]
    both = Both(live, theirs)
    first, second = both.act(forget, please_forget("likes tea"))
    drafts = both.again(together=together)
    assert both.active() == {(WIDE, "like tea?"), (GUILD, "likes tea :)"), (HOME, "likes tea…")}
    assert (first.id in ids(drafts), second.id in ids(drafts)) == (True, True)
    assert reasons(drafts).count("asked by the person; its text contains the words given") == 1


def test_what_the_words_took_besides_comes_back_with_what_was_meant() -> None:
    both = Both([TEA], [TEA, learned("likes tea!", "m3")])
    both.act(forget, please_forget("likes tea"))
    assert len(both.again()) == 2
    both.act(restore, please_restore(TEA.id))
    assert len(both.again()) == 2
    assert both.active() == {(HOME, "likes tea"), (HOME, "likes tea!")}


def test_two_of_one_decision_that_rest_on_one_message_are_as_they_were() -> None:
    items = [learned("likes tea", "m1"), learned("likes teas", "m1")]
    both = Both(items, items)
    told = both.act(forget, please_forget("likes tea"))
    assert ids(both.again()) == ids(told)
    assert len(told) == 2
    assert kept_alike(both.live, both.shadow)


def test_what_was_taken_by_the_one_is_not_looked_for_by_the_other() -> None:
    live = [learned("likes tea", "m1"), learned("likes teas", "m1", "m2")]
    both = Both(live, [learned("Likes tea", "m1", id="durable-a"), live[1], learned("hates queues", "m1")])
    both.act(forget, please_forget("likes tea"))
    both.again()
    assert both.active() == {(HOME, "hates queues")}
    assert is_quiet(both.shadow.rows, message("m2"))
    assert not is_quiet(both.shadow.rows, message("m1"))  # something active rests on it


def test_a_forgetting_of_which_nobody_knows_the_intent_goes_by_the_item() -> None:
    both = Both([], [same_but(TEA, id="durable-theirs")])
    both.tell(ItemForgotten(said=LATER, by=PERSON, item=same_but(TEA, status="forgotten")))
    both.again()
    assert both.active() == set()


def test_what_is_blank_can_be_refused_by_no_words() -> None:
    both = Both()
    blank = same_but(TEA, text=" ", status="forgotten")
    told = both.tell(ItemForgotten(said=LATER, by=PERSON, item=blank, intent=Intent("forget", needle="x")))
    assert ids(both.again()) == ids(told)
    both.tell(ItemForgotten(said=LATER, by=PERSON, item=blank))
    assert both.again() == []


def test_what_is_said_is_never_earlier_than_what_it_changes() -> None:
    both = Both([TEA], [same_but(TEA, updated=LATER + 99)])
    both.act(forget, please_forget(item_id=TEA.id))
    (draft,) = both.again()
    assert draft.event.said == LATER + 99
    assert all(both.shadow.ids.status(each) == "known" for each in draft.event.causes)


def test_what_is_nobodys_is_looked_for_in_its_own_compartment_alone() -> None:
    lore = learned("the club meets on Fridays", "m1", owner=NOBODY, compartment=GUILD)
    other = same_but(lore, compartment=in_guild(Ref("discord", "8")))
    both = Both([lore], [other])
    request = please_forget(item_id=lore.id, owner=NOBODY, openings=(Opening(NOBODY, GUILD),))
    told = both.act(forget, request)
    assert ids(both.again()) == ids(told)


def test_what_says_it_goes_too_where_what_has_its_id_is_not_held() -> None:
    """What they say again lies here beside what has its id, which had made way for it."""
    both = Both([TEA], [learned("likes teas", "m1", compartment=WIDE, id=TEA.id)], ["m1"])
    both.act(remember, please_remember("likes tea"))
    both.act(remember, please_remember("likes tea", said=LATER + 1, compartment=WIDE))
    here = (Opening(ANN, WIDE),)
    both.act(edit, please_edit(TEA.id, "likes teas", openings=here, said=LATER + 2))
    both.again()
    assert [row.item.status for row in both.says("likes teas", WIDE)] == ["active", "deprecated"]
    both.act(forget, please_forget(item_id=TEA.id, openings=here, said=LATER + 3))
    assert reasons(both.again()) == ["asked by the person; found by its id, and by its text"] * 2
    assert both.active() == {(HOME, "likes tea")}


def test_what_was_not_held_when_it_was_taken_back_is_not_what_they_put_so_beside_it() -> None:
    gone = learned("lives in Rome", "m2", status="deprecated")
    both = Both([TEA, gone], [TEA], ["m1", "m2"])
    both.act(edit, please_edit(TEA.id, "lives in Rome"))
    told = both.act(forget, please_forget(item_id=gone.id, said=LATER + 1))
    assert ids(both.again())[-1:] == ids(told)
    assert both.active() == {(HOME, "lives in Rome")}
    assert both.refuses("lives in Rome")


def test_what_a_model_says_goes_also_where_it_was_not_held_when_it_was_taken_back() -> None:
    gone = same_but(TEA, status="deprecated")
    both = Both([gone], [same_but(TEA, id="durable-theirs")])
    both.act(forget, please_forget(item_id=TEA.id))
    both.again()
    assert both.active() == set()


def test_what_another_act_took_back_before_is_taken_back_by_this_one_too() -> None:
    """So it stays taken back when they say again what the other one was about."""
    cups = learned("likes teas", "m2")
    both = Both([TEA, cups], [learned("likes tea", "m3")], ["m1", "m2", "m3"])
    both.act(forget, please_forget(item_id=cups.id))
    both.act(forget, please_forget(item_id=TEA.id, said=LATER + 1))
    *_, again = both.again()
    assert reasons([again]) == ["asked by the person; it had been taken back before"]
    both.act(remember, please_remember("likes teas", said=LATER + 2))
    both.again()
    assert both.active() == {(HOME, "likes teas")}
    assert [row.item.status for row in both.says("likes tea")] == ["forgotten"]
    assert both.refuses("likes tea")
    assert is_quiet(both.shadow.rows, message("m1"))
    assert is_quiet(both.shadow.rows, message("m3"))
    both.act(restore, please_restore(TEA.id, said=LATER + 3))
    both.again()
    assert both.active() == {(HOME, "likes teas"), (HOME, "likes tea")}
    assert not both.refuses("likes tea")
    assert not is_quiet(both.shadow.rows, message("m3"))


# What goes from where something was taken back


@pytest.mark.parametrize("decision", ["share", "keep_private"])
def test_what_was_taken_back_where_they_move_something_from_stays_so(decision: Any) -> None:
    """The item has the id here of what says what they had taken back."""
    teas = learned("likes teas", "m2", compartment=GUILD)
    both = Both([same_but(TEA, compartment=GUILD), teas], [same_but(teas, id=TEA.id)], ["m1", "m2"])
    both.act(forget, please_forget(item_id=teas.id, openings=(Opening(ANN, GUILD),)))
    both.again()
    to = {"share": WIDE, "keep_private": HOME}[decision]
    both.act(move, MoveRequest(ANN, TEA.id, to, decision, PERSON, LATER + 1, origin("go")))
    both.again()
    assert both.active() == {(to, "likes tea")}
    assert [row.item.status for row in both.says("likes teas", GUILD)] == ["forgotten"]
    assert both.refuses("likes teas!")
    assert is_quiet(both.shadow.rows, message("m2"))
    both.act(restore, please_restore(teas.id, openings=(Opening(ANN, GUILD),), said=LATER + 2))
    both.again()
    assert (GUILD, "likes teas") in both.active()
    assert not is_quiet(both.shadow.rows, message("m2"))


# What is carried


def test_with_how_it_was_recorded_it_comes_as_it_was_and_without_it_rests_on_what_is_here() -> None:
    both = Both([TEA], [])
    (told,) = both.act(forget, please_forget(item_id=TEA.id))
    given = Given(NOW, VaultId(bytes(16)))
    (carried,) = reapply(both.shadow.rows, please_reapply(told, given=given))
    assert (carried.event, carried.given) == (told.event, given)
    (alone,) = reapply(both.shadow.rows, please_reapply(told))
    assert alone.event.causes == ()
    assert (alone.id, alone.given) == (told.id, None)


# Words of it went with a message


def redacted(item: Item, **fields: Any) -> ItemRedacted:
    return ItemRedacted(said=LATER + 5, by=POLICY, item=item, reason=LEFT, **fields)


@pytest.mark.parametrize(("theirs", "natural"), [([], True), ([same_but(TEA, id="durable-theirs")], False)])
def test_what_they_took_back_stays_so(theirs: list[Item], natural: bool) -> None:
    both = Both([], theirs, messages=["m1"])
    bare = same_but(TEA, evidence=(), status="forgotten")
    both.tell(redacted(bare, refuses=True, quiet=(message("m1"),)))
    (draft,) = both.again()
    assert draft.natural is natural
    assert both.active() == set()
    assert both.refuses("likes tea")
    assert is_quiet(both.shadow.rows, message("m1"))


def test_the_words_go_here_too() -> None:
    both = Both([TEA], [TEA])
    both.act(forget, please_forget(item_id=TEA.id))
    both.again()
    told = both.tell(redacted(same_but(TEA, evidence=(), status="forgotten")))
    assert ids(both.again()) == ids(told)
    assert both.says("likes tea")[0].item.evidence == ()
    assert both.refuses("likes tea")


def test_what_they_put_so_themselves_is_not_meant_by_its_id_where_something_says_what_they_saw() -> None:
    both = Both([], [learned("User likes tea", "m1", id=TEA.id)], ["m1"])
    for number, text in enumerate(("User likes tea", "likes tea")):
        both.act(remember, please_remember(text, said=LATER + number))
        both.again()
    both.act(forget, please_forget(item_id=TEA.id, said=LATER + 2))
    both.again()
    assert both.active() == {(HOME, "User likes tea")}
    assert both.says("likes tea")[0].item.status == "forgotten"


# Kept private


@pytest.mark.parametrize("text", ["likes tea", "Likes TEA"])
def test_what_they_had_taken_back_there_does_not_come_back_by_what_they_keep_private(text: str) -> None:
    """In the shadow their "likes teas" is found by most of its text, and says what they had forgotten."""
    teas = learned("likes teas", "m2", compartment=WIDE)
    both = Both([TEA, teas], [TEA, learned(text, "m2", compartment=WIDE)], ["m1", "m2"])
    both.act(forget, please_forget(item_id=TEA.id, openings=(Opening(ANN, HOME),)))
    both.act(move, keeping_private(ANN, teas.id, PERSON, LATER + 1, origin("hide")))
    drafts = both.again()
    assert tags(drafts)[1:] == ["item.deprecated", "item.moved", "item.forgotten"]
    assert reasons(drafts)[1] == "asked by the person; it says what they had taken back there"
    assert both.active() == {(HOME, "likes teas")}
    assert both.refuses("likes tea")


@pytest.mark.parametrize(
    ("theirs", "reason"),
    [
        (learned("likes tea", "m1", "m2", compartment=GUILD), "found by its id"),
        (learned("Likes tea", compartment=GUILD, id="durable-theirs"), "found by its text"),
        (learned("likes tea", compartment=WIDE), "found by its id, in another place"),
        (learned("is a tea drinker", "m1", compartment=GUILD), "found by what it rests on"),
    ],
)
def test_what_says_it_is_open_to_them_alone(theirs: Item, reason: str) -> None:
    both = Both([same_but(TEA, compartment=GUILD)], [theirs])
    both.act(move, keeping_private(ANN, TEA.id, PERSON, LATER, origin("hide")))
    assert reasons(both.again()) == [f"asked by the person; {reason}"]
    assert both.active() == {(HOME, theirs.text)}


def test_it_becomes_one_with_what_says_so_there() -> None:
    both = Both([same_but(TEA, compartment=GUILD)], [same_but(TEA, compartment=GUILD), learned("likes tea", "m2")])
    both.act(move, keeping_private(ANN, TEA.id, PERSON, LATER, origin("hide")))
    (draft,) = both.again()
    assert both.active() == {(HOME, "likes tea")}
    assert len(both.says("likes tea")[0].item.evidence) == 2
    assert len(draft.event.causes) == 2


def test_what_they_took_back_there_in_other_words_stays_so() -> None:
    here = same_but(TEA, compartment=GUILD)
    both = Both([here], [here, learned("has a tea pot", id=TEA.id)])
    both.shadow.decide(forget, please_forget("has a tea pot"))
    both.act(move, keeping_private(ANN, TEA.id, PERSON, LATER, origin("hide")))
    both.again()
    assert both.active() == {(HOME, "likes tea")}
    assert both.refuses("has a tea pot")


def test_it_is_lifted_where_it_was_lifted_by_the_same() -> None:
    items = [TEA, same_but(TEA, compartment=WIDE)]
    both = Both(items, items)
    here = (Opening(ANN, HOME),)
    both.act(edit, please_edit(TEA.id, "has a tea pot", openings=here))
    both.act(forget, please_forget(item_id=TEA.id, openings=here))
    told = both.act(move, keeping_private(ANN, TEA.id, PERSON, LATER + 9, origin("hide")))
    assert ids(both.again())[-1:] == ids(told)
    assert kept_alike(both.live, both.shadow)


def test_nor_is_it_lifted_by_what_nobody_says_here() -> None:
    both = Both([same_but(TEA, compartment=GUILD)], [learned("has a tea pot", id=TEA.id)])
    both.shadow.decide(forget, please_forget("has a tea pot"))
    both.act(move, keeping_private(ANN, TEA.id, PERSON, LATER, origin("hide")))
    assert tags(both.again()) == ["item.moved", "item.forgotten"]
    assert both.active() == {(HOME, "likes tea")}
    assert both.refuses("has a tea pot")


def test_what_is_there_alone_already_stays() -> None:
    both = Both([same_but(TEA, compartment=GUILD)], [learned("likes TEA", "m1")])
    both.act(move, keeping_private(ANN, TEA.id, PERSON, LATER, origin("hide")))
    assert both.again() == []
    assert both.active() == {(HOME, "likes TEA")}


@pytest.mark.parametrize("kept", [True, False])
def test_what_nobody_says_lies_there_and_is_derived_nowhere_else(kept: bool) -> None:
    both = Both([same_but(TEA, compartment=GUILD)], [same_but(TEA, kept=True)] if kept else [])
    both.act(move, keeping_private(ANN, TEA.id, PERSON, LATER, origin("hide")))
    drafts = both.again()
    assert tags(drafts) == ["item.forgotten"] if kept else ["item.moved", "item.forgotten"]
    assert both.active() == {(HOME, "likes tea")}
    assert both.refuses("likes tea")
    assert both.says("likes tea", GUILD)[0].item.status == "forgotten"


# A summary that was cleared


def cleared(both: Both) -> Record:
    both.act(refresh, please_refresh("they talked about tea"))
    (told,) = both.act(reset, please_reset(NOW + 9))
    return told


@pytest.mark.parametrize(
    ("theirs", "natural"),
    [
        (None, True),
        (please_refresh("of tea, mostly"), True),
        (please_refresh("of tea, mostly", era=2), False),
        (please_refresh("of tea, mostly", said=NOW + 50), False),
    ],
)
def test_a_summary_is_cleared_up_to_where_it_was(theirs: Any, natural: bool) -> None:
    both = Both(messages=["m"])
    told = cleared(both)
    if theirs is not None:
        both.shadow.decide(refresh, theirs)
    (draft,) = both.again()
    assert (draft.natural, draft.id == told.id) == (natural, natural)
    found = find_summary(both.shadow.rows, "s", AUDIENCE.epoch)
    assert found is not None
    assert isinstance(told.event, SummaryReset)
    assert (found.row.text, found.row.floor) == ("", told.event.upto)
    assert found.row.era == (2 if theirs is not None and theirs.era == 2 else 1)
    assert all(both.shadow.ids.status(each) == "known" for each in draft.event.causes)


def test_a_cleared_summary_comes_as_it_was_recorded() -> None:
    both = Both()
    told = cleared(both)
    given = Given(NOW, VaultId(bytes(16)))
    (draft,) = reapply(both.shadow.rows, please_reapply(told, given=given))
    assert (draft.event, draft.given) == (told.event, given)
