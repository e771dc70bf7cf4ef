"""Asking one after the other: queries, how long each takes, and what that is in the middle and at the worst."""

from collections.abc import Callable, Sequence
from statistics import quantiles

from dnam.languages import load
from dnam.memory import Memory
from dnam.settings import read
from projections.context import Request, assemble
from projections.ids import EventId, Point
from projections.recall.search import Wanted, items, said
from replay.engine import Engine
from tests.bench.measure import seconds
from tests.bench.searchers import BEST

Search = Callable[[str], int]
"""Asks; how much was found."""


def searching(engine: Engine, wanted: Wanted) -> Search:
    """What was said."""

    def search(query: str) -> int:
        with engine.reading() as rows:
            return len(said(rows, wanted._replace(text=query), BEST))

    return search


def prompting(engine: Engine, wanted: Wanted) -> Search:
    """A whole prompt: the window, items, and passages with what stands around them; how many lines it has."""
    memory = Memory(engine, read({}, {}), load("en"))
    point = Point(wanted.said, EventId(b"\xff" * 16))
    request = Request(wanted.setting, wanted.session, point, "dnam", memory.vocabulary, limits=memory.limits())

    def prompt(query: str) -> int:
        with engine.reading() as rows:
            return sum(len(block.lines) for block in assemble(rows, request._replace(text=query)).blocks)

    return prompt


def recalling(engine: Engine, wanted: Wanted) -> Search:
    """What is looked for by hand: items, and what was said; a prompt looks for more of that, and reads around it."""

    def recall(query: str) -> int:
        looked_for = wanted._replace(text=query)
        with engine.reading() as rows:
            return len(items(rows, looked_for, BEST)) + len(said(rows, looked_for, BEST))

    return recall


def ask(search: Search, queries: Sequence[str]) -> list[float]:
    """The ms of each query."""
    return [ask_one(search, query) for query in queries]


def ask_one(search: Search, query: str) -> float:
    """The ms of a query. RuntimeError where it finds nothing: every query has words that were said."""
    found: list[int] = []
    took = seconds(lambda: found.append(search(query)))
    if not found[0]:
        raise RuntimeError(f"nothing was found for {query!r}")
    return 1000 * took


def percentile(per_cent: int, values: Sequence[float]) -> float:
    """What so many of a hundred values stay under."""
    return quantiles(values, n=100, method="inclusive")[per_cent - 1]
