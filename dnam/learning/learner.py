"""Learning from what came in without being answered: an import, or talk that was only heard.

The loops run at the same cadence as live, counted in messages, in the order in which things were said. What an
extraction has read is known from the log, so learning can be broken off and goes on where it stopped.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from dnam.assistant import Assistant
from dnam.errors import OptedOut
from dnam.learning.tending import SUMMARY_PROMPT, still_said
from dnam.loops.extraction import INPUT_CHARS, Learned, Said, unread_by_compartment
from dnam.loops.summary import Refreshed, refresh_summary
from dnam.loops.summary_plan import SummaryPlan, passed_over_in, plan_passed_over, plan_summary, to_come
from dnam.loops.summary_reading import Refreshing
from dnam.model import OverBudget
from dnam.prompts import load
from dnam.resolving import resolved
from projections.consent import is_out
from projections.ids import NOBODY, Handle
from projections.lookup import SessionCard, people, sessions
from projections.rows import Rows
from projections.window_line import WindowLine
from projections.work import was_read
from replay.errors import ErasedMeanwhile


class Estimate(NamedTuple):
    """What learning would take: calls of a model, and characters sent to it (about four to a token).

    Merges come on top: how many items will be close, nobody knows before.
    """

    extractions: int
    summaries: int
    characters: int

    @property
    def calls(self) -> int:
        """All calls."""
        return self.extractions + self.summaries


class LearnedAll(NamedTuple):
    """What learning did: extractions and refreshes that worked, item events, and what went wrong: calls that are tried
    again, and why items that are close stay apart. Where it was broken off, as by a limit or a service that rests for
    long: why it is `put_off`. `left` is how many calls are left then, as `Estimate` counts them, also where somebody
    broke it off; None where something failed, and they were not counted.
    """

    extractions: int
    summaries: int
    events: int
    errors: tuple[str, ...]
    unmerged: tuple[str, ...] = ()
    put_off: str = ""
    left: int | None = 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing went wrong, and nothing is put off."""
        return not (self.errors or self.unmerged or self.put_off)


class Lesson(NamedTuple):
    """Messages of one person in one compartment that are read together."""

    person: Handle
    compartment: str
    said: list[Said]


Progress = Callable[[int, int], None]


class Learner:
    """Learns for chosen people and sessions; for everybody when none are given."""

    def __init__(
        self, assistant: Assistant, persons: Iterable[Handle] | None = None, chosen: Iterable[str] | None = None
    ) -> None:
        self._assistant = assistant
        self._memory = assistant.memory
        self._persons = None if persons is None else [each for each in persons if each]
        self._chosen = None if chosen is None else set(chosen)
        self._left: int | None = 0
        self._begin()

    @property
    def paid(self) -> bool:
        """Whether the model costs money, so that somebody should be asked first."""
        return self._assistant.model.paid

    def lessons(self, rows: Rows) -> list[Lesson]:
        """Everything unread, in pieces of the cadence's size, in the order of what was said last in each; then what is
        passed over, each message on its own, to be tried once more. Empty when learning is switched off.
        """
        settings = self._memory.settings
        if not (settings.memory_enabled and settings.durable_memory_enabled):
            return []
        every = settings.durable_every_n_turns
        chosen = people(rows) if self._persons is None else self._persons
        persons = [each for each in chosen if not is_out(rows, each)]
        found = [
            Lesson(person, compartment, said[start : start + every])
            for person in persons
            for compartment, said in self._unread(rows, person).items()
            for start in range(0, len(said), every)
        ]
        again = [
            Lesson(person, compartment, [each])
            for person in persons
            for compartment, said in self._unread(rows, person, passed_over=True).items()
            for each in said
        ]
        return [*_in_order(found), *_in_order(again)]

    def _unread(self, rows: Rows, person: Handle, *, passed_over: bool = False) -> dict[str, list[Said]]:
        assistant = self._assistant
        judged, reader = assistant.learned_as(rows), assistant.reader()
        return unread_by_compartment(rows, person, judged, reader, passed_over=passed_over)

    def cards(self, rows: Rows) -> list[SessionCard]:
        """The sessions whose summaries are brought up to date."""
        settings = self._memory.settings
        if not (settings.memory_enabled and settings.summary_enabled):
            return []
        chosen = (card for card in sessions(rows) if self._chosen is None or card.session in self._chosen)
        return [card for card in chosen if not is_out(rows, _whose(card))]

    def estimate(self, rows: Rows) -> Estimate:
        """What it would take, without asking anything."""
        lessons = self.lessons(rows)
        characters = sum(len(each.found.row.message.text) for lesson in lessons for each in lesson.said)
        sizes = [size for card in self.cards(rows) for size in self._to_come(rows, card)]
        return Estimate(
            extractions=sum(map(_pieces, lessons)), summaries=len(sizes), characters=characters + sum(sizes)
        )

    def _to_come(self, rows: Rows, card: SessionCard) -> list[int]:
        """What each refresh of a session's summary would read, in characters."""
        settings = self._refreshing()
        again = passed_over_in(rows, card.session, card.audience, settings)
        return [*to_come(rows, card.session, card.audience, settings), *(len(each.text) for each in again)]

    def _refreshing(self) -> Refreshing:
        """The settings of a refresh that reads as many turns as it takes to be due: each message of a person is one."""
        return self._assistant.refreshing()._replace(most_turns=self._memory.settings.summary_every_n_turns)

    async def learn(self, progress: Progress) -> LearnedAll:
        """Run the loops over everything unread, until it is read or the model may not be asked any more for now."""
        self._begin()
        self._left = None
        try:
            await self._learn(progress)
            self._left = 0
        except OverBudget as error:
            self._put_off = str(error) or type(error).__name__
            self._left = await self._calls_left()
        except asyncio.CancelledError:
            self._left = await self._calls_left()
            raise
        return self.so_far()

    async def _calls_left(self) -> int:
        return (await self._memory.look(self.estimate)).calls

    def _begin(self) -> None:
        self._read_so_far: list[Learned] = []
        self._summed_so_far: list[Refreshed] = []
        self._put_off = ""
        self._left = 0

    def so_far(self) -> LearnedAll:
        """What was learned since the last beginning, also where it broke off."""
        read, summed = self._read_so_far, self._summed_so_far
        return LearnedAll(
            extractions=sum(1 for each in read if not each.error),
            summaries=sum(1 for each in summed if each.worked),
            events=sum(each.events for each in read),
            errors=(*(each.error for each in read if each.error), *(each.error for each in summed if each.error)),
            unmerged=tuple(error for each in read for error in each.unmerged),
            put_off=self._put_off,
            left=self._left,
        )

    async def _learn(self, progress: Progress) -> None:
        """What each loop did is noted as soon as it is known."""
        lessons = await self._memory.look(self.lessons)
        cards = await self._memory.look(self.cards)
        total = len(lessons) + len(cards)
        for done, lesson in enumerate(lessons):
            progress(done, total)
            with suppress(ErasedMeanwhile, OptedOut):  # nothing of theirs is learned any more
                async for learned in self._read(lesson):
                    self._read_so_far.append(learned)
        for done, card in enumerate(cards, len(lessons)):
            progress(done, total)
            with suppress(ErasedMeanwhile, OptedOut):
                async for refreshed in self._summarise(card):
                    self._summed_so_far.append(refreshed)
        progress(total, total)

    async def _read(self, lesson: Lesson) -> AsyncIterator[Learned]:
        """Extract from a lesson until it is read: what finds no room in one input is read by the next."""
        said = await self._memory.look(partial(still_said, lesson.person, lesson.said))
        while said:
            result = await self._assistant.extract_from(lesson.person, lesson.compartment, said)
            yield result
            left = await self._memory.look(partial(_unread, lesson.person, said))
            said = [] if result.error or len(left) == len(said) else left

    async def _summarise(self, card: SessionCard) -> AsyncIterator[Refreshed]:
        """Refresh one session's summary until it has caught up, and then with what is passed over, each once; of these
        the first error is told.
        """
        settings = self._refreshing()
        await self._assistant.recorded()
        again = await self._memory.look(lambda rows: passed_over_in(rows, card.session, card.audience, settings))
        while (plan := await self._memory.look(partial(_planned, card, settings))) is not None:
            result = await self._refreshed(plan, card)
            yield result
            if not result.worked:
                return
            settings = self._refreshing()._replace(looks_back=False)
        error = ""
        for message in again:
            plan = await self._memory.look(partial(_planned_again, card, settings, message))
            if plan is not None:
                result = await self._refreshed(plan, card)
                yield result._replace(error="") if error else result
                error = error or result.error

    async def _refreshed(self, plan: SummaryPlan, card: SessionCard) -> Refreshed:
        prompt, model = load(SUMMARY_PROMPT), self._memory.settings.summary_model
        loop = refresh_summary(plan, prompt, model, self._assistant.minting, resolved(self._assistant.model, model))
        return await self._assistant.run(loop, _whose(card))


def _in_order(lessons: Iterable[Lesson]) -> list[Lesson]:
    return sorted(lessons, key=lambda lesson: lesson.said[-1].point)


def _pieces(lesson: Lesson) -> int:
    """How many inputs a lesson takes."""
    count, room = 1, INPUT_CHARS
    for each in lesson.said:
        length = min(len(each.found.row.message.text), INPUT_CHARS)
        if length > room:
            count, room = count + 1, INPUT_CHARS
        room -= length
    return count


def _planned(card: SessionCard, settings: Refreshing, rows: Rows) -> SummaryPlan | None:
    whose = _whose(card)
    return None if is_out(rows, whose) else plan_summary(rows, card.session, card.audience, whose, settings)


def _planned_again(card: SessionCard, settings: Refreshing, message: WindowLine, rows: Rows) -> SummaryPlan | None:
    whose = _whose(card)
    if is_out(rows, whose):
        return None
    return plan_passed_over(rows, card.session, card.audience, whose, settings, message.id)


def _unread(person: Handle, said: list[Said], rows: Rows) -> list[Said]:
    """Those of them that no extraction has read yet."""
    return [each for each in still_said(person, said, rows) if not was_read(rows, each.point.id)]


def _whose(card: SessionCard) -> Handle:
    """Whose direct conversation it is; NOBODY's where others speak too."""
    return card.place.person if card.audience.kind == "direct" else NOBODY
