"""What a check is: a question to the world whose answers say what to do."""

import os
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from dnam.settings import Settings

State = Literal["well", "doubt", "wrong", "skipped"]
"""`doubt` may be as it is meant; `wrong` is not, and the doctor ends with 1; `skipped` could not be asked."""
SECONDS = 10.0
"""How long a check waits for somebody else's answer."""


class Finding(NamedTuple):
    """What a check found, in words, and what to do about it; nothing to do where it is well."""

    state: State
    what: str
    do: str = ""


def write_to(folder: Path) -> None:
    """Write something into a folder; nothing of it stays. OSError says why it cannot be."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"?")


class Patient(NamedTuple):
    """What is looked at. `now` is the clock in ms; `free` is how many bytes a folder's disk has left, `device` which
    disk it is, `write` tries whether something can be written there; `environment` is where the settings come from,
    with the files in the folder where dnam is `started`.
    """

    settings: Settings
    data: Path
    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    free: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free
    device: Callable[[Path], int] = lambda folder: folder.stat().st_dev
    write: Callable[[Path], None] = write_to
    environment: Mapping[str, str] = os.environ
    started: Path = Path()


Look = Callable[[Patient], Awaitable[list[Finding]]]


class Check(NamedTuple):
    """A line of the table: what is looked at, and what looks."""

    name: str
    look: Look


class Checked(NamedTuple):
    """A finding and the check that made it, as the doctor prints it."""

    check: str
    state: State
    what: str
    do: str


async def run(check: Check, patient: Patient) -> list[Checked]:
    """What a check finds. One that fails itself is a finding."""
    try:
        found = await check.look(patient)
    except Exception as error:  # noqa: BLE001 - one check that cannot look must not keep the others from it
        found = [Finding("wrong", f"this could not be looked at: {type(error).__name__}: {error}", REPORT)]
    return [Checked(check.name, *each) for each in found]


REPORT = "If what it says does not help, report it with the output of `dnam --version` and `dnam doctor --json`."


def well(what: str) -> list[Finding]:
    """All is as it should be."""
    return [Finding("well", what)]


def skipped(what: str, do: str = "") -> list[Finding]:
    """There is nothing to look at."""
    return [Finding("skipped", what, do)]


def wrong(what: str, do: str) -> list[Finding]:
    """Something has to be done."""
    return [Finding("wrong", what, do)]


def doubt(what: str, do: str) -> list[Finding]:
    """Perhaps something has to be done."""
    return [Finding("doubt", what, do)]
