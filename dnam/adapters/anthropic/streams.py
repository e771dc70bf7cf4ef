"""A stream of the API's, read into a reply: told as it grows, and billed by what the API says it took.

Servers of another make leave out what they do not know: a reply may be without a model's name, or say little of its
usage.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from dnam.adapters.anthropic.faults import MALFORMED, CutStream, GarbledCall, GarbledStream
from dnam.adapters.anthropic.letting_go import let_go
from dnam.adapters.anthropic.tool_use import Inputs, calls_of, raw_of
from dnam.model import Hear, Reply
from dnam.prices import FULL, Tokens, prices

if TYPE_CHECKING:
    from anthropic.lib.streaming import AsyncMessageStream, ParsedMessageStreamEvent
    from anthropic.types import Message


END_SECONDS = 1.0
"""How long the end of a stream is waited for once its message is whole."""


class Course(NamedTuple):
    """An ask under way: `hear` is told of its text so far, `alive` of everything that comes, and `lost` keeps what
    tries took of which nothing came.
    """

    hear: Hear
    alive: Callable[[], None]
    lost: list[Reply]


class Streamed(NamedTuple):
    """A message, and the inputs of the calls in it as they were written."""

    message: "Message"
    inputs: Inputs


async def read(stream: "AsyncMessageStream[None]", course: Course) -> Streamed:
    """The message that a stream makes. CutStream when it ends before the message does, GarbledStream for nonsense. A
    call whose input is no JSON ends a message, and is a call all the same: whoever made it is told.

    However it ends, none of the SDK's generators is left as it stands: collected later, perhaps by another thread, they
    would be closed in the midst of each other.
    """
    inputs: dict[int, str] = {}
    try:
        message = await _message(stream, course, inputs)
        await _to_the_end(stream)
    except GarbledCall as error:
        await let_go(stream, error)
        return Streamed(stream.current_message_snapshot, inputs)
    except BaseException as error:  # raised again, also a cancellation
        await let_go(stream, error)
        raise
    await let_go(stream)
    return Streamed(message, inputs)


async def _message(stream: "AsyncMessageStream[None]", course: Course, inputs: dict[int, str]) -> "Message":
    while (event := await _next(stream)) is not None:
        course.alive()
        if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
            inputs[event.index] = inputs.get(event.index, "") + event.delta.partial_json
        if event.type == "text":
            course.hear(_text(stream.current_message_snapshot))
        if event.type == "message_stop":
            for message in so_far(stream):
                return message
            raise GarbledStream("an end without a beginning")
    raise CutStream


async def _to_the_end(stream: "AsyncMessageStream[None]") -> None:
    """Nothing comes behind a message but the end, after which the connection can be used again. A server that keeps the
    line open is not waited for, and what it sends is not looked at.
    """
    with suppress(Exception):
        async with asyncio.timeout(END_SECONDS):
            while await anext(stream, None) is not None:
                pass


async def _next(stream: "AsyncMessageStream[None]") -> "ParsedMessageStreamEvent[None] | None":
    """The next event; None at the end. What the SDK stumbles over is garbled; what a hearer raises is not."""
    try:
        return await anext(stream, None)
    except MALFORMED as error:
        kind = GarbledCall if _is_in_a_call(stream) and isinstance(error, ValueError) else GarbledStream
        raise kind(f"{type(error).__name__}: {error}") from error


def _is_in_a_call(stream: "AsyncMessageStream[None]") -> bool:
    """Whether the last thing that began is a call."""
    return any(message.content[-1:] and message.content[-1].type == "tool_use" for message in so_far(stream))


def so_far(stream: "AsyncMessageStream[None]") -> "list[Message]":
    """The message as far as it has come; nothing before its first event."""
    try:
        return [stream.current_message_snapshot]
    except AssertionError:
        return []


def _text(message: "Message") -> str:
    """What is said, without what was thought."""
    return "".join(block.text for block in message.content if block.type == "text")


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
