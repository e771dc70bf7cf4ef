"""An answer in several asks: the model calls tools, is told what came of it, and answers.

    ask ─▶ reply ─┬─ no calls ──────────────────────────────────▶ the answer
                  └─ calls ─▶ each is made ─▶ ask again, with what came of them
                                  after MOST_CALLS the model is asked to answer without

What all asks took counts once, in the answer. What is seen while it streams is the text of the ask under way; a new ask
begins anew. A model that has nothing to add once its calls are made has said it before them; one that said nothing at
all is asked once more, as if there were no tools. What it calls where it may not is not made, and where nothing but
that comes in the end, there is no answer, and that is said: so there are at most MOST_CALLS + 2 asks.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import msgspec

from dnam.model import Ask, Hear, ModelError, Reply, Round, ToolCall, ToolResult, spent_in, without_tools
from dnam.taken import sum_of

Asking = Callable[[Ask, Hear], Awaitable[Reply]]


class Calls(Protocol):
    """What makes the calls of one answer."""

    @property
    def may_call(self) -> bool: ...

    async def run(self, call: ToolCall, reply: Reply) -> ToolResult: ...


async def converse(ask: Ask, calls: Calls, asking: Asking, hear: Hear) -> Reply:
    """The answer, and what all of its asks took. ModelError, or a cancellation, carries what was spent until then."""
    replies: list[Reply] = []
    while True:
        try:
            replies.append(await asking(ask, hear))
        except ModelError as error:
            error.spent = sum_of([*replies, *filter(None, [error.spent])])
            raise
        except asyncio.CancelledError as error:
            raise asyncio.CancelledError(sum_of([*replies, *filter(None, [spent_in(error)])])) from None
        reply = replies[-1]
        if reply.calls and ask.tools and ask.may_call:
            ask = await _next(ask, reply, calls)
            continue
        text = reply.text if reply.text.strip() else _said_before(ask.rounds)
        if text.strip() or not ask.tools:
            return _answer(replies, text)
        ask = msgspec.structs.replace(without_tools(ask), goes_on=True)


def _answer(replies: Sequence[Reply], text: str) -> Reply:
    """A text as the answer, with what all replies took. ModelError where the last one has calls in place of words."""
    total = sum_of(replies)
    assert total is not None
    if total.calls and not text.strip():
        raise ModelError(f"{total.model} called tools that it was not given, and said nothing", spent=total)
    return msgspec.structs.replace(total, text=text, calls=(), raw="")


async def _next(ask: Ask, reply: Reply, calls: Calls) -> Ask:
    """The ask that goes on after this reply's calls were made, one after the other."""
    results = [await calls.run(call, reply) for call in reply.calls]
    made = Round(reply.text, reply.calls, tuple(results), reply.raw)
    return msgspec.structs.replace(ask, rounds=(*ask.rounds, made), may_call=calls.may_call, goes_on=True)


def _said_before(rounds: Sequence[Round]) -> str:
    """The last words that came with calls."""
    return next((each.text for each in reversed(rounds) if each.text.strip()), "")
