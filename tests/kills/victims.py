"""A command that is to be killed while it writes, as it is seen from outside; and what must hold afterwards."""

import json
import mmap
import os
import random
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.folding import Folding
from replay.store import DiskStore
from replay.verify import verify
from tests.kills.child import WRITES, Write
from tests.kills.nursery import MOST_BYTES, Nursery

ALL: frozenset[Write] = frozenset(WRITES.values())
PATIENCE = 20.0
"""Seconds after which a round gives up waiting for a commit."""
LONGEST = 4_000
"""How many looks at the flag a kill comes after a commit began, at the most: they take about as long as a commit."""

SHORTEST = 200
"""As many where the kill is to meet one kind of write: the others come at once behind it."""


class Child:
    """A running command that tells of its commits."""

    def __init__(self, nursery: Nursery, folder: Path, *command: str) -> None:
        flag = folder / "flag"
        flag.write_bytes(b"\0")
        with flag.open("r+b") as file:
            self._flag = mmap.mmap(file.fileno(), 1)
        self.inside: Write | None = None
        """What it was writing when it was killed; None when nothing."""
        self.is_killed = False
        """Whether it was: not where it had ended."""
        self._begun, told = os.pipe()
        self.process = nursery.start(str(flag), told, *command)
        os.close(told)

    def kill_in_commit(self, commits: int, dice: random.Random, among: frozenset[Write] = ALL) -> bool:
        """Let some commits begin, then kill at some moment inside one of these; False when none came any more."""
        return self.hold_in_commit(commits, dice, among) & self.kill()

    def hold_in_commit(self, commits: int, dice: random.Random, among: frozenset[Write] = ALL) -> bool:
        """The same, but it is only stopped there."""
        os.setpriority(os.PRIO_PROCESS, self.process.pid, 10)  # who watches must not miss a commit for want of a core
        for _ in range(commits - 1):
            self._await_commit()
        while self._await_commit():
            held: Write | None = None
            for _ in range(dice.randrange(LONGEST if among == ALL else SHORTEST)):
                held = self.writes  # some time passes, in which it goes on
            if held in among and self._is_held_inside(among):
                return True
        return False

    def kill(self) -> bool:
        """Kill it wherever it is; False where it had ended."""
        self.is_killed = self.process.signal(signal.SIGKILL)
        self.inside = self.writes if self.is_killed else None
        return self.is_killed

    def stop(self) -> bool:
        """Hold it wherever it is; False where it had ended."""
        return self.process.signal(signal.SIGSTOP)

    def go_on(self) -> bool:
        """Let it go on."""
        return self.process.signal(signal.SIGCONT)

    @property
    def writes(self) -> Write | None:
        """What it is writing; None when nothing."""
        return WRITES.get(self._flag[0])

    def begun(self) -> int:
        """How many writes it began since this was asked for the last time; no more are told than a pipe holds."""
        ready, _, _ = select.select([self._begun], [], [], 0)
        return len(os.read(self._begun, MOST_BYTES)) if ready else 0

    def _await_commit(self) -> bool:
        """The next commit begins; False when none does any more: the command has ended, or waits for ever."""
        ready, _, _ = select.select([self._begun], [], [], PATIENCE)
        return bool(ready) and bool(os.read(self._begun, 1))

    def _is_held_inside(self, among: frozenset[Write]) -> bool:
        """Stop the process and look again; a commit that ended while the signal was on its way lets it go on."""
        self.process.signal(signal.SIGSTOP)
        if self.writes in among:
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


def message_id(number: int) -> str:
    """The id of a message of the export, from 0."""
    return str((1_200_000_000_000 + number * 1000) << 22)


def export(folder: Path, messages: int) -> Path:
    """An export of an invented channel, as large as one likes."""
    said = [
        {
            "id": message_id(number),
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
