"""Lore: what an extraction says about the guild, and what somebody keeps for all of it."""

from typing import Any

import pytest

from projections.decisions.extraction import learn
from projections.decisions.lore import UNQUOTED
from projections.decisions.narrowed import NARROWED
from projections.decisions.place import heard_of
from projections.decisions.remember import NARROWER, ForgetRequest, RememberRequest, forget, remember
from projections.decisions.work import WorkRequest
from projections.errors import BadRequest
from projections.events import (
    ExtractionAnswered,
    ExtractionFailed,
    ItemForgotten,
    ItemRefused,
    ItemRemembered,
    ItemUpserted,
    PlaceAudienceChanged,
)
from projections.events.values import OPERATOR, PLATFORM, Audience, ModelUse, Source
from projections.ids import NOBODY, Point, Ref
from projections.items import items_in, items_of
from projections.policies.closeness import THRESHOLD, by_vectors
from projections.policies.compartments import SELF, Opening, Setting, in_channel, in_guild, of_person_in
from projections.vaults import home
from tests.projections.items import ANN, BOB, HOME, KNOWN, MANUAL, MODEL, PERSON, an_item, message, there_is
from tests.projections.test_extraction import an_input, please_extract, say
from tests.world import NOW, World, origin

G, ROOM = Ref("discord", "g"), Ref("discord", "room")
GARDEN = in_guild(G)
RAID = an_input("we raid on Fridays", NOW, place=ROOM, guild=G, audience=Audience("guild", ROOM))
ENTRY = {"text": "The guild raids on Fridays.", "about": "guild", "evidence": "we raid on Fridays", "confidence": 0.8}


def says(world: World, name: str = "", **changes: Any) -> list[Any]:
    fields: dict[str, Any] = {"compartment": GARDEN, "inputs": (RAID,), "guarding": KNOWN, "owner": ANN}
    fields |= {key: changes.pop(key) for key in ("compartment", "inputs", "owner", "cap", "measure") if key in changes}
    return say(world, {**ENTRY, **changes}, origin=origin(f"says {name}"), **fields)


def lore(world: World, compartment: str = GARDEN) -> list[tuple[str, str]]:
    return [(found.row.item.text, found.row.item.status) for found in items_in(world.rows, NOBODY, compartment)]


def test_what_is_about_the_guild_belongs_to_nobody_and_rests_on_the_words() -> None:
    world = World()
    (event,) = says(world)
    assert isinstance(event, ItemUpserted)
    assert (event.item.owner, event.item.compartment, event.item.about) == (NOBODY, GARDEN, "guild")
    assert (event.item.type, event.item.confidence, event.item.created) == ("episodic", 800, NOW)
    assert event.item.source == Source("discord", ROOM, RAID.ref, G)
    assert RAID.id in event.causes
    assert event.policy.startswith("lore@1 ")
    assert list(items_of(world.rows, ANN)) == []


@pytest.mark.parametrize("compartment", [of_person_in(ANN, ROOM), HOME])
def test_where_others_may_not_read_what_the_model_read_it_stays_one_s_own(compartment: str) -> None:
    world = World()
    (event,) = says(world, compartment=compartment)
    assert (event.item.owner, event.item.compartment) == (ANN, compartment)
    assert lore(world, compartment) == lore(world, in_channel(ROOM)) == []


def test_without_words_that_really_stand_there_nothing_becomes_everybody_s() -> None:
    world = World()
    for number, evidence in enumerate(("never said", None)):
        events = says(world, str(number), evidence=evidence)
        refused = next(each for each in events if isinstance(each, ItemRefused))
        assert refused.owner == ANN
    assert lore(world) == []
    (named,) = says(world, "named", evidence=None, source=RAID.id.hex(), confidence=None)
    assert isinstance(named, ItemRefused)
    assert (named.reason, named.policy) == (UNQUOTED, "lore@1")


def test_said_again_it_is_confirmed_and_the_same_message_adds_nothing() -> None:
    world = World()
    says(world)
    assert says(world, "same") == []
    more = an_input("hey, we raid on Fridays", NOW + 9, place=ROOM, guild=G)
    (event,) = says(world, "more", inputs=(more,), owner=BOB)
    assert (event.item.source_count, event.item.text, event.item.updated) == (2, "The guild raids on Fridays.", NOW + 9)
    assert [each.message for each in event.item.evidence] == [RAID.id, more.id]
    assert len(event.causes) == 3


def test_two_entries_of_one_reply_are_one_item() -> None:
    world = World()
    second = {**ENTRY, "text": "the guild raids on fridays."}
    events = say(world, ENTRY, second, compartment=GARDEN, inputs=(RAID,), guarding=KNOWN)
    assert len(events) == 1


def test_what_the_guild_took_back_is_not_learned_again() -> None:
    world = World()
    (event,) = says(world)
    asked = ForgetRequest(NOBODY, (Opening(NOBODY, GARDEN),), PERSON, NOW + 1, origin("f"), id=event.item.id)
    assert isinstance(world.decide(forget, asked)[0], ItemForgotten)
    more = an_input("so, we raid on Fridays", NOW + 9, place=ROOM, guild=G)
    (refused,) = says(world, "again", inputs=(more,))
    assert isinstance(refused, ItemRefused)
    assert (refused.against, lore(world)[0][1]) == (event.item.id, "forgotten")
    assert isinstance(says(world, "there", compartment=in_guild(Ref("discord", "h")), inputs=(more,))[0], ItemUpserted)


def test_what_an_encoder_finds_near_it_is_not_learned_again_either() -> None:
    world = World()
    (event,) = says(world)
    asked = ForgetRequest(NOBODY, (Opening(NOBODY, GARDEN),), PERSON, NOW + 1, origin("f"), id=event.item.id)
    world.decide(forget, asked)
    more = an_input("dungeons before the weekend, all of us", NOW + 9, place=ROOM, guild=G)
    words = "Dungeons are what everybody does before the weekend."
    near = by_vectors({event.item.text: (1.0, 0.0), words: (1.0, 0.1)}, "tiny@1", THRESHOLD)
    (refused,) = says(world, "near", inputs=(more,), text=words, evidence="dungeons before the weekend", measure=near)
    assert isinstance(refused, ItemRefused)
    assert refused.reason == "it is near what the person forgot: cosine 0.995 by tiny@1, more than 0.850 is close"
    (learned,) = says(world, "far", inputs=(more,), text=words, evidence="dungeons before the weekend")
    assert isinstance(learned, ItemUpserted)


def test_what_its_speaker_took_back_does_not_come_in_by_this_door() -> None:
    world = World()
    there_is(world, an_item("The guild raids on Fridays."))
    asked = ForgetRequest(
        ANN, (Opening(ANN, HOME),), PERSON, NOW + 1, origin("f"), needle="The guild raids on Fridays."
    )
    world.decide(forget, asked)
    (refused,) = says(world)
    assert isinstance(refused, ItemRefused)
    assert lore(world) == []


def test_over_the_cap_the_oldest_lore_of_that_guild_makes_room() -> None:
    world = World()
    says(world)
    other = an_input("we trade on Mondays", NOW + 9, place=ROOM, guild=G)
    says(world, "other", inputs=(other,), text="The guild trades on Mondays.", evidence="we trade on Mondays", cap=1)
    assert sorted(status for _, status in lore(world)) == ["active", "evicted"]


# -- by hand -----------------------------------------------------------------------------------------------------------


def by_hand(text: str = "We meet on Fridays", **fields: Any) -> RememberRequest:
    return RememberRequest(
        NOBODY, GARDEN, text, PERSON, NOW, MANUAL, origin(text), guarding=KNOWN, about="guild"
    )._replace(**fields)


def test_what_somebody_writes_down_for_all_is_in_their_words_and_goes_with_them() -> None:
    world = World()
    (event,) = world.decide(remember, by_hand())
    assert isinstance(event, ItemRemembered)
    assert (event.item.owner, event.item.about) == (NOBODY, "guild")
    assert home(event).people == {ANN}
    (operators,) = world.decide(remember, by_hand("I am kind", by=OPERATOR, compartment=SELF, about="self"))
    assert home(operators).people == frozenset()


def test_what_rests_on_somebody_s_message_is_theirs_and_not_the_keeper_s() -> None:
    world = World()
    evidence = says(World())[0].item.evidence
    (event,) = world.decide(remember, by_hand("A member said: “we raid”", evidence=evidence))
    assert home(event).people == frozenset()
    assert event.causes == (RAID.id,)


def test_what_only_some_can_read_by_now_is_not_for_all() -> None:
    world = World()
    world.add(*heard_of(world.rows, Audience("guild", ROOM), G, NOW))
    where = Setting(NOBODY, Audience("guild", ROOM), G)
    assert len(world.decide(remember, by_hand(where=where))) == 1
    narrow = Audience("channel", ROOM, 1)
    world.add(PlaceAudienceChanged(said=NOW, by=PLATFORM, place=ROOM, audience=narrow, previous=where.audience))
    with pytest.raises(BadRequest, match=NARROWER):
        remember(world.rows, by_hand("other", where=where))


# -- what closed while the model was thinking ------------------------------------------------------------------------


@pytest.mark.parametrize("reopened", [False, True])
def test_what_fewer_can_read_by_now_is_not_learned_for_the_whole_guild(reopened: bool) -> None:
    """Nor where the place was opened again meanwhile: what was said before stays with those who could read it."""
    world = World()
    world.add(*heard_of(world.rows, Audience("guild", ROOM), G, NOW))
    work = ExtractionAnswered(
        said=NOW, by=MODEL, causes=(message("x"),), owner=ANN, compartment=GARDEN, after=None, upto=Point(NOW, RAID.id),
        call=ModelUse("haiku", "7"), inputs=(RAID.id,), reply="a secret",
    )  # fmt: skip
    request = please_extract({"upserts": [ENTRY]}, compartment=GARDEN, inputs=(RAID,), guarding=KNOWN)
    open_ = learn(world.rows, WorkRequest(work, origin("w")), request)
    assert [type(each.event) for each in open_] == [ExtractionAnswered, ItemUpserted]
    narrow = Audience("channel", ROOM, 1)
    world.add(
        PlaceAudienceChanged(said=NOW, by=PLATFORM, place=ROOM, audience=narrow, previous=Audience("guild", ROOM))
    )
    if reopened:
        again = Audience("guild", ROOM, 2)
        world.add(PlaceAudienceChanged(said=NOW, by=PLATFORM, place=ROOM, audience=again, previous=narrow))
    (closed,) = learn(world.rows, WorkRequest(work, origin("w")), request)
    failed = closed.event
    assert isinstance(failed, ExtractionFailed)
    assert (failed.error, failed.reply, failed.inputs, failed.causes) == (NARROWED, "", (), ())
    assert failed.call == work.call
    own = request._replace(compartment=of_person_in(ANN, ROOM))
    assert isinstance(learn(world.rows, WorkRequest(work, origin("w")), own)[0].event, ExtractionAnswered)
