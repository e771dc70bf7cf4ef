"""Every number that dnam promises, measured: `make bench`, or `python -m tests.bench`.

Exit status 0 when every goal is met, 1 when one is missed or a peer is missing.
"""

import argparse
import json
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from tests.bench.answering import answering
from tests.bench.append import append
from tests.bench.audit import audit
from tests.bench.bench import Bench, Benchmark
from tests.bench.commands import commands
from tests.bench.differing import differing
from tests.bench.disk import disk
from tests.bench.forgetting import forgetting
from tests.bench.looking_back import looking_back
from tests.bench.measure import FEWEST_ROUNDS, ROUNDS, Row
from tests.bench.million import million
from tests.bench.proving import prove
from tests.bench.recall import recall
from tests.bench.rederiving import rederive
from tests.bench.replaying import replay
from tests.bench.table import as_json, table
from tests.bench.vaults import vaults

BENCHMARKS: dict[str, Benchmark] = {
    "append": append,
    "vaults": vaults,
    "replay": replay,
    "million": million,
    "commands": commands,
    "audit": audit,
    "disk": disk,
    "prove": prove,
    "past": looking_back,
    "answering": answering,
    "forgetting": forgetting,
    "recall": recall,
    "differing": differing,
    "rederive": rederive,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, judge."""
    options = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="dnam-bench-", dir=options.dir) as scratch:
        bench = Bench(Path(scratch), options.quick, max(FEWEST_ROUNDS, options.rounds))
        chosen = [options.only] if options.only else list(BENCHMARKS)
        rows = [row for name in chosen for row in _measured(name, bench)]
    sys.stdout.write(json.dumps(as_json(rows)) + "\n" if options.json else table(rows))
    return 0 if all(row.met for row in rows) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure dnam beside its peers.")
    parser.add_argument("--quick", action="store_true", help="logs of 10³ to 10⁵ events and a ring of 10⁴ vaults")
    parser.add_argument("--only", choices=sorted(BENCHMARKS), help="one benchmark alone")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often everything is measured (%(default)s)")
    parser.add_argument("--json", action="store_true", help="the rows as one JSON value")
    parser.add_argument("--dir", type=Path, help="where to make the logs: on the disk that is to be measured")
    return parser


def _measured(name: str, bench: Bench) -> list[Row]:
    """A benchmark's rows; one that breaks is a row that failed, and the others go on."""
    rows: list[Row] = []
    try:
        rows.extend(BENCHMARKS[name](bench))
    except Exception as error:  # noqa: BLE001 - one broken benchmark must not hide what the others found
        traceback.print_exc()
        rows.append(Row(name, "", None, broken=f"{type(error).__name__}: {error}"))
    return rows


if __name__ == "__main__":
    sys.exit(main())
