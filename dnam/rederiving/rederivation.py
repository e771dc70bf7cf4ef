"""A derivation: a live memory that is read, a shadow that is written, and the walk from the one into the other."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from dnam.languages import Language, load
from dnam.learning.tending import MERGE_PROMPT, Tending
from dnam.loops.loop import nothing
from dnam.meaning.encoder import Encoder
from dnam.memory import Memory
from dnam.model import Ask, Model
from dnam.prices import BATCHED, FULL, prices
from dnam.prompts import load as prompt
from dnam.prompts import prompts
from dnam.rederiving.estimate import Estimate, Terms, estimate, guessed_micros, is_asked, merges_behind
from dnam.rederiving.following import follow
from dnam.rederiving.forgotten_ahead import take_back_ahead
from dnam.rederiving.hidden import hidden_in
from dnam.rederiving.lessons import Lessons
from dnam.rederiving.quiet import expected
from dnam.rederiving.replies import Again, Replies, anytime
from dnam.rederiving.runs import Runs, With
from dnam.rederiving.scope import LiveScope
from dnam.rederiving.seeds import early_reply_of, made_by
from dnam.rederiving.spending import Guess, Ledger, Spending, unguessed
from dnam.rederiving.traffic import AT_ONCE, Send, Traffic
from dnam.rederiving.unusable import unusable_in
from dnam.rederiving.walk import Walk
from dnam.rederiving.watch import Refuse, TakenBack, Watch, unwatched
from dnam.resolving import resolved
from dnam.settings import Settings
from dnam.shadows.manifest import Asked, Manifest, making, save, without_erased
from dnam.shadows.opening import open_shadow
from projections.consent import is_out
from projections.errors import BadRequest
from projections.events import Event, ExtractionReplied, MergeReplied, ReplyWithdrawn
from projections.events.values import ModelUse
from projections.ids import EventId
from projections.policies import closeness
from projections.policies.closeness import by_tokens
from projections.rederiving.schedule import TOLD_BY, Recorded, Run, recorded
from projections.rows import Rows
from projections.work import WORK
from replay.clock import Clock
from replay.engine import Engine
from replay.errors import KeyMissing, LogError, Refused
from replay.lmdb_file import refuse_full, translated
from replay.log import Head
from replay.shadows.shadow import shadow_folder
from replay.units import stored_with, tagged

Progress = Callable[[int, int, int], None]
"""Told how many runs are done, of how many, and the cost so far in 10⁻⁶ USD."""
Waits = Callable[[int], None]
"""Told, where it is to end, for how many calls it waits before it does."""
APART = "apart@1"
MERGE_POLICIES = (closeness.VERSION, APART)
"""How items are merged: those that are close, or none."""
CATCHING_UP = 3
"""How many times it catches up with what was recorded meanwhile: it ends also where somebody never stops writing."""


def unheeded(_: int) -> None:
    """Nobody is told."""


class Way(NamedTuple):
    """How it is derived: what compares items, how many calls there are at once, what sends those of batches, and who is
    told for how many it `waits` where it is to end.
    """

    encoder: Encoder | None
    at_once: int
    send: Send | None
    waits: Waits


class Rederivation:
    """An open derivation."""

    def __init__(self, live: Engine, memory: Memory, model: Model, manifest: Manifest, folder: Path) -> None:
        self.live = live
        self.memory = memory
        self.model = model
        self.manifest = manifest
        self._data = folder
        self._scope = LiveScope(live, manifest.asked.scope)
        self._as_of = live.head()
        self._end = self._as_of.size
        """Up to where the live log is read."""
        self._lessons = 0
        """How many runs are expected that were never recorded, once they were looked for."""
        self._follows: int | None = None
        """Behind which seq the last walk began: what was taken back behind it, it may not know of."""
        self.recorded = self._read()

    def _read(self) -> Recorded:
        """What the live log tells of its runs, and what is left of those whose words went behind the end."""
        withdrawn = stored_with(self.live, {ReplyWithdrawn.TAG}, self._end, self._as_of.size)
        records = filter(None, map(self.live.live.folding.record, withdrawn))
        behind = ((each.id, each.event) for each in records)
        return recorded(chain(tagged(self.live, TOLD_BY, self._end), behind))

    def runs(self) -> list[Run]:
        """The recorded runs that are made anew."""
        if self.manifest.asked.cadence:
            return []
        log, since = self.live.store.log, self.manifest.asked.since
        return [run for run in self.recorded.every if self._scope.has_run(run) and (log.find(run.event) or 0) > since]

    def estimate(self, at_once: int = AT_ONCE) -> Estimate:
        """What it may take."""
        asked = self.manifest.asked
        names = {"extraction": resolved(self.model, asked.model), "summary": resolved(self.model, asked.summary_model)}
        lessons = [*self._expected(), *expected(self.live, self.memory.engine, self._scope, self.again())]
        self._lessons = len(lessons)
        runs = sorted((*self._runs_behind(), *lessons), key=self._begins)
        runs = [run for run in runs if not self._is_of_who_is_out(run)]
        left = [run for run in runs if not self._is_paid(run)]
        return estimate(left, self._merges(runs), self.again(), Terms(names, self._share, at_once))

    def _is_of_who_is_out(self, run: Run) -> bool:
        """Whether a run is of somebody who opted out: it is passed by."""
        with self.live.reading() as rows:
            return is_out(rows, run.owner if run.loop == "extraction" else run.person)

    def _runs_behind(self) -> list[Run]:
        """The recorded runs that no earlier walk came by."""
        find = self.live.store.log.find
        return [run for run in self.runs() if (find(run.event) or 0) > self.manifest.upto]

    def _merges(self, runs: Sequence[Run]) -> list[ModelUse]:
        """The merges that there may be, as many as were recorded: behind those of these runs that ask the model, in
        their order; of whom some were made, behind the last of these.
        """
        if self.manifest.asked.merge_policy == APART:
            return []
        again = self.again()
        asked = [run for run in runs if is_asked(run, again)]
        last_made = {run.owner: run for run in asked if self._is_paid(run)}
        return merges_behind(self.recorded, (*(run for run in asked if not self._is_paid(run)), *last_made.values()))

    def _begins(self, run: Run) -> int:
        """Behind which seq of the live log a run begins, as far as it is known; one that was never recorded behind the
        last that it reads.
        """
        find = self.live.store.log.find
        return find(run.event) or max((find(each) or 0 for each in run.reads or ()), default=0)

    def _expected(self) -> list[Run]:
        """What no recorded run has read and is due by now, but for what an earlier walk came by."""
        there = Lessons(self.live, self.memory.settings, self.manifest.asked, self.recorded, self._scope)
        there.pass_by(0, self.manifest.upto)
        return there.pass_by(self.manifest.upto, self.live.head().size)

    def _is_paid(self, run: Run) -> bool:
        """Whether a run was made before, or its reply is there already: it is not asked for again."""
        find = self.memory.engine.store.log.find
        return find(made_by(run)) is not None or find(early_reply_of(run)) is not None

    @property
    def _share(self) -> Decimal:
        return BATCHED if self.manifest.asked.batch else FULL

    @property
    def unknown(self) -> tuple[str, ...]:
        """The models that are asked and paid, and whose price is not known."""
        asked = self.manifest.asked
        names = dict.fromkeys(resolved(self.model, each) for each in (asked.model, asked.summary_model))
        return tuple(each for each in names if prices().price_of(each) is None) if self.model.paid else ()

    def again(self) -> Again:
        """Whether a recorded call was of the model and the prompt that are asked for."""
        asked, model = self.manifest.asked, self.model
        prompts = {
            asked.extraction_prompt: {asked.model, resolved(model, asked.model)},
            asked.summary_prompt: {asked.summary_model, resolved(model, asked.summary_model)},
            MERGE_PROMPT: {asked.model, resolved(model, asked.model)},
        }

        def same(call: ModelUse) -> bool:
            if call.model == model.name and not model.paid and call.version not in ("", model.version):
                return False
            return call.model in prompts.get(call.prompt, ()) or (not call.version and call.prompt in prompts)

        return same

    async def run(
        self,
        progress: Progress,
        *,
        encoder: Encoder | None = None,
        most_micros: int | None = None,
        at_once: int = AT_ONCE,
        send: Send | None = None,
        waits: Waits = unheeded,
    ) -> Manifest:
        """Walk until the live memory's end is reached, and some times until what was recorded meanwhile is; what was
        done when it breaks off stays, and is gone on from. Told to end, it `waits` for the calls that are under way.
        """
        self._begin()
        ledger = self.model if isinstance(self.model, Ledger) else None
        if ledger is not None:
            await ledger.settle()
        spending, way = await self._spending(most_micros, shares=send is not None), Way(encoder, at_once, send, waits)
        if ledger is not None:
            ledger.listen(spending.add)
        try:
            for _ in range(1 + CATCHING_UP):
                end = self.live.head().size
                while self.manifest.upto < end or self.manifest.state != "complete":
                    epoch = self.live.head().epoch
                    try:
                        await self._once(end, way, spending, progress)
                    except TakenBack:  # it begins again, without that, and no further: else others never let it end
                        continue
                    except (Refused, KeyMissing):
                        if not await asyncio.to_thread(self._erased_since, epoch):
                            raise
            await asyncio.to_thread(self._follow_last)
            if ledger is not None:
                await ledger.settle(is_over=True)
                self._keep(await asyncio.to_thread(self._counted, spending))
        except BaseException as error:
            self._keep_what_it_took(spending, error)
            raise
        return self.manifest

    def _begin(self) -> None:
        """Note where the live log ends, unless this goes on with what was broken off: what people take back behind it
        is taken back while the shadow is being made.
        """
        if self.manifest.begun <= self.manifest.upto:
            self._keep(msgspec.structs.replace(self.manifest, begun=self.live.head().size))

    def _keep_what_it_took(self, spending: Spending, why: BaseException) -> None:
        """A reply that was not recorded is asked for again, or is in a batch: it counts then. The disk that broke it
        off may not take this either: then why it broke off is what is told.
        """
        try:
            with translated(shadow_folder(self._data, self.manifest.name)):
                self._keep(self._counted(self._took_by_now() if self.model.paid else spending))
        except LogError as another:
            if not isinstance(why, LogError | OSError):
                raise
            why.add_note(str(another))

    def _erased_since(self, epoch: int) -> bool:
        """Whether somebody was erased meanwhile: what was under way for them ends, and all else goes on."""
        with self.live.reading():
            return self.live.head().epoch != epoch

    def _runs(
        self,
        spending: Spending,
        traffic: Traffic,
        encoder: Encoder | None,
        refuse: Refuse = unwatched,
        hidden: frozenset[EventId] = frozenset(),
    ) -> Runs:
        memory, asked = self.memory, self.manifest.asked
        refuse_full = self._refuse_full if self.model.paid and not traffic.gathers else anytime
        replies = Replies(self.model, self.recorded, self._find, self.again(), spending, traffic, refuse, refuse_full)
        merges = by_tokens(memory.vocabulary) if asked.merge_policy != APART else None
        with_ = With(
            prompt(asked.extraction_prompt),
            prompt(asked.summary_prompt),
            prompt(MERGE_PROMPT),
            asked.model,
            asked.summary_model,
            merges,
        )
        return Runs(memory, Tending(memory, self.model, encoder), replies, with_, hidden)

    def _refuse_full(self) -> None:
        """LogFull: a reply would be paid for, and again once there is room. What comes of a batch can be fetched."""
        refuse_full(shadow_folder(self._data, self.manifest.name))

    async def _once(self, end: int, way: Way, spending: Spending, progress: Progress) -> None:
        """One walk to where the live log ended. TakenBack where something was that it may have read."""

        def tell(done: int, total: int) -> None:
            progress(done, total, spending.cost_micros)

        await self.memory.record(nothing)  # what a walk that was broken off had left on its way is there behind it
        head = await asyncio.to_thread(self._followed)
        if (head, end) != (self._as_of, self._end):
            self._as_of, self._end = head, end
            self.recorded = await asyncio.to_thread(self._read)
        watch = Watch(self.live, end, head.size)
        still, waits = partial(asyncio.to_thread, watch.refuse), lambda: way.waits(len(spending.under_way))
        traffic = Traffic(way.at_once, way.send, still, waits)
        hidden = await asyncio.to_thread(hidden_in, self.live, self.manifest.begun)
        runs = self._runs(spending, traffic, way.encoder, watch.refuse, hidden)
        walk = Walk(self.live, self.memory, runs, self.recorded, self._scope, self.manifest, traffic, self._keep, tell)
        recorded_runs, find = self.runs(), self.live.store.log.find
        ahead = sum((find(run.event) or 0) > self.manifest.upto for run in recorded_runs)
        walk.total, self._lessons = ahead + self._lessons, 0
        await walk.go(end)
        counted = await asyncio.to_thread(self._counted, spending)
        self._keep(msgspec.structs.replace(counted, state="complete", runs=len(recorded_runs) + walk.lessons))

    def _followed(self) -> Head:
        """Where the live log ends, with all that was taken back in it by then taken back in the shadow."""
        with self.live.reading():
            """What other processes rewrote is known from here on."""
        head = self.live.head()
        follow(self.live, self.memory.engine, self.manifest.upto)
        self._follows = self.manifest.upto
        cap = self.memory.settings.durable_max_items
        take_back_ahead(self.live, self.memory.engine, self._scope, cap, self.manifest.begun)
        return head

    def _follow_last(self) -> None:
        """Take back what was taken back while the last walk was under way, which may have taken it over meanwhile."""
        if self._follows is not None:
            follow(self.live, self.memory.engine, self._follows)

    def _keep(self, manifest: Manifest) -> None:
        self.manifest = without_erased(manifest, self.memory.engine.store.ring)
        with translated(shadow_folder(self._data, self.manifest.name)):
            save(self._data, self.manifest)

    def _counted(self, spending: Spending) -> Manifest:
        return msgspec.structs.replace(
            self.manifest,
            calls=max(spending.calls, self.manifest.calls),
            tokens_in=max(spending.tokens_in, self.manifest.tokens_in),
            tokens_out=max(spending.tokens_out, self.manifest.tokens_out),
            cost_micros=max(spending.cost_micros, self.manifest.cost_micros),
            unpriced=max(spending.unpriced, self.manifest.unpriced) if self.model.paid else self.manifest.unpriced,
            unusable=unusable_in(self.memory.engine, self.live),
            useless=self._useless(),
        )

    def _useless(self) -> int:
        """How many replies are paid for of which nothing is there: what they had read was taken back, or is asked about
        otherwise. A reply that comes one by one is there as soon as it is paid for.
        """
        return max(0, self.model.took.calls - self._took().calls) if isinstance(self.model, Ledger) else 0

    async def _spending(self, most_micros: int | None, *, shares: bool) -> Spending:
        """What it took so far: by the replies in the shadow, and no less than was noted. A batch `shares` requests, and
        brings all replies at once.
        """
        took = await asyncio.to_thread(self._took_by_now)
        known = self.manifest
        return Spending(
            most_micros,
            max(took.calls, known.calls),
            max(took.tokens_in, known.tokens_in),
            max(took.tokens_out, known.tokens_out),
            max(took.cost_micros, known.cost_micros),
            took.dearest_micros,
            max(took.unpriced, known.unpriced),
            self.unknown,
            self._guess(),
            hears=isinstance(self.model, Ledger),
            learns=not shares,
            shares=shares,
            paid=took.paid,
        )

    def _guess(self) -> Guess:
        if not self.model.paid:
            return unguessed

        def guess(ask: Ask) -> int:
            return guessed_micros(resolved(self.model, ask.model), ask.system + ask.prompt, self._share)

        return guess

    def _took_by_now(self) -> Spending:
        """The same, and no less than what the model knows that its replies took."""
        took, model = self._took(), self.model
        if isinstance(model, Ledger):
            took.calls = max(took.calls, model.took.calls)
            took.tokens_in = max(took.tokens_in, model.took.tokens_in)
            took.tokens_out = max(took.tokens_out, model.took.tokens_out)
            took.cost_micros = max(took.cost_micros, model.took.cost_micros)
            took.unpriced = max(took.unpriced, model.took.unpriced)
        return took

    def _took(self) -> Spending:
        """What every reply took that is there, with those that were not decided from yet."""
        memory, paid = self.memory, Spending()
        calls = memory.look_here(_calls)
        waiting: dict[bytes, list[ModelUse]] = defaultdict(list)
        tags = {ExtractionReplied.TAG, MergeReplied.TAG}
        for _, event in tagged(memory.engine, tags, memory.engine.head().size):
            if isinstance(event, ExtractionReplied | MergeReplied) and _is_paid_for(event.call):
                waiting[event.call.prompt_digest].append(event.call)
        decided = Counter(call.prompt_digest for call in calls)
        for call in chain(calls, *(some[decided[question] :] for question, some in waiting.items())):
            paid.add(call)
            paid.paid.add(call.prompt_digest)
        return paid

    def _find(self, event: EventId) -> Event | None:
        """An event of the shadow that can be read."""
        engine = self.memory.engine
        seq = engine.store.log.find(event)
        record = None if seq is None else engine.live.folding.record_at(seq)
        return None if record is None else record.event


def _calls(rows: Rows) -> list[ModelUse]:
    """The calls whose replies were decided from, but for those that were paid for before."""
    return [found.row.call for found in rows.scan(WORK) if _is_paid_for(found.row.call)]


def _is_paid_for(call: ModelUse) -> bool:
    return bool(call.tokens_in or call.tokens_out)


def refuse_unknown(asked: Asked) -> None:
    """BadRequest for a prompt or a policy that this program does not have."""
    for kind, name in (("extraction", asked.extraction_prompt), ("summary", asked.summary_prompt)):
        there = [each for each in prompts() if each.startswith(f"{kind}@")]
        if name not in there:
            raise BadRequest(f"there is no {kind} prompt {name!r} here: there are {', '.join(there)}")
    if asked.merge_policy not in MERGE_POLICIES:
        raise BadRequest(f"there is no merge policy {asked.merge_policy!r}: there are {', '.join(MERGE_POLICIES)}")


@asynccontextmanager
async def rederiving(
    data: Path, settings: Settings, model: Model, manifest: Manifest, clock: Clock | None = None
) -> AsyncIterator[Rederivation]:
    """A derivation into the shadow of a manifest, which is made where it is not there, open for as long as the
    `async with` lasts. Nothing is recorded in the live memory. ShadowUnusable where that shadow cannot be gone on with.
    """
    language: Language = load(settings.language)
    asked = manifest.asked
    settings = replace(settings, durable_model=asked.model, summary_model=asked.summary_model)
    with Engine.open(data, writable=False) as live:
        hindrance = live.stopped()
        if hindrance is not None:
            raise hindrance
        with making(data, manifest.name), open_shadow(live, data, manifest, writable=True, clock=clock) as engine:
            if not manifest.log:
                manifest = msgspec.structs.replace(
                    manifest,
                    log=engine.store.log.id.hex(),
                    of=live.store.log.id.hex(),
                    by=resolved(model, asked.model),
                )
                save(data, manifest)
            yield Rederivation(live, Memory(engine, settings, language), model, manifest, data)
