"""Prints how well the offline model extracts; exits 1 when it is not good enough.

With `--locomo FILE` it prints how well recall finds the evidence in LoCoMo's conversations (`tests.evaluation.locomo`);
exits 1 when a goal is missed, 2 when the file cannot be used. A goal that was not measured is told, and is none that is
missed. With `--shadow NAME` too it asks the file's questions of the memory in `--data DIR` and of that shadow of it,
and prints both; with `--shadow NAME` alone it prints what can be judged of both without questions
(`tests.evaluation.shadow`). There is no goal then.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table as Shown

from projections.errors import BadRequest
from replay.errors import LogError
from tests.evaluation import Case, Score, extracted, read_table, score, total

if TYPE_CHECKING:
    from dnam.settings import Settings

MIN_PRECISION = 0.95
MIN_RECALL = 0.8


def main(arguments: Sequence[str]) -> int:
    """Evaluate, print, judge."""
    options = _parser().parse_args(arguments)
    if options.shadow is not None:
        return _beside(options.locomo, options.data, options.shadow, as_json=options.json)
    return _offline(unseen=options.all) if options.locomo is None else _locomo(options.locomo, as_json=options.json)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.evaluation", description="Score extraction, or recall.")
    parser.add_argument(
        "--all", action="store_true", help="also what went wrong in the half that rules are not tuned on"
    )
    parser.add_argument("--locomo", type=Path, metavar="FILE", help="score recall on the conversations in this file")
    parser.add_argument("--shadow", metavar="NAME", help="judge a memory and this shadow of it; with --locomo ask both")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="with --shadow: the folder of that memory; the setting DNAM_DATA, else data",
    )
    parser.add_argument("--json", action="store_true", help="with --locomo or --shadow: all figures as one JSON value")
    return parser


def _locomo(path: Path, *, as_json: bool) -> int:
    # Recall loads numpy, which the offline model has no use for.
    from tests.evaluation.locomo import report
    from tests.evaluation.locomo.run import evaluate

    try:
        found = evaluate(path)
    except BadRequest as error:
        sys.stderr.write(f"evaluation: {error}\n")
        return 2
    if as_json:
        sys.stdout.write(json.dumps(report.as_json(found)) + "\n")
    else:
        report.show(found, Console(width=120))
    return 1 if any(each.missed for each in report.judged(found)) else 0


def _beside(path: Path | None, data: Path | None, name: str, *, as_json: bool) -> int:
    from dnam.settings import gather

    settings = gather(os.environ, Path())
    try:
        if path is None:
            _judged(settings, data or settings.data, name, as_json=as_json)
        else:
            _asked(path, data or settings.data, name, as_json=as_json)
    except (BadRequest, LogError) as error:
        sys.stderr.write(f"evaluation: {error}\n")
        return 2
    return 0


def _judged(settings: "Settings", data: Path, name: str, *, as_json: bool) -> None:
    """Without questions: what differs, and how good either side is as far as that can be counted."""
    from tests.evaluation.shadow import NO_QUESTIONS, judge_shadow, show
    from tests.evaluation.shadow import as_json as judged_json

    found = judge_shadow(settings, data, name)
    if as_json:
        sys.stdout.write(json.dumps(judged_json(found)) + "\n")
    else:
        show(found, Console(width=120))
    sys.stderr.write(f"evaluation: {NO_QUESTIONS}\n")


def _asked(path: Path, data: Path, name: str, *, as_json: bool) -> None:
    """The questions of a file, asked of both."""
    from tests.evaluation.locomo.beside import as_json as beside_json
    from tests.evaluation.locomo.beside import evaluate_beside, show

    found = evaluate_beside(path, data, name)
    if as_json:
        sys.stdout.write(json.dumps(beside_json(found)) + "\n")
    else:
        show(found, Console(width=120))


def _offline(*, unseen: bool) -> int:
    table = read_table()
    console = Console(width=100)
    rows = {"tuned": table.tuned, "held out": table.held_out, "all": table.tuned + table.held_out}
    shown = Shown("lines", "number", "yield nothing", "right", "wrong", "missed", "precision", "recall")
    for name, cases in rows.items():
        result = total(cases)
        nothing = sum(not case.want for case in cases)
        counts = (len(cases), nothing, result.right, result.wrong, result.missed)
        shown.add_row(name, *map(str, counts), f"{result.precision:.3f}", f"{result.recall:.3f}")
    console.print(shown)
    # What went wrong in the half that rules are tuned on; the other half stays unseen unless it is asked for.
    _print_faults(console, rows["all"] if unseen else table.tuned)
    overall = total(rows["all"])
    return 0 if overall.precision >= MIN_PRECISION and overall.recall >= MIN_RECALL else 1


def _print_faults(console: Console, cases: tuple[Case, ...]) -> None:
    for case in cases:
        result = score(case)
        if result != Score(result.right):
            console.print(f"{case.why}: {case.said} wanted {case.want}", markup=False, highlight=False)
            console.print(f"    came {_brief(case)}", markup=False, highlight=False)


def _brief(case: Case) -> list[str]:
    answer = extracted(case)
    upserts = [f"@{each.get('id', '')} {each['kind']}: {each['text']}" for each in answer["upserts"]]
    return upserts + [f"-{each['id']}" for each in answer["deprecations"]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
