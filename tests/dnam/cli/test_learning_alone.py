"""One learner at a time for a data folder: another waits, and then finds nothing left to ask the model for."""

import asyncio
import fcntl
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dnam.assistant import Assistant
from dnam.learning.alone import FILE, WAITING, learning_alone
from dnam.learning.learner import Learner
from dnam.memory import Memory
from dnam.models import opened
from tests.dnam.cli.memories import dnam, ended, process

SAMPLE = Path(__file__).parents[3] / "data" / "samples" / "garden-club.json"
IMPORT = ("import", "--audience", "guild", SAMPLE)
TOLD = f"dnam: {WAITING}\n"


@contextmanager
def held(data: Path) -> Iterator[None]:
    """Somebody else learns there."""
    data.mkdir(exist_ok=True)
    file = os.open(data / FILE, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(file)


async def learn_all(data: Path) -> None:
    async with Memory.open(data) as memory, opened(memory, lambda _: None) as model:
        assert (await Learner(Assistant(memory, model)).learn(lambda _done, _of: None)).extractions


def calls(data: Path) -> int:
    total: int = dnam("costs", "--json", "--data", data).value["total"]["calls"]
    return total


def waiting(started: "subprocess.Popen[bytes]") -> None:
    """Until it has said that it waits."""
    assert started.stderr is not None
    assert started.stderr.readline().decode() == TOLD


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("learn",), "Nothing to learn: everything has been read.\n"),
        (IMPORT, "Imported nothing new; 41 known already.\n"),
    ],
)
def test_whoever_waited_asks_for_nothing_that_was_learned_meanwhile(
    tmp_path: Path, command: tuple[str | Path, ...], says: str
) -> None:
    assert dnam(*IMPORT, "--no-learn", "--data", tmp_path).code == 0
    with held(tmp_path):
        second = process(*command, "--data", tmp_path)
        waiting(second)
        asyncio.run(learn_all(tmp_path))
        before = calls(tmp_path)
    assert ended(second) == (0, says, "")
    assert calls(tmp_path) == before > 0


def test_waiting_can_be_broken_off(tmp_path: Path) -> None:
    assert dnam(*IMPORT, "--no-learn", "--data", tmp_path).code == 0
    with held(tmp_path):
        second = process("learn", "--data", tmp_path)
        waiting(second)
        second.send_signal(signal.SIGINT)
        assert ended(second).code == 130
    assert calls(tmp_path) == 0
    assert dnam("learn", "--data", tmp_path).err == ""
    assert calls(tmp_path) == 14


def test_where_no_file_can_be_made_nothing_is_held(tmp_path: Path) -> None:
    assert dnam(*IMPORT, "--no-learn", "--data", tmp_path).code == 0
    (tmp_path / FILE).mkdir()
    assert dnam("learn", "--data", tmp_path).code == 0
    assert calls(tmp_path) == 14


async def test_it_is_let_go_when_learning_fails(tmp_path: Path) -> None:
    told: list[str] = []
    with pytest.raises(ZeroDivisionError):
        async with learning_alone(tmp_path, told.append):
            raise ZeroDivisionError
    async with learning_alone(tmp_path, told.append):
        assert told == []
