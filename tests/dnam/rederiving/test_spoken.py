"""What a run reads is new to it, or was there for a run before it."""

from dnam.rederiving.spoken import Spoken
from projections.ids import EventId

WHERE = ("discord:channel:1", 0)
FIRST, LATE, VERSION = (EventId(bytes([number]) * 16) for number in (1, 2, 3))


def test_what_only_this_run_may_read_is_new_and_no_version_of_what_was_read_before() -> None:
    spoken = Spoken({})
    before = spoken.upto(WHERE, [FIRST], 10)
    then = spoken.upto(WHERE, [LATE, VERSION], 20)
    assert before.is_new(FIRST, FIRST)
    assert then.is_new(LATE, LATE)
    assert not then.is_new(FIRST, FIRST)
    assert not then.is_new(FIRST, VERSION)


def test_what_is_new_to_a_run_may_be_more_than_it_knows_of_unless_nobody_said_it() -> None:
    spoken = Spoken({}, lambda event: event != VERSION)
    assert spoken.upto(WHERE, [FIRST], 10).has_more(frozenset())
    then = spoken.upto(WHERE, [FIRST, LATE, VERSION], 20)
    assert then.has_more({FIRST})
    assert not then.has_more({LATE}), "the first was there before, and nobody said the version"
