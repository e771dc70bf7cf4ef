"""What models took: every call counts once, under the moment at which it was recorded."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest

from projections import events as e
from projections.calls import CALLS, Spent, calls, calls_made, spent_on
from projections.decisions.draft import Draft
from projections.events.values import Audience, By, ModelUse
from projections.fold import Record
from projections.ids import EventId, Point, Ref, Seq
from projections.rows import Stored
from projections.times import DAY_MS
from tests.world import NOW, World, handle

MODEL = By("model", name="haiku", version="1")
CALL = ModelUse("haiku", "1", tokens_in=30, tokens_out=7, tokens_cached=20, latency_ms=400, cost_micros=45)
UPTO = Point(NOW, EventId(handle("last")))
SUMMARY: dict[str, Any] = {
    "said": NOW, "by": MODEL, "session": "s", "audience": Audience("guild", Ref("discord", "7")), "era": 0,
    "after": None, "upto": UPTO, "call": CALL,
}  # fmt: skip
WORKED: dict[str, Any] = {
    "said": NOW, "by": MODEL, "owner": handle("ada"), "compartment": "guild/1", "after": None, "upto": UPTO,
    "call": CALL,
}  # fmt: skip


def refreshed() -> e.Event:
    return e.SummaryRefreshed(**SUMMARY, text="They talked.", refresh=1, covered=2)


def summarised() -> e.Event:
    return e.SummaryAnswered(**SUMMARY, reply="They talked.")


def unsummarised(call: ModelUse) -> e.Event:
    return e.SummaryFailed(**{**SUMMARY, "call": call}, error="oh")


def turn(call: ModelUse) -> e.Event:
    return e.TurnFailed(
        said=NOW, by=MODEL, session="s", place=Ref("discord", "7"), audience=SUMMARY["audience"],
        era=0, asker=handle("kim"), answers=EventId(handle("question")), error="overloaded", call=call,
    )  # fmt: skip


def recorded_at(world: World, at: int, event: e.Event) -> None:
    """Fold an event as if it had been recorded then."""
    name = EventId(handle(f"{at} {len(world.records)}"))
    record = Record(Seq(len(world.records) + 1), name, at, event)
    world.records.append(record)
    for key, row in CALLS.rows(record):
        assert row is not None
        world.raw.put(CALLS.table, key, Stored(record.seq, msgspec.msgpack.encode(row)))


@pytest.mark.parametrize(
    ("event", "made"),
    [
        (e.ExtractionAnswered(**WORKED, reply="{}"), [45]),
        (refreshed(), []),
        (e.ReplyWithdrawn(said=NOW, by=MODEL, reply=UPTO.id, work="summary", call=CALL, at=NOW), []),
    ],
)
def test_a_call_is_made_with_the_event_that_tells_of_it_first(event: e.Event, made: list[int]) -> None:
    record = Record(Seq(1), EventId(handle("event")), NOW, event)
    assert [each.cost_micros for each in calls_made(record)] == made


@pytest.mark.parametrize(
    ("events", "works"),
    [
        ([e.ExtractionAnswered(**WORKED, reply="{}")], [("extraction", False)]),
        ([e.ExtractionFailed(**WORKED, error="oh")], [("extraction", True)]),
        ([e.MergeAnswered(**WORKED, reply="{}")], [("merge", False)]),
        ([e.MergeFailed(**WORKED, error="oh")], [("merge", True)]),
        ([e.ReflectionAnswered(**WORKED, reply="{}")], [("reflection", False)]),
        ([turn(CALL)], [("answer", True)]),
        ([turn(ModelUse(model="", version=""))], []),
        ([summarised(), refreshed()], [("summary", False)]),
        ([summarised(), unsummarised(CALL)], [("summary", False)]),
        ([unsummarised(ModelUse("haiku", ""))], [("summary", True)]),
    ],
)
def test_every_call_counts_once(events: list[e.Event], works: list[tuple[str, bool]]) -> None:
    world = World()
    world.add(*events)
    assert [(each.work, each.failed) for each in calls(world.rows)] == works


def test_a_row_says_for_whom_and_what_it_took() -> None:
    world = World()
    world.add(e.ExtractionAnswered(**WORKED, reply="{}"))
    (row,) = calls(world.rows)
    assert (row.at, row.person, row.model, row.version) == (NOW, handle("ada"), "haiku", "1")
    assert (row.tokens_in, row.tokens_out, row.tokens_cached, row.latency_ms, row.cost_micros) == (30, 7, 20, 400, 45)


def test_every_event_that_carries_a_call_is_known_or_repeats_one() -> None:
    carriers = {event for event in e.EVENTS if "call" in event.__struct_fields__}
    assert carriers - set(CALLS.sees) == {e.SummaryRefreshed, e.ExtractionReplied, e.MergeReplied}


def test_a_span_of_time_is_a_range() -> None:
    world = World()
    for at in (-5, 0, 10, 20):
        recorded_at(world, at, turn(CALL))
    assert [each.at for each in calls(world.rows, 0, 20)] == [0, 10]
    assert [each.at for each in calls(world.rows)] == [-5, 0, 10, 20]


def test_a_day_costs_what_its_calls_cost_and_is_read_on_from_where_it_was() -> None:
    world = World()
    midnight = (NOW // DAY_MS) * DAY_MS
    recorded_at(world, midnight - 1, turn(CALL))
    assert spent_on(world.rows, NOW) == Spent(NOW // DAY_MS)
    recorded_at(world, midnight, turn(CALL))
    first = spent_on(world.rows, NOW)
    assert first.micros == 45
    assert spent_on(world.rows, NOW, first) == first
    recorded_at(world, NOW, turn(CALL))
    recorded_at(world, NOW, turn(msgspec.structs.replace(CALL, cost_micros=5)))
    assert spent_on(world.rows, NOW, first).micros == spent_on(world.rows, NOW).micros == 95
    assert spent_on(world.rows, midnight + DAY_MS, first) == Spent(NOW // DAY_MS + 1)


def test_a_call_of_the_same_millisecond_counts_whatever_its_id() -> None:
    world = World()
    name = {high: EventId(bytes([255 if high else 0]) * 16) for high in (True, False)}
    world.record(Draft(name[True], turn(CALL)))
    first = spent_on(world.rows, NOW)
    world.record(Draft(name[False], turn(CALL)))
    assert [each.at for each in calls(world.rows)] == [NOW, NOW]
    both = spent_on(world.rows, NOW, first)
    assert (first.micros, both.micros, spent_on(world.rows, NOW, both)) == (45, 90, both)


def test_calls_lie_in_the_order_in_which_they_were_recorded() -> None:
    world = World()
    world.record(Draft(EventId(handle("one")), turn(CALL)))
    recorded_at(world, NOW + 1, turn(CALL))
    keys = [found.key for found in world.rows.scan(CALLS)]
    assert all(one < other for one, other in pairwise(keys))
    assert {len(key) for key in keys} == {CALLS.key_size}
