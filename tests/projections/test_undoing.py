"""What takes an earlier change back is marked so; what a person meant nothing by stays as it is."""

from projections.decisions.draft import Draft
from projections.decisions.remember import ForgetRequest, RememberRequest, forget, remember
from projections.decisions.undoing import undoing
from projections.events import ItemEvent, ItemEvicted
from projections.events.values import By, Source
from projections.policies.compartments import Opening, direct
from projections.rows import Rows
from tests.world import NOW, World, handle, origin

KIM = handle("kim")
BY = By("person", KIM)
HOME = direct(KIM)


def keeping(text: str, cap: int = 200) -> RememberRequest:
    return RememberRequest(
        owner=KIM, compartment=HOME, text=text, by=BY, said=NOW, source=Source("manual"), origin=origin(text), cap=cap
    )


def test_a_change_that_undoes_says_so() -> None:
    world = World()
    world.decide(remember, keeping("I like tea"))

    def undone(rows: Rows, request: ForgetRequest) -> list[Draft]:
        return undoing(forget(rows, request))

    (event,) = world.decide(undone, ForgetRequest(KIM, (Opening(KIM, HOME),), BY, NOW, origin("forget"), "I like tea"))
    assert isinstance(event, ItemEvent)
    assert event.intent is not None
    assert (event.intent.action, event.intent.undoes) == ("forget", True)


def test_what_makes_room_for_it_is_no_undoing() -> None:
    world = World()
    world.decide(remember, keeping("I like tea"))
    drafts = undoing(remember(world.rows, keeping("I like rain", cap=1)))
    evicted = [each.event for each in drafts if isinstance(each.event, ItemEvicted)]
    assert [each.intent for each in evicted] == [None]
    marked = [each.event for each in drafts if isinstance(each.event, ItemEvent) and each.event.intent is not None]
    assert [each.intent.undoes for each in marked if each.intent] == [True]
