"""When something was recorded."""

import pytest
from freezegun import freeze_time

from replay.clock import MOST_AHEAD_MS, Recorder, SystemClock
from replay.engine import Engine
from replay.errors import ClockJumped
from tests.replay.stage import FakeClock, drafts, setting
from tests.world import NOW


def test_at_never_runs_backwards() -> None:
    clock = FakeClock()
    recorder = Recorder(clock)
    assert recorder.at(0) == NOW
    clock.time -= 5_000
    assert recorder.at(NOW) == NOW
    clock.time += 6_000
    assert recorder.at(NOW) == NOW + 1_000


def test_a_jump_ahead_is_refused_until_it_is_accepted() -> None:
    clock = FakeClock()
    recorder = Recorder(clock)
    clock.time += MOST_AHEAD_MS + 1
    for _ in range(2):
        with pytest.raises(ClockJumped, match="60 minutes ahead"):
            recorder.at(NOW)
    recorder.accept()
    assert recorder.at(NOW) == NOW + MOST_AHEAD_MS + 1


def test_time_that_really_passed_is_no_jump() -> None:
    clock = FakeClock()
    recorder = Recorder(clock)
    clock.go(30 * 86_400_000)
    assert recorder.at(NOW) == recorder.now() == NOW + 30 * 86_400_000
    clock.time += MOST_AHEAD_MS
    assert recorder.at(NOW) == clock.time


def test_the_system_s_clock_counts_milliseconds() -> None:
    with freeze_time("2023-11-14T22:13:20Z"):
        assert SystemClock().now() == NOW
    assert SystemClock().monotonic() > 0


def test_a_jump_fails_the_decision_and_writes_nothing() -> None:
    clock = FakeClock()
    with Engine.in_memory(clock) as engine:
        engine.record(drafts(setting("a")))
        clock.time += MOST_AHEAD_MS * 2
        with pytest.raises(ClockJumped):
            engine.record(drafts(setting("b")))
        assert engine.head().size == 1
        engine.recorder.accept()
        engine.record(drafts(setting("b")))
        assert engine.head().at == clock.time


def test_a_log_from_the_future_holds_its_time() -> None:
    clock = FakeClock()
    with Engine.in_memory(clock) as engine:
        engine.record(drafts(setting("a")))
        clock.time -= 86_400_000
        engine.record(drafts(setting("b")))
        assert engine.head().at == NOW


def test_the_last_event_at_a_time_is_found() -> None:
    clock = FakeClock()
    with Engine.in_memory(clock) as engine:
        assert engine.seq_at(NOW) == 0
        for n in range(7):
            engine.record(drafts(setting(f"{n}"), setting(f"{n} too"), name=f"{n}"))
            clock.go(1_000)
        assert [engine.seq_at(NOW + at) for at in (-1, 0, 999, 1_000, 3_500, 6_000, 99_000)] == [0, 2, 2, 4, 8, 14, 14]
