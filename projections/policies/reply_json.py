"""JSON in a model's reply: whole, inside a ```json fence, or somewhere in prose."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, cast

MOST_STARTS = 50
"""How many brackets in prose are tried as the beginning of the JSON."""

_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(r"\"\s*:\s*\Z")


def json_values(reply: str) -> Iterator[Any]:
    """The JSON values that a reply may mean: all of it, else what is fenced, else what begins at a bracket."""
    for text in (reply, *_FENCE.findall(reply)):
        value = _decode(text.strip(), 0, to_the_end=True)
        if value is not None:
            yield value
            return
    starts = [at for at, character in enumerate(reply) if character in "{[" and not _is_inside(reply, at)][:MOST_STARTS]
    values = [_decode(reply, at) for at in starts]
    yield from sorted((value for value in values if value), key=lambda value: isinstance(value, list))


def _is_inside(reply: str, at: int) -> bool:
    """Whether a bracket is the value of a field: part of something larger, which was cut off if it cannot be read."""
    return _FIELD.search(reply, max(0, at - 20), at) is not None


def _decode(text: str, at: int, *, to_the_end: bool = False) -> Any:
    """The JSON value at a place of a text; None when there is none."""
    try:
        value, end = _decoder.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return None if to_the_end and end < len(text) else value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_decoder = json.JSONDecoder(parse_constant=cast("Callable[[str], Any]", _no_constant))
