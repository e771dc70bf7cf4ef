"""Taking over a session's summary, and taking that back."""

from typing import Any

import msgspec
import pytest

from projections.decisions.adopt_pairs import OUT, UNDONE
from projections.decisions.adopt_rests import said_behind
from projections.decisions.adopt_summary import (
    CLEARED,
    FORGOTTEN,
    NEWER,
    TAKEN_BACK,
    UNFOUNDED,
    AdoptSummaryRequest,
    adopt_summary,
    against,
    is_other,
)
from projections.decisions.adopted import Adoption, next_adoption, that_count
from projections.decisions.adopted_all import CountRequest, Rederived, count
from projections.decisions.consent import ConsentRequest, opt_in, opt_out
from projections.decisions.remember import ForgetRequest, forget
from projections.decisions.summaries import FailRequest, ResetRequest, fail, reset
from projections.decisions.unadopt_summary import (
    UnadoptSummaryRequest,
    is_changed,
    is_of_who_is_out,
    says_taken_back,
    unadopt_summary,
)
from projections.events import RederivationAdopted, SummaryRefreshed, SummaryReverted, SummaryWithheld
from projections.events.values import OPERATOR, By
from projections.ids import EventId, Point
from projections.messages import unit
from projections.policies.compartments import Opening
from projections.summaries import SUMMARIES, SUMMARY_ATTEMPTS, AttemptRow, SummaryRow, is_withheld
from tests.projections.adoption import ADOPTION, Two
from tests.projections.learning import CALL, HERE, HOME, MODEL, SESSION
from tests.world import NOW, World, handle, origin

KEY = unit(SESSION, 0)
MADE = Rederived(b"l" * 16, "opus", NOW, 7, "opus", "extraction@3", "summary@2", "merge@1", 3, 40, 20, 900)


def request(two: Two, **fields: Any) -> AdoptSummaryRequest:
    """The shadow's summary, as the shell reads it."""
    events = {each.id: each.event for each in two.shadow.world.records}
    summary = two.shadow.summary()
    assert summary is not None
    made = events[summary.event]
    assert isinstance(made, SummaryRefreshed)
    rests = said_behind(made.causes, events.get)
    return AdoptSummaryRequest(ADOPTION, made, rests, "opus", 0)._replace(**fields)


def rows_of(two: Two) -> tuple[SummaryRow | None, AttemptRow | None]:
    return two.live.rows.get(SUMMARIES, KEY), two.live.rows.get(SUMMARY_ATTEMPTS, KEY)


def told(rows: tuple[SummaryRow | None, AttemptRow | None]) -> Any:
    row, attempt = rows
    summary = row and [getattr(row, name) for name in SummaryRow.__struct_fields__ if name not in ("event", "at")]
    return summary, attempt and (attempt.upto, attempt.error)


def take(two: Two) -> SummaryRefreshed:
    (event,) = two.live.world.decide(adopt_summary, request(two))
    assert isinstance(event, SummaryRefreshed)
    return event


def undo(two: Two, made: SummaryRefreshed, before: Any) -> UnadoptSummaryRequest:
    row = two.live.rows.get(SUMMARIES, KEY)
    event = next(each.id for each in two.live.world.records if each.event == made)
    assert row is None or isinstance(event, bytes)
    return UnadoptSummaryRequest(ADOPTION.undoing(), event, made, *before)


def test_it_is_taken_over_on_what_was_said() -> None:
    two = Two()
    two.live.sums_up("They talk.", *two.said)
    two.shadow.sums_up("They like tea.", two.said[0])
    two.shadow.sums_up("They like tea, and chess.", *two.said[1:])
    made = take(two)
    assert (made.text, made.refresh, made.era, made.upto) == ("They like tea, and chess.", 2, 0, two.said[-1])
    assert made.causes == tuple(each.id for each in two.said)
    assert made.policy == "adoption@1 cadence@1"
    assert not is_other(two.live.rows, made)
    assert adopt_summary(two.live.rows, request(two)) == []


def test_one_that_was_taken_back_here_since_does_not_return() -> None:
    two = Two()
    two.shadow.sums_up("They like tea.", *two.said)
    undone = request(two, is_undone=True)
    assert against(two.live.rows, undone) == UNDONE
    assert adopt_summary(two.live.rows, undone) == []
    assert len(adopt_summary(two.live.rows, request(two))) == 1


def test_of_who_opted_out_no_summary_is_taken_over_or_back() -> None:
    two = Two()
    for town in (two.live, two.shadow):
        town.sums_up("They talk.", two.said[0], person=two.live.ada)
    before = rows_of(two)
    two.shadow.sums_up("They like tea.", *two.said[1:], person=two.live.ada)
    two.live.world.decide(opt_out, ConsentRequest(NOW, origin("out"), two.live.ada))
    assert against(two.live.rows, request(two)) == OUT
    assert adopt_summary(two.live.rows, request(two)) == []
    two.live.world.decide(opt_in, ConsentRequest(NOW, origin("in"), two.live.ada))
    taking_back = undo(two, take(two), before)
    two.live.world.decide(opt_out, ConsentRequest(NOW, origin("out again"), two.live.ada))
    assert unadopt_summary(two.live.rows, taking_back) == []
    assert is_of_who_is_out(two.live.rows, taking_back)
    two.live.world.decide(opt_in, ConsentRequest(NOW, origin("in again"), two.live.ada))
    two.live.world.decide(unadopt_summary, taking_back)
    assert told(rows_of(two)) == told(before)


def test_what_cannot_be_read_counts_as_said() -> None:
    assert said_behind((EventId(b"1"), EventId(b"1")), lambda _: None) == (b"1",)
    by_work = {EventId(b"1"): Two().live.world.records[0].event}
    assert said_behind((EventId(b"1"),), by_work.get) == ()


def test_a_live_summary_that_reaches_further_stays() -> None:
    two = Two()
    two.live.sums_up("They talk.", *two.said)
    two.shadow.sums_up("They like tea.", two.said[0])
    assert against(two.live.rows, request(two)) == NEWER
    assert adopt_summary(two.live.rows, request(two)) == []


@pytest.mark.parametrize("also", [False, True])
def test_what_was_cleared_here_does_not_come_back(also: bool) -> None:
    two = Two()
    towns = [two.live, two.shadow] if also else [two.live]
    for town in (two.live, two.shadow):
        town.sums_up("They talk.", two.said[0])
    for town in towns:
        town.world.decide(reset, ResetRequest(SESSION, HERE, 0, OPERATOR, NOW, two.said[1], origin("reset")))
    two.shadow.sums_up("They play chess.", *two.said[2:])
    assert against(two.live.rows, request(two)) == ("" if also else CLEARED)
    assert len(adopt_summary(two.live.rows, request(two))) == also


def test_what_a_shadow_cleared_later_is_behind_an_earlier_clearing() -> None:
    two = Two()
    two.live.sums_up("They talk.", two.said[0])
    two.live.world.decide(reset, ResetRequest(SESSION, HERE, 0, OPERATOR, NOW, two.said[1], origin("reset")))
    two.shadow.sums_up("They play chess.", *two.said[2:])
    made = request(two)
    earlier = made._replace(made=msgspec.structs.replace(made.made, floor=two.said[0]))
    assert against(two.live.rows, earlier) == CLEARED


def test_what_was_taken_back_here_takes_it_along() -> None:
    two = Two()
    two.shadow.sums_up("They like tea.", *two.said)
    two.live.deletes(two.said[0])
    assert against(two.live.rows, request(two)) == TAKEN_BACK


def test_so_does_what_left_recall() -> None:
    two = Two()
    two.both(0, "User likes green tea.")
    two.shadow.sums_up("They like tea.", *two.said)
    here, by = (Opening(two.live.ada, HOME),), By("person", two.live.ada)
    two.live.world.decide(forget, ForgetRequest(two.live.ada, here, by, NOW, origin("f"), "likes green tea"))
    assert against(two.live.rows, request(two)) == FORGOTTEN


def test_what_rests_on_nothing_here_is_left() -> None:
    two = Two()
    two.shadow.sums_up("They like tea.", *two.said)
    assert against(two.live.rows, request(two, rests=(EventId(handle("never")),))) == UNFOUNDED


# -- and back ------------------------------------------------------------------------------------------------------


def test_the_session_has_its_old_summary_again() -> None:
    two = Two()
    two.live.sums_up("They talk.", two.said[0])
    two.shadow.sums_up("They like tea.", *two.said)
    before = rows_of(two)
    asked = undo(two, take(two), before)
    assert not is_changed(two.live.rows, asked)
    (event,) = two.live.world.decide(unadopt_summary, asked)
    assert isinstance(event, SummaryReverted)
    assert before[0] is not None
    assert event.causes == (asked.made, before[0].event)
    assert told(rows_of(two)) == told(before)
    assert unadopt_summary(two.live.rows, asked) == []
    assert not is_changed(two.live.rows, asked)


def test_or_none() -> None:
    two = Two()
    two.shadow.sums_up("They like tea.", *two.said)
    asked = undo(two, take(two), rows_of_none())
    (event,) = two.live.world.decide(unadopt_summary, asked)
    assert isinstance(event, SummaryReverted)
    assert event.gone
    assert rows_of(two) == (None, None)
    assert unadopt_summary(two.live.rows, asked) == []
    assert not is_changed(two.live.rows, asked)
    assert is_changed(
        two.live.rows, asked._replace(row=SummaryRow(asked.made, 0, 0, SESSION, 0, 1, "x", None, 1, "", None))
    )


def rows_of_none() -> tuple[None, None]:
    return None, None


def _fails(two: Two, name: str, upto: Point) -> None:
    two.live.world.decide(fail, FailRequest(SESSION, HERE, 0, name, None, upto, CALL, MODEL, origin(name)))


def test_attempts_that_failed_are_as_they_were() -> None:
    two = Two()
    _fails(two, "no model", two.said[0])
    two.shadow.sums_up("They like tea.", *two.said)
    before = rows_of(two)
    asked = undo(two, take(two), before)
    two.live.world.decide(unadopt_summary, asked)
    assert told(rows_of(two)) == told(before) == (None, (two.said[0], "no model"))


def test_an_attempt_since_stands() -> None:
    two = Two()
    two.shadow.sums_up("They like tea.", *two.said)
    asked = undo(two, take(two), rows_of_none())
    row, later = rows_of(two)[0], two.says("and now?")
    assert row is not None
    request = FailRequest(SESSION, HERE, 0, "down", None, later, CALL, MODEL, origin("down"), previous=row.event)
    two.live.world.decide(fail, request)
    two.live.world.decide(unadopt_summary, asked)
    assert told(rows_of(two)) == (None, (later, "down"))


def test_a_summary_that_was_made_since_stays() -> None:
    two = Two()
    two.live.sums_up("They talk.", two.said[0])
    two.shadow.sums_up("They like tea.", *two.said)
    before = rows_of(two)
    asked = undo(two, take(two), before)
    two.live.sums_up("They went home.", two.says("bye"))
    assert unadopt_summary(two.live.rows, asked) == []
    assert is_changed(two.live.rows, asked)


def test_what_a_person_took_back_meanwhile_does_not_return_with_it() -> None:
    two = Two()
    two.both(0, "User likes green tea.")
    two.live.sums_up("They like tea.", two.said[0])
    two.shadow.sums_up("They talk.", *two.said[1:])
    before = rows_of(two)
    asked = undo(two, take(two), before)._replace(rests=(two.said[0].id,))
    here, by = (Opening(two.live.ada, HOME),), By("person", two.live.ada)
    assert not says_taken_back(two.live.rows, asked)
    two.live.world.decide(forget, ForgetRequest(two.live.ada, here, by, NOW, origin("f"), "likes green tea"))
    assert says_taken_back(two.live.rows, asked)
    (event,) = two.live.world.decide(unadopt_summary, asked)
    assert isinstance(event, SummaryWithheld)
    row, attempt = rows_of(two)
    assert row is not None
    assert before[0] is not None
    assert (row.text, row.upto, row.era, is_withheld(row)) == ("", before[0].upto, before[0].era, True)
    assert attempt is not None
    assert attempt.upto is None
    assert unadopt_summary(two.live.rows, asked) == []
    assert not is_changed(two.live.rows, asked)


def test_a_summary_that_was_cleared_before_is_cleared_again() -> None:
    two = Two()
    two.both(0, "User likes green tea.")
    for town in (two.live, two.shadow):
        town.sums_up("They like tea.", two.said[0])
        town.world.decide(reset, ResetRequest(SESSION, HERE, 0, OPERATOR, NOW, two.said[0], origin("reset")))
    two.shadow.sums_up("They talk.", *two.said[1:])
    before = rows_of(two)
    asked = undo(two, take(two), before)._replace(rests=(two.said[0].id,))
    here, by = (Opening(two.live.ada, HOME),), By("person", two.live.ada)
    two.live.world.decide(forget, ForgetRequest(two.live.ada, here, by, NOW, origin("f"), "likes green tea"))
    two.live.world.decide(unadopt_summary, asked)
    assert told(rows_of(two)) == told(before)


def test_one_that_another_undoing_put_back_is_still_the_adoption_s() -> None:
    two = Two()
    two.live.sums_up("They talk.", two.said[0])
    two.shadow.sums_up("They like tea.", *two.said)
    before = rows_of(two)
    asked, adopted = undo(two, take(two), before), rows_of(two)
    two.shadow.sums_up("They play chess.", two.says("and now?"))
    another = Adoption(EventId(handle("another")), NOW)
    (later,) = two.live.world.decide(adopt_summary, request(two, adoption=another))
    assert isinstance(later, SummaryRefreshed)
    two.live.world.decide(unadopt_summary, undo(two, later, adopted)._replace(adoption=another.undoing()))
    assert told(rows_of(two)) == told(adopted)
    assert is_changed(two.live.rows, asked)
    row, attempt = rows_of(two)
    assert row is not None
    assert attempt is not None
    again = asked._replace(again=row.event, tried_again=attempt.event)
    assert not is_changed(two.live.rows, again)
    two.live.world.decide(unadopt_summary, again)
    assert told(rows_of(two)) == told(before)


def test_what_was_erased_is_no_cause() -> None:
    two = Two()
    two.live.sums_up("They talk.", two.said[0])
    two.shadow.sums_up("They like tea.", *two.said)
    before = rows_of(two)
    asked = undo(two, take(two), before)
    assert before[0] is not None
    two.live.world.ids.seen[before[0].event] = "erased"
    (draft,) = unadopt_summary(two.live.rows, asked)
    assert draft.event.causes == (asked.made,)


# -- what makes it count -------------------------------------------------------------------------------------------


def test_one_event_makes_it_count_once() -> None:
    world = World()
    adoption = next_adoption(world.rows, MADE.shadow, MADE.made)
    assert that_count(world.rows, MADE.shadow, MADE.made) == []
    (event,) = world.decide(count, CountRequest(adoption, MADE, NOW, 2, 5, 1))
    assert isinstance(event, RederivationAdopted)
    assert (event.shadow, event.upto, event.people, event.items, event.summaries) == (b"l" * 16, 7, 2, 5, 1)
    assert (event.name, event.cost_micros) == (world.ids.keyed_hash("shadow", "opus")[:16], 900)
    assert count(world.rows, CountRequest(adoption, MADE, NOW, 2, 5, 1)) == []
    assert that_count(world.rows, MADE.shadow, MADE.made) == [adoption]


def test_each_adoption_has_its_own_undoings_and_the_last_comes_first() -> None:
    world = World()
    adoptions: list[Adoption] = []
    for _ in range(3):
        adoptions.append(next_adoption(world.rows, MADE.shadow, MADE.made))
        world.decide(count, CountRequest(adoptions[-1], MADE, NOW, 1, 1, 0))
    assert len({adoption.id for adoption in adoptions}) == 3
    assert that_count(world.rows, MADE.shadow, MADE.made) == adoptions[::-1]
    undoings = [adoption.undoing(number) for adoption in adoptions for number in range(2)]
    assert len({each.id for each in undoings}) == 6
    for adoption in adoptions:
        for number in range(2):
            assert adoption.undoings(world.rows) == [adoption.undoing(each) for each in range(number)]
            request = CountRequest(adoption.undoing(number), MADE, NOW, 1, 1, 0, undoes=adoption.id)
            (event,) = world.decide(count, request)
            assert isinstance(event, RederivationAdopted)
            assert (event.undoes, event.calls, event.cost_micros) == (adoption.id, 0, 0)
    assert that_count(world.rows, MADE.shadow, MADE.made) == adoptions[::-1]
    assert next_adoption(world.rows, b"another log", MADE.made).id not in {adoption.id for adoption in adoptions}
