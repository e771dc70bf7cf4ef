"""One durable append with all its rows: decided, sealed, folded and committed through the engine.

Bare LMDB and bare SQLite are given the very bytes that ours left in the log. The third peer, `eventsourcing` with
SQLite, keeps its aggregates in memory and only saves: it neither looks anything up nor seals.
"""

from collections import deque
from collections.abc import Iterator
from itertools import cycle
from statistics import mean

from dnam.courier import recording
from projections.decisions.draft import Decision
from projections.decisions.hear import HeardRequest, hear
from replay.engine import Engine
from tests.bench.bench import Bench
from tests.bench.measure import Goal, Row, Side, alternate, compared, rates, seconds
from tests.bench.peers import LMDB, SOURCED, SPEAKER, SQLITE, BareLmdb, BareSqlite, Sourced, open_sourced
from tests.bench.producers import Produced, produce, produce_in_tasks
from tests.bench.talk import Talk, texts

WARMING = 1_000
"""How many messages come before the first that is measured."""
SLICE = 20
SLICES = 10
PRODUCERS = 64
EACH = 32


def hearing(request: HeardRequest) -> Decision:
    """The decision to hear a message."""
    return lambda rows: hear(rows, request)


class Ours:
    """Messages into an engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._talk = Talk()
        for _ in range(WARMING):  # everybody and every channel has been met, views were committed
            engine.submit(hearing(self._talk.next()))

    def slice(self, messages: int = SLICE) -> float:
        """A few messages, one at a time."""
        requests = [self._talk.next() for _ in range(messages)]
        return seconds(lambda: [self.engine.record(hearing(request)) for request in requests])

    def last(self) -> list[bytes]:
        """What the last slice left in the log: header and body of each event."""
        size = self.engine.head().size
        return [each.header + (each.body or b"") for each in self.engine.store.log.read(size - SLICE, size)]

    def produce(self) -> Produced:
        """Many producers, as tasks: the way the library hands decisions to the engine."""
        requests = iter([self._talk.next() for _ in range(PRODUCERS * EACH)])
        return produce_in_tasks(PRODUCERS, EACH, lambda: recording(self.engine, hearing(next(requests))))


class Theirs:
    """Messages into an `eventsourcing` application, one aggregate a producer."""

    def __init__(self, peer: Sourced) -> None:
        self._peer = peer
        self._channels = [peer.channel(number) for number in range(PRODUCERS)]
        self._texts = cycle(texts())

    def append(self, which: int) -> None:
        """One event, durable."""
        self._peer.say(self._channels[which], SPEAKER, next(self._texts))

    def slice(self) -> float:
        """A few, one at a time."""
        return seconds(lambda: deque(map(self.append, range(SLICE)), 0))

    def produce(self) -> Produced:
        """Many producers, as threads."""
        return produce(PRODUCERS, EACH, self.append)


def append(bench: Bench) -> Iterator[Row]:
    """One at a time, many at once, and both beside the peers."""
    with Engine.open(bench.folder("append"), create=True) as engine:
        ours = Ours(engine)
        bare = BareLmdb(bench.folder("bare")), BareSqlite(bench.folder("bare.sqlite"))
        ours.slice()
        size = round(mean(map(len, ours.last())))
        peer = open_sourced(bench.folder("append.sqlite"), size)
        theirs = None if peer is None else Theirs(peer)
        yield from _one_at_a_time(bench, ours, bare, theirs, size)
        yield from _many_at_once(bench, ours, theirs)
        for each in bare:
            each.close()
        if peer is not None:
            peer.close()


def _one_at_a_time(
    bench: Bench, ours: Ours, bare: tuple[BareLmdb, BareSqlite], theirs: Theirs | None, size: int
) -> Iterator[Row]:
    bench.say("appending, one at a time")
    lmdb, sqlite = bare
    sides: dict[str, Side] = {
        "ours": ours.slice,
        "lmdb": lambda: seconds(lambda: [*map(lmdb.put, ours.last())]),
        "sqlite": lambda: seconds(lambda: [*map(sqlite.put, ours.last())]),
    }
    if theirs is not None:
        sides["sourced"] = theirs.slice
    took = alternate(sides, bench.rounds, SLICES)
    rate = {name: rates(SLICE * SLICES, each) for name, each in took.items()}
    note = f"{size} bytes each, header and body"
    yield compared("append, one at a time", "/s", rate["ours"], LMDB, rate["lmdb"], Goal("≥", 0.6), note)
    yield compared("append, one at a time", "/s", rate["ours"], SQLITE, rate["sqlite"])
    yield compared("append, one at a time", "/s", rate["ours"], SOURCED, rate.get("sourced"))


def _many_at_once(bench: Bench, ours: Ours, theirs: Theirs | None) -> Iterator[Row]:
    bench.say(f"appending, {PRODUCERS} producers at once")
    singly, all_of_ours, all_of_theirs = [], [], []
    for _ in range(bench.rounds):
        singly.append(sum(ours.slice() for _ in range(SLICES)))
        all_of_ours.append(ours.produce())
        if theirs is not None:
            all_of_theirs.append(theirs.produce())
    rate = rates(PRODUCERS * EACH, [each.took for each in all_of_ours])
    yield compared(
        f"append, {PRODUCERS} at once", "/s", rate, "one at a time", rates(SLICE * SLICES, singly), Goal("≥", 8)
    )
    their_rate = rates(PRODUCERS * EACH, [each.took for each in all_of_theirs]) if theirs else None
    yield compared(f"append, {PRODUCERS} at once", "/s", rate, SOURCED, their_rate)
    yield _tail(f"p99 of {PRODUCERS} at once", all_of_ours, Goal("<", 10))
    if theirs is not None:
        yield _tail(f"p99 of {PRODUCERS} at once, {SOURCED}", all_of_theirs, None)


def _tail(what: str, runs: list[Produced], goal: Goal | None) -> Row:
    slow, usual = [1000 * run.p99 for run in runs], [1000 * run.median for run in runs]
    return compared(what, "ms", slow, "the median append", usual, goal)
