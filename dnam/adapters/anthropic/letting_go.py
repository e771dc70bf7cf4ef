"""Letting go of a stream: closing the generators that it is made of, from the outermost inwards.

    stream ─ events ─ server-sent events ─ lines ─ chunks ─ bytes ─ socket       each reads from the next

Closing one does not close what it reads from, and one that raised has let go of it: then only its frame, in the error's
traceback, still knows it. So they are looked for: in what the stream holds, in the frames, and in each other. One that
nothing holds any more needs no looking for: Python hands it to the event loop there and then, to be closed.
"""

import gc
from collections.abc import Iterable, Iterator
from contextlib import suppress
from traceback import walk_tb
from types import AsyncGeneratorType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anthropic.lib.streaming import AsyncMessageStream

Generator = AsyncGeneratorType[Any, Any]


async def let_go(stream: "AsyncMessageStream[None]", error: BaseException | None = None) -> None:
    """Close the response and whatever generator is left in the midst of it. `error` is what the reading ended with."""
    await stream.response.aclose()
    for each in suspended(_holders(stream, error)):
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


def _holders(stream: "AsyncMessageStream[None]", error: BaseException | None) -> Iterator[object]:
    """What may refer to a generator of the stream's."""
    yield vars(stream)
    yield from (vars(each) for each in vars(stream).values() if hasattr(each, "response"))
    while error is not None:
        yield from (frame.f_locals for frame, _ in walk_tb(error.__traceback__))
        error = error.__cause__ or error.__context__
