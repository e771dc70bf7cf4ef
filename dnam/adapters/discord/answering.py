"""Answering a message in Discord: whether to, and then think, record, send, record that it arrived."""

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import discord

from dnam.adapters.discord.appearing import Appearing, appeared, is_whole, may_read_back, may_send, reference_to
from dnam.adapters.discord.askers import UNSURE
from dnam.adapters.discord.desk import Desk, error_words
from dnam.adapters.discord.judging import Judging
from dnam.adapters.discord.own_messages import KEPT
from dnam.adapters.discord.places import Channel, guild_id_of, place_of
from dnam.adapters.discord.respond import Approach, Verdict, respond
from dnam.adapters.discord.streaming import Streaming, typing
from dnam.assistant import Thought
from dnam.exchange import Exchange, Exchanges
from dnam.memory import Turn
from dnam.model import ModelError, Reply, spent_in
from dnam.taken import added, reply_of
from dnam.unwritten import DELIVERY, Pause
from dnam.whereabouts import Heard, locate
from projections.decisions.hear import HeardRequest
from projections.events.values import Audience
from projections.ids import Point
from projections.pending import Undelivered, is_settled
from projections.places import audience_of
from projections.policies.compartments import Setting
from projections.rows import Rows
from projections.turns import NONCE_CHARS, answer_id, nonce_of
from replay.errors import LogError

if TYPE_CHECKING:
    from discord.abc import MessageableChannel

LOOKED_THROUGH = 5_000
"""How many messages after a question are looked through for an answer that may have been sent. Discord gives a hundred
at once, nearly always all there are; a nonce it remembers for some minutes only.
"""
TAKEN_BACK = "the question was deleted before it was answered"


class TakenBack(ModelError):
    """The question was deleted before there was an answer: nobody is told anything."""

    words = ""


class Opened(ModelError):
    """There is an answer, and it is not for all who can read it by now."""

    words = "More people can read this than when you asked. Please ask me again."


class Unexpected(ModelError):
    """Thinking failed in a way that nobody provided for."""


class Asked(NamedTuple):
    """A question: whether it was answered or failed before, and the nonce of its answer, the end of its turn's id."""

    is_settled: bool
    nonce: str


class Answering:
    """Whatever is answered, in whichever session."""

    def __init__(self, desk: Desk, exchanges: Exchanges, pause: Pause = asyncio.sleep) -> None:
        self._desk = desk
        self._exchanges = exchanges
        self._pause = pause
        self._thinking: dict[int, asyncio.Task[Thought]] = {}
        self._gone: deque[int] = deque(maxlen=KEPT)
        self._partly: deque[tuple[int, Point]] = deque(maxlen=KEPT)
        """What was shown of answers that could not be sent whole: the message, and the question."""

    # -- whether to -------------------------------------------------------------------------------------------------

    async def verdict(self, message: discord.Message, request: HeardRequest) -> Verdict:
        """Whether this message is to be answered, by what is configured where it was said."""
        config = await self._desk.config(request.place, request.speaker)
        verdict = respond(_approach(message, request), config.respond_mode, self._desk.allowed)
        if verdict.answers and not may_send(message.channel):
            return Verdict(False, "not allowed to write there")
        if verdict.answers and await self._desk.is_hosts_command(message):
            return Verdict(False, "a command of the bot's own")
        return verdict

    async def judging(self, message: discord.Message, request: HeardRequest) -> Judging:
        """What judges the same where the message is recorded."""
        desk, approach, allowed = self._desk, _approach(message, request), self._desk.allowed
        known: Verdict | None = respond(approach, "all", allowed)  # what this does not answer, no mode does

        def judge(rows: Rows) -> Verdict:
            try:
                mode = desk.respond_mode(rows, request.place, request.speaker)
            except (LogError, OSError):  # what is said is recorded all the same
                mode = desk.mode_unread(request.place)
            return respond(approach, mode, allowed)

        async def look() -> Verdict:
            return await self.verdict(message, request)

        if known is not None and known.answers:
            # Whose commands these may be besides is asked of what is answered alone.
            known = None if desk.owns_commands and may_send(message.channel) else await look()
        return Judging(judge, look, known)

    async def asked(self, request: HeardRequest, exchange: Exchange | None = None) -> Asked:
        """What the log knows of a question; where it cannot be read, a nonce of the message's own. Of one that was
        recorded just now, in this exchange, nothing else is known yet.
        """
        if exchange is not None and exchange.ahead is not None:
            return Asked(False, nonce_of(self._desk.memory.answer_id(exchange.heard.point)))
        try:
            return await self._desk.memory.look(lambda rows: _asked(rows, request))
        except (LogError, OSError):
            return Asked(False, f"q{request.key}"[-NONCE_CHARS:])

    # -- an answer --------------------------------------------------------------------------------------------------

    async def answer(
        self, message: discord.Message, exchange: Exchange, nonce: str, begun: tuple[discord.Message, ...] = ()
    ) -> None:
        """Answer it under the nonce that `asked` told; `begun` is what an earlier try left in the channel.

        discord.HTTPException when it could not be sent: then it is undelivered, and sent at the next chance. Where the
        question was deleted meanwhile, nothing is sent, and what was shown of an answer goes. Whatever else goes wrong
        before there is an answer leaves the question to be taken up again.
        """
        try:
            await self._answer(message, exchange, nonce, begun)
        except asyncio.CancelledError as error:  # raised again: the program ends, and what was spent is spent
            self._exchanges.broken_off(exchange, spent_in(error))
            raise
        except Exception:  # raised again: whoever calls tells of it
            if exchange.thought is None:
                self._desk.lets_go(message.id)
            raise

    async def _answer(
        self, message: discord.Message, exchange: Exchange, nonce: str, begun: tuple[discord.Message, ...]
    ) -> None:
        asked = reference_to(message.id, message.channel.id, guild_id_of(message.channel))
        appearing = Appearing(message.channel, asked, nonce, self._desk.sent, begun)
        async with appearing.growing():
            await self._appear(message, exchange, appearing)

    async def _appear(self, message: discord.Message, exchange: Exchange, appearing: Appearing) -> None:
        try:
            async with typing(message.channel, self._desk.assistant.precedence.give_way, self._pause):
                thought = await self._thought_for_readers(message, exchange, appearing)
        except TakenBack as error:
            await self._exchanges.failed(exchange, error)
            await appearing.withdraw()
            return
        except ModelError as error:
            await self._excuse(exchange, error, appearing)
            return
        await self._exchanges.answered(exchange)
        await appearing.grown()  # Discord may take long for it, and what holds below is to hold then
        if self.is_taken_back(message.id):
            await appearing.withdraw()
            return
        if is_opened(message.channel, exchange.heard.setting.audience):  # since then
            await appearing.finish(Opened.words)
            return
        await self._finish(appearing, thought.text, exchange.heard.point)
        await self._exchanges.delivered(exchange, appearing.refs)

    async def _finish(self, appearing: Appearing, text: str, question: Point) -> None:
        """Show all of an answer. Where that does not work, remember what is shown of it: until it has arrived, the log
        does not know its messages, and somebody may delete one.
        """
        try:
            await appearing.finish(text)
        except Exception:  # raised again: whoever calls tells of it
            self._partly.extend((each.id, question) for each in appearing.messages)
            raise

    def partly_shown(self, message_ids: Iterable[int]) -> list[Point]:
        """The questions of whose answers these messages are parts, where the answer could not be sent whole."""
        ids = frozenset(message_ids)
        return list(dict.fromkeys(question for message, question in self._partly if message in ids))

    async def _excuse(self, exchange: Exchange, error: ModelError, appearing: Appearing) -> None:
        """Say that there is no answer, and only then record it: until the person was told, the question is open. Where
        nothing may be said any more, that is the end of it too.
        """
        try:
            await appearing.finish(error.words)
        except (discord.Forbidden, discord.NotFound):
            await self._exchanges.failed(exchange, error)
            raise
        await self._exchanges.failed(exchange, error)

    async def _thought_for_readers(self, message: discord.Message, exchange: Exchange, appearing: Appearing) -> Thought:
        """What the model says to those who can read it. When a place of few was opened meanwhile, what was thought is
        theirs: it goes, and is thought anew from what all may know. Opened where that is not recorded yet.
        """
        thought = await self._streamed(message, exchange, appearing)
        while (audience := await self._opened_to(message, exchange)) is not None:
            exchange.thought = None
            await appearing.hide()
            if is_opened(message.channel, audience):
                raise Opened(UNSURE, spent=reply_of("", thought.use))
            heard = exchange.heard
            exchange.heard = heard._replace(setting=heard.setting._replace(audience=audience))
            anew = await self._streamed(message, exchange, appearing)
            thought = exchange.thought = anew._replace(use=added(anew.use, [thought.use]))
        return thought

    async def _streamed(self, message: discord.Message, exchange: Exchange, appearing: Appearing) -> Thought:
        """What the model says, shown as it comes; from when others can read it on, no more of it is."""

        async def grow(text: str) -> None:
            if not is_opened(message.channel, exchange.heard.setting.audience):
                await appearing.grow(text)

        streaming = Streaming(grow, self._pause)
        async with streaming.running():
            return await self._thought(message.id, exchange, streaming)

    async def _opened_to(self, message: discord.Message, exchange: Exchange) -> Audience | None:
        """Who can read a place of few by now, as far as is recorded; None where they are those who could."""
        before, place = exchange.heard.setting.audience, exchange.heard.place
        if before.kind != "channel":
            return None
        opened = is_opened(message.channel, before)
        if opened:  # it is recorded first, as what others do waits for it
            seen = place_of(message.channel)
            self._desk.uncompared.setdefault(seen.key, seen)
            await self._desk.closed()
        try:
            now = await self._desk.memory.look(lambda rows: audience_of(rows, place))
        except (LogError, OSError):
            now = None
        if now is None:
            return before if opened else None
        return now if opened or now != before else None

    async def _thought(self, question: int, exchange: Exchange, streaming: Streaming) -> Thought:
        """What the model says. TakenBack as soon as the question is deleted, Unexpected for what is no ModelError: the
        person is told so, and it is recorded. Where it is cancelled, the CancelledError carries what it took.
        """
        if self.is_taken_back(question):
            raise TakenBack(TAKEN_BACK)
        closed = self._desk.is_unsure_of(exchange.request.place.guild)
        thinking = self._exchanges.think(exchange, streaming.hear, closed=closed)
        task = self._thinking[question] = asyncio.create_task(thinking)
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task})
            raise asyncio.CancelledError(_spent(task)) from None
        finally:
            del self._thinking[question]
            task.cancel()
            await asyncio.wait({task})
        if task.cancelled():
            raise TakenBack(TAKEN_BACK, spent=_spent(task))
        try:
            return task.result()
        except ModelError:
            raise
        except Exception as error:
            await self._desk.failed("answer", error)
            raise Unexpected(error_words(error)) from error

    def taken_back(self, message_ids: Iterable[int]) -> None:
        """Messages were deleted: told at once, not behind what is said there."""
        for each in message_ids:
            self._gone.append(each)
            if each in self._thinking:
                self._thinking[each].cancel()

    def is_taken_back(self, message_id: int) -> bool:
        """Whether a message was deleted lately."""
        return message_id in self._gone

    # -- an answer that may not have arrived ------------------------------------------------------------------------

    async def deliver_again(self, channel: "MessageableChannel", waiting: Undelivered) -> None:
        """Look for an answer in the channel, send what is not there, and record that it arrived. What by now can be
        read by others than those for whom it was given is not sent: whoever asked is told so, once.
        """
        turn, question = waiting.turn, waiting.question
        asked_id = int(question.ref.key)
        nonce = nonce_of(turn.event)
        found = await self._found(channel, asked_id, nonce, waiting.text)
        reference = reference_to(asked_id, channel.id, None if question.guild is None else int(question.guild.key))
        appearing = Appearing(channel, reference, nonce, self._desk.sent, found)
        if not is_whole(waiting.text, found):
            if is_opened(channel, turn.audience) or is_whole(Opened.words, found[:1]):
                await appearing.finish(Opened.words)
                return
            await self._finish(appearing, waiting.text, Point(question.said, turn.answers))
        heard = Heard(
            point=Point(question.said, turn.answers),
            session=turn.session,
            place=question.place,
            setting=Setting(turn.asker, turn.audience, question.guild),
            text=question.text,
            name="",
        )

        async def step() -> None:
            await self._desk.memory.delivered(heard, Turn(turn.event, turn.said, turn.era, nonce), appearing.refs)

        if await self._desk.unwritten.write(DELIVERY, step):
            self._desk.assistant.after_turn(heard)

    async def _found(
        self, channel: "MessageableChannel", asked_id: int, nonce: str, text: str
    ) -> tuple[discord.Message, ...]:
        """As which messages an answer appeared in the channel; whatever else was said there meanwhile. None where the
        channel may not be read back.
        """
        if not may_read_back(channel):
            return ()
        own: list[discord.Message] = []
        found: tuple[discord.Message, ...] = ()
        history = channel.history(limit=LOOKED_THROUGH, after=discord.Object(asked_id), oldest_first=True)
        async for each in history:
            if each.author.id == self._desk.own_id:
                own.append(each)
                found = appeared(text, asked_id, nonce, own)
                if is_whole(text, found):
                    break
        return found


def is_opened(channel: Channel, audience: Audience) -> bool:
    """Whether everyone of a guild can read a place by now, as Discord says, that was for few."""
    return audience.kind == "channel" and place_of(channel).audience == "guild"


def _spent(thinking: asyncio.Task[Thought]) -> Reply | None:
    """What an answer took that was broken off, as far as the model says it."""
    try:
        thinking.exception()
    except asyncio.CancelledError as error:
        return spent_in(error)
    return None


def _asked(rows: Rows, request: HeardRequest) -> Asked:
    point = locate(rows, request).point
    return Asked(is_settled(rows, point), nonce_of(answer_id(rows.ids, point)))


def _approach(message: discord.Message, request: HeardRequest) -> Approach:
    return Approach(request.author, message.author.id, guild_id_of(message.channel), request.addressed)
