"""When something was recorded."""

from pathlib import Path

import pytest
from freezegun import freeze_time

from replay.clock import CLOCK_NOTE, MOST_AHEAD_MS, Recorder, SystemClock, instant_of, note_accepted
from replay.engine import Engine
from replay.errors import ClockJumped
from replay.shadows.shadow import shadow_engine
from tests.replay.stage import FakeClock, drafts, setting
from tests.world import NOW

HOUR_MS = 60 * 60 * 1000


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


def test_a_jump_ahead_is_accepted_by_hand_from_elsewhere(tmp_path: Path) -> None:
    """The machine's clocks are the same for all its processes: it holds from then on, however much time passes."""
    clock = FakeClock()
    recorder = Recorder(clock, tmp_path / CLOCK_NOTE)
    clock.time += 6 * HOUR_MS
    with pytest.raises(ClockJumped, match="`dnam accept-clock` accepts it, also beside a bot that runs"):
        recorder.at(NOW)
    note_accepted(tmp_path / CLOCK_NOTE, instant_of(clock))
    clock.go(30 * 86_400_000)
    assert recorder.at(NOW) == clock.time
    clock.go(1_000)
    assert recorder.at(NOW) == clock.time


@pytest.mark.parametrize("hours", [-6, 2, 6])
def test_what_was_accepted_is_one_time_and_no_other(tmp_path: Path, hours: int) -> None:
    """Neither a jump that comes on top of it, nor one to before it."""
    clock = FakeClock()
    recorder = Recorder(clock, tmp_path / CLOCK_NOTE)
    clock.time += 12 * HOUR_MS
    note_accepted(tmp_path / CLOCK_NOTE, instant_of(clock))
    clock.time += hours * HOUR_MS
    with pytest.raises(ClockJumped):
        recorder.at(NOW)


def test_a_jump_on_top_of_one_that_was_accepted_is_refused_in_its_turn(tmp_path: Path) -> None:
    clock = FakeClock()
    recorder = Recorder(clock, tmp_path / CLOCK_NOTE)
    for _ in range(2):
        clock.time += 6 * HOUR_MS
        with pytest.raises(ClockJumped, match="went 360 minutes ahead"):
            recorder.at(NOW)
        note_accepted(tmp_path / CLOCK_NOTE, instant_of(clock))
        assert recorder.at(NOW) == clock.time


@pytest.mark.parametrize("milliseconds", [-1, 0, 1])
def test_a_jump_by_whole_hours_is_told_in_the_same_words_however_it_is_measured(milliseconds: int) -> None:
    """Whoever tries again tells of it where the reason is another one."""
    clock = FakeClock()
    recorder = Recorder(clock)
    clock.time += 6 * HOUR_MS + milliseconds
    with pytest.raises(ClockJumped, match="went 360 minutes ahead"):
        recorder.at(NOW)


@pytest.mark.parametrize("content", [b"", b"soon\n", b"1 2 3\n", b"\xff"])
def test_a_note_that_says_nothing_accepts_nothing(tmp_path: Path, content: bytes) -> None:
    clock = FakeClock()
    recorder = Recorder(clock, tmp_path / CLOCK_NOTE)
    (tmp_path / CLOCK_NOTE).write_bytes(content)
    clock.time += 6 * HOUR_MS
    with pytest.raises(ClockJumped):
        recorder.at(NOW)


def test_a_note_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """It may be the one that accepts: another user wrote it."""
    clock = FakeClock()
    recorder = Recorder(clock, tmp_path / CLOCK_NOTE)
    (tmp_path / CLOCK_NOTE).mkdir()
    clock.time += 6 * HOUR_MS
    with pytest.raises(IsADirectoryError, match=CLOCK_NOTE):
        recorder.at(NOW)


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


def test_what_is_accepted_beside_an_open_memory_holds_for_it_and_for_its_shadows(tmp_path: Path) -> None:
    clock, data = FakeClock(), tmp_path / "data"
    with (
        Engine.open(data, create=True, clock=clock) as engine,
        shadow_engine(data, "next", writable=True, create=True, clock=clock, beside=engine) as shadow,
    ):
        clock.time += 6 * HOUR_MS
        for each in (engine, shadow):
            with pytest.raises(ClockJumped):
                each.record(drafts(setting("a")))
        note_accepted(data / CLOCK_NOTE, instant_of(clock))
        for each in (engine, shadow):
            each.record(drafts(setting("a")))
            assert each.head().at == clock.time


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
