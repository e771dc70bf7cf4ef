"""That somebody was told: once, and for good."""

from projections.decisions.meet import Account, meet
from projections.decisions.notice import NoticeRequest, give_notice
from projections.events import NoticeGiven
from projections.ids import EventId, Ref
from projections.notices import notice_to
from tests.world import NOW, World, fresh, handle, origin

ADA = fresh()[0]
PLACE, MESSAGE = Ref("discord", f"dm:{ADA.hex()}"), Ref("discord", "5")
LEARNED = EventId(handle("learned"))


def request(name: str = "notice") -> NoticeRequest:
    return NoticeRequest(ADA, PLACE, MESSAGE, LEARNED, NOW, origin(name))


def a_world() -> World:
    world = World()
    account = Account("discord", "42", "Ada")
    for draft in meet(world.rows, account, origin("meet"), (ADA,), NOW):
        world.record(draft)
    return world


def test_they_are_told_once_and_the_log_says_where() -> None:
    world = a_world()
    assert notice_to(world.rows, ADA) is None
    (event,) = world.decide(give_notice, request())
    assert isinstance(event, NoticeGiven)
    assert (event.place, event.message, event.learned, event.causes) == (PLACE, MESSAGE, LEARNED, ())
    assert world.decide(give_notice, request()) == world.decide(give_notice, request("again")) == []
    row = notice_to(world.rows, ADA)
    assert row is not None
    assert (row.said, row.place) == (NOW, PLACE)


def test_who_is_not_known_any_more_was_told_nothing() -> None:
    assert World().decide(give_notice, request()) == []
