"""The runs of a derivation: each begins behind those of its person or its session, and reads what the old one read.

In a guild, what runs decide is recorded in their order, since lore belongs to everybody there.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count

from dnam.loops.summary_plan import plan_once_more
from dnam.memory import Memory
from dnam.rederiving.chains import Chains, Key, Work
from dnam.rederiving.finding import message_of, said_in
from dnam.rederiving.runs import Runs, unseen
from dnam.rederiving.spoken import Spoken, There, Upto
from dnam.rederiving.together import Inside, made_together
from dnam.rederiving.traffic import Traffic
from dnam.rederiving.turns import ANYTIME, ORDERED, Turn, Turns
from projections.consent import is_out
from projections.decisions.came_of import SUMMARY_TAGS
from projections.events import MessageHeard
from projections.ids import EventId, Handle
from projections.rederiving.schedule import RUNS, Recorded, Run, run_of
from projections.rows import Rows
from replay import jobs
from replay.codec import decode_header
from replay.engine import Engine
from replay.group import Recorded as Done
from replay.units import Told

Written = asyncio.Future[Done]
"""What is on its way to the log."""
Look = Callable[[Rows], None]
MOST_RUNS = 2000
"""How far the walk runs ahead of the runs behind it."""


class Starting:
    """Starts runs, each with what it may read. `changed` are the runs that read less than when they were recorded, each
    with the messages that are not there any more, as far as it says itself what it had read. `ended` is called when one
    has ended and all that came of it is recorded; of those that are made together, whoever has them made calls it.
    """

    def __init__(
        self,
        live: Engine,
        memory: Memory,
        runs: Runs,
        recorded: Recorded,
        chains: Chains,
        traffic: Traffic,
        ended: Callable[[], None],
    ) -> None:
        self._live = live
        self._memory = memory
        self._runs = runs
        self._recorded = recorded
        self._chains = chains
        self._traffic = traffic
        self._ended = ended
        self._unread: dict[tuple[Handle, str], dict[EventId, None]] = {}
        self._spoken = Spoken(recorded.edited, self._is_said)
        self._turns = Turns(traffic)
        self._out: dict[Handle, bool] = {}
        self._left = Counter[Key]()
        self._numbers = count()
        self._together: list[Inside] = []
        self._put_by: set[Key] = set()
        """The chains of the runs that wait to be made together."""
        self.changed: dict[EventId, tuple[EventId, ...]] = {}

    def prime(self, runs: Iterable[Run]) -> None:
        """What these runs, made on an earlier walk, had before them; a later one may read what they could not."""
        for run in runs:
            if run.audience is not None:
                self._spoken.upto((run.session, run.audience.epoch), run.reads or (), run.said)
            else:
                self._unread.setdefault((run.owner, run.compartment), {}).update(dict.fromkeys(run.reads or ()))

    @property
    def waiting(self) -> int:
        """How many runs wait to be made together."""
        return len(self._together)

    def chains(self) -> list[Key]:
        """The chains that there are."""
        return [*self._put_by, *self._chains.names()]

    def is_busy(self, key: Key) -> bool:
        """Whether a run of a chain is under way, or waits to be made together with others."""
        return key in self._put_by or not self._chains.is_idle(key)

    def is_together(self, run: Run) -> bool:
        """Whether a run may be made with others in one commit: nobody is asked, and nothing that it waits for is under
        way.
        """
        if not self._runs.is_at_once(run):
            return False
        if run.loop == "extraction":
            return self._chains.is_idle(_chain_of(run)) and self._turns.are_over(run.compartment)
        return run.reads is not None and self._chains.is_idle(_chain_of(run))

    def put_by(self, run: Run, seq: int, *, was_recorded: bool) -> None:
        """Have a run made with those that were put by before it, as `start` begins one."""
        there, look = self._there(seq), self._look(run, was_recorded=was_recorded)
        if self._is_of_who_is_out(run):
            self._ended()
            return
        self._put_by.add(_chain_of(run))
        if run.loop == "summary":
            only = self._upto(run, run.reads or (), there)
            self._together.append(lambda runs: self._summarised(runs, run, only, look))
        else:
            self._together.append(lambda runs: self._extracted(runs, run, ANYTIME, there, look))

    def made_together(self, most: int) -> jobs.Work:
        """The work of making the runs that were put by, so many of them at the most."""
        waiting, self._together = self._together[:most], self._together[most:]
        if not self._together:
            self._put_by.clear()
        return made_together(self._memory, self._runs, waiting)

    async def start(self, run: Run, seq: int, written: Written | None = None, *, was_recorded: bool) -> None:
        """Begin a run behind those of its chain, and behind what is being written before it. What was recorded behind
        `seq` is not read, though it may be there by now. One that was recorded is told of where not everything is there
        that it had read then.
        """
        there, look = self._there(seq), self._look(run, was_recorded=was_recorded)
        if self._is_of_who_is_out(run):
            self._ended()
        elif run.loop == "extraction":
            self._start_extraction(run, there, written, look)
        else:
            await self._start_summary(run, there, written, look)
        await self._chains.room(MOST_RUNS)

    def _there(self, seq: int) -> There:
        live, passed = self._live.store, self._runs.passed
        return lambda event: (passed.seq(event) or live.log.find(event) or 0) <= seq

    def _look(self, run: Run, *, was_recorded: bool) -> Look:
        return partial(self._note_changed, run) if was_recorded else unseen

    def _is_of_who_is_out(self, run: Run) -> bool:
        """Whether a run is of somebody who opted out by now: whatever is recorded of that comes later in the walk. One
        who does so meanwhile ends the walk.
        """
        person = run.owner if run.loop == "extraction" else run.person
        if person not in self._out:
            with self._live.reading() as rows:
                self._out[person] = is_out(rows, person)
        return self._out[person]

    def run_of(self, told: Told) -> Run | None:
        """The run that an event of the walk tells of, or told of before its words went."""
        if told.event is not None:
            return run_of(told.id, told.event) if told.id not in self._recorded.part_of else None
        return self._recorded.withdrawn.get(told.id) if told.header.tag in RUNS else None

    def _start_extraction(self, run: Run, there: There, written: Written | None, look: Look) -> None:
        queued = self._turns.take(run.compartment) if run.compartment.startswith(ORDERED) else None
        turn = queued or ANYTIME

        async def work() -> None:
            await self._extracted(self._runs, run, turn, there, look)

        link = self._start_link(_chain_of(run), written, work)
        if queued is not None:
            link.add_done_callback(lambda _: queued.ended())

    async def _extracted(self, runs: Runs, run: Run, turn: Turn, there: There, look: Look) -> None:
        where = run.owner, run.compartment
        reads = tuple(self._unread.get(where, {}) | dict.fromkeys(run.reads or ()))
        self._unread[where] = dict.fromkeys(await runs.extract(run, reads, turn, there, look))

    async def _start_summary(self, run: Run, there: There, written: Written | None, look: Look) -> None:
        if run.reads is None and written is not None:
            await asyncio.shield(written)
        reads = await self._said_before(run) if run.reads is None else run.reads
        only = self._upto(run, reads, there)

        async def work() -> None:
            await self._summarised(self._runs, run, only, look)

        self._start_link(_chain_of(run), written, work)

    def once_more(self, run: Run) -> None:
        """Begin a run that makes a session's summary once more, over what that reached, without what left since."""
        if self._is_of_who_is_out(run):
            self._ended()
            return

        async def work() -> None:
            await self._runs.summarise(run, plan_it=plan_once_more)

        self._start_link(_chain_of(run), None, work)

    def _upto(self, run: Run, reads: Iterable[EventId], there: There) -> Upto:
        assert run.audience is not None
        return self._spoken.upto((run.session, run.audience.epoch), reads, run.said, there)

    async def _summarised(self, runs: Runs, run: Run, only: Upto, look: Look) -> None:
        await runs.summarise(run, only, look)

    def _start_link(self, key: Key, written: Written | None, work: Work) -> "asyncio.Task[None]":
        """What has more behind it asks before others do, so that the longest chain is not the last one."""
        self._left[key] += 1
        number = next(self._numbers)

        async def link() -> None:
            async with self._traffic.working(lambda: (-self._left[key], number)):
                if written is not None:
                    await asyncio.shield(written)
                try:
                    await work()
                except BaseException:
                    self._traffic.close()  # all of it is broken off, and whoever waits for room need not fail too
                    raise
            self._ended()

        def ended(_: object) -> None:
            self._left[key] -= 1

        task = self._chains.start([key], link)
        task.add_done_callback(ended)
        return task

    async def _said_before(self, run: Run) -> set[EventId]:
        """What had been said in a run's session when it was recorded; more of it is here where this is a later walk."""
        assert run.audience is not None
        session, epoch, find = run.session, run.audience.epoch, self._live.store.log.find
        said, upto = await self._memory.look(lambda rows: said_in(rows, session, epoch)), find(run.event) or 0
        return {each for each in said if (find(each) or 0) < upto}

    def _note_changed(self, run: Run, rows: Rows) -> None:
        """A run of which not everything is there that it had read is told of."""
        dropped = (each for each in run.reads or () if rows.ids.status(each) != "known" and self._is_message(each))
        lost = tuple(each for each in dropped if self._is_gone(rows, each))
        if lost or run.event in self._recorded.withdrawn:
            self.changed[run.event] = lost

    def _is_gone(self, rows: Rows, event: EventId) -> bool:
        """Whether a message that lost its first words says nothing else now."""
        return message_of(self._memory.engine, rows, event, self._runs.passed) is None

    def _is_said(self, event: EventId) -> bool:
        """Whether an event of the live log may be something that was said: a summary reads the one before it too."""
        log = self._live.store.log
        seq = self._runs.passed.seq(event) or log.find(event)
        stored = None if seq is None else log.get(seq)
        return stored is None or not decode_header(stored.header).tag.startswith(SUMMARY_TAGS)

    def _is_message(self, event: EventId) -> bool:
        """Whether an event of the live log is a message that was heard; a summary reads answers too."""
        seq = self._live.store.log.find(event)
        stored = None if seq is None else self._live.store.log.get(seq)
        return stored is not None and decode_header(stored.header).tag == MessageHeard.TAG


def _chain_of(run: Run) -> Key:
    """The chain that a run is in: its person's, or its session's."""
    return ("person", run.owner) if run.audience is None else ("session", (run.session, run.audience.epoch))
