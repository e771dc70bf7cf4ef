"""One fact, of which another model made several items: what a person does to theirs reaches all that say it."""

import pytest

from projections.decisions.moving import keeping_private, move
from projections.decisions.remember import edit, forget, remember, restore
from projections.decisions.revert import VERSION as REVERT
from projections.events import ItemDeprecated, ItemEvent, ItemRemembered
from projections.events.values import OPERATOR, Intent, Item, Saw
from projections.ids import NOBODY, Ref
from projections.items import items_of
from projections.policies.compartments import Opening, in_guild
from projections.policies.item_ids import derive
from projections.policies.matching import find_upsert
from projections.policies.old_words import says_old, shared, words_of
from projections.policies.precedence import outranked
from tests.projections.items import ANN, HOME, PERSON, row_of
from tests.projections.shadowed import Both, active, kept_alike, learned, reasons, same_but
from tests.projections.test_remember import LATER, please_edit, please_forget, please_remember, please_restore
from tests.world import NOW, origin

GUILD = in_guild(Ref("discord", "9"))
PARIS = learned("lives in Paris", "m1")
PIECES = [learned("resides in Paris", "m1"), learned("has been in Paris since 2019", "m1")]
BESIDE = [learned("likes tea", "m1"), learned("was in Paris once", "m2"), learned("moved from Paris to Rome", "m1")]


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("resides in Paris", "lives in Paris", "lives in Rome", True),
        ("is a Parisian", "lives in Paris", "lives in Rome", True),
        ("likes tea", "lives in Paris", "lives in Rome", False),
        ("resides in Paris", "lives in Paris", "meets in Rome", True),
        ("lives in a house", "lives in Paris", "lives in Rome", False),
        ("moved from Paris to Rome", "lives in Paris", "lives in Rome", False),
        ("is at home in Paris", "lives in Paris", "", True),
        ("lives with a dog", "lives in Paris", "", False),
        ("has lived in Paris", "lives in Paris", "lives in Paris, near the river", True),
        ("東京に住む", "東京に住んでいる", "京都に住んでいる", True),
    ],
)
def test_whether_it_still_says_the_old_thing(text: str, old: str, new: str, expected: bool) -> None:
    assert says_old(text, old, new) is expected


@pytest.mark.parametrize(
    ("word", "text", "percent"), [("Oslo", "an Oslovian", 100), ("ski", "skiing", 0), ("ski", "to ski", 100)]
)
def test_a_word_of_four_letters_and_more_is_also_found_in_a_longer_one(word: str, text: str, percent: int) -> None:
    assert shared(words_of(word), text) == percent


def test_of_no_words_none_is_shared() -> None:
    assert shared(words_of("…"), "anything") == 0


def test_all_that_say_what_was_put_right_make_way_and_what_else_is_known_stays() -> None:
    both = Both([PARIS], [*PIECES, *BESIDE])
    both.act(edit, please_edit(PARIS.id, "lives in Rome"))
    first, *others = both.again()
    assert both.active() == {(HOME, "lives in Rome"), *((HOME, each.text) for each in BESIDE)}
    assert reasons([first]) == ["asked by the person; found by what it rests on"]
    assert isinstance(first.event, ItemEvent)
    assert f"asked by the person; {first.event.item.id} says it instead, in their words" in reasons(others)


@pytest.mark.parametrize("text", ["lives in Paris", PIECES[0].text, PIECES[1].text])
def test_said_before_the_old_words_come_in_no_more_and_said_later_they_do(text: str) -> None:
    both = Both([PARIS], PIECES)
    both.act(edit, please_edit(PARIS.id, "lives in Rome"))
    both.again()
    here = [row for each in (text, "lives in Rome") for row in both.says(each)]
    row = find_upsert(here, "", "fact", text).row
    assert row is not None
    assert outranked(row, NOW, None)
    assert not outranked(row, LATER + 1, None)


def test_the_one_with_most_of_the_words_takes_the_new_ones() -> None:
    tea = learned("adores tea", "m1", id="durable-00000000")
    both = Both([PARIS], [tea, learned("is at home in Paris", "m1")])
    both.act(edit, please_edit(PARIS.id, "lives in Rome"))
    both.again()
    assert both.active() == {(HOME, "adores tea"), (HOME, "lives in Rome")}


def test_what_lay_beside_the_very_item_they_saw_stays() -> None:
    items = [PARIS, *PIECES]
    both = Both(items, items)
    both.act(edit, please_edit(PARIS.id, "lives in Rome"))
    both.act(forget, please_forget(item_id=PIECES[0].id))
    both.again()
    assert kept_alike(both.live, both.shadow)


def test_all_that_say_what_was_taken_back_go() -> None:
    both = Both([PARIS], [*PIECES, learned("likes tea", "m1")])
    both.act(forget, please_forget(item_id=PARIS.id))
    both.again()
    assert both.active() == {(HOME, "likes tea")}
    both.act(restore, please_restore(PARIS.id))
    both.again()
    assert both.active() == {(HOME, "likes tea"), (HOME, "lives in Paris")}
    assert not both.refuses("lives in Paris")


@pytest.mark.parametrize("theirs", [learned("User lives in Paris", "m1"), learned("is a Parisian", "m1"), None])
def test_taken_back_and_brought_back_it_is_there_once(theirs: Item | None) -> None:
    both = Both([PARIS], [] if theirs is None else [theirs])
    both.act(forget, please_forget(item_id=PARIS.id))
    both.act(restore, please_restore(PARIS.id))
    both.again()
    assert both.active() == {(HOME, "lives in Paris")}


def test_taken_back_and_said_again_it_is_there_once_and_nothing_refuses_it() -> None:
    both = Both([PARIS], [learned("User lives in Paris", "m1")])
    both.act(forget, please_forget(item_id=PARIS.id))
    both.act(remember, please_remember("lives in Paris"))
    both.again()
    assert both.active() == {(HOME, "lives in Paris")}
    assert not both.refuses("User lives in Paris")


@pytest.mark.parametrize("theirs", [[], [learned("User lives in Paris", "m1")]])
def test_put_right_and_back_again_it_says_what_it_said_and_nothing_refuses_it(theirs: list[Item]) -> None:
    both = Both([PARIS], theirs)
    both.act(edit, please_edit(PARIS.id, "lives in Rome"))
    both.act(edit, please_edit(PARIS.id, "lives in Paris", said=LATER + 1, origin=origin("back")))
    both.again()
    assert both.active() == {(HOME, "lives in Paris")}
    assert not both.refuses("lives in Paris")


def test_put_right_and_said_as_before_the_new_words_stand_beside_them_as_where_that_was_said() -> None:
    both = Both([PARIS], [learned("User lives in Paris", "m1")])
    both.act(edit, please_edit(PARIS.id, "lives in Rome"))
    both.act(remember, please_remember("lives in Paris", said=LATER + 1))
    both.again()
    assert both.active() == active(both.live) == {(HOME, "lives in Paris"), (HOME, "lives in Rome")}


def test_where_saying_it_as_before_put_it_back_the_new_words_make_way() -> None:
    """What `matching@1` recorded: the item that had said it before said it again."""
    both = Both([PARIS], [learned("User lives in Paris", "m1")])
    both.act(edit, please_edit(PARIS.id, "lives in Rome"))
    rome = row_of(both.live, "lives in Rome").item
    again = same_but(rome, text="lives in Paris", updated=LATER + 1, source_count=2)
    saw = Saw(rome.text, rome.kind, rome.compartment, rome.evidence)
    intent = Intent("remember", needle="lives in Paris", saw=saw)
    both.tell(ItemRemembered(said=LATER + 1, by=PERSON, item=again, policy="matching@1", intent=intent))
    both.again()
    assert {text for _, text in both.active()} == {"lives in Paris"}


@pytest.mark.parametrize("theirs", [learned("User lives in Paris", "m1", compartment=GUILD), PIECES[0]])
def test_what_they_did_to_it_before_is_how_it_is_known_later(theirs: Item) -> None:
    both = Both([same_but(PARIS, compartment=GUILD)], [same_but(theirs, compartment=GUILD)])
    both.act(move, keeping_private(ANN, PARIS.id, PERSON, LATER, origin("hide")))
    both.again()
    assert both.active() == {(HOME, theirs.text)}
    both.act(edit, please_edit(PARIS.id, "lives in Rome", said=LATER + 1))
    assert reasons(both.again())[0] == "asked by the person; found by what they did to it before"
    assert both.active() == {(HOME, "lives in Rome")}
    both.act(forget, please_forget(item_id=PARIS.id, said=LATER + 2))
    both.again()
    assert both.active() == set()


def test_what_the_operator_does_to_lore_reaches_what_says_it_there_and_nowhere_else() -> None:
    lore = same_but(PARIS, owner=NOBODY, compartment=GUILD, about="guild")
    theirs = [same_but(each, owner=NOBODY, compartment=GUILD) for each in PIECES]
    there = in_guild(Ref("discord", "8"))
    both = Both([lore], [*theirs, same_but(PIECES[0], owner=NOBODY, compartment=there), PARIS])
    openings = (Opening(NOBODY, GUILD),)
    both.act(edit, please_edit(PARIS.id, "meets in Rome", owner=NOBODY, by=OPERATOR, openings=openings))
    both.again()
    assert lore_of(both) == {(GUILD, "meets in Rome"), (there, PIECES[0].text)}
    gone = please_forget(item_id=PARIS.id, owner=NOBODY, by=OPERATOR, openings=openings, said=LATER + 1)
    both.act(forget, gone)
    both.again()
    assert lore_of(both) == {(there, PIECES[0].text)}
    both.act(restore, please_restore(PARIS.id, owner=NOBODY, by=OPERATOR, openings=openings, said=LATER + 2))
    both.again()
    assert lore_of(both) == {(GUILD, "meets in Rome"), (there, PIECES[0].text)}
    assert both.active() == {(HOME, "lives in Paris")}


def lore_of(both: Both) -> set[tuple[str, str]]:
    items = (each.row.item for each in items_of(both.shadow.rows, NOBODY))
    return {(item.compartment, item.text) for item in items if item.status == "active"}


# What the operator reverted


@pytest.mark.parametrize(
    ("theirs", "is_left"),
    [(PARIS, False), (same_but(PARIS, id="durable-other"), True), (learned("resides in Paris", "m1"), True)],
)
def test_what_was_reverted_goes_where_the_very_same_was_made(theirs: Item, is_left: bool) -> None:
    both = Both([PARIS], [theirs])
    gone = same_but(PARIS, status="deprecated")
    both.tell(ItemDeprecated(said=LATER, by=OPERATOR, item=gone, reason="reverted: one run", policy=REVERT))
    both.again()
    assert bool(both.active()) is is_left


def test_what_a_person_decided_on_is_not_reverted_with_it() -> None:
    both = Both([PARIS], [same_but(PARIS, kept=True)])
    gone = same_but(PARIS, status="deprecated")
    both.tell(ItemDeprecated(said=LATER, by=OPERATOR, item=gone, reason="reverted: one run", policy=REVERT))
    assert both.again() == []
    assert derive("fact", "lives in Paris") == both.says("lives in Paris")[0].item.id
