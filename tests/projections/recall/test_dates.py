"""Which dates a text names, and what looks like one and is none."""

import time
from collections.abc import Collection

import pytest

from projections.recall.dated import Dates
from projections.recall.dates import dates_in
from projections.recall.english import BEFORE_MONTHS, MONTHS, SHORT_MONTHS
from projections.recall.words import read


def dates_of(text: str) -> Dates:
    told = read(text)
    return dates_in(told.flat, told.words)


def dates(months: Collection[int] = (), years: Collection[int] = (), days: Collection[int] = ()) -> Dates:
    return Dates(frozenset(months), frozenset(years), frozenset(days))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("on 7 May 2023", dates([5], [2023], [7])),
        ("on the 13th of May, what did Kim do?", dates([5], days=[13])),
        ("what did Kim do on May 13?", dates([5], days=[13])),
        ("what happened on May the 13th", dates([5], days=[13])),
        ("May 13th, 2024", dates([5], [2024], [13])),
        ("march 3rd", dates([3], days=[3])),
        ("13. March's meeting", dates([3], days=[13])),
        ("from 13 to 15 August", dates([8], days=[13, 15])),
        ("13th, 14th and 15th June", dates([6], days=[13, 14, 15])),
        ("May 2024", dates([5], [2024])),
        ("in 2024 May was wet", dates([5], [2024])),
        ("March, 2024", dates([3], [2024])),
        ("13 Aug or Sep 2", dates([8, 9], days=[13, 2])),
        ("december or JANUARY", dates([12, 1])),
        ("in may", dates([5])),
        ("Since last March, or during this May", dates([3, 5])),
        ("what did she do on the 13?", dates(days=[13])),
        ("what did she do on the 13th at home", dates(days=[13])),
        ("since the 3rd?", dates(days=[3])),
        ("2024-05-13T10:00", dates([5], [2024], [13])),
        ("13.5.2024", dates([5], [2024], [13])),
        ("13/05/2024 or 05/13/2024", dates([5], [2024], [13])),
        ("5/6/2024", dates([5, 6], [2024], [5, 6])),
        ("in 1999 and 2101", dates(years=[1999])),
        ("on ７ May ２０２３", dates([5], [2023], [7])),
    ],
)
def test_a_date_is_named(text: str, named: Dates) -> None:
    assert dates_of(text) == named


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
        "v1.2.2024x, 2024-13-01, 2024-00-10, 10.0.0.1",
        "at 7:30, for $5, 3.14",
        "the 3rd of ٣",
        "tea",
    ],
)
def test_what_looks_like_a_date_is_none(text: str) -> None:
    assert dates_of(text)._replace(years=frozenset()) == dates()


def test_a_version_is_no_date() -> None:
    assert dates_of("40.5.2024, 13.20.2024") == dates(years=[2024])


def test_the_tables_are_of_folded_words() -> None:
    for word in (*MONTHS, *filter(None, SHORT_MONTHS), *BEFORE_MONTHS):
        assert " ".join(read(word).words) == word


@pytest.mark.parametrize("text", ["3 and ", "3, 4", "on the 3", "may ", " ", "3 \t"])
def test_a_long_text_is_read_in_one_go(text: str) -> None:
    before = time.process_time()
    dates_of(text * 20_000)
    assert time.process_time() - before < 2
