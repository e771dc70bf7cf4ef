"""What was known of a person then: all their items at a moment of the past, from a log in which they are a small part.

Beside it the peer does what it has for this: `repository.get(version=)` replays an aggregate of as many events.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from statistics import quantiles
from uuid import UUID

from projections.decisions.draft import Draft
from projections.events import ItemUpserted
from projections.events.values import OPERATOR, Item, Source
from projections.ids import Handle, seeded_id
from projections.items import items_of
from projections.policies.compartments import direct
from projections.rows import Rows
from replay.engine import Engine
from replay.travel import Moment
from tests.bench.bench import Bench
from tests.bench.measure import Goal, Row, Spread, compared, seconds
from tests.bench.peers import SOURCED, Sourced, open_sourced
from tests.bench.talk import FIRST_SAID, texts

FEW, MANY = 1_000, 100_000
"""How many item events a person has."""
LOOKS = 40
AT_ONCE = 1_000
"""How many events a decision makes."""


def looking_back(bench: Bench) -> Iterator[Row]:
    """`show --at` inside the process. The two logs get the person's events behind their own."""
    small, large = bench.log_of(bench.sizes[1]), bench.log_of(bench.sizes[2])
    peer = open_sourced(bench.folder("past.sqlite"), 500)
    channel = None if peer is None else peer.fill(1, FEW)[0]
    of_few: list[list[float]] = []
    for folder in (small, large):
        bench.say(f"teaching a person {FEW:,} things in a log")
        with Engine.open(folder) as engine:
            person, first = _teach(engine, "few", FEW, 100)
            of_few.append([_p95(engine, person, first) for _ in range(bench.rounds)])
    yield Row(f"show --at, {FEW:,} item events, large log: p95", "ms", Spread.of(of_few[1]), goal=Goal("≤", 10))
    what = f"show --at, {FEW:,} item events, large log: p95"
    yield compared(what, "ms", of_few[1], "in a log a tenth as large", of_few[0], Goal("≤", 1.5), "no slower")
    yield _beside(bench, small, peer, channel)
    many = MANY // 10 if bench.quick else MANY
    bench.say(f"teaching a person {many:,} things")
    with Engine.open(small) as engine:
        person, first = _teach(engine, "many", many, 200)
        took = [_p95(engine, person, first, many) for _ in range(bench.rounds)]
    yield Row(f"show --at, {many:,} item events: p95", "ms", Spread.of(took), goal=Goal("≤", 100))


def _beside(bench: Bench, folder: Path, peer: Sourced | None, channel: UUID | None) -> Row:
    """The middle of the looks, ours and the peer's, at as many moments."""
    what = f"show --at, {FEW:,} item events"
    with Engine.open(folder) as engine:
        person = _person("few")
        first = engine.head().size - FEW + 1
        ours = [_each(partial(_look, engine, person, first, Random(n))) for n in range(bench.rounds)]
    if peer is None or channel is None:
        return compared(what, "/s", ours, SOURCED, None)
    theirs = [_each(partial(_replayed, peer, channel, Random(n))) for n in range(bench.rounds)]
    peer.close()
    return compared(what, "/s", ours, f"{SOURCED}, repository.get(version=)", theirs, Goal("≥", 5))


def _each(look: "partial[None]") -> float:
    """Looks a second."""
    return LOOKS / sum(seconds(look) for _ in range(LOOKS))


def _replayed(peer: Sourced, channel: UUID, chance: Random) -> None:
    peer.app.repository.get(channel, version=chance.randint(1, FEW))


def _look(engine: Engine, person: Handle, first: int, chance: Random, events: int = FEW) -> None:
    moment = Moment(seq=chance.randint(first, first + events - 1))
    with engine.past(moment) as rows:
        if not list(items_of(rows, person)):
            raise RuntimeError("nothing was known then")


def _p95(engine: Engine, person: Handle, first: int, events: int = FEW) -> float:
    """What one look in twenty takes or more, in ms."""
    chance = Random(first)
    took = [seconds(partial(_look, engine, person, first, chance, events)) for _ in range(LOOKS)]
    return 1000 * quantiles(took, n=20)[18]


def _person(name: str) -> Handle:
    return Handle(name.encode().ljust(16, b"."))


def _teach(engine: Engine, name: str, events: int, items: int) -> tuple[Handle, int]:
    """So many events about so many items of somebody; who that is, and the first of the events."""
    person, before, sentences = _person(name), engine.head().size, texts()

    def upserted(number: int) -> Draft:
        said = FIRST_SAID + number
        item = Item(
            id=f"durable-{number % items:08x}", owner=person, compartment=direct(person), kind="fact",
            text=f"{sentences[number % len(sentences)]} ({number})", created=said, updated=said,
            source=Source("manual"),
        )  # fmt: skip
        return Draft(seeded_id(name.encode().ljust(32), number, said), ItemUpserted(said=said, by=OPERATOR, item=item))

    def decision(start: int, _: Rows) -> list[Draft]:
        return [upserted(number) for number in range(start, min(start + AT_ONCE, events))]

    for start in range(0, events, AT_ONCE):
        engine.record(partial(decision, start))
    return person, before + 1
