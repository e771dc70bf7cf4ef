"""One telling word of a message that is gone is enough, also where nothing was learned from it."""

import pytest

from projections.decisions.told_of import Spoken, telling_of
from projections.events import SummaryReset
from projections.events.values import By, Intent, Saw
from projections.ids import EventId, Point
from projections.rows import Rows
from projections.turns import turns_after
from tests.projections.learning import HERE, SELF, SESSION, Town
from tests.world import NOW

CLINIC = "I like being treated by the Bergmann clinic since my divorce"
LUCK = "Good luck at Bergmann!"


@pytest.fixture
def town() -> Town:
    return Town()


def left(town: Town) -> list[str]:
    return [found.row.text for found in turns_after(town.rows, SESSION, 0, None)]


def shown(event: EventId) -> Point:
    return Point(NOW, event)


@pytest.mark.parametrize("edited", [False, True])
def test_an_answer_that_had_it_goes_for_one_word_of_it(town: Town, edited: bool) -> None:
    message = town.says(CLINIC)
    town.answers(town.says("what do you know?"), LUCK, message)
    town.answers(town.says("and the time?"), "It is noon.", message)
    town.answers(town.says("who is good?"), LUCK)
    _ = town.edits(message, "never mind") if edited else town.deletes(message)
    assert left(town) == ["It is noon.", LUCK], "what had nothing of it says a word of its own"


def test_what_is_still_said_may_be_told(town: Town) -> None:
    message = town.says(CLINIC)
    town.answers(town.says("what do you know?"), LUCK, message)
    town.answers(town.says("why?"), "That was the divorce.", message)
    town.edits(message, "I like being treated by the Bergmann clinic")
    assert left(town) == [LUCK]


@pytest.mark.parametrize("gone", [False, True])
def test_what_had_only_such_an_answer_goes_too_but_not_for_a_word_of_somebody_else(town: Town, gone: bool) -> None:
    message = town.says(CLINIC)
    first = town.answers(message, LUCK)
    theirs = town.says("Bergmann is my tailor")
    town.answers(town.says("what did you say?"), "I said: Bergmann.", shown(first))
    town.answers(town.says("and my tailor?"), "Bergmann, of course.", shown(first), theirs)
    if gone:
        town.deletes(theirs, message)
    else:
        town.deletes(message)
    assert left(town) == ([] if gone else ["Bergmann, of course."])


def test_it_is_followed_through_summaries_that_have_such_a_word(town: Town) -> None:
    message = town.says(CLINIC)
    town.sums_up("Somebody is at Bergmann.", message)
    row = town.summary()
    assert row is not None
    town.answers(town.says("where?"), "At Bergmann.", shown(row.event))
    town.answers(town.says("why?"), "Since the divorce.", shown(row.event))
    town.deletes(message)
    assert left(town) == ["Since the divorce."], "the summary did not tell that"


def test_a_summary_without_one_leads_nowhere(town: Town) -> None:
    message = town.says(CLINIC)
    town.sums_up("They talked.", message)
    row = town.summary()
    assert row is not None
    town.answers(town.says("where?"), LUCK, shown(row.event))
    town.deletes(message)
    assert left(town) == [LUCK]


def test_nobody_knows_what_an_answer_said_that_is_gone_so_it_is_followed(town: Town) -> None:
    message, other = town.says(CLINIC), town.says("our raid night is Friday")
    first = town.answers(town.says("what do you know?"), "Bergmann, and Friday.", message, other)
    town.answers(town.says("again?"), LUCK, shown(first))
    town.deletes(other)
    assert left(town) == [LUCK]
    town.deletes(message)
    assert left(town) == []


def test_what_had_two_such_answers_hands_on_the_words_of_both(town: Town) -> None:
    message = town.says(CLINIC)
    first, second = town.answers(message, LUCK), town.answers(town.says("and?"), "A divorce is hard.", message)
    both = town.answers(town.says("so?"), "Bergmann, and a divorce.", shown(first), shown(second))
    town.answers(town.says("which?"), "The divorce.", shown(both))
    town.answers(town.says("where?"), "At Bergmann.", shown(both))
    town.deletes(message)
    assert left(town) == []


def test_a_summary_that_was_cleared_tells_nothing(town: Town) -> None:
    message = town.says(CLINIC)
    town.sums_up("Somebody is at Bergmann.", message)
    old = town.summary()
    assert old is not None
    reset = SummaryReset(
        said=old.said, by=By("person", town.ada), causes=(old.event,), session=SESSION, audience=HERE, era=0,
        upto=message, intent=Intent("reset", saw=Saw(old.text, "summary", "")),
    )  # fmt: skip
    town.answers(town.says("where?"), LUCK, shown(town.world.add(reset)[0].id))
    town.deletes(message)
    assert left(town) == [LUCK]


def test_what_the_assistant_said_in_an_import_counts_as_an_answer(town: Town) -> None:
    message = town.says(CLINIC)
    told, other = town.says(LUCK, SELF), town.says("It is noon.", SELF)
    town.deletes(message)
    assert (town.message(told), town.message(other) is None) == (None, False)


@pytest.mark.parametrize("read", [False, True])
def test_an_answer_to_what_was_edited_goes_for_a_word_of_its_item(town: Town, read: bool) -> None:
    """It had the message before it, and the item, which is in other words, not yet."""
    message = town.says("I am treated at Bergmann's")
    town.answers(message, "Get well, patient!")
    town.answers(town.says("and you?"), "Good day!", message)
    town.reads([message], {"text": "User is a patient of Bergmann's.", "evidence": "I am treated at Bergmann's"})
    town.edits(message, "never mind")
    if read:
        town.reads([message])
    assert left(town) == (["Good day!"] if read else ["Get well, patient!", "Good day!"])


def test_where_nobody_looks_into_the_log_what_had_it_tells_of_it(town: Town) -> None:
    message = town.says(CLINIC)
    turn = town.answers(message, LUCK)
    spoken = [Spoken(CLINIC, (message.id,))]
    assert telling_of(Rows(town.world.raw, town.rows.ids), spoken) == telling_of(town.rows, spoken) == {turn}
    assert telling_of(town.rows, spoken, CLINIC) == frozenset()
