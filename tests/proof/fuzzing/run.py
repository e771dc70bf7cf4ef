"""Fuzz one target, guided by what of the code was reached: python -m tests.proof.fuzzing.run TARGET [OPTION …].

The options are libFuzzer's. It ends with 0 when its time is over; a crash, a hang or too much memory ends it with
something else, and what led to it is in a file.
"""

import sys

import atheris


def main() -> None:
    """Instrument what belongs to dnam, then fuzz until the time is over."""
    name = sys.argv[1]
    with atheris.instrument_imports(include=["dnam", "replay", "projections"]):
        from tests.proof.fuzzing.targets import TARGETS
    atheris.Setup([sys.argv[0], *sys.argv[2:]], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
