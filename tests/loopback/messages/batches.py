"""The Message Batches API on loopback: https://platform.claude.com/docs/en/build-with-claude/batch-processing

    made ──(takes_seconds)──▶ ended            each request is answered by the server's script when it is its turn
      │                         ▲
      ├──(cancel)─▶ canceling ──┤              what was not asked until then is canceled
      └──(a day)────────────────┘              or expired

Time is `now`, in seconds since 1970, and passes as a test says. Turns are spread evenly over the seconds that a batch
takes: where that is two days, half of it expires. What goes wrong with a call is put into `faults`, by the name of the
call, the next one first; None is a call that works. What goes wrong with a request is the script's to say.
"""

import json
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from aiohttp import web

from tests.loopback.messages.batch import DAY_SECONDS, Batch, Row
from tests.loopback.messages.events import error, whole
from tests.loopback.messages.replies import Declines, Expires, Fails, Holds, Reply, Runs, Says
from tests.loopback.messages.requests import Request, complaint

if TYPE_CHECKING:
    from tests.loopback.messages.server import Server

CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
MOST_REQUESTS = 100_000


class Loses(NamedTuple):
    """The connection is lost before an answer; what was asked for is done."""


class Cuts(NamedTuple):
    """The connection is lost behind some lines of the results."""

    lines: int


class Alters(NamedTuple):
    """Other results than there are: `lines` is handed the right ones."""

    lines: Callable[[list[bytes]], list[bytes]]


class Speaks(NamedTuple):
    """Something under status 200 that is no answer of the API's: a proxy's page."""

    text: str
    form: str = "text/html"


Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
Fault = Fails | Loses | Cuts | Alters | Holds | Speaks


class Office:
    """The batches that were made, the oldest first."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self.now: Callable[[], float] = time.time
        self.takes_seconds = 0.0
        """How long the batches take that are made from now on."""
        self.made: list[Batch] = []
        self.faults: dict[str, list[Fault | None]] = {}
        self.calls: list[str] = []
        """The names of the calls, in order."""

    def routes(self, app: web.Application) -> None:
        """The calls, by their names."""
        one = "/v1/messages/batches/{id}"
        app.router.add_post("/v1/messages/batches", self._call("create", self._create))
        app.router.add_get("/v1/messages/batches", self._call("list", self._list))
        app.router.add_get(one, self._call("retrieve", self._retrieve))
        app.router.add_get(f"{one}/results", self._call("results", self._results))
        app.router.add_post(f"{one}/cancel", self._call("cancel", self._cancel))
        app.router.add_delete(one, self._call("delete", self._delete))

    def asked(self) -> list[str]:
        """The ids of all requests that were ever sent."""
        return [id_ for batch in self.made for id_ in batch.ids]

    def cancel(self, batch: Batch) -> None:
        """As somebody does who sees it in the console."""
        if batch.canceled is None:
            batch.canceled = self.now()

    def _call(self, name: str, answer: Answer) -> Answer:
        async def called(got: web.Request) -> web.StreamResponse:
            self.calls.append(name)
            refused = self._server.unwelcome(got)
            if refused is not None:
                return refused
            for batch in self.made:
                self._go_on(batch)
            return await self._faulty(got, answer, self._fault(name))

        return called

    def _fault(self, name: str) -> Fault | None:
        faults = self.faults.get(name, [])
        return faults.pop(0) if faults else None

    async def _faulty(self, got: web.Request, answer: Answer, fault: Fault | None) -> web.StreamResponse:
        match fault:
            case None:
                return await answer(got)
            case Fails():
                return self._server.fail(fault)
            case Loses():
                response = await answer(got)
                _abort(got)
                return response
            case Holds(reached=reached, let_go=let_go):
                response = await answer(got)
                reached.set()
                await let_go.wait()
                return response
            case Speaks(text=text, form=form):
                return web.Response(text=text, content_type=form)
            case Cuts() | Alters():
                return await self._results(got, fault)

    # -- calls ------------------------------------------------------------------------------------------------------

    async def _create(self, got: web.Request) -> web.Response:
        try:
            requests = json.loads(await got.read())["requests"]
        except (ValueError, LookupError, TypeError):
            return self._server.refuse(400, "invalid_request_error", "requests: Field required")
        why = next(_complaints(requests), "")
        if why:
            return self._server.refuse(400, "invalid_request_error", why)
        batch = Batch(f"msgbatch_{len(self.made) + 1:024d}", requests, self.now(), self.takes_seconds)
        self.made.append(batch)
        return self._said(self._told(batch))

    async def _retrieve(self, got: web.Request) -> web.Response:
        batch = self._of(got)
        return self._absent() if batch is None else self._said(self._told(batch))

    async def _list(self, got: web.Request) -> web.Response:
        limit = int(got.query.get("limit", "20"))
        if not 1 <= limit <= 1000:
            return self._server.refuse(400, "invalid_request_error", "limit: Input should be between 1 and 1000")
        rows = [self._told(each) for each in reversed(self.made)]
        ids = [each["id"] for each in rows]
        page = rows[:limit]
        if "before_id" in got.query:
            rows = rows[: ids.index(got.query["before_id"])]
            page = rows[-limit:]
        if "after_id" in got.query:
            rows = rows[ids.index(got.query["after_id"]) + 1 :]
            page = rows[:limit]
        first, last = (page[0]["id"], page[-1]["id"]) if page else (None, None)
        return self._said({"data": page, "has_more": len(rows) > limit, "first_id": first, "last_id": last})

    async def _results(self, got: web.Request, fault: Cuts | Alters | None = None) -> web.StreamResponse:
        batch = self._of(got)
        if batch is None:
            return self._absent()
        if self._told(batch)["results_url"] is None:
            return self._server.refuse(400, "invalid_request_error", "the batch has no results")
        lines = [json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in reversed(batch.results)]
        if isinstance(fault, Alters):
            lines = fault.lines(lines)
        response = web.StreamResponse(headers={**self._server.headers(), "content-type": "application/x-jsonl"})
        await response.prepare(got)
        for line in lines[: fault.lines] if isinstance(fault, Cuts) else lines:
            await response.write(line)
        if isinstance(fault, Cuts):
            _abort(got)
        return response

    async def _cancel(self, got: web.Request) -> web.Response:
        batch = self._of(got)
        if batch is None:
            return self._absent()
        if batch.ended is not None:
            return self._server.refuse(400, "invalid_request_error", "the batch has ended")
        self.cancel(batch)
        return self._said(self._told(batch))

    async def _delete(self, got: web.Request) -> web.Response:
        batch = self._of(got)
        if batch is None:
            return self._absent()
        if batch.ended is None:
            return self._server.refuse(400, "invalid_request_error", "a batch under way cannot be deleted")
        self.made.remove(batch)
        return self._said({"id": batch.id, "type": "message_batch_deleted"})

    def _told(self, batch: Batch) -> Row:
        return batch.row(self._server.url, self.now())

    def _of(self, got: web.Request) -> Batch | None:
        return next((each for each in self.made if each.id == got.match_info["id"]), None)

    def _absent(self) -> web.Response:
        return self._server.refuse(404, "not_found_error", "no such batch")

    def _said(self, row: Mapping[str, Any]) -> web.Response:
        return web.json_response(row, headers=self._server.headers())

    # -- what becomes of a batch ------------------------------------------------------------------------------------

    def _go_on(self, batch: Batch) -> None:
        """Let a batch end when its time has come; one that was cancelled ends a moment later."""
        now = self.now()
        ends = batch.made + min(batch.takes_seconds, DAY_SECONDS)
        if batch.canceled is not None and batch.canceled < min(now, ends):
            ends = batch.canceled
        if batch.ended is None and ends <= now:
            batch.ended = ends
            batch.results = [self._result(batch, number) for number in range(len(batch.requests))]

    def _result(self, batch: Batch, number: int) -> Row:
        turn = batch.made + batch.takes_seconds * (number + 1) / len(batch.requests)
        asked = batch.requests[number]
        if batch.ended is None or turn <= batch.ended:
            result = self.outcome(asked["params"])
        else:
            result = {"type": "canceled" if batch.canceled == batch.ended else "expired"}
        return {"custom_id": asked["custom_id"], "result": result}

    def outcome(self, params: Row) -> Row:
        """Requests are held against what the API takes only when it is their turn."""
        why = "stream: Extra inputs are not permitted" if "stream" in params else complaint(params)
        request = Request(params, {})
        if not why and request.schema is not None and not self._server.schemas:
            why = f"{request.model} does not support output_config.format"
        if why:
            self._server.refused.append(why)
            return _errored("invalid_request_error", why)
        self._server.requests.append(request)
        return self._replied(request, self._server.script(request))

    def _replied(self, request: Request, reply: Reply) -> Row:
        match reply:
            case Says():
                message = whole(request, reply, f"msg_{len(self._server.requests):024d}")
                message["usage"]["service_tier"] = "batch"
                return {"type": "succeeded", "message": message}
            case Runs(text=text):
                return self._replied(request, Says(text, "max_tokens"))
            case Declines(text=text):
                return self._replied(request, Says(text, "refusal"))
            case Fails():
                return _errored(reply.type, reply.message)
            case Expires():
                return {"type": "expired"}
            case _:
                raise AssertionError(f"{type(reply).__name__} is of streams: nothing like it happens in a batch")


def _complaints(requests: list[Row]) -> Iterator[str]:
    """Why the API would refuse a batch; what is asked in it is not looked at yet."""
    if not 1 <= len(requests) <= MOST_REQUESTS:
        yield f"requests: List should have 1 to {MOST_REQUESTS} items"
    for number, each in enumerate(requests):
        if set(each) != {"custom_id", "params"}:
            yield f"requests.{number}: custom_id and params are required, and nothing else"
        elif not CUSTOM_ID.fullmatch(each["custom_id"]):
            yield f"requests.{number}.custom_id: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"
    if len({each.get("custom_id") for each in requests}) < len(requests):
        yield "requests: custom_id must be unique"


def _errored(type_: str, message: str) -> Row:
    return {"type": "errored", "error": error(type_, message, "req_batch")}


def _abort(got: web.Request) -> None:
    if got.transport is not None:
        got.transport.abort()
