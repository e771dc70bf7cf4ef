"""The survivors that are accepted, each with its reason: survivors.toml."""

from functools import cache
from pathlib import Path

import msgspec

from tests.proof.mutants.orders import Mutant

PATH = Path(__file__).with_name("survivors.toml")


class Survivor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mutant that no test can kill, or none should: its function, the lines before and after, and why."""

    file: str
    function: str
    before: str
    after: str
    why: str


class Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A change that is accepted wherever it is made: what stands there, what it becomes, and why."""

    before: str
    after: tuple[str, ...]
    why: str

    def is_of(self, mutant: Mutant) -> bool:
        """Whether a mutant is this change, once, and nothing else."""
        parts = mutant.before.split(self.before)
        changed = (
            self.before.join(parts[:n]) + after + self.before.join(parts[n:])
            for n in range(1, len(parts))
            for after in self.after
        )
        return any(_bare(each) == _bare(mutant.after) for each in changed)


class Accepted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file."""

    kind: tuple[Kind, ...] = ()
    survivor: tuple[Survivor, ...] = ()


def _bare(text: str) -> str:
    """Without spaces, nor a comma before what closes: mutmut leaves both behind."""
    return "".join(text.split()).replace(",)", ")")


@cache
def accepted() -> Accepted:
    """All that is accepted."""
    return msgspec.toml.decode(PATH.read_bytes(), type=Accepted)


def explained(mutant: Mutant) -> bool:
    """Whether a survivor is among them."""
    known = {(each.file, each.function, each.before, each.after) for each in accepted().survivor}
    found = (mutant.file, mutant.function, mutant.before, mutant.after) in known
    return found or any(kind.is_of(mutant) for kind in accepted().kind)
