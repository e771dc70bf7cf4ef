"""A shadow that is derived anew only from some moment on, behind what is undone later: it hears of that."""

import asyncio
import re
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dnam.shadows.behind import behind
from dnam.shadows.manifest import load
from projections.ids import EventId
from projections.people import person_of
from replay.engine import Engine
from replay.shadows.shadow import shadow_engine
from tests.dnam.cli.memories import dnam
from tests.dnam.rederiving.test_rederiving import told
from tests.dnam.rederiving.test_what_stands import THIRD
from tests.dnam.rederiving.village import ASKED, both, derive, memories, reader, talk

OTHER = msgspec.structs.replace(ASKED, model="other", summary_model="other")


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory that has taken over what another model made of it."""
    path = tmp_path_factory.mktemp("adopted") / "data"
    told(path, talk)
    asyncio.run(derive(path, reader("enjoys", name="other"), asked=OTHER))
    run(path, "adopt", "next")
    return path


@pytest.fixture
def data(adopted: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(adopted, tmp_path / "data"))


def run(data: Path, *command: str) -> str:
    ran = dnam(*command, "--yes", "--data", data)
    assert ran.code == 0, ran.err
    return ran.out + ran.err


def head(data: Path) -> int:
    with Engine.open(data, writable=False) as live:
        return live.head().size


def late(data: Path, name: str) -> int:
    with Engine.open(data, writable=False) as live:
        return behind(live, load(data, name))


def logged(data: Path) -> list[dict[str, Any]]:
    """The events, the last one first."""
    return dnam("log", "--json", "--data", data).values[::-1]


def derived(data: Path, name: str, since: int) -> dict[str, Any]:
    """What a shadow holds that is derived anew from then on, or is brought up to now."""
    asyncio.run(derive(data, reader("adores", name="third"), name, msgspec.structs.replace(THIRD, since=since)))
    live, shadow = both(data, name)
    assert shadow == live
    return shadow


def test_what_an_adoption_brought_goes_once_that_is_taken_back(data: Path) -> None:
    since = head(data)
    before = derived(data, "third", since)
    run(data, "adopt", "--undo", "next")
    assert late(data, "third") == 4
    after = derived(data, "third", since)
    assert (late(data, "third"), after != before) == (0, True)
    assert derived(data, "later", since) == after
    assert "Nothing differs from third that can be adopted." in run(data, "adopt", "third")


def test_what_is_derived_from_behind_its_undoing_too_is_as_it_was_recorded(data: Path) -> None:
    run(data, "adopt", "--undo", "next")
    run(data, "adopt", "next")
    since = head(data)
    derived(data, "third", since)
    assert late(data, "third") == 0


def test_of_some_people_what_others_have_is_as_it_was_recorded(data: Path) -> None:
    with Engine.open(data, writable=False) as live, live.reading() as rows:
        ada = person_of(rows, "discord", "ada")
        assert ada is not None
    asked = msgspec.structs.replace(THIRD, since=head(data), people=(ada.row.person.hex(),))
    model = reader("adores", name="third")
    asyncio.run(derive(data, model, "third", asked))
    run(data, "adopt", "--undo", "next")
    asyncio.run(derive(data, model, "third"))
    there, here = both(data, "third")
    assert here == there


def test_a_summary_that_was_reverted_is_so_there_and_again_as_it_was_once_that_is_undone(data: Path) -> None:
    since = head(data)
    before = derived(data, "third", since)
    summary = next(each["seq"] for each in logged(data) if each["tag"] == "summary.refreshed")
    (first,) = re.findall("revert --undo ([0-9]+)", run(data, "revert", "--caused-by", str(summary)))
    assert derived(data, "third", since)["summaries"] != before["summaries"]
    run(data, "revert", "--undo", first)
    assert derived(data, "third", since) == derived(data, "later", since) == before


def test_what_is_nobody_s_is_kept_from_returning_there_too(tmp_path: Path) -> None:
    """By what is recorded ahead of its going: it holds nobody's words."""
    told(tmp_path, talk)
    asyncio.run(derive(tmp_path, reader("enjoys", about="guild", name="other"), asked=OTHER))
    run(tmp_path, "adopt", "next")
    since = head(tmp_path)
    derived(tmp_path, "third", since)
    run(tmp_path, "adopt", "--undo", "next")
    derived(tmp_path, "third", since)
    closed = [each["id"] for each in logged(tmp_path) if each["tag"] == "item.closed" and each["seq"] > since]
    with Engine.open(tmp_path, writable=False) as live, shadow_engine(tmp_path, "third", beside=live) as shadow:
        assert closed
        assert all(shadow.store.log.find(EventId(bytes.fromhex(each))) for each in closed)


@pytest.mark.parametrize(("about", "first"), [("person", ()), ("guild", ()), ("person", ("adores",))])
def test_one_that_does_not_know_of_an_undoing_brings_nothing_back(
    tmp_path: Path, about: str, first: tuple[str, ...]
) -> None:
    """Neither what came, changed or went with an adoption, on top of another one either, nor its summary."""
    told(tmp_path, talk)
    for name in first:
        asyncio.run(derive(tmp_path, reader(name, about, name="other"), name, OTHER))
        run(tmp_path, "adopt", name)
    asyncio.run(derive(tmp_path, reader("enjoys", about, name="other"), asked=OTHER))
    before = live_of(tmp_path)
    run(tmp_path, "adopt", "next")
    since = head(tmp_path)
    derived(tmp_path, "third", since)
    run(tmp_path, "adopt", "--undo", "next")
    assert live_of(tmp_path) == before
    said = run(tmp_path, "adopt", "third", "--behind")
    assert "what the shadow has of it was taken back here since" in said
    assert "Nothing differs from third that can be adopted." in said
    assert live_of(tmp_path) == before
    run(tmp_path, "adopt", "next")
    assert "Nothing differs from third that can be adopted." in run(tmp_path, "adopt", "third", "--behind")


def test_one_that_does_not_know_of_a_revert_brings_no_summary_back(data: Path) -> None:
    since = head(data)
    derived(data, "third", since)
    run(data, "revert", "--model", "scripted", "--between", "1", str(since))
    before = live_of(data)
    run(data, "adopt", "third", "--behind")
    assert live_of(data) == before


def live_of(data: Path) -> dict[str, Any]:
    with Engine.open(data, writable=False) as live:
        return memories(live)


def test_a_shadow_from_before_the_adoption_hears_nothing_of_either(data: Path) -> None:
    asyncio.run(derive(data, reader("adores", name="third"), "third", THIRD))
    run(data, "adopt", "--undo", "next")
    assert late(data, "third") == 0
