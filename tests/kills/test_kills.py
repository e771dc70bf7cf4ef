"""A command is killed at a random moment, mostly inside a commit: what was acknowledged is there, views = a rebuild.

DNAM_KILLS says how often in all; the ordinary run does a hundred and some. The counts are printed with `-s`.
"""

import json
import mmap
import os
import random
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from projections.items import items_of
from projections.lookup import find_people, people
from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.folding import Folding
from replay.store import DiskStore
from replay.verify import verify
from tests.kills.nursery import Nursery

ROUNDS = max(1, int(os.environ.get("DNAM_KILLS", "102")) // 3)
MANY = 6_000
"""Messages of which the views are written in several commits."""
ACKNOWLEDGED = re.compile("^(?:.*> )?Remembered: (fact .*)$", re.MULTILINE)
PATIENCE = 20.0
"""Seconds after which a round gives up waiting for a commit."""
LONGEST = 4_000
"""How many looks at the flag a kill comes after a commit began, at the most: they take about as long as a commit."""


class Child:
    """A running command that tells of its commits."""

    def __init__(self, nursery: Nursery, folder: Path, *command: str) -> None:
        flag = folder / "flag"
        flag.write_bytes(b"\0")
        with flag.open("r+b") as file:
            self._flag = mmap.mmap(file.fileno(), 1)
        self._begun, told = os.pipe()
        self.process = nursery.start(str(flag), told, *command)
        os.close(told)
        os.setpriority(os.PRIO_PROCESS, self.process.pid, 10)  # who watches must not miss a commit for want of a core

    def kill_in_commit(self, commits: int, dice: random.Random) -> bool:
        """Let some commits begin, then kill at some moment inside one; False when none came any more."""
        inside = False
        for _ in range(commits - 1):
            self._await_commit()
        while not inside and self._await_commit():
            for _ in range(dice.randrange(LONGEST)):
                inside = bool(self._flag[0])  # some time passes, in which it goes on
            inside = inside and self._is_held_inside()
        self.process.signal(signal.SIGKILL)
        return inside

    def _await_commit(self) -> bool:
        """The next commit begins; False when none does any more: the command has ended, or waits for ever."""
        ready, _, _ = select.select([self._begun], [], [], PATIENCE)
        return bool(ready) and bool(os.read(self._begun, 1))

    def _is_held_inside(self) -> bool:
        """Stop the process and look again; a commit that ended while the signal was on its way lets it go on."""
        self.process.signal(signal.SIGSTOP)
        if self._flag[0]:
            return True
        self.process.signal(signal.SIGCONT)
        return False

    def close(self) -> None:
        """It is gone afterwards."""
        self.process.close()
        self._flag.close()
        os.close(self._begun)


@contextmanager
def running(nursery: Nursery, folder: Path, *command: str) -> Iterator[Child]:
    """A child that is gone afterwards."""
    child = Child(nursery, folder, *command)
    try:
        yield child
    finally:
        child.close()


def sound(data: Path) -> None:
    """Nothing is damaged, and the views are what a rebuild makes of the log."""
    if not (data / "log" / "CURRENT").exists():
        return
    Engine.open(data).close()
    store = DiskStore(data, FOLD, writable=False)
    try:
        assert verify(store, Folding(FOLD, store), opened=True).problems == ()
        assert check(store, FOLD).equal
    finally:
        store.close()


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery(DNAM_VIEW_COMMIT_EVENTS="16") as nursery:
        yield nursery


@pytest.fixture
def dice() -> random.Random:
    """Random, and the same every time."""
    return random.Random(20240229)


def report(what: str, in_flight: int) -> None:
    """How many kills met a commit: at least half must."""
    sys.stdout.write(f"\n{what}: {ROUNDS} kills, {in_flight} with a commit in flight\n")
    assert in_flight * 2 >= ROUNDS


def export(folder: Path, messages: int) -> Path:
    """An export of an invented channel, as large as one likes."""
    said = [
        {
            "id": str((1_200_000_000_000 + number * 1000) << 22),
            "type": "Default",
            "timestamp": "2024-01-01T00:00:00+00:00",
            "content": f"I prefer plan {number} over plan {number + 1}",
            "author": {"id": str(number % 5), "name": f"n{number % 5}", "isBot": False},
            "attachments": [],
            "mentions": [],
        }
        for number in range(messages)
    ]
    channel = {"id": "7", "type": "GuildTextChat", "name": "plans"}
    path = folder / "plans.json"
    path.write_text(json.dumps({"guild": {"id": "9", "name": "g"}, "channel": channel, "messages": said}))
    return path


def test_chat(tmp_path: Path, nursery: Nursery, dice: random.Random) -> None:
    data, in_flight, kept = tmp_path / "data", 0, []
    for number in range(ROUNDS):
        with running(nursery, tmp_path, "chat", "--data", str(data), "--as", "ada") as child:
            facts = "".join(f"!memory remember fact {number} of part {part}\n" for part in range(40))
            child.process.write(facts)
            in_flight += child.kill_in_commit(dice.randint(1, 15), dice)
            kept += ACKNOWLEDGED.findall(child.process.read())
        if number % 5 == 0:
            sound(data)
    sound(data)
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        (ada,) = find_people(rows, "ada")
        texts = {found.row.item.text for found in items_of(rows, ada)}
    assert len(kept) > ROUNDS
    assert set(kept) <= texts
    report("chat", in_flight)


def test_import(tmp_path: Path, nursery: Nursery, dice: random.Random) -> None:
    data, in_flight = tmp_path / "data", 0
    command = ("import", "--data", str(data), "--audience", "guild", str(tmp_path / "plans.json"))
    for number in range(ROUNDS):
        export(tmp_path, 20 * number + 20)  # so that there is always something new
        with running(nursery, tmp_path, *command) as child:
            in_flight += child.kill_in_commit(dice.randint(1, 6), dice)
        if number % 5 == 0:
            sound(data)
    subprocess.run([sys.executable, "-m", "dnam", *command], check=True, capture_output=True)
    sound(data)
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        assert len(people(rows)) == 5
        tags = [engine.live.folding.record(stored) for stored in engine.store.log.read(0)]
    heard = [record.id for record in tags if record is not None and record.event.TAG == "message.heard"]
    assert len(heard) == len(set(heard)) == 20 * ROUNDS
    report("import", in_flight)


def test_replay(tmp_path: Path, nursery: Nursery, dice: random.Random) -> None:
    data, in_flight = tmp_path / "data", 0
    command = ("import", "--no-learn", "--data", str(data), "--audience", "guild", str(export(tmp_path, MANY)))
    subprocess.run([sys.executable, "-m", "dnam", *command], check=True, capture_output=True)
    with Engine.open(data, writable=False) as engine:
        root = engine.head().root()
    for _ in range(ROUNDS):
        with running(nursery, tmp_path, "replay", "--data", str(data)) as child:
            in_flight += child.kill_in_commit(2, dice)  # the first one only says that the views are empty
    sound(data)
    assert len([each for each in (data / "views").iterdir() if each.is_dir()]) == 1
    with Engine.open(data, writable=False) as engine:
        assert engine.head().root() == root
    report("replay", in_flight)
