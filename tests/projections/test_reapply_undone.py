"""What was taken back of what another memory has as it was recorded goes there too, where it is still so."""

from typing import Any

from projections.decisions.draft import Draft
from projections.decisions.reapply_undone import undo_again, undoes
from projections.decisions.remember import EditRequest, edit
from projections.decisions.unadopt import unadopting
from projections.events import Event, ItemReverted, SummaryRefreshed, SummaryReverted, SummaryWithheld
from projections.events.values import OPERATOR, Audience, By, ModelUse
from projections.fold import Record
from projections.ids import EventId, Point, Ref
from tests.projections.adoption import states
from tests.projections.test_unadopt import TEA, Adopted, opening
from tests.world import NOW, World, origin

ROOM = Audience("guild", Ref("discord", "1"))
MODEL = By("model", name="m", version="1")
CALL = ModelUse("m", "1")
POINT = Point(NOW, EventId(b"said" + bytes(12)))


def undone(there: Adopted, event: Event) -> Record:
    """The last event that it took back."""
    (made,) = undoes(event)
    return next(each for each in there.two.live.world.records if each.id == made)


def taken_back(there: Adopted, here: Adopted) -> list[str]:
    """What of the undoing of the one adoption is done where there is a copy of it, by what it is about."""
    done: list[str] = []
    for draft in unadopting(there.two.live.rows, there.request()).drafts:
        drafts = undo_again(here.two.live.rows, [draft], undone(there, draft.event))
        assert drafts in ([], [draft])
        for each in drafts:
            event = here.two.live.world.record(each).event
            assert isinstance(event, ItemReverted)
            done.append(event.item.text)
            assert undo_again(here.two.live.rows, [draft], undone(there, draft.event)) == []
    return sorted(done)


def test_a_copy_is_as_before_the_adoption_too() -> None:
    there, here = Adopted(), Adopted()
    assert len(taken_back(there, here)) == 3
    assert states(here.two.live.rows, here.two.live.ada) == there.states


def test_what_a_person_put_in_other_words_there_stays() -> None:
    there, here = Adopted(), Adopted()
    live = here.two.live
    by, tea = By("person", live.ada), live.item(TEA).item
    live.world.decide(edit, EditRequest(live.ada, tea.id, "User loathes tea.", by, NOW, origin("e"), opening(here.two)))
    assert len(taken_back(there, here)) == 2
    assert "User loathes tea." in {row.item.text for row in here.now().values()}


def test_what_a_person_keeps_there_in_the_same_words_stays() -> None:
    there, here = Adopted(), Adopted()
    live = here.two.live
    by, tea = By("person", live.ada), live.item(TEA).item
    for words in ("User loathes tea.", TEA):
        live.world.decide(edit, EditRequest(live.ada, tea.id, words, by, NOW, origin(words), opening(here.two)))
    assert len(taken_back(there, here)) == 2


def test_what_is_not_there_does_not_go() -> None:
    there, here = Adopted(), Adopted()
    assert len(taken_back(there, here)) == 3
    drafts = unadopting(there.two.live.rows, there.request()).drafts
    gone = next(each for each in drafts if isinstance(each.event, ItemReverted) and each.event.gone)
    again = gone._replace(id=EventId(b"again" + bytes(11)))
    assert undo_again(here.two.live.rows, [again], undone(there, gone.event)) == []


# -- summaries -----------------------------------------------------------------------------------------------------


def refreshed(text: str, refresh: int) -> SummaryRefreshed:
    return SummaryRefreshed(
        said=NOW, by=MODEL, session="s", audience=ROOM, era=0, text=text, refresh=refresh, after=None, upto=POINT,
        covered=1, call=CALL,
    )  # fmt: skip


def summed_up() -> tuple[World, Record]:
    """A session with a summary."""
    world = World()
    return world, world.record(Draft(EventId(b"first" + bytes(11)), refreshed("They met.", 1)))


def back(made: Record, policy: str, kind: type[SummaryReverted | SummaryWithheld] = SummaryWithheld) -> Draft:
    """The summary is taken back."""
    fields: dict[str, Any] = {"session": "s", "audience": ROOM, "era": 0, "refresh": 0, "upto": None}
    more = {"text": "", "covered": 0, "model": "", "made": NOW, "undoes": (made.id,)}
    fields |= {"causes": (made.id,)} if kind is SummaryWithheld else more
    return Draft(EventId(b"undone" + bytes(10)), kind(said=NOW, by=OPERATOR, policy=policy, **fields))


def test_a_summary_that_is_still_as_it_was_recorded_is_taken_back() -> None:
    world, made = summed_up()
    for each in (back(made, "adoption@1", SummaryReverted), back(made, "revert@1: what came of #1")):
        assert undoes(each.event) == (made.id,)
        assert undo_again(world.rows, [each], made) == [each]
    assert undoes(back(made, "closing@1").event) == undoes(made.event) == ()


def test_one_that_was_made_anew_stays() -> None:
    world, made = summed_up()
    world.record(Draft(EventId(b"second" + bytes(10)), refreshed("They met again.", 2)))
    assert undo_again(world.rows, [back(made, "adoption@1")], made) == []
