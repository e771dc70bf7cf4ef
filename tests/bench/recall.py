"""Recall: a person's memory, by words and by meaning, a guild's beside search engines, what it takes to keep the index
up, and how large it is.

Texts and queries are drawn alike, so that most queries have the commonest words in them.
"""

from collections.abc import Iterator
from statistics import median

from dnam.steadiness import steady
from projections.recall.reckoners import use_compiled
from replay.engine import Engine
from tests.bench.asking import ask, percentile, prompting, recalling
from tests.bench.bench import Bench
from tests.bench.library import Library, direct_messages
from tests.bench.measure import Goal, Row, Spread
from tests.bench.recall_guild import in_guilds
from tests.bench.recall_meaning import by_meaning
from tests.bench.recall_mem0 import beside_mem0
from tests.bench.talk import account
from tests.bench.zipf import Zipf

ITEMS = 200
QUERIES = 100
"""How many queries a round has."""
LEAST_MEANT = 10_000
"""From how many messages on they are looked for by meaning too: of fewer it takes next to nothing."""


def recall(bench: Bench) -> Iterator[Row]:
    """Every row: in compiled loops and a steady process, as a bot recalls."""
    use_compiled()
    with steady():
        yield from _person(bench, bench.sizes[0], p50=1, p95=3)
        yield from _person(bench, bench.sizes[1], p50=None, p95=5)
    yield from in_guilds(bench, bench.sizes[2])
    yield from beside_mem0(bench)


def _person(bench: Bench, messages: int, *, p50: float | None, p95: float) -> Iterator[Row]:
    """Items and what was said, for a message in their DMs; the goals are in ms."""
    bench.say(f"somebody with {ITEMS} items says {messages:,} things")
    dice = Zipf(messages)
    with Engine.open(bench.folder(f"recall-person-{messages}"), create=True) as engine:
        library = Library(engine, [direct_messages(account(0))])
        texts = [*dice.texts(messages)]
        library.say(texts)
        library.teach(texts, ITEMS)
        engine.commit_views()
        search = recalling(engine, library.asked())
        ask(search, dice.queries(QUERIES))
        rounds = [ask(search, dice.queries(QUERIES)) for _ in range(bench.rounds)]
        prompt = prompting(engine, library.asked())
        ask(prompt, dice.queries(QUERIES))
        prompts = [median(ask(prompt, dice.queries(QUERIES))) for _ in range(bench.rounds)]
        what = f"recall, {ITEMS} items and {messages:,} messages"
        asked = library.asked(), dice.queries(QUERIES)
        meant = [*by_meaning(bench, engine, *asked, what)] if messages >= LEAST_MEANT else []
    middle, late = [median(each) for each in rounds], [percentile(95, each) for each in rounds]
    yield Row(f"{what}: p50", "ms", Spread.of(middle), goal=None if p50 is None else Goal("≤", p50))
    yield Row(f"{what}: p95", "ms", Spread.of(late), goal=Goal("≤", p95))
    yield Row(f"{what}: a whole prompt, p50", "ms", Spread.of(prompts), note="window, items and passages; no model")
    yield from meant
