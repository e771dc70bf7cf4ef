"""Taking an adoption back: everything that is still as it left it is as before, and the rest is left and told."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.decisions.adopt_pairs import OUT
from projections.decisions.consent import ConsentRequest, opt_in, opt_out
from projections.decisions.remember import EditRequest, ForgetRequest, RememberRequest, edit, forget, remember
from projections.decisions.unadopt import (
    CHANGED,
    FORGOTTEN,
    NARROWER,
    NO_ROOM,
    PUT_RIGHT,
    UnadoptRequest,
    unadopting,
)
from projections.events import Event, ItemReverted, ItemUpserted, ItemWithdrawn, MessageHeard, PlaceAudienceChanged
from projections.events.values import OPERATOR, PLATFORM, Audience, By, RowWas, Source
from projections.ids import NOBODY, EventId
from projections.items import ItemRow
from projections.lives import Address
from projections.policies.by_people import is_by_people
from projections.policies.compartments import Opening, direct, everywhere
from projections.policies.promotion import Harmless, SharingWords
from projections.policies.resting import widening
from tests.projections.adoption import ADOPTION, SAID, Two, an_item, recorded, rows_of, states, undone
from tests.projections.learning import HERE, HOME, MODEL
from tests.world import NOW, origin

TEA, LYON, CHESS, HARBOUR = "User likes green tea.", "User lives in Lyon.", "User plays chess.", "User is a docker."
TEXTS = (TEA, LYON, CHESS, HARBOUR)


def opening(two: Two) -> tuple[Opening, ...]:
    return (Opening(two.live.ada, HOME),)


def forgets(two: Two, words: str) -> None:
    by = By("person", two.live.ada)
    two.live.world.decide(forget, ForgetRequest(two.live.ada, opening(two), by, NOW, origin(words), words))


def take_back(two: Two, request: UnadoptRequest, most: int = 1000) -> list[ItemReverted]:
    """One decision, in the log; the engine's rule on widening holds."""
    world, made = two.live.world, []
    for draft in unadopting(two.live.rows, request, most).drafts:
        events: dict[EventId, Event | None] = {each.id: each.event for each in world.records}
        assert not widening(world.rows, draft.event, {cause: events.get(cause) for cause in draft.event.causes})
        assert all(world.ids.status(cause) != "unknown" for cause in draft.event.causes)
        event = world.record(draft).event
        assert isinstance(event, ItemReverted)
        made.append(event)
    return made


class Adopted:
    """An adoption with one of each kind: an item that came, one that changed, one that went."""

    def __init__(self, **fields: Any) -> None:
        self.two = two = Two()
        two.reads(two.live, 0, "User drinks tea.")
        two.reads(two.shadow, 0, TEA)
        two.reads(two.live, 1, LYON)
        two.reads(two.shadow, 2, CHESS)
        self.before = rows_of(two.live.rows, two.live.ada)
        self.states = states(two.live.rows, two.live.ada)
        assert len(two.adopt(**fields)) == 3

    def request(self, **fields: Any) -> UnadoptRequest:
        return undone(self.two.live.world, self.two.live.ada, self.before, **fields)

    def left(self, **fields: Any) -> dict[str, str]:
        return {each.text: each.reason for each in unadopting(self.two.live.rows, self.request(**fields)).left}

    def now(self) -> dict[Address, ItemRow]:
        return rows_of(self.two.live.rows, self.two.live.ada)


def test_of_who_opted_out_everything_is_left_and_told_until_they_are_in_again() -> None:
    adopted = Adopted()
    world, person = adopted.two.live.world, adopted.two.live.ada
    world.decide(opt_out, ConsentRequest(NOW, origin("out"), person))
    assert take_back(adopted.two, adopted.request()) == []
    assert adopted.left() == dict.fromkeys((TEA, LYON, CHESS), OUT)
    world.decide(opt_in, ConsentRequest(NOW, origin("in"), person))
    assert adopted.left() == {}
    assert len(take_back(adopted.two, adopted.request(adoption=ADOPTION.undoing(1)))) == 3
    assert states(adopted.two.live.rows, person) == adopted.states


def test_what_a_person_put_right_since_does_not_return_by_another_item_that_said_so() -> None:
    two, old = Two(), "User is at home in Lyon."
    two.reads(two.live, 1, LYON)
    two.reads(two.live, 1, old)
    two.reads(two.shadow, 1, LYON)
    before = rows_of(two.live.rows, two.live.ada)
    assert len(two.adopt()) == 1
    by, here, found = By("person", two.live.ada), opening(two), two.live.item(LYON).item
    request = EditRequest(two.live.ada, found.id, "User lives in Nantes.", by, NOW + 9, origin("edit"), here)
    two.live.world.decide(edit, request)
    asked = undone(two.live.world, two.live.ada, before)
    assert [(each.text, each.reason) for each in unadopting(two.live.rows, asked).left] == [(old, PUT_RIGHT)]
    assert take_back(two, asked) == []


def test_everything_is_as_it_was() -> None:
    adopted = Adopted()
    rows = adopted.now()
    events = take_back(adopted.two, adopted.request())
    assert states(adopted.two.live.rows, adopted.two.live.ada) == adopted.states
    assert take_back(adopted.two, adopted.request()) == []
    assert adopted.left() == {}
    gone = next(each for each in events if each.gone)
    assert (gone.item.text, gone.by, gone.reason, gone.policy) == (CHESS, OPERATOR, "taken back", "adoption@1")
    was = next(each for each in events if each.item.text == "User drinks tea.")
    old = next(row for row in adopted.before.values() if row.item.text == "User drinks tea.")
    now = next(row for row in rows.values() if row.item.text == TEA)
    assert was.was == RowWas(old.tag, old.said, old.by, old.reason, old.policy, old.intent)
    assert was.undoes == (now.event,)
    assert was.causes == (now.event, old.event, adopted.two.said[0].id)


def test_it_goes_on_where_it_broke_off() -> None:
    adopted = Adopted()
    first = unadopting(adopted.two.live.rows, adopted.request(), most=2)
    assert (len(first.drafts), first.more) == (2, True)
    assert len(take_back(adopted.two, adopted.request(), most=2)) == 2
    assert len(take_back(adopted.two, adopted.request(), most=2)) == 1
    assert states(adopted.two.live.rows, adopted.two.live.ada) == adopted.states


def test_what_changed_since_is_left() -> None:
    adopted = Adopted()
    two = adopted.two
    row = two.live.item("green tea")
    request = EditRequest(
        two.live.ada, row.item.id, "coffee", By("person", two.live.ada), NOW, origin("e"), opening(two)
    )
    two.live.world.decide(edit, request)
    chess = two.live.item(CHESS)
    two.live.world.add(ItemWithdrawn(said=NOW, by=OPERATOR, owner=two.live.ada, compartment=HOME, id=chess.item.id))
    assert adopted.left() == {"coffee": CHANGED}
    assert len(take_back(two, adopted.request())) == 1
    assert two.live.texts() == [LYON, "coffee"]


def test_what_went_since_and_was_there_before_stays_away() -> None:
    adopted = Adopted()
    two = adopted.two
    tea = two.live.item("green tea")
    two.live.world.add(ItemWithdrawn(said=NOW, by=OPERATOR, owner=two.live.ada, compartment=HOME, id=tea.item.id))
    assert adopted.left() == {"User drinks tea.": CHANGED}


def test_what_a_person_forgot_since_does_not_return() -> None:
    adopted = Adopted()
    two = adopted.two
    by = By("person", two.live.ada)
    keeping = RememberRequest(two.live.ada, HOME, "lives in Lyon", by, NOW, Source("manual"), origin("r"))
    two.live.world.decide(remember, keeping)
    forgets(two, "lives in Lyon")
    assert adopted.left() == {LYON: FORGOTTEN}
    take_back(two, adopted.request())
    assert LYON not in two.live.texts()


def test_what_was_forgotten_before_stands_against_nothing() -> None:
    """It was there all the same, and nothing has been forgotten since."""
    two = Two()
    by = By("person", two.live.ada)
    keeping = RememberRequest(two.live.ada, HOME, "lives in Lyon", by, NOW, Source("manual"), origin("r"))
    two.live.world.decide(remember, keeping)
    forgets(two, "lives in Lyon")
    made = an_item(two.live.ada, LYON, [(SAID[1], two.said[1].id)])
    two.live.world.add(ItemUpserted(said=NOW, by=MODEL, item=made))
    before = rows_of(two.live.rows, two.live.ada)
    assert len(two.adopt()) == 1
    request = undone(two.live.world, two.live.ada, before)
    assert unadopting(two.live.rows, request).left == []
    take_back(two, request)
    assert two.live.texts() == [LYON]


def test_what_fewer_can_read_by_now_does_not_return() -> None:
    adopted = Adopted()
    two = adopted.two
    records = two.live.world.records
    heard = {each.id: each.event for each in records if isinstance(each.event, MessageHeard)}
    assert adopted.left(heard=heard) == {}
    two.live.world.add(_narrowed())
    assert adopted.left(heard=heard) == {TEA: NARROWER, LYON: NARROWER}


def test_what_is_its_person_s_alone_is_open_to_no_more() -> None:
    two = Two()
    made = an_item(two.live.ada, TEA, [(SAID[0], two.said[0].id)], compartment=direct(two.live.ada))
    two.live.world.add(ItemUpserted(said=NOW, by=MODEL, item=made))
    before, were = rows_of(two.live.rows, two.live.ada), states(two.live.rows, two.live.ada)
    assert len(two.adopt()) == 1
    take_back(two, undone(two.live.world, two.live.ada, before))
    assert states(two.live.rows, two.live.ada) == were


def _narrowed() -> PlaceAudienceChanged:
    narrow = Audience("channel", HERE.place, 1)
    session = "discord:channel:7"
    return PlaceAudienceChanged(
        said=NOW, by=PLATFORM, place=HERE.place, audience=narrow, previous=HERE, session=session
    )


@pytest.mark.parametrize(("cap", "left"), [(2, {}), (1, {LYON: NO_ROOM})])
def test_what_had_made_way_returns_where_there_is_room(cap: int, left: dict[str, str]) -> None:
    two = Two()
    two.reads(two.live, 0, TEA)
    two.reads(two.live, 1, LYON)
    two.live.reads([two.said[3]], gone=[{"id": two.live.item(LYON).item.id, "reason": "no more"}])
    two.reads(two.shadow, 0, TEA)
    two.reads(two.shadow, 2, CHESS)
    before, were = rows_of(two.live.rows, two.live.ada), states(two.live.rows, two.live.ada)
    two.adopt(cap=2)
    request = undone(two.live.world, two.live.ada, before, cap=cap)
    found = unadopting(two.live.rows, request)
    assert {each.text: each.reason for each in found.left} == left
    take_back(two, request)
    assert (states(two.live.rows, two.live.ada) == were) == (not left)


def test_what_is_nobody_s_does_not_return_where_who_said_it_took_it_back_since() -> None:
    two = Two()
    lore = an_item(NOBODY, "there is green tea", [(SAID[0], two.said[0].id)], about="guild")
    two.live.world.add(ItemUpserted(said=NOW, by=MODEL, item=lore))
    two.both(0, TEA)
    two.reads(two.shadow, 1, LYON)
    before = rows_of(two.live.rows, NOBODY)
    two.adopt(NOBODY)
    records = two.live.world.records
    heard = {each.id: each.event for each in records if isinstance(each.event, MessageHeard)}
    asked = undone(two.live.world, NOBODY, before, heard=heard)
    assert len(unadopting(two.live.rows, asked).drafts) == 1
    forgets(two, TEA)
    assert [each.reason for each in unadopting(two.live.rows, asked).left] == [FORGOTTEN]
    assert take_back(two, asked) == []


def test_what_is_nobody_s_returns_by_compartment() -> None:
    two = Two()
    lore = an_item(NOBODY, "a moot", [(SAID[0], two.said[0].id)], about="guild")
    far = an_item(NOBODY, "far away", compartment="guild/discord:8")
    two.live.world.add(*(ItemUpserted(said=NOW, by=MODEL, item=each) for each in (lore, far)))
    two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=far))
    feast = an_item(NOBODY, "a feast", [(SAID[0], two.said[0].id)], about="guild", kind="event")
    two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=feast))
    before, were = rows_of(two.live.rows, NOBODY), states(two.live.rows, NOBODY)
    two.adopt(NOBODY, cap=1)
    take_back(two, undone(two.live.world, NOBODY, before, cap=1))
    assert states(two.live.rows, NOBODY) == were


def test_what_followed_its_person_lies_where_it_lay() -> None:
    two = Two("I use vim")
    words = SharingWords(
        "en", ("i",), ("i", "user"), (), (), ("doctor",), {"an editor": Harmless(("vim",), ("use", "uses"))}
    )
    quotes, wide = [("I use vim", two.said[0].id)], everywhere(two.live.ada)
    made = an_item(two.live.ada, "User uses vim", quotes, compartment=wide, kind="preference")
    two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=made))
    before = rows_of(two.live.rows, two.live.ada)
    assert len(two.adopt(sharing=words)) == 2
    request = undone(two.live.world, two.live.ada, before)
    assert [each.gone for each in take_back(two, request)] == [True]
    assert states(two.live.rows, two.live.ada) == {}
    assert unadopting(two.live.rows, request).left == []


def test_what_lay_where_it_came_through_lies_there_again() -> None:
    """Something was at the address that the adoption emptied."""
    adopted = Adopted()
    (address, row), *_ = adopted.before.items()
    two = adopted.two
    request = adopted.request()
    moved = next(each for each in request.touched if each.address == address)
    world = two.live.world
    world.add(ItemWithdrawn(said=NOW, by=OPERATOR, owner=address.owner, compartment=address.compartment, id=address.id))
    request = request._replace(touched=(moved._replace(removed=True),))
    (event,) = take_back(two, request)
    assert (event.item, event.gone) == (row.item, False)


def test_what_was_erased_is_no_cause() -> None:
    adopted = Adopted()
    (row, *_) = adopted.before.values()
    adopted.two.live.world.ids.seen[row.event] = "erased"
    drafts = unadopting(adopted.two.live.rows, adopted.request()).drafts
    assert not any(row.event in draft.event.causes for draft in drafts)


# -- what is taken back later ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("undoes", [False, True])
@pytest.mark.parametrize("which", [0, 1])
def test_no_word_of_a_deleted_message_is_left_in_either_life(which: int, undoes: bool) -> None:
    """Both lives of the item rest on another message; whichever goes takes its own words along, wherever they are."""
    two = Two("I adore oolong", "I adore matcha")
    words = ("oolong", "matcha")
    for town, mine in ((two.live, 0), (two.shadow, 1)):
        quotes = [(f"I adore {words[mine]}", two.said[mine].id)]
        made = an_item(two.live.ada, f"User adores {words[mine]}", quotes, id="durable-1")
        causes = (two.said[mine].id,)
        town.world.add(ItemUpserted(said=two.said[mine].said, by=MODEL, item=made, causes=causes))
    before = rows_of(two.live.rows, two.live.ada)
    assert len(two.adopt()) == 1
    if undoes:
        take_back(two, undone(two.live.world, two.live.ada, before))
    two.live.deletes(two.said[which])
    assert two.live.tells(words[which]) == []
    assert two.live.texts() in ([f"User adores {words[1 - which]}"], [])


# -- whatever happened ---------------------------------------------------------------------------------------------

Deed = Callable[[Two], None]


def _reads(which: str, number: int, text: str) -> Deed:
    def deed(two: Two) -> None:
        for town in [two.live, two.shadow] if which == "both" else [getattr(two, which)]:
            two.reads(town, number, text)

    return deed


def _goes(which: str, text: str) -> Deed:
    def deed(two: Two) -> None:
        town = getattr(two, which)
        for row in [each for each in town.items() if each.item.text == text]:
            town.reads([two.said[3]], gone=[{"id": row.item.id, "reason": "no more"}])

    return deed


def _forgets(text: str) -> Deed:
    return lambda two: forgets(two, text)


def _keeps(text: str) -> Deed:
    def deed(two: Two) -> None:
        by = By("person", two.live.ada)
        request = RememberRequest(two.live.ada, HOME, text, by, NOW, Source("manual"), origin(f"keep {text}"))
        two.live.world.decide(remember, request)

    return deed


sides = st.sampled_from(["live", "shadow", "both"])
said = st.sampled_from(
    [(number, text) for number, text in enumerate(TEXTS)] + [(0, "User drinks tea."), (1, "User is French.")]
)
deeds = st.one_of(
    st.builds(lambda side, each: _reads(side, *each), sides, said),
    st.builds(lambda side, each: _reads(side, *each), sides, said),
    st.builds(_goes, st.sampled_from(["live", "shadow"]), st.sampled_from(TEXTS)),
    st.builds(_forgets, st.sampled_from(TEXTS)),
    st.builds(_keeps, st.sampled_from(TEXTS)),
)


@settings(max_examples=20, deadline=None)
@given(st.lists(deeds, max_size=9), st.integers(2, 6))
def test_adopting_touches_nothing_of_people_s_and_can_be_taken_back(done: list[Deed], cap: int) -> None:
    two = Two()
    for deed in done:
        deed(two)
    owner, rows = two.live.ada, two.live.rows
    before, were = rows_of(rows, owner), states(rows, owner)
    for _ in range(40):
        if not recorded(two.live.world, two.request(cap=cap), most=2):
            break
    assert two.adopt(cap=cap) == []
    now = rows_of(rows, owner)
    assert all(now[address] == row for address, row in before.items() if is_by_people(row))
    if ADOPTION.decisions(rows, b"items" + owner):
        take_back(two, undone(two.live.world, owner, before, cap=200))
    assert states(rows, owner) == were
