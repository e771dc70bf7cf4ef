"""log --until and --follow: what others write is seen at once, in order, all of it, and until somebody says stop."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from time import monotonic, time

import pytest
from freezegun import freeze_time

from dnam.memory import Memory
from projections.registry import FOLD
from replay.folder import Folder
from replay.rewriting import rewrite
from replay.store import DiskStore
from tests.dnam.cli.memories import ROOT, bytes_of, dnam, ended, garden, make, process
from tests.hanging import HANGS

WRITER = """
import asyncio, sys
from pathlib import Path
from dnam.memory import Memory

async def write():
    async with Memory.open(Path(sys.argv[1])) as memory:
        for number in range(int(sys.argv[2])):
            await memory.remember("100", f"fact number {number}", platform="discord")
            await asyncio.sleep(0.01)

asyncio.run(write())
"""


@pytest.fixture
def started() -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Processes that are gone when the test is."""
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for each in processes:
        each.kill()
        each.wait()
        for stream in (each.stdout, each.stderr):
            if stream is not None:
                stream.close()


def writes(data: Path, count: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", WRITER, str(data), str(count)]
    return subprocess.Popen(command, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"})


def next_line(follower: "subprocess.Popen[bytes]") -> str:
    assert follower.stdout is not None
    line = follower.stdout.readline().decode()
    assert line.endswith("\n")
    return line


# -- until ---------------------------------------------------------------------------------------------------------


@freeze_time("2023-11-15 12:00:00")
def test_until_a_moment(data: Path) -> None:
    before = bytes_of(data)
    assert [each["seq"] for each in dnam("log", "--until", "3", "--json", "--data", data).values] == [1, 2, 3, 4]
    ran = dnam("log", "--until", "22", "--after", "20", "--data", data)
    assert [line.partition(" ")[0] for line in ran.out.splitlines()] == ["#21", "#22"]
    assert ran.err == "dnam: as recorded up to #22, 2023-11-14 22:13+00:00\n"
    assert dnam("log", "--until", "yesterday", "--tag", "item", "--data", data).out.count("\n") == 4
    assert dnam("log", "--until", "2001-01-01", "--data", data).out == ""
    assert dnam("log", "--until", "999", "--data", data).code == 2
    assert dnam("log", "--until", "5", "--user", "Kim", "--data", data).out.count("\n") == 4
    assert bytes_of(data) == before


def test_until_ends_and_follow_does_not(data: Path) -> None:
    ran = dnam("log", "--until", "now", "--follow", "--data", data)
    assert (ran.code, ran.err) == (2, "dnam: --follow goes on and --until ends: give one of them\n")


# -- follow --------------------------------------------------------------------------------------------------------


def test_what_another_process_writes_is_seen_in_order_and_whole(
    data: Path, started: list["subprocess.Popen[bytes]"]
) -> None:
    follower = process("log", "--follow", "--after", "24", "--json", "--data", data)
    started.append(follower)
    assert json.loads(next_line(follower))["seq"] == 25
    writer = writes(data, 100)
    started.append(writer)
    seen: list[tuple[int, str]] = []
    delays: list[float] = []
    while len(seen) < 100:
        event = json.loads(next_line(follower))
        delays.append(time() * 1000 - event["at"])
        seen.append((event["seq"], event["event"]["item"]["text"]))
    assert seen == [(26 + number, f"fact number {number}") for number in range(100)]
    assert writer.wait(60) == 0
    assert sorted(delays)[50] < 100, delays  # the median: of two cores others use one
    follower.send_signal(signal.SIGINT)
    out, err = follower.communicate(timeout=HANGS)
    assert (follower.returncode, out, err) == (130, b"", b"dnam: interrupted\n")


def test_only_what_is_asked_for(data: Path, started: list["subprocess.Popen[bytes]"]) -> None:
    follower = process("log", "--follow", "--tag", "item", "--user", "Kim", "--data", data)
    started.append(follower)
    assert [next_line(follower).partition(" ")[0] for _ in range(4)] == ["#20", "#21", "#22", "#23"]
    make(data, remembers("200", "Ada's"), remembers("100", "Kim's"))
    assert next_line(follower).endswith("[fact] Kim's\n")


def remembers(user: str, text: str) -> Callable[[Memory], Awaitable[None]]:
    async def action(memory: Memory) -> None:
        await memory.remember(user, text, platform="discord")

    return action


def test_a_log_that_was_rewritten_is_followed(data: Path, started: list["subprocess.Popen[bytes]"]) -> None:
    follower = process("log", "--follow", "--after", "24", "--data", data)
    started.append(follower)
    assert next_line(follower).startswith("#25 ")
    store = DiskStore(data, FOLD, writable=True)
    rewrite(store)
    store.close()
    make(data, remembers("100", "after the copy"))
    assert "after the copy" in next_line(follower)
    follower.send_signal(signal.SIGINT)
    assert follower.communicate(timeout=HANGS)[1] == b"dnam: interrupted\n"


def test_a_shorter_log_in_its_place_is_said_to_be(
    data: Path, tmp_path: Path, started: list["subprocess.Popen[bytes]"]
) -> None:
    folder = Folder(data / "log")
    current = folder.current()
    assert current is not None
    earlier = Path(shutil.copytree(current, tmp_path / "earlier"))
    follower = process("log", "--follow", "--after", "24", "--data", data)
    started.append(follower)
    make(data, remembers("100", "is lost again"))
    assert [next_line(follower).partition(" ")[0] for _ in range(2)] == ["#25", "#26"]
    fresh = folder.new()
    shutil.copytree(earlier, fresh, dirs_exist_ok=True)
    folder.put_in_force(fresh)
    assert follower.stderr is not None
    assert follower.stderr.readline() == (
        b"dnam: the log was replaced by one that ends at #25; what follows is recorded in that one\n"
    )
    shutil.rmtree(data / "views")
    make(data, remembers("100", "is there instead"))
    line = next_line(follower)
    assert line.startswith("#26 ")
    assert "is there instead" in line


def test_a_log_that_begins_later_is_waited_for(tmp_path: Path, started: list["subprocess.Popen[bytes]"]) -> None:
    follower = process("log", "--follow", "--data", tmp_path / "later")
    started.append(follower)
    assert follower.stderr is not None
    assert b"nothing remembered here yet" in follower.stderr.readline()
    make(tmp_path / "later", garden)
    assert next_line(follower).startswith("#1 ")


@pytest.mark.parametrize("empty", [False, True])
def test_a_closed_pipe_is_no_failure_even_when_nothing_comes(
    data: Path, tmp_path: Path, started: list["subprocess.Popen[bytes]"], empty: bool
) -> None:
    follower = process("log", "--follow", "--after", "24", "--data", tmp_path / "none" if empty else data)
    started.append(follower)
    assert follower.stdout is not None
    assert follower.stderr is not None
    (follower.stderr if empty else follower.stdout).readline()
    follower.stdout.close()
    begun = monotonic()
    assert follower.wait(30) == 0
    assert monotonic() - begun < 10
    assert follower.stderr.read() == b""


def test_an_unknown_name_is_2(data: Path) -> None:
    ran = dnam("log", "--follow", "--user", "Zoe", "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert "nobody here goes by 'Zoe'" in ran.err


FIVE_LOOKS = """
import os, signal
from itertools import count
from types import SimpleNamespace
from dnam.__main__ import main
from dnam.cli import following

looks = count(1)

def sleep(seconds):
    assert seconds == following.LOOK_SECONDS
    if next(looks) == 5:
        os.kill(os.getpid(), signal.SIGINT)

following.time = SimpleNamespace(sleep=sleep)
main()
"""
"""Ends by itself with its fifth look, and without waiting between two."""


def test_looking_changes_no_byte(data: Path, started: list["subprocess.Popen[bytes]"]) -> None:
    before = bytes_of(data)
    follower = process("log", "--follow", "--data", data, code=FIVE_LOOKS)
    started.append(follower)
    ran = ended(follower)
    assert (ran.code, ran.out.count("\n"), ran.err) == (130, 25, "dnam: interrupted\n")
    assert bytes_of(data) == before
