"""The live memory beside a shadow of it: a hundred thousand items of people who have as many as they may, a third of
which the shadow has otherwise.

Of ten items six are the same, one is the same under another id, one says something else under its id, one says
something else under another id and rests on the same message, and one is not there, but another one in its place.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from dnam.access import Access
from dnam.jsonable import jsonable
from dnam.languages import load
from dnam.rephrasing import rephrasing_of
from dnam.settings.reading import read
from dnam.shadows.difference import difference_from
from dnam.shadows.manifest import Asked, Manifest, save
from dnam.shadows.report import Report, Wanted
from projections.decisions.draft import Draft
from projections.events import ItemUpserted, MessageHeard
from projections.events.values import Audience, By, Evidence, Item, Message, Source
from projections.ids import EventId, Handle, Ref, seeded_id
from projections.items import ItemRow, items_of
from projections.policies.compartments import direct
from projections.rederiving.groups import groups
from projections.rederiving.judged import Texts, judged, measures
from projections.rederiving.pairs import Counts, compare, counts
from projections.retrieval import Vocabulary
from projections.rows import Rows
from replay.engine import Engine
from replay.shadows.shadow import shadow_engine
from tests.bench.bench import Bench
from tests.bench.measure import Goal, Row, Spread, seconds
from tests.bench.talk import FIRST_SAID, texts

NAME = "bench"
EACH = 200
"""How many items a person has: as many as they may."""
MOST_SECONDS = 5
TEXTS = texts()


def differing(bench: Bench) -> Iterator[Row]:
    """The difference, from the rows on disk to groups; what is counted of both sides; and all that `diff` makes."""
    people = 10_000 // EACH if bench.quick else 100_000 // EACH
    folder = bench.folder("differing")
    bench.say(f"teaching {people * EACH:,} items twice")
    _teach(folder, people)
    with (
        Engine.open(folder, writable=False) as live, shadow_engine(folder, NAME, beside=live) as shadow,
        live.reading() as old, shadow.reading() as new,
    ):  # fmt: skip
        yield from _measured(bench, people, old, new)
    yield from _reported(bench, people, folder)


def _reported(bench: Bench, people: int, folder: Path) -> Iterator[Row]:
    """What `dnam diff --shadow` makes, from folders that are not open yet: its figures, and all that it prints."""
    for what, made in (("in figures", _figures), ("--json, all of it", _printed)):
        took = [seconds(partial(_reported_once, folder, made)) for _ in range(bench.rounds)]
        note = "opened, compared, judged, and held against what adopting would leave as it is"
        name = f"diff --shadow of {people * EACH:,} items, {what}"
        yield Row(name, "s", Spread.of(took), goal=Goal("≤", MOST_SECONDS) if made is _figures else None, note=note)


def _reported_once(folder: Path, made: Callable[[Report], None]) -> None:
    with Engine.open(folder, writable=False) as live, live.reading() as now:
        memory = Access(live, read({}, {}), load("en"))
        made(difference_from(memory, now, folder, NAME, Wanted(), lambda _, __: None).report)


def _figures(found: Report) -> None:
    if not found.items.changed:
        raise RuntimeError("nothing is changed")


def _printed(found: Report) -> None:
    if not msgspec.json.encode(jsonable(found._asdict())):
        raise RuntimeError("nothing is printed")


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


def _teach(folder: Path, people: int) -> None:
    """A memory and a shadow of it: the same was said in both."""
    with Engine.open(folder, create=True) as live:
        for number in range(people):
            live.record(partial(_items, number, is_shadow=False))
        of, upto = live.store.log.id.hex(), live.head().size
        with shadow_engine(folder, NAME, writable=True, create=True, beside=live) as shadow:
            for number in range(people):
                shadow.record(partial(_items, number, is_shadow=True))
            asked, own = Asked("other", "other", "extraction@4", "summary@2", "closeness@2"), shadow.store.log.id.hex()
            save(folder, Manifest(NAME, asked, FIRST_SAID, own, of, "other", state="complete", upto=upto))


def _items(person: int, _: Rows, *, is_shadow: bool) -> list[Draft]:
    """What somebody said, and what was learned of it."""
    items = range(EACH)
    quoted = {at: [each for each in items if at in (each // 2, each // 2 + EACH)] for at in range(2 * EACH)}
    said = (_said(person, at, each) for at, each in quoted.items() if each)
    return [*said, *(_learned(person, at, is_shadow=is_shadow) for at in items)]


def _said(person: int, at: int, quoted: Sequence[int]) -> Draft:
    """A message on which these items rest, which quote it."""
    by, said = By("person", person=_person(person)), FIRST_SAID + at
    message = Message(
        ref=Ref("bench", f"{person}-{at}"),
        place=Ref("bench", str(person)),
        session=f"bench:dm:{person}",
        audience=Audience("direct", Ref("bench", f"dm:{_person(person).hex()}")),
        author="person",
        said=said,
        text=" ".join(_text(person, each) for each in quoted),
        speaker=_person(person),
    )
    return Draft(_message(person, at), MessageHeard(said=said, by=by, message=message))


def _learned(person: int, at: int, *, is_shadow: bool) -> Draft:
    said = FIRST_SAID + person * EACH + at
    item = _item(person, at, at % 10 if is_shadow else 0, said)
    by = By("model", name="other" if is_shadow else "first")
    return Draft(seeded_id(bytes(32), person * EACH + at, said), ItemUpserted(said=said, by=by, item=item))


def _text(person: int, at: int) -> str:
    return f"{TEXTS[(person * EACH + at) % len(TEXTS)]} ({person}, {at})"


def _message(person: int, at: int) -> EventId:
    return EventId(f"m {person} {at}".encode().ljust(16, b"."))


def _item(person: int, at: int, kind: int, said: int) -> Item:
    """An item; `kind` is what the shadow has otherwise."""
    has_other_id, has_other_text, is_another = kind in (1, 2, 4), kind in (2, 3, 4), kind == 4
    text, message = _text(person, at), _message(person, at // 2 + EACH * is_another)
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
