"""What a redaction keeps of the events that lose their words: what they had rested on, as far as that may still go."""

from projections.decisions.gaps import gaps
from projections.events import ItemEvicted, ItemUpserted, MessageRedacted, TurnAnswered
from projections.events.values import PLATFORM, Gap
from projections.gaps import led_to
from projections.ids import EventId, Point
from projections.rows import Rows
from tests.projections.learning import Town
from tests.world import NOW, handle

TURN = TurnAnswered.TAG


def answered(town: Town, question: Point, *causes: EventId) -> EventId:
    return town.answers(question, "It is noon.", *(Point(NOW, each) for each in causes))


def test_what_came_of_an_event_is_found_through_what_is_gone() -> None:
    town = Town()
    message = town.says("hello there")
    turn = answered(town, message)
    assert list(led_to(town.rows, message.id)) == [(turn, TURN)]
    gap = Gap(turn, TURN, (message.id,))
    town.world.add(MessageRedacted(said=NOW, by=PLATFORM, events=(turn,), gaps=(gap,)))
    assert list(led_to(town.rows, message.id)) == [(turn, TURN)]
    assert list(led_to(town.rows, turn)) == []


def test_what_rested_on_what_stands_is_kept() -> None:
    town = Town()
    message, other = town.says("hello there"), town.says("good evening")
    turn = answered(town, message, other.id)
    assert gaps(town.rows, [turn]) == (Gap(turn, TURN, (message.id, other.id)),)
    assert gaps(town.rows, [turn, other.id]) == (Gap(turn, TURN, (message.id,)),)


def test_of_what_rested_on_nothing_else_than_what_is_gone_nothing_is_kept() -> None:
    town = Town()
    message, question = town.says("hello there"), town.says("what did I say?")
    turn = answered(town, message)
    again = answered(town, question, turn, message.id)
    assert gaps(town.rows, [message.id, question.id, turn, again]) == ()


def test_what_leads_on_from_what_stands_is_kept_through_others_that_go() -> None:
    town = Town()
    message, questions = town.says("hello there"), [town.says(f"what did I say, {n}?") for n in range(3)]
    turns = [answered(town, questions[0], message.id)]
    for question in questions[1:]:
        turns.append(answered(town, question, turns[-1]))
    found = gaps(town.rows, [*(each.id for each in questions), *turns])
    assert found == (
        Gap(turns[0], TURN, (message.id,)),
        Gap(turns[1], TURN, (turns[0],)),
        Gap(turns[2], TURN, (turns[1],)),
    )


def test_a_message_that_goes_on_standing_in_other_words_leads_on() -> None:
    town = Town()
    message = town.says("hello there")
    turn = answered(town, message)
    assert gaps(town.rows, [message.id, turn]) == ()
    assert gaps(town.rows, [message.id, turn], [message.id]) == (Gap(turn, TURN, (message.id,)),)


def test_what_leads_nowhere_is_not_kept() -> None:
    """A reply to an extraction, and what cannot be read, or nobody looks into the log for."""
    town = Town()
    message = town.learned("User likes tea.", "I like tea")
    (reply,) = [each.id for each in town.world.records if each.event.TAG == "extraction.answered"]
    turn = answered(town, message)
    assert gaps(town.rows, [reply, EventId(handle("nothing"))]) == ()
    assert gaps(Rows(town.world.raw, town.rows.ids), [turn]) == ()


def test_what_is_erased_is_no_cause_any_more() -> None:
    town = Town()
    message, other = town.says("hello there"), town.says("good evening")
    turn = answered(town, message, other.id)
    town.world.ids.seen[other.id] = "erased"
    assert gaps(town.rows, [turn]) == (Gap(turn, TURN, (message.id,)),)


def test_what_made_room_did_not_come_of_what_it_made_room_for() -> None:
    town = Town()
    town.learned("User likes tea.", "I like tea")
    message = town.says("I like coffee")
    work, request = town.extraction([message], {"text": "User likes coffee.", "evidence": "I like coffee"})
    town.learns(work, request._replace(cap=1))
    row, added = town.item("tea"), town.item("coffee")
    assert (row.tag, added.tag) == (ItemEvicted.TAG, ItemUpserted.TAG)
    (gap,) = gaps(town.rows, [row.event])
    assert added.event not in gap.causes
    assert len(gap.causes) == 1
