"""What the server may do with a request: one value for each thing that happens at the real one."""

import asyncio
from typing import NamedTuple


class Usage(NamedTuple):
    """Tokens, as the API bills them; None leaves it to the server, which counts four characters as one."""

    fresh: int | None = None
    out: int | None = None
    written: int = 0
    cached: int = 0


class Call(NamedTuple):
    """A tool's call: `input` is JSON as the model writes it, which may be broken, or end too early."""

    name: str
    input: str = "{}"


class Says(NamedTuple):
    """A whole reply, in pieces of `piece` characters; `thinks` comes before it in a block of its own, and `calls` of
    tools behind it, for which it stops unless it says otherwise.
    """

    text: str
    stop: str = ""
    usage: Usage = Usage()
    thinks: str = ""
    piece: int = 16
    calls: tuple[Call, ...] = ()

    @property
    def stopped(self) -> str:
        """Why it stops."""
        return self.stop or ("tool_use" if self.calls else "end_turn")


class Runs(NamedTuple):
    """A reply that reached `max_tokens` and stops in the middle."""

    text: str


class Declines(NamedTuple):
    """A refusal, perhaps after some words."""

    text: str = ""


class Fails(NamedTuple):
    """An error instead of a reply. `retry_after` is as the header has it, in seconds or a date; `date` is the header of
    that name, where it is not the server's clock.
    """

    status: int
    type: str = "api_error"
    message: str = "this went wrong"
    retry_after: str = ""
    date: str = ""


class Cuts(NamedTuple):
    """A stream that ends too early: `how` is with the connection, with the body, or with an error event. Where it
    `calls`, that is in the midst of the last call.
    """

    text: str = ""
    how: str = "connection"
    calls: tuple[Call, ...] = ()


class Garbles(NamedTuple):
    """A stream that is not what the API promises: these lines instead of events."""

    lines: str


class Holds(NamedTuple):
    """No reply until it is let go; `reached` is set when the request is there."""

    reached: asyncio.Event
    let_go: asyncio.Event


class Stays(NamedTuple):
    """A stream that stays open until it is let go: behind all of the reply where it is `whole`, else in its midst."""

    text: str
    let_go: asyncio.Event
    whole: bool = False


class Drips(NamedTuple):
    """A whole reply of which something comes every so many seconds: never silent, and as long as it has pieces."""

    says: Says
    every_seconds: float


class Expires(NamedTuple):
    """In a batch: the day is over before it is this request's turn. Outside of one, the service took too long."""


Reply = Says | Runs | Declines | Fails | Cuts | Garbles | Holds | Stays | Drips | Expires
