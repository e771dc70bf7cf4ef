"""What became of a question in a batch: https://platform.claude.com/docs/en/build-with-claude/batch-processing

    succeeded   a message, as it would have come otherwise
    errored     an error, and whether it is worth asking again
    expired     the day was over before it was its turn: asked again
    canceled    somebody cancelled the batch

Results come as lines of JSON in any order. A line may be damaged: the others are read all the same, which the SDK's own
reading does not do.
"""

import json
from typing import TYPE_CHECKING, NamedTuple

from dnam.adapters.anthropic.faults import KINDS, MALFORMED, GarbledStream, kind_named
from dnam.adapters.anthropic.streams import reply_of
from dnam.adapters.anthropic.tool_use import Inputs
from dnam.model import ModelError, Reply
from dnam.prices import BATCHED

if TYPE_CHECKING:
    from anthropic.types import Message
    from anthropic.types.messages import MessageBatchErroredResult, MessageBatchIndividualResponse

CANCELED = "batch_canceled"
EXPIRED = "batch_expired"
MISSING = "batch_result_missing"
"""Kinds of ModelError that only batches know."""


class Result(NamedTuple):
    """A question's id, and its reply or what went wrong; `again`: another batch may answer it."""

    id: str
    reply: Reply | None = None
    error: ModelError | None = None
    again: bool = False


def result_of(line: bytes, version: str) -> Result:
    """What a line says. GarbledStream for one that is no result; `version` is the adapter's."""
    from anthropic.types.messages import MessageBatchIndividualResponse

    try:
        read = json.loads(line)
        return _result(_id(read["custom_id"]), MessageBatchIndividualResponse.construct(**read), version)
    except MALFORMED as error:
        raise GarbledStream(f"{type(error).__name__} in a line of results") from error


def without_a_result(id_: str) -> Result:
    """For a question of which the results say nothing."""
    why = "the batch ended without a result for this question"
    return Result(id_, error=ModelError(why, kind=MISSING), again=True)


def _id(given: object) -> str:
    if not isinstance(given, str):
        raise TypeError("an id of another type")
    return given


def _result(id_: str, line: "MessageBatchIndividualResponse", version: str) -> Result:
    match line.result.type:
        case "succeeded":
            return Result(id_, _reply(line.result.message, version))
        case "errored":
            return _errored(id_, line.result)
        case "canceled":
            why = "the batch was cancelled before this question was asked. To ask it, run the same again"
            return Result(id_, error=ModelError(why, kind=CANCELED))
        case "expired":
            why = "the batch expired before this question was asked"
            return Result(id_, error=ModelError(why, kind=EXPIRED), again=True)
    raise ValueError("a result of another type")


def _reply(message: "Message", version: str) -> Reply:
    """Nobody measures how long a question of a batch takes, and half the price is paid."""
    return reply_of(message, _inputs(message), message.model, version, 0, BATCHED)


def _inputs(message: "Message") -> Inputs:
    """The inputs of calls, which come as objects here."""
    blocks = enumerate(message.content)
    return {index: json.dumps(block.input) for index, block in blocks if block.type == "tool_use"}


def _errored(id_: str, result: "MessageBatchErroredResult") -> Result:
    """As a row of the table of faults says; what is in none is the service's."""
    error = result.error.error
    name = kind_named(error.type, error.message) or "api_error"
    kind = KINDS[name]
    told = ModelError(f"{kind.advice} ({error.message})", words=kind.words, kind=name)
    return Result(id_, error=told, again=kind.again)
