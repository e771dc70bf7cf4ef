"""The assistant: a memory and a model. It answers, and learns after it has answered.

An answer never waits for learning. What a background job could not do is an event (`extraction.failed`,
`summary.failed`) where the log takes it, and stands in `failures` in any case.
"""

import asyncio
from collections.abc import Awaitable, Callable, Container
from typing import NamedTuple

from dnam.context_files import ContextFile, context_files
from dnam.loops.extraction import ExtractionPlan, Learned, Said, extract_items, new_by_compartment, plan_extraction
from dnam.loops.loop import Loop, Minting, T, drive, use_of
from dnam.loops.summary import Refreshing, plan_summary, refresh_summary
from dnam.memory import Memory, Turn
from dnam.model import AnswerInputs, Ask, KnownItem, Line, Model, ModelError, Reply
from dnam.prompts import digest, load
from dnam.whereabouts import Heard
from projections.context import Context, assemble
from projections.events.values import Audience, FileDigest, ModelUse
from projections.ids import NOBODY, EventId, Handle, Identity, keyed_hash, named_id
from projections.places import find_place
from projections.policies.cadence import ON_REQUEST, VERSION, extraction_due, summary_due
from projections.rows import Known, MemoryRows, Rows
from replay.errors import LogError

ANSWER_PROMPT = "answer@1"
SUMMARY_PROMPT = "summary@1"
EXTRACTION_PROMPT = "extraction@1"


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


class Assistant:
    """Answers from a memory with a model, and keeps the memory up to date."""

    def __init__(self, memory: Memory, model: Model) -> None:
        self.memory = memory
        self.model = model
        self.failures: list[str] = []
        self.minting = Minting(memory.now)
        self._jobs: dict[tuple[str, object], asyncio.Task[None]] = {}
        self._learning: dict[Handle, asyncio.Lock] = {}

    # -- answering --------------------------------------------------------------------------------------------------

    async def answer(self, heard: Heard) -> Answered:
        """Answer a message: assemble, ask, record. ModelError when the model cannot be asked."""
        thought = await self.think(heard)
        turn = await self.memory.answered(heard, thought.context, thought.text, call=thought.use, files=thought.files)
        return Answered(thought.text, turn, thought.context)

    async def think(self, heard: Heard) -> Thought:
        """Assemble and ask; nothing is recorded. ModelError when the model cannot be asked.

        Where nothing can be read, the answer is made from the message alone, and `failures` says why.
        """
        try:
            channel = await self.memory.look(lambda rows: _channel(rows, heard))
            files = await self._files(channel)
            context = await self.memory.context(heard, files=tuple(each.digest for each in files))
        except (LogError, OSError) as error:
            self.failures.append(f"reading: {error}")
            files = await self._files("")
            digests = tuple(each.digest for each in files)
            context = assemble(_nothing_known(), self.memory.request(heard, files=digests))
        ask = self._ask(context, files)
        reply = await self._reply(ask)
        use = use_of(ask, reply, digest(ask.system, ask.prompt))
        return Thought(reply.text, context, use, tuple(each.digest for each in files))

    async def _reply(self, ask: Ask) -> Reply:
        seconds = self.memory.settings.model_timeout_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self.model.ask(ask)
        except TimeoutError:
            raise ModelError(f"{self.model.name} did not answer within {seconds:g} seconds") from None

    async def _files(self, channel: str) -> tuple[ContextFile, ...]:
        folder = self.memory.settings.context_dir
        try:
            return await asyncio.to_thread(context_files, folder, channel)
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"the context files in {folder} cannot be read: {error}") from error

    def _ask(self, context: Context, files: tuple[ContextFile, ...]) -> Ask:
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
        )
        return Ask("answer", self.memory.settings.answer_model, ANSWER_PROMPT, system, context.text, inputs)

    # -- learning ---------------------------------------------------------------------------------------------------

    def after_turn(self, heard: Heard) -> None:
        """Start what is due now, in the background; one job at a time per session and per person."""
        if self.memory.settings.memory_enabled:
            self._start(("turn", heard.point), lambda: self._start_due(heard))

    async def _start_due(self, heard: Heard) -> None:
        settings, audience = self.memory.settings, heard.setting.audience
        if settings.summary_enabled:
            every = settings.summary_every_n_turns
            if await self.memory.look(lambda rows: summary_due(rows, heard.session, audience.epoch, every)):
                self._start(("summary", heard.session), lambda: self._summarise(heard))
        if settings.durable_memory_enabled and heard.person:
            every_turns = settings.durable_every_n_turns
            if await self.memory.look(lambda rows: extraction_due(rows, heard.person, every_turns)):
                self._start(("extraction", heard.person), lambda: self._learn(heard.person))

    def _start(self, key: tuple[str, object], job: Callable[[], Awaitable[None]]) -> None:
        if key in self._jobs:
            return
        task = asyncio.create_task(self._guarded(key[0], job))
        self._jobs[key] = task
        # Not in a `finally` of the job: one that is cancelled before its first step never reaches it.
        task.add_done_callback(lambda _: self._jobs.pop(key, None))

    async def _guarded(self, what: str, job: Callable[[], Awaitable[None]]) -> None:
        try:
            await job()
        except Exception as error:  # noqa: BLE001 - an answer never fails because of learning; it is kept and shown
            self.failures.append(f"{what}: {error}")

    async def _summarise(self, heard: Heard) -> None:
        await self.summarise(heard.session, heard.setting.audience, heard.person, policy=VERSION)

    async def _learn(self, person: Handle) -> None:
        learned = await self.extract(person, policy=VERSION)
        self.failures += [f"extraction: {each.error}" for each in learned if each.error]

    async def summarise(self, session: str, audience: Audience, person: Handle, *, policy: str = ON_REQUEST) -> bool:
        """Refresh a session's summary now; False when there was nothing to do or it did not work, and then `failures`
        says why.
        """
        settings = self.refreshing()._replace(policy=policy)
        whose = person if audience.kind == "direct" else NOBODY
        plan = await self.memory.look(lambda rows: plan_summary(rows, session, audience, whose, settings))
        if plan is None:
            return False
        model = self.memory.settings.summary_model
        refreshed = await self.run(refresh_summary(plan, load(SUMMARY_PROMPT), model, self.minting))
        if refreshed.error:
            self.failures.append(f"summary: {refreshed.error}")
        return refreshed.worked

    def refreshing(self) -> Refreshing:
        """The settings in force for a refresh."""
        settings = self.memory.settings
        return Refreshing(settings.assistant_name, settings.summary_max_chars, settings.era_refreshes)

    async def extract(
        self, person: Handle, compartments: Container[str] | None = None, *, policy: str = ON_REQUEST
    ) -> list[Learned]:
        """Learn now from what a person said since they were last read, each compartment on its own.

        With `compartments`, in these alone. Two at a time wait for each other, so that nothing is read twice.
        """
        async with self._learning.setdefault(person, asyncio.Lock()):
            groups = await self.memory.look(lambda rows: new_by_compartment(rows, person))
            return [
                await self.extract_from(person, compartment, heard, policy)
                for compartment, heard in groups.items()
                if compartments is None or compartment in compartments
            ]

    async def extract_from(self, person: Handle, compartment: str, said: list[Said], policy: str = VERSION) -> Learned:
        """Learn from these messages of a person, which lie in one compartment."""
        plan = await self.memory.look(lambda rows: plan_extraction(rows, person, compartment, said, policy))
        return await self.run(self.extraction(plan))

    def extraction(self, plan: ExtractionPlan) -> Loop[Learned]:
        """The loop for a plan, with the settings in force."""
        settings = self.memory.settings
        prompt = load(EXTRACTION_PROMPT)
        return extract_items(plan, prompt, settings.durable_model, settings.durable_max_items, self.minting)

    async def run(self, loop: Loop[T]) -> T:
        """Drive a loop with this model and this log."""
        return await drive(loop, self.model, self.memory.record, self.memory.settings.model_timeout_seconds)

    async def settle(self) -> None:
        """Wait until every background job has ended: before closing."""
        while self._jobs:
            await asyncio.wait(list(self._jobs.values()))

    async def stop(self) -> None:
        """Give every background job up: before closing in a hurry. What they had recorded stays."""
        for job in list(self._jobs.values()):
            job.cancel()
        await self.settle()


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


def _channel(rows: Rows, heard: Heard) -> str:
    place = find_place(rows, heard.place)
    return place.row.name if place else ""
