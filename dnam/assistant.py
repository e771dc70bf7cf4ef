"""The assistant: a memory and a model. It answers, and learns after it has answered.

An answer never waits for learning: what is due is started behind it (`dnam/background.py`), and what goes wrong there
is kept and told (`dnam/learning/tending.py`).
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import msgspec

from dnam.background import Background
from dnam.budget import Budgeted
from dnam.calling import converse
from dnam.context_files import ContextFile, channel_names, context_files, names_unread
from dnam.jobs import Job
from dnam.loops.loop import use_of
from dnam.memory import Turn
from dnam.model import (
    AnswerInputs,
    Ask,
    Hear,
    KnownItem,
    Line,
    ModelError,
    OverBudget,
    Reply,
    Tool,
    as_promised,
    in_characters,
    noted,
    spent_in,
    unheard,
)
from dnam.prompting import without_recall
from dnam.prompts import digest, load
from dnam.searching import Recall, Searching
from dnam.tools import Toolset, tools_for
from dnam.whereabouts import Heard
from projections.context import Context, assemble
from projections.events.values import FileDigest, Item, ModelUse
from projections.ids import EventId, Identity, keyed_hash, named_id
from projections.messages import MessageRow
from projections.nearness import Nearness
from projections.rows import Found, Known, MemoryRows, Rows
from projections.turns import was_answered
from replay.errors import LogError

ANSWER_PROMPT = "answer@2"
"""How to use what is remembered stands in core.md, which is always among the context files."""
WITHOUT_RULES = (
    "I cannot answer just now: a file that tells me how to answer cannot be read. Please tell whoever runs me;"
    " `dnam doctor` says which one."
)


class Thought(NamedTuple):
    """An answer that is not recorded yet, what it was made from, and what it took."""

    text: str
    context: Context
    use: ModelUse
    files: tuple[FileDigest, ...]


class Prepared(NamedTuple):
    """What an answer is made from; `failed` is what recall raised, where the prompt had to be made without. `goes_on`:
    something was answered in the session before.
    """

    files: tuple[ContextFile, ...]
    context: Context
    tools: tuple[Tool, ...]
    failed: Exception | None
    goes_on: bool


class Answered(NamedTuple):
    """An answer, the turn that records it, and the prompt it was made from."""

    text: str
    turn: Turn
    context: Context


class Assistant(Background):
    """Answers from a memory with a model, and keeps the memory up to date."""

    searching: Searching = Recall()
    """What the model's tools find things with."""

    async def answer(self, heard: Heard) -> Answered:
        """Answer a message: assemble, ask, record. ModelError when the model cannot be asked."""
        thought = await self.think(heard)
        turn = await self.memory.answered(heard, thought.context, thought.text, call=thought.use, files=thought.files)
        return Answered(thought.text, turn, thought.context)

    async def think(self, heard: Heard, hear: Hear = unheard, prepared: Prepared | None = None) -> Thought:
        """Assemble and ask; nothing is recorded. ModelError when the model cannot be asked. `hear` is told the answer
        as it streams. What was `prepared` for it is not made again.

        Where nothing can be read, the answer is made from the message alone, and where recall fails, without it;
        `failures` says why. Why answers fail just now, `trouble` says.
        """
        with self.trouble.noticed():
            return await self._think(heard, hear, prepared)

    async def _think(self, heard: Heard, hear: Hear, prepared: Prepared | None) -> Thought:
        try:
            with self.precedence.arriving():
                files, context, tools, failed, goes_on = prepared or await self.prepare(heard)
        except (LogError, OSError) as error:
            self.failures.append(f"reading: {error}", f"the memory cannot be read for an answer: {error}")
            files = await asyncio.to_thread(self._files, *names_unread(heard.place, heard.setting.audience))
            digests = tuple(each.digest for each in files)
            request = self.memory.request(heard, files=digests)
            request = request._replace(limits=without_recall(request.limits))
            context, tools, failed, goes_on = assemble(_nothing_known(), request), (), None, False
        if failed is not None:
            await self.went_wrong(Job("recall", heard.point, heard.session, heard.person), failed)
        ask = msgspec.structs.replace(self._ask(heard, context, files, goes_on=goes_on), tools=tools)
        calls = Toolset(self, self.searching, heard, context)
        asked = digest(ask.system, ask.prompt)
        with self._noting(ask, asked):
            reply = await converse(ask, calls, self._reply, hear)
        use = use_of(ask, reply, asked)
        return Thought(reply.text, calls.context(), use, tuple(each.digest for each in files))

    async def prepare(self, heard: Heard, message: Found[MessageRow] | None = None) -> Prepared:
        """What an answer is made from, as things are now. `message` is what is answered, where it may not be among the
        rows yet. LogError or OSError where nothing can be read.
        """
        nearness = await self.nearness(heard.text, heard) if self.needs_nearness() else None
        return await asyncio.to_thread(self.prepare_here, heard, message, nearness)

    def needs_nearness(self) -> bool:
        """Whether an encoder has to be asked before a prompt can be made."""
        return self.meaning is not None and self.memory.limits().passages > 0

    def prepare_here(
        self, heard: Heard, message: Found[MessageRow] | None = None, nearness: Nearness | None = None
    ) -> Prepared:
        """The same in this thread, which is not the event loop's: looking and reading files blocks. It is done in one
        go, since every way there and back is time in which somebody waits.
        """
        memory = self.memory
        files = self._files(*self._names_of_channel(heard))
        digests = tuple(each.digest for each in files)

        def look(rows: Rows) -> Prepared:
            context, failed = self._assembled(rows, heard, digests, nearness, message)
            tools = tools_for(rows, memory.settings, heard, context)
            if isinstance(self.model, Budgeted):
                self.model.glance(rows, heard.person)
            return Prepared(files, context, tools, failed, _was_answered_in(rows, heard))

        return memory.look_here(look)

    def _assembled(
        self,
        rows: Rows,
        heard: Heard,
        files: tuple[FileDigest, ...],
        nearness: Nearness | None,
        message: Found[MessageRow] | None,
    ) -> tuple[Context, Exception | None]:
        """The prompt, and what failed where it was made without recall. What fails without it too is raised."""
        assembled = partial(self.memory.assembled, rows, heard, files=files, message=message)
        try:
            return assembled(nearness=nearness or self.unmeant), None
        except Exception as error:  # noqa: BLE001 - whatever recall raises: somebody waits for an answer
            return assembled(recall=False), error

    def _names_of_channel(self, heard: Heard) -> tuple[str, ...]:
        """By which names the channel's own file may go; nothing is looked up where there are no such files."""
        settings = self.memory.settings
        if settings.context_dir is None:
            return ()
        return self.memory.look_here(lambda rows: channel_names(rows, heard.place, settings.allow_guilds))

    @contextmanager
    def _noting(self, ask: Ask, prompt_digest: bytes) -> Iterator[None]:
        """What brings no answer says what was asked, of which model, and how long it took. What a limit forbade was
        asked of nobody.
        """
        begun = time.monotonic()

        def took(spent: Reply | None) -> Reply:
            return noted(ask, prompt_digest, self.called(ask.model), round((time.monotonic() - begun) * 1000), spent)

        try:
            yield
        except ModelError as error:
            if error.spent is not None or not isinstance(error, OverBudget):
                error.spent = took(error.spent)
            raise
        except asyncio.CancelledError as error:
            spent = spent_in(error)
            raise asyncio.CancelledError(None if spent is None else took(spent)) from None

    async def _reply(self, ask: Ask, hear: Hear) -> Reply:
        """The model's reply. No limit of time is set here: the model's adapter keeps to one, and knows of thoughts too
        (`dnam/adapters/anthropic/claude.py`).
        """
        try:
            reply = as_promised(await self.model.ask(ask, in_characters(hear)), self.model.name)
        except TimeoutError:
            raise ModelError(f"{self.model.name} did not answer in time") from None
        self._names.note(self.model, ask.model, reply)
        return reply

    def _files(self, *channel: str) -> tuple[ContextFile, ...]:
        folder = self.memory.settings.context_dir
        try:
            return context_files(folder, *channel)
        except (OSError, UnicodeDecodeError) as error:
            why = f"the context files in {folder} cannot be read: {error}"
            raise ModelError(why, words=WITHOUT_RULES, kind="context_files") from error

    def _ask(self, heard: Heard, context: Context, files: tuple[ContextFile, ...], *, goes_on: bool) -> Ask:
        system = "\n\n".join([load(ANSWER_PROMPT).text, *(f"--- {each.path} ---\n{each.text}" for each in files)])
        inputs = AnswerInputs(
            assistant=self.memory.settings.assistant_name,
            user=context.message.name,
            message=context.message.words,
            items=tuple(_known(hit.item) for hit in context.memory.hits),
            summary=context.memory.summary.body,
            window=tuple(
                Line(line.name, line.text, line.said, line.id.hex(), assistant=line.by_assistant)
                for line in context.window.lines
            ),
            remembers=self.memory.settings.memory_enabled,
            goes_on=goes_on,
        )
        model = self.memory.settings.answer_model
        return Ask("answer", model, ANSWER_PROMPT, system, context.text, inputs, None, heard.person, heard.account)


def _was_answered_in(rows: Rows, heard: Heard) -> bool:
    """Whether something was answered in this session before."""
    return was_answered(rows, heard.session, heard.setting.audience.epoch)


def _known(item: Item) -> KnownItem:
    return KnownItem(item.id, item.kind, item.text, item.tags, "person" if item.owner else item.about)


class _NoIds:
    """The ids of a log that cannot be read: everything is unknown."""

    def event_id(self, identity: Identity) -> EventId:
        return named_id(b"", identity)

    def keyed_hash(self, platform: str, platform_id: str) -> bytes:
        return keyed_hash(b"", platform, platform_id)

    def status(self, event: EventId) -> Known:  # noqa: ARG002 - of whichever event
        return "unknown"


def _nothing_known() -> Rows:
    return Rows(MemoryRows(), _NoIds())
