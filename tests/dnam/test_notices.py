"""Who is told that something was learned from what they said to others."""

import json
from collections.abc import AsyncIterator

import pytest

from dnam.assistant import Assistant
from dnam.memory import Memory
from dnam.model import Ask
from dnam.notices import due, learned_from, notice
from projections.decisions.notice import NoticeRequest, give_notice
from projections.events import ExtractionAnswered, MessageRedacted
from projections.events.values import PLATFORM
from projections.fold import Record
from replay.engine import Engine
from replay.group import Recorded
from tests.dnam.scripted import FakeClock, ScriptedModel, lines_of, settings
from tests.dnam.test_pointing import OPEN
from tests.replay.stage import drafts


def tea(ask: Ask) -> str:
    line = lines_of(ask)[-1]
    evidence = [{"quote": line.text, "message": line.id}]
    return json.dumps({"upserts": [{"kind": "fact", "text": f"User said {line.text}", "evidence": evidence}]})


class Overhearing:
    """An assistant that learns from everything, and what it records when it learns."""

    def __init__(self, learn: str = "heard", extraction: str = "") -> None:
        from dnam.languages import load

        self.model = ScriptedModel({"extraction": (lambda _: extraction) if extraction else tea})
        self.memory = Memory(Engine.in_memory(FakeClock()), settings(learn=learn), load("en"))
        self.assistant = Assistant(self.memory, self.model)
        self.recorded: list[Recorded] = []
        self.memory.watchers.append(self.recorded.append)

    async def learns(self, text: str, *, addressed: bool = False) -> Record | None:
        """What set a notice off, if anything."""
        heard = await self.memory.heard("42", text, place=OPEN, platform="discord", addressed=addressed)
        self.recorded.clear()
        await self.assistant.extract(heard.person)
        return next((found for each in self.recorded if (found := learned_from(each.records)) is not None), None)

    async def due(self, learned: Record | None) -> str:
        """Where they said what was learned, who are to be told; empty for nobody."""
        assert learned is not None
        found = await self.memory.look(lambda rows: due(self.memory.engine, rows, learned))
        return "" if found is None else str(found.place)


@pytest.fixture
async def overhearing() -> AsyncIterator[Overhearing]:
    made = Overhearing()
    yield made
    made.memory.engine.close()


async def test_what_was_said_to_others_is_told_of_and_what_was_said_to_it_is_not(overhearing: Overhearing) -> None:
    assert await overhearing.due(await overhearing.learns("I like rain", addressed=True)) == ""
    assert await overhearing.due(await overhearing.learns("I like tea")) == "discord:1"


async def test_it_is_told_once(overhearing: Overhearing) -> None:
    learned = await overhearing.learns("I like tea")
    assert learned is not None
    assert isinstance(learned.event, ExtractionAnswered)
    memory, work = overhearing.memory, learned.event
    assert OPEN.guild is not None
    request = NoticeRequest(work.owner, OPEN.guild, None, learned.id, 1, memory.origin())
    await memory.record(lambda rows: give_notice(rows, request))
    assert await overhearing.due(learned) == ""
    assert await overhearing.due(await overhearing.learns("I like cake")) == ""


async def test_who_had_nothing_learned_from_them_is_told_nothing() -> None:
    made = Overhearing(extraction='{"upserts": []}')
    assert await made.learns("I like tea") is None
    made.memory.engine.close()
    assert learned_from(()) is None


async def test_what_was_taken_back_meanwhile_is_no_reason(overhearing: Overhearing) -> None:
    learned = await overhearing.learns("I like tea")
    assert learned is not None
    assert isinstance(learned.event, ExtractionAnswered)
    gone = MessageRedacted(said=learned.event.said, by=PLATFORM, events=learned.event.inputs)
    await overhearing.memory.record(drafts(gone))
    assert await overhearing.due(learned) == ""


def test_the_text_says_how_to_see_forget_and_opt_out() -> None:
    text = notice("Garden", "Nib")
    assert text.startswith("I am Nib, and I have begun to remember things that you say in Garden")
    for command in ("show", "forget", "erase", "config set me learn=none", "opt-out"):
        assert f"`!memory {command}" in text
    assert "Where I do not answer you, these work all the same, for you alone: `/memory opt-out`" in text
