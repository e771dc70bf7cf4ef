"""A summary of a shadow that holds what was forgotten is made once more without it, so that it can be adopted; where it
cannot, that is told, and is no difference.
"""

import asyncio
from pathlib import Path

import msgspec
import pytest

from dnam.rederiving.rederivation import rederiving
from dnam.shadows.manifest import Asked, Manifest, exists, load
from tests.dnam.cli.memories import dnam
from tests.dnam.rederiving.test_rederiving import OTHER, told
from tests.dnam.rederiving.test_what_changes import delete_it
from tests.dnam.rederiving.village import ASKED, SETTINGS, Village, both, derive, reader
from tests.dnam.scripted import FakeClock, ScriptedModel
from tests.world import NOW

HELD = "it stays as it is: it tells something that was forgotten here"


async def forgotten(there: Village) -> None:
    """Kim says three things, which are learned from and summed up, and forgets one."""
    for what in ("tea", "rain", "snow"):
        await there.say("kim", f"I like {what}")
    await there.learn("kim")
    await there.summarise()
    await there.memory.forget(await there.handle("kim"), "likes rain")


async def all_forgotten(there: Village) -> None:
    await forgotten(there)
    for what in ("tea", "snow"):
        await there.memory.forget(await there.handle("kim"), f"likes {what}")


async def nothing_happens(_: Village) -> None:
    """The memory is opened, and closed."""


def summaries(path: Path) -> list[list[str]]:
    """Of the live memory, and of the shadow."""
    return [[text for text, _, _ in each["summaries"].values()] for each in both(path)]


def other() -> ScriptedModel:
    return reader("enjoys", name="other")


def asks(path: Path, model: ScriptedModel, asked: Asked = OTHER) -> int:
    """How many calls the estimate says that it takes."""

    async def estimated() -> int:
        manifest = load(path, "next") if exists(path, "next") else Manifest("next", asked, NOW, "", "")
        async with rederiving(path, SETTINGS, model, manifest, FakeClock()) as derivation:
            return derivation.estimate().calls

    return asyncio.run(estimated())


def adopt(path: Path, *options: str) -> str:
    ran = dnam("adopt", "next", "--yes", *options, "--data", path)
    assert ran.code == 0, ran.err
    return ran.out


def test_it_is_made_once_more_without_it_and_adopted(tmp_path: Path) -> None:
    told(tmp_path, forgotten)
    assert asks(tmp_path, other()) == 3  # an extraction, a summary, and that once more
    manifest = asyncio.run(derive(tmp_path, other(), asked=OTHER))
    assert manifest.calls == 3
    assert summaries(tmp_path) == [
        ["They likes: I like tea I like rain I like snow"],
        ["They enjoys: I like tea I like snow"],
    ]
    assert asks(tmp_path, other()) == 0
    model = other()
    assert asyncio.run(derive(tmp_path, model, asked=OTHER)).calls == 3
    assert model.asks == []
    assert "1 summary of sessions" in adopt(tmp_path)
    assert summaries(tmp_path)[0] == ["They enjoys: I like tea I like snow"]
    assert "Nothing differs from next that can be adopted." in adopt(tmp_path)
    assert dnam("diff", "--shadow", "next", "--data", tmp_path).code == 0


def test_by_the_same_model_nothing_differs_and_nobody_is_asked(tmp_path: Path) -> None:
    told(tmp_path, forgotten)
    model = reader()
    assert asks(tmp_path, model, ASKED) == 0
    assert asyncio.run(derive(tmp_path, model)).calls == 0
    assert model.asks == []
    live, shadow = summaries(tmp_path)
    assert live == shadow
    assert dnam("diff", "--shadow", "next", "--data", tmp_path).code == 0


def test_what_is_forgotten_after_a_shadow_was_made_leaves_with_the_next_walk(tmp_path: Path) -> None:
    async def before(there: Village) -> None:
        for what in ("tea", "rain"):
            await there.say("kim", f"I like {what}")
        await there.learn("kim")
        await there.summarise()

    async def after(there: Village) -> None:
        await there.memory.forget(await there.handle("kim"), "likes rain")

    told(tmp_path, before)
    first = asyncio.run(derive(tmp_path, other(), asked=OTHER))
    assert first.calls == 2
    told(tmp_path, after)
    ran = dnam("diff", "--shadow", "next", "--json", "--data", tmp_path)
    assert [each["held"] for each in ran.value["sessions"]] == ["it tells something that was forgotten here"]
    assert asks(tmp_path, other()) == 1
    assert asyncio.run(derive(tmp_path, other(), asked=OTHER)).calls == 3
    assert summaries(tmp_path)[1] == ["They enjoys: I like tea"]


def test_where_nothing_is_left_the_summary_stays_and_is_no_difference(tmp_path: Path) -> None:
    told(tmp_path, all_forgotten)
    asyncio.run(derive(tmp_path, other(), asked=OTHER))
    ran = dnam("diff", "--shadow", "next", "--data", tmp_path)
    assert ran.code == 0
    assert "nothing that could be adopted differs from the shadow 'next'" in ran.err
    assert HELD in ran.out
    value = dnam("diff", "--shadow", "next", "--json", "--data", tmp_path).value
    assert (value["differs"], value["summaries"]["changed"], len(value["sessions"])) == (False, 0, 1)
    assert HELD in dnam("diff", "--shadow", "next", "--html", "-", "--data", tmp_path).out
    left = adopt(tmp_path)
    assert "stays as it is here: it tells something that was forgotten here" in left
    assert "Nothing differs from next that can be adopted." in left


def test_a_summary_that_was_never_derived_anew_is_not_made_once_more(tmp_path: Path) -> None:
    told(tmp_path, forgotten)
    since = msgspec.structs.replace(OTHER, since=10_000)
    assert asks(tmp_path, other(), since) <= 1
    assert asyncio.run(derive(tmp_path, other(), asked=since)).calls == 0


@pytest.mark.parametrize("times", [1, 2])
def test_a_reply_that_cannot_be_used_leaves_it_as_it_was(tmp_path: Path, times: int) -> None:
    told(tmp_path, forgotten)
    model = other()
    summarise = model.scripts["summary"]
    model.scripts["summary"] = lambda ask: summarise(ask) if "I like rain" in ask.prompt else ""
    for _ in range(times):
        asyncio.run(derive(tmp_path, model, asked=OTHER))
        told(tmp_path, nothing_happens)
    assert summaries(tmp_path)[1] == ["They enjoys: I like tea I like rain I like snow"]
    assert dnam("diff", "--shadow", "next", "--data", tmp_path).code == 1  # of the items


def test_what_a_withdrawn_run_had_read_is_in_it_too(tmp_path: Path) -> None:
    """A run whose words are gone says no more what it had read, nor to the next walk."""

    async def before(there: Village) -> None:
        keys = [(await there.say("kim", f"I like {what}"), there.said) for what in ("tea", "rain", "snow")]
        await there.learn("kim")
        await there.summarise()
        await delete_it(there, *keys[0])

    async def after(there: Village) -> None:
        await there.memory.forget(await there.handle("kim"), "likes rain")

    told(tmp_path, before)
    asyncio.run(derive(tmp_path, other(), asked=OTHER))
    assert summaries(tmp_path)[1] == ["They enjoys: I like rain I like snow"]
    told(tmp_path, after)
    asyncio.run(derive(tmp_path, other(), asked=OTHER))
    assert summaries(tmp_path)[1] == ["They enjoys: I like snow"]
