"""What a call costs: a table of prices with its date, as data (`prices.toml`).

A dollar for a million tokens is a millionth of a dollar for one, so a cost in 10⁻⁶ USD is tokens times prices. It is
rounded once, to the nearest whole number.
"""

import tomllib
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from importlib import resources
from typing import NamedTuple

import msgspec

from projections.models import undated

MICROS = 1_000_000
FULL = Decimal(1)
BATCHED = Decimal("0.5")
"""What is paid of every price for a call in a batch: https://platform.claude.com/docs/en/about-claude/pricing"""


class Tokens(NamedTuple):
    """What a call took. `fresh` were neither read from the cache nor written to it."""

    fresh: int
    out: int
    cache_write: int = 0
    cache_read: int = 0

    @property
    def read_in(self) -> int:
        """The whole prompt."""
        return self.fresh + self.cache_write + self.cache_read


class Rates(msgspec.Struct, frozen=True):
    """US dollars for a million tokens of each sort."""

    fresh: Decimal = msgspec.field(name="in")
    out: Decimal
    cache_write: Decimal
    cache_read: Decimal

    def micros(self, tokens: Tokens, share: Decimal = FULL) -> int:
        """What these tokens cost, in 10⁻⁶ USD, where only a share of the price is paid."""
        exact = (
            tokens.fresh * self.fresh
            + tokens.out * self.out
            + tokens.cache_write * self.cache_write
            + tokens.cache_read * self.cache_read
        )
        return int((exact * share).to_integral_value(ROUND_HALF_UP))


class Price(Rates, frozen=True):
    """A model's rates; `long` holds for prompts of more than `over` tokens, where the model has such."""

    over: int = 0
    long: Rates | None = None

    def of(self, tokens: Tokens) -> Rates:
        """The rates that hold for a call."""
        return self.long if self.long is not None and tokens.read_in > self.over else self


class Prices(msgspec.Struct, frozen=True):
    """The table, and the day on which it was last held against the source."""

    as_of: date
    models: dict[str, Price]

    def price_of(self, model: str) -> Price | None:
        """A model's price, by its name or its dated name; None when it is not known."""
        return self.models.get(model) or self.models.get(undated(model))

    def cost_micros(self, model: str, tokens: Tokens, share: Decimal = FULL) -> int | None:
        """What a call cost, in 10⁻⁶ USD, `BATCHED` or in `FULL`; None when the model's price is not known."""
        price = self.price_of(model)
        return None if price is None else price.of(tokens).micros(tokens, share)


def read(text: str) -> Prices:
    """A table of prices. msgspec.ValidationError for one that lacks something."""
    return msgspec.convert(tomllib.loads(text, parse_float=Decimal), Prices)


@cache
def prices() -> Prices:
    """The table that comes with the program."""
    return read((resources.files("dnam") / "prices.toml").read_text(encoding="utf-8"))


def dollars(micros: int) -> str:
    """An amount for people: `$0.0123`, four digits behind the point."""
    return f"${Decimal(micros) / MICROS:,.4f}"


def exact_dollars(micros: int) -> str:
    """An amount that somebody gave, with all of its digits: `$0.003`, `$2.00`."""
    whole, _, rest = f"{Decimal(micros) / MICROS:,f}".partition(".")
    return f"${whole}.{rest.rstrip('0'):0<2}"
