"""The live memory beside a shadow of it: a hundred thousand items of people who have as many as they may, a third of
which the shadow has otherwise.

Of ten items six are the same, one is the same under another id, one says something else under its id, one says
something else under another id and rests on the same message, and one is not there, but another one in its place.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from dnam.languages import load
from dnam.rephrasing import rephrasing_of
from projections.decisions.draft import Draft
from projections.events import ItemUpserted
from projections.events.values import OPERATOR, Evidence, Item, Source
from projections.ids import EventId, Handle, seeded_id
from projections.items import ItemRow, items_of
from projections.policies.compartments import direct
from projections.rederiving.groups import groups
from projections.rederiving.judged import Texts, judged, measures
from projections.rederiving.pairs import Counts, compare, counts
from projections.retrieval import Vocabulary
from projections.rows import Rows
from replay.engine import Engine
from tests.bench.bench import Bench, build_views
from tests.bench.measure import Goal, Row, Spread, seconds
from tests.bench.talk import FIRST_SAID, texts

EACH = 200
"""How many items a person has: as many as they may."""
MOST_SECONDS = 5
TEXTS = texts()


def differing(bench: Bench) -> Iterator[Row]:
    """The difference, from the rows on disk to groups; and what is counted of both sides."""
    people = 10_000 // EACH if bench.quick else 100_000 // EACH
    folders = {is_shadow: bench.folder(f"differing-{is_shadow}") for is_shadow in (False, True)}
    bench.say(f"teaching {people * EACH:,} items twice")
    for is_shadow, folder in folders.items():
        _teach(folder, people, is_shadow=is_shadow)
    with (
        Engine.open(folders[False], writable=False) as live, Engine.open(folders[True], writable=False) as shadow,
        live.reading() as old, shadow.reading() as new,
    ):  # fmt: skip
        yield from _measured(bench, people, old, new)


def _measured(bench: Bench, people: int, old: Rows, new: Rows) -> Iterator[Row]:
    tenth = people * EACH // 10
    found, expected = _difference(people, old, new), Counts(tenth, tenth, 2 * tenth, 7 * tenth)
    if found != expected:
        raise RuntimeError(f"{found} was found instead of {expected}")
    took = [seconds(partial(_difference, people, old, new)) for _ in range(bench.rounds)]
    note = "both sides read from the disk, matched and grouped"
    yield Row(f"diff of {people * EACH:,} items", "s", Spread.of(took), goal=Goal("≤", MOST_SECONDS), note=note)
    took = [seconds(partial(_judged, people, old, new)) for _ in range(bench.rounds)]
    note = "the same, and both sides judged: words of 20 to a text"
    yield Row(f"diff of {people * EACH:,} items, judged", "s", Spread.of(took), note=note)


def _difference(people: int, old: Rows, new: Rows) -> Counts:
    found = Counts()
    for number in range(people):
        pairs = compare(_rows(old, number), _rows(new, number))
        groups(pairs)
        found = Counts(*map(sum, zip(found, counts(pairs), strict=True)))
    return found


def _judged(people: int, old: Rows, new: Rows) -> None:
    language = load("en")
    texts = Texts(Vocabulary(language.stop_words, language.project_words), rephrasing_of(language))
    for number in range(people):
        sides = _rows(old, number), _rows(new, number)
        groups(compare(*sides))
        measures(judged(each, texts) for each in sides)
        texts.clear()


def _person(number: int) -> Handle:
    return Handle(f"person {number}".encode().ljust(16, b"."))


def _rows(rows: Rows, number: int) -> Sequence[ItemRow]:
    return [found.row for found in items_of(rows, _person(number))]


# -- what is kept --------------------------------------------------------------------------------------------------


def _teach(folder: Path, people: int, *, is_shadow: bool) -> None:
    with Engine.open(folder, create=True) as engine:
        for number in range(people):
            engine.record(partial(_items, number, is_shadow))
    build_views(folder)


def _items(person: int, is_shadow: bool, _: Rows) -> list[Draft]:
    return [_learned(person, at, is_shadow) for at in range(EACH)]


def _learned(person: int, at: int, is_shadow: bool) -> Draft:
    said = FIRST_SAID + person * EACH + at
    item = _item(person, at, at % 10 if is_shadow else 0, said)
    return Draft(seeded_id(bytes(32), person * EACH + at, said), ItemUpserted(said=said, by=OPERATOR, item=item))


def _item(person: int, at: int, kind: int, said: int) -> Item:
    """An item; `kind` is what the shadow has otherwise."""
    has_other_id, has_other_text, is_another = kind in (1, 2, 4), kind in (2, 3, 4), kind == 4
    text = f"{TEXTS[(person * EACH + at) % len(TEXTS)]} ({person}, {at})"
    message = EventId(f"m {person} {at // 2 + EACH * is_another}".encode().ljust(16, b"."))
    return Item(
        id=f"durable-{at + EACH * has_other_id:08x}",
        owner=_person(person),
        compartment=direct(_person(person)),
        kind="fact",
        text=f"Otherwise: {text}" if has_other_text else text,
        created=said,
        updated=said,
        source=Source("model"),
        tags=("garden",),
        evidence=(Evidence(text[:40], message),),
    )
