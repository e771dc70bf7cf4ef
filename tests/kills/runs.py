"""Runs of `dnam` that die. One process loads the program, and forks for each command: loading it takes seconds.

                                                                     →    {"ready": true}
    {"argv": […], "env": {…}, "folder": "…", "doom": ["step", 7]}    →    {"pid": 4711}
                                                                     →    {"status": -9, "steps": 7, "cpu": 0.21}

A command dies in front of or behind its n-th write (a commit of a log or of views, a manifest) by SIGKILL; or, of
which it knows nothing at all, when it has used so many ms of a processor, by SIGPROF, which nobody handles. What it
prints is in `out` and `err` of its folder.

python -m tests.kills.runs URL KEY
"""

import asyncio
import json
import mmap
import os
import signal
import struct
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

import dnam.shadows.manifest
from dnam.__main__ import main as run_dnam
from dnam.adapters.anthropic.claude import Access, Claude
from dnam.languages import load
from dnam.model import Ask, Line, SummaryInputs
from replay.lmdb_log import LmdbLog
from replay.views import Views

LOADED = (
    "anthropic.types.model",
    "dnam.adapters.anthropic.batches",
    "dnam.cli.rederiving",
    "dnam.meaning.encoders",
    "dnam.rederiving.models",
    "dnam.rederiving.options",
    "dnam.rederiving.rederivation",
)
"""What a derivation loads while it runs."""
STEPS: tuple[tuple[Any, str], ...] = ((LmdbLog, "append"), (Views, "write"), (dnam.shadows.manifest, "replace_file"))


class Order(msgspec.Struct):
    """A command to run. `doom` is "step" with the number of a write's side, "cpu" with ms, or "none"."""

    argv: list[str]
    env: dict[str, str]
    folder: str
    doom: tuple[str, int] = ("none", 0)


def main() -> None:
    """Run what is ordered, one command after the other."""
    load("en")
    for name in LOADED:
        import_module(name)
    asyncio.run(_ask(*sys.argv[1:]))
    _tell({"ready": True})
    count = mmap.mmap(-1, 8)
    for line in sys.stdin:
        order = msgspec.json.decode(line, type=Order)
        count[:8] = bytes(8)
        pid = os.fork()
        if not pid:
            _become(order, count)
        _tell({"pid": pid})
        _, status, used = os.wait4(pid, 0)
        steps = struct.unpack("Q", count[:8])[0]
        _tell({"status": os.waitstatus_to_exitcode(status), "steps": steps, "cpu": used.ru_utime + used.ru_stime})


async def _ask(url: str, key: str) -> None:
    """One question beforehand: the SDK makes much of what it needs when it is first used."""
    model = Claude(Access(key, url))
    inputs = SummaryInputs("dnam", "", (Line("Kim", "hello", 0),), 100)
    ask = Ask("summary", "claude-haiku-4-5", "none", "", msgspec.json.encode(inputs).decode(), inputs)
    await model.ask(ask)
    await model.close()


def _tell(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def _become(order: Order, count: mmap.mmap) -> None:
    """The child: it is the command, and never returns."""
    folder = Path(order.folder)
    os.chdir(folder)
    for number, name in enumerate((os.devnull, "out", "err")):
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | (os.O_TRUNC if number else 0))
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.update(order.env)
    sys.argv = ["dnam", *order.argv]
    _arm(*order.doom, count)
    code = 1
    try:
        run_dnam()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    finally:
        os._exit(code)


def _arm(kind: str, number: int, count: mmap.mmap) -> None:
    for owner, name in STEPS:
        setattr(owner, name, _counted(getattr(owner, name), count, number if kind == "step" else 0))
    if kind == "cpu":
        signal.setitimer(signal.ITIMER_PROF, max(number, 1) / 1000)


def _counted(method: Callable[..., Any], count: mmap.mmap, last: int) -> Callable[..., Any]:
    def step() -> None:
        steps = struct.unpack("Q", count[:8])[0] + 1
        count[:8] = struct.pack("Q", steps)
        if steps == last:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(*arguments: Any, **options: Any) -> Any:
        step()
        result = method(*arguments, **options)
        step()
        return result

    return counted


if __name__ == "__main__":
    main()
