"""Many deletions at once: one decision where it has room for what comes of them, and else several."""

from itertools import chain

import pytest

from projections.decisions import draft as drafting
from projections.decisions.delete import DeletedRequest, delete_all
from projections.events import MessageDeleted, MessageRedacted
from projections.ids import Point
from tests.projections.learning import LATER, SESSION, Town
from tests.world import NOW


@pytest.fixture
def town() -> Town:
    return Town()


def deleted(town: Town, messages: list[Point]) -> list[list[str]]:
    """Decide until nothing comes of it; what each decision recorded, by kind."""
    wanted = [DeletedRequest("discord", str((each.said - NOW) // 1000), SESSION, each.said, LATER) for each in messages]
    told: list[list[str]] = []
    while drafts := delete_all(town.rows, wanted):
        told.append([town.world.record(each).event.TAG for each in drafts])
    return told


def learned(town: Town) -> list[Point]:
    for n in range(4):
        town.learned(f"User has the lucky number {n}.", f"my lucky number is {n}")
    return [town.point(n + 1) for n in range(town.count)]


def test_what_fits_is_one_decision(town: Town) -> None:
    messages = learned(town)
    (kinds,) = deleted(town, messages)
    assert (kinds.count(MessageDeleted.TAG), kinds.count(MessageRedacted.TAG)) == (len(messages), 1)
    assert town.items() == []


def test_what_does_not_goes_in_pieces_and_all_of_it_goes(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafting, "MOST_EVENTS", 6)
    messages = learned(town)
    told = deleted(town, messages)
    assert len(told) > 1
    assert max(map(len, told)) <= 6
    kinds = list(chain.from_iterable(told))
    assert (kinds.count(MessageDeleted.TAG), kinds.count(MessageRedacted.TAG)) == (len(messages), len(told))
    assert town.items() == []
    assert town.tells("lucky") == []
