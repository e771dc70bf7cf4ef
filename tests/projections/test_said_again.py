"""What says again what is taken back goes however much it is: in parts, the farthest first, the message in the last."""

from collections.abc import Iterator

import pytest

from projections.decisions import said_again
from projections.decisions.delete import DeletedRequest, delete_all
from projections.decisions.redact import redaction_of
from projections.decisions.retention import RetentionRequest, expire
from projections.events import Event, MessageDeleted, MessageEdited, MessageRedacted, SummaryWithheld, TurnWithdrawn
from projections.ids import EventId, Point
from projections.policies.repeating import repeating
from projections.turns import turns_after
from tests.projections.learning import LATER, SESSION, Town
from tests.world import NOW, origin

WORDS = "my grandmother grows roses in the cellar"


@pytest.fixture
def town(monkeypatch: pytest.MonkeyPatch) -> Town:
    monkeypatch.setattr(said_again, "MOST_AT_ONCE", 3)
    return Town()


def asked(town: Town, text: str, *causes: EventId) -> EventId:
    """An answer with these before it, to a question that has nothing to do with it."""
    return town.answers(town.says("and what of today?"), text, *(Point(NOW, each) for each in causes))


def summed_up(town: Town, message: Point) -> EventId:
    town.sums_up(f"Ada: {WORDS}", message)
    row = town.summary()
    assert row is not None
    return row.event


def left(town: Town) -> list[str]:
    return [found.row.text for found in turns_after(town.rows, SESSION, 0, None)]


def deleted(town: Town, message: Point) -> Iterator[list[Event]]:
    """Decide until nothing comes of it."""
    while events := town.deletes(message):
        yield events


def test_all_of_it_goes_in_as_many_decisions_as_it_takes_and_the_message_in_the_last(town: Town) -> None:
    message = town.says(WORDS)
    summary = summed_up(town, message)
    for n in range(8):
        asked(town, f"{n}: {WORDS}", summary)
    told = list(deleted(town, message))
    assert [sum(isinstance(each, TurnWithdrawn) for each in events) for events in told] == [3, 3, 2]
    assert [sum(isinstance(each, MessageDeleted) for each in events) for events in told] == [0, 0, 1]
    assert [sum(isinstance(each, MessageRedacted) for each in events) for events in told] == [1, 1, 1]
    assert left(town) == []
    assert town.tells("grandmother") == []


def test_what_is_between_is_no_reason_to_look_no_further(town: Town) -> None:
    message = town.says(WORDS)
    summary = summed_up(town, message)
    for _ in range(6):
        asked(town, "It is noon.", summary)
    asked(town, f"Well: {WORDS}", summary)
    assert len(list(deleted(town, message))) == 1
    assert left(town) == ["It is noon."] * 6


def test_what_is_at_the_end_of_a_long_way_goes_before_the_way_does(town: Town) -> None:
    """Each has only the one before it to come from, and a summary is made of the last."""
    message = town.says(WORDS)
    cause = town.answers(message, f"So {WORDS}")
    for n in range(8):
        cause = asked(town, f"{n}: {WORDS}", cause)
    town.sums_up(f"Somebody said again: {WORDS}", town.says("well well"), shown=[cause])
    told = list(deleted(town, message))
    assert len(told) == 4
    assert isinstance(told[0][0], SummaryWithheld)
    assert left(town) == []
    assert town.tells("grandmother") == []


def test_an_edit_is_heard_when_what_says_the_old_words_is_gone(town: Town) -> None:
    """Also what had only the item before it that was made of them."""
    message = town.learned("User's grandmother grows roses.", WORDS)
    item = town.item("roses").event
    for n in range(5):
        asked(town, f"{n}: {WORDS}", item)
    first = town.edits(message, "never mind")
    assert not any(isinstance(each, MessageEdited) for each in first)
    assert (len(left(town)), town.message(message) is not None) == (2, True)
    second = town.edits(message, "never mind")
    assert isinstance(second[0], MessageEdited)
    assert left(town) == []
    assert town.edits(message, "never mind") == []


def test_what_is_answered_with_old_words_until_they_are_read_anew_goes_then(town: Town) -> None:
    message = town.learned("User's grandmother grows roses.", WORDS)
    town.edits(message, "never mind")
    asked(town, f"You said: {WORDS}", town.item("roses").event)
    town.reads([message])
    assert left(town) == []


def test_what_is_kept_no_longer_waits_for_what_says_it_again(town: Town) -> None:
    """The answer that is as old is where the others came from: it goes with the message, behind them."""
    message = town.says(WORDS)
    cause = town.answers(message, f"So {WORDS}")
    until = message.said + 2
    for n in range(4):
        cause = asked(town, f"{n}: {WORDS}", cause)
    parts = 0
    while drafts := expire(town.rows, RetentionRequest(SESSION, until, LATER, origin(f"part {parts}"))):
        told = [town.world.record(draft).event for draft in drafts]
        assert (town.message(message) is None) == (parts == 1), told
        parts += 1
    assert parts == 2
    assert left(town) == []


def test_all_of_it_can_be_looked_at_before(town: Town) -> None:
    message = town.says(WORDS)
    summary = summed_up(town, message)
    answers = {asked(town, f"{n}: {WORDS}", summary) for n in range(8)}
    row = town.message(message)
    assert row is not None
    whole = redaction_of(town.rows, [row], LATER, whole=True)
    assert whole.first is None
    assert answers | {message.id, summary} <= set(whole.bodies)
    part = redaction_of(town.rows, [row], LATER)
    assert part.first is not None
    assert len(part.bodies) == 3


def test_a_part_is_recorded_once(town: Town) -> None:
    """Asked twice at the same time, the second one changes nothing: ids are made of what goes."""
    message = town.says(WORDS)
    summary = summed_up(town, message)
    for n in range(5):
        asked(town, f"{n}: {WORDS}", summary)
    request = DeletedRequest("discord", str((message.said - NOW) // 1000), SESSION, message.said, LATER)
    once, twice = (delete_all(town.rows, [request]) for _ in range(2))
    assert [each.id for each in once] == [each.id for each in twice]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("You have roses in the cellar.", True),
        ("my GRANDMOTHER", True),
        ("in the cellar", False),
        ("he has the number 4711", True),
        ("I like tea", False),
        ("it is I who like green tea", False),
        ("green tea is all", True),
        ("", False),
    ],
)
def test_several_texts_are_looked_for_at_once(text: str, says: bool) -> None:
    judge = repeating([WORDS, "green tea is", "4711", "no", "", "like tea"], but="I like tea")
    assert judge(text) == says


def test_where_nothing_is_looked_for_nothing_says_it() -> None:
    assert not repeating([], "")("my grandmother")
    assert not repeating(["tea"], "")("tea tea tea")
