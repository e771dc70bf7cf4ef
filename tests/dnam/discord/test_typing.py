"""That the bot is typing is said behind what is on its way to the model, and holds nobody up."""

import asyncio
from typing import Any

import pytest

from dnam.adapters.discord.streaming import typing
from dnam.precedence import Precedence
from tests.dnam.discord.stage import for_ever


class Place:
    """A channel in which only typing is said."""

    def __init__(self, told: list[str]) -> None:
        self._told = told

    async def typing(self) -> None:
        self._told.append("typing")


async def test_an_answer_that_is_begun_right_behind_it_goes_first() -> None:
    told, precedence = list[str](), Precedence()

    async def answer() -> None:
        with precedence.arriving():
            for _ in range(5):
                await asyncio.sleep(0)
        told.append("asked")

    place: Any = Place(told)
    async with typing(place, precedence.give_way, for_ever):
        await asyncio.create_task(answer())
        for _ in range(5):
            await asyncio.sleep(0)
    assert told == ["asked", "typing"]


@pytest.mark.parametrize("steps", range(8))
async def test_an_answer_that_is_there_at_whatever_moment_does_not_wait_for_it(steps: int) -> None:
    precedence = Precedence()
    place: Any = Place([])
    async with asyncio.timeout(20):
        async with typing(place, precedence.give_way, for_ever):
            with precedence.arriving():
                for _ in range(steps // 2):
                    await asyncio.sleep(0)
            for _ in range(steps - steps // 2):
                await asyncio.sleep(0)
