"""Voyage: texts to vectors, batch by batch.

    texts ─ without the empty ones ─ batches ─ rest ─ circuit ─ try ─▶ vectors
                                                      ▲       │
                                                      └─ wait ┘   as long as the API says, else twice as long each time

An empty text is never sent, since the API refuses it: its vector is all zeros, which is near nothing.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from dnam.adapters.circuit import Circuit
from dnam.adapters.rest import Rest
from dnam.adapters.tries import Nature, first_that_works, left_of, next_try
from dnam.adapters.voyage.batches import batches
from dnam.adapters.voyage.faults import Fault, fault_of
from dnam.meaning.encoder import Encoded, EncoderDown, EncoderError, EncoderMissing, complaint
from dnam.prices import Tokens, prices
from dnam.taken import sum_of
from projections.events.upkeep import EncodedKind
from projections.events.values import ModelUse
from projections.policies.closeness import Vector

if TYPE_CHECKING:
    import aiohttp
    from voyageai.object import EmbeddingsObject

VOYAGE = "https://api.voyageai.com/v1"
MODEL = "voyage-3.5-lite"
DIMENSIONS = 1024


class Access(NamedTuple):
    """How Voyage is reached, what is asked of it, how long one try may take, and how long a question as a whole."""

    key: str
    model: str = MODEL
    dimensions: int = DIMENSIONS
    base_url: str = VOYAGE
    try_seconds: float = 20.0
    query_seconds: float = 2.5


class Voyage:
    """An `Encoder` that asks Voyage's API. `close` it, when it will not be asked any more."""

    def __init__(self, access: Access, nature: Nature | None = None) -> None:
        self._access = access
        self._nature = nature or Nature()
        self.circuit = Circuit(self._nature.seconds, _down)
        self._rest = Rest(self._nature.seconds)
        self._session: aiohttp.ClientSession | None = None

    @property
    def name(self) -> str:
        """A model of Voyage's never changes under its name; its dimensions are part of what its vectors are."""
        return f"{self._access.model}/{self._access.dimensions}"

    async def encode(self, texts: Sequence[str], kind: EncodedKind = "document") -> Encoded:
        """A vector for each text, and what all of them took. EncoderDown when the service is down, EncoderError
        otherwise: it carries what was paid until then.
        """
        wanted = list(dict.fromkeys(text for text in texts if text.strip()))
        made: dict[str, Vector] = {}
        uses: list[ModelUse] = []
        try:
            for batch in batches(wanted):
                encoded = await self._within_circuit(batch, kind, uses)
                made.update(zip(batch, encoded, strict=True))
        except EncoderError as error:
            error.use = sum_of(uses)
            raise
        nothing = (0.0,) * self._access.dimensions
        return Encoded([made.get(text, nothing) for text in texts], sum_of(uses))

    async def close(self) -> None:
        """Let go of the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    # -- tries -------------------------------------------------------------------------------------------------------

    async def _within_circuit(self, batch: list[str], kind: EncodedKind, uses: list[ModelUse]) -> Sequence[Vector]:
        self._rest.refuse()
        probed = self.circuit.enter()
        seconds = self._access.query_seconds if kind == "query" else None
        try:
            async with asyncio.timeout(seconds) as limit:
                return await self._tries(batch, kind, uses, limit)
        except TimeoutError:
            why = f"{self._access.model} sent nothing within {seconds:g} seconds"
            self.circuit.failed(why)  # it is to learn of it before whoever waits gives up
            raise EncoderDown(why) from None
        finally:
            self.circuit.leave(probed=probed)

    async def _tries(
        self, batch: list[str], kind: EncodedKind, uses: list[ModelUse], limit: asyncio.Timeout
    ) -> Sequence[Vector]:
        await prepare()

        def wait_after(error: Exception, tried: int) -> float | None:
            if isinstance(error, EncoderError):
                self.circuit.worked()  # it is there, and what it says is of no use: it would be paid for once more
                return None
            return self._wait(fault_of(error, self._access.model, batch), tried, left_of(limit))

        vectors = await first_that_works(partial(self._try, batch, kind, uses), wait_after, self._nature.sleep)
        self.circuit.worked()
        return vectors

    def _wait(self, fault: Fault | None, tried: int, left_seconds: float) -> float | None:
        """How long to wait for the next try, in seconds; None for a bug. The fault's own error when there is none, or
        not within the seconds that are left; then the service has the rest that it asked for.
        """
        if fault is None:
            return None
        wait = next_try(tried, fault.wait_seconds, self._nature.dice, left_seconds) if fault.again else None
        if wait is not None:
            return wait
        if fault.wait_seconds:
            self._rest.ask(fault.wait_seconds, partial(_resting, fault.error))
        if fault.is_down:
            self.circuit.failed(str(fault.error))
        else:
            self.circuit.worked()
        raise fault.error

    # -- one try -----------------------------------------------------------------------------------------------------

    async def _try(self, batch: list[str], kind: EncodedKind, uses: list[ModelUse]) -> Sequence[Vector]:
        begun = self._nature.seconds()
        answer = await self._ask(batch, kind)
        uses.append(self._use(answer.total_tokens, round((self._nature.seconds() - begun) * 1000)))
        vectors: Sequence[Vector] = answer.embeddings
        why = complaint(vectors, len(batch), self._access.dimensions)
        if why:
            raise EncoderError(f"the answer of {self._access.model} is of no use: {why}")
        return vectors

    async def _ask(self, batch: list[str], kind: EncodedKind) -> "EmbeddingsObject":
        import aiohttp
        import voyageai
        from voyageai.client_async import AsyncClient

        if self._session is None:
            self._session = aiohttp.ClientSession()
        access = self._access
        client = AsyncClient(access.key, max_retries=0, timeout=access.try_seconds, base_url=access.base_url)
        before = voyageai.aiosession.set(self._session)  # else it opens a connection for every request
        try:
            return await client.embed(
                batch, model=access.model, input_type=kind, truncation=True, output_dimension=access.dimensions
            )
        finally:
            voyageai.aiosession.reset(before)

    def _use(self, tokens: int, latency_ms: int) -> ModelUse:
        model = self._access.model
        cost = prices().cost_micros(model, Tokens(tokens, 0)) or 0
        return ModelUse(model, str(self._access.dimensions), tokens_in=tokens, latency_ms=latency_ms, cost_micros=cost)


async def prepare() -> None:
    """Load the SDK, beside the event loop. EncoderMissing where it is not installed."""
    try:
        await asyncio.to_thread(import_module, "voyageai")
    except ImportError as error:
        raise EncoderMissing(f"Voyage's package is not installed: pip install 'dnam[voyage]' ({error})") from error


def _resting(error: EncoderError, seconds: float) -> EncoderDown:
    return _down(f"asked to be left alone for {ceil(seconds)} s more: {error}")


def _down(why: str) -> EncoderDown:
    return EncoderDown(f"Voyage's service {why}")
