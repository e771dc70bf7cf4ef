"""What rests on several messages goes with the last of them, whichever is taken back first; and what carried words once
goes with them, whether anything of it is left.
"""

import pytest

from projections.decisions import shelf
from projections.decisions.delete import DeletedRequest, delete, gone
from projections.decisions.erase_guild import EraseGuildRequest, erase_guild
from projections.decisions.imported import ImportItemRequest, import_item
from projections.decisions.moving import move, sharing
from projections.events import Event, ItemEvicted, ItemMoved, ItemReverted, ItemUpserted, ItemWithdrawn, TurnWithdrawn
from projections.events.values import OPERATOR, By, RowWas, Source
from projections.ids import EventId, Point
from projections.messages import MessageRow
from projections.policies.compartments import everywhere
from projections.summaries import is_withheld
from projections.turns import find_turn, turns_after
from tests.projections.items import an_item
from tests.projections.learning import GENERAL, GUILD, HOME, LATER, MODEL, SELF, SESSION, Town
from tests.projections.reverting import Reverting, changes, forgets, narrows, teaches
from tests.world import NOW, origin

LOUNGE = GENERAL._replace(key="8", name="lounge")
CLAY = "in my time I like to make pottery"
JARS = "now I like the big round jars of amphoraville"
TOLD = "You like the big round jars of amphoraville."
VASES = "User likes the vases of Olympia."
BOTH_WAYS = pytest.mark.parametrize("first", [0, 1])


@pytest.fixture
def town() -> Reverting:
    return Reverting()


def asked(town: Town, text: str, *causes: EventId) -> EventId:
    """An answer with these before it, to a question that has nothing to do with it."""
    return town.answers(town.says("and what of today?"), text, *(Point(NOW, each) for each in causes))


def left(town: Town) -> list[str]:
    return [found.row.text for found in turns_after(town.rows, SESSION, 0, None)]


def in_turn(town: Town, first: int, *messages: Point) -> list[Event]:
    """Delete them one after the other; what the last of it records."""
    *before, last = messages if first == 0 else reversed(messages)
    for each in before:
        town.deletes(each)
    return town.deletes(last)


# -- what lies between is gone -------------------------------------------------------------------------------------


@BOTH_WAYS
def test_the_answer_that_told_an_item_goes_with_the_second_message_behind_it(town: Reverting, first: int) -> None:
    one = teaches(town, CLAY, "User likes to make pottery.")
    two = changes(town, "pottery", JARS, "User likes the big round jars of amphoraville.")
    asked(town, TOLD, town.item("amphoraville").event)
    in_turn(town, first, one, two)
    assert (town.texts(), left(town), town.tells("amphoraville"), town.tells("pottery")) == ([], [], [], [])


def test_the_answer_that_told_what_an_item_says_again_goes_with_it(town: Reverting) -> None:
    """A model put the item in other words; with these gone, it says what it said, and so does the answer."""
    one = teaches(town, JARS, "User likes the big round jars of amphoraville.")
    two = changes(town, "amphoraville", CLAY, "User likes to make pottery.")
    asked(town, TOLD, town.item("pottery").event)
    town.deletes(two)
    assert (left(town), town.texts()) == ([TOLD], ["User likes the big round jars of amphoraville."])
    town.deletes(one)
    assert (left(town), town.tells("amphoraville")) == ([], [])


@BOTH_WAYS
@pytest.mark.parametrize("edited", [False, True])
def test_the_answer_that_told_what_another_message_said_too_goes_with_that(
    town: Reverting, first: int, *, edited: bool
) -> None:
    """It was told before the other one was said; and stays as long as the item stands on one of them."""
    one = teaches(town, "those round things from up there", VASES)
    asked(town, "You like the vases of Olympia.", town.item("Olympia").event)
    two, three = teaches(town, "the ones that I told you of", VASES), teaches(town, "well, yes, as ever", VASES)
    if edited:
        town.edits(one, "never mind")
        town.reads([one])
    else:
        town.deletes(one)
    assert (town.texts(), left(town)) == ([VASES], ["You like the vases of Olympia."])
    in_turn(town, first, two, three)
    assert (town.items(), left(town), town.tells("olympia")) == ([], [], [])


def test_the_answer_that_told_what_was_learned_anew_from_an_edit_goes_with_that(town: Reverting) -> None:
    one = teaches(town, "those round things from up there", VASES)
    asked(town, "You like the vases of Olympia.", town.item("Olympia").event)
    town.edits(one, "I mean the tall ones")
    town.reads([one], {"text": VASES, "evidence": "I mean the tall ones"})
    assert (town.texts(), left(town)) == ([VASES], ["You like the vases of Olympia."])
    town.deletes(one)
    assert (town.items(), left(town), town.tells("olympia")) == ([], [], [])


@BOTH_WAYS
def test_it_is_found_through_as_many_gaps_as_there_are(town: Reverting, first: int) -> None:
    """Five messages behind the item, of which three are gone by the time that the two are."""
    one = teaches(town, CLAY, "User likes to make pottery.")
    two = changes(town, "pottery", JARS, "User likes the big round jars of amphoraville.")
    others = [changes(town, "amphoraville", f"the jars of amphoraville, {n}", TOLD) for n in ("then", "later", "now")]
    asked(town, TOLD, town.item("amphoraville").event)
    for each in others:
        town.deletes(each)
    in_turn(town, first, one, two)
    assert (town.texts(), left(town), town.tells("amphoraville")) == ([], [], [])


@BOTH_WAYS
def test_it_is_found_by_way_of_an_answer_that_went(town: Reverting, first: int) -> None:
    one, two = town.says(CLAY), town.says(JARS)
    between = asked(town, f"You said: {CLAY}, and {JARS}", one.id, two.id)
    asked(town, f"As I said: {CLAY if first else JARS}", between)
    in_turn(town, first, one, two)
    assert (left(town), town.tells("amphoraville"), town.tells("pottery")) == ([], [], [])


@BOTH_WAYS
def test_it_is_found_by_way_of_a_summary_that_went(town: Reverting, first: int) -> None:
    one, two = town.says(CLAY), town.says(JARS)
    town.sums_up("Of pottery, and jars of amphoraville.", one, two)
    row = town.summary()
    assert row is not None
    asked(town, f"There was talk of this: {CLAY if first else JARS}", row.event)
    in_turn(town, first, one, two)
    assert (left(town), town.tells("amphoraville"), town.tells("pottery")) == ([], [], [])


@BOTH_WAYS
def test_it_is_found_by_way_of_what_the_assistant_said_in_an_import(town: Reverting, first: int) -> None:
    one, two = town.says(CLAY), town.says(JARS)
    town.says(f"You said: {CLAY}, and {JARS}", SELF)
    for number in range(19):
        town.says(f"number {number}")
    last = town.says(f"As I said: {CLAY if first else JARS}", SELF)
    in_turn(town, first, one, two)
    assert (town.message(last), town.tells("amphoraville"), town.tells("pottery")) == (None, [], [])


def test_it_is_found_by_way_of_an_earlier_edit(town: Reverting) -> None:
    """What only the second of four versions had before it: the third said that still, and the last says it too."""
    message = town.says("hello there")
    town.edits(message, JARS)
    row = town.message(message)
    assert row is not None
    between = asked(town, f"{CLAY}? {JARS}", row.event)
    asked(town, TOLD, between)
    town.edits(message, f"well, {JARS}", after=600)
    town.edits(message, f"well well, {JARS}", after=700)
    assert left(town) == [f"{CLAY}? {JARS}", TOLD]
    town.deletes(message)
    assert (left(town), town.tells("amphoraville")) == ([], [])


def test_of_what_was_read_anew_the_rest_is_found_too(town: Reverting) -> None:
    """The item had been made of two messages; what one says since was read, and then the other one goes."""
    one = teaches(town, CLAY, "User likes to make pottery.")
    two = changes(town, "pottery", JARS, "User likes the big round jars of amphoraville.")
    asked(town, TOLD, town.item("amphoraville").event)
    town.edits(one, "never mind")
    town.reads([one])
    assert (town.texts(), left(town)) == (["User likes the big round jars of amphoraville."], [TOLD])
    town.deletes(two)
    assert (town.texts(), left(town), town.tells("amphoraville")) == ([], [], [])


# -- two items that became one -------------------------------------------------------------------------------------


@BOTH_WAYS
def test_of_a_merge_the_words_of_both_go(town: Reverting, first: int) -> None:
    one = teaches(town, "round jars from the old market, says onelia", "User likes round jars from the old market.")
    two = teaches(town, "round jars from the old hall, says twolia", "User likes round jars from the market hall.")
    town.merges("old market", "market hall", "User likes jars from old markets.")
    in_turn(town, first, one, two)
    assert (town.items(), town.tells("onelia"), town.tells("twolia"), town.tells("jars")) == ([], [], [], [])


@BOTH_WAYS
def test_of_a_share_that_made_one_of_two_the_words_of_both_go(town: Reverting, first: int) -> None:
    messages: list[Point] = []
    for name in ("onelia", "twolia"):
        messages.append(teaches(town, f"I like big round jars, says {name}", "User likes big round jars."))
        (row,) = [row for row in town.items() if row.item.compartment == HOME]
        by = By("person", town.ada)
        town.world.decide(move, sharing(town.ada, row.item.id, by, LATER, origin(f"share {name}")))
    (row,) = town.items()
    assert (row.tag, len(row.item.evidence)) == (ItemMoved.TAG, 2)
    in_turn(town, first, *messages)
    assert (town.items(), town.tells("onelia"), town.tells("twolia")) == ([], [], [])


# -- what is there no more -----------------------------------------------------------------------------------------


def undone(town: Reverting, *events: EventId, words: str = "amphoraville") -> None:
    """The item that these events had made is no item any more, as where an adoption is taken back that had made it."""
    row = town.item(words)
    was = RowWas(row.tag, row.said, row.by)
    town.world.add(
        ItemReverted(said=LATER, by=OPERATOR, causes=events, item=row.item, was=was, undoes=events, gone=True)
    )
    assert town.items() == []


def test_what_an_item_said_that_is_undone_goes_with_its_message(town: Reverting) -> None:
    message = teaches(town, JARS, "User likes the big round jars of amphoraville.")
    made = town.item("amphoraville").event
    asked(town, TOLD, made)
    undone(town, made)
    events = town.deletes(message)
    assert (town.items(), left(town), town.tells("amphoraville")) == ([], [], [])
    assert sum(isinstance(each, ItemWithdrawn) for each in events) == 1


@BOTH_WAYS
def test_what_is_undone_does_not_come_back_with_what_had_made_it_before(town: Reverting, first: int) -> None:
    one = teaches(town, CLAY, "User likes to make pottery.")
    made = town.item("pottery").event
    two = changes(town, "pottery", JARS, "User likes the big round jars of amphoraville.")
    undone(town, made, town.item("amphoraville").event)
    town.deletes(one if first else two)
    assert town.items() == []
    town.deletes(two if first else one)
    assert (town.items(), town.tells("amphoraville"), town.tells("pottery")) == ([], [], [])


def test_what_is_there_again_since_is_not_emptied(town: Reverting) -> None:
    """It was undone, and learned again from another message."""
    message = teaches(town, JARS, "User likes the big round jars of amphoraville.")
    undone(town, town.item("amphoraville").event)
    again = teaches(town, "jars of amphoraville, as ever", "User likes the big round jars of amphoraville.")
    town.deletes(message)
    assert (town.texts(), town.tells(JARS)) == (["User likes the big round jars of amphoraville."], [])
    town.deletes(again)
    assert town.tells("amphoraville") == []


def test_what_is_left_of_an_item_that_went_goes_with_the_message_that_only_some_can_read(town: Reverting) -> None:
    """Nothing that everybody could read was left of it; what it had said at first was readable all the same."""
    closed = teaches(town, JARS, "User likes the big round jars of amphoraville.")
    open_ = town.says("I said it: jars of amphoraville", place=LOUNGE)
    again = {"text": "User likes the big round jars of amphoraville.", "evidence": "I said it: jars of amphoraville"}
    town.reads([open_], again)
    narrows(town)
    key = str((open_.said - NOW) // 1000)
    request = DeletedRequest("discord", key, "discord:channel:8", open_.said, LATER)
    town.world.decide(delete, request)
    assert (town.texts(), town.tells("amphoraville") != []) == ([], True)
    town.deletes(closed)
    assert town.tells("amphoraville") == []


def test_an_edit_that_was_read_takes_along_what_is_undone(town: Reverting) -> None:
    message = teaches(town, JARS, "User likes the big round jars of amphoraville.")
    made = town.item("amphoraville").event
    undone(town, made)
    town.edits(message, "never mind")
    assert town.tells("amphoraville") != [], "until it was read"
    town.reads([message])
    assert (town.items(), town.tells("amphoraville")) == ([], [])


def test_what_is_undone_and_stands_in_an_edit_stays(town: Reverting) -> None:
    message = teaches(town, JARS, "User likes the big round jars of amphoraville.")
    undone(town, town.item("amphoraville").event)
    town.edits(message, f"{JARS}, really")
    town.reads([message])
    assert "item.upserted" in town.tells("amphoraville")


# -- what an item rests on no more ---------------------------------------------------------------------------------


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "MOST_EVIDENCE", 2)


def confirmed(town: Reverting) -> Point:
    """A message whose quote an item keeps no longer: it was said again so often since."""
    message = teaches(town, f"{JARS}, says onelia", "User likes the big round jars of amphoraville.")
    for n in range(3):
        teaches(town, f"the jars of amphoraville, {n}", "User likes the big round jars of amphoraville.")
    assert "onelia" not in repr(town.item("amphoraville"))
    return message


@pytest.mark.usefixtures("few")
def test_a_quote_that_an_item_has_no_longer_goes_with_its_message(town: Reverting) -> None:
    message = confirmed(town)
    town.deletes(message)
    assert (town.tells("onelia"), town.texts()) == ([], ["User likes the big round jars of amphoraville."])
    assert len(town.item("amphoraville").item.evidence) == 2


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("again", [False, True])
def test_a_quote_that_an_item_has_no_longer_goes_with_an_edit_that_was_read(town: Reverting, *, again: bool) -> None:
    message = confirmed(town)
    edited = "the jars of amphoraville, I mean"
    town.edits(message, edited)
    more = {"text": "User likes the big round jars of amphoraville.", "evidence": edited}
    town.reads([message], *([more] if again else []))
    assert (town.tells("onelia"), town.texts()) == ([], ["User likes the big round jars of amphoraville."])


def test_what_quotes_nothing_and_was_taken_back_goes_with_the_message_it_was_made_of(town: Reverting) -> None:
    message = town.says(JARS)
    town.reads([message], {"text": "User likes the big round jars of amphoraville."})
    forgets(town, "amphoraville")
    town.deletes(message)
    assert (town.items(), town.tells("amphoraville")) == ([], [])


def test_what_quotes_nothing_and_was_there_before_stands(town: Reverting) -> None:
    """The message had no more part in it than that a model put it otherwise, and then deprecated it."""
    town.says("hello there")
    item = an_item("User likes jars.", owner=town.ada, compartment=HOME)
    town.world.add(ItemUpserted(said=NOW, by=MODEL, item=item))
    message = town.says(JARS)
    town.reads([message], {"id": town.item("jars").item.id, "text": "User likes the jars of amphoraville."})
    town.reads([town.says("no more of that")], gone=[{"id": town.item("amphoraville").item.id}])
    town.deletes(message)
    assert [row.item.status for row in town.items()] == ["deprecated"]


def test_what_made_room_for_it_is_as_it_was(town: Reverting) -> None:
    """That it made room says nothing of the message."""
    teaches(town, CLAY, "User likes to make pottery.")
    message = town.says(JARS)
    work, request = town.extraction([message], {"text": "User likes jars.", "evidence": JARS})
    town.learns(work, request._replace(cap=1))
    before = town.item("pottery")
    assert before.tag == ItemEvicted.TAG
    town.deletes(message)
    assert town.item("pottery") == before


def test_what_followed_from_what_made_room_is_as_it_was_through_a_gap_too(town: Reverting) -> None:
    teaches(town, CLAY, "User likes to make pottery.")
    one, two = town.says(JARS), town.says("jars of amphoraville, as ever")
    work, request = town.extraction([one, two], {"text": "User likes jars."})
    town.learns(work, request._replace(cap=1))
    before = town.item("pottery")
    town.deletes(one)
    town.deletes(two)
    assert town.item("pottery") == before


# -- answers -------------------------------------------------------------------------------------------------------


def test_with_an_answer_goes_what_says_it_again_and_the_summaries_of_it(town: Reverting) -> None:
    question = town.says("what is the word?")
    answer = town.answers(question, "It is amphoraville, of course.")
    town.sums_up("The word is amphoraville.", question, shown=[question.id, answer])
    again = asked(town, "As I said: it is amphoraville, of course.", answer)
    asked(town, "It is noon.", answer)
    events = withdrawn(town, answer)
    assert {each.turn for each in events if isinstance(each, TurnWithdrawn)} == {answer, again}
    assert (left(town), town.tells("amphoraville")) == (["It is noon."], [])
    summary = town.summary()
    assert summary is not None
    assert is_withheld(summary)


def test_with_an_answer_goes_what_an_import_says_of_it(town: Reverting) -> None:
    answer = town.answers(town.says("what is the word?"), "It is amphoraville, of course.")
    message = town.says("As I said: it is amphoraville, of course.", SELF)
    withdrawn(town, answer)
    assert (town.message(message), town.tells("amphoraville")) == (None, [])


def withdrawn(town: Reverting, turn: EventId) -> list[Event]:
    """An answer is deleted on its platform."""
    row = find_turn(town.rows, turn)
    assert row is not None
    return [town.world.record(draft).event for draft in gone(town.rows, [], [row], LATER)]


# -- imports and guilds --------------------------------------------------------------------------------------------


def test_an_item_that_came_in_twice_rests_on_what_it_said_before(town: Reverting) -> None:
    """The second time on a later message: with the first one, its quote goes too."""
    one, two = town.says("for the record I keep bees, says onelia"), town.says("bees, as ever")
    for n, message in enumerate((one, two)):
        row = town.message(message)
        assert row is not None
        (event,) = town.world.decide(import_item, imported(row, n))
        assert isinstance(event, ItemUpserted)
    assert [each.message for each in town.item("bees").item.evidence] == [two.id]
    town.deletes(one)
    assert (town.tells("onelia"), town.texts()) == ([], ["Ada keeps bees"])
    town.deletes(two)
    assert (town.tells("bees"), town.items()) == ([], [])


def imported(row: MessageRow, n: int) -> ImportItemRequest:
    message = row.message
    return ImportItemRequest(
        user="100", owner=message.speaker, compartment=HOME, id="", kind="fact", text="Ada keeps bees",
        status="active", created=NOW, updated=LATER + n, source=Source("discord", message.place, message.ref, GUILD),
        program="clanky", key="9/100/7", quote=message.text, message_said=message.said,
    )  # fmt: skip


def test_with_a_guild_goes_what_is_undone_there_and_rests_on_no_message(town: Reverting) -> None:
    town.says("hello there")
    here = an_item("User likes the jars of amphoraville.", owner=town.ada, compartment=HOME)
    elsewhere = an_item("User likes the jars of utopia.", owner=town.ada, compartment=everywhere(town.ada))
    for item in (here, elsewhere):
        (made,) = town.world.add(ItemUpserted(said=NOW, by=MODEL, item=item))
        undone(town, made.id, words=item.text)
    number = 0
    while drafts := erase_guild(town.rows, town.chronicle, EraseGuildRequest(GUILD, LATER, origin(f"erase {number}"))):
        for draft in drafts:
            town.world.record(draft)
        number += 1
    assert (town.items(), town.tells("amphoraville")) == ([], [])
    assert town.tells("utopia") == ["item.reverted", "item.upserted"]
