"""An open memory at its barest: the engine with the shell's clock and dice, and who is meant by an account."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from functools import cached_property, partial
from typing import TypeVar

from dnam import arguments
from dnam.alongside import alongside
from dnam.courier import recording, working
from dnam.errors import Unknown
from dnam.guarding import guarding_of
from dnam.languages import Language
from dnam.secrets import account_without_secrets
from dnam.settings import Settings
from dnam.sharing import sharing_of
from dnam.standing import Standing, of_settings
from dnam.times import is_ahead
from dnam.unbilled import Unbilled
from dnam.unwritten import Write, at_once
from dnam.whereabouts import LOCAL, handle_of, new_handle
from projections.decisions.draft import Decision, Origin
from projections.decisions.meet import Account, meet
from projections.errors import BadRequest
from projections.events.values import By
from projections.ids import Handle
from projections.people import accounts_of
from projections.policies.text import whole
from projections.quoting import in_quotes
from projections.rows import Rows
from replay.engine import Engine
from replay.errors import LogError
from replay.group import Group, Recorded
from replay.jobs import Decided
from replay.travel import Moment

T = TypeVar("T")


class Access:
    """What everything that a memory does stands on: record a decision, look at the rows."""

    def __init__(self, engine: Engine, settings: Settings, language: Language) -> None:
        self.engine = engine
        self.settings = settings
        self.language = language
        self.vocabulary = language.vocabulary
        self.guarding = guarding_of(language)
        self.sharing = sharing_of(language)
        self.standing: Standing = self._standing_by_settings
        """What a person's own direct messages open besides; whoever knows their platform hands in more."""
        self.writes = asyncio.Event()
        """Set once this memory can be written to: one that was opened for reading alone may be later."""
        if engine.store.writable:
            self.writes.set()
        self.write: Write = at_once
        """Records something where the log takes it now. Whoever has a queue for what has to wait hands that in."""
        self.watchers: list[Callable[[Recorded], None]] = []
        """Told of everything that this memory records, once it is durable. They must not raise."""

    @cached_property
    def unbilled(self) -> Unbilled:
        """What was paid here and stands on no bill yet, from when somebody first asks for it."""
        made = Unbilled()
        self.watchers.append(made.recorded)
        return made

    async def _standing_by_settings(self, person: Handle) -> tuple[str, ...]:
        return await self.look(lambda rows: of_settings(rows, person, self.settings.owner_ids))

    @property
    def stopped(self) -> LogError | None:
        """Why what is shown may not be all of it, or why nothing can be written: an event of a newer program, a missing
        key, damage. None when all is well.
        """
        return self.engine.stopped()

    def now(self) -> int:
        """The clock, in ms."""
        return self.engine.recorder.now()

    def _refuse_ahead(self, **given: int | None) -> None:
        """BadRequest where one of these is no time in ms, or more than a day ahead."""
        arguments.times(**given)
        for name, value in given.items():
            if value is not None and is_ahead(value, self._latest_now()):
                raise BadRequest(f"`{name}` is ms since 1970, and {value} lies more than a day in the future")

    def _latest_now(self) -> int:
        """The present by the later of two clocks: this memory's may stand still, as in a replayed conversation."""
        return max(self.now(), time.time_ns() // 1_000_000)

    def origin(self) -> Origin:
        """A fresh origin for a request that no platform names."""
        return Origin(seed=os.urandom(32), now=self.now())

    async def record(self, decision: Decision) -> Recorded:
        """Decide, fold and record; returns when it is durable. Cancelling it ends the waiting, not the recording."""
        return await self.submit(decision)

    def submit(self, decision: Decision, decided: Decided | None = None) -> "asyncio.Future[Recorded]":
        """Hand a decision over, without waiting: what is handed over first is recorded first. `decided` hears what it
        made before that is durable, in the writer's thread.
        """
        arguments.functions(decision=decision)
        if decided is not None:
            arguments.functions(decided=decided)
        future = recording(self.engine, decision, decided)
        if self.watchers:
            future.add_done_callback(self._tell)
        return future

    async def _record_together(self, decisions: Sequence[Decision]) -> Recorded:
        """Record several decisions in one commit, each by what those before it made. Where one raises, those before it
        stay.
        """
        if not decisions:
            return Recorded()
        future = working(self.engine, partial(_one_by_one, decisions))
        if self.watchers:
            future.add_done_callback(self._tell)
        return await future

    def _tell(self, future: "asyncio.Future[Recorded]") -> None:
        if not future.cancelled() and future.exception() is None:
            for watcher in self.watchers:
                watcher(future.result())

    async def look(self, question: Callable[[Rows], T]) -> T:
        """Ask something of the rows as they are now, off the event loop."""
        return await asyncio.to_thread(self.look_here, question)

    def look_here(self, question: Callable[[Rows], T]) -> T:
        """The same in this thread: for a thread that has more to do than look."""
        arguments.functions(question=question)
        with self.engine.reading() as rows:
            return question(rows)

    def moment(self, at: int | datetime) -> Moment:
        """The end of a decision, by seq or by time; a time without a zone is one of this machine's. BadRequest for what
        is neither, or is not there yet.
        """
        is_seq = isinstance(at, int) and not isinstance(at, bool) and at >= 0
        if not (is_seq or isinstance(at, datetime)):
            raise BadRequest(f"`at`: a moment is a seq or a datetime, not {at!r}: dnam.when.read_when reads words")
        if isinstance(at, int) and at > self.engine.head().size:
            raise BadRequest(f"there is no event #{at} yet: the log ends at #{self.engine.head().size}")
        seq = at if isinstance(at, int) else self.engine.seq_at(_milliseconds(at))
        return Moment(seq=self.engine.settled(seq))

    async def look_back(self, moment: Moment, question: Callable[[Rows, Rows], T]) -> T:
        """Ask something of the rows as they are and as they were, off the event loop."""
        arguments.of_kind(Moment, moment=moment)
        arguments.functions(question=question)
        return await asyncio.to_thread(self._look_back, moment, question)

    def _look_back(self, moment: Moment, question: Callable[[Rows, Rows], T]) -> T:
        with self.engine.now_and_then(moment) as (now, then):
            return question(now, then)

    async def person(self, user: str | Handle, *, platform: str = LOCAL, make: bool = False) -> Handle:
        """Whose account it is: `user` is the platform's id of them, or a handle, and never a name, which anybody can
        take. Unknown when nobody has it, be it a handle, as of somebody who was erased, and for the handle of nobody,
        which is that of whoever opted out; with `make`, who has an id that is new is met now.
        """
        arguments.identified(platform=platform)
        arguments.of_kind(bool, make=make)
        if isinstance(user, bytes):
            return await self._known(arguments.handle(user))
        arguments.strings(user=user)
        arguments.identified(user=whole(user))
        account = Account(platform, whole(user), whole(user))
        person = await self.look(lambda rows: handle_of(rows, account))
        if person:
            return person
        if not make:
            raise Unknown(
                f"nobody here has the id {platform}:{user}: they are known by the platform's id of them, not by a name"
            )
        return await self._met(account)

    async def _known(self, person: Handle) -> Handle:
        await self.look(lambda rows: refuse_stranger(rows, person))
        return person

    async def _known_actor(self, by: By | None) -> None:
        """Unknown where a person is said to have done it whom nobody here has met: a log keeps that for good."""
        if by is not None and by.kind == "person":
            await self.look(lambda rows: _refuse_actor(rows, by.person))

    async def _met(self, account: Account) -> Handle:
        person = await self.meet(account)
        if not person:
            raise Unknown(f"{in_quotes(account.id)} asked that nothing of theirs is kept")
        return person

    async def meet(self, account: Account) -> Handle:
        """Whose account it is; an unknown one is met now. NOBODY for somebody who opted out."""
        arguments.account(account)
        account = account_without_secrets(account)
        known = await self.look(lambda rows: handle_of(rows, account))
        if known:
            return known
        origin, fresh, said = self.origin(), (new_handle(),), self.now()
        await self.record(lambda rows: meet(rows, account, origin, fresh, said))
        return await self.look(lambda rows: handle_of(rows, account))


@asynccontextmanager
async def once_written(memory: Access, begin: Callable[[], AbstractAsyncContextManager[None]]) -> AsyncIterator[None]:
    """Have this go on for as long as the `async with` lasts, from when the memory can be written to."""
    if memory.writes.is_set():
        async with begin():
            yield
        return
    async with alongside(_begun_later(memory, begin), "what waited for a memory that can be written to"):
        yield


async def _begun_later(memory: Access, begin: Callable[[], AbstractAsyncContextManager[None]]) -> None:
    await memory.writes.wait()
    async with begin():
        await asyncio.Event().wait()


def _one_by_one(decisions: Sequence[Decision], group: Group) -> Recorded:
    done = [group.run(each) for each in decisions]
    return Recorded(tuple(record for each in done for record in each.records))


def refuse_stranger(rows: Rows, person: Handle) -> None:
    """Unknown for a handle that nobody has, or nobody any more."""
    if next(accounts_of(rows, person), None) is None:
        raise Unknown(arguments.NOBODY_MEANT)


def _refuse_actor(rows: Rows, person: Handle) -> None:
    if next(accounts_of(rows, person), None) is None:
        raise Unknown(f"`by` is a person whom nobody here has met: {arguments.HANDLES_FROM}")


def _milliseconds(at: datetime) -> int:
    try:
        return int(at.timestamp() * 1000)
    except (ValueError, OverflowError):
        raise BadRequest(f"{at} is beyond what this machine's calendar can tell: give it a zone") from None
