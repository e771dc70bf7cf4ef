"""Keeping a memory up to date with a model, whenever somebody says so: summaries, extractions, merges.

When it is due is `dnam/background.py`'s to know; how a loop is driven, and what becomes of what goes wrong,
`dnam/driver.py`'s.
"""

import asyncio
from collections.abc import Callable, Container, Sequence
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from dnam.configuration import config_for, learned_as
from dnam.driver import Driver
from dnam.errors import OptedOut
from dnam.jobs import Job
from dnam.loops.extraction import ExtractionPlan, Learned, Said, extract_items, new_by_compartment
from dnam.loops.kept import giving_up, is_tried, left_of
from dnam.loops.loop import Loop
from dnam.loops.merge import MOST_MERGES, merge_items, plan_merges, texts_of
from dnam.loops.planning import plan_again
from dnam.loops.summary import refresh_summary
from dnam.loops.summary_plan import plan_summary
from dnam.loops.summary_reading import Refreshing
from dnam.loops.unmerged import undecided, unmerged
from dnam.meaning.encoder import Encoder
from dnam.memory import Memory
from dnam.model import Model
from dnam.prompts import load
from dnam.resolving import resolved
from dnam.whereabouts import Heard
from projections.consent import is_out
from projections.events import ExtractionReplied, MergeReplied
from projections.events.values import Audience
from projections.fruitless import Reader, is_passed_over, times_in_vain, was_tried_behind
from projections.ids import NOBODY, Handle, Ref
from projections.messages import MessageRow, SpokenRow, find_message
from projections.nearness import Nearness
from projections.places import place_of
from projections.policies.cadence import ON_REQUEST, VERSION
from projections.policies.closeness import Pair, by_tokens
from projections.policies.compartments import everywhere
from projections.policies.learned_from import Learn, LearnedAs, Learns, least
from projections.policies.low_signal import is_low_signal
from projections.rows import Found, Rows
from replay.chronicle import LogChronicle
from replay.errors import ErasedMeanwhile

if TYPE_CHECKING:
    from dnam.meaning.question import Meaning

SUMMARY_PROMPT = "summary@2"
EXTRACTION_PROMPT = "extraction@4"
MERGE_PROMPT = "merge@1"
MOST_AGAIN = 10
"""How many messages that are passed over are tried once more when a person asks for it: each is a call of its own."""

Admits = Callable[[Rows, Handle], bool]


def everybody(_: Rows, __: Handle) -> bool:
    """Who is answered is not known here: whoever has a list hands it in."""
    return True


class Tending(Driver):
    """The loops over one memory, with the settings in force."""

    meaning: "Meaning | None" = None
    """What finds things by their meaning, where there is an encoder (`dnam/understanding.py`)."""
    unmeant: Nearness | None = None
    """What recall is handed instead, where there is none, or one is wished for and cannot be had: a note that says so,
    for the turn.
    """

    def __init__(self, memory: Memory, model: Model, encoder: Encoder | None = None) -> None:
        super().__init__(memory, model, encoder)
        self.admits: Admits = everybody
        """Whose direct messages are learned from whether or not they were answered, where `learn` is `heard`."""
        # A lock lives as long as somebody holds it or waits for it.
        self._learning: WeakValueDictionary[Handle, asyncio.Lock] = WeakValueDictionary()

    def learns(self, rows: Rows) -> Learns:
        """What is learned from whom and where, as it is configured now."""
        settings = self.memory.settings

        def how(person: Handle, where: SpokenRow) -> Learn:
            learn = config_for(rows, settings, person, _place(rows, where), where.guild).learn
            return least(learn, self._most(rows, person, where))

        return how

    def _most(self, rows: Rows, person: Handle, where: SpokenRow) -> Learn:
        """The most that is learned from somebody there: who is not admitted costs nothing by what they write a bot."""
        if where.audience.kind != "direct" or self.admits(rows, person):
            return "heard"
        return "addressed"

    def learned_as(self, rows: Rows) -> LearnedAs:
        """What each message is judged by: what is not to be learned from stays so, whatever is configured later."""
        settings = self.memory.settings

        def how(person: Handle, where: SpokenRow) -> Callable[[Found[MessageRow]], Learn]:
            judge = learned_as(rows, settings, person, _place(rows, where), where.guild)
            most = self._most(rows, person, where)
            return lambda found: least(judge(found), most)

        return how

    async def nearness(self, text: str, heard: Heard) -> Nearness | None:
        """What tells how near in meaning something is to a text that somebody's message leads to; None where nothing is
        looked for by its meaning.
        """
        if self.meaning is None or is_low_signal(text, self.memory.vocabulary):
            return self.unmeant
        causes = (heard.point.id,) if heard.person else ()
        text = await self._nameless(text, heard)
        return self.meaning.nearness(await self.meaning.seek(text, heard.person, causes))

    async def _nameless(self, text: str, heard: Heard) -> str:
        """The text as texts become vectors. Where the rows cannot be read it stays as it is."""

        def without_names(rows: Rows) -> str:
            from projections.recall.search import nameless  # imported late: it loads numpy, as recall does

            return nameless(rows, heard.setting, heard.session, text)

        try:
            return await self.memory.look(without_names)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the rows: somebody waits for an answer
            self.failures.append(f"meaning: {error}", "a question is looked for with the names in it")
            return text

    # -- summaries --------------------------------------------------------------------------------------------------

    async def summarise(self, session: str, audience: Audience, person: Handle, *, policy: str = ON_REQUEST) -> bool:
        """Refresh a session's summary now; False when there was nothing to do or it did not work, and then `failures`
        says why.
        """
        await self.recorded()
        settings = self.refreshing()._replace(policy=policy)
        whose = person if audience.kind == "direct" else NOBODY
        plan = await self._look(lambda rows: plan_summary(rows, session, audience, whose, settings))
        if plan is None:
            return False
        model = self.memory.settings.summary_model
        loop = refresh_summary(plan, load(SUMMARY_PROMPT), model, self.minting, resolved(self.model, model))
        refreshed = await self.run(loop, whose)
        if refreshed.error:
            self.failures.append(f"summary: {refreshed.error}")
        return refreshed.worked

    def refreshing(self) -> Refreshing:
        """The settings in force for a refresh."""
        settings, guarding = self.memory.settings, self.memory.guarding
        return Refreshing(
            settings.assistant_name,
            settings.summary_max_chars,
            settings.era_refreshes,
            words=guarding.instructions,
            spoken=guarding.spoken,
            reader=Reader("summary", self.called(settings.summary_model), SUMMARY_PROMPT),
        )

    # -- extractions ------------------------------------------------------------------------------------------------

    async def extract(
        self,
        person: Handle,
        compartments: Container[str] | None = None,
        *,
        policy: str = ON_REQUEST,
        passed_over: bool = False,
        asked_at: int | None = None,
    ) -> list[Learned]:
        """Learn now from what a person said since they were last read, each compartment on its own.

        With `compartments`, in these alone. What is `passed_over` is tried once more, each message on its own, where
        that is asked for; not what was tried since it was `asked_at` (ms): it may be asked again after a restart. Two
        at a time wait for each other, so that nothing is read twice.
        """
        lock = self._learning.setdefault(person, asyncio.Lock())
        async with lock:
            await self.recorded()
            groups = await self._look(lambda rows: self._unread(rows, person))
            here = [each for each in groups.items() if compartments is None or each[0] in compartments]
            if passed_over:
                since = None if asked_at is None else await asyncio.to_thread(self.memory.engine.seq_at, asked_at)
                here += await self._look(lambda rows: self._passed_over(rows, person, compartments, since))
            learned = []
            for compartment, heard in here:
                said = await self._look(partial(still_said, person, heard))
                if said:
                    learned.append(await self.extract_from(person, compartment, said, policy))
            return learned

    def _unread(self, rows: Rows, person: Handle) -> dict[str, list[Said]]:
        """What is to be read of theirs: nothing of who opted out."""
        if is_out(rows, person):
            return {}
        return new_by_compartment(rows, person, self.learned_as(rows), self.reader())

    def _passed_over(
        self, rows: Rows, person: Handle, compartments: Container[str] | None, since: int | None
    ) -> list[tuple[str, list[Said]]]:
        """What is passed over of theirs in these compartments, each on its own, and first what was tried the least;
        nothing that was tried behind the event `since`.
        """
        reader, judged = self.reader(), self.learned_as(rows)
        if is_out(rows, person):
            return []
        groups = new_by_compartment(rows, person, judged, reader, passed_over=True)
        here = ((where, said) for where, said in groups.items() if compartments is None or where in compartments)
        found = [(where, each) for where, said in here for each in said]
        if since is not None:
            found = [each for each in found if not was_tried_behind(rows, reader, each[1].point.id, since)]
        found.sort(key=lambda each: (times_in_vain(rows, reader, each[1].point.id), each[1].point))
        return [(where, [each]) for where, each in found[:MOST_AGAIN]]

    def reader(self) -> Reader:
        """Who reads for an extraction: what was shown to it in vain too often is passed over."""
        return Reader("extraction", self.called(self.memory.settings.durable_model), EXTRACTION_PROMPT)

    async def extract_from(self, person: Handle, compartment: str, said: list[Said], policy: str = VERSION) -> Learned:
        """Learn from these messages of a person, which lie in one compartment; what is close then becomes one."""
        await self.recorded()
        log = LogChronicle(self.memory.engine.live)
        reader, first = self.reader(), said[0].point.id
        plan, before = await self._look(lambda rows: plan_again(rows, log, person, compartment, said, policy, reader))
        learned = await self.run(self.extraction(plan, before), person)
        for each in learned.dropped:
            self.failures.append(
                f"extraction: an entry of the reply was dropped: {each}",
                "extraction: an entry of the reply was dropped",
            )
        unmerged: list[str] = []
        for where, items in ((compartment, learned.added), (everywhere(person), learned.promoted)):
            if items:
                unmerged += await self._merge(person, where, items)
        stays = bool(learned.error) and await self._look(lambda rows: is_passed_over(rows, self.reader(), first))
        return learned._replace(unmerged=tuple(unmerged), passed_over=stays)

    def extraction(self, plan: ExtractionPlan, before: ExtractionReplied | None = None) -> Loop[Learned]:
        """The loop for a plan, with the settings in force, and what was replied to it before."""
        settings = self.memory.settings
        prompt = load(EXTRACTION_PROMPT)
        return extract_items(
            plan,
            prompt,
            settings.durable_model,
            settings.durable_max_items,
            self.minting,
            guarding=self.memory.guarding,
            sharing=self.memory.sharing,
            before=before,
        )

    # -- merges -----------------------------------------------------------------------------------------------------

    async def merge_what_is_left(self, person: Handle, since: int) -> None:
        """Make one of what is close to what was learned after `since` (ms), where the program ended before that. What a
        model replied about it, and is of no use any more, is on the bill.
        """
        log = LogChronicle(self.memory.engine.live)
        async with self._learning.setdefault(person, asyncio.Lock()):
            await self.recorded()
            errors = []
            for left in await self._look(lambda rows: unmerged(rows, log, person, since)):
                errors += await self._merge(person, left.compartment, left.added, left.room)
            for kept in () if errors else await self._look(lambda rows: undecided(rows, log, person, since)):
                await self._record(giving_up(kept, self.minting()).decision, person)  # it is close to nothing any more

    async def _merge(
        self, person: Handle, compartment: str, added: Sequence[str], most: int = MOST_MERGES
    ) -> list[str]:
        """Make one of what is close, each pair once; what went wrong. What was learned stands, whatever that is."""
        try:
            return await self._merge_close(person, compartment, added, most)
        except (ErasedMeanwhile, OptedOut):
            return []
        except Exception as error:  # noqa: BLE001 - both stand, and the extraction did work
            await self.went_wrong(Job("merge", compartment, person=person), error)
            return [str(error) or type(error).__name__]

    async def _merge_close(self, person: Handle, compartment: str, added: Sequence[str], most: int) -> list[str]:
        job = Job("encoder", compartment, person=person)
        by_meaning = await self.measure(lambda rows: texts_of(rows, person, compartment), job)
        measure = by_meaning or by_tokens(self.memory.vocabulary)

        log = LogChronicle(self.memory.engine.live)

        def untried(rows: Rows) -> list[tuple[Pair, list[MergeReplied]]]:
            pairs = plan_merges(rows, person, compartment, added, measure)
            found = [each for each in pairs if not is_tried(rows, log, each)][:most]
            return [(each, left_of(rows, log, each)) for each in found]

        prompt, model = load(MERGE_PROMPT), self.memory.settings.durable_model
        errors = []
        for pair, left in await self._look(untried):
            merged = await self.run(merge_items(pair, prompt, model, self.minting, self.memory.guarding, left), person)
            if merged.error:
                self.failures.append(f"merge: {merged.error}")
                errors.append(merged.error)
        return errors


def still_said(person: Handle, said: Sequence[Said], rows: Rows) -> list[Said]:
    """What may still be read of a person's messages that were found before another model was asked, as they are now:
    nothing that was taken back meanwhile, and nothing of who opted out or was erased.
    """
    if is_out(rows, person):
        return []
    heard = ((each.point, each.found.row.message) for each in said)
    now = ((point, find_message(rows, was.session, was.audience.epoch, point)) for point, was in heard)
    return [Said(point, found) for point, found in now if found is not None and found.row.message.text.strip()]


def _place(rows: Rows, where: SpokenRow) -> Ref | None:
    found = place_of(rows, where.session)
    return where.audience.place if found is None else found.row.place
