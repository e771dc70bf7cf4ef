"""What a person keeps for their direct messages after a shadow was made is not opened again by taking the shadow over,
nor by taking that back; and what they wrote is not said a second time.
"""

from projections.decisions.adopt_pairs import SAID as SAID_ALREADY
from projections.decisions.adopt_refused import PRIVATE
from projections.decisions.moving import keeping_private, move
from projections.decisions.remember import EditRequest, edit
from projections.decisions.unadopt import CHANGED, unadopting
from projections.decisions.unadopt import PRIVATE as PRIVATE_SINCE
from projections.events import ItemUpserted
from projections.events.values import By, Intent
from projections.ids import NOBODY
from projections.policies.compartments import Opening, direct
from tests.projections.adoption import SAID, Two, an_item, rows_of, undone
from tests.projections.learning import HOME
from tests.world import NOW, origin

TEA, LYON, CHESS = "User likes green tea.", "User lives in Lyon.", "User plays chess."


def asked(two: Two) -> By:
    return By("person", two.live.ada)


def hides(two: Two, words: str) -> None:
    """They keep an item for themself."""
    item = two.live.item(words).item
    two.live.world.decide(move, keeping_private(item.owner, item.id, asked(two), NOW + 9, origin(words)))


def edits(two: Two, words: str, text: str) -> None:
    item = two.live.item(words).item
    where = (Opening(item.owner, item.compartment),)
    two.live.world.decide(edit, EditRequest(item.owner, item.id, text, asked(two), NOW + 99, origin(text), where))


def places(two: Two) -> list[tuple[str, str]]:
    active = (row.item for row in rows_of(two.live.rows, two.live.ada).values() if row.item.status == "active")
    return sorted((item.text, item.compartment) for item in active)


def test_what_was_kept_private_since_does_not_come_back_where_it_was() -> None:
    two = Two()
    two.both(0, TEA)
    hides(two, TEA)
    assert two.adopt() == []
    assert PRIVATE in two.left()
    assert places(two) == [(TEA, direct(two.live.ada))]


def test_nor_in_other_words_on_the_same_message_nor_after_it_was_changed_there() -> None:
    two = Two()
    two.reads(two.live, 0, TEA)
    two.reads(two.shadow, 0, "Drinks something leafy.")
    hides(two, TEA)
    edits(two, TEA, "User collects stamps.")
    assert two.adopt() == []
    assert PRIVATE in two.left()


def test_nor_as_what_everybody_of_the_server_may_know() -> None:
    two = Two()
    two.reads(two.live, 0, TEA)
    hides(two, TEA)
    lore = an_item(NOBODY, TEA, [(SAID[0], two.said[0].id)], about="guild")
    two.shadow.world.add(ItemUpserted(said=NOW, by=By("model", name="opus"), item=lore))
    assert [each.reason for each in two.plan(NOBODY).left] == [PRIVATE]


def test_what_else_was_said_in_a_message_is_taken_over() -> None:
    two = Two()
    two.reads(two.live, 0, TEA)
    two.reads(two.live, 1, LYON)
    two.reads(two.shadow, 2, CHESS)
    two.reads(two.shadow, 1, "User is at home in Lyon.")
    hides(two, TEA)
    two.adopt()
    there = (HOME, direct(two.live.ada))
    assert places(two) == [("User is at home in Lyon.", there[0]), (TEA, there[1]), (CHESS, there[0])]


def test_what_is_taken_over_opens_nothing_beside_it() -> None:
    """Else a shadow that is taken over a second time brings what it did not bring at first."""
    two = Two()
    two.reads(two.live, 0, TEA)
    hides(two, TEA)
    both = [(SAID[0], two.said[0].id), (SAID[1], two.said[1].id)]
    whole = an_item(two.live.ada, "Drinks something leafy, in Lyon.", both)
    two.shadow.world.add(ItemUpserted(said=NOW, by=By("model", name="opus"), item=whole))
    two.reads(two.shadow, 0, "Drinks something leafy.")
    (event,) = two.adopt()
    assert isinstance(event, ItemUpserted)
    assert event.item.text == whole.text
    assert two.adopt() == []
    assert PRIVATE in two.left()


def test_what_was_taken_over_is_put_otherwise_beside_what_they_keep() -> None:
    """It lay there by an adoption when they kept what else was said in the same message."""
    two = Two()
    two.reads(two.live, 0, TEA)
    two.reads(two.shadow, 0, TEA)
    two.reads(two.shadow, 0, CHESS)
    two.adopt()
    hides(two, TEA)
    told = an_item(two.live.ada, "User likes chess.", [(SAID[0], two.said[0].id)], id=two.live.item(CHESS).item.id)
    two.shadow.world.add(ItemUpserted(said=NOW, by=By("model", name="opus"), item=told))
    two.adopt()
    assert places(two) == [("User likes chess.", HOME), (TEA, direct(two.live.ada))]


def test_what_says_the_same_here_already_is_not_opened_by_taking_over_its_evidence() -> None:
    two = Two()
    two.both(0, TEA)
    two.both(1, LYON)
    two.reads(two.shadow, 1, LYON, tags=["home"])
    again = an_item(two.live.ada, LYON, [(SAID[1], two.said[1].id)], id="another", compartment="guild/discord:8")
    two.live.world.add(ItemUpserted(said=NOW, by=By("model", name="opus"), item=again))
    item_id = again.id
    two.live.world.decide(move, keeping_private(two.live.ada, item_id, asked(two), NOW + 9, origin("hides")))
    assert PRIVATE not in two.left()
    (event,) = two.adopt()
    assert isinstance(event, ItemUpserted)
    assert event.item.tags == ("home",)


def test_what_had_made_way_for_it_does_not_return_when_that_was_kept_private_since() -> None:
    two = Two()
    two.reads(two.live, 0, TEA)
    two.reads(two.live, 1, LYON)
    before = rows_of(two.live.rows, two.live.ada)
    both = [(SAID[0], two.said[0].id), (SAID[1], two.said[1].id)]
    whole = an_item(two.live.ada, "Likes tea and lives in Lyon.", both)
    two.shadow.world.add(ItemUpserted(said=NOW, by=By("model", name="opus"), item=whole))
    two.adopt()
    assert [text for text, _ in places(two)] == ["Likes tea and lives in Lyon."]
    hides(two, "Likes tea")
    left = unadopting(two.live.rows, undone(two.live.world, two.live.ada, before)).left
    assert {each.reason for each in left} == {CHANGED, PRIVATE_SINCE}


def test_what_a_person_wrote_here_is_not_said_a_second_time() -> None:
    """There the act fell on what is another item here."""
    two = Two()
    two.reads(two.live, 0, TEA)
    two.reads(two.live, 1, LYON)
    edits(two, LYON, CHESS)
    made = an_item(two.live.ada, CHESS, [(SAID[0], two.said[0].id)], id=two.live.item(TEA).item.id, kept=True)
    two.shadow.world.add(ItemUpserted(said=NOW, by=asked(two), item=made, intent=Intent("edit")))
    two.adopt()
    assert SAID_ALREADY in two.left()
    assert [text for text, _ in places(two)].count(CHESS) == 1


def test_what_was_kept_there_alone_is_not_kept_here() -> None:
    two = Two()
    made = an_item(two.live.ada, TEA, [(SAID[0], two.said[0].id)], kept=True)
    two.shadow.world.add(ItemUpserted(said=NOW, by=asked(two), item=made, intent=Intent("edit")))
    two.adopt()
    assert not two.live.item(TEA).item.kept
