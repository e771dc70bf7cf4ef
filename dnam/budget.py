"""A model that is asked within its limits: what a day may cost, how often a person is answered in a minute.

What a day has cost stands in the log. What was paid here and does not stand there yet counts too.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, TypeVar

from dnam.memory import Memory
from dnam.model import Ask, Hear, Model, ModelError, OverBudget, Reply, TooOften, spent_in, unheard
from dnam.prices import MICROS
from dnam.settings import Settings
from projections.calls import Spent, spent_on
from projections.ids import MINUTE_MS, Handle
from projections.policies.budget import Budget, answered_lately, over_cost, over_turns
from projections.rows import Rows
from projections.times import DAY_MS
from replay.errors import LogError

T = TypeVar("T")
GLANCED_MS = 5_000
"""How long what was read ahead of an answer holds for it."""
MOST_GLANCED = 256
"""For so many people at the most is remembered what was read of them before they were asked about."""


class Glance(NamedTuple):
    """What the log said at a moment (ms) of what the limits are held against: of the day, and of a person's minute."""

    at: int
    spent: Spent
    answered: int


def budget_of(settings: Settings) -> Budget:
    """The limits that the settings ask for."""
    return Budget(int(settings.max_cost_per_day * MICROS), settings.turns_per_minute)


class Budgeted:
    """A `Model` that raises OverBudget instead of asking, where a limit is reached. Nothing of it is recorded here."""

    def __init__(self, model: Model, memory: Memory) -> None:
        self.model = model
        self._memory = memory
        self._spent: Spent | None = None
        self._begun: deque[tuple[int, bytes]] = deque()
        """Which answers were begun within the last minute, the oldest first: when (ms), and to whom."""
        self._unbilled = memory.unbilled
        self._glances: dict[Handle, Glance] = {}
        """What was read for whoever is about to be answered; each is used once."""

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def version(self) -> str:
        return self.model.version

    @property
    def paid(self) -> bool:
        return self.model.paid

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        """What the model replies; OverBudget says which limit stands against it. A turn that was let in goes on."""
        if not ask.goes_on:
            glance = self._glanced(ask)
            await self._stay_within_cost(ask, glance)
            if ask.purpose == "answer":
                await self.take_turn(ask.person, ask.account, glance)
        return await self._paid_for(ask, hear)

    def glance(self, rows: Rows, person: Handle) -> None:
        """Read what the next answer to somebody is held against in a look that is made anyway, in whatever thread: each
        look of its own is time in which they wait.
        """
        now, budget = self._memory.now(), budget_of(self._memory.settings)
        spent = spent_on(rows, now, self._spent) if budget.micros_per_day else Spent(now // DAY_MS)
        answered = answered_lately(rows, person, now) if budget.turns_per_minute else 0
        if len(self._glances) >= MOST_GLANCED:
            self._glances.clear()
        self._glances[person] = Glance(now, spent, answered)

    def _glanced(self, ask: Ask) -> Glance | None:
        """What was read for this answer, if it was just now."""
        found = self._glances.pop(ask.person, None) if ask.purpose == "answer" else None
        return found if found is not None and self._memory.now() - found.at <= GLANCED_MS else None

    async def take_turn(self, person: Handle, account: bytes = b"", glance: Glance | None = None) -> None:
        """Count what somebody is about to get as one of their answers of this minute; OverBudget when they had them.
        Who is nobody to the memory is counted by their account, and only here.

        It is counted before anything is waited for, so that what is asked at once is counted at once.
        """
        budget = budget_of(self._memory.settings)
        whose = person or account
        if not (budget.turns_per_minute and whose):
            return
        now = self._memory.now()
        begun = self._begun_lately(whose, now)
        self._begun.append((now, whose))
        answered = glance.answered if glance else await self._look(lambda rows: answered_lately(rows, person, now))
        over = over_turns(max(answered or 0, begun), budget)
        if over is not None:
            with suppress(ValueError):  # a minute has passed meanwhile
                self._begun.remove((now, whose))
            raise TooOften(over.reason, words=over.words)

    async def _paid_for(self, ask: Ask, hear: Hear) -> Reply:
        """The reply; what it took, or what an ask without one took, counts from now on."""
        try:
            reply = await self.model.ask(ask, hear)
        except ModelError as error:
            self._pay(error.spent)
            raise
        except asyncio.CancelledError as error:
            self._pay(spent_in(error))
            raise
        self._pay(reply)
        return reply

    def _pay(self, spent: object) -> None:
        if isinstance(spent, Reply):  # whoever asked says so where a model's reply is none
            self._unbilled.paid(spent.cost_micros, self._memory.now())

    async def _stay_within_cost(self, ask: Ask, glance: Glance | None) -> None:
        budget = budget_of(self._memory.settings)
        over = over_cost(await self._spent_today(glance), ask.purpose, budget) if budget.micros_per_day else None
        if over is not None:
            raise OverBudget(over.reason, words=over.words)

    async def _spent_today(self, glance: Glance | None) -> Spent:
        """What the log says, as it was last read where it cannot be read now, and what does not stand there yet."""
        now = self._memory.now()
        read = glance.spent if glance else await self._look(lambda rows: spent_on(rows, now, self._spent))
        if read is not None:
            self._spent = read
        known = self._spent if self._spent is not None and self._spent.day == now // DAY_MS else Spent(now // DAY_MS)
        return known._replace(micros=known.micros + self._unbilled.on_day_of(now))

    async def _look(self, question: Callable[[Rows], T]) -> T | None:
        try:
            return await self._memory.look(question)
        except (LogError, OSError):  # answering never fails because of memory
            return None

    def _begun_lately(self, whose: bytes, now: int) -> int:
        """How many answers to somebody this process began within the last minute; forgets what was before."""
        while self._begun and self._begun[0][0] <= now - MINUTE_MS:
            self._begun.popleft()
        return sum(1 for _, each in self._begun if each == whose)
