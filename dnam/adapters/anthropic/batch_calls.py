"""Calls of the Message Batches API, each tried a few times, with a circuit as for any other ask.

Only making a batch is never simply tried again: where nobody answered, it may have been made, and would be paid for
twice. That is `Unanswered`, and whoever called looks for it in the list.
"""

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from dnam.adapters.anthropic.faults import UNSET, Fault, GarbledStream, fault_of, wait_or_raise
from dnam.adapters.anthropic.service import Service
from dnam.adapters.circuit import Circuit
from dnam.adapters.rest import Rest
from dnam.adapters.tries import Nature, first_that_works
from dnam.model import ModelError

if TYPE_CHECKING:
    from anthropic.resources.messages.batches import AsyncBatches
    from anthropic.types.messages import MessageBatch
    from anthropic.types.messages.batch_create_params import Request

NAME = "the Message Batches API"
REFUSALS = frozenset({503, 529})
"""The statuses from 500 on under which nothing was begun."""
ABSENT = frozenset({404, 405, 501})
PAGE = 100
T = TypeVar("T")


class Unanswered(Exception):
    """Nobody knows whether the batch was made. `error` is what went wrong."""

    def __init__(self, error: ModelError) -> None:
        super().__init__(str(error))
        self.error = error


Judge = Callable[[Exception, Fault], None]


def _nothing(_: Exception, __: Fault) -> None:
    """Every error is judged by its fault alone."""


def _unless_unanswered(error: Exception, fault: Fault) -> None:
    """Unanswered for an error that leaves open whether anything was made: all but a refusal."""
    status = getattr(error, "status_code", 0)
    if not (400 <= status < 500 or status in REFUSALS):
        raise Unanswered(fault.error) from error


def _advised(error: Exception, fault: Fault) -> Fault:
    """What a page that is not there means here."""
    if getattr(error, "status_code", 0) not in ABSENT:
        return fault
    why = f"{NAME} is not there, or does not know the batch: check ANTHROPIC_API_KEY, whose workspace it is in, and "
    return Fault(ModelError(f"{why}ANTHROPIC_BASE_URL, or ask without batches", words=UNSET, kind="not_found_error"))


class Calls:
    """The API, as far as it is used here. ModelError says what went wrong, ModelDown that the service is down."""

    def __init__(self, service: Service, nature: Nature) -> None:
        self._service = service
        self._nature = nature
        self.circuit = Circuit(nature.seconds)
        self._rest = Rest(nature.seconds)

    async def create(self, requests: "list[Request]") -> "MessageBatch":
        """A new batch of these. Unanswered where it may have been made all the same."""
        return await self._tried(lambda batches: _batch(batches.create(requests=requests)), _unless_unanswered)

    async def retrieve(self, batch: str) -> "MessageBatch":
        """How far a batch is."""
        return await self._tried(lambda batches: _batch(batches.retrieve(batch)))

    async def cancel(self, batch: str) -> None:
        """Let a batch end early: what was not asked yet is not asked."""
        await self._tried(lambda batches: _batch(batches.cancel(batch)))

    async def since(self, when: int) -> "list[MessageBatch]":
        """The batches made since a time, in ms, whoever made them; the newest first, as the API lists them."""
        moment = datetime.fromtimestamp(when / 1000, UTC)
        return await self._tried(lambda batches: _listed(batches, moment))

    async def results(self, batch: str, hear: Callable[[bytes], None]) -> None:
        """Tell of each line of a batch's results; again from the first one where the connection is lost meanwhile."""
        await self._tried(lambda batches: _read(batches, batch, hear))

    async def _tried(self, call: "Callable[[AsyncBatches], Awaitable[T]]", judge: Judge = _nothing) -> T:
        """What a call gives, once it works; `judge` raises for an error after which it is not tried again."""
        batches = (await self._service.client()).messages.batches
        self._rest.refuse()
        probed = self.circuit.enter()

        def wait_after(error: Exception, tried: int) -> float | None:
            fault = fault_of(error, NAME)
            if fault is None:
                return None
            fault = _advised(error, fault)
            judge(error, fault)
            return wait_or_raise(fault, tried, self.circuit, self._rest.ask, self._nature.dice)

        try:
            given = await first_that_works(partial(call, batches), wait_after, self._nature.sleep)
            self.circuit.worked()
            return given
        finally:
            self.circuit.leave(probed=probed)


async def _batch(asked: "Awaitable[MessageBatch]") -> "MessageBatch":
    """A batch that the API told of. GarbledStream for what is none: a proxy's page, say."""
    from anthropic.types.messages import MessageBatch

    try:
        batch: object = await asked
    except ValueError as error:
        raise GarbledStream("no JSON") from error
    if not isinstance(batch, MessageBatch) or not getattr(batch, "id", ""):
        raise GarbledStream("no batch")
    return batch


async def _listed(batches: "AsyncBatches", moment: datetime) -> "list[MessageBatch]":
    found: list[MessageBatch] = []
    async for each in batches.list(limit=PAGE):
        if each.created_at < moment:
            break
        found.append(each)
    return found


async def _read(batches: "AsyncBatches", batch: str, hear: Callable[[bytes], None]) -> None:
    """Lines end in a line feed and in nothing else: in JSON no other separator ends one."""
    decoder = await batches.results(batch)
    try:
        rest = b""
        async with aclosing(decoder.http_response.aiter_bytes()) as chunks:
            async for chunk in chunks:
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    hear(line)
        hear(rest)
    finally:
        await decoder.close()
