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
