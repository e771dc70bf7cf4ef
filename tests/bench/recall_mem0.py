"""Beside `mem0`: texts that are put in one by one, each of them durable before the next, and searched.

Both have the same encoder, a hash that takes next to nothing, and keep a vector of each text. mem0 keeps it with the
text. dnam makes vectors behind what it hears, sealed and without a sync of their own, since they can be made again; its
clock stops when the last one is in force. A row of its own says what it takes to make each before the next is heard.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import cycle, islice

from tests.bench.bench import Bench
from tests.bench.measure import Goal, Row, Side, alternate, compared, rates, seconds
from tests.bench.remembered import GREETING, MEM0, Mem0, encoded, open_mem0
from tests.bench.searchers import BEST
from tests.bench.understood import Understood
from tests.bench.zipf import TERMS, Zipf

TEXTS = 1_000
QUERIES = 50
"""How many queries a round has."""
SLICES = 2
"""How often the sides take turns in a round."""
BEHIND, AT_ONCE, THEIRS = "behind", "at-once", "theirs"
NOTE = "the same encoder on both sides, a hash of words; mem0 asks no model (infer=False)"


def beside_mem0(bench: Bench) -> Iterator[Row]:
    """Adding, and searching in all that was added."""
    each = (TEXTS // 10 if bench.quick else TEXTS) // bench.rounds // SLICES
    texts = list(Zipf(3).texts(each * bench.rounds * SLICES))
    bench.say(f"putting {len(texts):,} texts into two memories and into mem0")
    for text in (GREETING, *texts):
        encoded(text)  # the numbers of its words are made once: not by whoever comes first
    with ExitStack() as stack:
        folders = {name: bench.folder(f"recall-memory-{name}") for name in (BEHIND, AT_ONCE)}
        ours = {name: stack.enter_context(closing(Understood(folder))) for name, folder in folders.items()}
        peer = open_mem0(bench.folder("recall-mem0"))
        if peer is not None:
            stack.callback(peer.close)
            peer.add(GREETING)
        yield from _added(bench, ours, peer, texts, each)
        yield _searched(bench, ours[BEHIND], peer, texts)


def _added(
    bench: Bench, ours: Mapping[str, Understood], peer: Mem0 | None, texts: Sequence[str], each: int
) -> Iterator[Row]:
    behind, at_once, same = iter(texts), iter(texts), iter(texts)
    sides: dict[str, Side] = {
        BEHIND: lambda: seconds(lambda: ours[BEHIND].add(islice(behind, each))),
        AT_ONCE: lambda: seconds(lambda: ours[AT_ONCE].add(islice(at_once, each), at_once=True)),
    }
    if peer is not None:
        sides[THEIRS] = lambda: seconds(lambda: _add(peer, islice(same, each)))
    took = alternate(sides, bench.rounds, SLICES)
    for memory in ours.values():
        if lacking := memory.lacking():
            raise RuntimeError(f"texts without a vector: {len(lacking)}")
    made = {side: rates(each * SLICES, seconds) for side, seconds in took.items()}
    theirs = made.get(THEIRS)
    behind_it = f"{NOTE}; dnam's vectors are made behind the texts, until all are in force"
    yield compared("a memory: add", "/s", made[BEHIND], MEM0, theirs, Goal("≥", 1), behind_it)
    # Nobody waits for a vector so: it says what one costs alone, and is no goal.
    yield compared("a memory, each vector before the next text: add", "/s", made[AT_ONCE], MEM0, theirs, None, NOTE)


def _searched(bench: Bench, ours: Understood, peer: Mem0 | None, texts: Sequence[str]) -> Row:
    """Asked for by the first words of what was added."""
    each = QUERIES // SLICES
    asked = islice(cycle(texts), QUERIES + each * SLICES * bench.rounds)
    queries = [" ".join(text.split()[:TERMS]) for text in asked]
    here, there = iter(queries[QUERIES:]), iter(queries[QUERIES:])
    ours.search(queries[:QUERIES], BEST)
    sides: dict[str, Side] = {"ours": lambda: seconds(lambda: ours.search(islice(here, each), BEST))}
    if peer is not None:
        _search(peer, queries[:QUERIES])
        sides[THEIRS] = lambda: seconds(lambda: _search(peer, islice(there, each)))
    took = alternate(sides, bench.rounds, SLICES)
    made = {side: rates(each * SLICES, seconds) for side, seconds in took.items()}
    return compared("a memory: search", "/s", made["ours"], MEM0, made.get(THEIRS), Goal("≥", 1), NOTE)


def _add(peer: Mem0, texts: Iterable[str]) -> None:
    for text in texts:
        peer.add(text)


def _search(peer: Mem0, queries: Iterable[str]) -> None:
    """RuntimeError where nothing is found."""
    for query in queries:
        if not peer.search(query, BEST):
            raise RuntimeError(f"mem0 found nothing for {query!r}")
