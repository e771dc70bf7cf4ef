"""A process that has the program loaded and forks for every try, since loading it takes seconds and a try may kill.

                        ─▶    WHOLE (a file), once
    [number, folder, phases]  ─▶
                        ◀─    [phase, answer, words] for each phase; "dead" and the signal where it killed its process

A phase that kills is told of, and the next one is gone through in a new process.
"""

import gc
import os
import resource
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
import typer.testing

from replay import lmdb_file
from tests.proof.rot.answers import COMMANDS, LATER
from tests.proof.rot.asking import Answer, ask
from tests.proof.rot.memory import Whole, load

MOST_SECONDS = 20
"""Of a processor, for all phases of a try: more is a loop without an end."""

Size = Literal["small", "large", "huge"]
"""Files of up to 4 MiB, which are looked over whenever they are opened; up to 256 MiB, by writers alone; or more."""
_RUN = "from tests.proof.rot.nursery import main; main()"


class Order(msgspec.Struct, array_like=True):
    """A try: its number, its folder, and what it is put through."""

    number: int
    folder: str
    phases: list[str]


def main() -> None:
    """Serve whoever started this process."""
    from freezegun import freeze_time

    from dnam.cli import app
    from dnam.languages import load as language

    assert app is not None
    language("en")
    typer.testing._get_command = cache(typer.testing._get_command)  # type: ignore[attr-defined]  # built once
    made = load(Path(sys.argv[1]))
    source, target = sys.stdin.buffer, os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for number in range(len(COMMANDS)):  # the first time loads what it needs, which a frozen clock does not suit
        ask("look", made.data, made, 2 * number)
    ask("verify", made.data, made, 0)
    gc.collect()
    gc.freeze()  # or the first collection of every child copies all pages of this process
    if "large" in sys.argv or "huge" in sys.argv:
        lmdb_file.MOST_PAGES = 0
    if "huge" in sys.argv:
        lmdb_file.MOST_PAGES_OF_WRITERS = 0
    with freeze_time(LATER):
        while head := source.read(4):
            order = msgspec.msgpack.decode(source.read(struct.unpack("<I", head)[0]), type=Order)
            answers = msgspec.msgpack.encode(dict(_tried(order, made)))
            os.write(target, struct.pack("<I", len(answers)) + answers)


def _tried(order: Order, made: Whole) -> Iterator[tuple[str, Answer]]:
    left = list(order.phases)
    while left:
        answers, status = _in_a_child(order, left, made)
        for each in answers:
            yield left.pop(0), each
        if left:
            yield left.pop(0), ("dead", signal.Signals(-status).name if status < 0 else f"exit {status}")


def _in_a_child(order: Order, phases: Sequence[str], made: Whole) -> tuple[list[Answer], int]:
    """What came of phases, one after the other, and how the child ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _be_the_child(order, phases, made, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return [msgspec.json.decode(line, type=Answer) for line in said.splitlines()], os.waitstatus_to_exitcode(status)


def _be_the_child(order: Order, phases: Sequence[str], made: Whole, writing: int) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for phase in phases:
        os.write(writing, msgspec.json.encode(ask(phase, Path(order.folder), made, order.number)) + b"\n")
    os._exit(0)


class Nursery:
    """The asking side."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to, self._from = process.stdin, process.stdout

    def tried(self, number: int, folder: Path, phases: Sequence[str]) -> dict[str, Answer]:
        """Put a data folder through these phases; what came of each."""
        order = msgspec.msgpack.encode(Order(number, str(folder), list(phases)))
        self._to.write(struct.pack("<I", len(order)) + order)
        self._to.flush()
        answers = self._from.read(struct.unpack("<I", self._from.read(4))[0])
        return msgspec.msgpack.decode(answers, type=dict[str, Answer])


@contextmanager
def nursery(made: Path, size: Size = "small") -> Iterator[Nursery]:
    """A nursery for tries on copies of a memory, gone afterwards, where files are opened as those of that size are."""
    command = [sys.executable, "-c", _RUN, str(made), size]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Nursery(process)
        assert process.stdin is not None
        process.stdin.close()
