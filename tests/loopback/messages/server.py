"""The server: authentication, validation, and the reply that a script chose."""

import asyncio
import itertools
import json
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiohttp import web

from tests.loopback.messages.batches import Office
from tests.loopback.messages.events import encoded, error, events, whole
from tests.loopback.messages.offline import Offline
from tests.loopback.messages.replies import (
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
from tests.loopback.messages.requests import Request, complaint

Script = Callable[[Request], Reply]
CAN: dict[str, bool] = {"supported": True}
CANNOT: dict[str, bool] = {"supported": False}
LATE = Says("This comes too late.")


class Server:
    """What was asked and what is answered. `schemas` is whether its models can be held to a schema; without `pages` it
    knows no Models API, as compatible servers do not; `page` is another page for every model. `latency_seconds` pass
    before a reply begins, and none does until the `gate` is set; `heard` hears of each question as it comes, `sent` of
    each reply that was streamed to its end.
    """

    def __init__(self, script: Script | None = None, *, schemas: bool = True, pages: bool = True) -> None:
        self.key = f"sk-ant-{secrets.token_hex(8)}"
        self.url = ""
        self.script = script or Offline()
        self.schemas = schemas
        self.pages = pages
        self.pages_fail: Fails | None = None
        self.pages_asked = 0
        self.page: dict[str, Any] = {}
        self.requests: list[Request] = []
        self.latency_seconds = 0.0
        self.gate = asyncio.Event()
        self.gate.set()
        self.heard: Callable[[Request], None] = lambda _: None
        self.sent: Callable[[Request], None] = lambda _: None
        self.refused: list[str] = []
        self.batches = Office(self)
        self._numbers = itertools.count(1)

    def app(self) -> web.Application:
        """The routes of the API that dnam uses."""
        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_get("/v1/models/{model}", self._model)
        self.batches.routes(app)
        return app

    # -- requests ---------------------------------------------------------------------------------------------------

    async def _messages(self, got: web.Request) -> web.StreamResponse:
        refused = self.unwelcome(got)
        if refused is not None:
            return refused
        try:
            body = json.loads(await got.read())
        except ValueError:
            return self.refuse(400, "invalid_request_error", "the body is no JSON")
        why = complaint(body)
        if why:
            return self.refuse(400, "invalid_request_error", why)
        request = Request(body, dict(got.headers))
        if request.schema is not None and not self.schemas:
            return self.refuse(400, "invalid_request_error", f"{request.model} does not support output_config.format")
        self.requests.append(request)
        self.heard(request)
        if self.latency_seconds:
            await asyncio.sleep(self.latency_seconds)
        await self.gate.wait()
        reply = self.script(request)
        response = await self._reply(got, request, reply)
        if response.prepared and isinstance(reply, Says):
            with suppress(ConnectionError):
                await response.write_eof()
            self.sent(request)
        return response

    def unwelcome(self, got: web.Request) -> web.Response | None:
        """What is said to whoever has no key, or names no version; None to everybody else."""
        if self.key not in (got.headers.get("x-api-key"), got.headers.get("authorization", "").removeprefix("Bearer ")):
            return self.refuse(401, "authentication_error", "invalid api key")
        if not got.headers.get("anthropic-version"):
            return self.refuse(400, "invalid_request_error", "anthropic-version: header is required")
        return None

    async def _model(self, got: web.Request) -> web.Response:
        self.pages_asked += 1
        if not self.pages:
            return web.Response(status=404, text="no such page")
        if self.pages_fail is not None:
            return self.fail(self.pages_fail)
        return self.unwelcome(got) or web.json_response(self.page or self._page(got.match_info["model"]))

    def _page(self, model: str) -> dict[str, Any]:
        plain = ("batch", "citations", "code_execution", "image_input", "pdf_input")
        return {
            "type": "model",
            "id": model,
            "display_name": model,
            "created_at": "2026-01-01T00:00:00Z",
            "lifecycle": "active",
            "max_input_tokens": 1_000_000,
            "max_tokens": 128_000,
            "capabilities": {
                **dict.fromkeys(plain, CAN),
                "context_management": CAN,
                "effort": {**CAN, "low": CAN, "medium": CAN, "high": CAN, "max": CAN, "xhigh": CANNOT},
                "server_tools": {**CANNOT, "web_search": CANNOT, "code_execution": CANNOT},
                "structured_outputs": {"supported": self.schemas},
                "thinking": {**CAN, "types": {"adaptive": CAN, "enabled": CANNOT}},
            },
        }

    # -- replies ----------------------------------------------------------------------------------------------------

    async def _reply(self, got: web.Request, request: Request, reply: Reply) -> web.StreamResponse:
        match reply:
            case Fails():
                return self.fail(reply)
            case Expires():
                return self.fail(Fails(504, "timeout_error"))
            case Holds(reached=reached, let_go=let_go):
                reached.set()
                await let_go.wait()
                return await self._say(got, request, LATE)
            case Declines(text=text):
                return await self._say(got, request, Says(text, "refusal"))
            case Runs(text=text):
                return await self._say(got, request, Says(text, "max_tokens"))
            case Says():
                return await self._say(got, request, reply)
            case Drips(says=says, every_seconds=every):
                return await self._say(got, request, says, every)
            case Cuts():
                return await self._cut(got, request, reply)
            case Stays(let_go=let_go):
                response = await self._cut(got, request, Cuts(reply.text, "body"), whole=reply.whole)
                await let_go.wait()
                return response
            case Garbles(lines=lines):
                response = await self._stream(got)
                await response.write(lines.encode())
                return response

    async def _say(
        self, got: web.Request, request: Request, says: Says, every_seconds: float = 0.0
    ) -> web.StreamResponse:
        name = f"msg_{next(self._numbers):024d}"
        if not request.body.get("stream"):
            return web.json_response(whole(request, says, name), headers=self.headers())
        response = await self._stream(got)
        for event in events(request, says, name):
            if every_seconds:
                await asyncio.sleep(every_seconds)
            await response.write(encoded(event))
        return response

    async def _cut(self, got: web.Request, request: Request, cut: Cuts, *, whole: bool = False) -> web.StreamResponse:
        response = await self._stream(got)
        last = len([*filter(None, [cut.text]), *cut.calls]) - 1  # the block of the last call
        for event in events(
            request, Says(cut.text or ("" if cut.calls else "These words"), calls=cut.calls), "msg_cut"
        ):
            if event["type"] == "message_delta" and not whole:
                break
            if cut.calls and (event["type"], event.get("index")) == ("content_block_stop", last):
                break
            await response.write(encoded(event))
        if cut.how == "error":
            await response.write(encoded(error("overloaded_error", "Overloaded", "req_cut")))
        if cut.how == "connection" and got.transport is not None:
            got.transport.abort()
        return response

    async def _stream(self, got: web.Request) -> web.StreamResponse:
        headers = {**self.headers(), "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        response = web.StreamResponse(headers=headers)
        await response.prepare(got)
        return response

    def refuse(self, status: int, type_: str, message: str) -> web.Response:
        """Say that a request is wrong."""
        self.refused.append(message)
        return self.fail(Fails(status, type_, message))

    def fail(self, fails: Fails) -> web.Response:
        """An error, as the API has it."""
        headers = self.headers()
        if fails.retry_after:
            headers["retry-after"] = fails.retry_after
        if fails.date:
            headers["date"] = fails.date
        return web.json_response(
            error(fails.type, fails.message, headers["request-id"]), status=fails.status, headers=headers
        )

    def headers(self) -> dict[str, str]:
        """What every response has."""
        return {"request-id": f"req_{next(self._numbers):024d}"}


@asynccontextmanager
async def serving(script: Script | None = None, *, schemas: bool = True, pages: bool = True) -> AsyncIterator[Server]:
    """A server on a free port of loopback, for as long as the `async with` lasts."""
    server = Server(script, schemas=schemas, pages=pages)
    runner = web.AppRunner(server.app(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        server.url = f"http://{host}:{port}"
        yield server
    finally:
        await runner.cleanup()
