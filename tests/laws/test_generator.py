"""The generator itself: a law says nothing about an event that no history has."""

import pytest

from projections.events import EVENTS, Event
from tests.generator import MAKERS, OFTEN, Story, fixed_story
from tests.laws.teller import Teller


def test_every_event_has_a_maker() -> None:
    assert set(MAKERS) == set(EVENTS), "a new event needs a maker in tests/generator.py"
    assert set(OFTEN) <= set(EVENTS)


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.TAG)
def test_a_maker_makes_its_event_even_when_nothing_has_happened(kind: type[Event]) -> None:
    for salt in range(20):
        drafts = Teller(MAKERS).tell(kind, salt)
        assert kind in {type(draft.event) for draft in drafts}


def test_the_same_steps_tell_the_same_story() -> None:
    story = fixed_story(50)
    assert list(story.decisions()) == list(story.decisions())
    kinds = {type(draft.event) for drafts in story.decisions() for draft in drafts}
    assert kinds == set(EVENTS)


def test_no_history_grows_over_its_size() -> None:
    story = Story(fixed_story(200).steps, 50)
    assert sum(map(len, story.decisions())) <= 50


def test_causes_come_first() -> None:
    seen: set[bytes] = set()
    for drafts in fixed_story(300, salt=3).decisions():
        for draft in drafts:
            assert set(draft.event.causes) <= seen
            seen.add(draft.id)
