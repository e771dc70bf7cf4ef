"""A memory and a shadow of it, judged as far as that can be without questions: what differs, duplicates, items without
evidence, contradictions and tokens. Which of both finds more is told by the questions of a file (`locomo/beside.py`).
"""

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from dnam.access import Access
from dnam.languages import load
from dnam.settings import Settings
from dnam.shadows.behind import behind
from dnam.shadows.difference import difference_from
from dnam.shadows.manifest import load as load_manifest
from dnam.shadows.report import MEASURED, Report, Wanted
from dnam.shadows.words import LABELS
from replay.engine import Engine

NO_QUESTIONS = "recall on questions was not asked: it needs LOCOMO=path, of a file that the memory was made from"


def judge_shadow(settings: Settings, data: Path, name: str) -> Report:
    """Hold both against each other. BadRequest and LogError where the memory or the shadow is not there."""
    with Engine.open(data, writable=False) as live:
        late = behind(live, load_manifest(data, name))
        with live.reading() as now:
            memory = Access(live, settings, load(settings.language))
            return difference_from(memory, now, data, name, Wanted(), _silent).report._replace(behind=late)


def _silent(done: int, total: int) -> None:
    """Nobody watches."""


def show(found: Report, console: Console) -> None:
    """Print what differs, and both columns of what was judged."""
    for note in found.notes:
        console.print(note, highlight=False)
    console.print(_differing(found))
    console.print(_judged(found))


def _differing(found: Report) -> Table:
    shown = Table("what differs", *LABELS.values())
    for what, counted in (("items", found.items), ("summaries", found.summaries)):
        shown.add_row(what, *map(str, counted))
    return shown


def _judged(found: Report) -> Table:
    shown = Table("judged", "live", f"shadow {found.shadow.name}", "what is counted")
    for (what, meaning), live, shadow in zip(MEASURED.values(), found.old, found.new, strict=True):
        shown.add_row(what, f"{live:,}", f"{shadow:,}", meaning)
    return shown


def as_json(found: Report) -> dict[str, Any]:
    """The same with stable names. `recall` is null: nothing was asked."""
    return {
        "name": found.shadow.name,
        "items": found.items._asdict(),
        "summaries": found.summaries._asdict(),
        "live": found.old._asdict(),
        "shadow": found.new._asdict(),
        "recall": None,
    }
