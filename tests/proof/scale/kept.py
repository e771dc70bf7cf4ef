"""What was measured of a log that is too large for `make prove`, kept in the clone."""

from pathlib import Path

import msgspec

from tests.proof.machine import Machine
from tests.proof.scale.measuring import Measured

LONG_RUN = Path(__file__).with_name("long.json")


class Again(msgspec.Struct, frozen=True):
    """What was asked again of the same log: what, when (UTC), and where."""

    what: str
    date: str
    machine: Machine


class LongRun(msgspec.Struct, frozen=True):
    """One run: what was measured at each size, with which seed, when (UTC), where. Of the largest, some of it may have
    been measured again, by another commit.
    """

    sizes: tuple[Measured, ...]
    seed: int
    date: str
    machine: Machine
    again: tuple[Again, ...] = ()

    def with_again(self, figures: dict[str, float], again: Again) -> "LongRun":
        """With other figures of the largest size."""
        last = self.sizes[-1]
        renewed = msgspec.structs.replace(last, figures=last.figures | figures)
        others = (each for each in self.again if each.what != again.what)
        return msgspec.structs.replace(self, sizes=(*self.sizes[:-1], renewed), again=(*others, again))


def save(path: Path, run: LongRun) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=1) + b"\n")


def kept(path: Path) -> LongRun | None:
    """The last run; None where there was none."""
    return msgspec.json.decode(path.read_bytes(), type=LongRun) if path.is_file() else None
