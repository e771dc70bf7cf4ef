"""The questions of a file asked of a memory and of a shadow of it: whether what another model learned helps more to
find the evidence. Both hold the same words, so what differs comes of what was learned.

The memory is one that the file was brought in to (`dnam import`), and in which something was learned. It is only read.
Meaning is left out: it is by words that both are searched.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from dnam.languages import load
from dnam.memory import Memory
from projections.errors import BadRequest
from projections.ids import EventId
from projections.items import ITEMS
from projections.rows import Rows
from replay.engine import Engine
from replay.shadows.shadow import shadow_engine
from tests.evaluation.locomo.measures import HEADINGS, RECALL10, Asked, lines
from tests.evaluation.locomo.prompts import Held, held_in_prompts
from tests.evaluation.locomo.rankings import Ranking, Recall, rank
from tests.evaluation.locomo.remembering import Told, evaluation_settings, told_of, turn_ids
from tests.evaluation.locomo.report import in_prompts, prompts_json, ranking_json
from tests.evaluation.locomo.tables import table
from tests.evaluation.locomo.talks import Talk, read_talks


class Side(NamedTuple):
    """What one side found: how many items are active in it, how the evidence ranks, and what prompts hold of it."""

    items: int
    ranking: Ranking
    held: Sequence[Held]


class Beside(NamedTuple):
    """Both sides, by what they are called."""

    live: Side
    shadow: Side
    name: str

    @property
    def sides(self) -> tuple[tuple[str, Side], ...]:
        return ("live", self.live), (f"shadow {self.name}", self.shadow)


def evaluate_beside(path: Path, data: Path, name: str) -> Beside:
    """Ask both. BadRequest where the file, the memory or the shadow is not there, or does not fit."""
    talks, told = read_talks(path), told_of(path)
    with Engine.open(data, writable=False) as live, shadow_engine(data, name, beside=live) as shadow:
        return Beside(_side(live, talks, told), _side(shadow, talks, told), name)


def _side(engine: Engine, talks: Sequence[Talk], told: dict[str, Told]) -> Side:
    settings = evaluation_settings({})
    memory = Memory(engine, settings, load(settings.language))
    with engine.reading() as rows:
        turns = turn_ids(rows)
        _demand(turns, talks)
        ranking = rank(talks, Recall(rows, told, turns).ranker, _silent)
        return Side(_active(rows), ranking, held_in_prompts(rows, memory, talks, told, _silent))


def _demand(turns: dict[EventId, tuple[str, str]], talks: Sequence[Talk]) -> None:
    there = {talk for talk, _ in turns.values()}
    missing = [talk.key for talk in talks if talk.key not in there]
    if missing:
        raise BadRequest(
            f"the memory does not hold {', '.join(missing)}: `dnam import` the file first, and learn from it"
        )


def _active(rows: Rows) -> int:
    return sum(found.row.item.status == "active" for found in rows.scan(ITEMS))


def _silent(done: int) -> None:
    """Nobody watches."""


# -- for people and programs -------------------------------------------------------------------------------------------


def show(found: Beside, console: Console) -> None:
    """Print both columns."""
    for name, side in found.sides:
        console.print(f"{name}: {side.items:,} items, {len(side.ranking.asked):,} questions", highlight=False)
    console.print(_measured(found))
    console.print(_by_question(found))
    for name, side in found.sides:
        console.print(in_prompts(side.held, name))


def _measured(found: Beside) -> Table:
    """Every measure of all questions."""
    shown = table("recall of the evidence, all questions", "", *_columns(found))
    sides = [dict(lines(side.ranking.asked))["all"] for _, side in found.sides]
    for heading, live, shadow in zip(HEADINGS, *sides, strict=True):
        shown.add_row(heading, *_cells(live, shadow))
    return shown


def _by_question(found: Beside) -> Table:
    """recall@10 by category and by conversation."""
    shown = table("recall@10", "", *_columns(found))
    for name, live, shadow in _pairs(found.live.ranking.asked, found.shadow.ranking.asked):
        shown.add_row(name, *_cells(live, shadow))
    return shown


def _pairs(live: Sequence[Asked], shadow: Sequence[Asked]) -> Iterator[tuple[str, float, float]]:
    there = dict(lines(shadow))
    return ((name, scores[RECALL10], there[name][RECALL10]) for name, scores in lines(live))


def _columns(found: Beside) -> tuple[str, ...]:
    return *(name for name, _ in found.sides), "difference"


def _cells(live: float, shadow: float) -> tuple[str, ...]:
    return f"{100 * live:.1f}", f"{100 * shadow:.1f}", f"{100 * (shadow - live):+.1f}"


def as_json(found: Beside) -> dict[str, Any]:
    """The same with stable names; shares are from 0 to 1."""
    named = zip(("live", "shadow"), found.sides, strict=True)
    return {"name": found.name} | {name: _side_json(side) for name, (_, side) in named}


def _side_json(side: Side) -> dict[str, Any]:
    return {
        "items": side.items,
        "ranking": ranking_json(side.ranking),
        "prompts": prompts_json(side.held),
    }
