"""Each conversation left out in turn: its questions are ranked under weights that were tuned on the others alone.

The weights that are shipped were found on the conversations that they are measured on. What tuned weights are worth on
a conversation that they have not seen is measured here, in three ways: by a search (`tuning`) from two beginnings, and
by likelihood (`fitting`).

    anew     from plain weights: 1 for the words of every text, and 0 for all else. Known beforehand is which fields
             there are, how large points may be, and that a question tells less than a statement.
    onward   from the weights that are shipped, which have seen every conversation: what still more tuning leads to.
    fitted   from nothing: known beforehand is which fields there are.

A search stops where chance has it. Six times every tenth question or so was kept from it (under recall@4, without
facts): of what is left out `anew` then found 83.2 to 84.2 %, of multi-hop questions 48.1 to 51.0 %; `fitted` 84.5 to
84.7 %, and 51.1 to 51.5 %. How much less weights are worth elsewhere is told by `fitted`; what a search loses besides
is its own.

The fields themselves, and which turns are looked at, were thought of with all of these conversations at hand; leaving
one out does not change that.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from projections.recall.fields import OF_WORDS
from tests.evaluation.locomo.fitting import fit
from tests.evaluation.locomo.measures import HEADINGS, MRR, RECALL10, Asked, Scores, by_category, by_talk, mean, spread
from tests.evaluation.locomo.pools import SHIPPED, Pool, Weights, asked_of
from tests.evaluation.locomo.tables import per_cent, table
from tests.evaluation.locomo.tuning import Search, tune

OF_TEXT = (*OF_WORDS, "fact", "near fact")
"""The fields that count the words of a text; all others give points."""
STEPS = (0, 1 / 2, 3 / 4, 1, 4 / 3, 2)
POINTS = (0, 1, 2, 4, 8, 16)


def _plain() -> Search:
    start = {field: float(field in OF_TEXT) for field in SHIPPED}
    grid = {field: STEPS if field in OF_TEXT else _points(field) for field in SHIPPED}
    return Search(start, grid)


def _points(field: str) -> tuple[float, ...]:
    """What a field may give, with its sign."""
    return tuple(points if SHIPPED[field] > 0 else -points for points in POINTS)


SEARCHES: Mapping[str, Search] = {
    "anew": _plain(),
    "onward": Search(SHIPPED, {field: tuple(step * weight for step in STEPS) for field, weight in SHIPPED.items()}),
}
Finder = Callable[[Sequence[Pool]], Weights]
"""Finds weights for some questions."""
FINDERS: Mapping[str, Finder] = {
    **{name: partial(tune, search=search) for name, search in SEARCHES.items()},
    "fitted": fit,
}
TABLES = (("shipped", *SEARCHES), ("shipped", "fitted"))
"""What stands beside what, in tables as wide as a screen."""
OF = {"all": "all", "multi-hop": "multi-\nhop", "open-domain": "open-\ndomain"}
"""What the table of conversations tells, as its columns are headed: the whole, and the categories that have a goal."""


class Tuned(NamedTuple):
    """All questions, each under the weights that were tuned without its conversation; and these, by conversation."""

    asked: list[Asked]
    weights: dict[str, Weights]


class HeldOut(NamedTuple):
    """All questions under the weights that are shipped, and as each of FINDERS would have them; and under those that
    are shipped, but for one field, by the field.
    """

    shipped: list[Asked]
    tuned: dict[str, Tuned]
    dropped: dict[str, Scores]

    @property
    def ways(self) -> dict[str, list[Asked]]:
        """The questions by what chose the weights."""
        return {"shipped": self.shipped} | {name: tuned.asked for name, tuned in self.tuned.items()}


def talks_of(pools: Sequence[Pool]) -> list[str]:
    """The conversations in which something is asked; there must be two, or nothing is left to tune on."""
    return list(dict.fromkeys(pool.talk for pool in pools))


def held_out(pools: Sequence[Pool], progress: Callable[[], None] = lambda: None) -> HeldOut:
    """Leave out every conversation in turn."""
    shipped = [asked_of(pool, SHIPPED) for pool in pools]
    tuned = {name: left_out_in_turn(pools, find, progress) for name, find in FINDERS.items()}
    return HeldOut(shipped, tuned, dict(_dropped(pools)))


def left_out_in_turn(pools: Sequence[Pool], find: Finder, progress: Callable[[], None] = lambda: None) -> Tuned:
    """Find weights for all conversations but one, ask that one, and so with each."""
    found = Tuned([], {})
    for talk in talks_of(pools):
        weights = find([pool for pool in pools if pool.talk != talk])
        found.asked.extend(asked_of(pool, weights) for pool in pools if pool.talk == talk)
        found.weights[talk] = weights
        progress()
    return found


def _dropped(pools: Sequence[Pool]) -> Iterator[tuple[str, Scores]]:
    """What is left without each field that gives any points."""
    for number, field in enumerate(SHIPPED):
        if any(pool.points[:, number].any() for pool in pools):
            yield field, mean(asked_of(pool, {**SHIPPED, field: 0}) for pool in pools)


# -- for people --------------------------------------------------------------------------------------------------------


def show(found: HeldOut, setting: str, console: Console) -> None:
    """Print it."""
    for ways in TABLES:
        console.print(_conversations(found, setting, ways))
    console.print(_fields(found, setting))


def _conversations(found: HeldOut, setting: str, ways: Sequence[str]) -> Table:
    """recall@10 of each conversation, of all questions, and its spread, by what chose the weights."""
    headings = [f"{heading}:\n{way}" for heading in OF.values() for way in ways]
    title = f"{setting}: recall@10, with weights as shipped, and as {_chosen(ways)} on the other conversations"
    shown = table(title, "", "questions", *headings)
    cells = partial(_cells, [found.ways[way] for way in ways])
    for talk, of in by_talk(found.shipped):
        shown.add_row(talk, str(len(of)), *cells(partial(_of_talk, talk)))
    shown.add_section()
    shown.add_row("all", str(len(found.shipped)), *cells(lambda asked: mean(asked)[RECALL10]))
    shown.add_row("least", "", *cells(lambda asked: spread(asked)[RECALL10].low))
    shown.add_row("most", "", *cells(lambda asked: spread(asked)[RECALL10].high))
    return shown


def _of_talk(talk: str, asked: Sequence[Asked]) -> float | None:
    of = [each for each in asked if each.talk == talk]
    return mean(of)[RECALL10] if of else None


def _chosen(ways: Sequence[str]) -> str:
    return "fitted" if "fitted" in ways else "tuned"


def _cells(ways: Sequence[Sequence[Asked]], measure: Callable[[Sequence[Asked]], float | None]) -> Iterator[str]:
    """A measure of all questions and of those categories, by what chose the weights."""
    named = [dict(by_category(asked)) for asked in ways]
    for of in OF:
        for asked in named:
            value = measure(asked[of]) if of in asked else None
            yield "" if value is None else per_cent(value)


def _fields(found: HeldOut, setting: str) -> Table:
    """What each field weighs, what it would weigh, and what is lost without it."""
    headings = ("weight:\nshipped", *found.tuned, "without it:\nrecall@10", "\nMRR")
    shown = table(f"{setting}: every field, tuned, and dropped", "", *headings)
    for field, (recall10, mrr) in _changes(found).items():
        tuned = [_range([weights[field] for weights in each.weights.values()]) for each in found.tuned.values()]
        shown.add_row(field, _weight(SHIPPED[field]), *tuned, f"{100 * recall10:+.2f}", f"{100 * mrr:+.2f}")
    return shown


def _changes(found: HeldOut) -> dict[str, tuple[float, float]]:
    """By how much recall@10 and MRR change when a field of those that are shipped is dropped."""
    whole = mean(found.shipped)
    return {
        field: (without[RECALL10] - whole[RECALL10], without[MRR] - whole[MRR])
        for field, without in found.dropped.items()
    }


def _range(weights: Sequence[float]) -> str:
    least, most = sorted((min(weights), max(weights)), key=abs)
    return _weight(least) if least == most else f"{_weight(least)} … {_weight(most)}"


def _weight(weight: float) -> str:
    return f"{weight + 0.0:.2f}".removesuffix("0").removesuffix(".0")


# -- for programs ------------------------------------------------------------------------------------------------------


def as_json(found: HeldOut) -> dict[str, Any]:
    """The same with stable names; shares are from 0 to 1."""
    return {
        "ways": {way: _way_json(asked) for way, asked in found.ways.items()},
        "weights": {"shipped": dict(SHIPPED)} | {name: tuned.weights for name, tuned in found.tuned.items()},
        "dropped": {field: {"recall@10": recall10, "MRR": mrr} for field, (recall10, mrr) in _changes(found).items()},
    }


def _way_json(asked: Sequence[Asked]) -> dict[str, Any]:
    """By conversation and category, and of all."""
    return {talk: _categories_json(of) for talk, of in (*by_talk(asked), ("all", list(asked)))}


def _categories_json(asked: Sequence[Asked]) -> dict[str, Any]:
    return {
        name: {"questions": len(of), **dict(zip(HEADINGS, mean(of), strict=True))} for name, of in by_category(asked)
    }
