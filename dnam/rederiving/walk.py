"""The walk through a live log into a shadow, decision by decision, in recorded order.

What was said is taken over as the walk comes by. What a person decided waits for the runs of that person before it, and
the walk waits with it: so it finds what there was then, and nothing that was said later. Runs go on beside the walk;
those of which nobody is asked are put by, and made with what was taken over meanwhile, all in one commit.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, pairwise

import msgspec

from dnam.memory import Memory
from dnam.rederiving.chains import Chains, Key
from dnam.rederiving.finding import absent_in, item_until, messages_of, was_held
from dnam.rederiving.lessons import Lessons
from dnam.rederiving.lost import lost_by
from dnam.rederiving.quiet import once_more
from dnam.rederiving.runs import Runs
from dnam.rederiving.scope import LiveScope
from dnam.rederiving.seeds import applied, origin
from dnam.rederiving.starting import Starting
from dnam.rederiving.traffic import Traffic
from dnam.rederiving.undone import is_undoing, last_undone
from dnam.rederiving.writing import Writing
from dnam.shadows.manifest import Lost, Manifest
from projections.decisions.draft import Decision, Draft, Origin
from projections.decisions.reapply import ReapplyRequest, reapply
from projections.decisions.reapply_reverted import RevertAgainRequest, is_again_as_it_was, revert_again
from projections.decisions.reapply_undone import undo_again, undoes
from projections.events import (
    Event,
    ItemEvent,
    ItemRefused,
    ItemReverted,
    MessageEdited,
    MessageRedacted,
    PersonOptedIn,
    PersonOptedOut,
    PersonRenamed,
    PlaceAudienceChanged,
    SummaryReset,
)
from projections.events.items import ItemGone
from projections.events.summaries import SummaryEvent
from projections.ids import NOBODY, EventId, Handle
from projections.policies.closing import is_closing
from projections.rederiving.roles import PLAIN, ROLES, TOLD, is_by_tool, role_of
from projections.rederiving.schedule import Recorded, Run
from projections.rederiving.taking_back import change_readers, take_back
from replay.builder import no_collection
from replay.chronicle import LogChronicle
from replay.engine import Engine
from replay.errors import Refused
from replay.units import Sheaf, Told, units

AT_ONCE = 2048
"""How many decisions are read at a time, and taken over in one commit, with runs among them."""
MOST_TOGETHER = 256
"""How many runs share a commit at the most."""
EVERYBODY = (PersonRenamed, PersonOptedOut, PersonOptedIn)
"""What every run sees."""
Keep = Callable[[Manifest], None]
Progress = Callable[[int, int], None]


class Walk:
    """One walk. `keep` is told of the manifest whenever it changed in a way that must last."""

    def __init__(
        self,
        live: Engine,
        memory: Memory,
        runs: Runs,
        recorded: Recorded,
        scope: LiveScope,
        manifest: Manifest,
        traffic: Traffic,
        keep: Keep,
        progress: Progress,
    ) -> None:
        self.manifest = manifest
        self._live = live
        self._memory = memory
        self._scope = scope
        self._traffic = traffic
        self._keep = keep
        self._progress = progress
        self._chains = Chains(traffic.waiting)
        self._starting = Starting(live, memory, runs, recorded, self._chains, traffic, self._ended)
        self._recorded = recorded
        self.total = 0
        """How many runs are expected, for whoever watches."""
        self.lessons = 0
        """How many runs there were that were never recorded, on earlier walks too."""
        self._writing = Writing(memory.engine)
        self._passed = runs.passed
        self._begun = 0
        self._done = 0

    async def go(self, upto: int) -> None:
        """Walk to a seq of the live log, and wait for everything."""
        lessons = await asyncio.to_thread(self._came_by)
        try:
            reading = units(self._live, self.manifest.upto, upto)
            while some := await asyncio.to_thread(_next_of, reading):
                self._passed.take(each for unit in some for each in unit.told)
                for unit in some:
                    if not self._is_taken_at_once(unit):
                        await self._take(unit)
                    for each in unit.told:
                        lessons.take(each.seq, each.id, each.event)
                    if lessons.is_due:  # behind a decision: what no recorded run has read
                        await self._begin(await asyncio.to_thread(lessons.due, unit.last), unit.last)
                await self._make_together()
                self._passed.trim()
            await self._begin(await asyncio.to_thread(lessons.rest, upto), upto)
            await self._settle()
            for run in await asyncio.to_thread(once_more, self._live, self._memory.engine):
                self._begun += 1
                self._starting.once_more(run)
            await self._settle()
        except BaseException as error:
            await let_go(self._chains, self._traffic, is_told_to=isinstance(error, asyncio.CancelledError))
            raise
        lost = await asyncio.to_thread(lost_by, self._live, self._starting.changed, self._recorded.withdrawn)
        self._change(upto=upto, **_noted(self.manifest, lost))

    def _came_by(self) -> Lessons:
        """What waits to be read since an earlier walk; what its runs could not read, the next ones may. What summaries
        that come over as they were recorded rest on, a new one may be made of.
        """
        asked, find = self.manifest.asked, self._live.store.log.find
        kept = (run for run in self._recorded.every if (find(run.event) or 0) <= asked.since)
        self._starting.prime(run for run in kept if run.audience is not None)
        lessons = Lessons(self._live, self._memory.settings, asked, self._recorded, self._scope)
        before = lessons.pass_by(0, self.manifest.upto)
        recorded = () if asked.cadence else self._recorded.every
        self._starting.prime(run for run in recorded if (find(run.event) or 0) <= self.manifest.upto)
        self._starting.prime(before)
        self.lessons = len(before)
        return lessons

    def _change(self, **fields: object) -> None:
        self.manifest = msgspec.structs.replace(self.manifest, **fields)
        self._keep(self.manifest)

    # -- waiting ----------------------------------------------------------------------------------------------------

    async def _make_together(self) -> None:
        """Make what was put by, behind all that was taken over until now, in one commit with it; in several where it is
        much, so that a reply that was paid for does not wait long behind it.
        """
        while before := self._starting.waiting:
            self._writing.send(self._starting.made_together(MOST_TOGETHER))
            await self._writing.done()
            for _ in range(before - self._starting.waiting):
                self._ended()
        await self._writing.done()

    async def _wait(self, keys: Iterable[Key]) -> None:
        await self._make_together()
        await self._chains.wait(keys)

    async def _settle(self) -> None:
        await self._make_together()
        await self._chains.drain()

    # -- a decision -------------------------------------------------------------------------------------------------

    def _is_taken_at_once(self, unit: Sheaf) -> bool:
        """Take over what is always kept and waits for nothing, as most of a log; False where it is something else."""
        for each in unit.told:
            if type(each.event) not in PLAIN:
                return False
        if unit.last <= self.manifest.asked.since or unit.last > self.manifest.acted:
            self._writing.take_over([each.draft() for each in unit.told])
        return True

    async def _take(self, unit: Sheaf) -> None:
        told = [each for each, judged in _with_what_is_behind(unit.told) if self._is_taken_over(each, judged)]
        events = [each.event for each in unit.told if each.event is not None]
        if is_by_tool(events):
            await self._wait(_keys(events))
        if unit.last <= self.manifest.asked.since or is_by_tool(events):
            self._writing.take_over(each.draft() for each in unit.told if not _is_left_out(each))
            return
        if unit.last > self.manifest.acted and self._is_act(events):
            await self._act(unit, told)
        elif unit.last > self.manifest.acted:
            await self._behind(events)
            await self._beside(each.event for each in told)
            self._writing.take_over(each.draft() for each in told)
        for each in unit.told:
            await self._start(each)

    def _is_taken_over(self, told: Told, judged: Event | None) -> bool:
        """Whether it comes over as it is: by its role, or because what is `judged` of it is not derived anew."""
        if told.event is None or judged is None:
            return told.header.tag in TOLD
        role = role_of(told.event)
        if role in ("kept", "taken back", "readers"):
            return True
        return role != "left out" and not self._scope.has(judged)

    def _is_act(self, events: Iterable[Event]) -> bool:
        """Whether it does something to what was derived anew, or to what all runs see."""
        return any(
            isinstance(each, (PlaceAudienceChanged, *EVERYBODY))
            or (role_of(each) == "decided" and self._scope.has(each))
            or self._is_undoing(each)
            or (isinstance(each, MessageRedacted) and self._is_here(each))
            for each in events
        )

    def _is_undoing(self, event: Event) -> bool:
        """Whether it takes back what is here as it was recorded."""
        return self._scope.has(event) and is_undoing(self._live, event, self.manifest.asked.since)

    def _is_here(self, event: MessageRedacted) -> bool:
        """Whether something is there that goes."""
        log = self._memory.engine.store.log
        found = (log.find(each) for each in event.events)
        stored = (log.get(seq) for seq in found if seq is not None)
        return any(each is not None and each.body is not None for each in stored)

    async def _behind(self, events: Iterable[Event]) -> None:
        """An edit comes behind the runs that could not see it."""
        for each in events:
            if isinstance(each, MessageEdited):
                message = each.message
                await self._wait([("person", message.speaker), ("session", (message.session, message.audience.epoch))])

    async def _beside(self, events: Iterable[Event | None]) -> None:
        """What is not derived anew comes behind the runs that are shown such things and could not see it."""
        items = [each for each in events if isinstance(each, ItemEvent | ItemRefused | ItemGone)]
        keys: list[Key] = [("person", _owner(each)) for each in items]
        kinds = {"session"} if any(role_of(each) == "decided" for each in items) else set[str]()
        kinds |= {"person"} if any(_owner(each) == NOBODY for each in items) else set()
        keys += [key for key in self._starting.chains() if key[0] in kinds]
        if any(map(self._starting.is_busy, keys)):
            await self._wait(keys)

    async def _act(self, unit: Sheaf, told: list[Told]) -> None:
        """Do again what was done, behind everything that came before."""
        events = [each.event for each in unit.told if each.event is not None]
        if all(role_of(each) in ("decided", "kept", "derived") and not isinstance(each, EVERYBODY) for each in events):
            await self._wait([*_keys(events), *self._chains_that_read(events)])
        else:
            await self._settle()
        drafts = [each.draft() for each in told]
        changed = next((each for each in events if isinstance(each, PlaceAudienceChanged)), None)
        redacted = [event for each in events if isinstance(each, MessageRedacted) for event in each.events]
        if changed is not None:
            absent = await asyncio.to_thread(absent_in, self._live, self._memory.engine)
            await self._repeat(partial(_moved, drafts, changed, unit.told[0].id, absent))
        elif redacted:
            made = origin(unit.told[0].id, "gone", 0, unit.told[0].given.at)
            await self._repeat(partial(_gone, self._memory.engine, drafts, redacted, made))
        else:
            self._writing.take_over(drafts)
            await self._writing.done()
        for number, each in enumerate(unit.told):
            if each.event is not None and self._is_undoing(each.event):
                await self._undo(unit.told[: number + 1], each.event)
            else:
                await self._apply(each, events)
        self._change(acted=unit.last)

    def _chains_that_read(self, events: Iterable[Event]) -> list[Key]:
        """The chains of whatever else reads what an act changes: a message leaves summaries, or returns, with an item,
        and what is nobody's is shown to all runs of its server.
        """
        items = [each.item for each in events if isinstance(each, ItemEvent)]
        kinds = {"session"} if items else set[str]()
        if any(item.owner == NOBODY for item in items):
            kinds.add("person")
        return [key for key in self._chains.names() if key[0] in kinds]

    async def _repeat(self, decision: Callable[[int], Decision]) -> None:
        """Decide until nothing comes of it."""
        number = 0
        while (await self._memory.record(decision(number))).records:
            number += 1

    async def _apply(self, told: Told, together: Sequence[Event]) -> None:
        """What a person decided, on what there is here."""
        event = told.event
        if not isinstance(event, ItemEvent | SummaryReset) or role_of(event) != "decided":
            return
        if not self._scope.has(event):
            return
        cap = self._memory.settings.durable_max_items
        made = applied(told.id, event.said)
        if isinstance(event, ItemReverted) and is_again_as_it_was(event):
            await self._revert(event, made, cap)
            return
        others = tuple(each for each in together if isinstance(each, ItemEvent) and each is not event)
        request = ReapplyRequest(event, told.id, made, told.given, cap, others, was_held(self._live, event))
        try:
            await self._memory.record(lambda rows: reapply(rows, request))
        except Refused:  # it would be open to more people here: as it was recorded, it stands
            self._writing.take_over([told.draft()])
            await self._writing.done()

    async def _revert(self, event: ItemReverted, made: Origin, cap: int) -> None:
        """What the operator reverted, where the very same was made here."""
        engine, until = self._memory.engine, item_until(self._live, event)
        if until is None:
            return
        request = RevertAgainRequest(event, until, made, cap, self._memory.guarding.rephrasing)
        await self._memory.record(lambda rows: revert_again(rows, LogChronicle(engine.live), request))

    async def _undo(self, told: Sequence[Told], event: Event) -> None:
        """What the last of these took back of what is here as it was recorded, with what that has ahead of it."""
        undone, ahead = last_undone(self._live, event), told[-2:-1]
        drafts = [*(each.draft() for each in ahead if each.event and is_closing(each.event)), told[-1].draft()]
        if undone is not None:
            await self._memory.record(lambda rows: undo_again(rows, drafts, undone))

    # -- runs -------------------------------------------------------------------------------------------------------

    async def _start(self, told: Told) -> None:
        """Begin the run that an event tells of, if it is made anew."""
        run = self._starting.run_of(told)
        if run is None or self.manifest.asked.cadence or not self._scope.has_run(run):
            return
        await self._begin([run], told.seq, was_recorded=True)

    async def _begin(self, runs: Iterable[Run], seq: int, *, was_recorded: bool = False) -> None:
        """Each finds what the walk has taken over until now, and the walk goes on meanwhile."""
        for run in runs:
            self._begun += 1
            self.lessons += not was_recorded
            if self._starting.is_together(run):
                self._starting.put_by(run, seq, was_recorded=was_recorded)
                continue
            if self._starting.waiting:
                await self._make_together()
            self._writing.send()
            await self._starting.start(run, seq, self._writing.last, was_recorded=was_recorded)

    def _ended(self) -> None:
        """A run is made, and recorded."""
        self._done += 1
        self._progress(self._done, max(self._begun, self.total))


def _noted(manifest: Manifest, lost: Iterable[Lost]) -> dict[str, object]:
    """What a manifest says of the runs that read less, with these."""
    by_run = {each.run: each for each in (*manifest.lost, *lost)}
    return {"changed": tuple(dict.fromkeys((*manifest.changed, *by_run))), "lost": tuple(by_run.values())}


async def let_go(chains: Chains, traffic: Traffic, *, is_told_to: bool) -> None:
    """Break off: what was asked is recorded when it is answered, so that nobody pays for it twice, which is said to who
    told it to end. The replies of batches wait.
    """
    traffic.close()
    if is_told_to and not traffic.gathers:
        traffic.waits()
    await chains.stop(at_once=traffic.gathers)
    await traffic.stop()


def _next_of(reading: Iterator[Sheaf]) -> list[Sheaf]:
    """The decisions that are read at a time."""
    with no_collection():
        return list(islice(reading, AT_ONCE))


def _with_what_is_behind(told: Sequence[Told]) -> Iterator[tuple[Told, Event | None]]:
    """Events with the one that each is judged by: what only closes something goes with the event behind it."""
    for each, behind in pairwise((*told, None)):
        closes = each is not None and each.event is not None and is_closing(each.event)
        judged = behind if closes else each
        if each is not None:
            yield each, None if judged is None else judged.event


def _owner(event: ItemEvent | ItemRefused | ItemGone) -> Handle:
    return event.item.owner if isinstance(event, ItemEvent) else event.owner


def _is_left_out(told: Told) -> bool:
    return told.event is not None and ROLES[type(told.event)] == "left out"


def _keys(events: Iterable[Event]) -> list[Key]:
    """The chains that a person's decision is behind."""
    keys: list[Key] = []
    for event in events:
        if isinstance(event, ItemEvent):
            keys.append(("person", event.item.owner))
        elif isinstance(event, SummaryReset) or (isinstance(event, SummaryEvent) and undoes(event)):
            keys.append(("session", (event.session, event.audience.epoch)))
    return keys


def _moved(
    drafts: list[Draft], event: PlaceAudienceChanged, unit: EventId, absent: Mapping[EventId, bytes], number: int
) -> Decision:
    made = origin(unit, "readers", number, event.said)
    return lambda rows: change_readers(rows, drafts, event, made, absent)


def _gone(engine: Engine, drafts: list[Draft], redacted: list[EventId], made: Origin, _: int) -> Decision:
    return lambda rows: take_back(rows, drafts, messages_of(engine, rows, redacted), made)
