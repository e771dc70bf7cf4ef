"""Prints how well the offline model extracts; exits 1 when it is not good enough."""

import sys

from rich.console import Console
from rich.table import Table as Shown

from tests.evaluation import Case, Score, extracted, read_table, score, total

MIN_PRECISION = 0.95
MIN_RECALL = 0.8


def main(arguments: list[str]) -> int:
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
    _print_faults(console, rows["all"] if "--all" in arguments else table.tuned)
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
