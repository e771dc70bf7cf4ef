"""Claude: one ask from its first try to its reply.

    ask ─ circuit ─ try ─ stream ─▶ reply
                     ▲       │
                     └─ wait ┘   as long as the API says, else twice as long each time

The SDK's own retries are switched off: they know nothing of a stream that breaks off, and cannot be told how to wait.
"""

import asyncio
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

from dnam.adapters.anthropic.aliases import resolve
from dnam.adapters.anthropic.asking import messages_of, most_tokens, output_of, system_of, tool_choice_of, tools_of
from dnam.adapters.anthropic.capabilities import PLAIN, Capabilities, capabilities_of
from dnam.adapters.anthropic.faults import Fault, fault_of
from dnam.adapters.anthropic.stops import as_asked
from dnam.adapters.anthropic.streams import Course, Streamed, read, reply_of, so_far
from dnam.adapters.anthropic.tally import added, together
from dnam.adapters.circuit import Circuit
from dnam.adapters.tries import TRIES, Nature, next_try
from dnam.model import Ask, Hear, ModelError, Reply, unheard, without_tools

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

ANTHROPIC = "https://api.anthropic.com"
PAGES_SECONDS = 60.0
"""How long the pages of models are left alone after one could not be had."""
PATIENCE = 0.95
"""Which part of a time limit an ask takes at most: the circuit is to learn of it before whoever waits gives up."""


class Access(NamedTuple):
    """How Claude is reached, how long an answer may be silent, and how long a loop's reply may take as a whole."""

    key: str
    base_url: str = ANTHROPIC
    answer_seconds: float = 60.0
    loop_seconds: float = 30.0


class Claude:
    """A `Model` that asks the Messages API. `close` it, when it will not be asked any more.

    Answers have a `circuit` of their own: what loops ask is longer and may take less time, so that they fail sooner.
    """

    def __init__(self, access: Access, nature: Nature | None = None) -> None:
        self._access = access
        self._nature = nature or Nature()
        self.circuit = Circuit(self._nature.seconds)
        self.loop_circuit = Circuit(self._nature.seconds)
        self._opened: AsyncAnthropic | None = None
        self._able: dict[str, Capabilities] = {}
        self._pages_again = float("-inf")

    @property
    def name(self) -> str:
        return "claude"

    @property
    def version(self) -> str:
        return f"sdk-{version('anthropic')}"

    @property
    def paid(self) -> bool:
        return True

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        """The reply, streamed to `hear` as it comes. ModelDown when the service is down, ModelError otherwise.

        Where it is cancelled, the CancelledError carries what it took until then (`spent_in`).
        """
        circuit = self._circuit(ask)
        probed = circuit.enter()
        try:
            return as_asked(ask, await self._in_time(ask, hear))
        finally:
            circuit.leave(probed=probed)

    async def close(self) -> None:
        """Let go of the connections."""
        if self._opened is not None:
            await self._opened.close()
            self._opened = None

    def _circuit(self, ask: Ask) -> Circuit:
        return self.circuit if ask.purpose == "answer" else self.loop_circuit

    # -- tries ------------------------------------------------------------------------------------------------------

    async def _in_time(self, ask: Ask, hear: Hear) -> Reply:
        """A loop's reply within its time; an answer as long as the stream goes on, be it with thoughts."""
        is_answer = ask.purpose == "answer"
        seconds = self._access.answer_seconds if is_answer else self._access.loop_seconds
        loop, lost = asyncio.get_running_loop(), list[Reply]()
        try:
            async with asyncio.timeout(seconds * PATIENCE) as limit:

                def alive() -> None:
                    if is_answer:
                        limit.reschedule(loop.time() + seconds * PATIENCE)

                return added(await self._tries(ask, Course(hear, alive, lost)), lost)
        except TimeoutError:
            why = f"{ask.model} did not answer within {seconds:g} seconds"
            self._circuit(ask).failed(why)
            raise ModelError(why, spent=together(lost)) from None
        except asyncio.CancelledError:
            raise asyncio.CancelledError(together(lost)) from None
        except ModelError as error:
            error.spent = together(lost)
            raise

    async def _tries(self, ask: Ask, course: Course) -> Reply:
        for tried in range(1, TRIES + 1):
            try:
                reply = await self._try(ask, course)
            except Exception as error:
                wait = self._wait(fault_of(error, ask.model), tried, self._circuit(ask))
                if wait is None:
                    raise
                await self._nature.sleep(wait)
            else:
                self._circuit(ask).worked()
                return reply
        raise AssertionError("the last try returns or raises")

    def _wait(self, fault: Fault | None, tried: int, circuit: Circuit) -> float | None:
        """How long to wait for the next try, in seconds; None for a bug. The fault's own error when there is none."""
        if fault is None:
            return None
        wait = next_try(tried, fault.wait_seconds, self._nature.dice) if fault.again else None
        if wait is not None:
            return wait
        if fault.is_down:
            circuit.failed(str(fault.error))
        else:
            circuit.worked()
        raise fault.error

    # -- one try ----------------------------------------------------------------------------------------------------

    async def _try(self, ask: Ask, course: Course) -> Reply:
        from anthropic import BadRequestError

        client = await self._client()
        model = resolve(ask.model)
        able = await self._capabilities(client, model)
        ask = ask if able.tools else without_tools(ask)
        try:
            return await self._stream(client, model, ask, able, course)
        except BadRequestError:
            if ask.tools:
                return await self._without_tools(client, model, ask, able, course)
            if ask.shape is None or not able.schemas:
                raise
            plain = self._able[model] = able._replace(schemas=False)  # a schema that it does not take: do without
            return await self._stream(client, model, ask, plain, course)

    async def _without_tools(
        self, client: "AsyncAnthropic", model: str, ask: Ask, able: Capabilities, course: Course
    ) -> Reply:
        """The same without tools. Where that is taken, it was the tools that this model does not take: from then on it
        is asked without.
        """
        reply = await self._stream(client, model, without_tools(ask), able, course)
        self._able[model] = able._replace(tools=False)
        return reply

    async def _stream(
        self, client: "AsyncAnthropic", model: str, ask: Ask, able: Capabilities, course: Course
    ) -> Reply:
        begun = self._nature.seconds()
        async with client.messages.stream(
            model=model,
            max_tokens=most_tokens(ask, able),
            system=system_of(ask),
            messages=messages_of(ask),
            output_config=output_of(ask, able),
            tools=tools_of(ask),
            tool_choice=tool_choice_of(ask),
        ) as stream:
            streamed = None
            try:
                streamed = await read(stream, course)
            finally:
                if streamed is None:
                    lost = (Streamed(cut, {}) for cut in so_far(stream))
                    course.lost.extend(self._reply(each, model, begun) for each in lost)
        return self._reply(streamed, model, begun)

    def _reply(self, streamed: Streamed, model: str, begun: float) -> Reply:
        took = round((self._nature.seconds() - begun) * 1000)
        return reply_of(streamed.message, streamed.inputs, model, self.version, took)

    async def _capabilities(self, client: "AsyncAnthropic", model: str) -> Capabilities:
        """What a model can do; asked once, and while it cannot be asked, once a minute."""
        if model in self._able or self._nature.seconds() < self._pages_again:
            return self._able.get(model, PLAIN)
        found = await capabilities_of(client, model)
        if found is None:
            self._pages_again = self._nature.seconds() + PAGES_SECONDS
            return PLAIN
        self._able[model] = found
        return found

    async def prepare(self) -> None:
        """Load the SDK, beside the event loop: it takes seconds."""
        await asyncio.to_thread(import_module, "anthropic")

    async def _client(self) -> "AsyncAnthropic":
        await self.prepare()
        if self._opened is None:
            from anthropic import AsyncAnthropic

            self._opened = AsyncAnthropic(api_key=self._access.key, base_url=self._access.base_url, max_retries=0)
        return self._opened
