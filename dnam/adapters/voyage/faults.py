"""What can go wrong with a call, as a table: what is told, whether it is tried again, whether the service is to blame.

Statuses are those of https://docs.voyageai.com/docs/error-codes. The SDK makes an error of its own of most of them; a
body that breaks off reaches us as its transport's, and one of another make as whatever the SDK stumbles over.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dnam.adapters.tries import wait_of
from dnam.meaning.encoder import EncoderDown, EncoderError

MALFORMED = (ValueError, TypeError, AttributeError, LookupError)
"""What the SDK raises where an answer is not what the API promises."""
LONGEST_DETAIL = 200
QUOTED = 12
"""So many characters of a text in a row, and it is quoted."""


class Fault(NamedTuple):
    """One thing that went wrong. `wait_seconds` is how long the API asks to wait; None where it does not say."""

    error: EncoderError
    again: bool = False
    is_down: bool = False
    wait_seconds: float | None = None


class Kind(NamedTuple):
    """A row of the table: what to do about it."""

    advice: str
    again: bool = False
    is_down: bool = False
    is_refusal: bool = False


BY_STATUS: Mapping[int, Kind] = {
    400: Kind("the request was refused: check DNAM_ENCODER_MODEL and DNAM_ENCODER_DIMENSIONS", is_refusal=True),
    401: Kind("the key is not accepted: check VOYAGE_API_KEY"),
    403: Kind("the key may not be used from here: check its account, and the address that you ask from"),
    404: Kind("there is no such page: check VOYAGE_BASE_URL"),
    408: Kind("the service took too long", again=True, is_down=True),
    413: Kind("the request was too large", is_refusal=True),
    422: Kind("the request was not understood", is_refusal=True),
    429: Kind("the rate limit is reached; without a way to pay in the account it is very low", again=True),
}
FAILED = Kind("the service failed", again=True, is_down=True)
REFUSED = Kind("the request was refused", is_refusal=True)


def fault_of(error: Exception, model: str, texts: Sequence[str]) -> Fault | None:
    """What an error of the SDK means; None for one that is a bug of ours."""
    import aiohttp
    from voyageai import error as voyage

    match error:
        case voyage.Timeout() | TimeoutError():
            return _down(f"{model} sent nothing for too long")
        case voyage.APIConnectionError():
            return _down(f"the connection to {model} failed: {error.__cause__ or error}")
        case voyage.VoyageError() if error.http_status:
            return _of_status(error.http_status, _detail(error.json_body, texts), error.headers)
        case aiohttp.ClientError():
            return _down(f"the answer of {model} broke off")
        case _ if isinstance(error, MALFORMED):
            return _down(f"{model} sent something that is no answer ({type(error).__name__})")
        case _:
            return None


def _down(why: str) -> Fault:
    return Fault(EncoderDown(why), again=True, is_down=True)


def _of_status(status: int, detail: str, headers: Mapping[str, str]) -> Fault:
    kind = BY_STATUS.get(status, REFUSED if 400 <= status < 500 else FAILED)
    text = f"{kind.advice} ({status}{detail})"
    error = EncoderDown(text) if kind.is_down else EncoderError(text, is_refusal=kind.is_refusal)
    return Fault(error, kind.again, kind.is_down, wait_of(headers))


def _detail(body: object, texts: Sequence[str]) -> str:
    """What the API says of it, unless it says somebody's words again: this goes into the log."""
    detail = body.get("detail") if isinstance(body, dict) else None
    if not isinstance(detail, str) or any(_quotes(detail, text) for text in texts):
        return ""
    return f": {detail[:LONGEST_DETAIL]}"


def _quotes(detail: str, text: str) -> bool:
    """Whether some of a text stands in what the API says."""
    pieces = (detail[at : at + QUOTED] for at in range(len(detail) - QUOTED + 1))
    return text in detail or any(piece in text for piece in pieces)
