"""The server: authentication, validation, and the reply that a script chose."""

import base64
import hashlib
import itertools
import json
import math
import secrets
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, assert_never

from aiohttp import web

from tests.loopback.voyage.replies import Aborts, Breaks, Encodes, Fails, Garbles, Holds, Reply, Says
from tests.loopback.voyage.requests import Request, complaint

Script = Callable[[Request], Reply]


def of_words(text: str, dimensions: int) -> list[float]:
    """A vector of a text's words: texts that share words are near each other. Of length 1, as Voyage's are."""
    vector = [0.0] * dimensions
    for word in text.casefold().split():
        digest = hashlib.sha256(word.encode()).digest()
        vector[int.from_bytes(digest[:4], "big") % dimensions] += 1 if digest[4] % 2 else -1
    length = math.hypot(*vector)
    return [number / length for number in vector] if length else [1.0, *vector[1:]]


class Server:
    """What was asked and what is answered."""

    def __init__(self, script: Script | None = None) -> None:
        self.key = f"pa-{secrets.token_hex(8)}"
        self.url = ""
        self.script = script or (lambda _: Encodes())
        self.meanings: dict[str, str] = {}
        """Words that mean the same as another one: they have its vector."""
        self.requests: list[Request] = []
        self.refused: list[str] = []
        self.connections: set[Any] = set()
        self._numbers = itertools.count(1)

    def app(self) -> web.Application:
        """The route of the API that dnam uses."""
        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.router.add_post("/v1/embeddings", self._embeddings)
        return app

    async def _embeddings(self, got: web.Request) -> web.StreamResponse:
        self.connections.add(got.transport)
        if got.headers.get("authorization") != f"Bearer {self.key}":
            return self._refuse(401, "Provided API key is invalid.")
        body = json.loads(await got.read())
        why = complaint(body)
        if why:
            return self._refuse(400, why)
        request = Request(body, dict(got.headers))
        self.requests.append(request)
        return await self._reply(got, request, self.script(request))

    async def _reply(self, got: web.Request, request: Request, reply: Reply) -> web.StreamResponse:
        match reply:
            case Encodes():
                return self._json(self._encoded(request, reply))
            case Fails(status=status, detail=detail, retry_after=retry_after, date=date):
                headers = {name: value for name, value in (("retry-after", retry_after), ("date", date)) if value}
                return self._json({"detail": detail} if detail is not None else {"oops": 1}, status, headers)
            case Says(body=body):
                return self._json(body)
            case Garbles(body=body, content_type=content_type):
                return web.Response(body=body, content_type=content_type)
            case Holds(reached=reached, let_go=let_go):
                reached.set()
                await let_go.wait()
                return self._json(self._encoded(request, Encodes()))
            case Breaks():
                response = web.StreamResponse(headers={"content-type": "application/json", "content-length": "1000"})
                await response.prepare(got)
                await response.write(b'{"object": "list", "data": [')
            case Aborts():
                response = web.StreamResponse()
            case _:
                assert_never(reply)
        if got.transport is not None:
            got.transport.abort()
        return response

    def _encoded(self, request: Request, how: Encodes) -> dict[str, Any]:
        """As the API has it; it sends vectors as base64 of 32-bit floats where that is asked for."""
        length = how.dimensions or request.dimensions
        vectors = [of_words(self._meant(text), length) for text in request.texts[: len(request.texts) - how.lost]]
        if how.number is not None:
            vectors[-1][0] = how.number
        as_text = request.body.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "embedding": _base64(vector) if as_text else vector, "index": index}
            for index, vector in enumerate(vectors)
        ]
        tokens = request.tokens if how.tokens is None else how.tokens
        return {"object": "list", "data": data, "model": request.body["model"], "usage": {"total_tokens": tokens}}

    def _meant(self, text: str) -> str:
        return " ".join(self.meanings.get(word, word) for word in text.casefold().split())

    def _refuse(self, status: int, detail: str) -> web.Response:
        self.refused.append(detail)
        return self._json({"detail": detail}, status)

    def _json(self, body: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
        named = {"request-id": f"req-{next(self._numbers):012d}", **(headers or {})}
        return web.json_response(body, status=status, headers=named)


def _base64(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


@asynccontextmanager
async def serving(script: Script | None = None) -> AsyncIterator[Server]:
    """A server on a free port of loopback, for as long as the `async with` lasts."""
    server = Server(script)
    runner = web.AppRunner(server.app(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        server.url = f"http://{host}:{port}/v1"
        yield server
    finally:
        await runner.cleanup()
