"""What was measured of a log that is too large for `make prove`, kept in the clone."""

from pathlib import Path

import msgspec

from tests.proof import since
from tests.proof.machine import Machine
from tests.proof.scale.measuring import Measured

LONG_RUN = Path(__file__).with_name("long.json")
ALIKE = 1000
"""A log is of a size where it differs from it by no more than one event of so many."""

CODE = ("replay/**", "projections/**")
"""What a log's costs depend on."""


class Again(msgspec.Struct, frozen=True):
    """What was asked again of a log of the same making: what, of so many events, when (UTC), and where."""

    what: str
    events: int
    date: str
    machine: Machine


class LongRun(msgspec.Struct, frozen=True):
    """One run: what was measured at each size, with which seed, when (UTC), where. Some of it may have been measured
    again, by another commit.
    """

    sizes: tuple[Measured, ...]
    seed: int
    date: str
    machine: Machine
    again: tuple[Again, ...] = ()

    def since(self, root: Path = since.ROOT) -> str:
        """How much of the program is another by now, in words."""
        commits = dict.fromkeys(each.commit for each in (self.machine, *(again.machine for again in self.again)))
        return since.told(commits, CODE, "replay/ and projections/", root)

    def alike(self, events: int) -> int | None:
        """Which of the sizes a log of so many events has; None where it has none of them."""
        found = (at for at, each in enumerate(self.sizes) if abs(events - each.events) * ALIKE <= each.events)
        return next(found, None)

    def with_again(self, at: int, figures: dict[str, float], again: Again) -> "LongRun":
        """With other figures of one size."""
        renewed = msgspec.structs.replace(self.sizes[at], figures=self.sizes[at].figures | figures)
        others = (each for each in self.again if (each.what, each.events) != (again.what, again.events))
        return msgspec.structs.replace(
            self, sizes=(*self.sizes[:at], renewed, *self.sizes[at + 1 :]), again=(*others, again)
        )


def save(path: Path, run: LongRun) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=1) + b"\n")


def kept(path: Path) -> LongRun | None:
    """The last run; None where there was none."""
    return msgspec.json.decode(path.read_bytes(), type=LongRun) if path.is_file() else None
