"""The disk: whether it takes anything, how long it lasts at the rate at which the log has grown, and whether keys and
log lie apart.
"""

import errno
from pathlib import Path
from typing import NamedTuple

from dnam.doctor.check import Finding, Patient, doubt, skipped, well, wrong
from projections.counting import counted
from projections.times import DAY_MS

LATELY_DAYS = 30
"""Over how many days the rate is taken, where there are so many."""
LEAST_BYTES = 64 * 1024 * 1024
FEW_DAYS = 7
SOME_DAYS = 60
OPEN_UP = "Mount its disk for writing, or give the folder to the user who runs dnam: nothing is recorded without."


class Growth(NamedTuple):
    """How a log grows. `bytes_per_day` is 0 while it is too young to tell."""

    size: int
    bytes_per_day: int


async def room(patient: Patient) -> list[Finding]:
    """Whether something can be written; then bytes per day, and for how many days there is room."""
    folder = _existing(patient.data)
    if refused := _refused(patient, folder):
        return refused
    free = patient.free(folder)
    growth = growth_of(patient)
    per_day = growth.bytes_per_day
    rate = f"the log grows by {bytes_words(per_day)} a day" if per_day else "too young for a rate"
    days = free // per_day if per_day else None
    left = "" if days is None else f", enough for {counted(days, 'day')}"
    what = f"{bytes_words(growth.size)} in use, {bytes_words(free)} free{left}; {rate}"
    if free < LEAST_BYTES or (days is not None and days < FEW_DAYS):
        return wrong(what, f"Make room on the disk of {folder}, or move the folder: nothing is recorded without.")
    if days is not None and days < SOME_DAYS:
        return doubt(what, f"Plan for more room on the disk of {folder}.")
    return well(what)


def _refused(patient: Patient, folder: Path) -> list[Finding]:
    """The first folder that cannot be written to; each may be on its own disk. A full one is told with its size."""
    for each in (folder, *(patient.data / name for name in ("log", "keys", "views", "vectors"))):
        try:
            if each.is_dir():
                patient.write(each)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                return wrong(f"{each} cannot be written to: {error.strerror}", OPEN_UP)
    return []


def _existing(folder: Path) -> Path:
    """The folder, or the nearest above it that is there: the disk on which it would be."""
    return next(each for each in (folder.absolute(), *folder.absolute().parents) if each.is_dir())


def growth_of(patient: Patient) -> Growth:
    """How big a log is and how it has grown lately, by the times of its events and its own size."""
    from replay.errors import LogError

    size = sum(file.stat().st_blocks * 512 for file in patient.data.glob("log/**/*") if file.is_file())
    if not size:
        return Growth(0, 0)
    try:
        return Growth(size, _per_day(patient, size))
    except (LogError, OSError):  # the log's own check says what is wrong with it
        return Growth(size, 0)


def _per_day(patient: Patient, size: int) -> int:
    from replay import codec
    from replay.engine import Engine

    with Engine.open(patient.data, writable=False) as engine:
        events = engine.head().size
        first = engine.store.log.get(1)
        if first is None:
            return 0
        begun, now = codec.decode_header(first.header).at, patient.now()
        days = min(max((now - begun) / DAY_MS, 0.0), LATELY_DAYS)
        lately = events - engine.seq_at(now - LATELY_DAYS * DAY_MS)
        return int(size / events * lately / days) if days >= 1 else 0


async def apart(patient: Patient) -> list[Finding]:
    """Keys that lie beside the log on one disk are lost with it, and stolen with it."""
    log, keys = patient.data / "log", patient.data / "keys"
    if not log.exists():
        return skipped("there is no log here yet")
    if not keys.exists():
        return skipped("there are no keys beside the log")  # the log's own check says what to do
    if patient.device(log) != patient.device(keys):
        return well("the keys are on another disk than the log")
    return doubt(
        "the keys are on the same disk as the log: whoever has that disk, or its backup, can read everything, and "
        "without the keys the log is lost",
        f"Mount another disk at {keys}, or keep a copy of it elsewhere and leave it out of the log's backup; "
        "`dnam backup` keeps the keys under a passphrase.",
    )


def bytes_words(count: int) -> str:
    """A size for people."""
    size, unit = float(count), "B"
    for larger in ("KB", "MB", "GB", "TB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.0f} {unit}" if size >= 10 or unit == "B" else f"{size:.1f} {unit}"
