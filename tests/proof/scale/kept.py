"""What was measured of a log that is too large for `make prove`, kept in the clone."""

from pathlib import Path

import msgspec

from tests.proof.machine import Machine
from tests.proof.scale.measuring import Measured

LONG_RUN = Path(__file__).with_name("long.json")


class LongRun(msgspec.Struct, frozen=True):
    """One run: what was measured at each size, with which seed, when (UTC), where."""

    sizes: tuple[Measured, ...]
    seed: int
    date: str
    machine: Machine


def save(path: Path, run: LongRun) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=1) + b"\n")


def kept(path: Path) -> LongRun | None:
    """The last run; None where there was none."""
    return msgspec.json.decode(path.read_bytes(), type=LongRun) if path.is_file() else None
