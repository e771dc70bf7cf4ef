"""The chat: hear a line, answer it, print it, learn behind it.

Ends with 0 at the end of the lines or on `exit` and `quit`, with 3 when something that was said could not be recorded
or a command could not be done, with 130 on a second Ctrl-C, or on the first where nobody is there to type a line after
it, and with 143 and 129 on SIGTERM and SIGHUP.
"""

import asyncio

from dnam.adapters.terminal.interrupts import Interrupted, Interrupts
from dnam.adapters.terminal.reading import Lines
from dnam.adapters.terminal.screen import Screen
from dnam.assistant import Assistant
from dnam.commands.parse import Call, Misread
from dnam.conversation import Conversation, Operating, Spot, is_operator
from dnam.model import ModelError
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.errors import DnamError

DONE, COULD_NOT = 0, 3
ENDINGS = frozenset({"exit", "quit"})
PATIENCE_SECONDS = 1.0
"""How long the end of a chat waits for learning before it says that it waits."""


async def chat(
    assistant: Assistant, who: Account, where: PlaceSeen, lines: Lines, out: Screen, *, presses: int = 2
) -> int:
    """Talk until the lines end, or until Ctrl-C was pressed so many times without a line between; the exit code."""
    if is_operator(who):
        assistant.memory.standing = Operating(assistant.memory, who)
    with Interrupts() as interrupts:
        try:
            async with assistant.watching(tell=out.note):
                talk = Conversation(assistant, Spot(who, where))
                return await Chat(assistant, talk, out, presses).run(lines, interrupts)
        finally:
            await assistant.stop()


class Chat:
    """One chat, from its first line to its last."""

    def __init__(self, assistant: Assistant, talk: Conversation, out: Screen, presses: int = 2) -> None:
        self._assistant = assistant
        self._talk = talk
        self._out = out
        self._presses = presses
        self._failures_told = 0
        self._lost_told = 0
        self._reason_told = ""
        self._hindered = False

    async def run(self, lines: Lines, interrupts: Interrupts) -> int:
        """The loop. Ctrl-C breaks off what is being done; the last of `presses` with no line between ends it."""
        pressed = 0
        while pressed < self._presses:
            try:
                line = await interrupts.run(lines.next())
                pressed = 0
                if line is None or line.strip().casefold() in ENDINGS:
                    return await self._end(interrupts)
                await interrupts.run(self._take(line))
            except Interrupted:
                pressed = self._presses if interrupts.told else pressed + 1
                self._out.note("interrupted" if pressed == self._presses else "interrupted; Ctrl-C again ends the chat")
        self._tell_unwritten()
        return interrupts.code

    # -- one line ---------------------------------------------------------------------------------------------------

    async def _take(self, line: str) -> None:
        if not line.strip():
            return
        try:
            call = self._talk.command(line)
            await (self._answer(line) if call is None else self._obey(call))
        except BrokenPipeError:
            raise  # nobody reads any more: that is the shell's to know
        except Exception as error:  # noqa: BLE001 - one line that goes wrong does not end a conversation
            self._out.warn(f"this went wrong: {error if isinstance(error, DnamError | OSError) else repr(error)}")
        self._tell()

    async def _obey(self, call: Call | Misread) -> None:
        reply = await self._talk.obey(call)
        self._hindered |= reply.hindered
        self._out.replied(call.command.name if call.command else "", reply)

    async def _answer(self, line: str) -> None:
        exchange = await self._talk.hear(line)
        try:
            thought = await self._talk.think(exchange)
        except ModelError as error:
            self._out.warn(f"no answer: {error}")
            return
        self._out.said(self._assistant.memory.settings.assistant_name, thought.text)
        await self._talk.delivered(exchange)

    # -- what goes on beside ----------------------------------------------------------------------------------------

    def _tell(self) -> None:
        """What failed since the last time, once each."""
        for failure in self._assistant.failures.after(self._failures_told):
            self._out.note(f"in the background: {failure}")
        self._failures_told = self._assistant.failures.total
        unwritten = self._talk.unwritten
        for why in unwritten.lost.after(self._lost_told):
            self._out.warn(f"something that was said cannot be recorded: {why}")
        self._lost_told = unwritten.lost.total
        if unwritten.reason and unwritten.reason != self._reason_told:
            self._out.warn(f"this could not be recorded and is tried again with the next message: {unwritten.reason}")
        elif self._reason_told and not unwritten.reason:
            self._out.note("what could not be recorded is recorded now")
        self._reason_told = unwritten.reason

    def _tell_unwritten(self) -> bool:
        """Whether everything was recorded; if not, what was not."""
        waiting = self._talk.unwritten
        if waiting:
            self._out.warn(f"not recorded: {waiting}; {waiting.reason}")
        return not waiting

    # -- the end ----------------------------------------------------------------------------------------------------

    async def _end(self, interrupts: Interrupts) -> int:
        """Write what waits, let the background finish, say what is left."""
        code = DONE
        try:
            await interrupts.run(self._finish())
        except Interrupted:
            code = interrupts.code
        self._tell()
        is_all_done = self._tell_unwritten() and not self._hindered
        return code if is_all_done or code else COULD_NOT

    async def _finish(self) -> None:
        await self._talk.unwritten.again()
        settled = asyncio.ensure_future(self._assistant.settle())
        done, _ = await asyncio.wait({settled}, timeout=PATIENCE_SECONDS)
        if not done:
            self._out.note("finishing what is being learned; Ctrl-C leaves it")
            await settled
        await self._talk.unwritten.again()  # what was learned meanwhile
