"""What drives the loops over one memory: with one model, one log, and an encoder where there is one.

Whoever waits for an answer goes before. What goes wrong is an event of the loop's own (`extraction.failed`,
`summary.failed`, `merge.failed`), or else a `job.failed`, where the log takes it; it stands in `failures` in any case.

What a model replied was paid for. Where the log does not take it, it waits in `unwritten` with what is decided from it:

    reply ─▶ decision ─▶ log
                └─ refused: the loop ends ─▶ waits ─▶ written once writing works
                                               └─ until then no loop asks anything: none is begun
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from dnam.errors import OptedOut
from dnam.failures import Failures
from dnam.jobs import Job
from dnam.loops.loop import Compare, Compared, Find, Loop, Minting, T, drive
from dnam.meaning.encoder import Encoder, EncoderError
from dnam.meaning.encoding import Purpose, encoded
from dnam.memory import Memory
from dnam.model import Model, ModelError, OverBudget, Resting
from dnam.precedence import Precedence
from dnam.resolving import Names, Noted
from dnam.resting import Rests
from dnam.trouble import Trouble
from dnam.unwritten import Step, Unwritten, may_pass
from projections.consent import is_out
from projections.decisions.draft import Decision, Draft
from projections.decisions.work import JobRequest, record_job
from projections.ids import NOBODY, Handle
from projections.policies.closeness import Measure, Vector, by_vectors
from projections.rows import Rows
from replay.chronicle import LogChronicle
from replay.errors import ErasedMeanwhile, LogError
from replay.group import Recorded

AT_ONCE = 16
"""How many loops talk with the model at a time; the others wait their turn. No more replies than these wait for a log
that takes nothing.
"""


class NotRecorded(OverBudget):
    """What a model replied before waits to be recorded: a loop is put off until that is done."""

    words = "I cannot record anything just now, so I learn nothing either. Please ask me again in a few minutes."


class Driver:
    """A loop is handed to it, and what came of the loop comes back; many at a time."""

    def __init__(self, memory: Memory, model: Model, encoder: Encoder | None = None) -> None:
        self.memory = memory
        self.model = model
        self.encoder = encoder
        self.failures = Failures()
        self.rests = Rests(lambda: self.failures.tell)
        self.trouble = Trouble(memory.now)
        self.unwritten = Unwritten()
        """What could not be recorded yet: of the loops, and of whoever answers with this (`dnam/exchange.py`)."""
        memory.write = self._write
        self.minting = Minting(memory.now)
        self.precedence = Precedence()
        self._names = Names()
        self._room = asyncio.Semaphore(AT_ONCE)

    async def _write(self, what: str, step: Step) -> bool:
        """In the queue of whoever answers with this, which they hand in later."""
        return await self.unwritten.write(what, step)

    async def _look(self, question: Callable[[Rows], T]) -> T:
        """Ask something of the rows, behind whoever waits for an answer."""
        await self.precedence.give_way()
        return await self.memory.look(question)

    async def _record(self, decision: Decision, person: Handle) -> Recorded:
        """Record something of a person's, behind whoever waits for an answer, unless they opted out (OptedOut). What
        the log does not take now waits.
        """
        await self.precedence.give_way()
        own = partial(_unless_out, person=person, decision=decision)
        try:
            return await self.memory.record(own)
        except (LogError, OSError) as error:
            if may_pass(error):
                self.unwritten.keep("call", partial(self._record_late, own), str(error))
            raise

    async def _record_late(self, decision: Decision) -> None:
        """Record what waited; who is gone meanwhile has nothing recorded."""
        with suppress(ErasedMeanwhile, OptedOut):
            await self.memory.record(decision)

    async def recorded(self) -> None:
        """Have recorded what waits, before a loop is planned: what was replied before is not asked again. NotRecorded
        where the log does not take it.
        """
        if self.unwritten.is_waiting:
            await self.unwritten.again()
        self._refuse_unrecorded()

    def _refuse_unrecorded(self) -> None:
        if self.unwritten.is_waiting:
            raise NotRecorded(f"what was said or replied before waits to be recorded: {self.unwritten.reason}")

    async def run(self, loop: Loop[T], person: Handle = NOBODY) -> T:
        """Drive a loop with this model and this log. What is a person's ends without writing when they opted out
        meanwhile (OptedOut), or were erased (ErasedMeanwhile). NotRecorded where nothing is asked.
        """

        async def record(decision: Decision) -> Recorded:
            return await self._record(decision, person)

        async def compare(step: Compare) -> Compared:
            if self.encoder is None:
                return Compared()
            texts = await self._look(step.texts)
            if texts:
                await record(step.keep)
            return await self.compare(step._replace(texts=lambda _: texts))

        seconds = self.memory.settings.model_timeout_seconds
        async with self._room:
            self._refuse_unrecorded()
            return await drive(loop, Noted(self.model, self._names), record, seconds, compare, self.find, self.called)

    def called(self, name: str) -> str:
        """The own name of the model that is asked for by this one."""
        return self._names.of(self.model, name)

    async def compare(self, step: Compare) -> Compared:
        """How near texts are that a loop wants compared, by the encoder where there is one."""
        return Compared(await self.measure(step.texts, Job("encoder", step.person, person=step.person)))

    async def find(self, step: Find) -> Recorded:
        """What a loop looks up in the log."""
        log = LogChronicle(self.memory.engine.live)

        def found(rows: Rows) -> Recorded:
            event = step.event(rows)
            record = None if event is None else log.find(event)
            return Recorded() if record is None else Recorded((record,))

        return await self._look(found)

    async def measure(self, texts: Callable[[Rows], Sequence[str]], job: Job) -> Measure | None:
        """By the encoder's vectors of these texts; None where there is none, or it fails: then words decide."""
        if self.encoder is None:
            return None
        try:
            vectors = await self._vectors(self.encoder, await self._look(texts), job.person)
        except Exception as error:  # noqa: BLE001 - whatever an encoder raises: items can be compared without it
            await self.went_wrong(job, error)
            return None
        threshold = round(self.memory.settings.merge_threshold * 1000)
        return by_vectors(vectors, self.encoder.name, threshold)

    async def _vectors(self, encoder: Encoder, texts: Sequence[str], person: Handle) -> Mapping[str, Vector]:
        if not texts:
            return {}
        texts = tuple(dict.fromkeys(texts))
        async with asyncio.timeout(self.memory.settings.model_timeout_seconds):
            made = await encoded(self.memory, encoder, texts, Purpose(person=person))
        return dict(zip(texts, made.vectors, strict=True))

    async def went_wrong(self, job: Job, error: Exception) -> None:
        """Keep what went wrong, and record it where the log takes it. What is only put off is no failure; of all that a
        rest puts off, the first is told, and that it is over.
        """
        if isinstance(error, ErasedMeanwhile | OptedOut):
            return
        if isinstance(error, Resting) and not self.rests.begins(error):
            return
        own = _in_own_words(error) or type(error).__name__
        how = "is put off" if isinstance(error, OverBudget) else "failed"
        self.failures.append(f"{job.name}: {str(error) or own}", f"{job.name} {how}: {own}")
        if isinstance(error, OverBudget):
            return
        request = JobRequest(
            job.name, _in_own_words(error), self.memory.now(), self.memory.origin(), job.session, job.person
        )
        try:
            await self.memory.record(lambda rows: record_job(rows, request))
        except (LogError, OSError) as full:
            self.failures.append(f"recording that: {full}", f"that could not be recorded: {full}")


def _unless_out(rows: Rows, *, person: Handle, decision: Decision) -> Sequence[Draft]:
    if is_out(rows, person):
        raise OptedOut("they opted out meanwhile")
    return decision(rows)


def _in_own_words(error: Exception) -> str:
    """The error, where its words are the program's; else its kind: another's words may be somebody's."""
    if isinstance(error, LogError | ModelError | EncoderError | OSError):
        return str(error)
    return type(error).__name__
