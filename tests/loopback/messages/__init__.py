"""Claude's Messages API on loopback, for the real SDK to talk with.

    async with serving() as server:                            # like the offline model
        server.script = lambda request: Says("Tea it is.")     # or whatever a test wants
        AsyncAnthropic(api_key=server.key, base_url=server.url)

Requests are held against the SDK's own description of them (`requests`), replies stream as the API's events do
(`events`), and everything that can go wrong is a value (`replies`). `server.batches` is the Message Batches API.
`python -m tests.loopback.messages` serves until it is stopped.
"""

from tests.loopback.messages.replies import (
    Call,
    Cuts,
    Declines,
    Drips,
    Expires,
    Fails,
    Garbles,
    Holds,
    Reply,
    Runs,
    Says,
    Stays,
)
from tests.loopback.messages.requests import Request
from tests.loopback.messages.server import Script, Server, serving

__all__ = [
    "Call",
    "Cuts",
    "Declines",
    "Drips",
    "Expires",
    "Fails",
    "Garbles",
    "Holds",
    "Reply",
    "Request",
    "Runs",
    "Says",
    "Script",
    "Server",
    "Stays",
    "serving",
]
