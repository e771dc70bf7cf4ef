"""A stream of the API's, read into a reply: told as it grows, and billed by what the API says it took.

Servers of another make leave out what they do not know: a reply may be without a model's name, or say little of its
usage.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from dnam.adapters.anthropic.faults import MALFORMED, CutStream, GarbledStream
from dnam.adapters.anthropic.growing import Event, Growing
from dnam.adapters.anthropic.letting_go import let_go
from dnam.adapters.anthropic.tool_use import Inputs, calls_of, raw_of
from dnam.model import Hear, Reply
from dnam.prices import FULL, Tokens, prices
from projections.policies.text import whole

if TYPE_CHECKING:
    from anthropic._streaming import ServerSentEvent
    from anthropic.types import Message
    from httpx2 import Response

Sent = AsyncIterator["ServerSentEvent"]
"""The events of a stream as they were sent."""
END_SECONDS = 1.0
"""How long the end of a stream is waited for once its message is whole."""


class Course(NamedTuple):
    """An ask under way: `hear` is told of its text so far, `alive` of everything that comes, and `lost` keeps what
    tries took of which nothing came.
    """

    hear: Hear
    alive: Callable[[], None]
    lost: list[Reply]


async def read(response: "Response", course: Course, growing: Growing) -> "Message":
    """The message that a response streams, put together in `growing`. CutStream when the stream ends before the message
    does, GarbledStream for nonsense, the SDK's APIStatusError for an error in its midst. A call whose input is no JSON
    is a call all the same: whoever made it is told.

    However it ends, none of the SDK's generators is left as it stands: collected later, perhaps by another thread, they
    would be closed in the midst of each other.
    """
    from anthropic import AsyncStream

    sent = AsyncStream.raw_events(response)
    try:
        message = await _message(sent, response, course, growing)
        await _to_the_end(sent)
    except BaseException as error:  # raised again, also a cancellation
        await let_go(response, sent, error)
        raise
    await let_go(response, sent)
    return message


async def _message(sent: "Sent", response: "Response", course: Course, growing: Growing) -> "Message":
    while (event := await _next(sent, response)) is not None:
        course.alive()
        try:
            was_said = growing.take(event)
            if growing.is_whole:
                return growing.message
        except MALFORMED as error:
            raise _garbled(error) from error
        if was_said:
            course.hear(growing.text)
    raise CutStream


async def _next(sent: "Sent", response: "Response") -> Event | None:
    """The next event but for pings; None at the end."""
    try:
        while (each := await anext(sent, None)) is not None:
            if each.event == "error":
                raise _failure(each, response)
            if each.event and each.event != "ping" and each.data:
                event: Event = each.json()
                return event
    except MALFORMED as error:
        raise _garbled(error) from error
    return None


def _failure(sent: "ServerSentEvent", response: "Response") -> Exception:
    """An error in the midst of a stream, as the SDK has it: of status 200, and known by its type."""
    from anthropic import APIStatusError

    try:
        body = sent.json()
    except ValueError:
        body = sent.data
    return APIStatusError(str(body), response=response, body=body)


def _garbled(error: Exception) -> GarbledStream:
    return GarbledStream(f"{type(error).__name__}: {error}")


async def _to_the_end(sent: "Sent") -> None:
    """Nothing comes behind a message but the end, after which the connection can be used again. A server that keeps the
    line open is not waited for, and what it sends is not looked at.
    """
    with suppress(Exception):
        async with asyncio.timeout(END_SECONDS):
            async for _ in sent:
                pass


def _text(message: "Message") -> str:
    """What is said, without what was thought; a character of which a delta brought each half is one."""
    return whole("".join(block.text for block in message.content if block.type == "text"))


def reply_of(
    message: "Message", inputs: Inputs, model: str, version: str, latency_ms: int, share: Decimal = FULL
) -> Reply:
    """The reply that a message is; `model` is what was asked, and `share` what is paid of its price."""
    answered = getattr(message, "model", None) or model
    tokens = _tokens(getattr(message, "usage", None))
    return Reply(
        text=_text(message),
        model=answered,
        version=version,
        tokens_in=tokens.read_in,
        tokens_out=tokens.out,
        tokens_cached=tokens.cache_read,
        latency_ms=latency_ms,
        cost_micros=prices().cost_micros(answered, tokens, share) or 0,
        stop=message.stop_reason or "",
        calls=calls_of(message, inputs),
        raw=raw_of(message, inputs),
    )


def _tokens(usage: Any) -> Tokens:
    """What was billed; nothing where it is not said."""
    names = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Tokens(*(getattr(usage, name, None) or 0 for name in names))
