"""What asking takes, of what it may. What is under way counts as what it may cost, until it is known what it did.

    cost so far │ under way, each by its bound │ the next one's bound │ ceiling
                                                fits: it is asked
                                                does not: it waits for one under way to settle, and is refused where
                                                none is

A bound is the larger of what the ask is guessed to cost, by its own length, and what the dearest call cost until now.
Where that is learned as replies come, the first call goes alone, and no more are under way than settled and one.

Who asks by a batch what was asked so before shares its request: it has no bound of its own, and what it took is counted
once. What a batch replied is counted as it comes, whoever waits for it, where the model is a `Ledger`.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

import msgspec

from dnam.errors import CostsTooMuch, PriceUnknown
from dnam.model import Ask, Reply
from dnam.prompts import digest
from dnam.took import Took, is_unpriced
from projections.events.values import ModelUse

Guess = Callable[[Ask], int]
"""What an ask may cost before it is known what such calls do, in 10⁻⁶ USD; 0 where nobody knows."""


@runtime_checkable
class Ledger(Protocol):
    """A model that knows what all its replies took, also those that nobody waited for in the end."""

    @property
    def took(self) -> Took:
        """What they took, in this run and in earlier ones."""

    def listen(self, count: Callable[[Reply], None]) -> None:
        """Tell `count` of each reply that is paid for, from here on."""

    async def settle(self, *, is_over: bool = False) -> None:
        """Count what came meanwhile. Where it `is_over`, nobody waits for what is under way: that is called back."""


def unguessed(_: Ask) -> int:
    """For what costs nothing."""
    return 0


class Spending(msgspec.Struct):
    """What asking took so far, of what it may (10⁻⁶ USD; None: as much as it takes). `unknown` are the models that are
    asked and whose price is not known, `unpriced` how many calls had none, `dearest_micros` what one cost at the most.
    """

    most_micros: int | None = None
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0
    dearest_micros: int = 0
    unpriced: int = 0
    unknown: tuple[str, ...] = ()
    guess: Guess = unguessed
    learns: bool = False
    """Whether replies come one by one: a batch brings all at once, perhaps in a day, and is not asked for in steps."""
    hears: bool = False
    """Whether it is told of every reply that is paid for, as it comes, and does not count those that are taken."""
    shares: bool = False
    """Whether who asks the same shares a request, as by a batch."""
    asked: set[bytes] = set()
    """The questions that went out, where requests are shared."""
    paid: set[bytes] = set()
    """The questions of which it was counted what they took."""
    under_way: list[int] = []
    """The guess of each call that is."""
    waiting: list[asyncio.Future[None]] = []
    """Who waits for one of these to settle."""

    def add(self, use: Reply | ModelUse) -> None:
        """Count a call."""
        self.calls += 1
        self.tokens_in += use.tokens_in
        self.tokens_out += use.tokens_out
        self.cost_micros += use.cost_micros
        self.dearest_micros = max(self.dearest_micros, use.cost_micros)
        self.unpriced += is_unpriced(use)

    def took(self, ask: Ask, reply: Reply) -> Reply:
        """Count what a reply took: the reply, which took nothing where that was counted for whoever asked before."""
        if self.shares:
            question = digest(ask.system, ask.prompt)
            if reply.shared and question in self.paid:
                return paid_before(reply)
            self.paid.add(question)
        if not self.hears:
            self.add(reply)
        return reply

    async def room(self, ask: Ask) -> None:
        """Wait until an ask fits into what is left, whatever is under way. CostsTooMuch where nothing is any more and
        it does not. PriceUnknown where nobody knows.
        """
        if self.most_micros is None:
            return
        if self.unknown:
            raise PriceUnknown(self.unknown)
        while not (self._is_asked(ask) or self._fits(self.guess(ask))):
            if not self.under_way:
                raise CostsTooMuch(self.most_micros)
            settled = asyncio.get_running_loop().create_future()
            self.waiting.append(settled)
            await settled

    def _is_asked(self, ask: Ask) -> bool:
        """Whether it shares a request."""
        return self.shares and digest(ask.system, ask.prompt) in self.asked

    def _fits(self, guess: int) -> bool:
        """Whether one more may be asked."""
        if self.learns and len(self.under_way) > self.calls:
            return False
        bound = sum(max(each, self.dearest_micros) for each in (*self.under_way, guess))
        return self.most_micros is None or self.cost_micros + bound <= self.most_micros

    @contextmanager
    def asking(self, ask: Ask) -> Iterator[None]:
        """As long as a call is under way; `add` it before that ends."""
        if self._is_asked(ask):
            yield
            return
        if self.shares:
            self.asked.add(digest(ask.system, ask.prompt))
        guess = self.guess(ask)
        self.under_way.append(guess)
        try:
            yield
        finally:
            self.under_way.remove(guess)
            waiting, self.waiting = self.waiting, []
            for each in waiting:
                if not each.done():
                    each.set_result(None)


def paid_before(reply: Reply) -> Reply:
    """A reply that was paid for already."""
    return msgspec.structs.replace(reply, tokens_in=0, tokens_out=0, tokens_cached=0, cost_micros=0)
