"""Claude: one ask from its first try to its reply.

    ask ─ rests ─ circuit ─ try ─ stream ─▶ reply
                             ▲       │
                             └─ wait ┘   as long as the API says, else twice as long each time

The SDK's own retries are switched off: they know nothing of a stream that breaks off, and cannot be told how to wait.
"""

import asyncio
from contextlib import suppress
from functools import cache, partial
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

from dnam.adapters.anthropic.aliases import resolve
from dnam.adapters.anthropic.asking import messages_of, most_tokens, output_of, system_of, tool_choice_of, tools_of
from dnam.adapters.anthropic.capabilities import Capabilities
from dnam.adapters.anthropic.faults import MALFORMED, fault_of, wait_or_raise
from dnam.adapters.anthropic.growing import Growing
from dnam.adapters.anthropic.rests import Rests
from dnam.adapters.anthropic.service import Service
from dnam.adapters.anthropic.stops import as_asked
from dnam.adapters.anthropic.streams import Course, read, reply_of
from dnam.adapters.anthropic.tally import together
from dnam.adapters.anthropic.tool_use import Inputs
from dnam.adapters.circuit import Circuit
from dnam.adapters.tries import Nature, first_that_works, left_of
from dnam.model import STILL, Ask, Hear, ModelError, Reply, unheard, without_tools
from dnam.taken import added

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Message

ANTHROPIC = "https://api.anthropic.com"
PATIENCE = 0.95
"""Which part of a time limit an ask takes at most: the circuit is to learn of it before whoever waits gives up."""


class Access(NamedTuple):
    """How Claude is reached, how long an answer may be silent, and how long a loop's reply may take as a whole."""

    key: str
    base_url: str = ANTHROPIC
    answer_seconds: float = 60.0
    loop_seconds: float = 30.0


@cache
def _sdk() -> str:
    """The SDK's version, read once: it stands in a file, and every reply names it."""
    return f"sdk-{version('anthropic')}"


class Claude:
    """A `Model` that asks the Messages API. `close` it, when it will not be asked any more.

    Answers have a `circuit` of their own: what loops ask is longer and may take less time, so that they fail sooner.
    """

    def __init__(self, access: Access, nature: Nature | None = None) -> None:
        self._access = access
        self._nature = nature or Nature()
        self.circuit = Circuit(self._nature.seconds)
        self.loop_circuit = Circuit(self._nature.seconds)
        self._rests = Rests(self._nature.seconds)
        self._service = Service(access.key, access.base_url, self._nature.seconds)

    @property
    def name(self) -> str:
        return "claude"

    @property
    def version(self) -> str:
        return _sdk()

    @property
    def paid(self) -> bool:
        return True

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        """The reply, streamed to `hear` as it comes. ModelDown when the service is down, Resting while the model has
        the rest that was asked for (`Rests`), ModelError otherwise.

        Where it is cancelled, the CancelledError carries what it took until then (`spent_in`).
        """
        self._rests.refuse(ask)
        circuit = self._circuit(ask)
        probed = circuit.enter()
        try:
            return as_asked(ask, await self._in_time(ask, hear))
        finally:
            circuit.leave(probed=probed)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._service.close()

    async def prepare(self) -> None:
        """Load the SDK, beside the event loop: it takes seconds."""
        await self._service.prepare()

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

                return added(await self._tries(ask, Course(hear, alive, lost), limit), lost)
        except TimeoutError:
            why = f"{ask.model} did not answer within {seconds:g} seconds"
            self._circuit(ask).failed(why)
            raise ModelError(why, spent=together(lost)) from None
        except asyncio.CancelledError:
            raise asyncio.CancelledError(together(lost)) from None
        except ModelError as error:
            error.spent = together(lost)
            raise

    async def _tries(self, ask: Ask, course: Course, limit: asyncio.Timeout) -> Reply:
        circuit = self._circuit(ask)

        def wait_after(error: Exception, tried: int) -> float | None:
            fault, ask_rest = fault_of(error, ask.model), partial(self._rests.ask, ask)
            if fault is None:
                return None
            return wait_or_raise(fault, tried, circuit, ask_rest, self._nature.dice, left_of(limit))

        reply = await first_that_works(partial(self._try, ask, course), wait_after, self._nature.sleep)
        circuit.worked()
        return reply

    # -- one try ----------------------------------------------------------------------------------------------------

    async def _try(self, ask: Ask, course: Course) -> Reply:
        from anthropic import BadRequestError

        client = await self._service.client()
        model = resolve(ask.model)
        able = await self._service.capabilities(model)
        ask = ask if able.tools else without_tools(ask)
        await STILL.get()()
        try:
            return await self._stream(client, model, ask, able, course)
        except BadRequestError:
            if ask.tools:
                return await self._without_tools(client, model, ask, able, course)
            if ask.shape is None or not able.schemas:
                raise
            return await self._without_schema(client, model, ask, able._replace(schemas=False), course)

    async def _without_tools(
        self, client: "AsyncAnthropic", model: str, ask: Ask, able: Capabilities, course: Course
    ) -> Reply:
        """The same without tools. Where that is taken, it was the tools that this model does not take: from then on it
        is asked without.
        """
        reply = await self._stream(client, model, without_tools(ask), able, course)
        self._service.learnt(model, able._replace(tools=False))
        return reply

    async def _without_schema(
        self, client: "AsyncAnthropic", model: str, ask: Ask, plain: Capabilities, course: Course
    ) -> Reply:
        """The same without a schema. Where that is taken, it was the schema that this model does not take, and it is
        left to the prompt from then on; where it is not, something else was refused.
        """
        reply = await self._stream(client, model, ask, plain, course)
        self._service.learnt(model, plain)
        return reply

    async def _stream(
        self, client: "AsyncAnthropic", model: str, ask: Ask, able: Capabilities, course: Course
    ) -> Reply:
        begun, growing = self._nature.seconds(), Growing()
        async with await client.messages.create(
            model=model,
            max_tokens=most_tokens(ask, able),
            system=system_of(ask),
            messages=messages_of(ask),
            output_config=output_of(ask, able),
            tools=tools_of(ask),
            tool_choice=tool_choice_of(ask),
            stream=True,
        ) as stream:
            try:
                message = await read(stream.response, course, growing)
            except BaseException:  # raised again, also a cancellation
                with suppress(*MALFORMED):  # of nonsense nothing is known
                    course.lost.append(self._reply(growing.message, {}, model, begun))
                raise
        return self._reply(message, growing.inputs, model, begun)

    def _reply(self, message: "Message", inputs: Inputs, model: str, begun: float) -> Reply:
        took = round((self._nature.seconds() - begun) * 1000)
        return reply_of(message, inputs, model, self.version, took)
