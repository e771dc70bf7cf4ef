"""How many merges an estimate expects: as many as were recorded behind what is asked anew, none where none is made."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dnam.rederiving.rederivation import APART, rederiving
from dnam.shadows.manifest import Manifest, exists, load
from projections.people import person_of
from replay.engine import Engine
from tests.dnam.rederiving.test_rederiving import OTHER, told
from tests.dnam.rederiving.village import ASKED, SETTINGS, Village, reader
from tests.dnam.scripted import FakeClock, ScriptedModel
from tests.world import NOW

SAME: dict[str, Any] = {"model": ASKED.model, "summary_model": ASKED.summary_model}


async def alike(there: Village) -> None:
    """Two people say the same, each thing close to the one before: two merges each, by the same two questions."""
    for who in ("kim", "ada"):
        for more in ("", " with milk", " with milk and honey"):
            await there.say(who, f"I like green tea{more}")
            await there.learn(who)
    await there.summarise()


class Torn(ScriptedModel):
    """It breaks off behind so many calls."""

    left = 1_000

    async def ask(self, *asked: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return await super().ask(*asked)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    told(tmp_path, alike)
    return tmp_path


def merges(path: Path, *, runs: bool = False, reads: ScriptedModel | None = None, **asked: Any) -> tuple[int, int]:
    """How many calls and merges are expected of a shadow, which is made where it `runs`."""
    manifest = load(path, "next") if exists(path, "next") else Manifest("next", _asked(**asked), NOW, "", "")
    asks = reads or reader("enjoys", name="other")

    async def expected() -> tuple[int, int]:
        async with rederiving(path, SETTINGS, asks, manifest, FakeClock()) as there:
            found = there.estimate()
            if runs:
                await there.run(lambda *_: None)
            return found.calls, found.merges

    return asyncio.run(expected())


def _asked(**asked: Any) -> Any:
    return msgspec.structs.replace(OTHER, **asked)


def kim(path: Path) -> str:
    with Engine.open(path, writable=False) as live, live.reading() as rows:
        found = person_of(rows, "discord", "kim")
        assert found is not None
        return found.row.person.hex()


def test_also_where_two_people_were_asked_the_same(path: Path) -> None:
    assert merges(path) == (7, 4)


def test_of_whose_part_is_made(path: Path) -> None:
    assert merges(path, people=(kim(path),)) == (3, 2)


def test_at_another_cadence_behind_what_is_read_anew(path: Path) -> None:
    assert merges(path, cadence=3) == (4, 4)


def test_from_a_moment_on_none_that_stays_as_it_is(path: Path) -> None:
    with Engine.open(path, writable=False) as live:
        end = live.head().size
    assert merges(path, since=end) == (0, 0)


def test_none_where_nothing_is_merged(path: Path) -> None:
    assert merges(path, merge_policy=APART) == (7, 0)


def test_none_where_only_summaries_are_asked_anew(path: Path) -> None:
    assert merges(path, reads=reader(), **SAME, summary_prompt="summary@1") == (1, 0)


def test_by_the_same_model_too_where_it_is_asked_otherwise(path: Path) -> None:
    assert merges(path, reads=reader(), **SAME, extraction_prompt="extraction@3") == (6, 4)


def test_none_where_all_is_made(path: Path) -> None:
    assert merges(path, runs=True) == (7, 4)
    assert merges(path) == (0, 0)


def test_those_that_are_left_where_it_was_broken_off(path: Path) -> None:
    torn = Torn(reader("enjoys").scripts, name="other")
    torn.left = 4  # each is learned from, and of each the second goes out
    with pytest.raises(KeyboardInterrupt):
        merges(path, runs=True, reads=torn)
    calls, left = merges(path, runs=True)
    assert 0 < calls < 7
    assert 0 < left <= 4
    assert merges(path) == (0, 0)
