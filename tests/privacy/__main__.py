"""Prints who can come to see what, and whether what was taken back is gone; exits 1 when anything is not as it must be.

The matrix, the canary property on many histories, deletion step by step, erasures and redactions by bytes and among
many people, and what injection reaches.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tests.injection.rates import rates
from tests.privacy import canaries, deletion, matrix
from tests.privacy.deletion import AFTER, Act, Step
from tests.privacy.test_erased_among_many import test_one_of_many_is_erased_and_nothing_else_changes as among_many
from tests.privacy.test_erased_who_was_quoted import (
    test_who_was_only_quoted_is_gone_from_what_others_were_told as who_was_quoted,
)
from tests.privacy.test_traces import (
    test_after_a_redaction_and_a_rewrite_nothing_opens_to_the_words as after_a_redaction,
)
from tests.privacy.test_traces import (
    test_after_an_erasure_no_file_holds_what_they_wrote_nor_who_they_were as after_an_erasure,
)

HISTORIES = 60
SEEDS = 2
"""Each begins with other histories."""
HELD, BROKEN = "[green]held[/green]", "[bold red]BROKEN[/bold red]"

Check = Callable[[Path], Awaitable[object]]
CHECKS: tuple[tuple[str, Check], ...] = (
    ("after an erasure no file holds what they wrote, nor their name or id", after_an_erasure),
    ("after a redaction and a rewrite nothing opens to the words, under any key", after_a_redaction),
    ("one of 20 in a channel: verified, live = replay, others' rows as they were", lambda at: among_many(at, 20)),
    ("one of 200 in a channel, the same", lambda at: among_many(at, 200)),
    ("who was only quoted, by others, one of 200: gone from what those were told", lambda at: who_was_quoted(at, 200)),
)


def main() -> int:
    """Everything, one after the other; 1 when something is broken."""
    console = Console(width=150, soft_wrap=True)
    parts = (_matrix, _canaries, _deletion, _erasure, _injection)
    held = [part(console) for part in parts]
    console.print(f"\nprivacy: {sum(held)} of {len(held)} parts {HELD if all(held) else BROKEN}")
    return 0 if all(held) else 1


def _matrix(console: Console) -> bool:
    """Rows are what lies in a compartment, columns who is answered where; a cell that is not as written is red."""
    cells = asyncio.run(matrix.cells())
    marks = {surfaces: mark for mark, surfaces in matrix.LEGEND.items()}
    table = Table("", *(f"{each.person}\n{_short(each)}" for each in matrix.columns()), padding=(0, 1), box=None)
    for row in matrix.expected():
        own = [each for each in cells if each.row == row]
        shown = (each.mark if each.found == each.expected else _wrong(each, marks) for each in own)
        table.add_row(row, *shown)
    console.print("[bold]Who sees what[/bold]")
    console.print(table)
    legend = (f"{mark} {', '.join(sorted(what)) or 'nowhere'}" for mark, what in matrix.LEGEND.items())
    console.print("; ".join(legend))
    wrong = [each for each in cells if each.found != each.expected]
    for each in wrong:
        console.print(f"  {BROKEN} {each.row}, {each.column.name}: {sorted(each.found)}, not {sorted(each.expected)}")
    console.print(f"matrix: {len(cells) - len(wrong)} of {len(cells)} cells as written")
    return not wrong


def _short(column: matrix.Column) -> str:
    return "dm" if column.place.startswith("dm") and column.reads else "dm*" if not column.reads else column.place[:4]


def _wrong(cell: matrix.Cell, marks: dict[frozenset[str], str]) -> str:
    return f"[bold red]{escape(marks.get(cell.found, '!'))}[/bold red]"


def _canaries(console: Console) -> bool:
    console.print("\n[bold]Canaries[/bold]")
    for seed in range(SEEDS):
        try:
            told = canaries.tried(HISTORIES, seed=seed)
        except AssertionError as leak:
            console.print(f"canaries: {BROKEN} {escape(str(leak))}\n{escape(''.join(getattr(leak, '__notes__', [])))}")
            return False
        console.print(
            f"canaries: {HISTORIES} histories, {told.canaries} canaries, {told.rendered} renderings, "
            f"{told.holding.total()} of them with canaries ({_counts(told.holding)}); {_counts(told.did)}: no leak"
        )
    return True


def _counts(counted: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counted.items()))


def _deletion(console: Console) -> bool:
    """Where it is found after each step; what is promised to be gone and is there is red."""
    console.print("\n[bold]Deletion[/bold] (where it is found still)")
    stories: dict[Act, list[Step]] = {}
    for act in get_args(Act):
        with TemporaryDirectory() as folder:
            try:
                stories[act] = asyncio.run(deletion.told(Path(folder), act))
            except AssertionError as error:
                console.print(f"deletion: {act}: {BROKEN} {escape(str(error))[:500]}")
                return False
    table = Table("", *("its twin" if act == "nothing" else act for act in stories), box=None)
    for n, name in enumerate(("told", *AFTER)):
        table.add_row(name, *(_found(steps[n]) for steps in stories.values()))
    console.print(table)
    held = all(step.holds for steps in stories.values() for step in steps)
    console.print(f"deletion: {len(stories)} stories of {len(AFTER) + 1} steps {HELD if held else BROKEN}")
    return held


def _found(step: Step) -> str:
    if step.found >= deletion.ALL:
        return "everywhere" if step.holds else f"{BROKEN} everywhere"
    there = _surfaces(step.found - step.gone) or "nowhere"
    return f"{BROKEN} {', '.join(sorted(step.found & step.gone))}; {there}" if not step.holds else there


def _surfaces(found: frozenset[str]) -> str:
    """Without the place; what was exported before is one."""
    names = {"files exported before" if each in deletion.KEPT else each.partition(" in ")[0] for each in found}
    return ", ".join(sorted(names))


def _erasure(console: Console) -> bool:
    console.print("\n[bold]By bytes, and among many[/bold]")
    held = [_holds(console, words, check) for words, check in CHECKS]  # every one of them is tried
    return all(held)


def _holds(console: Console, words: str, check: Check) -> bool:
    with TemporaryDirectory() as folder:
        try:
            asyncio.run(_awaited(check, Path(folder)))
        except AssertionError as error:
            console.print(f"erasure: {words}: {BROKEN} {escape(str(error))[:500]}")
            return False
    console.print(f"erasure: {words}: {HELD}")
    return True


async def _awaited(check: Check, folder: Path) -> None:
    await check(folder)


def _injection(console: Console) -> bool:
    console.print("\n[bold]Injection[/bold]")
    with TemporaryDirectory() as folder:
        found = asyncio.run(rates(Path(folder)))
    console.print(f"{found} {HELD if found.is_good else BROKEN}")
    for each in (*found.missed, *found.mistaken) if not found.is_good else ():
        console.print(f"  {escape(each)}")
    return found.is_good


if __name__ == "__main__":
    sys.exit(main())
