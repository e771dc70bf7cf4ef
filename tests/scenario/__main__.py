"""`python -m tests.scenario`: play it alone, with a transcript to read."""

import argparse
import asyncio
import contextlib
import sys
import tempfile
from pathlib import Path
from typing import TextIO

from tests.scenario.story import play
from tests.scenario.transcript import Transcript


def main() -> int:
    """0 when all is well, 1 when something is not, and then what."""
    parser = argparse.ArgumentParser(prog="python -m tests.scenario", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="which chatter goes on in between (default 1)")
    parser.add_argument("--transcript", type=Path, metavar="FILE", help="write the transcript there instead of here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dnam-scenario-") as folder, _out(given.transcript) as out:
        try:
            asyncio.run(play(Path(folder), Transcript(out), given.seed))
        except AssertionError as error:
            log = Path(folder) / "bot.log"
            print(f"scenario: {error}", file=sys.stderr)
            print(log.read_text(errors="replace")[-4000:] if log.exists() else "", file=sys.stderr)
            raise
    return 0


def _out(path: Path | None) -> contextlib.AbstractContextManager[TextIO]:
    return contextlib.nullcontext(sys.stdout) if path is None else path.open("w", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
