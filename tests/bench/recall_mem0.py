"""Beside `mem0`: texts that are put in one by one, each of them durable before the next, and searched."""

from collections.abc import Iterator, Sequence
from itertools import cycle, islice

from replay.engine import Engine
from tests.bench.asking import Search, ask, searching
from tests.bench.bench import Bench
from tests.bench.library import Library, direct_messages
from tests.bench.measure import Goal, Row, Side, alternate, compared, rates, seconds
from tests.bench.remembered import MEM0, Mem0, open_mem0
from tests.bench.searchers import BEST
from tests.bench.talk import account
from tests.bench.zipf import TERMS, Zipf

TEXTS = 1_000
QUERIES = 50
"""How many queries a round has."""


def beside_mem0(bench: Bench) -> Iterator[Row]:
    """Adding, and searching in all that was added."""
    count = TEXTS // 10 if bench.quick else TEXTS
    bench.say(f"putting {count:,} texts into a memory and into mem0")
    peer = open_mem0(bench.folder("recall-mem0"))
    with Engine.open(bench.folder("recall-memory"), create=True) as engine:
        library = Library(engine, [direct_messages(account(0))])
        texts = list(Zipf(3).texts(count // bench.rounds * bench.rounds))
        yield _added(bench, library, peer, texts)
        yield _searched(bench, searching(engine, library.asked()), peer, texts)
    if peer is not None:
        peer.close()


def _added(bench: Bench, library: Library, peer: Mem0 | None, texts: Sequence[str]) -> Row:
    each = len(texts) // bench.rounds
    ours, same = iter(texts), iter(texts)

    def hear() -> None:
        for text in islice(ours, each):
            library.hear(text)

    def add(to: Mem0) -> None:
        for text in islice(same, each):
            to.add(text)

    sides: dict[str, Side] = {"ours": lambda: seconds(hear)}
    if peer is not None:
        sides["theirs"] = lambda: seconds(lambda: add(peer))
    took = alternate(sides, bench.rounds)
    note = "mem0 asks no model (infer=False), and its encoder costs nothing"
    theirs = rates(each, took["theirs"]) if "theirs" in took else None
    return compared("a memory: add", "/s", rates(each, took["ours"]), MEM0, theirs, Goal("≥", 1), note)


def _searched(bench: Bench, search: Search, peer: Mem0 | None, texts: Sequence[str]) -> Row:
    """Asked for by the first words of what was added."""
    count = (bench.rounds + 1) * QUERIES
    queries = [" ".join(text.split()[:TERMS]) for text in islice(cycle(texts), count)]
    rounds = [queries[at : at + QUERIES] for at in range(0, count, QUERIES)]
    sides: dict[str, Search] = {"ours": search}
    if peer is not None:
        sides["theirs"] = lambda query: peer.search(query, BEST)
    for side in sides.values():
        ask(side, rounds[0][:5])
    took = {name: [sum(ask(side, queries)) / 1000 for queries in rounds[1:]] for name, side in sides.items()}
    theirs = rates(QUERIES, took["theirs"]) if "theirs" in took else None
    return compared("a memory: search", "/s", rates(QUERIES, took["ours"]), MEM0, theirs, Goal("≥", 1))
