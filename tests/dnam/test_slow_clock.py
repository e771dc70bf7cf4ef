"""A clock of this machine that is behind the platform's: every message and every answer is in one span of a summary."""

import asyncio
from pathlib import Path

import pytest

from dnam.assistant import Assistant
from dnam.model import SummaryInputs
from dnam.whereabouts import Heard
from projections.decisions.answer import AHEAD_MS
from projections.events import TurnAnswered
from tests.dnam.held import HeldModel
from tests.dnam.scripted import FakeClock, talking
from tests.dnam.test_loops import recorded
from tests.dnam.test_redacting_live import message
from tests.world import NOW

AHEAD = 60_000
"""How far the platform's clock is ahead."""
BY_HAND = {"durable_memory_enabled": "0", "summary_every_n_turns": "1000"}


async def hears(assistant: Assistant, key: str, text: str, after: int) -> Heard:
    return await assistant.memory.hear(message(key, text, NOW + AHEAD + after))


async def summarises(assistant: Assistant, heard: Heard) -> bool:
    return await assistant.summarise(heard.session, heard.setting.audience, heard.person)


def read(model: HeldModel) -> list[list[str]]:
    """What each summary was made of."""
    inputs = [ask.inputs for ask in model.asked("summary")]
    return [[line.text for line in each.lines] for each in inputs if isinstance(each, SummaryInputs)]


@pytest.mark.parametrize("answers_first", [False, True])
async def test_an_answer_that_is_recorded_beside_a_summary_is_in_the_next(tmp_path: Path, answers_first: bool) -> None:
    """The answer comes behind the summary, or while that is made; it was begun before what that read last."""
    model = HeldModel({"answer": lambda _: "roses are fine"})
    async with talking(tmp_path, model, FakeClock(), **BY_HAND) as assistant:
        asked = await hears(assistant, "1", "how are my roses?", 0)
        model.hold("answer", "summary")
        answer = asyncio.create_task(assistant.answer(asked))
        await model.reached["answer"].wait()
        last = await hears(assistant, "2", "and it rains", 5_000)
        summary = asyncio.create_task(summarises(assistant, last))
        await model.reached["summary"].wait()
        for done, purpose in ((answer, "answer"), (summary, "summary"))[:: 1 if answers_first else -1]:
            model.gates[purpose].set()
            await done
        (turn,) = recorded(assistant, TurnAnswered)
        assert turn.said > last.point.said
        await summarises(assistant, await hears(assistant, "3", "thank you", 9_000))
        assert read(model) == [["how are my roses?", "and it rains"], ["roses are fine", "thank you"]]


async def test_a_clock_that_is_right_says_when_it_was_finished(tmp_path: Path) -> None:
    async with talking(tmp_path, HeldModel(), clock := FakeClock(), **BY_HAND) as assistant:
        asked = await assistant.memory.hear(message("1", "how are my roses?", NOW - 9))
        await assistant.answer(asked)
        (turn,) = recorded(assistant, TurnAnswered)
        assert NOW < turn.said <= clock.time


async def test_what_was_said_at_no_such_time_is_not_followed(tmp_path: Path) -> None:
    async with talking(tmp_path, HeldModel(), clock := FakeClock(), **BY_HAND) as assistant:
        asked = await assistant.memory.hear(message("1", "how are my roses?", NOW))
        await assistant.memory.hear(message("2", "from the year after", NOW + 365 * AHEAD_MS))
        await assistant.answer(asked)
        (turn,) = recorded(assistant, TurnAnswered)
        assert NOW < turn.said <= clock.time
