"""Voyage AI's embeddings API on loopback, for the real SDK to talk with.

    async with serving() as server:                             # vectors made of the words themselves
        server.script = lambda request: Fails(429)              # or whatever a test wants
        voyageai.AsyncClient(server.key, base_url=server.url)

What is asked is held against the API's own description (https://docs.voyageai.com/reference/embeddings-api), and
everything that can go wrong is a value (`replies`). `python -m tests.loopback.voyage` serves until it is stopped.
"""

from tests.loopback.voyage.replies import Aborts, Breaks, Encodes, Fails, Garbles, Holds, Reply, Says
from tests.loopback.voyage.requests import Request
from tests.loopback.voyage.server import Script, Server, serving

__all__ = [
    "Aborts",
    "Breaks",
    "Encodes",
    "Fails",
    "Garbles",
    "Holds",
    "Reply",
    "Request",
    "Says",
    "Script",
    "Server",
    "serving",
]
