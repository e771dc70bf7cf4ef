"""Learning where no run was ever recorded: at DNAM's cadence, or at another one that was asked for.

It is due behind the walk: what was never learned from has no place in the recorded order. As many messages as the
cadence has are read at a time, and a rest that is fewer only where something was read before it, as after an import.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from dnam.configuration import learned_as
from dnam.loops.extraction import Said, unread_by_compartment
from dnam.memory import Memory
from dnam.rederiving.chains import Chains, Work
from dnam.rederiving.estimate import NOT_RECORDED
from dnam.rederiving.runs import Runs
from dnam.rederiving.scope import Scope
from dnam.rederiving.traffic import Traffic
from dnam.rederiving.walk import let_go
from dnam.shadows import Asked
from projections.decisions.consent import is_out
from projections.ids import NOBODY, EventId, Handle
from projections.lookup import SessionCard, people, sessions
from projections.messages import SPOKEN, MessageRow, SpokenRow, unit
from projections.places import place_of
from projections.policies.cadence import VERSION
from projections.policies.learned_from import Learn, LearnedAs
from projections.rederiving.schedule import Recorded, Run
from projections.rows import Found, Rows


class Lesson(NamedTuple):
    """Messages of one person in one compartment that are read together, and the run that reads them."""

    run: Run
    said: list[Said]


class Lessons:
    """What is learned beside the recorded runs."""

    def __init__(self, memory: Memory, runs: Runs | None, recorded: Recorded, scope: Scope, asked: Asked) -> None:
        self._memory = memory
        self._runs = runs
        self._recorded = recorded
        self._scope = scope
        self._asked = asked

    async def learn(self, traffic: Traffic) -> None:
        """Read what is due, people and sessions side by side."""
        assert self._runs is not None, "who only estimates learns nothing"
        chains = Chains(traffic.waiting)
        for lesson in await self._memory.look(self.lessons):
            chains.start([("person", lesson.run.owner)], _working(traffic, self._runs, lesson))
        for run in await self._memory.look(self.summaries):
            chains.start([("session", run.session)], _summarising(traffic, self._runs, run, self._lines))
        try:
            await chains.drain()
        except BaseException:
            await let_go(chains, traffic)
            raise

    @property
    def _every(self) -> int:
        return self._asked.cadence or self._memory.settings.durable_every_n_turns

    @property
    def _lines(self) -> int:
        return self._asked.cadence or self._memory.settings.summary_every_n_turns

    def lessons(self, rows: Rows) -> list[Lesson]:
        """What nobody's recorded run read, of those of whom none was recorded, in the order in which it was said."""
        chosen = (each for each in people(rows) if self._asked.cadence or each not in self._recorded.people)
        found = [
            lesson
            for person in chosen
            if not is_out(rows, person)
            for compartment, said in unread_by_compartment(rows, person, self._judged(rows)).items()
            for lesson in self._pieces(person, compartment, said)
        ]
        return sorted(found, key=lambda lesson: lesson.said[-1].point)

    def expected(self, rows: Rows, is_made: Callable[[Run], bool], *, summed_up: bool) -> int:
        """How many calls these may be, by the live rows, before they are made. `summed_up`: no more summaries."""
        if self._asked.cadence:
            said = [sum(1 for _ in rows.keys(SPOKEN, person)) for person in people(rows) if self._has(person)]
            read = 0 if summed_up else sum(-(-each // self._every) for each in said if each >= self._every)
            there = [card.messages for card in sessions(rows) if self._scope.has_run(_run(card))]
        else:
            read = sum(1 for lesson in self.lessons(rows) if not is_made(lesson.run))
            there = [card.turns or card.messages for card in sessions(rows) if self._is_new(rows, card)]
        return read + sum(-(-each // self._lines) for each in there if each >= self._lines and not summed_up)

    def _has(self, person: Handle) -> bool:
        run = Run(EventId(bytes(16)), "extraction", 0, VERSION, NOT_RECORDED, None)
        return self._scope.has_run(run._replace(owner=person))

    def _is_new(self, rows: Rows, card: SessionCard) -> bool:
        return any(run.session == card.session for run in self.summaries(rows))

    def _judged(self, rows: Rows) -> LearnedAs:
        settings = self._memory.settings

        def how(person: Handle, where: SpokenRow) -> Callable[[Found[MessageRow]], Learn]:
            found = place_of(rows, where.session)
            place = where.audience.place if found is None else found.row.place
            return learned_as(rows, settings, person, place, where.guild)

        return how

    def _pieces(self, person: Handle, compartment: str, said: list[Said]) -> Iterable[Lesson]:
        every = self._every
        if len(said) < every:
            return
        for start in range(0, len(said), every):
            piece = said[start : start + every]
            run = Run(piece[-1].point.id, "extraction", piece[-1].point.said, VERSION, NOT_RECORDED, None)
            run = run._replace(owner=person, compartment=compartment)
            if self._scope.has_run(run):
                yield Lesson(run, piece)

    def summaries(self, rows: Rows) -> list[Run]:
        """The sessions of which no summary was recorded."""
        cards = (
            card
            for card in sessions(rows)
            if self._asked.cadence or (card.session, card.audience.epoch) not in self._recorded.sessions
        )
        return [run for card in cards if self._scope.has_run(run := _run(card)) and not is_out(rows, run.person)]


def _run(card: SessionCard) -> Run:
    """A run of a session's summary, named after the session."""
    person = card.place.person if card.audience.kind == "direct" else NOBODY
    name, said = EventId(unit(card.session, card.audience.epoch)), card.last_said or 0
    run = Run(name, "summary", said, VERSION, NOT_RECORDED, None)
    return run._replace(session=card.session, audience=card.audience, person=person)


def _working(traffic: Traffic, runs: Runs, lesson: Lesson) -> Work:
    async def work() -> None:
        async with traffic.working():
            await runs.extract_said(lesson.run, lesson.said)

    return work


def _summarising(traffic: Traffic, runs: Runs, run: Run, lines: int) -> Work:
    async def work() -> None:
        async with traffic.working():
            await runs.summarise_all(run, lines)

    return work
