"""Moments in words: a table."""

import time
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from dnam.times import shown, zone_of
from dnam.when import When, read_when
from projections.errors import BadRequest

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 31, 12, 30, 0, 500_000, tzinfo=UTC)


def at(
    year: int,
    month: int,
    day: int,
    hour: int = 0,
    minute: int = 0,
    second: int = 0,
    *,
    zone: timezone | ZoneInfo = BERLIN,
) -> int:
    return int(datetime(year, month, day, hour, minute, second, tzinfo=zone).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1042", When(seq=1042)),
        ("#7", When(seq=7)),
        ("0", When(seq=0)),
        ("now", When(ms=int(NOW.timestamp() * 1000))),
        ("  Before  the LAST import ", When(last_import=True)),
        ("2026-03-06", When(ms=at(2026, 3, 7) - 1)),
        ("2026-w10-5", When(ms=at(2026, 3, 7) - 1)),
        ("20260306", When(seq=20260306, alike="2026-03-06")),
        ("20260332", When(seq=20260332)),
        ("2026", When(seq=2026, alike="2026-12-31")),
        ("1970", When(seq=1970, alike="1970-12-31")),
        ("#2026", When(seq=2026)),
        ("2027", When(seq=2027)),
        ("1969", When(seq=1969)),
        ("02026", When(seq=2026)),
        ("9999-12-31", When(ms=253_402_300_799_999 - 3_600_000)),
        ("2026-03-06 18:00", When(ms=at(2026, 3, 6, 18, 1) - 1)),
        ("2026-03-06T18:00:30", When(ms=at(2026, 3, 6, 18, 0, 31) - 1)),
        ("2026-03-06T18:00Z", When(ms=at(2026, 3, 6, 18, 1, zone=UTC) - 1)),
        ("2026-03-06t18:00:00.250+05:30", When(ms=at(2026, 3, 6, 12, 30, zone=UTC) + 250)),
        ("20260306T1800", When(ms=at(2026, 3, 6, 18, 1) - 1)),
        ("20260306T180000", When(ms=at(2026, 3, 6, 18, 0, 1) - 1)),
        ("2026-W10-5T18", When(ms=at(2026, 3, 6, 19) - 1)),
        ("2026-03-06T18-05:00", When(ms=at(2026, 3, 7, 0, zone=UTC) - 1)),
        ("2026-03-06 18:00:30.5", When(ms=at(2026, 3, 6, 18, 0, 30) + 500)),
        ("2026-03-06 18:00:30,000", When(ms=at(2026, 3, 6, 18, 0, 30))),
        ("9999-12-31 23:59Z", When(ms=253_402_300_799_999)),
        ("today", When(ms=at(2026, 4, 1) - 1)),
        ("today 9:05", When(ms=at(2026, 3, 31, 9, 6) - 1)),
        ("9:05:10", When(ms=at(2026, 3, 31, 9, 5, 11) - 1)),
        ("yesterday", When(ms=at(2026, 3, 31) - 1)),
        ("Yesterday 18:00", When(ms=at(2026, 3, 30, 18, 1) - 1)),
        ("'yesterday 18:00'", When(ms=at(2026, 3, 30, 18, 1) - 1)),
        ('"yesterday 18:00"', When(ms=at(2026, 3, 30, 18, 1) - 1)),
        ("`yesterday 18:00`", When(ms=at(2026, 3, 30, 18, 1) - 1)),
        ("3 days ago", When(ms=at(2026, 3, 28, 14, 30) + 500)),
        ("an hour ago", When(ms=int((NOW - timedelta(hours=1)).timestamp() * 1000))),
        ("a week ago", When(ms=at(2026, 3, 24, 14, 30) + 500)),
        ("90 seconds ago", When(ms=int((NOW - timedelta(seconds=90)).timestamp() * 1000))),
        ("1 month ago", When(ms=at(2026, 2, 28, 14, 30) + 500)),
        ("2 years ago", When(ms=at(2024, 3, 31, 14, 30) + 500)),
        ("14 months ago", When(ms=at(2025, 1, 31, 14, 30) + 500)),
        ("1969-12-31T23:59:59.999Z", When(ms=-1)),
    ],
)
def test_what_words_mean(text: str, meant: When) -> None:
    assert read_when(text, NOW, BERLIN) == meant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "yesterday evening",
        "today 25:00",
        "18:60",
        "2026-13-01",
        "2026-02-30",
        "03/06/2026",
        "-5",
        "1" * 5000,
        "9" * 5000 + " days ago",
        "x ago",
    ],
)
def test_what_is_no_moment_is_refused_with_examples(text: str) -> None:
    with pytest.raises(BadRequest, match="no moment that I can read; give one as in 1042"):
        read_when(text, NOW, BERLIN)


def test_a_time_that_was_twice_wants_its_offset() -> None:
    with pytest.raises(BadRequest, match=r"was twice in Europe/Berlin.*add \+02:00 or \+01:00"):
        read_when("2025-10-26 02:30", NOW, BERLIN)
    assert read_when("2025-10-26 02:30+01:00", NOW, BERLIN) == When(ms=at(2025, 10, 26, 1, 31, zone=UTC) - 1)


def test_a_time_that_never_was_is_refused() -> None:
    with pytest.raises(BadRequest, match="never was in Europe/Berlin"):
        read_when("2026-03-29 02:30", NOW, BERLIN)


def test_a_day_whose_last_hour_was_twice_ends_with_the_second() -> None:
    santiago = ZoneInfo("America/Santiago")
    assert read_when("2027-04-03", NOW, santiago) == When(ms=at(2027, 4, 4, zone=santiago) - 1)
    with pytest.raises(BadRequest, match="never ended in Pacific/Apia"):
        read_when("2011-12-30", NOW, ZoneInfo("Pacific/Apia"))


@pytest.mark.parametrize("text", ["9999999 years ago", "999999999 days ago", "30000 months ago"])
def test_before_the_calendar(text: str) -> None:
    with pytest.raises(BadRequest, match="before the calendar begins"):
        read_when(text, NOW, BERLIN)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
@pytest.mark.parametrize("text", ["0001-01-01", "0001-01-01 00:00", "9999-12-31"])
def test_the_ends_of_the_calendar_in_this_machine_s_zone(monkeypatch: pytest.MonkeyPatch, zone: str, text: str) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        ms = read_when(text, NOW, zone_of("")).ms
        assert ms is not None
        assert shown(ms, zone_of(""))[:4] in ("0001", "9999")
    finally:
        monkeypatch.undo()
        time.tzset()


def test_an_hour_that_was_twice_is_shown_as_the_one_that_was_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        for zone in (zone_of(""), BERLIN):
            meant = [read_when(f"2025-10-26 02:30{offset}", NOW, zone).ms for offset in ("+02:00", "+01:00")]
            assert [shown(ms or 0, zone) for ms in meant] == ["2025-10-26 02:30+02:00", "2025-10-26 02:30+01:00"]
    finally:
        monkeypatch.undo()
        time.tzset()
