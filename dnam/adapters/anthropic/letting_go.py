"""Letting go of a stream: closing the generators that it is made of, from the outermost inwards.

    server-sent events ─ lines ─ chunks ─ bytes ─ socket       each reads from the next

Closing one does not close what it reads from, and one that raised has let go of it: then only its frame, in the error's
traceback, still knows it. So they are looked for: in the frames, and in each other. One that
nothing holds any more needs no looking for: Python hands it to the event loop there and then, to be closed.
"""

import gc
from collections.abc import Iterable, Iterator
from contextlib import suppress
from traceback import walk_tb
from types import AsyncGeneratorType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from httpx2 import Response

Generator = AsyncGeneratorType[Any, Any]


async def let_go(response: "Response", sent: object, error: BaseException | None = None) -> None:
    """Close the response and whatever generator is left in the midst of it. `sent` is the outermost one, and `error`
    what the reading of it ended with.
    """
    await response.aclose()
    for each in suspended(_holders(sent, error)):
        with suppress(Exception):  # one that reads on from a closed response
            await each.aclose()


def suspended(holders: Iterable[object]) -> list[Generator]:
    """The generators that these objects refer to, and those that they read from, which have not ended."""
    found: dict[int, Generator] = {}
    waiting = list(holders)
    while waiting:
        for each in gc.get_referents(waiting.pop(0)):
            if isinstance(each, AsyncGeneratorType) and each.ag_frame is not None and id(each) not in found:
                found[id(each)] = each
                waiting.append(each)
    return list(found.values())


def _holders(sent: object, error: BaseException | None) -> Iterator[object]:
    """What may refer to a generator that reads from the response."""
    yield [sent]
    while error is not None:
        yield from (frame.f_locals for frame, _ in walk_tb(error.__traceback__))
        error = error.__cause__ or error.__context__
