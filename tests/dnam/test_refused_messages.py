"""One message that a model will not read does not stop the loops: it is found, passed over, and that is recorded. What
one model or prompt passed over another reads, and the same one where it is asked for by hand.
"""

from pathlib import Path

import pytest

from dnam.assistant import Assistant
from dnam.commands.command import Invocation
from dnam.commands.table import read as read_command
from dnam.commands.table import run
from dnam.doctor import learning
from dnam.learning.learner import Learner
from dnam.model import Ask, Reply, SummaryInputs, unheard
from projections.decisions.place import PlaceSeen
from projections.events import ExtractionAnswered, ExtractionFailed, SummaryFailed, SummaryRefreshed
from projections.fruitless import PASSED_OVER, SHOWN
from projections.ids import MINUTE_MS, Ref
from projections.policies.compartments import place_item
from tests.dnam.doctor.patients import looked, patient
from tests.dnam.scripted import FakeClock, ScriptedModel, down, lines_of, talking
from tests.dnam.test_loops import recorded
from tests.world import NOW

GUILD = Ref("local", "garden")
ROOM = PlaceSeen("local", "general", "channel", "general", "guild", guild=GUILD, guild_name="Garden")
BY_HAND = {"summary_every_n_turns": "1000", "durable_every_n_turns": "1000"}
POISON = "the words that no model reads"
TALK = [*(f"before {n}" for n in range(20)), POISON, *(f"after {n}" for n in range(20))]


class Refusing(ScriptedModel):
    """A model that declines whatever holds those words."""

    async def ask(self, ask: Ask, hear: object = unheard) -> Reply:
        reply = await super().ask(ask)
        if POISON not in ask.prompt:
            return reply
        return Reply("", self.name, self.version, tokens_in=3, stop="refusal")


def read(model: ScriptedModel, purpose: str, *, worked: bool = True) -> list[str]:
    """What was in the prompts that the model did not decline, in order."""
    asks = [ask for ask in model.asked(purpose) if (POISON not in ask.prompt) == worked]
    return [line.text for ask in asks for line in lines_of(ask) if not line.assistant]


async def test_an_extraction_finds_the_message_and_goes_on_without_it(tmp_path: Path) -> None:
    model = Refusing()
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        heard = [await assistant.memory.heard("ada", text) for text in TALK]
        while await assistant.extract(heard[0].person):
            assert len(model.asks) < 40
        assert read(model, "extraction") == [text for text in TALK if text != POISON]
        errors = [each.error for each in recorded(assistant, ExtractionFailed)]
        assert [error.endswith(PASSED_OVER) for error in errors] == [False] * (len(SHOWN) - 1) + [True]
        assert "declined" in errors[-1]


async def test_a_summary_finds_the_message_and_goes_on_without_it(tmp_path: Path) -> None:
    model = Refusing()
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        heard = [await assistant.memory.heard("ada", text, place=ROOM) for text in TALK]
        session, audience = heard[0].session, heard[0].setting.audience
        for _ in range(40):
            await assistant.summarise(session, audience, heard[0].person)
        assert read(model, "summary") == [text for text in TALK if text != POISON]
        errors = [each.error for each in recorded(assistant, SummaryFailed)]
        assert [error.endswith(PASSED_OVER) for error in errors] == [False] * (len(SHOWN) - 1) + [True]


async def test_a_new_era_waits_until_the_message_is_found_so_that_nothing_older_is_passed_over(tmp_path: Path) -> None:
    model = Refusing()
    async with talking(tmp_path, model, None, era_refreshes="1", **BY_HAND) as assistant:

        async def refreshes(text: str) -> bool:
            await assistant.memory.heard("ada", text, place=ROOM)
            return await assistant.summarise(first.session, first.setting.audience, first.person)

        first = await assistant.memory.heard("ada", "an older word", place=ROOM)
        assert await refreshes("and another")
        for text in (POISON, *(f"then {n}" for n in range(len(SHOWN) - 1))):
            assert not await refreshes(text)
        assert await refreshes("and so on")
        assert await refreshes("in a new era")
        found, anew = (each.inputs for each in model.asked("summary")[-2:])
        assert isinstance(found, SummaryInputs)
        assert isinstance(anew, SummaryInputs)
        assert (found.previous, anew.previous) == ("They talked.", "")
        assert [line.text for line in anew.lines] == [
            *("an older word", "and another", *(f"then {n}" for n in range(len(SHOWN) - 1))),
            *("and so on", "in a new era"),
        ]


async def test_a_service_that_is_down_costs_no_message(tmp_path: Path) -> None:
    model = ScriptedModel({"extraction": down, "summary": down})
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        heard = await assistant.memory.heard("ada", "I like tea")
        for _ in range(len(SHOWN) + 2):
            await assistant.extract(heard.person)
            await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        model.scripts.clear()
        (learned,) = await assistant.extract(heard.person)
        assert learned.error == ""
        assert await assistant.summarise(heard.session, heard.setting.audience, heard.person)


async def test_an_empty_summary_counts_too(tmp_path: Path) -> None:
    model = ScriptedModel({"summary": lambda _: " "})
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        heard = await assistant.memory.heard("ada", "I like tea")
        for _ in range(len(SHOWN) + 2):
            await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        assert len(model.asked("summary")) == len(SHOWN)
        assert all("empty" in each.error for each in recorded(assistant, SummaryFailed))


def prose(_: Ask) -> str:
    return "Certainly! Here is what I found."


PROSE = {"extraction": prose, "summary": lambda _: " "}
"""A model that is of no use: it answers in prose, and sums up nothing."""
LATER = NOW + 1_000_000
SAID = tuple(f"word {n}" for n in range(4))


async def passed_over(assistant: Assistant) -> None:
    """Four messages, all of which this model is shown in vain until they are passed over."""
    heard = [await assistant.memory.heard("ada", text) for text in SAID][-1]
    for _ in range(len(SAID) * len(SHOWN)):
        await assistant.extract(heard.person)
        await assistant.summarise(heard.session, heard.setting.audience, heard.person)
    learned, summed_up = recorded(assistant, ExtractionFailed), recorded(assistant, SummaryFailed)
    errors = [*(each.error for each in learned), *(each.error for each in summed_up)]
    assert sum(error.endswith(PASSED_OVER) for error in errors) == 2 * len(SAID)


async def cycle(assistant: Assistant, text: str) -> None:
    """Something more is said, and the loops run once."""
    heard = await assistant.memory.heard("ada", text)
    await assistant.extract(heard.person)
    await assistant.summarise(heard.session, heard.setting.audience, heard.person)


def lines_read(model: ScriptedModel, purpose: str) -> list[str]:
    return [line.text for ask in model.asked(purpose) for line in lines_of(ask)]


async def test_what_a_wrong_model_passed_over_the_next_one_reads(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel(dict(PROSE)), None, **BY_HAND) as assistant:
        await passed_over(assistant)
    right = ScriptedModel(name="another")
    async with talking(tmp_path, right, FakeClock(LATER), **BY_HAND) as assistant:
        await cycle(assistant, "and more")
        assert lines_read(right, "extraction") == lines_read(right, "summary") == [*SAID, "and more"]


async def test_what_a_summary_went_by_the_next_model_reads_too(tmp_path: Path) -> None:
    """It lies behind what the summary reached: it is read by itself, and the summary so far is kept."""
    wrong = ScriptedModel(dict(PROSE))
    async with talking(tmp_path, wrong, None, **BY_HAND) as assistant:
        await passed_over(assistant)
        wrong.scripts.clear()
        await cycle(assistant, "and more")
        assert lines_read(wrong, "summary")[-1:] == ["and more"]
    right = ScriptedModel({"summary": lambda _: "They talked again."}, name="another")
    async with talking(tmp_path, right, FakeClock(LATER), **BY_HAND) as assistant:
        await cycle(assistant, "to go on")
        await cycle(assistant, "and on")
        first, second = (each.inputs for each in right.asked("summary"))
        assert isinstance(first, SummaryInputs)
        assert isinstance(second, SummaryInputs)
        assert (first.previous, [line.text for line in first.lines]) == ("They talked.", list(SAID))
        assert (second.previous, [line.text for line in second.lines]) == ("They talked again.", ["to go on", "and on"])
        assert set(SAID) < set(lines_read(right, "extraction"))


async def test_what_nobody_can_read_does_not_keep_the_summary_from_going_on(tmp_path: Path) -> None:
    """A second model is shown it once between others, fewer of it each time, until it is passed over there too."""
    first = Refusing()
    async with talking(tmp_path, first, None, **BY_HAND) as assistant:
        for text in (POISON, *(f"then {n}" for n in range(len(SHOWN)))):
            await cycle(assistant, text)
        assert len(recorded(assistant, SummaryRefreshed)) == 1
    second = Refusing(name="another")
    async with talking(tmp_path, second, FakeClock(LATER), **BY_HAND) as assistant:
        for n in range(2 * len(SHOWN) + 3):
            await cycle(assistant, f"later {n}")
        assert len(read(second, "summary", worked=False)) == len(SHOWN)
        goes_on = [*(f"then {n}" for n in range(len(SHOWN))), *(f"later {n}" for n in range(2 * len(SHOWN) + 3))]
        assert [*read(first, "summary"), *read(second, "summary")] == goes_on
        assert len(read(second, "extraction", worked=False)) >= len(SHOWN)


async def test_another_version_of_a_prompt_reads_what_was_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel(dict(PROSE))
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        await passed_over(assistant)
        model.scripts.clear()
        await cycle(assistant, "not yet")
        assert lines_read(model, "extraction")[-1:] == ["not yet"]
        monkeypatch.setattr("dnam.learning.tending.EXTRACTION_PROMPT", "extraction@2")
        await cycle(assistant, "now")
        assert lines_read(model, "extraction")[-5:] == [*SAID, "now"]


async def test_a_server_that_calls_its_model_otherwise_than_it_is_asked_for_is_known_by_that(tmp_path: Path) -> None:
    class Renaming(Refusing):
        async def ask(self, ask: Ask, hear: object = unheard) -> Reply:
            reply = await super().ask(ask)
            return Reply(reply.text, "a name of its own", "1", tokens_in=3, stop=reply.stop)

    model = Renaming(paid=True)
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        heard = [await assistant.memory.heard("ada", text) for text in TALK]
        while await assistant.extract(heard[0].person):
            assert len(model.asks) < 40
        assert read(model, "extraction") == [text for text in TALK if text != POISON]


async def test_who_has_it_learned_by_hand_gets_it_tried_once_more(tmp_path: Path) -> None:
    model = ScriptedModel(dict(PROSE))
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        await passed_over(assistant)
        asked = len(model.asks)
        learner = Learner(assistant)
        estimate = await assistant.memory.look(learner.estimate)
        assert (estimate.extractions, estimate.summaries) == (len(SAID), len(SAID))
        learned = await learner.learn(lambda *_: None)
        assert len(learned.errors) == len(SAID) + 1
        assert len(model.asks) - asked == 2 * len(SAID)
        assert not recorded(assistant, ExtractionAnswered)
        model.scripts.clear()
        learned = await learner.learn(lambda *_: None)
        assert (learned.errors, learned.extractions, learned.summaries) == ((), len(SAID), len(SAID))
        assert lines_read(model, "extraction")[-4:] == lines_read(model, "summary")[-4:] == list(SAID)
        assert (await assistant.memory.look(learner.estimate)).calls == 0


async def test_one_that_is_passed_over_and_stays_so_keeps_nothing_else_from_being_learned(tmp_path: Path) -> None:
    model = Refusing()
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        for text in (POISON, *(f"then {n}" for n in range(len(SHOWN)))):
            await cycle(assistant, text)
        await assistant.memory.heard("ada", "and more")
        learned = await Learner(assistant).learn(lambda *_: None)
        assert len(learned.errors) == 2
        assert (read(model, "extraction")[-1], read(model, "summary")[-1]) == ("and more", "and more")


async def test_who_asks_for_an_extraction_gets_some_tried_once_more_and_others_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dnam.learning.tending.MOST_AGAIN", 3)
    model = ScriptedModel(dict(PROSE))
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        await passed_over(assistant)
        ada, asked = await assistant.memory.person("ada"), len(model.asks)
        for _ in range(2):
            assert len(await assistant.extract(ada, passed_over=True)) == 3
        assert [len(lines_of(each)) for each in model.asks[asked:]] == [1] * 6
        assert {line.text for each in model.asks[asked:] for line in lines_of(each)} == set(SAID)
        assert await assistant.extract(ada) == []


async def test_who_asks_for_an_extraction_is_told_when_what_failed_is_tried_again(tmp_path: Path) -> None:
    """Also where the service is down when what is passed over is asked for: that is no more tried by itself."""
    script, call = PROSE["extraction"], read_command("!memory extract")
    assert call is not None
    model, clock = ScriptedModel({"extraction": script}), FakeClock()
    async with talking(tmp_path, model, clock, **BY_HAND) as assistant:
        heard = await assistant.memory.heard("ada", "I like tea")
        told = []
        for tried in range(len(SHOWN) + 2):
            if tried == len(SHOWN) + 1:
                model.scripts["extraction"] = down
            clock.time += MINUTE_MS + 1
            reply = await run(assistant, Invocation(heard.setting, heard.session, is_told_why=True), call)
            assert (reply.failed, reply.text.startswith("Some of it could not be read: ")) == (True, True)
            told.append(reply.text.rpartition(". It is ")[2])
        again = "passed over from now on: only `extract`, or another model, tries it again."
        assert told == ["tried again later."] * (len(SHOWN) - 1) + [again] * 3


async def test_what_is_passed_over_elsewhere_takes_no_turn_from_what_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dnam.learning.tending.MOST_AGAIN", 3)
    model = ScriptedModel(dict(PROSE))
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        await passed_over(assistant)
        heard = await assistant.memory.heard("ada", "said in the room", place=ROOM, addressed=True)
        for _ in SHOWN:
            await assistant.extract(heard.person)
        asked = len(model.asks)
        room = {place_item(heard.setting)}
        assert len(await assistant.extract(heard.person, room, passed_over=True)) == 1
        assert [line.text for each in model.asks[asked:] for line in lines_of(each)] == ["said in the room"]


class TestDoctor:
    async def test_what_is_passed_over(self, tmp_path: Path) -> None:
        wrong = ScriptedModel(dict(PROSE))
        async with talking(tmp_path, wrong, None, **BY_HAND) as assistant:
            await passed_over(assistant)
        learned, summed_up = await learning.passed_over(patient(tmp_path))
        assert learned.state == summed_up.state == "doubt"
        assert learned.what.startswith("4 messages passed over in learning from what people said: scripted, asked with")
        assert summed_up.what.startswith("4 messages passed over in summaries: scripted, asked with summary@")
        assert ("DNAM_DURABLE_MODEL" in learned.do, "DNAM_SUMMARY_MODEL" in summed_up.do) == (True, True)
        assert "`dnam learn` tries each once more" in learned.do

    async def test_what_was_read_since(self, tmp_path: Path) -> None:
        async with talking(tmp_path, ScriptedModel(dict(PROSE)), None, **BY_HAND) as assistant:
            await passed_over(assistant)
        async with talking(tmp_path, ScriptedModel(name="another"), FakeClock(LATER), **BY_HAND) as assistant:
            await cycle(assistant, "and more")
        assert (await looked(learning.passed_over, patient(tmp_path))).state == "well"

    async def test_no_log(self, tmp_path: Path) -> None:
        assert (await looked(learning.passed_over, patient(tmp_path / "none"))).state == "skipped"
