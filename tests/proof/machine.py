"""On what a proof was run: the program's commit, the interpreter, the machine."""

import os
import platform
import subprocess
from pathlib import Path

import msgspec

GIB = 2**30
WRITTEN = ("docs/scorecard.json", "docs/SCORECARD.md", "docs/charts")
"""What a proof writes itself while it runs: files that differ there are no other program."""


class Machine(msgspec.Struct, frozen=True):
    """The commit (with a plus sign where files differ from it), Python, the kernel, cores, memory in GiB."""

    commit: str
    python: str
    system: str
    cores: int
    memory: float


def machine() -> Machine:
    """This one, now."""
    differs = _git("status", "--porcelain", "--", ".", *(f":(exclude){each}" for each in WRITTEN))
    return Machine(
        commit=_git("rev-parse", "--short=12", "HEAD") + ("+" if differs else ""),
        python=platform.python_version(),
        system=f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}",
        cores=len(os.sched_getaffinity(0)),
        memory=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB, 1),
    )


def _git(*command: str) -> str:
    """What git says; nothing where this is no clone."""
    root = Path(__file__).parents[2]
    done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip()
