"""What was missed: after each connection every place is read back, as far as its window reaches, and further where more
was missed, before anything is answered there.

    who can read it now        compared first
    what was said, edited      heard, oldest first; what is known already stays as it is
    what is gone               deleted; that, and edits, as far back as `history` reads
    answers that were begun    taken away, where the question is gone
    answers on their way       looked for in the channel, and sent where they are not there
    questions without answer   answered, unless they are a day old
    commands without a reply   obeyed, as far as somebody still waits for it: while the bot started, say

What is a question was judged when it was heard, and is judged now only where it was not heard yet: a setting that
changed since holds for what comes, and answers nothing old. `addressed` says in the log what that judgement was.

A bot that is new in a place reads it back the same way, and answers there only what was said to it since it came. What
stands before a message of its own there was for an earlier bot of that account, which answered it or did not.
discord.py waits for Discord's rate limits; at most a few places are read at a time.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import discord

from dnam.adapters.discord.answering import Answering
from dnam.adapters.discord.appearing import answers_nothing, is_unfinished, may_read_back, taken_away
from dnam.adapters.discord.askers import ANYBODY, invocation
from dnam.adapters.discord.audiences import Audiences
from dnam.adapters.discord.desk import Desk
from dnam.adapters.discord.history import UNREAD, History, known_ids, read_back
from dnam.adapters.discord.missed import Arrived, Since, arrivals, is_recent, missed_in
from dnam.adapters.discord.places import queue_of
from dnam.adapters.discord.translate import answered, deletion, ms, replied_to, withdrawal
from dnam.exchange import Exchanges
from projections.decisions.delete import delete_all
from projections.decisions.draft import Draft
from projections.decisions.hear import HeardRequest
from projections.decisions.place import PlaceSeen
from projections.ids import Point
from projections.rows import Rows

if TYPE_CHECKING:
    from discord.abc import MessageableChannel

AWAITED_MS = 10 * 60_000
"""How old a command may be to be obeyed after all: who typed it longer ago has asked again, or wants it no more."""
AT_ONCE = 4
"""How many places are read back at a time."""
MOST_GONE = 200
"""How many messages one decision at most says to be gone."""
log = logging.getLogger(__name__)
LEFT_OUT = "more was said while the bot was away than its last {} messages: what is older is neither heard nor answered"
Obey = Callable[[discord.Message, HeardRequest, int], Awaitable[None]]
"""Does what a command says that is taken up late; told besides when the connection began (ms)."""
"""Does what a typed command says, unless that is under way or done already."""


class Resumed(NamedTuple):
    """Which connections go on where they were cut: each shard has its own, and a bot without shards has one for all."""

    others: bool = False
    shards: Mapping[int, bool] = MappingProxyType({})

    def after(self, shard: int | None, *, resumed: bool) -> "Resumed":
        """What holds once one of them began, or all of them."""
        return Resumed(resumed) if shard is None else self._replace(shards={**self.shards, shard: resumed})

    def holds(self, shard: int) -> bool:
        """Whether the connection that tells of a place goes on so."""
        return self.shards.get(shard, self.others)


class CatchingUp:
    """Which places were read back since the connection began."""

    def __init__(
        self, desk: Desk, exchanges: Exchanges, answering: Answering, audiences: Audiences, obey: Obey
    ) -> None:
        self._desk = desk
        self._obey = obey
        self._exchanges = exchanges
        self._answering = answering
        self._audiences = audiences
        self._caught: dict[str, int] = {}
        """Each place by its queue, with its shard; so those that may not be read."""
        self._unread: dict[str, int] = {}
        self._unsettled: set[str] = set()
        self._told_cut: dict[int, int] = {}
        """Of which channels it was told that more was missed, and their last message then."""
        self._resumed = Resumed()
        self._connected_at = desk.memory.now()
        """When the connection began, in ms."""
        self._slots = asyncio.Semaphore(AT_ONCE)

    def connected(self, shard: int | None = None, *, resumed: bool = False) -> None:
        """A connection began, or all of them did: everything may have changed meanwhile in what it tells of.

        One that was `resumed` told of all of it, as far as Discord remembers. What it may have forgotten shows in a
        last message that nobody has heard of.
        """
        self._resumed = self._resumed.after(shard, resumed=resumed)
        self._connected_at = self._desk.memory.now()
        for known in (self._caught, self._unread):
            for queue in [each for each, of in known.items() if shard in (None, of)]:
                del known[queue]
        self._audiences.forget()

    def again(self, place: PlaceSeen) -> None:
        """Something went wrong in this place, or it may not be read for now: read it back with the next message,
        whatever is known of it.
        """
        self._caught.pop(queue_of(place), None)
        self._unsettled.add(queue_of(place))

    def is_read_back(self, queue: str) -> bool:
        """Whether the place of a queue was read back in this connection, or is being read back."""
        return queue in self._caught

    def is_caught_up(self, place: PlaceSeen) -> bool:
        """Whether a place was read back in this connection, and nothing stands against what is known of it since."""
        return queue_of(place) in self._caught and queue_of(place) not in self._unread

    async def catch_up(self, channel: "MessageableChannel", place: PlaceSeen, live: int | None = None) -> None:
        """Read a place back, once in each connection. `live` is the message by which it shows that there is one."""
        if queue_of(place) in self._caught:
            return
        try:
            await self._audiences.compare(place)
            self._caught[queue_of(place)] = _shard(channel)
            await self._catch_up(channel, place, Since(_came(channel), live))
        except BaseException:  # raised again; whatever it was, also a cancellation: the place was not read back
            self.again(place)
            raise
        self._unsettled.discard(queue_of(place))

    async def _catch_up(self, channel: "MessageableChannel", place: PlaceSeen, since: Since) -> None:
        began = self._desk.memory.now()
        history = await self._read_back(channel, place)
        messages = list(history.messages)
        own_id = self._desk.own_id
        arrived = [*arrivals(messages[: history.old], own_id, is_old=True), *arrivals(messages[history.old :], own_id)]
        replies = own_replies(messages, own_id)
        missed = await self._desk.memory.look(
            lambda rows: missed_in(
                rows, invocation(rows, ANYBODY, place), channel.id, history, arrived, replies, since, began
            )
        )
        if missed.is_cut:
            self._tell_cut(channel.id, messages)
        for waiting in missed.waiting:
            await self._allowed(self._answering.deliver_again(channel, waiting))
        leads = leading(messages, own_id)
        for each in missed.arrived:
            if each.request.key in missed.news:
                await self._hear(each, leads.get(each.message.id), began, is_open=each.request.key in missed.open)
        await self._delete(missed.gone, place)
        await self._withdraw(messages)
        await self._answer([each for each in missed.arrived if each.request.key in missed.open], replies, began)

    def _tell_cut(self, channel_id: int, messages: Sequence[discord.Message]) -> None:
        """Once, as long as nothing else was said: commands that were missed are not heard, and are missed again."""
        if self._told_cut.get(channel_id) != messages[-1].id:
            self._told_cut[channel_id] = messages[-1].id
            log.warning("discord: channel %s: %s", channel_id, LEFT_OUT.format(len(messages)))

    async def _read_back(self, channel: "MessageableChannel", place: PlaceSeen) -> History:
        """Only the reading takes a slot: an answer that takes long holds up no other place."""
        if not may_read_back(channel):
            self._unread[queue_of(place)] = _shard(channel)
            return UNREAD
        self._unread.pop(queue_of(place), None)
        count = (await self._desk.config(place, ANYBODY)).context_history
        last = getattr(channel, "last_message_id", channel.id)  # a DM does not tell its last message, and is read
        if last is not None and await self._is_settled(channel, place, last):
            return UNREAD
        known = await self._desk.memory.look(lambda rows: known_ids(rows, invocation(rows, ANYBODY, place).session))
        if last is None and not known:
            return UNREAD
        async with self._slots:
            return await read_back(channel, count, known)

    async def _is_settled(self, channel: "MessageableChannel", place: PlaceSeen, last: int) -> bool:
        """Whether there is nothing to read back: the connection told of all there was."""
        resumed = self._resumed.holds(_shard(channel))
        return resumed and queue_of(place) not in self._unsettled and await self._desk.knows(last)

    async def _hear(self, each: Arrived, lead: discord.Message | None, began: int, *, is_open: bool) -> None:
        """Hear it, unless it is an answer of ours that its turn tells of, or that was never finished. As live, what is
        to be answered is said to the bot. `lead` is the reply of ours of which it may be a further part.
        """
        message, request = each.message, each.request
        if each.is_old:
            await self._exchanges.hear(request._replace(only_known=True))
            return
        if request.author == "self" and (is_unfinished(message) or await self._desk.is_accounted_for(message)):
            return
        if lead is not None:
            if await self._desk.is_accounted_for(lead):
                return
            request = request._replace(answers=answered(lead))
        if is_recent(request, began):
            answers = is_open and (await self._answering.verdict(message, request)).answers
            request = request._replace(addressed=answers)
        exchange = await self._exchanges.hear(request)
        self._desk.assistant.after_heard(exchange.heard)

    async def _delete(self, gone: list[int], place: PlaceSeen) -> None:
        """All at once, or later, where the log is held; in parts, where they are very many."""
        if not gone:
            return
        session = await self._desk.memory.look(lambda rows: invocation(rows, ANYBODY, place).session)

        for start in range(0, len(gone), MOST_GONE):
            part = gone[start : start + MOST_GONE]
            await self._desk.unwritten.write("deletion", partial(self._delete_part, session, part))

    async def _delete_part(self, session: str, part: list[int]) -> None:
        memory = self._desk.memory
        now = memory.now()
        while (await memory.record(lambda rows: deletions(rows, [session], part, now))).records:
            pass

    async def _withdraw(self, messages: list[discord.Message]) -> None:
        """Take away what was shown of answers that were never finished and whose question is gone, as live."""
        for each in messages:
            if each.author.id == self._desk.own_id and is_unfinished(each) and answers_nothing(each):
                await self._allowed(taken_away(each))

    async def _answer(self, open_: list[Arrived], replies: Mapping[str, Sequence[discord.Message]], began: int) -> None:
        """Answer what nobody answered, and obey what nobody obeyed. What of ours replies to it already is the answer,
        unless it was broken off.
        """
        for each in open_:
            ours = replies.get(each.request.key, ())
            if not is_recent(each.request, began) or any(not is_unfinished(one) for one in ours):
                continue
            if each.is_command:
                if _is_awaited(each.request, began):
                    await self._obey(each.message, each.request, self._connected_at)
                continue
            verdict = await self._answering.verdict(each.message, each.request)
            asked = await self._answering.asked(each.request)
            if not verdict.answers or asked.is_settled:
                continue
            exchange = await self._exchanges.hear(each.request)
            if exchange.heard.person and self._desk.takes(each.message.id):  # who opted out is answered live or never
                await self._allowed(self._answering.answer(each.message, exchange, asked.nonce, tuple(ours[:1])))

    async def _allowed(self, sending: Awaitable[None]) -> None:
        """Send it. What may not be said there (a DM that was closed) keeps nothing else from being heard."""
        try:
            await sending
        except discord.Forbidden as error:
            await self._desk.failed("delivery", error)


def deletions(
    rows: Rows, sessions: Iterable[str], ids: list[int], now: int, questions: Sequence[Point] = ()
) -> list[Draft]:
    """All of them at once: what rests on them is made anew once. In a session where they were not said, nothing is. To
    be decided again until nothing comes of it: what leads to very much takes several decisions.
    """
    parts = (
        delete_all(rows, (deletion(each, session, now) for each in ids), withdrawal(ids, session, now, questions))
        for session in sessions
    )
    return next(filter(None, parts), [])


def _is_awaited(request: HeardRequest, now: int) -> bool:
    """Whether a command is young enough to be obeyed, and was one when it was said."""
    return request.said >= now - AWAITED_MS and request.edited is None


def _shard(channel: "MessageableChannel") -> int:
    """By which connection Discord tells of a channel: of direct messages by the first, and by the only one."""
    guild = channel.guild
    return 0 if guild is None else guild.shard_id or 0


def _came(channel: "MessageableChannel") -> int:
    """When the bot came to the server of a channel, in ms; 0 where it is in none."""
    guild = channel.guild
    me = None if guild is None else guild.me
    return (0 if me is None else ms(me.joined_at)) or 0


def own_replies(messages: Iterable[discord.Message], own_id: int) -> Mapping[str, Sequence[discord.Message]]:
    """The bot's own messages, by the id of what each replies to, in the order given. `own_id` is the bot's."""
    found: dict[str, list[discord.Message]] = {}
    for each in messages:
        reply = replied_to(each) if each.author.id == own_id else None
        if reply is not None:
            found.setdefault(reply.key, []).append(each)
    return found


def leading(messages: Iterable[discord.Message], own_id: int) -> Mapping[int, discord.Message]:
    """For each of the bot's own messages that replies to nothing, by its id: its reply before that, of which it may be
    a further part. Only the first part of a long answer says what it replies to. The messages are the oldest first.
    """
    found: dict[int, discord.Message] = {}
    lead: discord.Message | None = None
    for each in messages:
        if each.author.id != own_id:
            continue
        if replied_to(each) is not None:
            lead = each
        elif lead is not None:
            found[each.id] = lead
    return found
