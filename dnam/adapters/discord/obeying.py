"""Typed commands: each is carried out in the order of what is said there, and its reply is read by all.

A long list is one message, whose buttons turn its pages for whoever asked. What changed something is said as a whole,
in as many messages as it needs: it is not done again for a page.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import discord

from dnam.adapters.discord.answering import Answering, Opened
from dnam.adapters.discord.askers import asking_identity
from dnam.adapters.discord.catching_up import AWAITED_MS
from dnam.adapters.discord.desk import UNREACHED, Desk
from dnam.adapters.discord.later import Later, longer_and_longer
from dnam.adapters.discord.places import guild_id_of, place_of
from dnam.adapters.discord.replying import Replying
from dnam.adapters.discord.ui.shown import Lists, Shown, under
from dnam.commands import table
from dnam.commands.command import Invocation, Reply
from dnam.commands.done_before import is_done
from dnam.commands.done_since import SINCE, did_since
from dnam.commands.parse import Call, Misread
from dnam.markdown import tamed
from projections.decisions.hear import HeardRequest
from projections.decisions.place import PlaceSeen
from replay.errors import LogError

if TYPE_CHECKING:
    from discord.abc import MessageableChannel

Guarded = Callable[[PlaceSeen, str, Callable[[], Awaitable[None]], "MessageableChannel | None"], Awaitable[bool]]
"""Does something of this name in a place, so that nothing is raised; whether nothing is left to try."""


class Obeying:
    """The typed commands of a desk."""

    def __init__(self, desk: Desk, lists: Lists, answering: Answering, later: Later, guarded: Guarded) -> None:
        self._desk = desk
        self._lists = lists
        self._answering = answering
        self._later = later
        self._guarded = guarded

    async def obey(
        self, message: discord.Message, request: HeardRequest, call: Call | Misread, began: int | None = None
    ) -> None:
        """Do what a typed command says, and reply where all can read it: nothing where the bot is to be silent. Slash
        commands work there too, for who asks alone.

        What is said next does not wait for a log that is held, nor for models: the reply comes when it is done. A
        command that is taken up late, after a connection `began` (ms), is not done over what they did in between.
        """
        is_admitted = self._desk.allowed.admits(message.author.id, guild_id_of(message.channel))
        if not is_admitted or not self._desk.takes(message.id):
            return
        if await self._desk.is_silent_for(message.author, request.place, request.speaker):
            return

        async def work() -> bool:
            return await self._guarded(
                request.place, "command", lambda: self._carry_out(message, request, call, began), message.channel
            )

        await self._desk.begun(work, slow=isinstance(call, Call) and call.command.slow)

    async def obey_late(self, message: discord.Message, request: HeardRequest, began: int) -> None:
        """Do what a command says that was typed while the bot was not there; once, should it also come live."""
        call = self._desk.command(message)
        if call is not None and not self._answering.is_taken_back(message.id):
            await self.obey(message, request, call, began)

    async def _carry_out(
        self, message: discord.Message, request: HeardRequest, call: Call | Misread, began: int | None
    ) -> None:
        manages = isinstance(message.author, discord.Member) and message.author.guild_permissions.manage_guild
        try:
            asked = await self._desk.askers.asked_by(
                message.author, request.place, manages=manages, channel=message.channel.id
            )
        except (LogError, OSError) as error:
            told = self._desk.askers.cannot_ask(message.author, request.place, error)
            await self._reply(message, request.place, told)
            await self._desk.could_not_ask("command", error)
            return
        asked = asked._replace(request=asking_identity(message.id))
        if began is not None and await self._is_overtaken(asked, call, request.said, began):
            await self._reply(message, request.place, SINCE)
            return
        shown = await self._shown(asked, call, message.author.id)
        text = await self._desk.handed_over(message.author, shown.text, shown.file)
        await self._reply(message, request.place, text, shown.view)

    async def _is_overtaken(self, asked: Invocation, call: Call | Misread, said: int, began: int) -> bool:
        """Whether a command would change something, was not done before, and who typed it did something since."""
        assistant = self._desk.assistant
        if isinstance(call, Misread) or not call.changes:
            return False
        if asked.origin is not None and await is_done(assistant, asked.origin):
            return False
        return await did_since(assistant, asked, said, began)

    async def _shown(self, asked: Invocation, call: Call | Misread, user: int) -> Shown:
        """What came of it: the first page of what can be asked again for the next, else all of it."""

        async def work(asked: Invocation) -> Reply:
            reply = await table.run(self._desk.assistant, asked, call)
            return reply._replace(text=f"{reply.text}{picked_instead(call)}")

        reply = await work(asked)
        if call.changes:
            return Shown(tamed(reply.text), under(reply, user), reply.file)
        return self._lists.shown(reply, user, work)

    async def _reply(
        self, message: discord.Message, place: PlaceSeen, text: str, view: discord.ui.View | None = None
    ) -> None:
        """Say what came of a command; where that does not work just now, again later, as long as it is waited for. The
        command itself is done.
        """
        replying = Replying(message, text, view, self._desk.sent)
        epoch = self._desk.memory.engine.head().epoch

        async def attempt() -> bool:
            if self._answering.is_taken_back(message.id) or self._desk.memory.engine.head().epoch != epoch:
                return True
            if place.audience == "channel" and place_of(message.channel).audience == "guild":
                replying.instead(Opened.words)
            return await self._said(replying)

        if not await self._said(replying):
            self._later.keep_trying(f"reply:{message.id}", attempt, longer_and_longer(AWAITED_MS / 1000))

    async def _said(self, replying: Replying) -> bool:
        """Whether nothing of a reply is left to say."""
        try:
            await replying.go_on()
        except UNREACHED as error:
            await self._desk.failed("reply to a command", error)
            return isinstance(error, discord.Forbidden | discord.NotFound)
        return True


def picked_instead(call: Call | Misread) -> str:
    """The slash command that asks with a menu for what was not typed; nothing where there is none."""
    command = call.command if isinstance(call, Misread) else None
    if command is None or not any(each.has_menu for each in command.parameters):
        return ""
    return f"\n`/memory {command.name}` lets you pick from a menu."
