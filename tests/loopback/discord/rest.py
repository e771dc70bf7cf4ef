"""The REST side: a table of routes, and what happens around each of them.

A handler is a plain function from the state and a call to an answer; it may raise Refused. Around it, every time:
authorization, faults, rate limits, and the description, against which request and answer are held.
"""

import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.loopback.discord.description import Violation, check_query, check_request, check_response
from tests.loopback.discord.errors import Refused, unauthorized, wrong_form
from tests.loopback.discord.limits import Bucket, Fault, Kind, Limits, too_many
from tests.loopback.discord.state import State
from tests.loopback.discord.wire import Wire

BASE = "/api/v10"


@dataclass(frozen=True)
class Upload:
    """A file that came with a request."""

    field: str
    name: str
    content: bytes
    content_type: str


@dataclass(frozen=True)
class Call:
    """One request, read."""

    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Any = None
    """The JSON document; of a form, its `payload_json`."""
    uploads: tuple[Upload, ...] = ()
    reason: str | None = None
    """What is to stand in the audit log."""

    def id(self, name: str) -> int:
        """An id in the path."""
        return int(self.path[name]) if self.path[name].isdigit() else 0

    def flag(self, name: str) -> bool:
        return self.query.get(name, "").lower() in ("1", "true")

    def number(self, name: str, default: int, most: int) -> int:
        """A number after the question mark, between 1 and `most`; raises Refused."""
        value = int(self.query.get(name, default))
        if not 1 <= value <= most:
            raise wrong_form(name, "NUMBER_TYPE_MAX", f"int value should be between 1 and {most}.")
        return value


@dataclass(frozen=True)
class Answer:
    """What is said to it."""

    body: Any = None
    status: int = 200


NO_CONTENT = Answer(status=204)
Handler = Callable[[State, Call], Answer]


@dataclass(frozen=True)
class Route:
    """A method and a path as Discord's description writes it, and who answers."""

    method: str
    path: str
    handler: Handler
    open: bool = False
    """Needs no token: an interaction's own token is in the path."""

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class Seen:
    """A request that was answered, for tests to look at."""

    method: str
    path: str
    body: Any
    query: Mapping[str, str]
    status: int
    reason: str | None = None


@dataclass
class Rest:
    """All routes over one state."""

    state: State
    routes: tuple[Route, ...]
    limits: Limits = field(default_factory=Limits)
    requests: deque[Seen] = field(default_factory=lambda: deque(maxlen=10_000))
    """What was answered lately, oldest first."""

    def mount(self, app: web.Application) -> None:
        for each in self.routes:
            app.router.add_route(each.method, BASE + each.path, self._answerer(each))
        app.router.add_route("*", BASE + "/{rest:.*}", self._nothing_there)

    def _answerer(self, route: Route) -> Callable[[web.Request], Any]:
        async def answer(request: web.Request) -> web.StreamResponse:
            response = await self._answer(route, request)
            self.state.changed()
            return response

        return answer

    async def _answer(self, route: Route, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix(BASE)
        call = await _read(request)
        bucket = self.limits.bucket(route.method, route.path, path, dict(request.match_info))
        fault = self.limits.fault(route.method, route.path, path, call.body if isinstance(call.body, dict) else {})
        if fault is not None and fault.kind == Kind.SLOW:
            self.state.changed()
            await fault.gate.wait()
        if fault is not None and not fault.after and fault.kind != Kind.SLOW:
            return self._wrong(fault, route, call, path, request)
        if (wait := self.limits.take(bucket)) is not None:
            return self._limited(wait, False, bucket, route, call, path)
        answer = self._handled(route, call, request)
        self._seen(route, call, path, answer.status)
        if fault is not None and fault.after:
            return self._wrong(fault, route, call, path, request)
        return _written(answer, self.limits.headers(bucket))

    def _handled(self, route: Route, call: Call, request: web.Request) -> Answer:
        try:
            self._authorize(route, request)
            check_query(route.name, dict(call.query))
            check_request(route.name, call.body)
            answer = route.handler(self.state, call)
            check_response(route.name, answer.status, answer.body)
        except Refused as refused:
            answer = Answer(refused.body, refused.status)
            self._hold(lambda: check_response(route.name, answer.status, answer.body))
        except Violation as violation:
            self.state.violated(violation)
            answer = Answer(wrong_form("request", "UNDESCRIBED", str(violation)[:500]).body, 400)
        return answer

    def _hold(self, check: Callable[[], None]) -> None:
        try:
            check()
        except Violation as violation:
            self.state.violated(violation)

    def _authorize(self, route: Route, request: web.Request) -> None:
        if not route.open and request.headers.get("Authorization") != f"Bot {self.state.application.token}":
            raise unauthorized()

    def _wrong(self, fault: Fault, route: Route, call: Call, path: str, request: web.Request) -> web.StreamResponse:
        if fault.kind == Kind.LIMIT:
            bucket = Bucket("0" * 32, 1, fault.seconds, used=1)
            return self._limited(fault.seconds, fault.everywhere, bucket, route, call, path)
        if not fault.after:
            self._seen(route, call, path, fault.status)
        if fault.kind == Kind.CUT and request.transport is not None:
            request.transport.abort()
        if fault.kind == Kind.GARBLED:
            return _json('{"id": "12')
        body = {"message": f"{fault.status}: Internal Server Error", "code": fault.code}
        return _json(json.dumps(body), fault.status)

    def _limited(
        self, seconds: float, everywhere: bool, bucket: Bucket, route: Route, call: Call, path: str
    ) -> web.StreamResponse:
        body, headers = too_many(seconds, everywhere)
        check_response(route.name, 429, body)
        self._seen(route, call, path, 429)
        return _written(Answer(body, 429), headers | ({} if everywhere else self.limits.headers(bucket)))

    def _seen(self, route: Route, call: Call, path: str, status: int) -> None:
        self.requests.append(Seen(route.method, path, call.body, call.query, status, call.reason))

    async def _nothing_there(self, request: web.Request) -> web.StreamResponse:
        """A route that nobody answers here: the test has to know, since Discord might."""
        self.state.violated(Violation(f"{request.method} {request.path}: no such route here"))
        return _json(json.dumps({"message": "404: Not Found", "code": 0}), 404)


async def _read(request: web.Request) -> Call:
    path, query = dict(request.match_info), dict(request.query)
    reason = request.headers.get("X-Audit-Log-Reason")
    if request.content_type == "multipart/form-data":
        body, uploads = await _form(request)
        return Call(path, query, body, uploads, reason)
    raw = await request.read()
    return Call(path, query, json.loads(raw) if raw else None, (), reason)


async def _form(request: web.Request) -> tuple[Wire, tuple[Upload, ...]]:
    body: Wire = {}
    uploads = []
    for name, value in (await request.post()).items():
        if name == "payload_json":
            body = json.loads(value if isinstance(value, str) else "{}")
        elif isinstance(value, web.FileField):
            uploads.append(Upload(name, value.filename, value.file.read(), value.content_type))
    return body, tuple(uploads)


def _written(answer: Answer, headers: dict[str, str]) -> web.Response:
    if answer.status == 204:
        return web.Response(status=204, headers=headers)
    return _json(json.dumps(answer.body), answer.status, headers)


def _json(text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """Discord writes no charset into the type, and discord.py reads only what is so typed."""
    return web.Response(
        body=text.encode(), status=status, headers={"Content-Type": "application/json", **(headers or {})}
    )
