"""Deriving a memory anew: by the same model the same, by another one what that one makes of it."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path

import msgspec
import pytest

from dnam.errors import CostsTooMuch
from dnam.loops.summary_source import Source, Taken
from dnam.memory import Memory
from dnam.model import Ask, Hear, Reply, unheard
from dnam.rederiving import walk
from dnam.rederiving.drive import Stopped
from dnam.rederiving.rederivation import rederiving
from dnam.rederiving.starting import Starting
from dnam.shadows.manifest import Manifest, load
from projections.events.values import Item
from projections.ids import Point
from projections.rederiving.schedule import Run
from projections.rows import Rows
from replay.errors import CannotWrite
from replay.shadows.store import ShadowLog
from tests.dnam.rederiving.village import (
    ASKED,
    SETTINGS,
    Village,
    both,
    derive,
    reader,
    talk,
    village,
)
from tests.dnam.scripted import Calling, FakeClock, ScriptedModel, down
from tests.world import NOW

Happening = Callable[[Village], Awaitable[None]]
OTHER = ASKED.__class__("other", "other", "extraction@4", "summary@2", "closeness@2")


def told(path: Path, *happenings: Happening, model: ScriptedModel | None = None) -> None:
    async def tell() -> None:
        async with village(path, model) as there:
            for each in happenings:
                await each(there)

    asyncio.run(tell())


def texts(memory: dict[str, dict[object, Item]], status: str = "active") -> list[str]:
    return sorted(item.text for item in memory["items"].values() if item.status == status)


def test_the_same_model_makes_the_same_memory_without_being_asked(tmp_path: Path) -> None:
    told(tmp_path, talk)
    model = reader()
    manifest = asyncio.run(derive(tmp_path, model))
    live, shadow = both(tmp_path)
    assert shadow == live
    assert len(texts(live)) == 4
    assert model.asks == []
    assert (manifest.state, manifest.calls, manifest.changed) == ("complete", 0, ())


async def summed_up(there: Village) -> None:
    """A channel is summed up again and again."""
    for number in range(4):
        for who in ("kim", "ada", "kim"):
            await there.say(who, f"I like walk {number}")
        await there.summarise()


@pytest.mark.parametrize("name", ["scripted", "other"])
def test_a_summary_reads_back_for_nothing_where_all_that_is_new_to_it_lies_behind_the_last_one(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(tmp_path, summed_up)
    read_back: list[int] = []
    recent = Source.recent

    def counted(source: Source, said: int, floor: Point | None) -> Taken:
        read_back.append(said)
        return recent(source, said, floor)

    monkeypatch.setattr(Source, "recent", counted)
    asyncio.run(derive(tmp_path, reader(name=name), asked=msgspec.structs.replace(ASKED, summary_model=name)))
    live, shadow = both(tmp_path)
    assert shadow["summaries"] == live["summaries"]
    assert read_back == []


def test_what_is_decided_anew_is_planned_in_its_decision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is waited for, nothing is looked at before: a run is handed over once."""
    told(tmp_path, talk)
    looked: list[object] = []
    look = Memory.look

    async def counted(memory: Memory, question: Callable[[Rows], object]) -> object:
        looked.append(question)
        return await look(memory, question)

    monkeypatch.setattr(Memory, "look", counted)
    apart = msgspec.structs.replace(ASKED, merge_policy="apart@1")
    model = reader()
    manifest = asyncio.run(derive(tmp_path, model, asked=apart))
    assert (looked, model.asks, manifest.runs > 5) == ([], [], True)
    live, shadow = both(tmp_path)
    assert shadow["summaries"] == live["summaries"]
    assert {"likes rain", "likes snow", "builds the bridge project"} <= set(texts(shadow))


async def test_where_several_decisions_fail_at_once_one_error_is_raised_and_the_others_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asyncio.to_thread(told, tmp_path, talk)
    unseen: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unseen.append(context))

    def refused(*_: object) -> None:
        raise CannotWrite("the disk is gone")

    monkeypatch.setattr(ShadowLog, "append", refused)
    with pytest.raises(CannotWrite, match="the disk is gone"):
        await derive(tmp_path, reader())
    gc.collect()
    await asyncio.sleep(0)
    assert unseen == []


class BrokenOff(Exception):
    """What breaks a derivation off."""


@pytest.mark.parametrize("policy", ["apart@1", "closeness@2"])
@pytest.mark.parametrize("together", [2, 9, walk.AT_ONCE])
def test_what_is_decided_anew_is_the_same_wherever_it_was_broken_off(
    tmp_path: Path, policy: str, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the end of every other run, and in front of the others."""
    told(tmp_path, talk)
    monkeypatch.setattr(walk, "AT_ONCE", together)
    monkeypatch.setattr(walk, "MOST_TOGETHER", max(together // 4, 1))
    asked = msgspec.structs.replace(ASKED, merge_policy=policy)

    async def broken_off(at: int) -> None:
        began = count(1)

        def tell(done: int, *_: int) -> None:
            if done == at and at % 2:
                raise BrokenOff

        def is_together(starting: Starting, run: Run) -> bool:
            if next(began) == at and not at % 2:
                raise BrokenOff
            return asked_of(starting, run)

        monkeypatch.setattr(Starting, "is_together", is_together)
        manifest = Manifest(f"at{at}", asked, NOW, "", "")
        with pytest.raises(BrokenOff):
            async with rederiving(tmp_path, SETTINGS, reader(), manifest, FakeClock()) as derivation:
                await derivation.run(tell)

    asked_of = Starting.is_together
    runs = asyncio.run(derive(tmp_path, reader(), "whole", asked)).runs
    whole = both(tmp_path, "whole")[1]
    for at in range(1, runs + 1):
        asyncio.run(broken_off(at))
        monkeypatch.setattr(Starting, "is_together", asked_of)
        asyncio.run(derive(tmp_path, reader(), f"at{at}", asked))
        assert both(tmp_path, f"at{at}")[1] == whole, at


def test_another_model_makes_what_it_makes_and_what_people_decided_stands(tmp_path: Path) -> None:
    told(tmp_path, talk)
    model = reader("enjoys", name="other")
    manifest = asyncio.run(derive(tmp_path, model, asked=OTHER))
    live, shadow = both(tmp_path)
    assert texts(live) == [
        "builds the bridge project",
        "likes green tea with milk",
        "likes rain",
        "likes snow",
    ]
    assert texts(shadow) == [
        "builds the bridge project",
        "enjoys green tea with milk",
        "enjoys rain",
        "enjoys snow",
    ]
    assert set(texts(shadow, "forgotten")) >= {"enjoys long walks"}
    assert all("enjoy" in text for text, _, _ in shadow["summaries"].values())
    assert manifest.calls == len(model.asks) > 5


def test_it_does_not_matter_what_the_live_models_replied(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"

    async def people_alone(there: Village) -> None:
        for number, text in enumerate(("I like green tea", "I like rain", "I like snow", "I like long walks")):
            await there.say(("kim", "ada")[number % 2], text)
            await there.learn(("kim", "ada")[number % 2])
        await there.memory.remember(await there.handle("kim"), "builds the bridge project")
        await there.summarise()

    told(good, people_alone)
    told(bad, people_alone, model=reader("hates"))
    for path in (good, bad):
        asyncio.run(derive(path, reader("enjoys", name="other"), asked=OTHER))
    shadows = [both(path)[1] for path in (good, bad)]
    assert texts(shadows[0]) == texts(shadows[1])
    assert [each[0] for each in shadows[0]["summaries"].values()] == [
        each[0] for each in shadows[1]["summaries"].values()
    ]


def test_a_model_that_is_down_breaks_it_off_and_it_goes_on_without_asking_twice(tmp_path: Path) -> None:
    told(tmp_path, talk)
    working, broken = reader("enjoys", name="other"), reader("enjoys", name="other")
    extract = broken.scripts["extraction"]

    def sometimes(ask: Ask) -> str | Calling:
        if len(broken.asked("extraction")) > 2:
            return down(ask)
        return extract(ask)

    broken.scripts["extraction"] = sometimes
    with pytest.raises(Stopped, match="other cannot be asked"):
        asyncio.run(derive(tmp_path, broken, asked=OTHER))
    answered = [*(ask for ask in broken.asks if ask.purpose != "extraction"), *broken.asked("extraction")[:2]]
    assert load(tmp_path, "next").state == "under way"
    manifest = asyncio.run(derive(tmp_path, working, asked=OTHER))
    prompts = [ask.prompt for ask in (*answered, *working.asks)]
    assert len(set(prompts)) == len(prompts)
    assert manifest.calls == len(prompts)
    whole = tmp_path / "whole"
    told(whole, talk)
    asyncio.run(derive(whole, reader("enjoys", name="other"), asked=OTHER))
    assert texts(both(tmp_path)[1]) == texts(both(whole)[1])


def test_it_stops_before_it_costs_more_than_it_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told(tmp_path, talk)
    model = reader("enjoys", name="other")
    cheap = model.ask

    async def dear(ask: Ask, hear: Hear = unheard) -> Reply:
        return msgspec.structs.replace(await cheap(ask, hear), cost_micros=1000)

    monkeypatch.setattr(model, "ask", dear)
    with pytest.raises(CostsTooMuch, match="--max-cost"):
        asyncio.run(derive(tmp_path, model, asked=OTHER, most_micros=3000, at_once=1))
    assert load(tmp_path, "next").cost_micros <= 3000
    with pytest.raises(CostsTooMuch):
        asyncio.run(derive(tmp_path, model, asked=OTHER, most_micros=3000, at_once=1))
    assert asyncio.run(derive(tmp_path, model, asked=OTHER)).cost_micros > 3000


def test_what_is_appended_meanwhile_is_caught_up_with(tmp_path: Path) -> None:
    told(tmp_path, talk)
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))

    async def later(there: Village) -> None:
        there.said += 86_400_000
        await there.say("ada", "I like old maps")
        await there.learn("ada")
        await there.memory.forget(await there.handle("ada"), "likes snow")

    told(tmp_path, later)
    before = load(tmp_path, "next").upto
    model = reader("enjoys", name="other")
    manifest = asyncio.run(derive(tmp_path, model, asked=OTHER))
    assert manifest.upto > before
    assert [ask.purpose for ask in model.asks] == ["extraction", "summary"]  # once more, without what she forgot
    shadow = both(tmp_path)[1]
    assert "enjoys old maps" in texts(shadow)
    assert set(texts(shadow, "forgotten")) >= {"enjoys long walks", "enjoys snow"}
