"""When the loops are due: after a turn, after something was heard, after a while of quiet, and at the start.

All of it is counted in the rows, so what was due when the program ended is due when it starts again. An answer never
waits for any of it.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import NamedTuple

from dnam.alongside import alongside
from dnam.failures import Tell
from dnam.jobs import Job, Jobs
from dnam.learning.idle import Idle, Sleep
from dnam.learning.tending import Tending
from dnam.loops.unmerged import MERGING_MS, undecided, unmerged
from dnam.meaning.encoder import Encoder
from dnam.memory import Memory
from dnam.model import Model
from dnam.retention import expiring, log
from dnam.whereabouts import Heard
from projections.ids import MINUTE_MS, NOBODY, Handle
from projections.lookup import people
from projections.policies import overflow as overflow_policy
from projections.policies.cadence import QUIET, VERSION, extraction_due, quiet_since, summary_due
from projections.policies.overflow import overflow
from projections.rows import Rows
from replay.chronicle import LogChronicle

PEOPLE_AT_ONCE = 50
"""How many people are looked at in one look; another question comes in between."""


class Due(NamedTuple):
    """What is due after a message: whether the session's summary is, and who is to be learned from, and why."""

    summary: bool
    people: Mapping[Handle, str]


class Background(Tending):
    """The loops, started when they are due; one at a time per session and per person."""

    def __init__(self, memory: Memory, model: Model, encoder: Encoder | None = None) -> None:
        super().__init__(memory, model, encoder)
        self._jobs = Jobs(self.went_wrong)
        self._quiet_ms = memory.settings.extraction_idle_minutes * MINUTE_MS
        self._idle = Idle(self._quiet_ms, memory.now, self._quiet_now)
        self._unmerged_since = memory.engine.head().at - MERGING_MS

    def after_turn(self, heard: Heard) -> None:
        """A message was answered: start what is due now."""
        if self.memory.settings.memory_enabled:
            self._jobs.start(Job("turn", heard.point, heard.session), lambda: self._after_turn(heard))

    def after_heard(self, heard: Heard) -> None:
        """A message was heard and will not be answered: start what is due. A burst in a session is looked at once more
        with its next message.
        """
        if self.memory.settings.memory_enabled:
            self._jobs.start(Job("heard", heard.session, heard.session), lambda: self._start_due(heard))

    def is_summarising(self, session: str) -> bool:
        """Whether a session's summary is being made in the background."""
        return self._jobs.is_running("summary", session)

    async def settle(self) -> None:
        """Wait until every background job has ended: before closing."""
        await self._jobs.settle()

    async def stop(self) -> None:
        """Give every background job up: before closing in a hurry. What they had recorded stays."""
        await self._jobs.stop()
        self.rests.stop()

    def give_up(self, person: Handle) -> None:
        """Somebody was erased, or opted out: what is under way about them ends, and their models' calls with it."""
        self._jobs.give_up(person)

    def at_work_for(self) -> frozenset[Handle]:
        """About whom something is under way."""
        return self._jobs.people()

    # -- what is due ------------------------------------------------------------------------------------------------

    async def _after_turn(self, heard: Heard) -> None:
        await self._start_due(heard)
        if self.memory.limits().passages:
            await self._look(lambda rows: _made_ready(rows, heard))

    async def _start_due(self, heard: Heard) -> None:
        due = await self._look(lambda rows: self._due(rows, heard))
        if due.summary:
            whose = heard.person if heard.setting.audience.kind == "direct" else NOBODY
            job = Job("summary", heard.session, heard.session, whose)
            self._jobs.start(job, lambda: self._summarise(heard))
        for person, policy in due.people.items():
            self._start_learning(person, policy)
        if heard.person and self._learns_items():
            self._idle.heard(heard.person, self.memory.now())

    def _learns_items(self) -> bool:
        settings = self.memory.settings
        return settings.memory_enabled and settings.durable_memory_enabled

    def _due(self, rows: Rows, heard: Heard) -> Due:
        learned = self._due_people(rows, heard) if self._learns_items() else {}
        return Due(self._summary_due(rows, heard), learned)

    def _summary_due(self, rows: Rows, heard: Heard) -> bool:
        settings = self.memory.settings
        every, epoch = settings.summary_every_n_turns, heard.setting.audience.epoch
        return settings.summary_enabled and summary_due(rows, heard.session, epoch, every)

    def _due_people(self, rows: Rows, heard: Heard) -> dict[Handle, str]:
        """Who is to be learned from, and what set it off."""
        learns, setting = self.learns(rows), heard.setting
        limits = self.memory.limits_in(rows, heard)
        leaving = overflow(rows, heard.session, setting.audience, setting.guild, limits, learns)
        due = dict.fromkeys(sorted(leaving), overflow_policy.VERSION)
        if heard.person and self._extraction_due(rows, heard.person):
            due[heard.person] = VERSION
        return due

    def _extraction_due(self, rows: Rows, person: Handle) -> bool:
        return extraction_due(rows, person, self.memory.settings.durable_every_n_turns, self.learns(rows))

    # -- the jobs ---------------------------------------------------------------------------------------------------

    async def _summarise(self, heard: Heard) -> None:
        """Refresh, and again if as many turns came meanwhile."""
        audience = heard.setting.audience
        while await self.summarise(heard.session, audience, heard.person, policy=VERSION):
            if not await self._look(lambda rows: self._summary_due(rows, heard)):
                break

    def _start_learning(self, person: Handle, policy: str) -> None:
        self._jobs.start(Job("extraction", person, person=person), lambda: self._learn(person, policy))

    async def _learn(self, person: Handle, policy: str) -> None:
        """Learn, and again if as many turns came meanwhile, or did not find room."""
        while await self._learned(person, policy):
            if not await self._look(lambda rows: self._extraction_due(rows, person)):
                break
            policy = VERSION

    async def _learned(self, person: Handle, policy: str) -> bool:
        """Learn once; whether something was read and all of it worked."""
        learned = await self.extract(person, policy=policy)
        errors = [each.error for each in learned if each.error]
        for error in errors:
            self.failures.append(f"extraction: {error}")
        return bool(learned) and not errors

    # -- quiet ------------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def watching(self, sleep: Sleep = asyncio.sleep, tell: Tell = log.info) -> AsyncIterator[None]:
        """As long as the `async with` lasts: redact what is not kept any longer, which `tell` hears of, and learn from
        who is quiet.
        """
        async with expiring(self.memory, self.went_wrong, tell=tell), self._watching(sleep):
            yield

    @asynccontextmanager
    async def _watching(self, sleep: Sleep) -> AsyncIterator[None]:
        """As long as the `async with` lasts: learn from who has been quiet for a while, and find at its beginning what
        was due when the program ended.
        """
        if not self._learns_items():
            yield
            return
        self._jobs.start(Job("looking for what is due", "at the start"), self._find_waiting)
        async with alongside(self._idle.run(sleep), "looking for who has been quiet for a while"):
            yield

    async def _find_waiting(self) -> None:
        """What was learned last is looked at for what is close to it. Who is due by their turns is learned from now;
        whoever said something unread is waited for.
        """
        everybody = await self._look(people)
        waiting: list[tuple[int, Handle]] = []
        for start in range(0, len(everybody), PEOPLE_AT_ONCE):
            some = everybody[start : start + PEOPLE_AT_ONCE]
            for person in await self._look(partial(self._unmerged, some)):
                self._start_merging(person)
            for person, since in await self._look(partial(self._waiting, some)):
                if since is None:
                    self._start_learning(person, VERSION)
                else:
                    waiting.append((since, person))
        for since, person in sorted(waiting):
            if self._quiet_ms and since + self._quiet_ms <= self.memory.now():
                self._quiet_now(person)
            else:
                self._idle.heard(person, since)

    def _waiting(self, some: Iterable[Handle], rows: Rows) -> list[tuple[Handle, int | None]]:
        """Who is due (None), or has said something unread, and when."""
        found: list[tuple[Handle, int | None]] = []
        for person in some:
            if self._extraction_due(rows, person):
                found.append((person, None))
            elif (since := quiet_since(rows, person, self.learns(rows))) is not None:
                found.append((person, since))
        return found

    def _unmerged(self, some: Iterable[Handle], rows: Rows) -> list[Handle]:
        """Who was learned from just before the program ended, so that what is close may still stand side by side."""
        log = LogChronicle(self.memory.engine.live)
        since = self._unmerged_since
        return [each for each in some if unmerged(rows, log, each, since) or undecided(rows, log, each, since)]

    def _start_merging(self, person: Handle) -> None:
        job = Job("merge", person, person=person)
        self._jobs.start(job, lambda: self.merge_what_is_left(person, self._unmerged_since))

    def _quiet_now(self, person: Handle) -> None:
        """Somebody has been quiet for long enough."""
        self._jobs.start(Job("quiet", person, person=person), lambda: self._learn_if_unread(person))

    async def _learn_if_unread(self, person: Handle) -> None:
        since = await self._look(lambda rows: quiet_since(rows, person, self.learns(rows)))
        if since is not None:
            self._start_learning(person, QUIET)


def _made_ready(rows: Rows, heard: Heard) -> None:
    """What was said is made ready to be searched now, so that the next question there need not wait for it."""
    from projections.recall.opened import parts  # it brings numpy, which whoever has no recall has no need of

    parts(rows, heard.setting, heard.session)
