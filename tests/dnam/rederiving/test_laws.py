"""Laws of deriving anew, over generated histories: it is repeatable, what people decided holds, and what the live
models once made of it makes no difference.

DNAM_LAWS says how many histories each is tried on; the ordinary run does a few.
"""

import asyncio
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import dnam.rederiving.walk
from dnam.shadows.manifest import Asked
from projections.items import ITEMS, ItemRow
from projections.lookup import people
from projections.people import name_of
from projections.policies.by_people import is_by_people
from projections.policies.text import normalise
from projections.registry import FOLD
from projections.rows import Rows
from projections.summaries import SUMMARIES
from replay.builder import check
from replay.engine import Engine
from replay.folding import Folding
from replay.shadows.shadow import ShadowStore, shadow_engine
from replay.units import units
from replay.verify import verify
from tests.dnam.rederiving.histories import PEOPLE, TAKES_BACK, Step, Told, histories, tell
from tests.dnam.rederiving.parts import WHOLE, Part, asked_for, parts
from tests.dnam.rederiving.village import ASKED, derive, memories, reader
from tests.dnam.scripted import ScriptedModel
from tests.replay.conftest import SHARED
from tests.replay.stage import scanned

LAW = settings(max_examples=int(os.environ.get("DNAM_LAWS", "4")), suppress_health_check=list(HealthCheck))
OPENING = [Step("tell", 0, 0), Step("tell", 0, 3)]
CLOSING = [Step("read", who, 0) for who in range(len(PEOPLE))] + [Step("sum up", 0, number) for number in (0, 1)]
"""Everybody was learned from, and everything summarised: otherwise more is learned anew than ever was."""
OTHER = msgspec.structs.replace(ASKED, model="other", summary_model="other")
OFTEN = msgspec.structs.replace(OTHER, cadence=2)
"""The other model at a pace of its own, whatever was recorded."""
TIMED = ("work", "calls", "extractions", "extraction_attempts", "summaries")
"""The tables that keep when an event was recorded."""


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="dnam-", dir=SHARED if SHARED.is_dir() else None) as made:
        yield Path(made)


def other() -> ScriptedModel:
    """Another model, which has to be asked."""
    return reader("enjoys", name="other")


def torn() -> ScriptedModel:
    """The other model, which cannot say what becomes of two items every other time."""
    model = other()
    good = model.scripts["merge"]
    model.scripts["merge"] = lambda ask: good(ask) if len(ask.prompt) % 2 else "no JSON"
    return model


class BrokenOff(Exception):
    """Somebody pressed Ctrl-C."""


def broken_off(path: Path, name: str, model: ScriptedModel, after: int, asked: Asked) -> None:
    """Derive as far as some decision of the live log, where it is broken off."""

    def some(*arguments: Any) -> Iterator[Any]:
        for number, unit in enumerate(units(*arguments)):
            if number == after:
                raise BrokenOff
            yield unit

    with patch.object(dnam.rederiving.walk, "units", some), patch.object(dnam.rederiving.walk, "AT_ONCE", 1):
        try:
            asyncio.run(derive(path, model, name, asked))
        except BrokenOff:
            return


def held_in(path: Path, name: str, what: Callable[[Engine], Any]) -> Any:
    with shadow_engine(path, name) as shadow:
        return what(shadow)


def rows_of(engine: Engine) -> dict[str, dict[bytes, Any]]:
    """Every row, but for where in the log it was made; nor of those that say when."""
    with engine.reading() as rows:
        tables = {table: each for table, each in scanned(rows.raw).items() if table.split("@")[0] not in TIMED}
    return {table: {key: body for key, (_, body) in each.items()} for table, each in tables.items()}


KEPT_AND_FORGOTTEN = [Step("tell", 0, 24), Step("read", 0, 0), Step("hide", 0, 0), Step("forget", 0, 0)]


@LAW
@given(histories(), st.integers(1, 60), st.sampled_from((ASKED, OTHER, OFTEN)), parts())
@example(KEPT_AND_FORGOTTEN, 60, OTHER, Part(in_garden=True))
def test_derived_twice_or_broken_off_it_is_the_same(steps: list[Step], after: int, whole: Asked, part: Part) -> None:
    make = reader if whole is ASKED else torn
    with folder() as path:
        asyncio.run(tell(path, steps))
        asked = asked_for(path, whole, part)
        asyncio.run(derive(path, model := make(), "once", asked))
        asyncio.run(derive(path, make(), "twice", asked))
        left = make()
        broken_off(path, "left", left, after, asked)
        asyncio.run(derive(path, left, "left", asked))
        assert sorted(ask.prompt for ask in left.asks) == sorted(ask.prompt for ask in model.asks)
        assert held_in(path, "twice", rows_of) == held_in(path, "once", rows_of)
        assert held_in(path, "twice", memories) == held_in(path, "once", memories)
        assert held_in(path, "left", memories) == held_in(path, "once", memories)


@LAW
@given(histories(but=TAKES_BACK))
def test_the_same_model_makes_what_it_made_and_is_not_asked(steps: list[Step]) -> None:
    with folder() as path:
        asyncio.run(tell(path, [*OPENING, *steps, *CLOSING]))
        model = reader()
        manifest = asyncio.run(derive(path, model))
        with Engine.open(path, writable=False) as live, shadow_engine(path, "next", beside=live) as shadow:
            assert memories(shadow) == memories(live)
        assert model.asks == []
        assert manifest.changed == ()


ERASED = [Step("tell", 0, 1), Step("tell", 1, 1), Step("read", 0, 0), Step("read", 1, 0), Step("sum up", 0, 1)]
ERASED += [Step("hide", 0, 0), Step("erase", 1, 0), Step("tell", 0, 2), Step("read", 0, 0)]


REWORDED = [Step("tell", 0, 0), Step("read", 0, 0), Step("reword", 0, 0), Step("narrow", 0, 1), Step("change", 0, 0)]
"""What they put otherwise moves with its place, though its message says something else by now."""


@LAW
@given(histories(36), parts())
@example(ERASED, WHOLE)
@example(REWORDED, WHOLE)
@example(KEPT_AND_FORGOTTEN, Part(in_garden=True))
def test_what_people_decided_holds_and_what_is_gone_is_gone(steps: list[Step], part: Part) -> None:
    with folder() as path:
        told = asyncio.run(tell(path, steps))
        asyncio.run(derive(path, other(), asked=asked_for(path, OTHER, part)))
        with Engine.open(path, writable=False) as live, shadow_engine(path, "next", beside=live) as shadow:
            with live.reading() as there, shadow.reading() as here:
                decisions_hold(items(there), items(here))
            nothing_is_back(told, live, shadow)
        is_sound(path, "next")


def items(rows: Rows) -> list[ItemRow]:
    return [found.row for found in rows.scan(ITEMS)]


SAID_AGAIN = "said this before its text changed"
"""Why a model changes an item that a person had changed: they said again what it said before, live as well as here."""
WROTE = ("remember", "edit")


def decisions_hold(live: list[ItemRow], shadow: list[ItemRow]) -> None:
    """What a person wrote stands, what they moved lies where they put it, and what they took back is gone."""
    active = [row for row in shadow if row.item.status == "active"]
    words = {words_of(row) for row in active}
    changed = {words_of(row)[:2] for row in shadow if row.reason.endswith(SAID_AGAIN)}
    theirs = [row for row in live if is_by_people(row)]
    for row in theirs:
        if row.item.status == "active" and words_of(row)[:2] not in changed:
            wrote = row.intent is None or row.intent.action in WROTE
            assert words_of(row) in words or (not wrote and any(is_for(each, row) for each in active))
    said = {words_of(row) for row in live if row.item.status == "active"}
    assert not ({words_of(row) for row in theirs if row.item.status == "forgotten"} - said) & words


def is_for(row: ItemRow, theirs: ItemRow) -> bool:
    """Whether an item lies where another one does, and rests on the same message."""
    shared = {each.message for each in row.item.evidence} & {each.message for each in theirs.item.evidence}
    return words_of(row)[:2] == words_of(theirs)[:2] and bool(shared)


def words_of(row: ItemRow) -> tuple[object, ...]:
    return row.item.owner, row.item.compartment, normalise(row.item.text)


def nothing_is_back(told: Told, live: Engine, shadow: Engine) -> None:
    """What nothing in the live memory says any more, nothing in the shadow does."""
    for canary in told.gone:
        word = f"{canary}".encode()
        assert says(live, word) or not says(shadow, word), canary


def says(engine: Engine, word: bytes) -> bool:
    bodies = (body for table in rows_of(engine).values() for body in table.values())
    return any(word in body for body in bodies)


def is_sound(path: Path, name: str) -> None:
    """The shadow's log is whole, and its rows are what a rebuild makes of it."""
    store = ShadowStore(path, name, FOLD, writable=False)
    try:
        assert verify(store, Folding(FOLD, store), opened=True).problems == ()
        assert check(store, FOLD).equal
    finally:
        store.close()


def wrong() -> ScriptedModel:
    """The live model with other words: the same notes on the same messages, and nothing of them is right."""
    return reader("never heard of")


@LAW
@given(histories(but=frozenset(("forget", "restore", "reword", "share", "hide", "erase"))))
def test_what_the_live_models_made_of_it_makes_no_difference(steps: list[Step]) -> None:
    with folder() as path:
        held = []
        for name, model in (("right", reader()), ("wrong", wrong())):
            asyncio.run(tell(path / name, steps, model))
            asyncio.run(derive(path / name, other(), asked=OTHER))
            held.append(held_in(path / name, "next", told_of))
        assert held[0] == held[1]


def told_of(engine: Engine) -> Any:
    """Items and summaries in words: without ids, which are others in every log."""
    with engine.reading() as rows:
        names = {person.hex(): name_of(rows, person) for person in people(rows)}
        found = [
            (
                names.get(row.item.owner.hex(), ""),
                "/".join(names.get(part, part) for part in row.item.compartment.split("/")),
                row.item.kind,
                row.item.text,
                row.item.status,
                sorted((each.quote, str(each.ref)) for each in row.item.evidence),
            )
            for row in items(rows)
        ]
        return sorted(found), sorted(each.row.text for each in rows.scan(SUMMARIES))


SAME_WORDS = [Step("tell", 0, 0), Step("change", 0, 0), Step("read", 0, 0), Step("change", 0, 0)]


@LAW
@given(histories(30, but=frozenset(("narrow", "erase"))))
@example(SAME_WORDS)
@example([*SAME_WORDS, Step("change", 0, 1)])
def test_the_runs_that_would_read_something_else_are_listed_and_no_others(steps: list[Step]) -> None:
    with folder() as path:
        told = asyncio.run(tell(path, steps))
        manifest = asyncio.run(derive(path, other(), asked=OTHER))
        assert set(manifest.changed) == {run.hex() for run in told.outdated}
