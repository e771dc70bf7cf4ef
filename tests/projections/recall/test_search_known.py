"""What is known: found by itself, and as a key to what it rests on."""

import pytest

from projections.events import PersonOptedOut
from projections.events.values import OPERATOR
from projections.ids import EventId, Handle
from projections.recall.bm25 import ONE
from projections.recall.search import Reason, Said, Wanted, items, said
from projections.rows import Rows
from tests.projections.recall.house import ADA, KIM, House, own_place, rests_on
from tests.projections.recall.stage import HOUR, kept
from tests.projections.recall.test_search import LORE, furnished, texts, wanted
from tests.world import NOW


@pytest.fixture
def house() -> House:
    return furnished()


def known(rows: Rows, look: Wanted, most: int = 9) -> list[str]:
    return [each.item.text for each in items(rows, look, most)]


def test_items_of_the_opened_compartments_are_found(house: House) -> None:
    house.know("likes green tea", LORE)
    house.know("hides tea from Kim", f"person/{ADA.hex()}/direct")
    house.know("serves tea at five", LORE, Handle(b""))
    house.know("Kim grows tea", LORE, KIM)
    assert set(known(house.rows, wanted(house, "tea"))) == {"likes green tea", "serves tea at five"}
    assert set(known(house.rows, wanted(house, "tea", own_place(ADA)))) == {"hides tea from Kim", "likes green tea"}
    assert known(house.rows, wanted(house, "tea"), 1) == known(house.rows, wanted(house, "tea"))[:1]
    assert known(house.rows, wanted(house, "coffee")) == []


def test_a_name_is_known_before_others_of_its_stem(house: House) -> None:
    house.know("borrows from Adams", LORE, updated=1)
    house.know("borrows from Adam", LORE, updated=2)
    assert known(house.rows, wanted(house, "what of adams?")) == ["borrows from Adams", "borrows from Adam"]


def test_a_found_item_says_why(house: House) -> None:
    made = house.know("likes green teas", LORE, updated=NOW)
    (hit,) = items(house.rows, wanted(house, "tea"), 5)
    assert (hit.item, hit.score) == (made, sum(each.points for each in hit.reasons))
    assert {(each.field, each.word) for each in hit.reasons} == {("words", "tea"), ("recent", "")}
    assert Reason("recent", "", ONE) in hit.reasons


def test_what_is_forgotten_or_over_is_not_found(house: House) -> None:
    house.know("likes tea", LORE, status="forgotten")
    house.know("drinks tea until noon", LORE, valid_until=NOW - 1)
    assert known(house.rows, wanted(house, "tea")) == []


def test_of_others_in_the_room_that_is_found_which_all_could_hear(house: House) -> None:
    """As in a prompt: not how they are to be answered, and nothing of somebody who opted out; what is somebody's own
    and open for another reason is found once.
    """
    house.know("grows tea", LORE, KIM)
    house.know("serve tea first", LORE, KIM, kind="guidance")
    house.know("speak of tea in verse", LORE, KIM, kind="behavioral")
    house.know("brew it before the tea", LORE, kind="guidance")
    for compartment in (f"person/{KIM.hex()}/direct", f"person/{KIM.hex()}/everywhere"):
        house.know(f"hides tea in {compartment[-6:]}", compartment, KIM)
    look = wanted(house, "tea")
    assert known(house.rows, look) == ["brew it before the tea"]
    of_kim = look._replace(room=(KIM, ADA, KIM))
    assert sorted(known(house.rows, of_kim)) == ["brew it before the tea", "grows tea"]
    alone = look.setting._replace(person=KIM)
    both = of_kim._replace(besides=((alone, look.session),))
    assert sorted(known(house.rows, both)) == [
        "brew it before the tea", "grows tea", "hides tea in ywhere", "serve tea first", "speak of tea in verse"
    ]  # fmt: skip
    house.name(KIM, "Kim")
    hashed = house.rows.ids.keyed_hash("discord", KIM.hex())
    house.world.add(PersonOptedOut(said=house.said, by=OPERATOR, hashes=(hashed,)))
    assert known(house.rows, of_kim) == ["brew it before the tea"]


# -- facts as keys to what was said ------------------------------------------------------------------------------------


def facts_of(found: tuple[Said, ...]) -> list[str]:
    """What a fact rests on, of what was found."""
    return texts(tuple(each for each in found if any(reason.field == "fact" for reason in each.reasons)))


def test_a_fact_leads_to_what_it_rests_on(house: House) -> None:
    heard = house.say("general", "the green kind, always")
    house.say("general", "it rains", after=9 * HOUR)
    house.know("prefers green tea", LORE, evidence=rests_on(heard, EventId(b"")))
    hits = said(house.rows, wanted(house, "what tea?"), 5)
    assert facts_of(hits) == ["the green kind, always"]
    assert said(kept(house.world), wanted(house, "what tea?"), 5) == hits


def test_a_fact_of_whom_the_question_names_is_looked_at(house: House) -> None:
    heard = house.say("general", "the green kind", KIM)
    house.know("prefers green tea", LORE, KIM, evidence=rests_on(heard))
    assert facts_of(said(house.rows, wanted(house, "which tea does Kim like?"), 5)) == ["the green kind"]
    assert said(house.rows, wanted(house, "which tea?"), 5) == ()


def test_facts_of_others_who_take_part_count_where_all_could_hear_them(house: House) -> None:
    heard = house.say("general", "the green kind", KIM)
    hidden = house.say("general", "the black kind", KIM, after=9 * HOUR)
    house.know("prefers green tea", LORE, KIM, evidence=rests_on(heard))
    house.know("in truth prefers black tea", f"person/{KIM.hex()}/direct", KIM, evidence=rests_on(hidden))
    house.know("tells everybody of tea", f"person/{KIM.hex()}/everywhere", KIM, evidence=rests_on(hidden))
    look = wanted(house, "which tea?")._replace(room=(KIM, ADA, KIM))
    assert facts_of(said(house.rows, look, 5)) == ["the green kind"]


def test_the_best_of_several_facts_counts(house: House) -> None:
    heard = house.say("general", "the green kind")
    for text in ("tea", "likes tea very much on days of rain"):
        house.know(text, LORE, evidence=rests_on(heard))
    (hit,) = said(house.rows, wanted(house, "tea"), 5)
    best = max(each.score for each in items(house.rows, wanted(house, "tea"), 5))
    assert [each.points for each in hit.reasons if each.field == "fact"] == [best * 3 // 2]


def test_a_fact_leads_to_nothing_that_is_closed_gone_or_elsewhere(house: House) -> None:
    in_staff, in_garden = house.say("staff", "the green kind"), house.say("garden", "the black kind")
    gone = house.say("general", "the white kind")
    house.know("prefers tea", LORE, evidence=rests_on(in_staff, in_garden, gone))
    house.delete("general", gone, house.said)
    house.change("garden", "channel")
    for rows in (house.rows, kept(house.world)):
        assert said(rows, wanted(house, "tea"), 5) == ()
    assert facts_of(said(house.rows, wanted(house, "tea", "staff"), 5)) == ["the green kind"]


def test_an_item_that_is_only_recent_leads_nowhere(house: House) -> None:
    heard = house.say("general", "the green kind")
    house.know("prefers tea", LORE, evidence=rests_on(heard), updated=NOW)
    assert said(house.rows, wanted(house, "boats"), 5) == ()
