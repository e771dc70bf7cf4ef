"""Fuzz one target, guided by what of the code was reached: python -m tests.proof.fuzzing.run TARGET TALLY [OPTION …].

The options are libFuzzer's. It ends with 0 when its time is over; a crash, a hang or too much memory ends it with
something else, and what led to it is in a file. In TALLY is counted what came of inputs that are not the project's own.
"""

import sys
from pathlib import Path
from random import Random

import atheris

from tests.proof.fuzzing import INSTRUMENTED


def main() -> None:
    """Instrument what belongs to dnam, then fuzz until the time is over."""
    name, counted, *options = sys.argv[1:]
    assert not {*INSTRUMENTED} & {*sys.modules}
    with atheris.instrument_imports(include=list(INSTRUMENTED)):
        from tests.proof.fuzzing.targets import KINDS, TARGETS
    from tests.proof.fuzzing import bodies, exports
    from tests.proof.fuzzing.corpus import inputs
    from tests.proof.fuzzing.tally import Tally

    own = {path.read_bytes() for path in inputs(name)}
    tally, target = Tally(Path(counted), KINDS[name]), TARGETS[name]
    kinds = bodies.seeds() if name == "envelope" else ()
    whole = exports.seeds()
    own |= {bytes([number]) + body for number, of_kind in enumerate(kinds) for body in of_kind}

    def one(data: bytes) -> None:
        outcome = target(data)
        if data not in own:
            tally.add(outcome)

    def body(data: bytes, most: int, seed: int) -> bytes:
        return bodies.change(data, most, Random(seed), kinds, atheris.Mutate)

    def export(data: bytes, most: int, seed: int) -> bytes:
        return exports.change(data, most, Random(seed), whole, atheris.Mutate)

    change = {"envelope": {"custom_mutator": body}, "importers": {"custom_mutator": export}}.get(name, {})
    atheris.Setup([sys.argv[0], *options], one, **change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
