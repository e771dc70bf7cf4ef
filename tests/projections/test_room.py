"""What a prompt holds of the others in the room: what all there could know, and no more."""

from typing import Any

import msgspec
import pytest

from projections.blocks import Basis
from projections.context import Context, Request, assemble, told_of
from projections.events import PersonOptedOut
from projections.events.values import OPERATOR, Item, ItemUse, LeftOut, Limits
from projections.ids import NOBODY, EventId, Handle, Point
from projections.items import ITEMS
from projections.nearness import Nearness, as_kept
from projections.policies.compartments import SELF, direct, everywhere, in_channel, in_guild, of_person_in
from projections.retrieval import Vocabulary
from projections.room import others_in
from projections.window import Window
from tests.projections.recall.house import ADA, GUILD, KIM, OTHER_GUILD, House, own_place, ref, session
from tests.projections.recall.test_meaning import Meanings
from tests.world import handle

TOBI = handle("tobi")
ROOM = Limits(room_items=8, room_chars=1000, scoring="recall")


@pytest.fixture(params=["recall", "dnam"])
def limits(request: pytest.FixtureRequest) -> Limits:
    """Whatever scores the items."""
    return msgspec.structs.replace(ROOM, scoring=request.param)


@pytest.fixture
def house() -> House:
    """Ada, Kim and Tobi are in the general channel."""
    house = House()
    house.describe("general")
    house.describe("staff", "channel")
    house.describe_direct(ADA)
    for person, name in ((ADA, "Ada"), (KIM, "Kim"), (TOBI, "Tobi")):
        house.name(person, name)
    return house


def asking(
    house: House,
    text: str,
    limits: Limits,
    place: str = "general",
    person: Handle = ADA,
    nearness: Nearness | None = None,
) -> Request:
    setting = house.setting(place, person)
    point = Point(house.said + 1, EventId(b"\xff" * 16))
    return Request(setting, session(place), point, "dnam", Vocabulary(), text, limits, nearness=nearness)


def prompt(house: House, *asked: Any, **more: Any) -> Context:
    return assemble(house.rows, asking(house, *asked, **more))


def opts_out(house: House, person: Handle) -> None:
    hashed = house.rows.ids.keyed_hash("discord", person.hex())
    house.world.add(PersonOptedOut(said=house.said, by=OPERATOR, hashes=(hashed,)))


def room(context: Context) -> list[str]:
    return next(([line.text for line in block.lines] for block in context.blocks if block.name == "room"), [])


def knows(house: House, text: str, owner: Handle = KIM, compartment: str = "", **fields: Any) -> Item:
    return house.know(text, compartment or in_guild(GUILD), owner, **fields)


def test_those_of_whom_it_may_tell_are_in_the_window_and_did_not_opt_out(house: House, limits: Limits) -> None:
    assert told_of(house.rows, asking(house, "", limits)) == ()
    for person in (ADA, KIM, TOBI):
        house.say("general", "hello", person)
    assert told_of(house.rows, asking(house, "", limits)) == (TOBI, KIM)
    assert told_of(house.rows, asking(house, "", msgspec.structs.replace(limits, history_messages=2))) == (TOBI, KIM)
    assert told_of(house.rows, asking(house, "", msgspec.structs.replace(limits, history_messages=1))) == (TOBI,)
    assert told_of(house.rows, asking(house, "", msgspec.structs.replace(limits, room_items=0))) == ()
    opts_out(house, TOBI)
    assert told_of(house.rows, asking(house, "", limits)) == (KIM,)


def test_it_says_of_whom_and_rests_on_the_item(house: House, limits: Limits) -> None:
    house.say("general", "hello", KIM)
    item = knows(house, "Keeps bees.")
    (made,) = (each for each in house.world.records if each.event.TAG.startswith("item."))
    context = prompt(house, "who keeps bees?", limits)
    use = ItemUse(KIM, item.compartment, item.id, made.id)
    (block,) = (each for each in context.blocks if each.name == "room")
    assert block.text == (
        "People in the room (what everyone here could know of them):\n"
        "- Kim: [fact] Keeps bees. (src: manual, updated 2023-10-15)"
    )
    assert block.lines[0].basis == Basis("item", made.id, made.seq, use)
    assert use in context.items
    assert made.id in context.causes
    assert [hit.item.id for hit in context.room] == [item.id]
    assert context.memory.items == ()


def test_only_of_those_whose_messages_stand_in_the_window_and_not_of_the_asker(house: House, limits: Limits) -> None:
    house.say("general", "hello", TOBI)
    house.say("general", "hello", KIM)
    house.say("general", "hello", ADA)
    for person in (ADA, KIM, TOBI):
        knows(house, f"Keeps {person.hex()[:4]}", person)
    short = msgspec.structs.replace(limits, history_messages=2)
    assert [line.split(":")[0] for line in room(prompt(house, "who?", short))] == ["- Kim"]


def test_nothing_portable_nothing_of_direct_messages_and_nothing_of_other_places(house: House, limits: Limits) -> None:
    for place in ("general", "staff"):
        house.say(place, "hello", KIM)
    where = {
        "guild": in_guild(GUILD),
        "other guild": in_guild(OTHER_GUILD),
        "staff": of_person_in(KIM, ref("staff")),
        "general": of_person_in(KIM, ref("general")),
        "direct": direct(KIM),
        "everywhere": everywhere(KIM),
    }
    for text, compartment in where.items():
        knows(house, f"bees {text}", compartment=compartment)
    knows(house, "bees lore", NOBODY, in_channel(ref("staff")))
    knows(house, "bees self", NOBODY, SELF)
    seen = {
        place: {hit.item.text for hit in prompt(house, "bees?", limits, place).room} for place in ("general", "staff")
    }
    assert seen == {"general": {"bees guild"}, "staff": {"bees guild", "bees staff"}}


def test_in_direct_messages_there_is_nobody_else(house: House, limits: Limits) -> None:
    house.say(own_place(ADA), "hello", KIM)
    knows(house, "Keeps bees.")
    assert room(prompt(house, "bees?", limits, own_place(ADA))) == []


def test_what_answers_comes_first_and_then_each_of_them_in_turn(house: House, limits: Limits) -> None:
    house.say("general", "hello", TOBI)
    house.say("general", "hello", KIM)
    for text in ("Owns a boat", "Owns a cat", "Owns a tent"):
        knows(house, text)
    knows(house, "Likes rye", TOBI)
    knows(house, "Mends kites", TOBI)
    found = [line.split(" (src")[0] for line in room(prompt(house, "kites?", limits))]
    assert found[:3] == ["- Tobi: [fact] Mends kites", found[1], "- Tobi: [fact] Likes rye"]
    assert [line.split(":")[0] for line in found] == ["- Tobi", "- Kim", "- Tobi", "- Kim", "- Kim"]


@pytest.mark.parametrize("kind", ["guidance", "behavioral"])
def test_what_says_how_somebody_is_answered_is_for_answers_to_them(house: House, limits: Limits, kind: str) -> None:
    house.say("general", "hello", KIM)
    knows(house, "Answer about bees in verse", kind=kind)
    assert room(prompt(house, "bees?", limits)) == []


def test_of_who_opted_out_nothing_is_told(house: House, limits: Limits) -> None:
    house.say("general", "hello", KIM)
    knows(house, "Keeps bees.")
    opts_out(house, KIM)
    assert room(prompt(house, "bees?", limits)) == []


def test_its_budget_is_its_own(house: House, limits: Limits) -> None:
    house.say("general", "hello", KIM)
    items = {knows(house, f"Keeps {what}").id for what in ("bees", "cows", "dogs")}
    two = prompt(house, "who?", msgspec.structs.replace(limits, room_items=2))
    assert len(two.room) == 2
    assert [(each.block, each.why) for each in two.left_out] == [("room", "over 2 items")]
    assert {each.what for each in two.left_out} | {hit.item.id for hit in two.room} == items
    chars = len("\n".join(room(two)))
    assert len(prompt(house, "who?", msgspec.structs.replace(limits, room_chars=chars)).room) == 2
    less = prompt(house, "who?", msgspec.structs.replace(limits, room_chars=chars - 1))
    assert len(less.room) == 1
    assert LeftOut("room", two.room[1].item.id, f"over {chars - 1} characters") in less.left_out
    assert prompt(house, "who?", msgspec.structs.replace(limits, room_items=0)).room == ()


def test_of_many_items_no_more_are_looked_at_than_could_stand_there(house: House, limits: Limits) -> None:
    house.say("general", "hello", KIM)
    for number in range(9):
        knows(house, f"Keeps {number} bees")
    two = prompt(house, "who?", msgspec.structs.replace(limits, room_items=2))
    assert [each.why for each in two.left_out] == ["over 2 items"] * 2


def test_an_empty_window_has_nobody(limits: Limits) -> None:
    assert others_in(Window((), (), {}), ADA) == ()


def test_what_is_near_in_meaning_answers_too(house: House) -> None:
    house.say("general", "hello", TOBI)
    house.say("general", "hello", KIM)
    for number in range(9):
        knows(house, f"Room {number} is painted.", updated=house.said - number)
    knows(house, "Grandpa brews ale.", TOBI)
    knows(house, "Answer with ale.", TOBI, kind="guidance")
    one = msgspec.structs.replace(ROOM, room_items=1)
    assert "Grandpa" not in room(prompt(house, "beer?", one))[0]
    context = prompt(house, "beer?", one, nearness=Nearness("tiny@1/2", Meanings(house.rows, "ale").among))
    assert "Tobi: [fact] Grandpa brews ale." in room(context)[0]
    (item,) = (each for each in house.rows.scan(ITEMS) if each.row.item.text == "Grandpa brews ale.")
    assert [(use.rank, use.event) for use in context.nearest] == [(2, item.row.event)]
    again = prompt(house, "beer?", one, nearness=as_kept("tiny@1/2", {item.seq: 2}))
    assert (again.digest, again.nearest) == (context.digest, context.nearest)
