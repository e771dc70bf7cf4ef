"""One person in one place, talking with the assistant, whatever the memory does meanwhile.

    hear ─▶ think ─▶ (the shell shows it) ─▶ delivered ─▶ the loops that are due

An answer never fails because of memory. Every write is a step in one queue (`Unwritten`): the first that fails stops
the queue, everything said meanwhile waits behind it in order, and all of it is tried again with the next message. A
step can be repeated: what it writes has the message's own name, so that it is written once.
"""

import asyncio
import os
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from dnam.assistant import Assistant, Thought
from dnam.commands import table
from dnam.commands.command import Invocation, Reply
from dnam.commands.parse import Call, Misread
from dnam.memory import Turn
from dnam.whereabouts import Heard, last_said, locate
from projections.context import Context
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events.values import Audience
from projections.ids import NOBODY, EventId, Point, Ref
from projections.messages import find_message
from projections.policies.compartments import Setting
from projections.policies.text import whole
from projections.rows import Rows
from replay.clock import MOST_AHEAD_MS
from replay.errors import LogError, Refused

DELIVERY = "delivery"
SLOW_SECONDS = 1.0
"""How long an answer waits for the log. What the log was given by then may still be written, and is written once."""
Step = Callable[[], Awaitable[None]]
AT_END = EventId(b"\xff" * 16)
"""The id of a message that lies nowhere: behind everything said in its millisecond."""


class Unwritten:
    """What could not be recorded yet, in order. `reason` says why the first of it could not, empty when nothing waits;
    `lost` says why something never can be.
    """

    def __init__(self) -> None:
        self._steps: deque[tuple[str, Step]] = deque()
        self.reason = ""
        self.lost: list[str] = []

    def __len__(self) -> int:
        return len(self._steps)

    def __str__(self) -> str:
        """What waits, in words: `2 messages, 1 answer`."""
        counts = Counter(what for what, _ in self._steps if what != DELIVERY)
        return ", ".join(f"{count} {what}{'s' if count > 1 else ''}" for what, count in counts.items())

    async def write(self, what: str, step: Step) -> bool:
        """Write this now, or behind everything that waits; False when it waits too."""
        waits = bool(self._steps)
        self._steps.append((what, step))
        return not waits and await self.again()

    async def again(self) -> bool:
        """Try everything that waits; True when nothing waits any more."""
        while self._steps:
            try:
                async with asyncio.timeout(SLOW_SECONDS):
                    await self._steps[0][1]()
            except TimeoutError:
                self.reason = f"it takes more than {SLOW_SECONDS:g} s; does another program hold this memory?"
                return False
            except Exception as error:  # noqa: BLE001 - memory never stands in an answer's way; the shell tells of it
                if _may_pass(error):
                    self.reason = str(error)
                    return False
                self.lost.append(str(error))
            self._steps.popleft()
        self.reason = ""
        return True


def _may_pass(error: Exception) -> bool:
    """Whether a later try can succeed: disks get room and locks are let go, but what is refused stays refused."""
    return isinstance(error, LogError | OSError) and not isinstance(error, Refused)


class Exchange:
    """A message and what becomes of it. `heard` is where it lies, or would."""

    def __init__(self, request: HeardRequest, heard: Heard) -> None:
        self.request = request
        self.heard = heard
        self.thought: Thought | None = None
        self.turn: Turn | None = None


class Spot(NamedTuple):
    """Who speaks, and where."""

    who: Account
    where: PlaceSeen


class Conversation:
    """Messages and commands of one person in one place. One at a time."""

    def __init__(self, assistant: Assistant, spot: Spot) -> None:
        self.assistant = assistant
        self.unwritten = Unwritten()
        self._memory = assistant.memory
        self._spot = spot
        self._said = 0

    # -- a message and its answer -----------------------------------------------------------------------------------

    async def hear(self, text: str) -> Exchange:
        """Record a message, or keep it to be recorded."""
        if not self._said:
            self._said = await self._before()
        await self.unwritten.again()
        request = self._request(whole(text), os.urandom(16).hex(), self._next())
        exchange = Exchange(request, await self._whereabouts(request))

        async def step() -> None:
            exchange.heard = await self._memory.hear(request)

        await self.unwritten.write("message", step)
        return exchange

    async def think(self, exchange: Exchange) -> Thought:
        """The answer, recorded or kept to be recorded. ModelError when the model cannot be asked."""
        thought = exchange.thought = await self.assistant.think(exchange.heard)
        said = self._next()

        async def step() -> None:
            context = await self._memory.look(lambda rows: _rests_on(rows, exchange.heard, thought.context))
            exchange.turn = await self._memory.answered(
                exchange.heard, context, thought.text, call=thought.use, files=thought.files, said=said
            )

        await self.unwritten.write("answer", step)
        return thought

    async def delivered(self, exchange: Exchange) -> None:
        """The answer was shown; what is due after it begins."""
        said = self._said

        async def step() -> None:
            if exchange.turn is not None:  # else the answer could not be recorded, and never can be
                await self._memory.delivered(exchange.heard, exchange.turn, said=said)

        if await self.unwritten.write(DELIVERY, step):
            self.assistant.after_turn(exchange.heard)

    # -- a command --------------------------------------------------------------------------------------------------

    def command(self, text: str) -> Call | Misread | None:
        """What a text asks of the memory; None when it is said to the assistant."""
        return table.read(text) if self._memory.settings.memory_commands_enabled else None

    async def obey(self, call: Call | Misread) -> Reply:
        """Do what a command asks. It never raises."""
        await self.unwritten.again()
        try:
            asked = await self._invocation()
        except (LogError, OSError) as error:
            return Reply(f"The memory cannot be asked just now: {error}", failed=True)
        return await table.run(self.assistant, asked, call)

    async def _invocation(self) -> Invocation:
        """Who asks and where. Who was never heard is met now: a command is no message."""
        request = self._request("", "", self._memory.now())
        if self._memory.engine.store.writable:
            await self._memory.meet(self._spot.who)
        heard = await self._memory.look(lambda rows: locate(rows, request))
        return Invocation(heard.setting, heard.session)

    # -- where and when ---------------------------------------------------------------------------------------------

    async def _before(self) -> int:
        """When something was last said here: what comes now comes after it, also when the clock was set back a little.

        A time far ahead of the clock is some other clock's, and not believed.
        """
        request, now = self._request("", "", 0), self._memory.now()
        try:
            last = await self._memory.look(lambda rows: _last_said(rows, request))
        except (LogError, OSError):
            return 0
        return last if last - now < MOST_AHEAD_MS else 0

    def _next(self) -> int:
        """The time in ms, and always later than what was said before: a conversation has an order."""
        self._said = max(self._memory.now(), self._said + 1)
        return self._said

    def _request(self, text: str, key: str, said: int) -> HeardRequest:
        who, where = self._spot
        return HeardRequest(key, where, "person", who, text, said, (), addressed=True)

    async def _whereabouts(self, request: HeardRequest) -> Heard:
        """Where a message would lie that is not recorded; nowhere, when nothing can be read."""
        try:
            return await self._memory.look(lambda rows: _located(rows, request))
        except (LogError, OSError):
            return _nowhere(request)


def _rests_on(rows: Rows, heard: Heard, context: Context) -> Context:
    """The context of an answer, its message among the causes also where that was recorded after the answer was made."""
    known = find_message(rows, heard.session, heard.setting.audience.epoch, heard.point)
    if known is None or heard.point.id in context.causes:
        return context
    return context._replace(causes=(heard.point.id, *context.causes))


def _last_said(rows: Rows, request: HeardRequest) -> int:
    here = locate(rows, request)
    last = last_said(rows, here.session, here.setting.audience.epoch)
    return 0 if last is None else last.said


def _located(rows: Rows, request: HeardRequest) -> Heard:
    return locate(rows, request)._replace(point=Point(request.said, AT_END))


def _nowhere(request: HeardRequest) -> Heard:
    place = Ref(request.place.platform, request.place.key)
    audience = Audience(request.place.audience, place)
    setting = Setting(NOBODY, audience, request.place.guild)
    return Heard(Point(request.said, AT_END), "", place, setting, request.text, "")
