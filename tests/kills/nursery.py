"""Where the commands that are killed are born: a process that has loaded everything a command loads, and forks.

A command takes most of a second to load, and a few hundredths to be killed in. Each one is a process of its own, with
its own pipes, that runs what `dnam` runs from its first line on; only its modules are there already.

    pytest ── orders ──▶ nursery ── fork ──▶ command     start (with three descriptors), stop, go on, kill, wait:
                                                         one at a time, each with an answer
"""

import json
import os
import signal
import socket
import subprocess
import sys
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import TracebackType
from typing import NamedTuple, Self

import typer.main

import dnam
import projections
import replay
from dnam.cli import app
from dnam.guarding import guarding_of
from dnam.languages import load as load_language
from projections.policies.instructions import message_judge, note_judge
from tests.kills.child import run

MOST_BYTES = 65_536
"""No order is longer."""
MOST_SIGNALS = 128
"""An exit code is told with so much added to it: it may be a signal's, below zero."""
APART = ("dnam.adapters", "dnam.__main__", "dnam.reference")


class Nursery:
    """One that runs, as it is seen from outside."""

    def __init__(self, **environment: str) -> None:
        self._orders, inside = socket.socketpair()
        with inside:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.kills.nursery", str(inside.fileno())],
                env={**os.environ, **environment},
                pass_fds=(inside.fileno(),),
            )

    def start(self, flag: str, told: int, *command: str) -> "Born":
        """Start a command. It tells `told` of each commit, and shows in the file `flag` whether it is inside one."""
        (read, stdin), (stdout, write) = os.pipe(), os.pipe()
        try:
            pid = self._ask("start", flag, *command, descriptors=(read, write, told))
        finally:
            os.close(read)
            os.close(write)
        return Born(self, pid, stdin, stdout)

    def signal(self, pid: int, number: signal.Signals) -> bool:
        """Send a signal that stops, continues or kills; what was to come of it has come when this returns. Whether it
        came in time: not where the command has ended.
        """
        return bool(self._ask(number.name, str(pid)))

    def wait(self, pid: int) -> int:
        """The exit code of a command, once it has ended; below zero where it was killed."""
        return self._ask("wait", str(pid)) - MOST_SIGNALS

    def _ask(self, *order: str, descriptors: tuple[int, ...] = ()) -> int:
        socket.send_fds(self._orders, [json.dumps(order).encode()], descriptors)
        answer = self._orders.recv(MOST_BYTES)
        assert answer, "the nursery has ended"
        return int(answer)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._orders.close()
        assert self._process.wait() == 0


class Born(NamedTuple):
    """A command that was started: its id, and this side of its pipes."""

    nursery: Nursery
    pid: int
    stdin: int
    stdout: int

    def write(self, text: str) -> None:
        """Type something. It takes as much as a pipe holds."""
        os.write(self.stdin, text.encode())

    def read(self) -> str:
        """What it printed, once it has ended."""
        printed = b""
        while some := os.read(self.stdout, MOST_BYTES):
            printed += some
        return printed.decode()

    def signal(self, number: signal.Signals) -> bool:
        return self.nursery.signal(self.pid, number)

    def wait(self) -> int:
        """Its exit code, once it has ended."""
        return self.nursery.wait(self.pid)

    def close(self) -> None:
        """It is gone afterwards."""
        self.signal(signal.SIGKILL)
        os.close(self.stdin)
        os.close(self.stdout)


# -- inside ----------------------------------------------------------------------------------------------------------


def serve(orders: socket.socket) -> None:
    """Do what is asked for, until nobody can ask any more."""
    alive: set[int] = set()
    codes: dict[int, int] = {}
    while True:
        data, descriptors, _, _ = socket.recv_fds(orders, MOST_BYTES, 3)
        if not data:
            break
        match json.loads(data):
            case ["start", flag, *command]:
                pid = os.fork()
                if not pid:
                    orders.close()
                    become(flag, descriptors, command)
                for each in descriptors:
                    os.close(each)
                alive.add(pid)
                orders.send(str(pid).encode())
            case ["wait", pid]:
                if int(pid) in alive:
                    reap(alive, codes, os.waitpid(int(pid), 0))
                orders.send(b"%d" % (codes[int(pid)] + MOST_SIGNALS))
            case [name, pid]:
                orders.send(b"%d" % end(alive, codes, int(pid), signal.Signals[name]))
    for pid in tuple(alive):
        end(alive, codes, pid, signal.SIGKILL)


def end(alive: set[int], codes: dict[int, int], pid: int, number: signal.Signals) -> bool:
    """Send a signal, and wait until it had its effect; False where the command had ended."""
    if pid not in alive:
        return False
    os.kill(pid, number)
    waited = os.waitpid(pid, 0 if number == signal.SIGKILL else os.WUNTRACED | os.WCONTINUED)
    if os.WIFEXITED(waited[1]) or os.WIFSIGNALED(waited[1]):
        reap(alive, codes, waited)
    return not os.WIFEXITED(waited[1])


def reap(alive: set[int], codes: dict[int, int], waited: tuple[int, int]) -> None:
    """A command has ended: its exit code is kept."""
    pid, status = waited
    alive.remove(pid)
    codes[pid] = os.waitstatus_to_exitcode(status)


def become(flag: str, descriptors: list[int], command: list[str]) -> None:
    """Be the command. It does not return."""
    stdin, stdout, told = descriptors
    os.dup2(stdin, 0)
    os.dup2(stdout, 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    for each in (stdin, stdout):
        os.close(each)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, mode, closefd=False) for n, mode in enumerate("rww"))
    try:
        run(flag, told, command)
    except SystemExit as ended:
        os._exit(ended.code if isinstance(ended.code, int) else 1)
    os._exit(0)


def load() -> None:
    """Everything that a command may load: all modules but those that face a service; and what each would make again of
    a language, and of the table of commands.
    """
    for package in (dnam, replay, projections):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.startswith(APART):
                import_module(module.name)
    instructions = guarding_of(load_language("en")).instructions
    for judge in (note_judge(instructions), message_judge(instructions)):
        judge.bits("")
    typer.main.get_command = cache(typer.main.get_command)
    typer.main.get_command(app)


if __name__ == "__main__":
    load()
    with socket.socket(fileno=int(sys.argv[1])) as given:
        serve(given)
