"""Times and small values, as other programs write them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnam.importers.times import iso_ms, snowflake_ms, unix_ms
from dnam.importers.values import snowflake, thousandths
from tests.dnam.importers.files import T0, flake


@pytest.mark.parametrize(
    "text",
    [
        "2023-11-14T22:13:20Z",
        "2023-11-14T22:13:20.000000",
        "2023-11-14 22:13:20",
        "2023-11-14 22:13:20+00",
        " 2023-11-15 03:43:20.0+05:30\n",
    ],
)
def test_one_moment_in_many_writings(text: str) -> None:
    assert iso_ms(text) == T0


@pytest.mark.parametrize("text", ["", "now", "infinity", "-infinity", "1969-12-31T23:59:59", "1700000000", None, 7])
def test_what_is_no_time_is_none(text: object) -> None:
    assert iso_ms(text) is None


@given(st.integers(86_400_000, 253_402_100_000_000), st.integers(-14 * 60, 14 * 60))
def test_a_zone_moves_nothing(milliseconds: int, minutes: int) -> None:
    moment = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)
    there = moment.astimezone(timezone(timedelta(minutes=minutes)))
    assert iso_ms(there.isoformat(" ")) == milliseconds


@pytest.mark.parametrize(("seconds", "expected"), [(1, 1000), (0, None), (None, None), (10**12, None)])
def test_unix_seconds(seconds: int | None, expected: int | None) -> None:
    assert unix_ms(seconds) == expected


def test_an_id_of_discord_tells_its_time() -> None:
    assert snowflake_ms(flake(T0, 5)) == T0
    assert snowflake_ms("7") is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [(100, "100"), (" 100 ", "100"), (0, None), ("007", None), ("", None), (None, None), ("1" * 21, None), (-1, None)],
)
def test_ids_are_digits(value: int | str | None, expected: str | None) -> None:
    assert snowflake(value) == expected


@given(st.integers(0, 1000))
def test_thousandths_are_exact(parts: int) -> None:
    assert thousandths(parts / 1000) == parts


@pytest.mark.parametrize(("share", "expected"), [(-1.0, 0), (2.0, 1000), (0.0005, 1), (0.99949, 999)])
def test_thousandths_stay_inside(share: float, expected: int) -> None:
    assert thousandths(share) == expected
