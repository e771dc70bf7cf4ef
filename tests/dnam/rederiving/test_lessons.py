"""What no recorded run has read, and everything where another cadence is asked for, is read in its place: before what
people decided later, and behind what they had decided.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from dnam.importers.source import Arrival, Arrived
from dnam.importing.importer import Importer
from dnam.model import ExtractionInputs, SummaryInputs
from dnam.rederiving.rederivation import rederiving
from dnam.settings import Settings
from dnam.shadows.manifest import Manifest
from projections.config import Scope
from projections.decisions.configure import ConfigRequest, configure
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import ExtractionAnswered, ItemEvent, MessageHeard, SummaryAnswered
from projections.events.values import OPERATOR
from projections.items import items_of
from replay.engine import Engine
from replay.shadows.shadow import shadow_engine
from replay.units import units
from tests.dnam.rederiving.test_rederiving import OTHER, texts, told
from tests.dnam.rederiving.village import GENERAL, SETTINGS, Village, both, derive, reader
from tests.dnam.scripted import FakeClock, ScriptedModel, lines_of
from tests.world import NOW

BY_TWOS = msgspec.structs.replace(OTHER, cadence=2)


def happened(path: Path, name: str = "next") -> list[str | int]:
    """What extractions read (how many messages) and people decided in a shadow, in the order of its log."""
    found: list[str | int] = []
    with shadow_engine(path, name) as shadow:
        for unit in units(shadow, 0, shadow.head().size):
            event = unit.told[0].event
            if isinstance(event, ExtractionAnswered):
                found.append(len(event.inputs))
            if isinstance(event, ItemEvent) and event.intent is not None:
                found.append(event.intent.action)
    return found


async def reword(there: Village, who: str, text: str, instead: str) -> None:
    person = await there.handle(who)
    (id_,) = await there.memory.look(
        lambda rows: [each.row.item.id for each in items_of(rows, person) if each.row.item.text == text]
    )
    await there.memory.edit(person, id_, instead)


async def changed_their_mind(there: Village) -> None:
    """Kim changes and forgets what was learned, and says more."""
    await there.say("kim", "I like green tea")
    await there.say("kim", "I like long walks")
    await there.learn("kim")
    await reword(there, "kim", "likes long walks", "collects stamps")
    await there.memory.forget(await there.handle("kim"), "likes green tea")
    await there.say("kim", "I like old maps")
    await there.say("kim", "I like rain")
    await there.learn("kim")


def test_at_another_cadence_people_decide_on_what_was_made_of_the_words_before(tmp_path: Path) -> None:
    told(tmp_path, changed_their_mind)
    model = reader("enjoys", name="other")
    asyncio.run(derive(tmp_path, model, asked=BY_TWOS))
    shadow = both(tmp_path)[1]
    assert happened(tmp_path) == [2, "edit", "forget", 2]
    assert texts(shadow) == ["collects stamps", "enjoys old maps", "enjoys rain"]
    assert texts(shadow, "forgotten") == ["enjoys green tea", "likes green tea"]


def test_who_was_never_learned_from_is_read_whenever_there_is_enough(tmp_path: Path) -> None:
    async def unlearned(there: Village) -> None:
        await there.say("ada", "I like snow")
        await there.say("ada", "I like rain")
        ada = await there.handle("ada")
        await there.memory.remember(ada, "keeps bees")
        await there.say("ada", "I like bread")
        await there.memory.forget(ada, "keeps bees")
        await there.say("ada", "I like cats")
        await there.say("ada", "I like tea")

    told(tmp_path, unlearned)
    model = reader("enjoys", name="other")
    asyncio.run(derive(tmp_path, model, asked=OTHER))
    assert happened(tmp_path) == [2, "remember", "forget", 2, 1]
    assert texts(both(tmp_path)[1]) == [f"enjoys {what}" for what in ("bread", "cats", "rain", "snow", "tea")]


def arrivals(number: int) -> Iterator[Arrival]:
    """Kim said so much, years before: the latest first."""
    for key in reversed(range(number)):
        account = Account("discord", "kim", "Kim")
        said = NOW - 400 * 86_400_000 + key * 60_000
        yield Arrived(HeardRequest(f"old{key}", GENERAL, "person", account, f"I like tea number {key}", said, ()))


async def imported(there: Village) -> None:
    await Importer(there.memory).bring(arrivals(5), lambda _: None)


def test_an_import_is_read_where_it_ended_by_when_things_were_said(tmp_path: Path) -> None:
    async def decides(there: Village) -> None:
        await there.memory.remember(await there.handle("kim"), "keeps bees")
        await there.say("kim", "I like cats")

    told(tmp_path, imported, decides)
    model = reader("enjoys", name="other")
    asyncio.run(derive(tmp_path, model, asked=OTHER))
    assert happened(tmp_path) == [2, 2, 1, "remember", 1]
    lines = [[line.text for line in inputs.lines] for inputs in model.given(ExtractionInputs)]
    assert lines[:3] == [[f"I like tea number {key}" for key in some] for some in ((0, 1), (2, 3), (4,))]
    summaries = [ask for ask in model.asks if ask.purpose == "summary"]
    assert [len(lines_of(ask)) for ask in summaries] == [3, 2, 1]


def test_what_was_too_little_is_read_with_what_comes_later(tmp_path: Path) -> None:
    async def begins(there: Village) -> None:
        await there.say("ada", "I like snow")

    async def goes_on(there: Village) -> None:
        there.said += 86_400_000
        await there.say("ada", "I like rain")
        await there.say("ada", "I like tea")

    told(tmp_path, begins)
    model = reader("enjoys", name="other")
    asyncio.run(derive(tmp_path, model, asked=OTHER))
    assert model.asks == []
    told(tmp_path, goes_on)
    asyncio.run(derive(tmp_path, model, asked=OTHER))
    assert happened(tmp_path) == [2, 1]
    assert len(model.asked("summary")) == 1
    asked = len(model.asks)
    asyncio.run(derive(tmp_path, model, asked=OTHER))
    assert len(model.asks) == asked


def test_the_estimate_says_how_often_another_cadence_asks(tmp_path: Path) -> None:
    told(tmp_path, changed_their_mind)

    async def made() -> tuple[int, int]:
        model = reader("enjoys", name="other")
        manifest = Manifest("next", BY_TWOS, NOW, "", "")
        async with rederiving(tmp_path, SETTINGS, model, manifest, FakeClock()) as derivation:
            expected = derivation.estimate().calls
            return expected, (await derivation.run(lambda *_: None)).calls

    expected, calls = asyncio.run(made())
    assert expected == calls == 4  # two extractions, two summaries
    with shadow_engine(tmp_path, "next") as shadow:
        events = [told.event for unit in units(shadow, 0, shadow.head().size) for told in unit.told]
    assert sum(isinstance(event, SummaryAnswered) for event in events) == 2


def test_who_may_not_be_learned_from_is_not_and_a_narrowed_place_keeps_its_words(tmp_path: Path) -> None:
    async def closed(there: Village) -> None:
        await there.say("ada", "I like snow")
        ada = await there.handle("ada")
        request = ConfigRequest(
            Scope("person", person=ada), "learn", "none", OPERATOR, there.memory.origin(), there.said
        )
        await there.memory.record(lambda rows: configure(rows, request))
        await there.say("ada", "I like rain")
        await there.say("kim", "I like green tea")
        await there.say("kim", "I like long walks", GENERAL._replace(audience="channel"))

    told(tmp_path, closed)
    model = reader("enjoys", name="other")
    asyncio.run(derive(tmp_path, model, asked=OTHER))
    assert [inputs.user for inputs in model.given(ExtractionInputs)] == ["Kim"]
    assert [where.rpartition("/channel/")[2] for _, where, _ in both(tmp_path)[1]["items"]] == ["discord:1"] * 2


def test_what_one_extraction_has_no_room_for_is_another_one(tmp_path: Path) -> None:
    async def talkative(there: Village) -> None:
        for number in range(5):
            await there.say("ada", f"I like rain number {number}. " + "It falls and falls. " * 480)

    told(tmp_path, talkative)
    asked = msgspec.structs.replace(OTHER, cadence=4)
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=asked))
    assert sum(each for each in happened(tmp_path) if isinstance(each, int)) == 5
    assert len(happened(tmp_path)) > 2


async def few(there: Village) -> None:
    """Kim said a little in each place, was learned from, and goes on where nobody is asked any more."""
    direct = PlaceSeen("discord", "", "direct", "", "direct", partner=Account("discord", "kim", "Kim"))
    for what in ("green tea", "old maps"):
        await there.say("kim", f"I like {what}", direct)
    await there.say("ada", "I like rain")
    await there.learn("kim")
    await there.learn("ada")
    await there.summarise()
    await there.say("tobi", "I like chess")


@pytest.mark.parametrize("cadence", [2, 3, 50])
def test_what_a_run_had_read_is_read_at_every_cadence(tmp_path: Path, cadence: int) -> None:
    """Also where there is never as much as is read at a time. Of Tobi, whom no run had read, it is too little yet."""
    told(tmp_path, few)
    model = reader("enjoys", name="other")
    asyncio.run(derive(tmp_path, model, asked=msgspec.structs.replace(OTHER, cadence=cadence)))
    live, shadow = both(tmp_path)
    assert texts(live) == ["likes green tea", "likes old maps", "likes rain"]
    assert texts(shadow) == ["enjoys green tea", "enjoys old maps", "enjoys rain"]
    assert len(live["summaries"]) == len(shadow["summaries"]) == 1
    assert happened(tmp_path) == [2, 1]


async def ten(there: Village) -> None:
    """Kim says ten things; every other one is learned from and summed up together with the one before."""
    for number in range(10):
        await there.say("kim", f"I like tea number {number}")
        if number % 2:
            await there.learn("kim")
            await there.summarise()


def heard_at(path: Path) -> list[int]:
    """Where messages stand in a live log, in order."""
    with Engine.open(path, writable=False) as live:
        every = (told for unit in units(live, 0, live.head().size) for told in unit.told)
        return [each.seq for each in every if isinstance(each.event, MessageHeard)]


def lines_read(model: ScriptedModel, purpose: str) -> list[list[str]]:
    """What each call was about, by the last word of each line."""
    inputs = (ask.inputs for ask in model.asks if ask.purpose == purpose)
    every = (each.lines for each in inputs if isinstance(each, ExtractionInputs | SummaryInputs))
    return [[line.text.rpartition(" ")[2] for line in lines] for lines in every]


def derived(path: Path, since: int, cadence: int = 0, chosen: Settings = SETTINGS) -> tuple[ScriptedModel, int]:
    """By another model from a seq on: the model, and how many calls were expected."""
    model = reader("enjoys", name="other")
    asked = msgspec.structs.replace(OTHER, since=since, cadence=cadence)

    async def deriving() -> int:
        async with rederiving(path, chosen, model, Manifest("next", asked, NOW, "", ""), FakeClock()) as there:
            expected = there.estimate()
            await there.run(lambda *_: None)
            return expected.calls

    return model, asyncio.run(deriving())


def test_at_another_cadence_too_nothing_is_read_that_was_recorded_before_what_is_derived_anew(tmp_path: Path) -> None:
    told(tmp_path, ten)
    since = heard_at(tmp_path)[6] - 1  # six were learned from
    model, expected = derived(tmp_path, since, cadence=3)
    assert lines_read(model, "extraction") == [["6", "7", "8"], ["9"]]
    assert lines_read(model, "summary") == [["6", "7", "8"], ["9"]]
    assert expected == len(model.asks)
    live, shadow = both(tmp_path)
    assert texts(shadow) == sorted(
        [f"enjoys tea number {number}" for number in range(6, 10)]
        + [f"likes tea number {number}" for number in range(6)]
    )
    before = next(ask.inputs for ask in model.asks if ask.purpose == "summary")
    assert isinstance(before, SummaryInputs)
    assert before.previous.endswith("I like tea number 4 I like tea number 5")
    assert len(live["summaries"]) == len(shadow["summaries"]) == 1


def test_what_a_run_read_behind_that_is_read_though_it_was_said_before(tmp_path: Path) -> None:
    told(tmp_path, ten)
    since = heard_at(tmp_path)[6]  # the run that reads it comes behind it
    model, expected = derived(tmp_path, since, cadence=3)
    assert lines_read(model, "extraction") == lines_read(model, "summary") == [["6", "7", "8"], ["9"]]
    assert expected == len(model.asks)


def test_what_nobody_learned_from_before_it_is_left_too(tmp_path: Path) -> None:
    async def unread(there: Village) -> None:
        for number in range(5):
            await there.say("ada", f"I like tea number {number}")

    told(tmp_path, unread)
    model, expected = derived(tmp_path, heard_at(tmp_path)[2])
    assert lines_read(model, "extraction") == [["3", "4"]]
    assert expected == len(model.asks)


def test_a_summary_that_begins_anew_knows_what_those_before_it_knew(tmp_path: Path) -> None:
    """Also where these stay as they were recorded."""
    told(tmp_path, ten)
    model, _ = derived(tmp_path, heard_at(tmp_path)[8] - 1, chosen=replace(SETTINGS, era_refreshes=4))
    assert lines_read(model, "summary") == [[str(number) for number in range(10)]]
