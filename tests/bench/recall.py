"""Recall: a person's memory, by words and by meaning, a guild's beside search engines, what it takes to keep the index
up, and how large it is. Bots recall in compiled loops where numba is installed (the extra `compiled`), and so do all
rows but those that say "without numba": these are what an install without extras does.

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
from tests.bench.recall_guild import in_guilds, in_plain_guild
from tests.bench.recall_meaning import by_meaning
from tests.bench.recall_mem0 import beside_mem0
from tests.bench.talk import account
from tests.bench.zipf import Zipf

ITEMS = 200
QUERIES = 100
"""How many queries a round has."""
PLAIN, COMPILED = "without numba, as installed without extras", "in compiled loops: numba, the extra `compiled`"
PLAIN_DOCUMENTS = 100_000
"""How many documents a guild has at the most in which it is asked without numba."""
LEAST_MEANT = 10_000
"""From how many messages on they are looked for by meaning too: of fewer it takes next to nothing."""


def recall(bench: Bench) -> Iterator[Row]:
    """Every row: a person's in a steady process, as a bot recalls; first without compiled loops, then in them, where
    they can be had.
    """
    with steady():
        yield from _plain_person(bench, bench.sizes[0])
        yield from in_plain_guild(bench, min(bench.sizes[2], PLAIN_DOCUMENTS), PLAIN)
    note = COMPILED if use_compiled() else PLAIN
    with steady():
        yield from _person(bench, bench.sizes[0], note, p50=1, p95=3)
        yield from _person(bench, bench.sizes[1], note, p50=None, p95=5)
    yield from in_guilds(bench, bench.sizes[2], note)
    yield from beside_mem0(bench)


def _filled(engine: Engine, dice: Zipf, messages: int) -> Library:
    """Somebody who said so many things, and of whom ITEMS are known."""
    library = Library(engine, [direct_messages(account(0))])
    texts = [*dice.texts(messages)]
    library.say(texts)
    library.teach(texts, ITEMS)
    engine.commit_views()
    return library


def _plain_person(bench: Bench, messages: int) -> Iterator[Row]:
    """The same without compiled loops: no goal is set for it."""
    bench.say(f"somebody with {ITEMS} items says {messages:,} things, without numba")
    dice = Zipf(messages)
    with Engine.open(bench.folder(f"recall-plain-{messages}"), create=True) as engine:
        search = recalling(engine, _filled(engine, dice, messages).asked())
        ask(search, dice.queries(QUERIES))
        middle = [median(ask(search, dice.queries(QUERIES))) for _ in range(bench.rounds)]
    yield Row(
        f"recall, {ITEMS} items and {messages:,} messages, without numba: p50", "ms", Spread.of(middle), note=PLAIN
    )


def _person(bench: Bench, messages: int, note: str, *, p50: float | None, p95: float) -> Iterator[Row]:
    """Items and what was said, for a message in their DMs; the goals are in ms."""
    bench.say(f"somebody with {ITEMS} items says {messages:,} things")
    dice = Zipf(messages)
    with Engine.open(bench.folder(f"recall-person-{messages}"), create=True) as engine:
        library = _filled(engine, dice, messages)
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
    yield Row(f"{what}: p50", "ms", Spread.of(middle), goal=None if p50 is None else Goal("≤", p50), note=note)
    yield Row(f"{what}: p95", "ms", Spread.of(late), goal=Goal("≤", p95), note=note)
    yield Row(
        f"{what}: a whole prompt, p50", "ms", Spread.of(prompts), note=f"window, items and passages; no model; {note}"
    )
    yield from meant
