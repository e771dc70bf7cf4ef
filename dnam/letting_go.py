"""Letting go of who was erased: work that is under way about them ends, whichever process erased them.

Whatever such work records is refused by the log in any case. This ends it earlier, and the model's call with it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dnam.alongside import alongside
from dnam.background import Background
from dnam.unwritten import Pause
from projections.ids import Handle
from projections.people import accounts_of
from projections.rows import Rows
from replay.errors import LogError

LOOK_SECONDS = 1.0
"""How long it rests between two looks at how many erasures there were: a read of a few bytes."""


@asynccontextmanager
async def letting_go(background: Background, pause: Pause = asyncio.sleep) -> AsyncIterator[None]:
    """Give up what is under way about who was erased, as long as the `async with` lasts."""
    async with alongside(_watch(background, pause), "looking for who was erased"):
        yield


async def _watch(background: Background, pause: Pause) -> None:
    engine = background.memory.engine
    seen = engine.head().epoch
    while True:
        await pause(LOOK_SECONDS)
        try:
            epoch = engine.head().epoch
            if epoch != seen:
                await _let_go(background)
        except (LogError, OSError):
            continue  # it is looked at again
        seen = epoch


async def _let_go(background: Background) -> None:
    people = background.at_work_for()
    for person in await background.memory.look(lambda rows: [each for each in people if _is_gone(rows, each)]):
        background.give_up(person)


def _is_gone(rows: Rows, person: Handle) -> bool:
    return next(accounts_of(rows, person), None) is None
