"""What no recorded run has read is read in its place, also of people and sessions of whom some run has read before;
what some run has read is left to that run.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from dnam.importers.source import Arrival, Arrived
from dnam.importing.importer import Importer
from dnam.learning.learner import Learner
from dnam.learning.tending import SUMMARY_PROMPT
from dnam.loops.extraction import ANYBODY, unread_by_compartment
from dnam.loops.summary import refresh_summary
from dnam.loops.summary_plan import plan_summary
from dnam.model import ExtractionInputs
from dnam.prompts import load
from dnam.rederiving.rederivation import rederiving
from dnam.shadows.manifest import Manifest
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import ExtractionAnswered
from projections.events.values import Audience
from projections.ids import NOBODY, EventId, Point, Ref
from projections.policies.learned_from import as_addressed
from projections.rederiving.covered import Reach
from replay.shadows.shadow import shadow_engine
from replay.units import tagged
from tests.dnam.rederiving.test_rederiving import OTHER, texts, told
from tests.dnam.rederiving.village import GENERAL, SETTINGS, Village, both, derive, reader
from tests.dnam.scripted import FakeClock, ScriptedModel, lines_of, settings
from tests.world import NOW

COURT = Ref("discord", "7")
YARD = PlaceSeen("discord", "71", "channel", "yard", "guild", guild=COURT, guild_name="Court")
WHO = ("kim", "ada")


def arrivals(place: PlaceSeen, number: int, what: str) -> Iterator[Arrival]:
    """Kim and Ada said so much there in turn, years before."""
    for key in range(number):
        who = WHO[key % 2]
        said = NOW - 400 * 86_400_000 + key * 60_000
        request = HeardRequest(
            f"{what}{key}",
            place,
            "person",
            Account("discord", who, who.title()),
            f"I like {what} number {key}",
            said,
            (),
        )
        yield Arrived(request)


async def learns(there: Village) -> None:
    await Learner(there.assistant).learn(lambda *_: None)


async def first(there: Village) -> None:
    await Importer(there.memory).bring(arrivals(GENERAL, 6, "tea"), lambda _: None)


async def second(there: Village) -> None:
    await Importer(there.memory).bring(arrivals(YARD, 6, "rain"), lambda _: None)


async def derived_with(path: Path, model: ScriptedModel, **values: str) -> None:
    """Derive it with other settings, into a shadow of their name."""
    name = "-".join(values.values())
    chosen = replace(SETTINGS, **{key: getattr(settings(**values), key) for key in values})
    async with rederiving(path, chosen, model, Manifest(name, OTHER, NOW, "", ""), FakeClock()) as there:
        await there.run(lambda *_: None)


def reads(path: Path, name: str) -> list[tuple[str, tuple[EventId, ...]]]:
    """What extractions in a shadow read, and where, in no order."""
    with shadow_engine(path, name) as shadow:
        events = [event for _, event in tagged(shadow, {ExtractionAnswered.TAG}, shadow.head().size)]
    return sorted((each.compartment, each.inputs) for each in events if isinstance(each, ExtractionAnswered))


def test_an_import_that_nobody_learned_from_is_read_though_its_people_were_learned_from_elsewhere(
    tmp_path: Path,
) -> None:
    told(tmp_path, first, learns, second)
    model = reader("enjoys", name="other")
    asyncio.run(derive(tmp_path, model, asked=OTHER))
    found = texts(both(tmp_path)[1])
    assert found == sorted(f"enjoys {what} number {key}" for what in ("rain", "tea") for key in range(6))
    told(tmp_path, learns)
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), "later", OTHER))
    assert both(tmp_path, "later")[1]["items"].keys() == both(tmp_path)[1]["items"].keys()
    assert reads(tmp_path, "later") == reads(tmp_path, "next")
    assert len(model.asks) == len({(ask.purpose, ask.prompt) for ask in model.asks})


def test_what_was_read_comes_out_the_same_beside_what_nobody_read(tmp_path: Path) -> None:
    """The live model's own words, and nothing that it replied to is asked again."""
    told(tmp_path / "a", first, learns)
    told(tmp_path / "b", first, learns, second)
    for folder in ("a", "b"):
        asyncio.run(derive(tmp_path / folder, reader("enjoys", name="other"), asked=OTHER))
    before, beside = (both(tmp_path / folder)[1] for folder in ("a", "b"))
    assert before["items"].values()
    assert texts(before) == [each for each in texts(beside) if "tea" in each]
    model = reader()
    asyncio.run(derive(tmp_path / "b", model, "same"))
    assert {inputs.user for inputs in model.given(ExtractionInputs)} == {"Kim", "Ada"}
    assert all("rain" in line.text for inputs in model.given(ExtractionInputs) for line in inputs.lines)
    live, shadow = both(tmp_path / "b", "same")
    assert live["items"].items() <= shadow["items"].items()
    told(tmp_path / "b", learns)
    again = reader()
    asyncio.run(derive(tmp_path / "b", again, "read"))
    live, shadow = both(tmp_path / "b", "read")
    assert (again.asks, shadow) == ([], live)


def test_the_estimate_counts_what_is_read_of_both_imports(tmp_path: Path) -> None:
    told(tmp_path, first, learns, second)

    async def made() -> tuple[int, int]:
        model = reader("enjoys", name="other")
        async with rederiving(tmp_path, SETTINGS, model, Manifest("next", OTHER, NOW, "", ""), FakeClock()) as there:
            return there.estimate().calls, (await there.run(lambda *_: None)).calls

    expected, calls = asyncio.run(made())
    assert expected == calls


def test_learning_that_was_broken_off_is_gone_on_with_behind_what_it_had_read(tmp_path: Path) -> None:
    async def begins_to_learn(there: Village) -> None:
        kim = await there.handle("kim")
        ((where, said),) = (
            await there.memory.look(lambda rows: unread_by_compartment(rows, kim, as_addressed, ANYBODY))
        ).items()
        await there.assistant.extract_from(kim, where, said[:2])
        few = there.assistant.refreshing()._replace(most_turns=2)
        audience = Audience("guild", Ref("discord", "1"))
        plan = await there.memory.look(lambda rows: plan_summary(rows, "discord:channel:1", audience, NOBODY, few))
        assert plan is not None
        await there.assistant.run(refresh_summary(plan, load(SUMMARY_PROMPT), "scripted", there.assistant.minting))

    told(tmp_path, first, begins_to_learn)
    model = reader("enjoys", name="other")
    asyncio.run(derive(tmp_path, model, asked=OTHER))
    of_kim = [inputs for inputs in model.given(ExtractionInputs) if inputs.user == "Kim"]
    assert [[line.text[-1] for line in inputs.lines] for inputs in of_kim] == [["0", "2"], ["4"]]
    summaries = map(lines_of, model.asked("summary"))
    assert [[line.text[-1] for line in lines] for lines in summaries] == [["0", "1"], ["2", "3", "4"], ["5"]]
    assert len(texts(both(tmp_path)[1])) == 6
    asked = len(model.asks)
    asyncio.run(derive(tmp_path, model, asked=OTHER))
    assert len(model.asks) == asked


def test_talk_that_dnam_does_not_learn_from_is_nobodys_lesson(tmp_path: Path) -> None:
    async def talks(there: Village) -> None:
        await there.say("kim", "I like green tea")
        await there.learn("kim")
        for what in ("old maps", "long walks", "plum juice", "rain"):
            there.said += 60_000
            await there.memory.heard(
                "kim", f"I like {what}", platform="discord", place=GENERAL, key=what, said=there.said, addressed=False
            )

    told(tmp_path, talks)
    for learn, expected in (("addressed", 1), ("none", 1), ("heard", 3)):
        model = reader("enjoys", name="other")
        asyncio.run(derived_with(tmp_path, model, learn=learn))
        assert len(model.asked("extraction")) == expected


def test_a_message_that_left_recall_with_what_was_taken_back_is_not_learned_from(tmp_path: Path) -> None:
    async def forgets(there: Village) -> None:
        await there.say("kim", "I like green tea")
        await there.learn("kim")
        await there.memory.forget(await there.handle("kim"), "likes green tea")
        for what in ("old maps", "long walks", "rain"):
            await there.say("kim", f"I like {what}")

    told(tmp_path, forgets)
    model = reader("enjoys", name="other")
    asyncio.run(derive(tmp_path, model, asked=msgspec.structs.replace(OTHER, cadence=3)))
    (lines,) = map(lines_of, model.asked("extraction"))
    assert [line.text for line in lines] == ["I like old maps", "I like long walks", "I like rain"]


def test_where_nothing_is_to_be_remembered_nothing_is_read(tmp_path: Path) -> None:
    told(tmp_path, first, learns, second)
    model = reader("enjoys", name="other")
    asyncio.run(derived_with(tmp_path, model, durable_memory_enabled="false"))
    assert all("tea" in line.text for inputs in model.given(ExtractionInputs) for line in inputs.lines)


@pytest.mark.parametrize(("said", "seq"), [(5, 0), (10, 0), (15, 7), (25, 9), (40, 9)])
def test_behind_which_run_a_message_is_read(said: int, seq: int) -> None:
    at = [Point(each, EventId(bytes(16))) for each in (10, 20, 30)]
    reach = Reach(zip(at, (7, 9, 8), strict=True))
    assert reach.behind(Point(said, EventId(bytes(16)))) == seq
    assert reach.farthest == at[-1]
