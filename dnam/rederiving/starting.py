"""The runs of a derivation: each begins behind those of its person or its session, and reads what the old one read.

In a guild, what runs decide is recorded in their order, since lore belongs to everybody there.
"""

import asyncio
from collections.abc import Callable, Iterable

from dnam.memory import Memory
from dnam.rederiving.chains import Chains
from dnam.rederiving.drive import Before, nothing_before
from dnam.rederiving.finding import message_of, said_in
from dnam.rederiving.runs import Runs
from dnam.rederiving.spoken import Spoken
from dnam.rederiving.traffic import Traffic
from projections.decisions.consent import is_out
from projections.events import MessageHeard
from projections.ids import EventId, Handle
from projections.rederiving.schedule import RUNS, Recorded, Run, run_of
from projections.rows import Rows
from replay.codec import decode_header
from replay.engine import Engine
from replay.units import Told

MOST_RUNS = 2000
"""How far the walk runs ahead of the runs behind it."""


class Starting:
    """Starts runs, each with what it may read. `changed` are the runs that read less than when they were recorded."""

    def __init__(
        self, live: Engine, memory: Memory, runs: Runs, recorded: Recorded, chains: Chains, traffic: Traffic
    ) -> None:
        self._live = live
        self._memory = memory
        self._runs = runs
        self._recorded = recorded
        self._chains = chains
        self._traffic = traffic
        self._unread: dict[tuple[Handle, str], dict[EventId, None]] = {}
        self._spoken = Spoken()
        self._orders: dict[str, asyncio.Future[None]] = {}
        self._out: dict[Handle, bool] = {}
        self.changed: dict[str, None] = {}

    def prime(self, runs: Iterable[Run]) -> None:
        """What these runs, made on an earlier walk, had before them; a later one may read what they could not."""
        for run in runs:
            if run.audience is not None:
                self._spoken.upto((run.session, run.audience.epoch), run.reads or ())
            else:
                self._unread.setdefault((run.owner, run.compartment), {}).update(dict.fromkeys(run.reads or ()))

    async def start(self, run: Run) -> None:
        """Begin a run behind those of its chain."""
        if run.loop == "extraction":
            await self._start_extraction(run)
        else:
            await self._start_summary(run)
        await self._chains.room(MOST_RUNS)

    def is_out(self, person: Handle) -> bool:
        """Whether they opted out by now: whatever is recorded of that comes later in the walk."""
        if person not in self._out:
            with self._live.reading() as rows:
                self._out[person] = is_out(rows, person)
        return self._out[person]

    def run_of(self, told: Told) -> Run | None:
        """The run that an event of the walk tells of, or told of before its words went."""
        if told.event is not None:
            return run_of(told.id, told.event) if told.id not in self._recorded.part_of else None
        return self._recorded.withdrawn.get(told.id) if told.header.tag in RUNS else None

    async def _start_extraction(self, run: Run) -> None:
        if self.is_out(run.owner):
            return
        where = run.owner, run.compartment
        before, done = self._in_order(run.compartment)
        await self._note_changed(run)

        async def work() -> None:
            async with self._traffic.working():
                reads = tuple(self._unread.get(where, {}) | dict.fromkeys(run.reads or ()))
                self._unread[where] = dict.fromkeys(await self._runs.extract(run, reads, before))

        self._chains.start([("person", run.owner)], work).add_done_callback(lambda _: done())

    async def _start_summary(self, run: Run) -> None:
        assert run.audience is not None
        where = run.session, run.audience.epoch
        only = self._spoken.upto(where, await self._said_before(run) if run.reads is None else run.reads)
        await self._note_changed(run)

        async def work() -> None:
            async with self._traffic.working():
                await self._runs.summarise(run, only)

        self._chains.start([("session", where)], work)

    async def _said_before(self, run: Run) -> set[EventId]:
        """What had been said in a run's session when it was recorded; more of it is here where this is a later walk."""
        assert run.audience is not None
        session, epoch, find = run.session, run.audience.epoch, self._live.store.log.find
        said, upto = await self._memory.look(lambda rows: said_in(rows, session, epoch)), find(run.event) or 0
        return {each for each in said if (find(each) or 0) < upto}

    def _in_order(self, compartment: str) -> tuple[Before, Callable[[], None]]:
        """What a run in a guild awaits before it records, and what it calls when it has ended."""
        if not compartment.startswith("guild/"):
            return nothing_before, _nothing
        previous = self._orders.get(compartment)
        mine = self._orders[compartment] = asyncio.get_running_loop().create_future()

        async def before() -> None:
            if previous is not None and not previous.done():
                async with self._traffic.idle():
                    await asyncio.shield(previous)

        def done() -> None:
            if not mine.done():
                mine.set_result(None)

        return before, done

    async def _note_changed(self, run: Run) -> None:
        """A run of which not everything is there that it had read is told of."""
        engine, reads = self._memory.engine, [each for each in run.reads or () if self._is_message(each)]

        def lacks(rows: Rows) -> bool:
            return any(message_of(engine, rows, each) is None for each in reads)

        if run.event in self._recorded.withdrawn or await self._memory.look(lacks):
            self.changed[run.event.hex()] = None

    def _is_message(self, event: EventId) -> bool:
        """Whether an event of the live log is a message that was heard; a summary reads answers too."""
        seq = self._live.store.log.find(event)
        stored = None if seq is None else self._live.store.log.get(seq)
        return stored is not None and decode_header(stored.header).tag == MessageHeard.TAG


def _nothing() -> None:
    """Nobody waits."""
