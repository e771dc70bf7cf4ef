"""Taking over what was made anew: what is recorded of each pair, and what is left as it is, and why."""

from typing import Any

import msgspec
import pytest

from projections.decisions.adopt import NO_ROOM, REPLACED, SAYS_SO, addresses, adopt, planned
from projections.decisions.adopt_pairs import (
    BESIDE_LOOPS,
    BY_PEOPLE,
    NEWER,
    OUT,
    REVERTED,
    SHARED,
    SPOILED,
    TAKEN_BACK,
    UNDONE,
    UNFOUNDED,
    says_shadow,
    standing,
)
from projections.decisions.adopt_refused import PUT_RIGHT
from projections.decisions.consent import ConsentRequest, opt_out
from projections.decisions.remember import EditRequest, ForgetRequest, RememberRequest, edit, forget, remember
from projections.events import (
    ItemDeprecated,
    ItemEvent,
    ItemEvicted,
    ItemMoved,
    ItemRemembered,
    ItemUpserted,
    PlaceAudienceChanged,
)
from projections.events.values import PLATFORM, Audience, By, Evidence, Intent, Source
from projections.ids import NOBODY, EventId
from projections.policies.capacity import address
from projections.policies.closeness import Nearness
from projections.policies.compartments import Opening, direct, everywhere
from projections.policies.promotion import Harmless, SharingWords
from projections.rederiving.scope import Scope
from tests.projections.adoption import ADOPTION, OPUS, SAID, Two, an_item, recorded, rests, states
from tests.projections.items import ORDER
from tests.projections.learning import HERE, HOME, MODEL, Town
from tests.world import NOW, handle, origin

TEA, LYON, CHESS, HARBOUR = "User likes green tea.", "User lives in Lyon.", "User plays chess.", "User is a docker."
SHARING = SharingWords(
    language="en",
    first_person=("i", "my"),
    fillers=("i", "user", "the", "is", "my"),
    sensitive=("doctor",),
    harmless={"an editor": Harmless(("vim",), ("use", "uses"))},
)


def asked(two: Two) -> By:
    return By("person", two.live.ada)


def opening(two: Two) -> tuple[Opening, ...]:
    return (Opening(two.live.ada, HOME),)


# -- what is recorded ----------------------------------------------------------------------------------------------


def test_nothing_comes_of_no_difference() -> None:
    two = Two()
    two.both(0, TEA)
    assert two.adopt() == []
    assert two.left() == []


def test_what_only_the_shadow_has_is_taken_over_as_it_has_it() -> None:
    two = Two()
    two.reads(two.shadow, 0, TEA, tags=["drinks"])
    (event,) = two.adopt()
    assert isinstance(event, ItemUpserted)
    made = two.shadow.item(TEA)
    assert event.item == made.item
    assert event.by == MODEL
    assert event.reason == "rederived as opus by opus@9 with extraction@3"
    assert says_shadow(event) == "opus"
    assert event.policy.startswith("adoption@1 ")
    assert event.causes == (two.said[0].id,)
    assert two.kinds() == []


def test_what_changed_is_changed_at_the_live_address() -> None:
    two = Two()
    two.reads(two.live, 0, "User drinks tea.")
    two.reads(two.shadow, 0, TEA)
    old = two.live.item("drinks tea")
    (event,) = two.adopt()
    assert isinstance(event, ItemUpserted)
    assert (event.item.id, event.item.text) == (old.item.id, TEA)
    assert event.causes == (old.event, two.said[0].id)
    assert two.kinds() == []


def test_what_the_shadow_does_not_have_is_deprecated() -> None:
    two = Two()
    two.both(0, TEA)
    two.reads(two.live, 1, LYON)
    old = two.live.item(LYON)
    (event,) = two.adopt()
    assert isinstance(event, ItemDeprecated)
    assert event.by == OPUS
    assert event.reason == "rederived as opus by opus@9 with extraction@3, which has no such item"
    assert event.causes == (old.event, two.said[1].id)
    assert two.live.texts() == [TEA]


def test_adopting_twice_does_nothing_the_second_time() -> None:
    two = Two()
    two.reads(two.live, 0, "User drinks tea.")
    two.reads(two.shadow, 0, TEA)
    two.reads(two.live, 1, LYON)
    two.reads(two.shadow, 2, CHESS)
    assert {type(each) for each in two.adopt()} == {ItemUpserted, ItemDeprecated}
    assert two.adopt() == []
    assert two.left() == []
    assert two.live.texts() == two.shadow.texts()


def test_what_was_policies_alone_is_said_of_no_model() -> None:
    two = Two()
    two.reads(two.live, 0, TEA)
    by = By("policy", name="adoption", version="1")
    (event,) = two.adopt(by=by, prompt="")
    assert isinstance(event, ItemDeprecated)
    assert event.reason == "rederived as opus, which has no such item"
    assert says_shadow(event) == "opus"
    assert says_shadow(msgspec.structs.replace(event, policy="extraction@4")) == ""
    assert says_shadow(msgspec.structs.replace(event, reason="more than 200 items")) == ""
    assert (event.by, two.live.item(TEA).by) == (by, by)


def test_a_person_s_act_that_fell_on_another_item_there_is_no_act_here() -> None:
    two = Two()
    made = an_item(two.live.ada, TEA, [(SAID[0], two.said[0].id)])
    two.shadow.world.add(ItemUpserted(said=NOW, by=asked(two), item=made, intent=Intent("edit")))
    (event,) = two.adopt()
    assert isinstance(event, ItemUpserted)
    assert (event.by, event.intent) == (OPUS, None)


def test_an_item_that_went_here_comes_back_at_its_address() -> None:
    two = Two()
    two.both(0, TEA)
    two.live.reads([two.said[1]], gone=[{"id": two.live.item(TEA).item.id, "reason": "no more"}])
    before = two.live.item(TEA)
    (event,) = two.adopt()
    assert isinstance(event, ItemUpserted)
    assert before.event in event.causes
    assert two.live.texts() == [TEA]


def test_it_rests_on_what_is_still_said() -> None:
    two = Two()
    messages = [two.said[0], two.said[1]]
    made = an_item(two.live.ada, TEA, [(SAID[0], messages[0].id), ("", EventId(b"")), (SAID[1], messages[1].id)])
    two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=made))
    two.live.deletes(messages[1])
    (event,) = two.adopt()
    assert isinstance(event, ItemUpserted)
    assert [each.quote for each in event.item.evidence] == [SAID[0], ""]
    assert event.causes == (messages[0].id,)
    assert two.adopt() == []


def test_what_was_taken_back_since_does_not_come_back() -> None:
    two = Two()
    two.both(0, TEA)
    two.live.deletes(two.said[0])
    assert two.live.texts() == []
    assert two.left() == [UNFOUNDED]
    assert two.adopt() == []


def test_an_edited_message_is_still_said() -> None:
    two = Two()
    for town in (two.live, two.shadow):
        town.edits(two.said[0], "I like green tea a lot")
    two.reads(two.shadow, 0, TEA)
    (event,) = two.adopt()
    assert event.causes == (two.said[0].id,)


def test_an_edited_message_that_was_deleted_is_not() -> None:
    two = Two()
    for town in (two.live, two.shadow):
        town.edits(two.said[0], "I like green tea a lot")
    two.reads(two.shadow, 0, TEA)
    two.live.deletes(two.said[0])
    assert two.left() == [UNFOUNDED]


def test_without_a_quote_it_rests_on_what_the_model_read() -> None:
    two = Two()
    two.shadow.reads([two.said[0], two.said[1]], {"text": "User is a Frenchman."})
    row = two.shadow.item("Frenchman")
    assert row.item.evidence == ()
    assert two.left() == [UNFOUNDED]
    (event,) = two.adopt(rests={row.event: rests(two.shadow.world, row)})
    assert event.causes == (two.said[0].id, two.said[1].id)


def test_without_a_quote_nothing_comes_of_it_once_some_of_that_is_gone() -> None:
    two = Two()
    two.shadow.reads([two.said[0], two.said[1]], {"text": "User is a Frenchman."})
    row = two.shadow.item("Frenchman")
    behind = {row.event: rests(two.shadow.world, row)}
    two.live.deletes(two.said[1])
    assert two.left(rests=behind) == [TAKEN_BACK]
    assert two.adopt(rests=behind) == []


def test_what_is_taken_back_or_edited_while_it_is_adopted_is_not_told_by_what_rests_on_more() -> None:
    """Its words may be the shadow's: they were looked for before."""
    two = Two()
    two.shadow.reads([two.said[0], two.said[1]], {"text": "User drinks tea in Lyon.", "evidence": SAID[0]})
    stood = {each.id: standing(two.live.rows, each.id) for each in two.said}
    row = two.shadow.item("in Lyon")
    evidence = (*row.item.evidence, Evidence(SAID[1], two.said[1].id))
    request = two.request(stood=stood)
    more = msgspec.structs.replace(row, item=msgspec.structs.replace(row.item, evidence=evidence))
    request = request._replace(items=(more,))
    assert planned(two.live.rows, request).left == []
    two.live.deletes(two.said[1])
    assert [each.reason for each in planned(two.live.rows, request).left] == [TAKEN_BACK]
    assert planned(two.live.rows, request).drafts == []
    (plan,) = planned(two.live.rows, request._replace(stood={})).parts
    assert len(plan.pairs) == 1


def test_what_the_operator_reverted_here_stands() -> None:
    two = Two()
    two.both(0, "User drinks tea.")
    ale = msgspec.structs.replace(two.shadow.item("drinks tea").item, text="User drinks ale.")
    two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=ale))
    here = two.live.item("drinks tea").item
    assert two.left(reverted=frozenset({(here.compartment, here.id)})) == [REVERTED]
    assert len(two.adopt()) == 1


def test_of_who_opted_out_nothing_is_taken_over_or_back() -> None:
    two = Two()
    two.shadow.reads([two.said[0]], {"text": TEA})
    two.live.world.decide(opt_out, ConsentRequest(NOW, origin("out"), two.live.ada))
    assert two.left() == [OUT]
    assert two.adopt() == []


# -- what is left --------------------------------------------------------------------------------------------------


def edited(two: Two) -> None:
    two.both(0, "User drinks tea.")
    row = two.live.item("drinks tea")
    request = EditRequest(two.live.ada, row.item.id, "User drinks coffee", asked(two), NOW, origin("e"), opening(two))
    two.live.world.decide(edit, request)


def taken_back(two: Two) -> None:
    two.both(0, TEA)
    request = ForgetRequest(two.live.ada, opening(two), asked(two), NOW, origin("f"), "likes green tea")
    two.live.world.decide(forget, request)


def kept(two: Two) -> None:
    request = RememberRequest(two.live.ada, HOME, TEA, asked(two), NOW, Source("manual"), origin("r"))
    two.live.world.decide(remember, request)


def imported(two: Two) -> None:
    item = an_item(two.live.ada, TEA, source=Source("import"))
    two.live.world.add(ItemUpserted(said=NOW, by=By("policy", name="import", version="1"), item=item))


@pytest.mark.parametrize("act", [edited, taken_back, kept, imported])
def test_what_a_person_decided_is_not_touched(act: Any) -> None:
    two = Two()
    act(two)
    before = states(two.live.rows, two.live.ada)
    assert two.adopt() == []
    assert two.left() == [BY_PEOPLE]
    assert states(two.live.rows, two.live.ada) == before


def test_what_a_person_forgot_is_not_learned_under_another_id() -> None:
    two = Two()
    two.reads(two.live, 0, TEA)
    request = ForgetRequest(two.live.ada, opening(two), asked(two), NOW, origin("f"), "likes green tea")
    two.live.world.decide(forget, request)
    made = an_item(two.live.ada, "User likes green tea!", [(SAID[1], two.said[1].id)])
    two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=made))
    (reason,) = two.left()
    assert "says all that the person forgot" in reason
    assert two.adopt() == []


def test_nor_in_other_words_that_an_encoder_knows() -> None:
    two = Two()
    taken_back(two)
    made = an_item(two.live.ada, "User adores sencha", [(SAID[1], two.said[1].id)])
    two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=made))

    def measure(one: str, other: str) -> Nearness:
        return Nearness(900, (one, other) == (TEA, "User adores sencha"), "cosine 0.900")

    assert two.left() == [BY_PEOPLE]
    assert sorted(two.left(measure=measure)) == [BY_PEOPLE, "it is near what the person forgot: cosine 0.900"]


def test_a_guard_stands_here_too() -> None:
    two = Two()
    made = an_item(two.live.ada, ORDER, [(SAID[0], two.said[0].id)])
    two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=made))
    (reason,) = two.left()
    assert "it instructs the assistant" in reason


def test_what_the_shadow_does_not_know_yet_stays() -> None:
    two = Two()
    two.both(0, "User drinks tea.")
    upto = len(two.live.world.records)
    two.reads(two.live, 1, LYON)
    two.live.reads([two.said[2]], {"id": two.live.item("drinks tea").item.id, "text": "User drinks chai."})
    assert two.left(upto=upto) == [NEWER, NEWER]
    assert two.adopt(upto=upto) == []


@pytest.mark.parametrize(
    ("number", "theirs", "left"),
    [
        (1, "User has a flat in Lyon.", [PUT_RIGHT]),
        (1, "User moved from Lyon to Nantes.", []),  # it says the new thing
        (2, "User plays chess in Lyon.", []),  # of another message
    ],
)
def test_what_they_put_right_since_does_not_come_in_by_another_item(number: int, theirs: str, left: list[str]) -> None:
    two = Two()
    two.both(1, LYON)
    two.reads(two.shadow, number, theirs)
    upto = len(two.live.world.records)
    found = two.live.item(LYON).item
    request = EditRequest(two.live.ada, found.id, "User lives in Nantes.", asked(two), NOW + 9, origin("edit"))
    two.live.world.decide(edit, request._replace(openings=opening(two)))
    assert [each for each in two.left(upto=upto) if each != BY_PEOPLE] == left
    assert [event.item.text for event in two.adopt(upto=upto) if isinstance(event, ItemEvent)] == [theirs][len(left) :]
    assert PUT_RIGHT not in two.left()


def test_what_the_shadow_has_with_words_that_are_gone_does_not_go_here() -> None:
    two = Two()
    two.reads(two.live, 0, TEA)
    two.reads(two.live, 1, LYON)
    spoiled = frozenset({address(two.live.item(TEA).item)})
    assert two.left(spoiled=spoiled) == [SPOILED]
    (event,) = two.adopt(spoiled=spoiled)
    assert isinstance(event, ItemDeprecated)
    assert event.item.text == LYON


def test_what_was_taken_back_here_since_does_not_return() -> None:
    """It came, changed or went by what was taken back; elsewhere it is told by what the shadow has."""
    two = Two()
    two.reads(two.shadow, 0, TEA)
    two.reads(two.live, 1, LYON)
    two.both(2, "User plays chess.")
    there, here = two.shadow.item(TEA).item, two.live.item(LYON).item
    assert two.left(undone=frozenset({address(there)})) == [UNDONE]
    assert two.left(undone=frozenset({address(here)})) == [UNDONE]
    both = frozenset(map(address, (there, here, two.live.item("plays chess").item)))
    assert two.left(undone=both) == [UNDONE, UNDONE]
    assert two.adopt(undone=both) == []
    assert len(two.adopt()) == 2


def test_an_adoption_s_own_items_are_no_news() -> None:
    two = Two()
    upto = len(two.live.world.records)
    two.reads(two.shadow, 0, TEA)
    assert len(two.adopt(upto=upto)) == 1
    two.shadow.reads([two.said[1]], gone=[{"id": two.shadow.item(TEA).item.id, "reason": "no more"}])
    (event,) = two.adopt(upto=upto)
    assert isinstance(event, ItemDeprecated)


def test_what_no_loop_learned_stays() -> None:
    two = Two()
    noted = an_item(two.live.ada, TEA, [(SAID[0], two.said[0].id)])
    own = an_item(NOBODY, "it is called Robin", compartment="self")
    two.live.world.add(
        ItemUpserted(said=NOW, by=MODEL, item=noted, policy="replies@1 noting@1"),
        ItemUpserted(said=NOW, by=MODEL, item=own),
    )
    assert two.left() == [BESIDE_LOOPS]
    assert [each.reason for each in two.plan(NOBODY).left] == [BESIDE_LOOPS]


def test_what_it_was_not_asked_for_is_no_difference() -> None:
    two = Two()
    two.reads(two.live, 0, TEA)
    assert two.adopt(scope=Scope(frozenset({handle("somebody else")}))) == []
    assert two.left(scope=Scope(frozenset({handle("somebody else")}))) == []
    assert len(two.adopt(scope=Scope(frozenset({two.live.ada})))) == 1


def test_nothing_goes_without_what_takes_its_place() -> None:
    two = Two()
    two.reads(two.live, 0, TEA)
    old = two.live.item(TEA)
    instead = an_item(
        two.live.ada, "User likes cocoa.", [(SAID[1], EventId(handle("gone")))], supersedes=(old.item.id,)
    )
    two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=instead))
    assert sorted(two.left()) == sorted([UNFOUNDED, REPLACED])
    assert two.adopt() == []


def test_what_would_widen_is_left() -> None:
    """The shadow had it for all of the guild; fewer can read by now where it was said."""
    two = Two()
    two.reads(two.shadow, 0, TEA)
    narrow = Audience("channel", HERE.place, 1)
    changed = PlaceAudienceChanged(
        said=NOW, by=PLATFORM, place=HERE.place, audience=narrow, previous=HERE, session="discord:channel:7"
    )
    two.live.world.add(changed)
    (reason,) = two.left()
    assert "would rest on" in reason


# -- chosen, cut ---------------------------------------------------------------------------------------------------


def test_only_what_is_chosen_is_taken() -> None:
    two = Two()
    two.reads(two.shadow, 0, TEA)
    two.reads(two.shadow, 1, LYON)
    tea = next(each.group for each in two.plan().parts if each.pairs[0].row.item.text == TEA)
    assert adopt(two.live.rows, two.request(chosen=frozenset())) == []
    two.adopt(chosen=addresses(tea))
    assert two.live.texts() == [TEA]


def test_what_is_left_of_a_group_does_not_keep_the_rest_from_being_chosen() -> None:
    two = Two()
    kept(two)
    other = an_item(two.live.ada, LYON, [(SAID[1], two.said[1].id)], supersedes=(two.live.item(TEA).item.id,))
    two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=other))
    (part,) = two.plan().parts
    assert (len(part.group.pairs), len(part.pairs)) == (2, 1)
    assert len(two.adopt(chosen=addresses(part.group))) == 1


def test_much_is_cut_between_groups_and_goes_on() -> None:
    two = Two()
    for number, text in enumerate((TEA, LYON, CHESS)):
        two.reads(two.shadow, number, text)
    first = planned(two.live.rows, two.request(), most=2)
    assert (len(first.drafts), len(first.parts), first.more) == (2, 2, True)
    assert len(recorded(two.live.world, two.request(), most=2)) == 2
    last = planned(two.live.rows, two.request(), most=2)
    assert (len(last.drafts), last.more) == (1, False)
    assert last.drafts[0].id not in {each.id for each in first.drafts}
    recorded(two.live.world, two.request(), most=2)
    assert two.live.texts() == two.shadow.texts()


def test_a_group_that_is_too_large_is_cut_in_itself() -> None:
    two = Two()
    two.reads(two.live, 0, TEA)
    two.reads(two.live, 1, LYON)
    old = [two.live.item(each).item.id for each in (TEA, LYON)]
    whole = an_item(two.live.ada, "User is French", [(SAID[2], two.said[2].id)], supersedes=tuple(old))
    two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=whole))
    assert len(two.plan().parts) == 1
    for _ in range(3):
        assert len(recorded(two.live.world, two.request(), most=1)) == 1
    assert two.adopt() == []
    assert two.live.texts() == ["User is French"]


# -- room ----------------------------------------------------------------------------------------------------------


def test_what_went_makes_room_and_nothing_that_is_active_does() -> None:
    two = Two()
    two.reads(two.live, 0, TEA)
    two.both(1, LYON)
    two.reads(two.shadow, 2, CHESS)
    deprecated, evicted, added = two.adopt(cap=2)
    assert isinstance(deprecated, ItemDeprecated)
    assert isinstance(evicted, ItemEvicted)
    assert isinstance(added, ItemUpserted)
    assert (evicted.item.text, evicted.item.status, added.item.text) == (TEA, "evicted", CHESS)
    assert two.adopt(cap=2) == []


@pytest.mark.parametrize("is_newer", [False, True])
def test_nothing_is_said_twice_by_what_becomes_another_thing_and_what_says_it_then(is_newer: bool) -> None:
    two = Two()
    two.reads(two.live, 0, TEA)
    whole = [(SAID[0], two.said[0].id)]
    at = an_item(two.live.ada, CHESS, whole, id=two.live.item(TEA).item.id)
    for made in (at, an_item(two.live.ada, TEA, [(SAID[2], two.said[2].id)], id="durable-other")):
        two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=made))
    (part,) = planned(two.live.rows, two.request()).parts
    assert sorted(pair.kind for pair in part.pairs) == ["changed", "only_new"]
    plan = planned(two.live.rows, two.request(upto=0) if is_newer else two.request())
    assert {each.reason for each in plan.left} == ({NEWER, SAYS_SO} if is_newer else set())
    assert len(plan.drafts) == (0 if is_newer else 2)


@pytest.mark.parametrize("is_here", [False, True])
def test_what_a_shadow_says_twice_comes_once(is_here: bool) -> None:
    """Where one of both is here, the other one does not come beside it, nor instead of something else."""
    two = Two()
    two.reads(two.live, 1, LYON)
    at = two.live.item(LYON).item.id
    two.reads(two.shadow, 0, TEA)
    if is_here:
        two.reads(two.live, 0, TEA)
    for item_id in ("durable-0", at):
        made = an_item(two.live.ada, TEA, [(SAID[2], two.said[2].id)], id=item_id)
        two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=made))
    two.adopt()
    texts = [row.item.text for row in two.live.items() if row.item.status == "active"]
    assert texts.count(TEA) == 1
    assert SAYS_SO in two.left()
    assert two.adopt() == []


@pytest.mark.parametrize(("goes", "comes"), [(TEA, CHESS), (CHESS, TEA)])
def test_what_there_is_no_room_for_waits_for_what_goes(goes: str, comes: str) -> None:
    """Whichever of both has the smaller id; or the second time there would be room."""
    two = Two()
    two.reads(two.live, 0, goes, evidence=SAID[0])
    two.both(1, LYON)
    two.reads(two.shadow, 2, comes, evidence=SAID[2])
    two.reads(two.shadow, 3, HARBOUR)
    assert [event.item.text for event in two.adopt(cap=2) if isinstance(event, ItemUpserted)] in ([comes], [HARBOUR])
    assert two.adopt(cap=2) == []
    assert two.left(cap=2) == [NO_ROOM]


def test_without_room_it_is_left_and_so_is_what_it_would_replace() -> None:
    two = Two()
    two.both(1, LYON)
    two.reads(two.live, 0, TEA)
    request = RememberRequest(two.live.ada, HOME, "keeps a cat", asked(two), NOW, Source("manual"), origin("r"))
    two.live.world.decide(remember, request)
    old = two.live.item(TEA).item.id
    for number, text in ((2, CHESS), (3, HARBOUR)):
        made = an_item(two.live.ada, text, [(SAID[number], two.said[number].id)], supersedes=(old,))
        two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=made))
    left = {each.pair.row.item.text: each.reason for each in two.plan(cap=3).left}
    assert left == {CHESS: NO_ROOM, HARBOUR: NO_ROOM, TEA: REPLACED, "keeps a cat": BY_PEOPLE}
    assert two.adopt(cap=3) == []


def test_what_a_person_took_back_makes_no_room() -> None:
    two = Two()
    taken_back(two)
    two.reads(two.shadow, 1, LYON)
    assert NO_ROOM in two.left(cap=1)
    assert two.adopt(cap=1) == []
    assert len(two.adopt(cap=2)) == 1


def test_what_is_nobody_s_has_room_by_compartment() -> None:
    two = Two()
    lore = [an_item(NOBODY, text, [(SAID[0], two.said[0].id)], about="guild") for text in ("a moot", "a feast")]
    far = an_item(NOBODY, "far away", [(SAID[0], two.said[0].id)], compartment="guild/discord:8")
    two.live.world.add(ItemUpserted(said=NOW, by=MODEL, item=far))
    for each in (*lore, far):
        two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=each))
    (event,) = two.adopt(NOBODY, cap=1)
    assert isinstance(event, ItemUpserted)
    assert [each.reason for each in two.plan(NOBODY, cap=1).left] == [NO_ROOM]


def test_lore_that_somebody_took_back_is_not_said_again() -> None:
    two = Two()
    taken_back(two)
    lore = an_item(NOBODY, TEA, [(SAID[0], two.said[0].id)], about="guild")
    two.shadow.world.add(ItemUpserted(said=NOW, by=MODEL, item=lore))
    (left,) = two.plan(NOBODY).left
    assert "forgot this very item" in left.reason
    assert two.adopt(NOBODY) == []


# -- everywhere ----------------------------------------------------------------------------------------------------


def portable(town: Town, said: Any, text: str = "User uses vim", quote: str = "I use vim", **fields: Any) -> None:
    wide = everywhere(town.ada)
    quotes = [(quote, said.id)]
    item = an_item(town.ada, text, quotes, compartment=wide, kind="preference", **fields)
    town.world.add(ItemUpserted(said=NOW, by=MODEL, item=item))


def test_what_follows_its_person_takes_both_keys_here_too() -> None:
    two = Two("I use vim")
    portable(two.shadow, two.said[0])
    learned, moved = two.adopt(sharing=SHARING)
    assert isinstance(learned, ItemUpserted)
    assert isinstance(moved, ItemMoved)
    assert (learned.item.compartment, moved.item.compartment) == (HOME, everywhere(two.live.ada))
    assert (moved.by.name, moved.reason) == ("promotion", "the model calls it shareable, and it is an editor")
    assert two.kinds() == []
    assert two.adopt(sharing=SHARING) == []


def test_what_follows_its_person_already_is_changed_where_it_lies() -> None:
    two = Two("I use vim")
    portable(two.live, two.said[0], confidence=950)
    portable(two.shadow, two.said[0], tags=("vim",))
    old = two.live.item("vim")
    (_, moved) = two.adopt(sharing=SHARING)
    assert isinstance(moved, ItemEvent)
    assert moved.causes[1:] == (old.event,)
    assert two.live.item("vim").item.tags == ("vim",)
    assert two.kinds() == []


def test_without_the_second_key_it_is_left() -> None:
    two = Two("I use vim")
    portable(two.shadow, two.said[0])
    assert two.left() == ["there is no list of sensitive words for the language ''"]
    private = an_item(two.live.ada, "User uses vim", compartment=direct(two.live.ada))
    two.live.world.add(ItemUpserted(said=NOW, by=MODEL, item=private))
    assert "the person has it in their direct messages alone" in two.left(sharing=SHARING)
    assert two.left(sharing=SHARING, heard={})[-1] == UNFOUNDED


def test_what_its_person_shared_is_theirs_to_share() -> None:
    two = Two("I use vim")
    item = an_item(two.live.ada, "User uses vim", [("I use vim", two.said[0].id)], compartment=everywhere(two.live.ada))
    two.shadow.world.add(ItemRemembered(said=NOW, by=asked(two), item=item))
    assert two.left(sharing=SHARING) == [SHARED]


def test_the_ids_of_a_decision_are_its_adoption_s() -> None:
    two = Two()
    two.reads(two.shadow, 0, TEA)
    request = two.request()
    assert [each.id for each in adopt(two.live.rows, request)] == [each.id for each in adopt(two.live.rows, request)]
    other = adopt(two.live.rows, request._replace(adoption=ADOPTION._replace(id=EventId(handle("another")))))
    assert {each.id for each in other}.isdisjoint(each.id for each in adopt(two.live.rows, request))
