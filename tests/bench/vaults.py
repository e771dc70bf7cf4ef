"""An append that opens a vault, with a full ring: somebody new speaks, and their key is on disk before the commit."""

import os
from collections.abc import Iterator
from pathlib import Path

from projections.ids import Handle
from replay.engine import Engine
from replay.ring.file import FileRingStore
from replay.ring.keyring import SET
from replay.ring.records import PERSON, VAULT, RingRecord
from tests.bench.append import Ours, hearing
from tests.bench.bench import Bench
from tests.bench.measure import Goal, Row, Spread, alternate, compared, seconds
from tests.bench.talk import Talk

SLICE = 10
SLICES = 10
KNOWN = 5_000_000
NEW_PEOPLE = 10_000


def vaults(bench: Bench) -> Iterator[Row]:
    """Opening with a full ring, and appends that open a vault beside those that do not."""
    folder = bench.folder("vaults")
    Engine.open(folder, create=True).close()
    bench.say(f"filling a ring with {bench.vaults:,} vaults")
    fill(folder, bench.vaults)
    yield _opening(bench, folder)
    with Engine.open(folder) as engine:
        yield _appending(bench, engine)


def fill(folder: Path, count: int) -> None:
    """So many vaults, each of one person."""
    store = FileRingStore(folder / "keys")
    records: list[RingRecord] = []
    for _ in range(count):
        vault, person = os.urandom(16), Handle(os.urandom(16))
        records += [RingRecord(VAULT, vault, os.urandom(32), SET), RingRecord(PERSON, vault, person.ljust(32, b"\0"))]
    store.append(records)
    store.close()


def _opening(bench: Bench, folder: Path) -> Row:
    took = [seconds(lambda: Engine.open(folder).close()) for _ in range(max(5, bench.rounds))]
    return Row(f"opening a memory with {bench.vaults:,} vaults", "s", Spread.of(took))


def _appending(bench: Bench, engine: Engine) -> Row:
    bench.say("appending, with and without a new vault")
    known, strangers = Ours(engine), Talk(first=KNOWN)
    newcomers = iter(range(NEW_PEOPLE, NEW_PEOPLE * 10))

    def meet() -> float:
        requests = [strangers.next(next(newcomers)) for _ in range(SLICE)]
        return seconds(lambda: [engine.record(hearing(request)) for request in requests])

    took = alternate({"new": meet, "known": lambda: known.slice(SLICE)}, bench.rounds, SLICES)
    times = {name: [1000 * each / (SLICE * SLICES) for each in side] for name, side in took.items()}
    what = f"append that opens a vault, {bench.vaults:,} vaults"
    return compared(what, "ms", times["new"], "one that does not", times["known"], Goal("≤", 2))
