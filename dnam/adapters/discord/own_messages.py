"""The bot's own messages, and those that it took up: what is nothing to hear, and what is not to be done twice."""

from collections import deque

import discord
from discord.ext import commands

from dnam.adapters.discord.places import PLATFORM
from dnam.adapters.discord.translate import addressed_words, replied_to, said_of
from dnam.assistant import Assistant
from dnam.commands import table
from dnam.commands.parse import Call, Misread
from dnam.memory import Memory
from projections.decisions.hear import message_identity
from projections.ids import Point, Ref
from projections.pending import is_settled
from projections.rows import Rows
from projections.turns import SENT, sent_key
from replay.errors import LogError

KEPT = 4096
"""How many of our own latest messages, and of those taken up, are known by id. Older ones are known by the log."""


class OwnMessages:
    """What a bot knows of messages by their ids, and of its own by what they look like."""

    def __init__(self, bot: commands.Bot | commands.AutoShardedBot, assistant: Assistant) -> None:
        self.bot = bot
        self.assistant = assistant
        self._ours: deque[int] = deque(maxlen=KEPT)
        self._taken: deque[int] = deque(maxlen=KEPT)

    @property
    def memory(self) -> Memory:
        return self.assistant.memory

    @property
    def own_id(self) -> int:
        """The bot's own id. It has one once it has logged in."""
        assert self.bot.user is not None
        return self.bot.user.id

    def command(self, message: discord.Message) -> Call | Misread | None:
        """What a text asks of the memory; None when it is said to everybody."""
        if not self.memory.settings.memory_commands_enabled:
            return None
        return table.read(addressed_words(message, self.own_id))

    def sent(self, message: discord.Message | discord.PartialMessage | int) -> None:
        """Remember that this is an answer, or what a command or the transparency channel shows: nothing to hear."""
        self._ours.append(message if isinstance(message, int) else message.id)

    def is_ours(self, message_id: int) -> bool:
        """Whether `sent` was told of it."""
        return message_id in self._ours

    def is_told(self, message: discord.Message) -> bool:
        """Whether this is of our own but nothing that was said: a command's reply, or what the transparency channel
        shows.

        What replies to a slash command says so; what replies to one that was typed has its embeds suppressed, which no
        answer has. That stays with the message, whatever becomes of the command: deleted, edited, or switched off.
        """
        if message.author.id != self.own_id:
            return False
        is_reply = message.interaction_metadata is not None or message.flags.suppress_embeds
        return is_reply or str(message.channel.id) == self.memory.settings.memory_channel_id

    async def is_accounted_for(self, message: discord.Message) -> bool:
        """Whether a message of our own is nothing to hear: it was sent as an answer, answers what has its turn or asked
        something of the memory or is gone, or says nothing to anybody.
        """
        if self.is_ours(message.id) or self.is_told(message):
            return True
        reply = replied_to(message)
        if reply is None:
            return await self._was_sent(message.id)
        asked = None if message.reference is None else message.reference.resolved
        if isinstance(asked, discord.DeletedReferencedMessage):
            return True
        if isinstance(asked, discord.Message) and self.command(asked) is not None:
            return True
        try:
            return await self.memory.look(lambda rows: is_settled(rows, _point(rows, int(reply.key))))
        except (LogError, OSError):
            return False

    async def _was_sent(self, message_id: int) -> bool:
        """Whether an answer is known to have arrived as this message: one that replies to nothing does not say so."""
        sent = sent_key(Ref(PLATFORM, str(message_id)))
        try:
            return await self.memory.look(lambda rows: rows.get(SENT, sent) is not None)
        except (LogError, OSError):
            return False

    async def knows(self, message_id: int) -> bool:
        """Whether a message was heard, or sent as an answer or as what a command says."""
        if self.is_ours(message_id):
            return True
        sent = sent_key(Ref(PLATFORM, str(message_id)))
        return await self.memory.look(
            lambda rows: rows.get(SENT, sent) is not None or rows.ids.status(_point(rows, message_id).id) != "unknown"
        )

    def takes(self, message_id: int) -> bool:
        """Whether it is taken up now for the first time: Discord may tell of a message, or of an interaction, twice."""
        if message_id in self._taken:
            return False
        self._taken.append(message_id)
        return True

    def lets_go(self, message_id: int) -> None:
        """What `takes` took up came to nothing: it is taken up again once its place is read back."""
        if message_id in self._taken:
            self._taken.remove(message_id)


def _point(rows: Rows, message_id: int) -> Point:
    """Where a message of Discord's lies."""
    said = said_of(message_id)
    return Point(said, rows.ids.event_id(message_identity(PLATFORM, str(message_id), "heard", said)))
