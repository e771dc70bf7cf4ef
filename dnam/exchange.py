"""A message and its answer, in whatever place, whatever the memory does meanwhile.

    hear ─▶ think ─▶ (the shell shows it) ─▶ delivered ─▶ the loops that are due
              └────▶ failed: no model, no answer; the person is told

What cannot be recorded waits in `Unwritten`, behind what was said before it, and no answer waits for it. Nor does the
model wait for the disk: it is asked as soon as what it is asked is ready, and what it says is recorded behind that.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial

from dnam.ahead import Ahead, Preparing
from dnam.assistant import Assistant, Thought
from dnam.memory import Judge, Memory, Turn
from dnam.model import Hear, ModelError, Reply, unheard
from dnam.taken import reply_of
from dnam.unwritten import DELIVERY, Step, Unwritten
from dnam.whereabouts import Heard, locate, with_handles
from projections.context import Context
from projections.decisions.hear import HeardRequest
from projections.decisions.place import seen_audience
from projections.ids import LAST, NOBODY, Point, Ref, keyed_hash
from projections.messages import MessageRow, find_message
from projections.policies.compartments import Setting
from projections.rows import Found, Rows
from replay.errors import ErasedMeanwhile, LogError

DREW = "what the answer drew on was erased before it was recorded"


class DrewOnErased(ModelError):
    """The answer was shown, and may not be kept."""

    words = ""


class Exchange:
    """A message and what becomes of it. `heard` is where it lies, or would, and `writing` is its recording, which may
    still be under way. `ahead` is what is being prepared for its answer: it was recorded just now, and nothing else is
    known of it yet. `is_kept`: its answer is recorded, or waits to be.
    """

    def __init__(self, request: HeardRequest, heard: Heard) -> None:
        self.request = request
        self.heard = heard
        self.writing: asyncio.Future[bool] | None = None
        self.ahead: Future[Ahead | None] | None = None
        self.thought: Thought | None = None
        self.turn: Turn | None = None
        self.is_kept = False


class Recording:
    """A message while it is being recorded. With `preparing` somebody thinks of its answer next, unless there is a
    `judge` who says that it has none: that is begun as soon as the message is decided, and whichever is ready first, it
    or the record, is gone on with.
    """

    def __init__(
        self, memory: Memory, exchange: Exchange, preparing: Preparing | None, judge: Judge | None = None
    ) -> None:
        self.begun: Future[Ahead | None] | None = None
        self._memory = memory
        self._exchange = exchange
        self._preparing = preparing
        self._judge = judge
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._is_ahead = False
        self._runs = 0

    async def record(self) -> None:
        """Record it; tried again where that failed."""
        self._runs += 1
        exchange = self._exchange
        prepare = None if self._preparing is None else self._prepare
        heard = await self._memory.hear_ready(exchange.request, prepare, self._judge)
        if not self._is_ahead or self._runs > 1:  # else that is known, and who can read it may be others since
            exchange.heard = _as_opened(heard, exchange.heard.setting)

    async def is_ahead_of(self, writing: "asyncio.Future[bool]") -> bool:
        """Wait for what is prepared or for the disk; whether the disk still writes when something is prepared."""
        writing.add_done_callback(self._go_on)
        try:
            await self._ready
        except asyncio.CancelledError:  # raised again: what was said stays said
            writing.cancel()
            await asyncio.wait({writing})
            raise
        self._preparing = None  # later is no time to prepare
        begun = self.begun
        ahead = begun.result() if begun is not None and begun.done() and not writing.done() else None
        if ahead is not None:
            self._is_ahead = True
            self._exchange.heard = ahead.heard
        return self._is_ahead

    def _prepare(self, heard: Heard, message: Found[MessageRow]) -> None:
        """Begin to prepare its answer, in the writer's thread."""
        preparing = self._preparing
        if self._judge is not None and not message.row.message.addressed:
            return  # it is not answered
        if preparing is not None and not self._loop.is_closed():
            with suppress(RuntimeError):  # the program ends, and its threads did
                self.begun = preparing.begin(heard, message, self._loop)
                self.begun.add_done_callback(partial(_go_on_from_thread, self._loop, self._ready))

    def _go_on(self, _: object = None) -> None:
        """There is something to go on with: nobody need wait any longer."""
        _set(self._ready)


def _set(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)


def _go_on_from_thread(loop: asyncio.AbstractEventLoop, ready: "asyncio.Future[None]", _: object) -> None:
    """The same from another thread. A finished future keeps this: of a recording, which keeps it, it must not know, or
    each would keep the other, and all of the answer, until a collection.
    """
    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(_set, ready)


class Exchanges:
    """What is said to an assistant and answered, one exchange after the other in each session."""

    def __init__(self, assistant: Assistant, unwritten: Unwritten) -> None:
        self.assistant = assistant
        self.unwritten = assistant.unwritten = unwritten  # one queue: what is learned stands behind what was said
        self._memory = assistant.memory
        self._preparing = Preparing(assistant)

    async def hear(self, request: HeardRequest, *, to_answer: bool = False, judge: Judge | None = None) -> Exchange:
        """Record a message, or keep it to be recorded. With `to_answer` somebody thinks of its answer next: that is
        prepared while the disk writes, and where it is ready first, the disk is not waited for. `judge` says whether it
        is `addressed`, and so to be answered, once it is recorded.
        """
        request = with_handles(request)  # without secrets also where it is answered without being recorded
        nowhere = _nowhere(request)
        exchange = Exchange(request, nowhere)
        recording = Recording(self._memory, exchange, self._preparing if to_answer else None, judge)
        with self.assistant.precedence.arriving():
            exchange.writing = self.unwritten.begin("message", recording.record)
            if not await recording.is_ahead_of(exchange.writing):
                await exchange.writing
            if exchange.heard is nowhere:  # it waits, or never can be recorded
                exchange.heard = await self._whereabouts(request)
            else:
                exchange.ahead = recording.begun
        return exchange

    async def think(self, exchange: Exchange, hear: Hear = unheard, *, closed: bool = False) -> Thought:
        """The answer; nothing is recorded yet. ModelError when the model cannot be asked. `closed`: it is not sure what
        everyone of the guild may hear, so nothing of that is used.
        """
        heard = exchange.heard
        if closed:
            heard = heard._replace(setting=heard.setting._replace(guild=None))
        with self.assistant.precedence.arriving():
            ahead = await self._taken_up(exchange, heard)
            placed = await self._memory.placed(heard) if ahead is None else ahead.placed
        if not closed:
            exchange.heard = placed
        prepared = None if ahead is None else ahead.prepared
        thought = exchange.thought = await self.assistant.think(placed, hear, prepared)
        return thought

    async def _taken_up(self, exchange: Exchange, heard: Heard) -> Ahead | None:
        """What was prepared for this answer, once; None where it was for another place or other readers."""
        begun, exchange.ahead = exchange.ahead, None
        if begun is None:
            return None
        ahead = begun.result() if begun.done() else await asyncio.wrap_future(begun)
        return ahead if ahead is not None and ahead.heard == heard else None

    async def answered(self, exchange: Exchange, said: int | None = None) -> None:
        """Record the answer that was thought, or keep it to be recorded: before it is sent.

        Of an answer to somebody of whom nothing is kept, what it took is recorded, and no words.
        """
        finished = self._memory.now() if said is None else said
        await _written(exchange)
        exchange.is_kept = True
        await self.unwritten.write("answer", lambda: self._record_answer(exchange, finished))

    async def _record_answer(self, exchange: Exchange, finished: int) -> None:
        thought = exchange.thought
        assert thought is not None
        context = await self._memory.look(lambda rows: _rests_on(rows, exchange.heard, thought.context))
        text = thought.text if exchange.heard.person else ""
        try:
            exchange.turn = await self._memory.answered(
                exchange.heard, context, text, call=thought.use, files=thought.files, said=finished
            )
        except ErasedMeanwhile:  # it drew on somebody who is gone: no word of it is kept, and nobody answers again
            with suppress(ErasedMeanwhile):  # the question was theirs
                drawn = DrewOnErased(DREW, spent=reply_of("", thought.use))
                await self._memory.failed(exchange.heard, drawn, said=finished)

    async def failed(self, exchange: Exchange, error: ModelError) -> None:
        """Record that there is no answer, and what the person is told instead; or keep it to be recorded."""
        given_up = self._memory.now()

        async def step() -> None:
            await self._memory.failed(exchange.heard, error, said=given_up)

        await _written(exchange)
        await self.unwritten.write("failure", step)

    def broken_off(self, exchange: Exchange, spent: Reply | None) -> None:
        """The program ends before the answer was sent, and `spent` is what it took until then, where that is known. One
        that was thought is kept to be recorded, and sent at the next start; else the question is asked again then.
        """
        now = self._memory.now()
        if exchange.thought is not None and not exchange.is_kept:
            self._keep(exchange, "answer", lambda: self._record_answer(exchange, now))
        elif exchange.thought is None and spent is not None:
            self._keep(exchange, "bill", lambda: self._memory.interrupted(exchange.heard, spent, said=now))

    def _keep(self, exchange: Exchange, what: str, step: Step) -> None:
        """Have it recorded behind what is answered, also where that is being written just now."""
        if exchange.writing is None or exchange.writing.done():
            self.unwritten.keep(what, step)
        else:
            exchange.writing.add_done_callback(lambda _: self.unwritten.keep(what, step))

    async def delivered(self, exchange: Exchange, messages: Sequence[Ref] = (), said: int | None = None) -> None:
        """The answer was shown, as these messages; what is due after it begins."""
        arrived = self._memory.now() if said is None else said

        async def step() -> None:
            if exchange.turn is not None:  # else the answer could not be recorded, and never can be
                await self._memory.delivered(exchange.heard, exchange.turn, messages, said=arrived)

        if await self.unwritten.write(DELIVERY, step):
            self.assistant.after_turn(exchange.heard)

    async def _whereabouts(self, request: HeardRequest) -> Heard:
        """Where a message would lie that is not recorded; nowhere, when nothing can be read."""
        try:
            return await self._memory.look(lambda rows: _located(rows, request))
        except (LogError, OSError):
            return _nowhere(request)


def _as_opened(heard: Heard, before: Setting) -> Heard:
    """What was recorded, with what it opened besides before that, where it is the same person's still."""
    if heard.setting.person != before.person:
        return heard
    return heard._replace(setting=heard.setting._replace(besides=before.besides))


async def _written(exchange: Exchange) -> None:
    """Wait until what is answered is recorded, or waits to be: what comes of it stands behind it."""
    if exchange.writing is not None:
        await asyncio.wait({exchange.writing})


def _rests_on(rows: Rows, heard: Heard, context: Context) -> Context:
    """The context of an answer, its message among the causes also where that was recorded after the answer was made;
    not where it was to be recorded, and never was.
    """
    message = heard.point.id
    if message in context.causes:
        if rows.ids.status(message) != "unknown":
            return context
        return context._replace(causes=tuple(each for each in context.causes if each != message))
    known = find_message(rows, heard.session, heard.setting.audience.epoch, heard.point)
    return context if known is None else context._replace(causes=(message, *context.causes))


def _located(rows: Rows, request: HeardRequest) -> Heard:
    return locate(rows, request)._replace(point=Point(request.said, LAST))


def _nowhere(request: HeardRequest) -> Heard:
    place = Ref(request.place.platform, request.place.key)
    audience = seen_audience(request.place, place)
    setting = Setting(NOBODY, audience, request.place.guild)
    account = keyed_hash(b"", request.speaker.platform, request.speaker.id)
    return Heard(Point(request.said, LAST), "", place, setting, request.text, "", account)
