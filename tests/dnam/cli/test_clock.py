"""accept-clock: what a running memory refused for its clock's sake is recorded, and nothing has to be ended for it."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from dnam.doctor import running
from dnam.memory import Memory
from dnam.metrics import Metrics
from dnam.observing import serve, watch
from dnam.unwritten import Unwritten
from projections.messages import MESSAGES
from replay.clock import CLOCK_NOTE, SystemClock, accepted_in, instant_of
from tests.dnam.cli.memories import bytes_of, dnam, ended, process
from tests.dnam.doctor.patients import dated, patient

HOUR_MS = 60 * 60 * 1000


AHEAD = """
import time
now = time.time_ns
time.time_ns = lambda: now() + 6 * 60 * 60 * 10**9
from dnam.__main__ import main
main()
"""
"""A command where the clock is six hours ahead of what it was."""


async def test_what_waits_for_a_clock_that_was_set_right_is_written_once_it_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the log, the health port and the doctor all say how, and that nothing is to be ended."""
    logged, metrics = list[str](), Metrics()
    async with Memory.open(tmp_path / "data") as memory:
        unwritten = Unwritten(logged.append)
        watch(metrics, memory, unwritten)

        async def hear(number: int) -> None:
            await memory.heard("kim", f"number {number}", key=str(number))

        assert await unwritten.write("message", partial(hear, 0))
        now = SystemClock.now
        monkeypatch.setattr(SystemClock, "now", lambda self: now(self) + 6 * HOUR_MS)
        for number in range(1, 31):
            assert not await unwritten.write("message", partial(hear, number))
        assert (str(unwritten), len(logged)) == ("30 messages", 1)
        async with serve(metrics, 0) as port:
            (found,) = await running.bot(patient(tmp_path / "data", DNAM_HEALTH_PORT=str(port)))
        for told in (logged[0], found.what):
            assert "If the clock is right now, `dnam accept-clock` accepts it, also beside a bot that runs" in told
            assert "start dnam again" not in told
        assert found.do == "What waits is written once that is mended; do not end the bot before."
        assert not await unwritten.again()

        started = process("accept-clock", "--data", tmp_path / "data", "--yes", code=AHEAD)
        ran = await asyncio.to_thread(ended, started)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.endswith(" is accepted. What waits for it is written within seconds.\n")
        assert await unwritten.again()
        with memory.engine.reading() as rows:
            texts = sorted(found.row.message.text for found in rows.scan(MESSAGES))
        assert texts == sorted(f"number {number}" for number in range(31))
        assert (len(unwritten), unwritten.lost.total, metrics.health.report().ready) == (0, 0, True)


def test_it_asks_first_and_says_what_the_clock_shows(data: Path) -> None:
    before = bytes_of(data)
    ran = dnam("accept-clock", "--data", data)
    assert ran.code == 2
    assert "This machine's clock says 20" in ran.err
    assert "the last event was recorded at 2023-11-14 22:13+00:00" in ran.err
    assert "pass --yes to go on" in ran.err
    assert bytes_of(data) == before


def test_a_no_changes_nothing(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnam.cli.screen.Screen.confirm", lambda *_: False)
    before = bytes_of(data)
    ran = dnam("accept-clock", "--data", data, "--json")
    assert (ran.code, ran.value) == (0, {"done": None, "why": "not accepted: nothing was changed"})
    assert bytes_of(data) == before


def test_for_programs(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = instant_of(SystemClock())
    monkeypatch.setattr(SystemClock, "now", lambda _: shown.now)
    monkeypatch.setattr(SystemClock, "monotonic", lambda _: shown.monotonic)
    value = dnam("accept-clock", "--data", data, "--yes", "--json").value
    assert accepted_in(data / CLOCK_NOTE) == shown
    assert value["done"] == "accepted"
    assert value["now"] == shown.now
    assert value["now_iso"].startswith("20")


def test_where_there_is_no_log_there_is_nothing_to_accept_it_for(tmp_path: Path) -> None:
    ran = dnam("accept-clock", "--data", tmp_path / "none", "--yes")
    assert ran.code == 3
    assert not (tmp_path / "none").exists()


async def test_a_clock_that_is_off_discord_s_is_told_of_first(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the doctor's words. Nobody is kept from it: it may be Discord's that is wrong."""
    async with dated("Tue, 14 Nov 2023 22:13:20 GMT") as url:
        monkeypatch.setenv("DISCORD_TOKEN", "some.token.here")
        monkeypatch.setenv("DISCORD_API_URL", url)
        ran = await asyncio.to_thread(dnam, "accept-clock", "--data", data, "--yes")
    assert ran.code == 0
    assert " ahead of Discord's. Set the clock right (NTP).\n" in ran.err
    assert (data / CLOCK_NOTE).exists()
