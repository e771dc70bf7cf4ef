"""What the assistant said in an import goes with what it told of, as an answer does."""

import pytest

from projections.decisions.hear import hear
from projections.decisions.retold import retold
from projections.events import MessageRedacted
from projections.ids import Point, Ref
from projections.rows import Rows
from tests.projections.learning import ADA, SELF, Town

TOLD = "Ada has said that she is allergic to wasp stings."


@pytest.fixture
def town() -> Town:
    return Town()


def answers(town: Town, text: str, to: Point | None = None) -> Point:
    """The assistant's own words, as an export has them; perhaps as a reply."""
    reply = {} if to is None else {"reply_to": called(town, to), "reply_said": to.said}
    return town.says(text, SELF, **reply)


def called(town: Town, point: Point) -> Ref:
    row = town.message(point)
    assert row is not None
    return row.message.ref


def there(town: Town, *points: Point) -> list[bool]:
    return [town.message(each) is not None for each in points]


def test_what_retells_it_goes_and_nothing_else(town: Town) -> None:
    early = answers(town, "We spoke of wasp stings before.")
    message = town.says("I'm allergic to wasp stings")
    retelling, other = answers(town, TOLD), answers(town, "The compost is full.")
    told_by_somebody = town.says("she is allergic to wasp stings, I hear", ADA)
    events = town.deletes(message)
    assert there(town, early, retelling, other, told_by_somebody) == [True, False, True, True]
    (redacted,) = [each for each in events if isinstance(each, MessageRedacted)]
    assert set(redacted.events) == {message.id, retelling.id}
    assert town.world.decide(hear, town._request(3, TOLD, SELF)) == [], "imported again, it stays away"


def test_what_replies_to_it_goes_whatever_it_says(town: Town) -> None:
    message = town.says("what does Ada need to stay away from?")
    reply, other = answers(town, "Of bees, I think.", message), answers(town, "Of bees, I think.")
    town.deletes(message)
    assert there(town, reply, other) == [False, True]


def test_what_retells_a_retelling_that_goes_is_followed(town: Town) -> None:
    message = town.says("I'm allergic to wasp stings")
    retelling = answers(town, TOLD)
    for number in range(15):
        town.says(f"number {number}")
    again = answers(town, f"As I said: {TOLD}")
    for number in range(15):
        town.says(f"and number {number}")
    last = answers(town, TOLD)
    town.deletes(message)
    assert there(town, retelling, again, last) == [False, False, False]


def test_an_edit_takes_along_what_retells_the_old_words_and_leaves_what_replied(town: Town) -> None:
    message = town.says("I'm allergic to wasp stings")
    retelling, reply = answers(town, TOLD), answers(town, "That is good to know.", message)
    town.edits(message, "I'm fond of hornets")
    assert there(town, message, retelling, reply) == [True, False, True]


def test_what_tells_of_an_item_that_goes_goes_with_it(town: Town) -> None:
    message = town.learned("User moved to Rome.", "we went to live in Rome")
    telling = answers(town, "You moved to Rome, as far as I know.")
    town.deletes(message)
    assert (town.texts(), there(town, telling)) == ([], [False])


def test_an_edited_retelling_goes_with_all_of_its_versions(town: Town) -> None:
    message = town.says("I'm allergic to wasp stings")
    retelling = answers(town, "Let me think.")
    key = (retelling.said - message.said) // 1000 + 1
    town.world.decide(hear, town._request(key, TOLD, SELF, edited=retelling.said + 500))
    town.deletes(message)
    assert there(town, retelling) == [False]
    assert "wasp" not in " ".join(repr(each.event) for each in town.readable())


def test_one_that_was_deleted_before_is_no_hindrance(town: Town) -> None:
    message = town.says("I'm allergic to wasp stings")
    first, second = answers(town, TOLD), answers(town, TOLD)
    town.deletes(first)
    town.deletes(message)
    assert there(town, first, second) == [False, False]


def test_where_nobody_looks_into_the_log_nothing_is_found(town: Town) -> None:
    message = town.says("I'm allergic to wasp stings")
    answers(town, TOLD)
    assert len(retold(town.rows, [message.id], (), lambda _: True)) == 1
    assert retold(Rows(town.world.raw, town.rows.ids), [message.id], (), lambda _: True) == []
