"""Erasing one of a thousand people, forgetting an item, and what it costs recall that memories lie in compartments."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from dnam.languages import load
from projections.context import Request, remembered
from projections.decisions.draft import Draft, Origin
from projections.decisions.remember import ForgetRequest, RememberRequest, forget, remember
from projections.events.values import Audience, By, Source
from projections.ids import EventId, Handle, Point, Ref
from projections.lookup import people
from projections.policies.compartments import Opening, Setting, direct, everywhere, in_guild
from projections.registry import FOLD
from projections.retrieval import Vocabulary
from projections.rows import Rows
from replay.builder import rebuild
from replay.engine import Engine
from replay.erasure import destroy_keys, finish_erasures
from replay.store import DiskStore
from tests.bench.bench import Bench, build_views
from tests.bench.loader import grow_to
from tests.bench.measure import Goal, Row, Side, Spread, alternate, compared, seconds
from tests.bench.seed import plant
from tests.bench.talk import FIRST_SAID, texts

PEOPLE = 1_000
ROUNDS = 3
"""A rebuild of the large log takes long enough to be measured a few times only."""
ITEMS = 200
ASKS = 20
PERSON = Handle(b"\x01" * 16)
GUILDS = tuple(Ref("discord", f"90000000000000000{number}") for number in range(3))


def forgetting(bench: Bench) -> Iterator[Row]:
    """What people take back, and what keeping them apart costs."""
    yield from _erasing(bench)
    yield _forgetting(bench)
    yield _recalling(bench)


# -- erasing -------------------------------------------------------------------------------------------------------


def _erasing(bench: Bench) -> Iterator[Row]:
    events = bench.sizes[2]
    folder = _town(bench, events)
    bench.say(f"erasing {ROUNDS} of {PEOPLE:,} people from {events:,} events, and replaying as often")
    keys: list[float] = []
    sides: dict[str, Side] = {
        "erase": lambda: seconds(lambda: keys.append(_erase(folder))),
        "replay": lambda: seconds(lambda: _replay(folder)),
    }
    took = alternate(sides, ROUNDS)
    what = f"erase one of {PEOPLE:,} people, {events:,} events"
    note = "person.erased in the log, and both copies of the ring without the keys"
    yield Row(f"{what}: keys gone", "ms", Spread.of([each * 1000 for each in keys]), goal=Goal("≤", 100), note=note)
    yield compared(f"{what}: all done", "s", took["erase"], "replay", took["replay"], Goal("≤", 1))


def _town(bench: Bench, events: int) -> Path:
    """A log of so many events, of a thousand people."""
    folder = bench.folder("town")
    bench.say(f"making a log of {events:,} events of {PEOPLE:,} people")
    plant(folder, PEOPLE * (1 if bench.quick else 2), PEOPLE)
    store = DiskStore(folder, FOLD, writable=True)
    grow_to(store, events)
    store.close()
    build_views(folder)
    return folder


def _erase(folder: Path) -> float:
    """Erase whoever is first; the seconds until the keys were gone."""
    with Engine.open(folder) as engine:
        with engine.reading() as rows:
            person = people(rows)[0]
        took = seconds(lambda: destroy_keys(engine, person))
        finish_erasures(engine)
    return took


def _replay(folder: Path) -> None:
    with Engine.open(folder) as engine:
        assert isinstance(engine.store, DiskStore)
        rebuild(engine.store, FOLD)


# -- forgetting ----------------------------------------------------------------------------------------------------


def _forgetting(bench: Bench) -> Row:
    """By words, among all that somebody may have, on the disk that is measured."""
    folder = bench.folder("kept")
    bench.say(f"forgetting one of {ITEMS} items, {ASKS} times")
    took: list[float] = []
    with Engine.open(folder, create=True) as engine:
        _fill(engine, [direct(PERSON)])
        for number in range(ASKS):
            here, by = (Opening(PERSON, direct(PERSON)),), By("person", PERSON)
            request = ForgetRequest(PERSON, here, by, FIRST_SAID, _origin(f"forget {number}"), _text(number))
            took.append(seconds(partial(engine.record, partial(_decide_forget, request))) * 1000)
    return Row(f"forget, one of {ITEMS} items", "ms", Spread.of(took), goal=Goal("≤", 5), note="by its words; durable")


def _decide_forget(request: ForgetRequest, rows: Rows) -> Sequence[Draft]:
    return forget(rows, request)


# -- recalling -----------------------------------------------------------------------------------------------------


def _recalling(bench: Bench) -> Row:
    """The same items in one compartment, and in all that a person's direct messages open."""
    apart = [direct(PERSON), everywhere(PERSON), *map(in_guild, GUILDS)]
    engines = {"one": _kept([direct(PERSON)]), "apart": _kept(apart)}
    bench.say(f"recalling from {ITEMS} items in {len(apart)} compartments, and in one")
    sides: dict[str, Side] = {name: partial(_recall, engine) for name, engine in engines.items()}
    alternate(sides, 1)
    took = alternate(sides, bench.rounds, slices=ASKS)
    for each in engines.values():
        each.close()
    what, peer = f"recall, {ITEMS} items in {len(apart)} compartments", "the same items in one"
    ms = {name: [each * 1000 / ASKS for each in values] for name, values in took.items()}
    return compared(what, "ms", ms["apart"], peer, ms["one"], Goal("≤", 1.05))


def _kept(compartments: Sequence[str]) -> Engine:
    engine = Engine.in_memory()
    _fill(engine, compartments)
    return engine


def _recall(engine: Engine) -> float:
    language = load("en")
    request = Request(
        setting=Setting(PERSON, Audience("direct", Ref("discord", f"dm:{PERSON.hex()}"))),
        session=f"discord:dm:{PERSON.hex()}",
        point=Point(FIRST_SAID, EventId(bytes(16))),
        assistant="dnam",
        vocabulary=Vocabulary(language.stop_words, language.project_words),
        text="which paint did we use for the fence in the garden?",
    )
    with engine.reading() as rows:
        start = seconds(lambda: remembered(rows, request))
        assert len(remembered(rows, request).hits) > 0
    return start


# -- what is kept --------------------------------------------------------------------------------------------------


def _fill(engine: Engine, compartments: Sequence[str]) -> None:
    for number in range(ITEMS):
        request = RememberRequest(
            owner=PERSON,
            compartment=compartments[number % len(compartments)],
            text=_text(number),
            by=By("person", PERSON),
            said=FIRST_SAID - ITEMS + number,
            source=Source("manual"),
            origin=_origin(f"keep {number}"),
            cap=ITEMS,
        )
        engine.record(partial(_decide_remember, request))


def _decide_remember(request: RememberRequest, rows: Rows) -> Sequence[Draft]:
    return remember(rows, request)


def _text(number: int) -> str:
    return f"{_TEXTS[number]} {chr(97 + number % 26)}{chr(97 + number // 26)}"


def _origin(name: str) -> Origin:
    return Origin(seed=name.encode().ljust(32, b"."), now=FIRST_SAID)


_TEXTS = texts(ITEMS)
