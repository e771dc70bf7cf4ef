"""The assistant: a memory and a model. It answers, and learns after it has answered.

An answer never waits for learning: what is due is started behind it (`dnam/background.py`), and what goes wrong there
is kept and told (`dnam/tending.py`).
"""

import asyncio
from typing import NamedTuple

from dnam.background import Background
from dnam.context_files import ContextFile, channel_names, context_files
from dnam.loops.loop import use_of
from dnam.memory import Turn
from dnam.model import AnswerInputs, Ask, Hear, KnownItem, Line, ModelError, Reply, unheard
from dnam.prompts import digest, load
from dnam.whereabouts import Heard
from projections.context import Context, assemble
from projections.events.values import FileDigest, ModelUse
from projections.ids import EventId, Identity, keyed_hash, named_id
from projections.rows import Known, MemoryRows, Rows
from replay.errors import LogError

ANSWER_PROMPT = "answer@2"
"""How to use what is remembered stands in core.md, which is always among the context files."""


class Thought(NamedTuple):
    """An answer that is not recorded yet, what it was made from, and what it took."""

    text: str
    context: Context
    use: ModelUse
    files: tuple[FileDigest, ...]


class Answered(NamedTuple):
    """An answer, the turn that records it, and the prompt it was made from."""

    text: str
    turn: Turn
    context: Context


class Assistant(Background):
    """Answers from a memory with a model, and keeps the memory up to date."""

    async def answer(self, heard: Heard) -> Answered:
        """Answer a message: assemble, ask, record. ModelError when the model cannot be asked."""
        thought = await self.think(heard)
        turn = await self.memory.answered(heard, thought.context, thought.text, call=thought.use, files=thought.files)
        return Answered(thought.text, turn, thought.context)

    async def think(self, heard: Heard, hear: Hear = unheard) -> Thought:
        """Assemble and ask; nothing is recorded. ModelError when the model cannot be asked. `hear` is told the answer
        as it streams.

        Where nothing can be read, the answer is made from the message alone, and `failures` says why. Why answers fail
        just now, `trouble` says.
        """
        with self.trouble.noticed():
            return await self._think(heard, hear)

    async def _think(self, heard: Heard, hear: Hear) -> Thought:
        try:
            with self.precedence.arriving():
                files, context = await asyncio.to_thread(self._prepare, heard)
        except (LogError, OSError) as error:
            self.failures.append(f"reading: {error}", f"the memory cannot be read for an answer: {error}")
            files = await asyncio.to_thread(self._files)
            digests = tuple(each.digest for each in files)
            context = assemble(_nothing_known(), self.memory.request(heard, files=digests))
        ask = self._ask(heard, context, files)
        reply = await self._reply(ask, hear)
        use = use_of(ask, reply, digest(ask.system, ask.prompt))
        return Thought(reply.text, context, use, tuple(each.digest for each in files))

    def _prepare(self, heard: Heard) -> tuple[tuple[ContextFile, ...], Context]:
        """What the model is told. Looking and reading files blocks: off the event loop, and in one go, since every way
        there and back is time in which somebody waits.
        """
        memory = self.memory
        files = self._files(*memory.look_here(lambda rows: self._channel_names(rows, heard)))
        digests = tuple(each.digest for each in files)
        return files, memory.look_here(lambda rows: memory.assembled(rows, heard, files=digests))

    def _channel_names(self, rows: Rows, heard: Heard) -> tuple[str, ...]:
        return channel_names(rows, heard.place, self.memory.settings.allow_guilds)

    async def _reply(self, ask: Ask, hear: Hear) -> Reply:
        """The model's reply. No limit of time is set here: the model's adapter keeps to one, and knows of thoughts too
        (`dnam/adapters/anthropic/claude.py`).
        """
        try:
            return await self.model.ask(ask, hear)
        except TimeoutError:
            raise ModelError(f"{self.model.name} did not answer in time") from None

    def _files(self, *channel: str) -> tuple[ContextFile, ...]:
        folder = self.memory.settings.context_dir
        try:
            return context_files(folder, *channel)
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"the context files in {folder} cannot be read: {error}") from error

    def _ask(self, heard: Heard, context: Context, files: tuple[ContextFile, ...]) -> Ask:
        system = "\n\n".join([load(ANSWER_PROMPT).text, *(f"--- {each.path} ---\n{each.text}" for each in files)])
        inputs = AnswerInputs(
            assistant=self.memory.settings.assistant_name,
            user=context.message.name,
            message=context.message.words,
            items=tuple(
                KnownItem(hit.item.id, hit.item.kind, hit.item.text, hit.item.tags) for hit in context.memory.hits
            ),
            summary=context.memory.summary.body,
            window=tuple(
                Line(line.name, line.text, line.said, line.id.hex(), assistant=line.by_assistant)
                for line in context.window.lines
            ),
            remembers=self.memory.settings.memory_enabled,
        )
        model = self.memory.settings.answer_model
        return Ask("answer", model, ANSWER_PROMPT, system, context.text, inputs, None, heard.person, heard.account)


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
