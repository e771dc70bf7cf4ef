"""An answer as it appears in a channel: a message that grows while the model writes, and then as many as it needs.

An answer is recorded before it is sent, but a streamed one can be seen before it is complete. The two agree like this:

    question ─▶ the turn's id is known: it is made from the question's, and its end is the nonce
       │
       ├─ while the model writes: one message, a reply to the question with that nonce, ending in UNFINISHED
       ├─ the model is done: `turn.answered`, whatever Discord does just then with a part of it
       ├─ what shows that part ends, however that may be: no part comes behind the whole
       ├─ the same message is edited to the first part; further parts follow, with nonces made from the first
       └─ `turn.delivered`, with the ids of all of them

So whatever can be seen belongs to a turn, also to one that is not recorded yet. After a crash it is found again: the
nonce makes Discord refuse a second message while it remembers the first, and the reply says for good what it answers.
What ends in UNFINISHED was never finished: it is written over. A whole answer may end in " …" as well, where the model
did not come to its end; so the mark has a character in it that nobody sees. Nothing else of ours that answers a
question is touched unless its turn is known.

Where the bot may not read what was said before, Discord takes no reply of it either: an answer is then sent without
naming its question. After a crash nobody can look for it in the channel. It is sent again under its nonce: for some
minutes Discord says by that that it is there already, and later it may stand there twice, rather than not at all.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial

import discord

from dnam.adapters.discord.desk import UNREACHED
from dnam.adapters.discord.places import PLATFORM
from dnam.adapters.discord.splitting import LIMIT, so_far, split
from projections.ids import Ref

UNFINISHED = " \u200b…"
"""How a message ends of which more is to come: as " …" looks, with a space of no width that no answer has there."""
NOTHING_SAID = "(I have nothing to say to that.)"
"""What is shown where a model answered with no words at all: Discord takes no empty message."""
QUIET = discord.AllowedMentions(everyone=False, users=False, roles=False, replied_user=True)
"""Whatever an answer says, it calls nobody but whoever asked."""
NO_REPLY = 160002
"""Discord's code for "Cannot reply without permission to read message history"."""
log = logging.getLogger(__name__)


class Appearing:
    """One answer in one channel. `messages` are those that it has so far, in order. Whatever else is done with them
    comes behind what shows a part of it.
    """

    def __init__(
        self,
        channel: discord.abc.Messageable,
        question: discord.MessageReference | None,
        nonce: str,
        sent: Callable[[discord.Message], None],
        messages: Sequence[discord.Message] = (),
    ) -> None:
        self.messages = list(messages)
        self._channel = channel
        self._question = question
        self._nonce = nonce
        self._sent = sent
        self._part: asyncio.Task[None] | None = None
        """What shows a part of it, or did last."""

    @property
    def refs(self) -> tuple[Ref, ...]:
        """The messages, as events name them."""
        return tuple(Ref(PLATFORM, str(each.id)) for each in self.messages)

    @asynccontextmanager
    async def growing(self) -> AsyncIterator[None]:
        """It may grow for as long as the `async with` lasts. What shows a part of it then still is given up."""
        try:
            yield
        finally:
            if self._part is not None:
                self._part.cancel()
                await self.grown()

    async def grow(self, text: str) -> None:
        """Show how far it is, or try to: the whole answer comes in any case. Whoever gives up waiting for this stops
        nothing: what was sent to Discord may arrive, so it goes its way.
        """
        await self.grown()
        self._part = asyncio.create_task(self._show_part(text))
        await self.grown()

    async def grown(self) -> None:
        """Until nothing that shows a part of it is on its way: what is sent after this arrives after it."""
        if self._part is not None:
            await asyncio.wait({self._part})

    async def _show_part(self, text: str) -> None:
        try:
            parts = split(so_far(text), LIMIT - len(UNFINISHED))
            if parts:
                await self._put(0, parts[0] + UNFINISHED)
        except Exception as error:  # noqa: BLE001 - one part of an answer, whose words may be in the error's
            level = logging.INFO if isinstance(error, UNREACHED) else logging.WARNING
            log.log(level, "part of an answer could not be shown: %s", type(error).__name__)

    async def finish(self, text: str) -> None:
        """Show all of it, each part once, whatever was there before. discord.HTTPException when that does not work."""
        await self.grown()
        parts = split(text) or [NOTHING_SAID]
        for index, part in enumerate(parts):
            await self._put(index, part)

    async def hide(self) -> None:
        """Show nothing of it for now. discord.HTTPException when that does not work."""
        await self.grown()
        if self.messages:
            await self._put(0, f"…{UNFINISHED}")

    async def withdraw(self) -> None:
        """Take away what is shown of it. discord.HTTPException when that does not work."""
        await self.grown()
        for each in self.messages:
            await taken_away(each)

    async def _put(self, index: int, text: str) -> None:
        if index < len(self.messages):
            await self._replace(index, text)
            return
        message = await self._send(index, text)
        if not _says(message, text):  # Discord remembered the nonce: this is the message of an earlier try
            message = await message.edit(content=text, allowed_mentions=QUIET)
        self.messages.append(message)

    async def _replace(self, index: int, text: str) -> None:
        if _says(self.messages[index], text):
            return
        if isinstance(self._channel, discord.Thread) and self._channel.archived:  # sending would wake it, editing not
            self._channel = await self._channel.edit(archived=False)
        try:
            self.messages[index] = await self.messages[index].edit(content=text, allowed_mentions=QUIET)
        except discord.NotFound:  # somebody deleted it meanwhile: say it anew, as another message
            self._nonce = f"x{self._nonce[1:]}"
            self.messages[index] = await self._send(index, text)

    async def _send(self, index: int, text: str) -> discord.Message:
        reference = self._question if index == 0 else None
        nonce = nonce_of_part(self._nonce, index)
        message = await said(
            self._channel, reference, partial(self._channel.send, text, nonce=nonce, allowed_mentions=QUIET)
        )
        self._sent(message)
        return message


async def said(
    channel: discord.abc.Messageable,
    question: discord.MessageReference | None,
    say: Callable[..., Awaitable[discord.Message]],
) -> discord.Message:
    """Say something as a reply to a question; as no reply, where the bot may not reply. discord.HTTPException when that
    does not work.
    """
    if question is None or not may_read_back(channel):
        return await say()
    try:
        return await say(reference=question)
    except discord.Forbidden as error:  # what it may do there changed, and nobody told yet
        if error.code != NO_REPLY:
            raise
        return await say()


def may_read_back(channel: object) -> bool:
    """Whether the bot may read what was said in a place before, as far as is known; without that it may not reply."""
    may = own_rights(channel)
    return may is None or may.read_message_history


def may_send(channel: object) -> bool:
    """Whether the bot may write there, as far as is known: nobody is asked for an answer that cannot be given."""
    may = own_rights(channel)
    if may is None:
        return True
    return may.send_messages_in_threads if isinstance(channel, discord.Thread) else may.send_messages


def own_rights(channel: object) -> discord.Permissions | None:
    """What the bot may do in a place of a server; None where nobody knows, as in a thread whose channel is not in the
    cache, or while the bot itself is not.
    """
    if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return None
    me: discord.Member | None = channel.guild.me  # there may be none, whatever discord.py promises
    if me is None or (isinstance(channel, discord.Thread) and channel.parent is None):
        return None
    return channel.permissions_for(me)


async def taken_away(message: discord.Message) -> None:
    """Delete what is shown of an answer. discord.HTTPException when that does not work."""
    with suppress(discord.NotFound):
        await message.delete()


def nonce_of_part(nonce: str, index: int) -> str:
    """The nonce of a part, of at most 25 characters, as Discord wants it: the first has the turn's own."""
    return nonce if index == 0 else f"{nonce[:22]}-{index:02}"


def reference_to(message_id: int, channel_id: int, guild_id: int | None) -> discord.MessageReference:
    """A reply to this message; to nothing, should it be gone by then."""
    return discord.MessageReference(
        message_id=message_id, channel_id=channel_id, guild_id=guild_id, fail_if_not_exists=False
    )


def is_unfinished(message: discord.Message) -> bool:
    """Whether this is an answer that was broken off."""
    return message.content.endswith(UNFINISHED)


def answers_nothing(message: discord.Message) -> bool:
    """Whether what it answers was deleted, as Discord says."""
    reference = message.reference
    return reference is not None and isinstance(reference.resolved, discord.DeletedReferencedMessage)


def appeared(text: str, question_id: int, nonce: str, own: Sequence[discord.Message]) -> tuple[discord.Message, ...]:
    """The messages among our own, oldest first, as which an answer appeared before: its first by the nonce, the reply
    or its words, and then those that say its further parts in order.
    """
    parts = split(text) or [NOTHING_SAID]
    first = next((each for each in own if _is_first(each, question_id, nonce, parts[0])), None)
    if first is None:
        return ()
    found = [first]
    for part in parts[1:]:
        behind = (each for each in own if each.id > found[-1].id and _same(each.content, part))
        following = next(behind, None)
        if following is None:
            break
        found.append(following)
    return tuple(found)


def is_whole(text: str, found: Sequence[discord.Message]) -> bool:
    """Whether these messages say all of an answer."""
    parts = split(text) or [NOTHING_SAID]
    return len(found) == len(parts) and all(_same(each.content, part) for each, part in zip(found, parts, strict=True))


def _is_first(message: discord.Message, question_id: int, nonce: str, part: str) -> bool:
    if message.nonce is not None and str(message.nonce) == nonce:
        return True
    if message.reference is not None and message.reference.message_id is not None:
        return message.reference.message_id == question_id
    return _same(message.content, part)


def _same(shown: str, part: str) -> bool:
    """Whether two texts are one. A name has its `@` or not, depending on whether it went through the log."""
    return shown.replace("@", "").strip() == part.replace("@", "").strip()


def _says(message: discord.Message, text: str) -> bool:
    """Whether a message says this: Discord takes the blanks off at both ends."""
    return message.content.strip() == text.strip()
