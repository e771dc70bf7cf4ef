"""One durable append with all its rows: decided, sealed, folded and committed through the engine.

Bare LMDB is given the very bytes that ours left in the log. The other peer, `eventsourcing` with SQLite, keeps its
aggregates in memory and only saves: it neither looks anything up nor seals.
"""

from collections.abc import Iterator
from itertools import count
from statistics import mean

from projections.decisions.draft import Decision
from projections.decisions.hear import HeardRequest, hear
from replay.engine import Engine
from tests.bench.bench import Bench
from tests.bench.measure import Goal, Peer, Row, Spread, alternate, rates, ratios, seconds
from tests.bench.peers import BareLmdb, Peers
from tests.bench.producers import Produced, produce
from tests.bench.talk import Talk, texts

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
        for _ in range(1_000):  # everybody and every channel has been met, views were committed
            engine.submit(hearing(self._talk.next()))

    def slice(self) -> float:
        """A few messages, one at a time."""
        requests = [self._talk.next() for _ in range(SLICE)]
        return seconds(lambda: [self.engine.record(hearing(request)) for request in requests])

    def last(self) -> list[bytes]:
        """What the last slice left in the log: header and body of each event."""
        size = self.engine.head().size
        return [each.header + (each.body or b"") for each in self.engine.store.log.read(size - SLICE, size)]

    def produce(self) -> Produced:
        """Many producers."""
        requests = iter([self._talk.next() for _ in range(PRODUCERS * EACH)])
        return produce(PRODUCERS, EACH, lambda _: self.engine.record(hearing(next(requests))))


def append(bench: Bench) -> Iterator[Row]:
    """One at a time, many at once, and both beside the peers."""
    with Engine.open(bench.folder("append"), create=True) as engine:
        ours, bare = Ours(engine), BareLmdb(bench.folder("bare"))
        ours.slice()
        size = round(mean(map(len, ours.last())))
        with Peers.sourced(bench.folder("sourced.sqlite"), size) as sourced:
            yield from _one_at_a_time(bench, ours, bare, sourced, size)
            yield from _many_at_once(bench, ours, sourced)


def _one_at_a_time(bench: Bench, ours: Ours, bare: BareLmdb, sourced: "Sourced | None", size: int) -> Iterator[Row]:
    ...
