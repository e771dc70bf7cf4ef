"""One person in one place, talking with the assistant, whatever the memory does meanwhile.

    hear ─▶ think ─▶ (the shell shows it) ─▶ delivered ─▶ the loops that are due

The platform gives no ids and no times here, so a conversation gives its messages both, and keeps them in order.
"""

import os
from typing import NamedTuple

from dnam.assistant import Assistant, Thought
from dnam.commands import table
from dnam.commands.command import Invocation, Reply
from dnam.commands.parse import Call, Misread
from dnam.exchange import Exchange, Exchanges
from dnam.memory import Memory
from dnam.model import ModelError
from dnam.standing import is_owner, standing_in
from dnam.unwritten import Unwritten
from dnam.whereabouts import LOCAL, asked_in, handle_of, last_said, locate
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.ids import Handle
from projections.policies.compartments import OWNER
from projections.policies.text import whole
from projections.rows import Rows
from replay.clock import MOST_AHEAD_MS
from replay.errors import LogError


class Spot(NamedTuple):
    """Who speaks, and where."""

    who: Account
    where: PlaceSeen


def is_operator(who: Account) -> bool:
    """Whether who talks to a memory directly does so as its operator: they hold its folder. As somebody who is known
    from elsewhere they speak with that person's rights and no others.
    """
    return who.platform == LOCAL


class Operating:
    """A `Standing` of the operator: their own direct messages open the private layer, as an owner's in Discord do."""

    def __init__(self, memory: Memory, who: Account) -> None:
        self._memory = memory
        self._who = who
        self._of_settings = memory.standing

    async def __call__(self, person: Handle) -> tuple[str, ...]:
        """What the settings say of anybody, and `owner` for the operator."""
        said = await self._of_settings(person)
        operator = await self._memory.look(lambda rows: handle_of(rows, self._who))
        return said if OWNER in said or person != operator else (OWNER, *said)


class Conversation:
    """Messages and commands of one person in one place. One at a time."""

    def __init__(self, assistant: Assistant, spot: Spot, unwritten: Unwritten | None = None) -> None:
        self.assistant = assistant
        self.unwritten = Unwritten() if unwritten is None else unwritten
        self._exchanges = Exchanges(assistant, self.unwritten)
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
        return await self._exchanges.hear(request, to_answer=True)

    async def think(self, exchange: Exchange) -> Thought:
        """The answer, or that there is none, recorded or kept to be recorded. ModelError when there is none."""
        try:
            thought = await self._exchanges.think(exchange)
        except ModelError as error:
            await self._exchanges.failed(exchange, error)
            raise
        await self._exchanges.answered(exchange, self._next())
        return thought

    async def delivered(self, exchange: Exchange) -> None:
        """The answer was shown; what is due after it begins."""
        await self._exchanges.delivered(exchange, said=self._said)

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
            return Reply(f"The memory cannot be asked just now: {error}", failed=True, hindered=True)
        return await table.run(self.assistant, asked, call)

    async def _invocation(self) -> Invocation:
        """Who asks and where. Who was never heard is met now: a command is no message. The operator may do what the
        owner and whoever manages the guild may.
        """
        who, where = self._spot
        if self._memory.engine.store.writable:
            await self._memory.meet(who)
        operates, owner_ids = is_operator(who), self._memory.settings.owner_ids
        setting, session = await self._memory.look(lambda rows: asked_in(rows, who, where))
        setting = await standing_in(setting, self._memory.standing)
        owns = operates or await self._memory.look(lambda rows: is_owner(rows, setting.person, owner_ids))
        return Invocation(setting, session, is_owner=owns, manages_guild=operates, is_told_why=True, account=who)

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


def _last_said(rows: Rows, request: HeardRequest) -> int:
    here = locate(rows, request)
    last = last_said(rows, here.session, here.setting.audience.epoch)
    return 0 if last is None else last.said
