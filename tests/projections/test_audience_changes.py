"""Who can read a place changed on its platform: a new epoch, and items that move with it."""

import msgspec
import pytest

from projections.decisions import audience
from projections.decisions import hear as hearing
from projections.decisions.audience import AudienceRequest, change_audience, moves_from
from projections.decisions.hear import HeardRequest, hear
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.decisions.remember import RememberRequest, remember
from projections.errors import BadRequest
from projections.events import (
    ItemForgotten,
    ItemMoved,
    ItemRemembered,
    MessageHeard,
    PlaceAudienceChanged,
    PlaceDescribed,
)
from projections.events.values import PLATFORM, Audience, Evidence, Item, Source
from projections.ids import NOBODY, EventId, Handle, Ref
from projections.items import forgotten_of, items_of
from projections.messages import unit
from projections.places import audience_of, find_place
from projections.policies.compartments import Setting, direct, in_channel, in_guild, of_person_in, place_item
from projections.policies.item_ids import derive
from tests.projections.items import ANN, PERSON, an_item, there_is
from tests.world import NOW, World, fresh, origin

GUILD = Ref("discord", "9")
PLACE = Ref("discord", "7")
OPEN = PlaceSeen("discord", "7", "channel", "general", "guild", guild=GUILD)
CLOSED = OPEN._replace(audience="channel")
LATER = NOW + 1000


def change(seen: PlaceSeen, name: str = "change") -> AudienceRequest:
    return AudienceRequest(seen, LATER, origin(name, LATER))


def heard_in(world: World, seen: PlaceSeen, key: str) -> EventId:
    """The id of a message that was heard in a place."""
    account = Account("discord", "100", "Ada")
    world.decide(hear, HeardRequest(key, seen, "person", account, "hello", NOW, fresh(salt=key)))
    return next(each.id for each in reversed(world.records) if isinstance(each.event, MessageHeard))


BY_A_MODEL = Source("model")


def open_world() -> tuple[World, EventId]:
    world = World()
    return world, heard_in(world, OPEN, "1")


def guild_item(text: str, *messages: EventId, owner: Handle = ANN, source: Source = BY_A_MODEL) -> Item:
    evidence = tuple(Evidence("quote", each) for each in messages)
    return an_item(text, owner=owner, compartment=in_guild(GUILD), evidence=evidence, source=source)


def where(world: World, owner: Handle = ANN) -> dict[str, str]:
    """Text to compartment, over all of an owner's items."""
    return {found.row.item.text: found.row.item.compartment for found in items_of(world.rows, owner)}


@pytest.mark.parametrize(("before", "after"), [(OPEN, CLOSED), (CLOSED, OPEN)])
def test_another_audience_begins_an_epoch_once(before: PlaceSeen, after: PlaceSeen) -> None:
    world = World()
    heard_in(world, before, "1")
    (changed,) = world.decide(change_audience, change(after))
    assert isinstance(changed, PlaceAudienceChanged)
    assert (changed.previous, changed.audience) == (
        Audience(before.audience, PLACE),
        Audience(after.audience, PLACE, 1),
    )
    assert (changed.by, changed.session, changed.guild, changed.said) == (PLATFORM, "discord:channel:7", GUILD, LATER)
    assert audience_of(world.rows, PLACE) == changed.audience
    assert world.decide(change_audience, change(after)) == world.decide(change_audience, change(after, "again")) == []


def test_the_same_request_twice_changes_nothing_the_second_time() -> None:
    world, _ = open_world()
    world.decide(change_audience, change(CLOSED))
    world.decide(change_audience, change(OPEN, "back"))
    assert world.decide(change_audience, change(CLOSED)) == []


def test_what_nobody_was_heard_in_and_a_dm_change_nothing() -> None:
    world = World()
    assert world.decide(change_audience, change(CLOSED)) == []
    partner = Account("discord", "100", "Ada")
    assert (
        world.decide(change_audience, change(PlaceSeen("discord", "", "direct", "", "direct", partner=partner))) == []
    )


def test_what_rests_on_the_place_alone_moves_and_nothing_else() -> None:
    world, here = open_world()
    there = heard_in(world, OPEN._replace(key="8", name="other"), "2")
    there_is(
        world,
        guild_item("from here", here),
        guild_item("from both", here, there),
        guild_item("from there", there),
        guild_item("asked here", source=Source("manual", PLACE)),
        guild_item("asked there", source=Source("manual", Ref("discord", "8"))),
        guild_item("lore", here, owner=NOBODY),
        an_item("elsewhere", evidence=(Evidence("quote", here),)),
    )
    moves = [each for each in world.decide(change_audience, change(CLOSED)) if isinstance(each, ItemMoved)]
    assert {each.item.text for each in moves} == {"from here", "asked here", "lore"}
    assert {each.from_compartment for each in moves} == {in_guild(GUILD)}
    assert all(each.said == LATER and each.policy == each.by.version == "audience@2" for each in moves)
    narrow = of_person_in(ANN, PLACE)
    moved = {text: compartment for text, compartment in where(world).items() if compartment == narrow}
    assert set(moved) == {"from here", "asked here"}
    assert where(world, NOBODY) == {"lore": in_channel(PLACE)}


def test_what_rests_on_several_places_moves_when_the_last_of_them_closes() -> None:
    world, here = open_world()
    other = OPEN._replace(key="8", name="other")
    there = heard_in(world, other._replace(guild_name="Garden"), "2")
    there_is(world, guild_item("from both", here, there), guild_item("lore", here, there, owner=NOBODY))
    world.decide(change_audience, change(CLOSED))
    assert where(world) == {"from both": in_guild(GUILD)}, "everyone in the guild can still read the other"
    world.decide(change_audience, change(other._replace(audience="channel"), "the other"))
    assert where(world) == {"from both": direct(ANN)}, "who reads one of them need not read both"
    assert where(world, NOBODY) == {"lore": in_channel(Ref("discord", "8"))}


def test_what_rests_on_a_channel_and_its_thread_moves_with_the_last_of_them() -> None:
    world, here = open_world()
    thread = PlaceSeen("discord", "70", "thread", "bench", "guild", guild=GUILD, parent=PLACE, readers=PLACE)
    there_is(world, guild_item("from both", here, heard_in(world, thread, "2")))
    world.decide(change_audience, change(CLOSED))
    world.decide(change_audience, change(thread._replace(audience="channel"), "the thread"))
    assert where(world) == {"from both": of_person_in(ANN, PLACE)}, "both have the same readers"


def test_what_was_said_before_a_place_was_opened_again_is_not_open() -> None:
    world, here = open_world()
    other = OPEN._replace(key="8", name="other")
    there = heard_in(world, other, "2")
    for number, seen in enumerate((CLOSED, OPEN)):
        world.decide(change_audience, change(seen, f"{number}"))
    there_is(world, guild_item("from both", here, there))
    world.decide(change_audience, change(other._replace(audience="channel"), "the other"))
    assert where(world) == {"from both": direct(ANN)}


@pytest.mark.parametrize(
    ("said_in", "epoch", "to"),
    [
        ("7", 0, of_person_in(ANN, PLACE)),
        ("8", 0, None),
        ("9", 0, direct(ANN)),
        ("9", 1, direct(ANN)),
        ("9", 2, None),
        ("10", 0, None),
    ],
)
def test_a_message_that_has_no_row_counts_where_it_was_said(said_in: str, epoch: int, to: str | None) -> None:
    world, here = open_world()
    gone, open_still, open_again = EventId(b"g" * 16), OPEN._replace(key="8"), OPEN._replace(key="9")
    heard_in(world, open_still, "2")
    heard_in(world, open_again, "3")
    for kind in ("channel", "guild"):
        world.decide(change_audience, change(open_again._replace(audience=kind), f"9 for the {kind}"))
    there_is(world, guild_item("likes tea", here, gone))
    known, absent = Audience("guild", PLACE), {gone: unit(f"discord:channel:{said_in}", epoch)}
    assert list(moves_from(world.rows, CLOSED, known, LATER)) == []
    assert [each.item.compartment for each in moves_from(world.rows, CLOSED, known, LATER, absent=absent)] == [
        to
    ] * bool(to)


def test_widening_moves_nothing() -> None:
    world = World()
    here = heard_in(world, CLOSED, "1")
    there_is(world, an_item("from here", compartment=of_person_in(ANN, PLACE), evidence=(Evidence("quote", here),)))
    (changed,) = world.decide(change_audience, change(OPEN))
    assert isinstance(changed, PlaceAudienceChanged)


def test_a_place_outside_a_guild_moves_nothing() -> None:
    world = World()
    heard_in(world, OPEN._replace(guild=None), "1")
    assert len(world.decide(change_audience, change(CLOSED._replace(guild=None)))) == 1


@pytest.mark.parametrize(("updated", "kind"), [(NOW + 5, "fact"), (NOW - 5, "project")])
def test_a_move_onto_an_item_of_that_id_merges(updated: int, kind: str) -> None:
    world, here = open_world()
    other = Evidence("older", EventId(b"o" * 16))
    there = an_item("likes tea", compartment=of_person_in(ANN, PLACE), evidence=(other,), updated=NOW, kind="project")
    coming = guild_item("likes tea", here)
    coming = type(coming)(**{each: getattr(coming, each) for each in coming.__struct_fields__} | {
        "id": there.id, "updated": updated, "created": NOW - 9,
    })  # fmt: skip
    there_is(world, there, coming)
    moved, _ = world.decide(change_audience, change(CLOSED))
    assert isinstance(moved, ItemMoved)
    assert (moved.item.kind, moved.item.source_count, moved.item.created) == (kind, 2, NOW - 9)
    assert {each.quote for each in moved.item.evidence} == {"older", "quote"}
    assert len(moved.causes) == 2
    assert list(where(world).values()) == [of_person_in(ANN, PLACE)]


def test_what_has_its_id_there_and_says_something_else_stays() -> None:
    world, here = open_world()
    coming, narrow = guild_item("likes tea", here), of_person_in(ANN, PLACE)
    coffee, longer = derive("fact", "likes coffee"), derive("fact", "likes tea", 12)
    there = an_item("likes cocoa", compartment=narrow, id=coming.id, status="forgotten")
    edited = msgspec.structs.replace(guild_item("likes coffee", here), id="durable-given")
    takes = an_item("likes cake", compartment=narrow, id="durable-given")
    named = msgspec.structs.replace(guild_item("likes rain", here), id=coffee)
    world.add(ItemForgotten(said=NOW, by=PERSON, item=there))
    there_is(world, coming, edited, takes, named)
    before = {each.row.item.text: each.row.item for each in items_of(world.rows, ANN)}
    world.decide(change_audience, change(CLOSED))
    after = {each.row.item.text: each.row.item for each in items_of(world.rows, ANN)}
    assert after.keys() == before.keys()
    assert {each.compartment for each in after.values()} == {narrow}
    assert (after["likes cocoa"], after["likes cake"]) == (there, takes)
    assert (after["likes tea"].id, after["likes rain"].id) == (longer, coffee)
    assert after["likes coffee"].id == derive("fact", "likes coffee", 12), "the shorter one comes along"
    assert [each.row.text for each in forgotten_of(world.rows, ANN)] == ["likes cocoa"]


def test_two_that_say_the_same_get_two_ids() -> None:
    world, here = open_world()
    narrow, ids = of_person_in(ANN, PLACE), ("durable-one", "durable-two")
    there_is(world, *(msgspec.structs.replace(guild_item("likes tea", here), id=each) for each in ids))
    there_is(world, *(an_item(f"likes {each}", compartment=narrow, id=each) for each in ids))
    moves = [each for each in world.decide(change_audience, change(CLOSED)) if isinstance(each, ItemMoved)]
    assert {each.item.id for each in moves} == {derive("fact", "likes tea"), derive("fact", "likes tea", 12)}


def test_many_items_move_before_the_epoch_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audience, "MOST_MOVED", 2)
    world, here = open_world()
    there_is(world, *(guild_item(f"item {number}", here) for number in range(5)))
    decided = [[type(each) for each in world.decide(change_audience, change(CLOSED, str(n)))] for n in range(4)]
    assert decided == [[ItemMoved] * 2, [ItemMoved] * 2, [ItemMoved, PlaceAudienceChanged], []]


def test_a_message_that_tells_of_fewer_readers_moves_the_same_items() -> None:
    world, here = open_world()
    there_is(
        world, guild_item("from here", here), guild_item("asked there", source=Source("manual", Ref("discord", "8")))
    )
    request = HeardRequest("2", CLOSED, "person", Account("discord", "100", "Ada"), "hush", LATER, fresh(salt="2"))
    kinds = [type(each) for each in world.decide(hear, request)]
    assert kinds == [ItemMoved, PlaceAudienceChanged, MessageHeard]
    assert where(world) == {"from here": of_person_in(ANN, PLACE), "asked there": in_guild(GUILD)}
    assert world.decide(hear, request) == []


def test_a_message_cannot_close_a_place_on_which_too_much_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "MOST_MOVED", 2)
    world, here = open_world()
    there_is(world, *(guild_item(f"item {number}", here) for number in range(3)))
    request = HeardRequest("2", CLOSED, "person", Account("discord", "100", "Ada"), "hush", LATER, fresh(salt="2"))
    with pytest.raises(BadRequest, match="change its audience first"):
        world.decide(hear, request)


def asked_in(audience: Audience, name: str) -> RememberRequest:
    """Ann wants something kept, asked where nothing need have been heard."""
    where = Setting(ANN, audience, GUILD)
    source = Source("manual", audience.place)
    return RememberRequest(ANN, place_item(where), name, PERSON, NOW, source, origin(name), where=where)


@pytest.mark.parametrize("told_by", ["a comparison", "a message"])
def test_what_was_asked_where_nobody_was_heard_moves_when_that_closes(told_by: str) -> None:
    world = World()
    described, remembered = world.decide(remember, asked_in(Audience("guild", PLACE), "the key is under the pot"))
    assert isinstance(described, PlaceDescribed)
    assert isinstance(remembered, ItemRemembered)
    assert where(world) == {"the key is under the pot": in_guild(GUILD)}
    if told_by == "a comparison":
        assert len(world.decide(change_audience, change(CLOSED))) == 2
    else:
        heard_in(world, CLOSED, "1")
    assert where(world) == {"the key is under the pot": of_person_in(ANN, PLACE)}


def test_a_place_is_known_once_and_told_of_once_it_is_seen() -> None:
    world = World()
    for text in ("the first is here", "the second is there"):
        world.decide(remember, asked_in(Audience("guild", PLACE), text))
    assert len([each for each in world.records if isinstance(each.event, PlaceDescribed)]) == 1
    heard_in(world, OPEN, "1")
    found = find_place(world.rows, PLACE)
    assert found is not None
    assert (found.row.kind, found.row.name, found.row.session) == ("channel", "general", "discord:channel:7")
    nameless = OPEN._replace(name="", key="8")
    world.decide(remember, asked_in(Audience("guild", Ref("discord", "8")), "three"))
    heard_in(world, nameless, "2")
    heard_in(world, nameless, "3")
    found = find_place(world.rows, Ref("discord", "8"))
    assert found is not None
    assert found.row.session == "discord:channel:8"


@pytest.mark.parametrize(
    "audience", [Audience("channel", PLACE), Audience("direct", Ref("discord", "dm:00"))], ids=["channel", "direct"]
)
def test_what_only_few_hear_needs_no_place_to_move_from(audience: Audience) -> None:
    world = World()
    assert [type(each) for each in world.decide(remember, asked_in(audience, "hush"))] == [ItemRemembered]


def test_a_place_that_closes_while_it_is_asked_is_closed() -> None:
    world, _ = open_world()
    world.decide(change_audience, change(CLOSED))
    world.decide(remember, asked_in(Audience("guild", PLACE), "the key is under the pot"))
    assert where(world) == {"the key is under the pot": of_person_in(ANN, PLACE)}
