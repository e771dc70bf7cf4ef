"""A real conversation, kept by the real program: a thousand messages and what they lead to.

The assistant (with the offline model) hears, answers, delivers, extracts and summarises at its own cadence, so every
event is what a decision made. `loader` makes large logs of it.
"""

import asyncio
from pathlib import Path
from random import Random

from dnam.adapters.offline import OfflineModel
from dnam.assistant import Assistant
from dnam.languages import load
from dnam.memory import Memory
from projections.ids import Ref
from tests.bench.talk import FIRST_KEY, FIRST_SAID, Talk

MESSAGES = 2_000
PEOPLE = 25
CHANNELS = 8
ADDRESSED = 5
"""Every so many messages one is addressed to the assistant."""
_LIKES = ("green tea", "long walks", "the early train", "dark blue paint", "tomatoes", "small boats", "old books")


class ChatClock:
    """A clock that runs with the chat."""

    def __init__(self) -> None:
        self.time = FIRST_SAID

    def now(self) -> int:
        return self.time

    def monotonic(self) -> int:
        return self.time


def plant(folder: Path, messages: int = MESSAGES, people: int = PEOPLE) -> None:
    """Hold the conversation in an empty folder."""
    asyncio.run(_converse(folder, messages, people))


async def _converse(folder: Path, messages: int, people: int) -> None:
    clock, talk, dice = ChatClock(), Talk(people=people, channels=CHANNELS), Random(3)
    async with Memory.open(folder, clock=clock) as memory:
        assistant = Assistant(memory, OfflineModel(load("en")))
        for number in range(messages):
            request = talk.next(addressed=number % ADDRESSED == 0)
            if number % 3 == 0:
                request = request._replace(
                    text=f"I prefer {dice.choice(_LIKES)} number {_letters(number)}. {request.text}"
                )
            clock.time = request.said + 400
            heard = await memory.hear(request)
            if request.addressed:
                answered = await assistant.answer(heard)
                clock.time += 900
                sent = Ref("discord", str(FIRST_KEY + 5_000_000 + number))
                await memory.delivered(heard, answered.turn, [sent])
                assistant.after_turn(heard)
                await assistant.settle()


def _letters(number: int) -> str:
    """A number without digits: only keys of messages have those, so that a copy can find them."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))
