"""Everything that dnam claims, tried: `make prove`, or `python -m tests.proof`.

Each part runs in a process of its own, three at a time, and what is timed alone, behind the others. Exit status 0 when
every claim was tried and holds, or falls short for a reason that is known and told; 1 otherwise, and where a run of all
parts was none of one commit, or took more than 30 minutes.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from threading import Lock
from time import perf_counter

import msgspec

from tests.proof.charts import draw
from tests.proof.claim import Finding, Part, Trial
from tests.proof.machine import Machine, machine
from tests.proof.parts import NAMES, part
from tests.proof.scorecard import DATA, PAGE, Ran, amiss, lines_of, load, page, save

SEED = 20261122
AT_ONCE = 3
"""One more than there are cores: much of what parts do is waiting for the disk."""
WRITING = Lock()
KEPT = Path(".prove")
"""What a run leaves for later ones: environments of other Pythons, what fuzzers found, which tests reach what."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts that are asked for, and write the scorecard; one part in this process, with --here."""
    options = _parser().parse_args(arguments)
    chosen = list(dict.fromkeys(options.only or NAMES))
    if options.here:
        ran = _run(part(chosen[0]), options.seed, is_short=options.short, at=options.dir)
        sys.stdout.buffer.write(msgspec.json.encode(ran) + b"\n")
        return 0 if ran.holds else 1
    every = _all(chosen, options)
    for each in every:
        _tell(each)
    wrong = [] if options.only or options.short else [*amiss(every, NAMES)]
    for reason in wrong:
        print(f"\nNO WHOLE RUN: {reason}")
    return 0 if all(each.holds for each in every) and not wrong else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.proof", description="Try what dnam claims.")
    parser.add_argument("--only", action="append", choices=NAMES, help="one part (may be given several times)")
    parser.add_argument("--seed", type=int, default=SEED, help="what chance begins with (%(default)s)")
    parser.add_argument("--short", action="store_true", help="the short form that the tests take; writes no page")
    parser.add_argument("--here", action="store_true", help="in this process, and print what came out as JSON")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help="how many run at a time (%(default)s)")
    parser.add_argument("--dir", type=Path, help="where to make the logs")
    return parser


def _all(chosen: Sequence[str], options: argparse.Namespace) -> list[Ran]:
    """Run parts: some at a time, those that took longest the last time first; then those that are timed, on a quiet
    disk. What each found is written when it ends: what is broken off loses none of it.
    """
    options.is_warm = KEPT.exists()
    timed = [name for name in chosen if part(name).is_timed]
    others = [name for name in chosen if name not in timed]
    took = {each.name: each.seconds for each in load(DATA)}
    ran: dict[str, Ran] = {}
    with ThreadPoolExecutor(options.at_once) as pool:
        others.sort(key=lambda name: took.get(name, inf), reverse=True)
        ran |= zip(others, pool.map(lambda name: _written(name, options), others), strict=True)
    for name in timed:
        os.sync()
        ran[name] = _written(name, options)
    return [ran[name] for name in chosen]


def _apart(name: str, options: argparse.Namespace) -> Ran:
    """Run a part in a process of its own; one that dies is broken."""
    command = [sys.executable, "-m", "tests.proof", "--here", "--only", name, "--seed", str(options.seed)]
    command += ["--short"] if options.short else []
    command += ["--dir", str(options.dir)] if options.dir else []
    began, on = perf_counter(), machine()
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False, env=os.environ)
    try:
        return msgspec.json.decode(done.stdout.splitlines()[-1], type=Ran)
    except (IndexError, msgspec.MsgspecError):
        why = f"the process ended with {done.returncode} and told nothing"
        return _ran(part(name), options.seed, [], perf_counter() - began, on, why)


def _run(chosen: Part, seed: int, *, is_short: bool, at: Path | None) -> Ran:
    """Run a part here."""
    began, on, findings, broken = perf_counter(), machine(), list[Finding](), ""
    with tempfile.TemporaryDirectory(prefix=f"dnam-{chosen.name}-", dir=at) as folder:
        trial = Trial(Path(folder), seed, is_short, lambda text: print(f"{chosen.name}: {text}", file=sys.stderr))
        try:
            findings.extend(chosen.prove(trial))
        except Exception as error:  # noqa: BLE001 - what a part found before it broke is told, and what broke it
            traceback.print_exc()
            broken = f"{type(error).__name__}: {error}"
    busy = sum(each.ru_utime + each.ru_stime for each in map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN)))
    ran = _ran(chosen, seed, findings, perf_counter() - began, on, broken)
    return msgspec.structs.replace(ran, busy=round(busy, 1))


def _ran(chosen: Part, seed: int, findings: Sequence[Finding], seconds: float, on: Machine, broken: str) -> Ran:
    """What came of a part that has just ended; `on` is what it ran on when it began."""
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    lines = lines_of(chosen, findings)
    return Ran(chosen.name, chosen.title, lines, seed, round(seconds, 1), date, on, broken)


def _tell(ran: Ran) -> None:
    print(f"\n{ran.title} ({ran.seconds:,.0f} s){': BROKEN, ' + ran.broken if ran.broken else ''}")
    for line in ran.lines:
        found = line.finding
        said = "nobody tried it" if found is None else f"{found.count:,} {found.counted}: {found.came_out}"
        print(f"  {line.verdict:12} {line.claim.says}: {said}")


def _written(name: str, options: argparse.Namespace) -> Ran:
    """Run a part, and put it into the scorecard, in which the others stay as they were."""
    ran = msgspec.structs.replace(_apart(name, options), is_warm=options.is_warm)
    if not options.short:
        with WRITING:
            known = {each.name: each for each in load(DATA)} | {name: ran}
            kept = [known[each] for each in NAMES if each in known]
            save(DATA, kept)
            PAGE.write_text(page(kept, NAMES), encoding="utf-8")
            draw(kept)
        print(f"{PAGE} has {name}", file=sys.stderr)
    return ran


if __name__ == "__main__":
    sys.exit(main())
