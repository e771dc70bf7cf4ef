"""What was missed: after each connection every place is read back, as far as its window reaches, before anything is
answered there.

    who can read it now        compared first
    what was said, edited      heard, oldest first; what is known already stays as it is
    what is gone               deleted
    answers on their way       looked for in the channel, and sent where they are not there
    questions without answer   answered, unless they are a day old

A bot that is new in a place reads it back the same way. discord.py waits for Discord's rate limits; at most a few
places are read at a time.
"""

import asyncio
import logging
from collections.abc import Awaitable
from typing import TYPE_CHECKING, NamedTuple

import discord

from dnam.adapters.discord.answering import Answering
from dnam.adapters.discord.appearing import is_unfinished
from dnam.adapters.discord.audiences import Audiences
from dnam.adapters.discord.desk import ANYBODY, Desk, invocation
from dnam.adapters.discord.places import PLATFORM, queue_of
from dnam.adapters.discord.translate import addressed_words, deletion, replied_to, said_of, translate
from dnam.commands import table
from dnam.exchange import Exchanges
from projections.decisions.hear import HeardRequest, delete, message_identity
from projections.decisions.place import PlaceSeen
from projections.events.values import Message
from projections.pending import Undelivered, said_between, undelivered
from projections.rows import Rows

if TYPE_CHECKING:
    from discord.abc import MessageableChannel

AT_ONCE = 4
"""How many places are read back at a time."""
LATEST_MS = 24 * 3_600_000
"""How old a question or an undelivered answer may be to be answered or sent after all."""
log = logging.getLogger(__name__)


class Arrived(NamedTuple):
    """A message that was read back, and the request that it is. `is_command`: somebody asked something of the memory
    with it. It was done then or never will be, and is heard only as an edit of what was heard before.
    """

    message: discord.Message
    request: HeardRequest
    is_command: bool


class Missed(NamedTuple):
    """What the log says of a place before it is heard: where its answers wait, and what it knows to be there."""

    waiting: list[Undelivered]
    gone: list[int]
    news: frozenset[str]


class CatchingUp:
    """Which places were read back since the connection began."""

    def __init__(self, desk: Desk, exchanges: Exchanges, answering: Answering, audiences: Audiences) -> None:
        self._desk = desk
        self._exchanges = exchanges
        self._answering = answering
        self._audiences = audiences
        self._caught: set[str] = set()
        self._resumed = False
        self._slots = asyncio.Semaphore(AT_ONCE)

    def connected(self, *, resumed: bool = False) -> None:
        """A connection began: everything may have changed meanwhile.

        One that was `resumed` told of all of it, as far as Discord remembers. What it may have forgotten shows in a
        last message that nobody has heard of.
        """
        self._resumed = resumed
        self._caught.clear()
        self._audiences.forget()

    def again(self, place: PlaceSeen) -> None:
        """Something went wrong in this place: read it back with the next message."""
        self._caught.discard(queue_of(place))

    async def catch_up(self, channel: "MessageableChannel", place: PlaceSeen) -> None:
        """Read a place back, once in each connection."""
        if queue_of(place) in self._caught:
            return
        await self._audiences.compare(place)
        self._caught.add(queue_of(place))
        try:
            async with self._slots:
                await self._catch_up(channel, place)
        except BaseException:  # raised again; whatever it was, also a cancellation: the place was not read back
            self.again(place)
            raise

    async def _catch_up(self, channel: "MessageableChannel", place: PlaceSeen) -> None:
        began = self._desk.memory.now()
        count = (await self._desk.config(place, ANYBODY)).context_history
        messages = [] if await self._has_no_news(channel) else await read_back(channel, count)
        arrived = [each for each in map(self._translated, messages) if each is not None]
        missed = await self._missed(place, messages, arrived, began)
        for waiting in missed.waiting:
            await self._allowed(self._answering.deliver_again(channel, waiting))
        for each in arrived:
            if each.request.key in missed.news:
                await self._hear(each, began)
        await self._delete(missed.gone, place)
        await self._answer(arrived, messages, began)

    async def _has_no_news(self, channel: "MessageableChannel") -> bool:
        """Whether there is nothing to read back. A DM does not tell its last message, and is read."""
        last = getattr(channel, "last_message_id", channel.id)
        return last is None or (self._resumed and await self._desk.knows(last))

    def _translated(self, message: discord.Message) -> Arrived | None:
        request = translate(message, self._desk.own_id)
        if request is None:
            return None
        # Also where commands are off now: it may have been said as one.
        asks = request.author == "person" and table.read(addressed_words(message, self._desk.own_id)) is not None
        return Arrived(message, request, asks)

    async def _missed(
        self, place: PlaceSeen, messages: list[discord.Message], arrived: list[Arrived], began: int
    ) -> Missed:
        def question(rows: Rows) -> Missed:
            asked = invocation(rows, ANYBODY, place)
            epoch = asked.setting.audience.epoch
            waiting = undelivered(rows, asked.session, epoch, began - LATEST_MS)
            known = said_between(rows, asked.session, epoch, said_of(messages[0].id), began) if messages else []
            news = frozenset(each.request.key for each in arrived if _is_news(rows, each))
            return Missed([each for each in waiting if _is_discord_s(each.question)], _gone(known, messages), news)

        return await self._desk.memory.look(question)

    async def _hear(self, each: Arrived, began: int) -> None:
        """Hear it, unless it is an answer of ours that its turn tells of, or that was never finished. As live, what is
        to be answered is said to the bot.
        """
        message, request, _ = each
        if request.author == "self" and (is_unfinished(message) or await self._desk.is_accounted_for(message)):
            return
        if _is_recent(request, began) and (await self._answering.verdict(message, request)).answers:
            request = request._replace(addressed=True)
        exchange = await self._exchanges.hear(request)
        self._desk.assistant.after_heard(exchange.heard)

    async def _delete(self, gone: list[int], place: PlaceSeen) -> None:
        memory = self._desk.memory
        session = await memory.look(lambda rows: invocation(rows, ANYBODY, place).session)
        for message_id in gone:
            request = deletion(message_id, session, memory.now())
            await memory.record(lambda rows, request=request: delete(rows, request))  # type: ignore[misc]  # mypy sees no type in a default of a lambda

    async def _answer(self, arrived: list[Arrived], messages: list[discord.Message], began: int) -> None:
        """Answer what nobody answered. What of ours replies to it already is the answer, unless it was broken off."""
        for each in arrived:
            ours = tuple(one for one in messages if _answers(one, each.message, self._desk.own_id))
            if each.is_command or not _is_recent(each.request, began) or any(not is_unfinished(one) for one in ours):
                continue
            verdict = await self._answering.verdict(each.message, each.request)
            asked = await self._answering.asked(each.request)
            if not verdict.answers or asked.is_settled:
                continue
            exchange = await self._exchanges.hear(each.request)
            if exchange.heard.person and self._desk.takes(each.message.id):  # who opted out is answered live or never
                await self._allowed(self._answering.answer(each.message, exchange, asked.nonce, ours[:1]))

    async def _allowed(self, sending: Awaitable[None]) -> None:
        """Send it. What may not be said there (a DM that was closed) keeps nothing else from being heard."""
        try:
            await sending
        except discord.Forbidden as error:
            await self._desk.failed("delivery", error)


async def read_back(channel: "MessageableChannel", count: int) -> list[discord.Message]:
    """The last messages of a place, oldest first; none where reading them is not allowed."""
    if count == 0:
        return []
    try:
        return [each async for each in channel.history(limit=count)][::-1]
    except discord.Forbidden:
        log.info("not allowed to read what was said in channel %s before", channel.id)
        return []


def _gone(known: list[Message], messages: list[discord.Message]) -> list[int]:
    """What the log knows and Discord does not, among what was read back. What lies before it is left alone: a history
    that may not be read looks like one in which everything was deleted.
    """
    here = {str(each.id) for each in messages}
    return [int(each.ref.key) for each in known if _is_discord_s(each) and each.ref.key not in here]


def _is_discord_s(message: Message) -> bool:
    """Whether it has an id of Discord's: what came by an import may have another."""
    return message.ref.platform == PLATFORM and message.ref.key.isdecimal()


def _is_recent(request: HeardRequest, now: int) -> bool:
    """Whether it is young enough to be answered."""
    return request.said >= now - LATEST_MS


def _is_news(rows: Rows, arrived: Arrived) -> bool:
    """Whether it was never heard, or may have been edited since."""
    request = arrived.request
    heard = rows.ids.event_id(message_identity(PLATFORM, request.key, "heard", request.said))
    if rows.ids.status(heard) == "unknown":
        return not arrived.is_command
    return request.edited is not None


def _answers(message: discord.Message, question: discord.Message, own_id: int) -> bool:
    reply = replied_to(message)
    return message.author.id == own_id and reply is not None and reply.key == str(question.id)
