"""Where the commands are born that meet a disk which refuses: a process with the library of faults.c in it that has
loaded what a command loads, and forks for each.

    {"command": […], "folder": "…", "given": "…", "fault": 0, "first": 7}    →    {"status": 3, "calls": 9, "failed": 3}

What a command prints is in `out` and `err` of its folder, which lies elsewhere than what may fail. A command that
begins with `living` is no command of `dnam`, but a memory that stays open (living.py): its folder, and every how many
calls of a step fail.

from tests.proof.full.child import main; main()
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import msgspec

from tests.proof.full.faults import FAULTS, PAGE, Page

PATIENCE, LONG_PATIENCE = 60, 900
"""Seconds after which a command hangs, and a memory that meets every failure there is."""


class Order(msgspec.Struct, frozen=True):
    """A command to run, and which call of which fault fails first; 0: it is only counted, and nothing fails. `planted`:
    with a log that acknowledges what it could not write, which must be found.
    """

    command: list[str]
    folder: str
    given: str = ""
    fault: int = 0
    first: int = 0
    planted: bool = False


class Ended(msgspec.Struct, frozen=True):
    """How it ended, how many calls of the fault's kinds there were, how many of them failed, and how many commits a
    planted log acknowledged that it had not written.
    """

    status: int
    calls: int
    failed: int
    swallowed: int = 0


def main() -> None:
    """Run what is ordered, one command after the other."""
    import tests.proof.full.living  # noqa: F401 - loaded before it forks, as all the rest
    from tests.kills.nursery import load

    load()
    _read_patterns()
    page = Page(Path(os.environ[PAGE]))
    _tell(Ended(0, 0, 0))
    for line in sys.stdin:
        order = msgspec.json.decode(line, type=Order)
        pid = os.fork()
        if not pid:
            _become(order, page)
        _, status = os.waitpid(pid, 0)
        page.clear()
        swallowed = int(_swallowed(order).read_text(encoding="utf-8")) if order.planted else 0
        _tell(Ended(os.waitstatus_to_exitcode(status), page.calls, page.failed, swallowed))


def _read_patterns() -> None:
    """What the offline model would compile anew in each command: the patterns of its language, which `re` keeps."""
    from dnam.adapters.offline import OfflineModel
    from dnam.languages import load
    from dnam.model import ExtractionInputs

    OfflineModel(load("en")).reply(ExtractionInputs("kim", ()))


def _swallowed(order: Order) -> Path:
    """Where a process with a planted log leaves how many commits it swallowed."""
    return Path(order.folder) / "swallowed"


def _tell(ended: Ended) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(ended) + b"\n")
    sys.stdout.buffer.flush()


def _become(order: Order, page: Page) -> None:
    """The command. It does not return."""
    folder, code = Path(order.folder), 1
    signal.alarm(LONG_PATIENCE if order.command[0] == "living" else PATIENCE)
    (folder / "in").write_text(order.given, encoding="utf-8")
    _swallowed(order).write_text("0", encoding="utf-8")
    for number, name in enumerate(("in", "out", "err")):
        descriptor = os.open(folder / name, os.O_RDWR | os.O_CREAT | (os.O_TRUNC if number else 0), 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    fault = FAULTS[order.fault]
    from tests.proof.full.living import SWALLOWED, careless, live

    try:
        if order.planted:
            careless()
        if order.command[0] == "living":
            _, data, every = order.command
            live(Path(data), page, fault, int(every))
            code = 0
        else:
            code = _run(order.command, lambda: page.arm(fault, order.first) if order.first else page.count(fault))
    except BaseException:  # noqa: BLE001 - this process never returns; what broke it is told
        traceback.print_exc()
    finally:
        _swallowed(order).write_text(str(SWALLOWED.total()), encoding="utf-8")
        sys.stderr.flush()
        os._exit(code)


def _run(command: list[str], begin: Callable[[], None]) -> int:
    sys.argv = ["dnam", *command]
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, mode, closefd=False) for n, mode in enumerate("rww"))
    from dnam.__main__ import main as run_dnam

    begin()
    try:
        run_dnam()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    return 0
