"""Prices: exact, dated, and known for every model that an alias stands for."""

from datetime import date

import pytest

from dnam.adapters.anthropic.aliases import resolve
from dnam.guess import guessed_micros
from dnam.learning.learner import Estimate
from dnam.prices import BATCHED, Tokens, dollars, exact_dollars, prices, read
from dnam.settings import read as settings_from

TABLE = read("""
as_of = 2026-02-09
[models]
small = { in = 0.10, out = 0.50, cache_write = 0.125, cache_read = 0.01 }
tiered = { in = 1, out = 2, cache_write = 3, cache_read = 4, over = 10, long = { in = 5, out = 6, cache_write = 7, cache_read = 8 } }
""")  # noqa: E501 - TOML has its tables in one line


@pytest.mark.parametrize(
    ("model", "tokens", "micros"),
    [
        ("small", Tokens(1_000_000, 0), 100_000),
        ("small", Tokens(0, 1_000_000), 500_000),
        ("small", Tokens(0, 0, 1_000_000, 1_000_000), 135_000),
        ("small", Tokens(4, 0), 0),
        ("small", Tokens(5, 0), 1),
        ("small-20260209", Tokens(10, 0), 1),
        ("tiered", Tokens(4, 1, 3, 3), 4 + 2 + 9 + 12),
        ("tiered", Tokens(5, 1, 3, 3), 25 + 6 + 21 + 24),
        ("large", Tokens(1, 1), None),
    ],
)
def test_a_call_costs_its_tokens_at_their_prices(model: str, tokens: Tokens, micros: int | None) -> None:
    assert TABLE.cost_micros(model, tokens) == micros


@pytest.mark.parametrize(
    ("model", "tokens", "micros"),
    [
        ("small", Tokens(1_000_000, 1_000_000), 300_000),
        ("small", Tokens(0, 0, 1_000_000, 1_000_000), 67_500),
        ("small", Tokens(0, 2), 1),  # half of one is rounded once, not twice
        ("small", Tokens(0, 1), 0),
        ("tiered", Tokens(5, 1, 3, 3), (25 + 6 + 21 + 24) // 2),
        ("large", Tokens(1, 1), None),
    ],
)
def test_in_a_batch_it_costs_half_of_them(model: str, tokens: Tokens, micros: int | None) -> None:
    assert TABLE.cost_micros(model, tokens, BATCHED) == micros


def test_the_table_says_since_when_it_holds() -> None:
    assert TABLE.as_of == date(2026, 2, 9)
    assert prices().as_of >= date(2026, 10, 24)


@pytest.mark.parametrize("alias", ["haiku", "sonnet", "opus"])
def test_every_alias_has_a_price(alias: str) -> None:
    assert prices().price_of(resolve(alias)) is not None


@pytest.mark.parametrize(
    ("model", "estimate", "micros"),
    [
        ("small", Estimate(10, 0, 40_000), 10 * 650),
        ("small", Estimate(0, 10, 40_000), 10 * 650),
        ("small", Estimate(5, 5, 40_000), 10 * 650),
        ("small", Estimate(0, 0, 0), 0),
        ("large", Estimate(1, 0, 40), None),
    ],
)
def test_learning_has_a_guessed_price(model: str, estimate: Estimate, micros: int | None) -> None:
    settings = settings_from({"DNAM_DURABLE_MODEL": model, "DNAM_SUMMARY_MODEL": "small"}, {})
    assert guessed_micros(settings, estimate, TABLE) == micros


def test_an_amount_for_people() -> None:
    assert (dollars(0), dollars(12_345), dollars(1_234_567_800)) == ("$0.0000", "$0.0123", "$1,234.5678")


def test_an_amount_that_somebody_gave_has_all_of_its_digits() -> None:
    amounts = (0, 1, 3_000, 2_000_000, 1_234_500_000)
    assert [*map(exact_dollars, amounts)] == ["$0.00", "$0.000001", "$0.003", "$2.00", "$1,234.50"]
