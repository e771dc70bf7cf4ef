"""One run of a loop, made anew in a shadow: an extraction with the merges behind it, or a refresh of a summary.

It reads what the recorded run read, as far as that is there still, and what earlier runs of its chain could not read;
never what was said later. A run that was made already says so, and nothing is asked again.
"""

import hashlib
from collections.abc import Callable, Container, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from dnam.jobs import Job
from dnam.loops.extraction import ExtractionPlan, Learned, Said, extract_items, learned_from, plan_extraction
from dnam.loops.merge import merge_items, plan_merges, texts_of
from dnam.loops.summary import Refreshing, SummaryPlan, plan_summary, refresh_summary
from dnam.memory import Memory
from dnam.prompts import Prompt
from dnam.rederiving.drive import Before, decision_of, drive, nothing_before
from dnam.rederiving.finding import unread
from dnam.rederiving.replies import Replies, RunReplies
from dnam.rederiving.seeds import Seeds
from dnam.tending import Tending
from projections.decisions.consent import is_out
from projections.derived import effects_of
from projections.events import SummaryRefreshed
from projections.events.values import Audience
from projections.ids import EventId, Handle, Point
from projections.messages import unit
from projections.policies.closeness import Measure
from projections.policies.compartments import everywhere
from projections.rederiving.schedule import Run
from projections.rows import Rows
from projections.summaries import find_summary
from projections.turns import TURNS, TurnRow
from projections.window import forwards
from replay.travel import Moment

T = TypeVar("T")


class With(NamedTuple):
    """What the loops run with: prompts, models by the names that the settings give them, and what compares items.
    `merge` says which texts are close; None: no items are merged.
    """

    extraction: Prompt
    summary: Prompt
    merge: Prompt
    model: str
    summary_model: str
    closeness: Measure | None


class Runs:
    """Runs of loops in one shadow."""

    def __init__(self, memory: Memory, tending: Tending, replies: Replies, with_: With) -> None:
        self._memory = memory
        self._tending = tending
        self.replies = replies
        self._with = with_

    # -- extractions ------------------------------------------------------------------------------------------------

    async def extract(self, run: Run, reads: Sequence[EventId], before: Before = nothing_before) -> list[EventId]:
        """An extraction over these messages, and the merges behind it; which of them are left for the next."""
        engine = self._memory.engine

        def found(rows: Rows) -> list[Said]:
            return [] if is_out(rows, run.owner) else unread(engine, rows, reads)

        def planned(rows: Rows) -> ExtractionPlan | None:
            said = found(rows)
            return plan_extraction(rows, run.owner, run.compartment, said, run.policy) if said else None

        learned = await self._extracted(run, await self._memory.look(planned), before)
        if not learned.error and not learned.left:
            return []
        return await self._memory.look(lambda rows: [each.point.id for each in found(rows)])

    async def extract_said(self, run: Run, said: list[Said]) -> None:
        """The same over messages that were looked up."""
        plan = await self._memory.look(lambda rows: plan_extraction(rows, run.owner, run.compartment, said, run.policy))
        await self._extracted(run, plan, nothing_before)

    async def _extracted(self, run: Run, plan: ExtractionPlan | None, before: Before) -> Learned:
        """What a plan leads to; without one, what it led to when it was made before."""
        seeds = Seeds(run.event, "extraction", run.said)
        if plan is not None:
            settings = self._memory.settings
            loop = extract_items(
                plan,
                self._with.extraction,
                self._with.model,
                settings.durable_max_items,
                seeds,
                guarding=self._memory.guarding,
                sharing=self._memory.sharing,
            )
            replies = RunReplies(self.replies, run)
            learned = await drive(loop, self._memory, replies, seeds, self._tending.compare, before)
            then, is_anew = None, replies.is_decided_anew
        else:
            decided = await self._memory.look(lambda _: decision_of(self._memory.engine, seeds.next_id))
            learned = learned_from(decided.events)
            then = Moment(decided.records[-1].seq) if decided.records else None
            is_anew = run.reply is not None and self.replies.again(run.call)
        for where, items in ((run.compartment, learned.added), (everywhere(run.owner), learned.promoted)):
            if items:
                await self._merge(run, where, items, then, is_anew=is_anew)
        return learned

    async def _merge(
        self, run: Run, compartment: str, added: Sequence[str], then: Moment | None, *, is_anew: bool
    ) -> None:
        """Make one of what is close, each pair once. Where the run was made before, its pairs are those that it found
        `then`: what is close to what came later was a later run's to find. What `is_anew` decided asks nobody.
        """
        person = run.owner
        measure = await self._closeness(person, compartment, then)
        if measure is None:
            return
        for pair in await self._look(lambda rows: plan_merges(rows, person, compartment, added, measure), then):
            seeds = Seeds(run.event, f"merge {pair.older.event.hex()} {pair.newer.event.hex()}", run.said)
            if self._memory.engine.store.log.find(seeds.next_id) is not None:
                continue
            loop = merge_items(pair, self._with.merge, self._with.model, seeds, self._memory.guarding)
            replies = RunReplies(self.replies, None, is_decided_anew=is_anew)
            await drive(loop, self._memory, replies, seeds, self._tending.compare)

    async def _look(self, question: Callable[[Rows], T], then: Moment | None) -> T:
        if then is None:
            return await self._memory.look(question)
        return await self._memory.look_back(then, lambda _, rows: question(rows))

    async def _closeness(self, person: Handle, compartment: str, then: Moment | None) -> Measure | None:
        """By the encoder, where there is one; else by words."""
        if self._with.closeness is None:
            return None
        job = Job("encoder", compartment, person=person)
        texts = await self._look(lambda rows: texts_of(rows, person, compartment), then)
        by_meaning = await self._tending.measure(lambda _: texts, job)
        return by_meaning or self._with.closeness

    # -- summaries --------------------------------------------------------------------------------------------------

    async def summarise(self, run: Run, only: Container[EventId] | None, most_lines: int | None = None) -> bool:
        """A refresh of a session's summary, from nothing but these messages and answers; whether one was made."""
        assert run.audience is not None
        seeds = Seeds(run.event, "summary", run.said)
        if await self._memory.look(lambda rows: _is_made(rows, seeds.next_id)):
            return False
        settings = self._tending.refreshing()._replace(policy=run.policy, only=only)
        if most_lines is not None:
            settings = settings._replace(most_lines=most_lines)
        plan = await self._memory.look(partial(_planned, run.session, run.audience, run.person, settings))
        if plan is None:
            return False
        loop = refresh_summary(plan, self._with.summary, self._with.summary_model, seeds)
        replies = RunReplies(self.replies, run)
        refreshed = await drive(loop, self._memory, replies, seeds, self._tending.compare)
        return refreshed.worked

    async def summarise_all(self, run: Run, lines: int) -> None:
        """Summarise a session of which no summary was recorded, so many lines at a time, where there are as many."""
        assert run.audience is not None
        behind = await self._memory.look(lambda rows: _behind(rows, run))
        while behind >= lines or (behind and await self._memory.look(lambda rows: _reached(rows, run)) is not None):
            reached = await self._memory.look(lambda rows: _reached(rows, run))
            name = hashlib.sha256(run.event + repr(reached).encode()).digest()[:16]
            if not await self.summarise(run._replace(event=EventId(name)), None, lines):
                return
            behind = await self._memory.look(lambda rows: _behind(rows, run))


def _reached(rows: Rows, run: Run) -> Point | None:
    """How far a session's summary reaches; None where there is none."""
    assert run.audience is not None
    found = find_summary(rows, run.session, run.audience.epoch)
    return None if found is None else found.row.upto


def _behind(rows: Rows, run: Run) -> int:
    """How many turns there were since; where none was ever answered there, as in an import, how many messages."""
    assert run.audience is not None
    where = run.session, run.audience.epoch
    answered = next(rows.keys(TURNS, unit(*where)), None) is not None
    entries = forwards(rows, *where, _reached(rows, run))
    return sum(1 for each in entries if isinstance(each.row, TurnRow) is answered)


def _is_made(rows: Rows, reply: EventId) -> bool:
    """Whether a summary was made of this reply, or of a shorter one that it led to."""
    effects = list(effects_of(rows, reply))
    return any(tag == SummaryRefreshed.TAG or _is_made(rows, effect) for effect, tag in effects)


def _planned(session: str, audience: Audience, person: Handle, settings: Refreshing, rows: Rows) -> SummaryPlan | None:
    return None if is_out(rows, person) else plan_summary(rows, session, audience, person, settings)
