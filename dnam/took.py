"""What asking models took."""

import msgspec

from dnam.model import Reply
from dnam.prices import prices
from projections.events.values import ModelUse


class Took(msgspec.Struct):
    """Calls, their tokens and their cost in 10⁻⁶ USD, but for the `unpriced` ones, of which nobody knows it."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0
    unpriced: int = 0

    def add(self, use: Reply | ModelUse) -> None:
        """Count a call."""
        self.calls += 1
        self.tokens_in += use.tokens_in
        self.tokens_out += use.tokens_out
        self.cost_micros += use.cost_micros
        self.unpriced += is_unpriced(use)


def is_unpriced(use: Reply | ModelUse) -> bool:
    """Whether nobody knows what a call cost that cost something."""
    return bool(use.tokens_in and not use.cost_micros and prices().price_of(use.model) is None)
