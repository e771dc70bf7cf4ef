"""Which dates a text names, and what looks like one and is none."""

import time
from collections.abc import Collection

import pytest

from projections.recall.dated import Date
from projections.recall.dates import MOST, Named, dates_in
from projections.recall.english import BEFORE_MONTHS, NUMBERS
from projections.recall.words import read


def dates_of(text: str) -> set[Date]:
    return set(named_in(text).dates)


def named_in(text: str) -> Named:
    told = read(text)
    return dates_in(told.flat, told.words)


def date(months: Collection[int] = (), years: Collection[int] = (), days: Collection[int] = ()) -> Date:
    return Date(frozenset(months), frozenset(years), frozenset(days))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("on 7 May 2023", date([5], [2023], [7])),
        ("on the 13th of May, what did Kim do?", date([5], days=[13])),
        ("what did Kim do on May 13?", date([5], days=[13])),
        ("what happened on May the 13th", date([5], days=[13])),
        ("May 13th, 2024", date([5], [2024], [13])),
        ("March 3 2024", date([3], [2024], [3])),
        ("the 13th of May of 2024", date([5], [2024], [13])),
        ("march 3rd", date([3], days=[3])),
        ("13. March's meeting", date([3], days=[13])),
        ("from 13 to 15 August", date([8], days=[13, 15])),
        ("13th, 14th and 15th June", date([6], days=[13, 14, 15])),
        ("May 2024", date([5], [2024])),
        ("in 2024 May was wet", date([5], [2024])),
        ("in 2024 May 13 was wet", date([5], [2024], [13])),
        ("March, 2024", date([3], [2024])),
        ("in may", date([5])),
        ("what did she do on the 13?", date(days=[13])),
        ("what did she do on the 13th at home", date(days=[13])),
        ("since the 3rd?", date(days=[3])),
        ("2024-05-13T10:00", date([5], [2024], [13])),
        ("2024-5-3, and 2024-05-03", date([5], [2024], [3])),
        ("2024/5/3, or 2024/05/03", date([5], [2024], [3])),
        ("sept 5, or 5 Sep", date([9], days=[5])),
        ("13.5.2024", date([5], [2024], [13])),
        ("13/05/2024 or 05/13/2024", date([5], [2024], [13])),
        ("5/5/2024", date([5], [2024], [5])),
        ("in 1999 and 2101", date(years=[1999])),
        ("on ７ May ２０２３", date([5], [2023], [7])),
    ],
)
def test_a_date_is_named(text: str, named: Date) -> None:
    assert dates_of(text) == {named}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("5/6/2024", [date([5], [2024], [6]), date([6], [2024], [5])]),
        ("13 Aug or Sep 2", [date([8], days=[13]), date([9], days=[2])]),
        ("5 May 6 June", [date([5], days=[5]), date([6], days=[6])]),
        ("5 May or June", [date([5], days=[5]), date([6])]),
        ("december or JANUARY", [date([12]), date([1])]),
        ("Since last March, or during this May", [date([3]), date([5])]),
        ("5 May 2025 and 6 June 2025", [date([5], [2025], [5]), date([6], [2025], [6])]),
        ("2025-05-05, 2024-06-06", [date([5], [2025], [5]), date([6], [2024], [6])]),
        ("May 5, 2025, or in 2024", [date([5], [2025], [5]), date(years=[2024])]),
        ("5 May and 6 June 2025", [date([5], [2025], [5]), date([6], [2025], [6])]),
        ("in 2024 or 2025, on 5 May", [date([5], [2024, 2025], [5])]),
        ("5 May 2024, and 6 June in 2025", [date([5], [2024], [5]), date([6], [2025], [6])]),
        ("in May 2024, what was on the 13th?", [date([5], [2024], [13])]),
        ("on the 13th, in May or in June", [date([5], days=[13]), date([6], days=[13])]),
        ("in May 2024, or on 3 June and on the 13th", [date([5], [2024], [13]), date([6], [2024], [3])]),
        ("on 5 May and on the 13th", [date([5], days=[5]), date([5], days=[13])]),
        ("on the 13th or on the 14th, 2024", [date([], [2024], [13, 14])]),
        ("13.5.2024 May", [date([5], [2024], [13])]),
    ],
)
def test_what_stands_together_is_one_date(text: str, named: list[Date]) -> None:
    assert dates_of(text) == set(named)


@pytest.mark.parametrize(
    ("text", "days", "others"),
    [
        ("tea on 7 May 2023", ["7 may 2023"], []),
        ("in December, on the 13th or 2024-5-3", ["2024-5-3", "on the 13th"], ["december"]),
        ("on 7 May, back in 2023", ["7 may", "2023"], []),
        ("in May 2023, and in 2024", [], ["may 2023"]),
        ("the 13th", ["the 13th"], []),
        ("7 cats", [], []),
    ],
)
def test_how_a_date_stands_in_a_text_is_told(text: str, days: list[str], others: list[str]) -> None:
    named = named_in(text)
    assert ([*named.days], [*named.others]) == (days, others)


def test_of_a_list_of_dates_the_first_are_looked_at() -> None:
    listed = [f"{day} May {year}" for year in (2023, 2024) for day in range(1, 31)]
    assert named_in(" ".join(listed)).dates == tuple(date([5], [2023], [day]) for day in range(1, MOST + 1))


@pytest.mark.parametrize(
    "text",
    [
        "error 13 mounting the nfs share",
        "does python 3 have match statements?",
        "where is the recipe? we are 4 people now",
        "May I ask who fixed it? May we?",
        "what did May say",
        "this may be so",
        "they march on, march! March on the town",
        "32 days, 0 nights, 31 of them",
        "is Jan there? mar 7:30, dec 5%",
        "her 3rd cat and the 1st try",
        "v1.2.2024x, 2024-13-01, 2024/05-03, 2024.5.1, 2024-00-10, 10.0.0.1",
        "at 7:30, for $5, 3.14",
        "the 3rd of ٣",
        "tea",
    ],
)
def test_what_looks_like_a_date_is_none(text: str) -> None:
    assert {each._replace(years=frozenset()) for each in dates_of(text)} <= {date()}


def test_a_version_is_no_date() -> None:
    assert dates_of("40.5.2024, 13.20.2024, 2024-5-61, 2024-13-1") == {date(years=[2024])}


def test_the_tables_are_of_folded_words() -> None:
    for word in (*NUMBERS, *BEFORE_MONTHS):
        assert " ".join(read(word).words) == word


@pytest.mark.parametrize(
    "text",
    [
        "3 and ",
        "3, 4",
        "on the 3",
        "may ",
        " ",
        "3 \t",
        "5 may ",
        "may 5 ",
        "may 2024 ",
        "5/6/2024 ",
        "on the 3rd, 5 may ",
    ],
)
def test_a_long_text_is_read_in_one_go(text: str) -> None:
    before = time.process_time()
    dates_of(text * 20_000)
    assert time.process_time() - before < 2
