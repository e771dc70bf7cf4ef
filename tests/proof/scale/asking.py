"""What is asked of a community's memory, each in a process of its own. Its arguments are what, the folder, and the
number of the person whom it is about; what it took is printed as JSON, with the processors' time and the most memory
that was held.
"""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median, quantiles
from time import perf_counter
from typing import NamedTuple

import msgspec

from dnam.courier import recording
from dnam.provenance import Narrator
from dnam.whereabouts import locate, with_handles
from projections.decisions.draft import Decision
from projections.decisions.hear import HeardRequest, hear
from projections.items import items_of
from projections.people import person_of
from projections.recall.search import Wanted, items, said
from projections.registry import FOLD
from projections.rows import Rows
from replay.audit import audit
from replay.builder import rebuild
from replay.engine import Engine
from replay.erasure import destroy_keys, extent, finish_erasures
from replay.folding import Folding
from replay.reading import Reader
from replay.store import DiskStore
from replay.travel import Moment
from replay.verify import verify
from tests.bench.measure import seconds
from tests.bench.producers import produce_in_tasks
from tests.bench.seed import ChatClock
from tests.bench.talk import FIRST_KEY
from tests.bench.zipf import Zipf
from tests.proof.scale.held import Held, held_mb
from tests.proof.scale.scenes import account, place_of

Told = dict[str, float]
BEST = 10
LIKED = "tomatoes, tea, train, boats or books"
"""Words of what people tell the assistant."""
FEW_PEOPLE = 20
"""Who appends: the first of the community, who are in every size of it."""
_KEYS = 5 * 10**17
"""Added to the numbers of messages, so that these are nobody else's."""
AFTERWARDS = 4_000_000_000_000
"""A moment after everything that is said in a community, in ms."""


class Often(NamedTuple):
    """How often something is asked; `producers` append so many `each`, at once."""

    openings: int
    looks: int
    audits: int
    queries: int
    appends: int
    producers: int
    each: int


OFTEN = Often(openings=7, looks=40, audits=9, queries=60, appends=200, producers=64, each=16)
SELDOM = Often(openings=1, looks=2, audits=1, queries=3, appends=3, producers=4, each=2)


def replay(folder: Path, _: int, __: Often) -> Told:
    """Build all views anew."""
    store = DiskStore(folder, FOLD, writable=True)
    took = seconds(lambda: rebuild(store, FOLD))
    store.close()
    return {"replay_s": took}


def verified(folder: Path, _: int, __: Often) -> Told:
    """Check every stored byte."""
    store = DiskStore(folder, FOLD, writable=False)
    began = perf_counter()
    found = verify(store, Folding(FOLD, store))
    took = perf_counter() - began
    store.close()
    return {"verify_s": took, "problems": len(found.problems), "rows": found.rows}


def look(folder: Path, who: int, often: Often) -> Told:
    """Open it to read, show what was known of a person in the middle of the log, audit them, recall."""
    told = {"open_reader_ms": _opened(folder, often.openings, writable=False)}
    with Engine.open(folder, writable=False) as engine:
        size = engine.head().size
        with engine.reading() as rows:
            found = person_of(rows, "discord", account(who).id)
            assert found is not None
            person = found.row.person
        middle = Moment(seq=size // 2)
        known: list[int] = []

        def shown() -> None:
            with engine.past(middle) as then:
                known.append(len(list(items_of(then, person))))

        def audited() -> int:
            with engine.reading() as rows:
                narrator = Narrator(rows, "dnam")
                return len([narrator.life(each) for each in audit(rows, Reader(engine.live), person)])

        told |= {"show_ms": _middle(shown, often.looks), "known": known[0], "lives": audited()}
        told |= {"audit_ms": _middle(audited, often.audits)}
        told |= _recalled(engine, "person", "direct", who, often.queries)
        before = held_mb()
        told |= _recalled(engine, "guild", "chatter", who, often.queries)
        told["guild_mb"] = held_mb() - before
    return told


def _recalled(engine: Engine, name: str, kind: str, who: int, times: int) -> Told:
    """What the bot asks for a message of theirs, in their direct messages or in a public channel."""
    with engine.reading() as rows:
        wanted = _wanted(rows, kind, who)
    queries = Zipf(5).queries(times)
    found: list[int] = []

    def recall(query: str) -> None:
        looked_for = wanted._replace(text=f"{query} {LIKED}")
        with engine.reading() as rows:
            found.append(len(items(rows, looked_for, BEST)) + len(said(rows, looked_for, BEST)))

    first = _ms(partial(recall, queries[0]))
    took = [_ms(partial(recall, query)) for query in queries]
    if not any(found):
        raise RuntimeError("nothing was recalled")
    return {f"{name}_first_ms": first, f"{name}_p50_ms": median(took), f"{name}_p95_ms": quantiles(took, n=20)[18]}


def _wanted(rows: Rows, kind: str, who: int) -> Wanted:
    request = HeardRequest("", place_of(kind, 0, account(who)), "person", account(who), "", AFTERWARDS, ())
    found = locate(rows, request)
    return Wanted("", found.setting, found.session, found.point.said)


def write(folder: Path, _: int, often: Often) -> Told:
    """Open it to write, append one after the other, and many at once."""
    told = {"open_writer_ms": _opened(folder, often.openings, writable=True)}
    store = DiskStore(folder, FOLD, writable=False)
    clock, dice = ChatClock(), Random(store.log.head().size)
    clock.time = store.log.head().at + 1_000
    store.close()
    first = FIRST_KEY + _KEYS + clock.time
    numbers = iter(range(first, first + 10**6))

    def hearing() -> Decision:
        clock.time += 1
        who = account(dice.randrange(FEW_PEOPLE))
        place, key = place_of("chatter", dice.randrange(FEW_PEOPLE // 5)), str(next(numbers))
        request = with_handles(HeardRequest(key, place, "person", who, f"Something new, {key}.", clock.time, ()))
        return lambda rows: hear(rows, request)

    with Engine.open(folder, clock=clock) as engine:
        for _ in range(FEW_PEOPLE):
            engine.record(hearing())
        took = [_ms(partial(engine.record, decision)) for decision in [hearing() for _ in range(often.appends)]]
        decisions = iter([hearing() for _ in range(often.producers * often.each)])
        many = produce_in_tasks(often.producers, often.each, lambda: recording(engine, next(decisions)))
    return told | {"append_ms": median(took), "many_ms": 1000 * many.took / (often.producers * often.each)}


def erase(folder: Path, who: int, _: Often) -> Told:
    """Erase a person: what it would take, until their keys are gone, and until everything is done."""
    with Engine.open(folder) as engine:
        with engine.reading() as rows:
            found = person_of(rows, "discord", account(who).id)
            assert found is not None
            person = found.row.person
        keys = len(engine.store.ring.listing(person))
        sealed = list[int]()
        counted = seconds(lambda: sealed.append(sum(extent(engine, person).events.values())))
        gone = seconds(lambda: destroy_keys(engine, person))
        done = seconds(lambda: finish_erasures(engine))
    return {"keys": keys, "sealed": sealed[0], "extent_s": counted, "keys_gone_ms": 1000 * gone, "erase_s": gone + done}


def _opened(folder: Path, times: int, *, writable: bool) -> float:
    """The ms of an opening, with a first look at the rows."""

    def opened() -> None:
        with Engine.open(folder, writable=writable) as engine, engine.reading() as rows:
            assert rows is not None

    return _middle(opened, times)


def _middle(work: Callable[[], object], times: int) -> float:
    """The ms it takes in the middle of so many times; the first, which loads what it needs, does not count."""
    work()
    return median(_ms(work) for _ in range(times))


def _ms(work: Callable[[], object]) -> float:
    return 1000 * seconds(work)


ASKED: Mapping[str, Callable[[Path, int, Often], Told]] = {
    "replay": replay,
    "verify": verified,
    "look": look,
    "write": write,
    "erase": erase,
}


def ask(what: str, folder: Path, who: int, often: Often = OFTEN) -> Told:
    """Ask it here."""
    held, before = Held(), _cpu_s()
    told = ASKED[what](folder, who, often)
    return told | {f"{what}_mb": held.stop(), f"{what}_cpu_s": _cpu_s() - before}


def _cpu_s() -> float:
    """What this process and the helpers that have ended used of the processors: other work makes it no longer."""
    return sum(each.ru_utime + each.ru_stime for each in map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN)))


def main() -> None:
    """Ask what the arguments say, and print what it took."""
    sys.stdout.buffer.write(msgspec.json.encode(ask(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
