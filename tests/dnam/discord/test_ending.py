"""Told to end, the bot ends: whatever hangs is given up, and it says what is lost with it."""

import asyncio
import fcntl
import os
import signal
import time
from pathlib import Path

import pytest

from dnam.adapters.discord import bot as bots
from dnam.adapters.discord import cog
from tests.dnam.discord.stage import Writing, bot_in, garden, idle
from tests.dnam.discord.test_closing import Gate, close
from tests.dnam.discord.test_running import ASKED, environment, patient, started, there
from tests.loopback.messages import Holds, serving

__all__ = ["patient"]


async def test_a_process_ends_though_its_model_hangs_and_another_program_holds_the_log(tmp_path: Path) -> None:
    """Both hold on for longer than it lives: that it ends is the proof."""
    reached = asyncio.Event()
    async with garden() as (world, here), serving(lambda _: Holds(reached, asyncio.Event())) as server:
        key, url = server.key, server.url
        env = environment(world, here, tmp_path / "data", ANTHROPIC_API_KEY=key, ANTHROPIC_BASE_URL=url)
        async with started(env, tmp_path) as process:
            await there(world, process)
            lock = os.open(tmp_path / "data" / "write.lock", os.O_RDWR)
            await asyncio.to_thread(fcntl.flock, lock, fcntl.LOCK_EX)
            await here.kim.says(here.general, ASKED, mention=world.bot)
            await reached.wait()
            process.send_signal(signal.SIGTERM)
            _, err = await process.communicate()
            os.close(lock)
    said = err.decode()
    assert "what is said cannot be recorded, and waits: it takes more than 1 s" in said
    assert "discord: told to end: what is under way is finished" in said
    assert "what was under way did not end within 7.5 s and is given up" in said
    assert "not recorded, and given up: " in said, said  # live, and read back besides: one event
    assert "this memory could not be closed within 0.5 s" in said
    assert (process.returncode, "Traceback" in said) == (3, False), said


async def test_told_to_end_while_another_program_holds_the_log_at_the_start_it_ends_at_once(tmp_path: Path) -> None:
    """And says before what it waits for. It is held until the end: that it ends is the proof."""
    async with garden() as (world, here):
        env = environment(world, here, tmp_path / "data")
        async with started(env, tmp_path) as process:
            await there(world, process)
            process.send_signal(signal.SIGTERM)
            await process.communicate()
        path = tmp_path / "data" / "write.lock"
        with path.open("r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            async with started(env, tmp_path) as process:
                assert process.stderr is not None
                said = (await process.stderr.readline()).decode()
                assert f"waiting for {path}, which process {os.getpid()} (" in said
                process.send_signal(signal.SIGTERM)
                _, err = await process.communicate()
    assert (process.returncode, b"Traceback" in err) == (0, False), err.decode()
    assert b"discord: told to end before it had begun" in err


def test_all_of_it_together_is_less_than_ten_seconds() -> None:
    assert cog.CLOSING_SECONDS + cog.LEFT_SECONDS < bots.GOODBYE_SECONDS
    assert bots.GOODBYE_SECONDS + cog.LEFT_SECONDS < 9, "and Python takes a while to begin and to end"
    assert cog.CLOSING_SECONDS >= 7.5, "the answer has most of them"


@pytest.mark.parametrize(("passed", "left"), [(0.0, 1.5), (6.0, 1.5), (6.5, 1.0), (7.5, 0.5), (8.0, 0.5)])
def test_writing_has_what_the_answers_left(monkeypatch: pytest.MonkeyPatch, passed: float, left: float) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 100.0 + passed)
    assert cog._left(100.0) == left


async def test_an_answer_under_way_is_given_up_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cog, "CLOSING_SECONDS", 0.0)
    model = Writing("half", "whole")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model) as bot:
            await here.kim.says(here.general, ASKED, mention=world.bot)
            await model.was_asked()
        assert not len(bot.desk.sessions)
    assert "what was under way did not end within 0 s and is given up" in caplog.text


async def test_a_bot_ends_that_waits_for_what_was_told_of_who_can_read_a_channel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The comparison hangs for good, and so does whoever waits for it: that it ends is the proof."""
    monkeypatch.setattr(cog, "CLOSING_SECONDS", 0.0)
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(here.general, "hello")
            await idle(world, bot)
            gate = Gate(monkeypatch)
            close(world, here, here.general)
            await gate.holds()
            await here.kim.says(here.general, ASKED, mention=world.bot)
            await gate.is_waited_for()
        assert not len(bot.desk.sessions)
        assert gate.passed == 0
    assert "what was under way did not end within 0 s and is given up" in caplog.text
