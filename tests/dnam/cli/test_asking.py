"""Questions in a terminal: one Ctrl-C at any of them ends the command, and nothing was changed."""

import asyncio
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dnam.cli import screen
from tests.dnam.cli.memories import ROOT, dnam


class Pressing:
    """A terminal in which Ctrl-C is pressed while a line is waited for."""

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        pytest.fail("Ctrl-C did not interrupt what waits for an answer")


class Answering(Pressing):
    """A terminal in which somebody types yes."""

    def readline(self) -> str:
        return "y\n"


def test_one_ctrl_c_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also inside of an event loop, which takes the first one for itself."""
    monkeypatch.setattr(sys, "stdin", Pressing())
    before = signal.getsignal(signal.SIGINT)

    async def asking() -> bool:
        return screen.Screen().confirm("Go on?")

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(asking())
    assert signal.getsignal(signal.SIGINT) == before


def test_elsewhere_than_in_the_main_thread_it_only_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the main thread hears of Ctrl-C."""
    monkeypatch.setattr(sys, "stdin", Answering())
    assert asyncio.run(asyncio.to_thread(screen.Screen().confirm, "Go on?"))


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=lambda each: str(each)
)
def test_in_a_real_terminal(data: Path, sent: signal.Signals, code: int) -> None:
    """One signal, the code for it, and what was known is known."""
    terminal, end = pty.openpty()
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "DNAM_TIMEZONE": "UTC"}
    command = [sys.executable, "-m", "dnam", "erase", "Kim", "--data", str(data)]
    before = dnam("show", "Kim", "--data", data).out
    with subprocess.Popen(command, env=environment, stdin=end, stdout=subprocess.PIPE, stderr=end) as started:
        os.close(end)
        shown = b""
        while b"[y/N]" not in shown:
            shown += os.read(terminal, 1024)
        started.send_signal(sent)
        try:
            assert started.wait(60) == code
        finally:
            started.kill()
    shown += os.read(terminal, 1024)
    os.close(terminal)
    assert b"dnam: interrupted" in shown
    assert dnam("show", "Kim", "--data", data).out == before


def test_where_standard_input_is_closed_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert not screen.can_be_asked()
    assert screen.answer_to("Really? ") == ""


@pytest.mark.parametrize("command", [("adopt", "next"), ("rederive", "--name", "next")])
def test_a_ceiling_is_an_amount(tmp_path: Path, command: tuple[str, ...]) -> None:
    for value in ("nan", "inf", "-1", "much"):
        refused = dnam(*command, "--max-cost", value, "--data", tmp_path)
        assert refused.code == 2
        assert f"'{value}' is not an amount in USD, of 0 or more" in refused.err
