"""A reply that waits for an encoder was paid for: whatever ends the program then, it is gone on with afterwards, and
nobody is asked for it again.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dnam.assistant import Assistant
from dnam.learning import tending
from dnam.loops import unmerged
from dnam.loops.kept import CHANGED
from dnam.loops.loop import Compare, Compared, Loop, Outcome
from dnam.model import Ask, ExtractionInputs, OverBudget
from dnam.prompts import load
from projections.calls import calls
from projections.events import (
    Event,
    ExtractionAnswered,
    ExtractionFailed,
    ExtractionReplied,
    ItemMerged,
    MergeAnswered,
    MergeFailed,
    MergeReplied,
)
from projections.rows import Rows
from tests.dnam.scripted import FakeClock, ScriptedModel, talking
from tests.dnam.test_loops import recorded
from tests.dnam.test_redacting_live import deletes, message
from tests.dnam.test_refused_by_closeness import ALE, BEER, BEES, BY_HAND, Encoder, hears, items, model
from tests.world import NOW

LATER = NOW + 1_000_000


@asynccontextmanager
async def opened(path: Path, script: ScriptedModel, encoder: Encoder | None, **more: str) -> AsyncIterator[Assistant]:
    """A memory that is opened, for the first time or once more."""
    async with talking(path, script, FakeClock(LATER), **(BY_HAND | more)) as assistant:
        assistant.encoder = encoder
        yield assistant


async def ended_at(path: Path, script: ScriptedModel, hangs_at: int, *texts: str) -> None:
    """Ada forgot her bees, keeps beer, and says more, of which somebody learns; the program ends while that waits for
    the encoder for the `hangs_at`th time.
    """
    async with opened(path, script, None) as assistant:
        await hears(assistant, "I keep bees")
        await assistant.memory.forget("ada", BEES)
        await hears(assistant, "I keep beer")
        assistant.encoder = encoder = Encoder(hangs_at=hangs_at)
        task = asyncio.create_task(hears(assistant, *texts))
        await encoder.hangs.wait()
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()


async def learns_on(assistant: Assistant) -> None:
    """What is due is done, as at the beginning of a program."""
    async with assistant.watching():
        await assistant.settle()
    await hears(assistant)


async def bills(assistant: Assistant, work: str) -> int:
    return await assistant.memory.look(lambda rows: sum(1 for each in calls(rows) if each.work == work))


def kinds(assistant: Assistant, *events: type[Event]) -> list[int]:
    return [len(recorded(assistant, each)) for each in events]


async def test_an_extraction_that_waits_for_an_encoder_is_gone_on_with(tmp_path: Path) -> None:
    script = model(BEER)
    await ended_at(tmp_path, script, 1, "I brew ale")
    async with opened(tmp_path, script, Encoder()) as assistant:
        assert kinds(assistant, ExtractionReplied, ExtractionFailed, ExtractionAnswered) == [1, 0, 2]
        await learns_on(assistant)
        assert kinds(assistant, ExtractionReplied, ExtractionFailed, ExtractionAnswered) == [1, 0, 3]
        assert len(script.asked("extraction")) == await bills(assistant, "extraction") == 3
        assert await items(assistant) == [BEER]  # of two, by the merge behind it
        (kept,) = recorded(assistant, ExtractionReplied)
        answered = recorded(assistant, ExtractionAnswered)[-1]
        assert isinstance(kept, ExtractionReplied)
        assert isinstance(answered, ExtractionAnswered)
        assert (answered.reply, answered.call, answered.inputs) == (kept.reply, kept.call, kept.inputs)


async def test_it_is_gone_on_with_before_what_was_said_since_is_read(tmp_path: Path) -> None:
    script = model()
    await ended_at(tmp_path, script, 1, "I brew ale")
    async with opened(tmp_path, script, None) as assistant:
        await hears(assistant, "I never practised apiculture")
        await hears(assistant)
        texts = [[line.text for line in inputs(ask).lines] for ask in script.asked("extraction")]
        assert texts == [["I keep bees"], ["I keep beer"], ["I brew ale"], ["I never practised apiculture"]]
        assert ALE in await items(assistant)


def inputs(ask: Ask) -> ExtractionInputs:
    assert isinstance(ask.inputs, ExtractionInputs)
    return ask.inputs


async def test_one_that_waits_twice_is_kept_once(tmp_path: Path) -> None:
    script = model()
    await ended_at(tmp_path, script, 1, "I brew ale")
    async with opened(tmp_path, script, encoder := Encoder(hangs_at=1)) as assistant:
        task = asyncio.create_task(hears(assistant))
        await encoder.hangs.wait()
        task.cancel()
        await asyncio.wait({task})
    async with opened(tmp_path, script, Encoder()) as assistant:
        await hears(assistant)
        assert kinds(assistant, ExtractionReplied, ExtractionFailed, ExtractionAnswered) == [1, 0, 3]
        assert len(script.asked("extraction")) == 3


async def test_where_no_vector_is_asked_for_a_reply_is_no_event_of_its_own(tmp_path: Path) -> None:
    async with opened(tmp_path, model(), Encoder()) as assistant:
        await hears(assistant, "I keep beer")
        assert kinds(assistant, ExtractionReplied, ExtractionAnswered) == [0, 1]


async def test_what_was_asked_about_something_that_changed_is_on_the_bill_and_asked_anew(tmp_path: Path) -> None:
    script = model()
    await ended_at(tmp_path, script, 1, "I brew ale")
    async with opened(tmp_path, script, Encoder()) as assistant:
        await assistant.memory.forget("ada", BEER)
        await hears(assistant)
        (failed,) = recorded(assistant, ExtractionFailed)
        assert isinstance(failed, ExtractionFailed)
        assert (failed.error, failed.reply, failed.call.version) == (CHANGED, "", "")
        assert len(script.asked("extraction")) == await bills(assistant, "extraction") == 4
        await hears(assistant)
        assert len(script.asked("extraction")) == 4


async def test_words_that_are_taken_back_take_a_kept_reply_along(tmp_path: Path) -> None:
    script, secret = model(), "I brew ale"
    async with opened(tmp_path, script, None) as assistant:
        heard = await assistant.memory.hear(message("1", "I keep bees", NOW))
        await assistant.extract(heard.person)
        await assistant.memory.forget(heard.person, BEES)
        assistant.encoder = encoder = Encoder(hangs_at=1)
        await assistant.memory.hear(message("2", secret, NOW + 1))
        task = asyncio.create_task(assistant.extract(heard.person))
        await encoder.hangs.wait()
        task.cancel()
        await asyncio.wait({task})
        assert kinds(assistant, ExtractionReplied) == [1]
        await deletes(assistant.memory, "2", NOW + 1)
        assert kinds(assistant, ExtractionReplied) == [0]
        assert await assistant.extract(heard.person) == []
        assert len(script.asked("extraction")) == 2


async def test_a_merge_that_waits_for_an_encoder_is_gone_on_with(tmp_path: Path) -> None:
    script = model(BEER)
    await ended_at(tmp_path, script, 3, "I brew ale")
    async with opened(tmp_path, script, Encoder()) as assistant:
        assert kinds(assistant, MergeReplied, MergeFailed, MergeAnswered, ItemMerged) == [1, 0, 0, 0]
        await learns_on(assistant)
        assert kinds(assistant, MergeReplied, MergeFailed, MergeAnswered, ItemMerged) == [1, 0, 1, 1]
        assert len(script.asked("merge")) == await bills(assistant, "merge") == 1
        assert await items(assistant) == [BEER]


async def test_a_merge_that_was_asked_in_other_words_is_on_the_bill_and_asked_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after an update that brings another prompt."""
    script = model(BEER)
    await ended_at(tmp_path, script, 3, "I brew ale")
    monkeypatch.setattr(tending, "load", lambda name: load(name)._replace(text="Merge them, please."))
    async with opened(tmp_path, script, Encoder()) as assistant:
        await learns_on(assistant)
        (failed,) = recorded(assistant, MergeFailed)
        assert isinstance(failed, MergeFailed)
        assert (failed.error, failed.reply, failed.call.version) == (CHANGED, "", "")
        assert kinds(assistant, MergeReplied, MergeAnswered, ItemMerged) == [2, 1, 1]
        assert len(script.asked("merge")) == await bills(assistant, "merge") == 2
        assert await items(assistant) == [BEER]


async def test_a_merge_of_what_changed_since_is_on_the_bill(tmp_path: Path) -> None:
    """One of the two was taken back before the reply was decided from: there is nothing to ask anew."""
    script = model(BEER)
    await ended_at(tmp_path, script, 3, "I brew ale")
    async with opened(tmp_path, script, Encoder()) as assistant:
        await assistant.memory.forget("ada", ALE)
    for _ in range(2):
        async with opened(tmp_path, script, Encoder()) as assistant:
            await learns_on(assistant)
            assert kinds(assistant, MergeReplied, MergeFailed, MergeAnswered, ItemMerged) == [1, 1, 0, 0]
            assert len(script.asked("merge")) == await bills(assistant, "merge") == 1


async def test_a_merge_that_is_put_off_behind_what_was_given_up_is_made_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bill of the old reply is no answer to the new question."""
    script, merges = model(BEER), model(BEER).scripts["merge"]
    await ended_at(tmp_path, script, 3, "I brew ale")
    monkeypatch.setattr(tending, "load", lambda name: load(name)._replace(text="Merge them, please."))
    script.scripts["merge"] = over_budget
    async with opened(tmp_path, script, Encoder()) as assistant:
        await learns_on(assistant)
        assert kinds(assistant, MergeReplied, MergeFailed, MergeAnswered, ItemMerged) == [1, 1, 0, 0]
        assert await items(assistant) == [BEER, ALE]
    script.scripts["merge"] = merges
    for _ in range(2):
        async with opened(tmp_path, script, Encoder()) as assistant:
            await learns_on(assistant)
            assert kinds(assistant, MergeReplied, MergeFailed, MergeAnswered, ItemMerged) == [2, 1, 1, 1]
            assert await items(assistant) == [BEER]
            assert await bills(assistant, "merge") == 2


async def test_what_was_given_up_takes_no_pair_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One extraction leads to so many merges, and one that was only given up is none of them."""
    script, merges = model(BEER), model(BEER).scripts["merge"]
    monkeypatch.setattr(unmerged, "MOST_MERGES", 1)
    await ended_at(tmp_path, script, 3, "I brew ale")
    monkeypatch.setattr(tending, "load", lambda name: load(name)._replace(text="Merge them, please."))
    for merge in over_budget, merges:
        script.scripts["merge"] = merge
        async with opened(tmp_path, script, Encoder()) as assistant:
            await learns_on(assistant)
    async with opened(tmp_path, script, Encoder()) as assistant:
        assert await items(assistant) == [BEER]


async def test_an_extraction_that_is_put_off_behind_what_was_given_up_is_made_later(tmp_path: Path) -> None:
    script, learns = model(), model().scripts["extraction"]
    await ended_at(tmp_path, script, 1, "I brew ale")
    script.scripts["extraction"] = over_budget
    async with opened(tmp_path, script, Encoder()) as assistant:
        await assistant.memory.forget("ada", BEER)
        with pytest.raises(OverBudget):
            await hears(assistant)
        assert kinds(assistant, ExtractionReplied, ExtractionFailed, ExtractionAnswered) == [1, 1, 2]
    script.scripts["extraction"] = learns
    async with opened(tmp_path, script, Encoder()) as assistant:
        await hears(assistant)
        assert kinds(assistant, ExtractionReplied, ExtractionFailed, ExtractionAnswered) == [2, 1, 3]
        assert await bills(assistant, "extraction") == 4


def over_budget(_: Ask) -> str:
    """A model that may not be asked any more today."""
    raise OverBudget("the day's limit is reached")


async def test_texts_are_looked_for_once_where_they_are_compared(tmp_path: Path) -> None:
    async with opened(tmp_path, model(), Encoder()) as assistant:
        person = await assistant.memory.person("ada", make=True)
        looks: list[Rows] = []

        def texts(rows: Rows) -> list[str]:
            looks.append(rows)
            return [BEER, ALE]

        def loop() -> Loop[Outcome]:
            return (yield Compare(texts, person))

        compared = await assistant.run(loop(), person)
        assert isinstance(compared, Compared)
        assert compared.measure is not None
        assert compared.measure(BEER, ALE).close
        assert len(looks) == 1
