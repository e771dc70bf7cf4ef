"""What can go wrong with a call, as a table: what is told, whether it is tried again, whether the service is to blame.

Statuses and error types are those of the API: https://platform.claude.com/docs/en/api/errors. An error may also come
in the middle of a stream, under status 200; then its type alone tells what it is.
"""

from collections.abc import Callable, Mapping
from functools import partial
from math import ceil, inf
from typing import NamedTuple

from dnam.adapters.circuit import Circuit
from dnam.adapters.rest import LONGEST_REST_SECONDS, Refusal
from dnam.adapters.tries import next_try, wait_of
from dnam.model import ModelDown, ModelError, Resting
from projections.counting import counted

UNSET = "I cannot think: something is wrong with how I am set up. Whoever runs me finds out what with `dnam log`."
AGAIN = "Please ask me again"
BUSY = f"I am asked more than I can answer just now. {AGAIN} in a minute."
SECONDS_TOLD = 90
"""A rest is told in seconds up to this, and in minutes beyond."""
MALFORMED = (ValueError, TypeError, AttributeError, LookupError, RuntimeError, AssertionError)
"""What is raised when a stream is not what the API promises: no JSON, events out of order, fields missing."""


class CutStream(Exception):
    """A stream ended before its reply did."""


class GarbledStream(Exception):
    """A stream holds what is no event of the API's."""


AskRest = Callable[[float, Refusal], None]
"""Told for how many seconds the API asks to be left alone, and what is refused with until then."""


class Fault(NamedTuple):
    """One thing that went wrong. `wait_seconds` is how long the API asks to wait; None when it does not say. `asked` is
    what it was that was asked, a model as a rule.
    """

    error: ModelError
    again: bool = False
    is_down: bool = False
    wait_seconds: float | None = None
    asked: str = ""


class Kind(NamedTuple):
    """A row of the table: what to do about it, and the words for whoever runs this."""

    advice: str
    again: bool = False
    is_down: bool = False
    words: str = ""


KINDS: Mapping[str, Kind] = {
    "authentication_error": Kind("the key is not accepted: check ANTHROPIC_API_KEY", words=UNSET),
    "billing_error": Kind("there is no credit: see the account's billing page", words=UNSET),
    "permission_error": Kind("the key may not do this: check its workspace and the model's name", words=UNSET),
    "not_found_error": Kind("there is no such model: check DNAM_ANSWER_MODEL, DNAM_SUMMARY_MODEL, DNAM_DURABLE_MODEL "
                            "and ANTHROPIC_BASE_URL", words=UNSET),
    "invalid_request_error": Kind("the request was refused", words=UNSET),
    "rate_limit_error": Kind("the rate limit is reached", again=True, words=BUSY),
    "timeout_error": Kind("the service took too long", again=True, is_down=True),
    "api_error": Kind("the service failed", again=True, is_down=True),
    "overloaded_error": Kind("the service is overloaded", again=True, is_down=True),
}  # fmt: skip
NO_CREDIT = "credit balance is too low"
"""Words of the API's by which a request that is refused for want of credit shows: its type says nothing of that."""
BY_STATUS: Mapping[int, str] = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "timeout_error",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def fault_of(error: Exception, model: str) -> Fault | None:
    """What an error of the SDK means; None for one that is a bug of ours."""
    import httpx2
    from anthropic import APIConnectionError, APIStatusError, APITimeoutError

    match error:
        case APIStatusError():
            said = error.api_message or error.message
            return _of_status(error.status_code, error.type, said, error.response.headers)._replace(asked=model)
        case APITimeoutError() | httpx2.TimeoutException():
            return _down(f"{model} sent nothing for too long")
        case APIConnectionError() | httpx2.HTTPError():
            return _down(f"the connection to {model} failed: {error.__cause__ or error}")
        case CutStream():
            return _down(f"the reply of {model} broke off")
        case GarbledStream():
            return _down(f"{model} sent something that is no reply ({error})")
        case _:
            return None


def wait_or_raise(
    fault: Fault,
    tried: int,
    circuit: Circuit,
    ask_rest: AskRest,
    dice: Callable[[], float],
    left_seconds: float = inf,
) -> float:
    """How long to wait for the next try, in seconds. The fault's own error when there is none, or not within the
    seconds that are left; the circuit is told, and a rest is asked for where the API asks for one.
    """
    wait = next_try(tried, fault.wait_seconds, dice, left_seconds) if fault.again else None
    if wait is not None:
        return wait
    if fault.wait_seconds:
        fault.error.words = _again_in(fault.error.words, min(fault.wait_seconds, LONGEST_REST_SECONDS))
        ask_rest(fault.wait_seconds, partial(_resting, fault))
    if fault.is_down:
        circuit.failed(str(fault.error))
    else:
        circuit.worked()
    raise fault.error


def _resting(fault: Fault, seconds: float) -> Resting:
    """What an ask is refused with during the rest after a fault, which whoever hears of both knows already."""
    error = fault.error
    why = f"{fault.asked} asked to be left alone for {ceil(seconds)} s more: {error}"
    words, kind = _again_in(error.words, seconds), error.kind or type(error).__name__
    return Resting(why, seconds, words=words, kind=kind, model=fault.asked)


def _again_in(words: str, seconds: float) -> str:
    """The words with when to ask again in them, where they say that one may."""
    told, again, _ = words.partition(AGAIN)
    whole = ceil(seconds)
    span = counted(whole, "second") if whole <= SECONDS_TOLD else counted(ceil(seconds / 60), "minute")
    return f"{told}{again} in {span}." if again else words


def _down(why: str) -> Fault:
    return Fault(ModelDown(why), again=True, is_down=True)


def _of_status(status: int, type_: str | None, message: str, headers: Mapping[str, str]) -> Fault:
    name = _kind(status, type_, message)
    kind = KINDS[name]
    again = {"true": True, "false": False}.get(headers.get("x-should-retry", ""), kind.again)
    code = "" if status < 400 else f"{status}: "
    text = f"{kind.advice} ({code}{message})"
    error = ModelDown(text, words=kind.words) if kind.is_down else ModelError(text, words=kind.words, kind=name)
    return Fault(error, again, kind.is_down, wait_of(headers))


def kind_named(type_: str | None, message: str) -> str | None:
    """The table's row by the type that the API names; None where it names none of them."""
    if type_ == "invalid_request_error" and NO_CREDIT in message:
        return "billing_error"
    return type_ if type_ in KINDS else None


def _kind(status: int, type_: str | None, message: str) -> str:
    """The table's row: by what the API names, else by the status."""
    named = kind_named(type_, message)
    if named is not None:
        return named
    return BY_STATUS.get(status, "invalid_request_error" if 400 <= status < 500 else "api_error")
