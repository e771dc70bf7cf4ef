"""A model of one's own that does not reply as `dnam.model.Reply` says: it failed, in words that name what is wrong."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from dnam.assistant import Assistant
from dnam.model import Ask, Hear, ModelError, Reply, unheard
from projections.events import Event, SummaryAnswered, SummaryRefreshed, TurnAnswered
from tests.dnam.scripted import ScriptedModel, say, talking

GOOD = Reply("Tea it is.", "mine", "1")
REPLIES = [
    (None, "no dnam.model.Reply but None"),
    ("Tea it is.", "no dnam.model.Reply but str"),
    (msgspec.structs.replace(GOOD, text=None), r"`\$\.text`"),
    (msgspec.structs.replace(GOOD, version=None), r"`\$\.version`"),
    (msgspec.structs.replace(GOOD, stop=None), r"`\$\.stop`"),
    (msgspec.structs.replace(GOOD, cost_micros=0.5), r"`\$\.cost_micros`"),
]


class Mine(ScriptedModel):
    """A model that replies what it is made with, from when it is told to."""

    reply: Any = GOOD

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        self.asks.append(ask)
        return self.reply  # type: ignore[no-any-return]  # that it may be anything is the test


def recorded(assistant: Assistant) -> list[Event]:
    """Every event, in order."""
    engine = assistant.memory.engine
    records = map(engine.live.folding.record, engine.store.log.read(0))
    return [each.event for each in records if each is not None]


@pytest.mark.parametrize(("reply", "why"), REPLIES)
async def test_no_answer_is_made_of_it_and_nothing_is_recorded_of_it(tmp_path: Path, reply: object, why: str) -> None:
    model = Mine(name="mine")
    async with talking(tmp_path, model) as assistant:
        memory = assistant.memory
        model.reply = reply
        heard = await memory.heard("ada", "what do I prefer?")
        size = memory.engine.head().size
        with pytest.raises(ModelError, match=f"^the reply of mine is .*{why}"):
            await assistant.answer(heard)
        assert memory.engine.head().size == size
        model.reply = GOOD
        assert (await assistant.answer(heard)).text == "Tea it is."
        assert [type(each) for each in recorded(assistant)][-1] is TurnAnswered


@pytest.mark.parametrize(("reply", "why"), REPLIES)
async def test_a_loop_fails_by_it_and_is_made_again(tmp_path: Path, reply: object, why: str) -> None:
    model = Mine(name="mine")
    async with talking(tmp_path, model) as assistant:
        await say(assistant, "ada", "I prefer tea over coffee, and my train leaves at 7:40")
        heard = await assistant.memory.heard("ada", "thanks")
        audience = heard.setting.audience
        model.reply = reply
        assert not await assistant.summarise(heard.session, audience, heard.person)
        assert any("summary: the reply of mine is" in each for each in assistant.failures)
        model.reply = GOOD
        assert await assistant.summarise(heard.session, audience, heard.person)
        replies = [each.reply for each in recorded(assistant) if isinstance(each, SummaryAnswered)]
        assert replies[-1] == GOOD.text


class Halves(ScriptedModel):
    """A model that streams a smile in halves and replies with half a rocket too, wherever a reply has a text."""

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        self.asks.append(ask)
        for end in range(1, len(SMILE) + 1):
            hear(SMILE[:end])
        text = SMILE if ask.purpose == "answer" else SMILE + "x" * 3000
        return Reply(text, "mine\ud83d", "1\ude00", stop="\ud800")


SMILE = "So \ud83d\ude00 and \ud83d!"


async def test_an_answer_in_halves_of_characters_is_told_recorded_and_given_in_whole_ones(tmp_path: Path) -> None:
    async with talking(tmp_path, Halves(name="mine")) as assistant:
        heard = await assistant.memory.heard("ada", "how do you do?")
        told: list[str] = []
        thought = await assistant.think(heard, told.append)
        assert told[:5] == ["S", "So", "So ", "So ", "So 😀"]
        assert told[-2:] == ["So 😀 and ", "So 😀 and �!"]
        use = thought.use
        assert (thought.text, use.model, use.version, use.stop) == (told[-1], "mine�", "1�", "�")
        assert (await assistant.answer(heard)).text == told[-1]


async def test_a_summary_in_halves_of_characters_is_made_shorter_and_kept(tmp_path: Path) -> None:
    model = Halves(name="mine")
    async with talking(tmp_path, model) as assistant:
        await say(assistant, "ada", "I prefer tea over coffee, and my train leaves at 7:40")
        heard = await assistant.memory.heard("ada", "thanks")
        assert await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        assert len(model.asked("summary")) == 2
        assert list(assistant.failures) == []
        (made,) = [each for each in recorded(assistant) if isinstance(each, SummaryRefreshed)]
        assert made.text.startswith("So 😀 and �!xxx")
