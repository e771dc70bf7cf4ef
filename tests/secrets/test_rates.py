"""Secrets in a sentence are taken out, and what only resembles one stays."""

import pytest

from dnam.secrets import without_secrets
from tests.secrets.rates import LEAST_TAKEN_PERCENT, MOST_MISTAKEN_PERCENT, look_alikes, rates, said

LEAST = 120


def test_there_are_enough_of_both() -> None:
    assert len({text for text, *_ in said()}) >= LEAST
    assert len(set(look_alikes())) >= LEAST
    assert all(secret in text for text, *secrets in said() for secret in secrets)


def test_secrets_are_taken_out_and_look_alikes_stay() -> None:
    found = rates()
    print(found, *found.kept, *found.mistaken, *found.wide, sep="\n")
    assert found.taken_percent >= LEAST_TAKEN_PERCENT, found.kept
    assert found.mistaken_percent <= MOST_MISTAKEN_PERCENT, found.mistaken
    assert found.wide_percent <= MOST_MISTAKEN_PERCENT, found.wide


@pytest.mark.parametrize("text", [text for text, *_ in said()])
def test_done_twice_the_second_time_nothing(text: str) -> None:
    clean = without_secrets(text)
    assert without_secrets(clean) == clean
