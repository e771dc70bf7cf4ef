"""By bytes: nothing that anybody said, and no name or id of anybody, stands under `log/` or `keys/`."""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from projections.events import EVENTS, Event
from projections.ids import Handle
from replay.engine import Engine
from replay.erasure import erase
from replay.rewriting import rewrite
from replay.store import DiskStore
from tests.generator import Story, fixed_story, stories
from tests.laws.teller import NAMES, platform_id
from tests.replay.conftest import SHARED
from tests.replay.stage import ADA, KIM, FakeClock, contents, handle_of, readable, says, tell
from tests.world import NOW

LEAST = 5
"""Shorter words may stand in random bytes by chance."""
FORMS = ("utf-8", "utf-16-le", "utf-16-be")


def words(value: object) -> Iterator[str]:
    """Every text in an event, whole and in words."""
    match value:
        case str():
            yield value
            yield from re.findall(r"[^\W_]{6,}", value)
        case list() | tuple():
            for each in value:
                yield from words(each)
        case dict():
            for each in value.values():
                yield from words(each)


CLEAR = " ".join(
    (
        *(kind.TAG for kind in EVENTS),
        "said by causes hashes vaults until erased events person operator platform rewritten",
        "model-x",  # what an adoption was made by
    )
)
"""dnam's own words, which do stand in headers and in unsealed bodies."""


def secrets(events: list[Event]) -> set[str]:
    """Whatever must not be found."""
    found = {word for event in events for word in words(msgspec.to_builtins(event))}
    found |= {platform_id(n) for n in range(len(NAMES))} | set(NAMES)
    return {word for word in found if len(word) >= LEAST and word not in CLEAR}


def found_in(files: dict[str, bytes], texts: set[str]) -> set[tuple[str, str]]:
    everything = {name: data for name, data in files.items() if data}
    return {
        (name, text)
        for text in texts
        for form in FORMS
        for name, data in everything.items()
        if text.encode(form, "surrogatepass") in data
    }


@pytest.mark.parametrize("salt", range(6))
def test_no_text_name_or_platform_id_stands_in_the_log_or_the_ring(data: Path, salt: int) -> None:
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=10) as engine:
        tell(engine, fixed_story(120, salt).decisions())
        for n in range(4):
            engine.record(says(f"8812345678{n}", f"the heron stands still {n}", (ADA, KIM)[n % 2], said=NOW + n))
        events = [record.event for record in readable(engine.store.log, engine.store)]
        erase(engine, handle_of(engine, KIM))
        texts = secrets(events)
        assert {"the heron stands still 0", "88123456781", ADA.id, "discord:channel:720000000000000001"} <= texts
        for _ in range(2):
            for folder in ("log", "keys"):
                files = contents(data / folder, skip=lambda path: False)
                assert found_in(files, texts) == set()
            assert isinstance(engine.store, DiskStore)
            rewrite(engine.store)
        engine.commit_views()
        assert found_in(contents(data / "views"), {"the heron stands still 0", "Ada Larkspur"})


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(stories(60))
def test_nor_of_any_generated_history(story: Story) -> None:
    with tempfile.TemporaryDirectory(dir=SHARED if SHARED.is_dir() else None) as folder:
        data = Path(folder) / "data"
        with Engine.open(data, create=True, clock=FakeClock()) as engine:
            tell(engine, story.decisions())
            texts = secrets([record.event for record in readable(engine.store.log, engine.store)])
        for part in ("log", "keys"):
            assert found_in(contents(data / part, skip=lambda path: False), texts) == set()


def test_handles_are_no_secret_and_stand_only_in_the_ring(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
        ada: Handle = handle_of(engine, ADA)
    assert not any(bytes(ada) in file for file in contents(data / "log", skip=lambda path: False).values())
    assert all(bytes(ada) in file for file in contents(data / "keys").values())


def test_the_search_finds_what_is_there() -> None:
    texts = secrets([])
    assert found_in({"x": "…Ada Larkspur…".encode("utf-16-le")}, texts) == {("x", "Ada Larkspur")}
    assert list(words({"a": ["some longerword", 3]})) == ["some longerword", "longerword"]
