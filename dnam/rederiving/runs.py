"""One run of a loop, made anew in a shadow: an extraction with the merges behind it, or a refresh of a summary.

It reads what the recorded run read, as far as that is there still, and what earlier runs of its chain could not read;
never what was said later. A run that was made already says so, and nothing is asked again.
"""

import asyncio
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from functools import partial
from typing import NamedTuple, TypeVar

from dnam.jobs import Job
from dnam.learning.tending import Tending
from dnam.loops.extraction import (
    ExtractionPlan,
    Learned,
    Said,
    extract_items,
    learned_from,
    plan_extraction,
    replied,
)
from dnam.loops.loop import Loop
from dnam.loops.merge import merge_items, plan_merges, texts_of
from dnam.loops.merge import replied as merge_replied
from dnam.loops.summary import Refreshed, refresh_summary
from dnam.loops.summary_plan import SummaryPlan, plan_summary
from dnam.loops.summary_reading import Refreshing
from dnam.memory import Memory
from dnam.model import Ask, Reply
from dnam.prompts import Prompt, digest
from dnam.rederiving.drive import decision_of, drive, drive_at_once
from dnam.rederiving.finding import Passed, unread
from dnam.rederiving.hidden import Shown
from dnam.rederiving.replies import Early, Replies, RunReplies, is_known
from dnam.rederiving.seeds import Seeds, early, made_by
from dnam.rederiving.spoken import There, Upto
from dnam.rederiving.turns import ANYTIME, Turn
from dnam.rederiving.watch import unwatched
from projections.consent import is_out
from projections.decisions.draft import Draft, Origin, first_id
from projections.decisions.overtaken import is_overtaken
from projections.decisions.work import WorkRequest, record_reply
from projections.derived import effects_of
from projections.events import ExtractionReplied, MergeReplied, SummaryRefreshed
from projections.events.values import Audience
from projections.fruitless import Reader
from projections.ids import EventId, Handle
from projections.policies.closeness import Measure
from projections.policies.compartments import everywhere
from projections.rederiving.schedule import Run
from projections.rows import Rows
from replay.errors import Refused
from replay.group import Recorded
from replay.travel import Moment

T = TypeVar("T")
Planned = Callable[[Rows], ExtractionPlan | None]
Replied = Callable[[Ask, Reply], ExtractionReplied | MergeReplied]
"""What keeps a reply before it is decided from."""

Planning = Callable[[Rows, str, Audience, Handle, Refreshing], SummaryPlan | None]


def unseen(_: Rows) -> None:
    """For what nobody looks at."""


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


class Extracted(NamedTuple):
    """What came of an extraction, as in `Learned`. Its pairs are those that it found `then`; None where it was made
    just now. `is_anew`: it was decided from what was replied before.
    """

    error: str
    left: int
    added: tuple[str, ...]
    promoted: tuple[str, ...]
    then: Moment | None
    is_anew: bool

    @classmethod
    def of(cls, learned: Learned, then: Moment | None = None, *, is_anew: bool) -> "Extracted":
        """What a loop says that it did."""
        return cls(learned.error, learned.left, learned.added, learned.promoted, then, is_anew)


class Runs:
    """Runs of loops in one shadow."""

    def __init__(
        self, memory: Memory, tending: Tending, replies: Replies, with_: With, hidden: Set[EventId] = frozenset()
    ) -> None:
        self._memory = memory
        self._hidden = hidden
        self._tending = tending
        self.replies = replies
        self._with = with_
        self.passed = Passed()
        """What the walk came by."""

    def on(self, memory: Memory) -> "Runs":
        """The same in a memory that is another look at the same shadow, in which nobody looks what was taken back: that
        was done at its beginning.
        """
        tending = Tending(memory, self._tending.model, self._tending.encoder)
        runs = Runs(memory, tending, self.replies._replace(refuse=unwatched), self._with, self._hidden)
        runs.passed = self.passed
        return runs

    def is_made(self, run: Run) -> bool:
        """Whether a run was made before: what it led to is in the shadow."""
        return self._memory.engine.store.log.find(made_by(run)) is not None

    # -- extractions ------------------------------------------------------------------------------------------------

    async def extract(
        self, run: Run, reads: Sequence[EventId], turn: Turn, there: There, look: Callable[[Rows], None] = unseen
    ) -> list[EventId]:
        """An extraction over these messages, as far as they were `there`, and the merges behind it; which of them are
        left for the next. `look` sees what there is before.
        """
        engine, hidden = self._memory.engine, self._hidden_from(run)

        def found(rows: Rows) -> list[Said]:
            said = [] if is_out(rows, run.owner) else unread(engine, rows, reads, there, self.passed)
            return [each for each in said if hidden.isdisjoint((each.point.id, each.found.row.event))]

        def planned(rows: Rows) -> ExtractionPlan | None:
            look(rows)
            if self.is_made(run) or not (said := found(rows)):
                return None
            return plan_extraction(rows, run.owner, run.compartment, said, run.policy)

        begin = self._extracted_at_once if self.is_at_once(run) else self._extracted
        made = await begin(run, planned, turn)
        learned = made or await self._extracted_before(run)
        turn.over()
        for where, items in ((run.compartment, learned.added), (everywhere(run.owner), learned.promoted)):
            if items:
                await self._merge(run, where, items, learned.then, is_anew=learned.is_anew)
        if made is not None and not made.error and not made.left:
            return []
        return await self._memory.look(lambda rows: [each.point.id for each in found(rows)])

    def is_at_once(self, run: Run) -> bool:
        """Whether nothing is waited for while a run is made: nobody is asked, and no encoder compares."""
        return self._tending.encoder is None and is_known(self.replies, run)

    def _hidden_from(self, run: Run) -> Set[EventId]:
        """What a run does not read: nothing, where what was replied then holds."""
        return frozenset() if is_known(self.replies, run) else self._hidden

    async def _extracted(self, run: Run, planned: Planned, turn: Turn) -> "Extracted | None":
        """What a plan leads to; None where there is nothing to plan."""
        plan = await self._memory.look(planned)
        if plan is None:
            return None
        seeds = Seeds(run.event, "extraction", run.said)
        replies = RunReplies(self.replies, run, self._early(run, partial(replied, plan), turn))
        loop = self._extracting(plan, seeds)
        learned = await drive(loop, self._memory, replies, seeds, self._tending.compare, turn)
        return Extracted.of(learned, is_anew=replies.is_decided_anew)

    async def _extracted_at_once(self, run: Run, planned: Planned, turn: Turn) -> "Extracted | None":
        """The same, planned when it is decided."""
        seeds, replies = Seeds(run.event, "extraction", run.said), RunReplies(self.replies, run)

        def begin(rows: Rows) -> Loop[Learned] | None:
            plan = planned(rows)
            return None if plan is None else self._extracting(plan, seeds)

        learned = await drive_at_once(begin, self._memory, replies, seeds, self._tending.compare, turn)
        return None if learned is None else Extracted.of(learned, is_anew=replies.is_decided_anew)

    def _extracting(self, plan: ExtractionPlan, seeds: Seeds) -> Loop[Learned]:
        return extract_items(
            plan,
            self._with.extraction,
            self._with.model,
            self._memory.settings.durable_max_items,
            seeds,
            guarding=self._memory.guarding,
            sharing=self._memory.sharing,
        )

    async def _extracted_before(self, run: Run) -> "Extracted":
        """What it led to when it was made before; nothing, where it never was."""
        first = made_by(run)
        decided = await self._memory.look(lambda _: decision_of(self._memory.engine, first))
        then = Moment(decided.records[-1].seq) if decided.records else None
        is_anew = run.reply is not None and self.replies.again(run.call)
        return Extracted.of(learned_from(decided.events), then, is_anew=is_anew)

    def _early(self, run: Run, replied: Replied, turn: Turn = ANYTIME, what: str = "replied") -> Early:
        """Where a reply lies before it is decided from, so that nobody is asked again, whenever this is broken off."""

        def origins(ask: Ask) -> tuple[Origin, Origin]:
            again = early(run.event, run.said, what, asked=digest(ask.system, ask.prompt))
            return early(run.event, run.said, what), again

        def events(ask: Ask) -> tuple[EventId, EventId]:
            first, again = origins(ask)
            return first_id(first), first_id(again)

        def kept(ask: Ask, reply: Reply, rows: Rows) -> list[Draft]:
            event = replied(ask, reply)
            if is_overtaken(rows, event.causes):
                return []
            first, again = origins(ask)
            return record_reply(rows, WorkRequest(event, first)) or record_reply(rows, WorkRequest(event, again))

        async def keep(ask: Ask, reply: Reply) -> asyncio.Future[Recorded]:
            recorded = self._memory.submit(partial(kept, ask, reply))
            if turn.has_come:  # what is decided from it comes to the log behind it
                recorded.add_done_callback(lambda done: done.cancelled() or done.exception())
            else:
                with suppress(Refused):
                    await recorded
            return recorded

        return Early(events, keep)

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
            merge = f"merge {pair.older.event.hex()} {pair.newer.event.hex()}"
            seeds = Seeds(run.event, merge, run.said)
            if self._memory.engine.store.log.find(seeds.next_id) is not None:
                continue
            loop = merge_items(pair, self._with.merge, self._with.model, seeds, self._memory.guarding)
            kept = self._early(run, partial(merge_replied, pair), what=f"replied {merge}")
            replies = RunReplies(self.replies, None, kept, is_decided_anew=is_anew)
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
        self.replies.refuse()  # an encoder may be a service too
        by_meaning = await self._tending.measure(lambda _: texts, job)
        return by_meaning or self._with.closeness

    # -- summaries --------------------------------------------------------------------------------------------------

    async def summarise(
        self,
        run: Run,
        only: Upto | None = None,
        look: Callable[[Rows], None] = unseen,
        plan_it: Planning = plan_summary,
    ) -> bool:
        """A refresh of a session's summary, from nothing but these messages and answers, where they are given; whether
        one was made. `look` sees what there is before.
        """
        assert run.audience is not None
        seeds = Seeds(run.event, "summary", run.said)
        hidden = self._hidden_from(run)
        shown = Shown(hidden, only) if hidden else only
        settings = self._tending.refreshing()._replace(policy=run.policy, only=shown, reader=Reader("summary"))
        session, audience, person = run.session, run.audience, run.person

        def planned(rows: Rows) -> SummaryPlan | None:
            look(rows)
            if _is_made(rows, seeds.next_id) or is_out(rows, person):
                return None
            return plan_it(rows, session, audience, person, settings)

        def begin(rows: Rows) -> Loop[Refreshed] | None:
            plan = planned(rows)
            if plan is None:
                return None
            return refresh_summary(plan, self._with.summary, self._with.summary_model, seeds)

        replies, compare = RunReplies(self.replies, run), self._tending.compare
        if self.is_at_once(run):
            refreshed = await drive_at_once(begin, self._memory, replies, seeds, compare)
        else:
            loop = await self._memory.look(begin)
            refreshed = None if loop is None else await drive(loop, self._memory, replies, seeds, compare)
        return refreshed is not None and refreshed.worked


def _is_made(rows: Rows, reply: EventId) -> bool:
    """Whether a summary was made of this reply, or of a shorter one that it led to."""
    effects = list(effects_of(rows, reply))
    return any(tag == SummaryRefreshed.TAG or _is_made(rows, effect) for effect, tag in effects)
