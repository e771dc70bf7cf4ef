"""What the server may do with a request: one value for each thing that happens at the real one."""

import asyncio
from typing import Any, NamedTuple


class Encodes(NamedTuple):
    """Vectors. `lost` are left out at the end, `dimensions` is another length than was asked for, `number` stands in
    the place of the last vector's first number; `tokens` is another bill than a token for four characters.
    """

    lost: int = 0
    dimensions: int | None = None
    number: float | None = None
    tokens: int | None = None


class Fails(NamedTuple):
    """An error instead of vectors. `retry_after` is as the header has it, in seconds or a date, and `date` the header
    of that name, where it is not the server's clock; without a `detail` the body is one of another make.
    """

    status: int
    detail: Any = "this went wrong"
    retry_after: str = ""
    date: str = ""


class Says(NamedTuple):
    """A body that is JSON and none of the API's, with status 200."""

    body: Any


class Garbles(NamedTuple):
    """A body that is no JSON."""

    body: bytes = b"<html>a proxy was here</html>"
    content_type: str = "application/json"


class Breaks(NamedTuple):
    """A body that ends too early: its length was promised."""


class Aborts(NamedTuple):
    """No answer: the connection is closed."""


class Holds(NamedTuple):
    """No answer until it is let go; `reached` is set when the request is there."""

    reached: asyncio.Event
    let_go: asyncio.Event


Reply = Encodes | Fails | Says | Garbles | Breaks | Aborts | Holds
