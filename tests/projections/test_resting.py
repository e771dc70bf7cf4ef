"""That nothing derived widens: what an event may rest on, cell by cell, and the few doors there are."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import pytest

from projections.events import (
    Event,
    ExtractionAnswered,
    ItemEvicted,
    ItemForgotten,
    ItemMerged,
    ItemMoved,
    ItemRefused,
    ItemReverted,
    ItemUpserted,
    MessageHeard,
    PlaceAudienceChanged,
    PlaceDescribed,
    SummaryRefreshed,
    TurnAnswered,
)
from projections.events.values import (
    OPERATOR,
    PLATFORM,
    Audience,
    By,
    Evidence,
    Intent,
    IntentKind,
    Item,
    Limits,
    Message,
    ModelUse,
    RowWas,
    Source,
)
from projections.ids import NOBODY, EventId, Handle, Point, Ref
from projections.policies import resting
from projections.policies.compartments import Opening
from projections.policies.resting import Causes, lies_in, widening
from projections.rows import Rows
from tests.world import NOW, World, handle

ADA, KIM = handle("ada"), handle("kim")
MODEL = By("model", name="haiku", version="7")
G, C, S = Ref("discord", "9"), Ref("discord", "7"), Ref("discord", "8")
LORE, STAFF = "guild/discord:9", "channel/discord:8"
DMS, WIDE = f"person/{ADA.hex()}/direct", f"person/{ADA.hex()}/everywhere"
MINE = f"person/{ADA.hex()}/channel/discord:8"
CALL = ModelUse("haiku", "7")
A, B = EventId(handle("cause a")), EventId(handle("cause b"))
OPEN, CLOSED = Audience("guild", C), Audience("channel", S)
DIRECT = Audience("direct", Ref("discord", f"dm:{ADA.hex()}"))


E = TypeVar("E", bound=Event)


@pytest.fixture
def world() -> World:
    made = World()
    for place, audience in ((C, OPEN), (S, CLOSED)):
        described = PlaceDescribed(
            said=NOW, by=PLATFORM, place=place, kind="channel", name="x", audience=audience, guild=G
        )
        made.add(described)
    return made


def heard(audience: Audience, speaker: Handle = ADA, guild: Ref | None = G) -> MessageHeard:
    message = Message(
        Ref("discord", "1"), audience.place, "s", audience, "person", NOW, "hi", speaker,
        guild=None if audience.kind == "direct" else guild,
    )  # fmt: skip
    return MessageHeard(said=NOW, by=PLATFORM, message=message)


def an_item(compartment: str, owner: Handle = ADA, **fields: Any) -> Item:
    return Item("durable-1", owner, compartment, "fact", "tea", NOW, NOW, Source("manual"), **fields)


def item(compartment: str, owner: Handle = ADA, kind: Any = ItemUpserted, by: By = MODEL, **more: Any) -> Any:
    """An item event that rests on A."""
    causes = more.pop("causes", (A,))
    evidence = more.pop("evidence", ())
    return kind(said=NOW, by=by, causes=causes, item=an_item(compartment, owner, evidence=evidence), **more)


def said(kind: Callable[..., E], audience: Audience, **more: Any) -> E:
    person = ADA if audience.kind == "direct" else NOBODY
    return kind(said=NOW, by=MODEL, causes=(A,), session="s", audience=audience, era=0, person=person, **more)


def summary(audience: Audience) -> SummaryRefreshed:
    return said(SummaryRefreshed, audience, text="t", refresh=1, after=None, upto=Point(NOW, A), covered=1, call=CALL)


def turn(audience: Audience) -> TurnAnswered:
    return TurnAnswered(
        said=NOW, by=MODEL, causes=(A,), session="s", place=audience.place, audience=audience, era=0, asker=ADA,
        answers=A, text="yes", call=CALL, limits=Limits(), guild=G,
    )  # fmt: skip


def rests(world: World, event: Event, cause: Event | None, **more: Event | None) -> str:
    causes: dict[EventId, Event | None] = {A: cause, **({B: more["second"]} if "second" in more else {})}
    return widening(world.rows, event, causes)


SOURCES: dict[str, Event] = {
    "public": heard(OPEN),
    "staff": heard(CLOSED),
    "dm": heard(DIRECT),
    "kims dm": heard(Audience("direct", Ref("discord", f"dm:{KIM.hex()}")), KIM),
    "public turn": turn(OPEN),
    "staff turn": turn(CLOSED),
    "own dms": item(DMS),
    "own everywhere": item(WIDE),
    "own in guild": item(LORE),
    "kim in guild": item(LORE, KIM),
    "owner": item("owner", NOBODY),
    "self": item("self", NOBODY),
}
ALLOWED = {
    LORE: {"public", "public turn", "own in guild", "kim in guild", "self"},
    STAFF: {"public", "public turn", "own in guild", "kim in guild", "staff", "staff turn", "self"},
    MINE: {"public", "public turn", "own in guild", "kim in guild", "staff", "staff turn", "self"},
    DMS: {"public", "staff", "dm", "own dms", "own everywhere", "own in guild", "self"},
    WIDE: {"own everywhere", "self"},
    "owner": {"owner", "self"},
    "self": {"self"},
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("compartment", ALLOWED)
def test_an_item_rests_on_nothing_that_its_readers_may_not_read(world: World, compartment: str, source: str) -> None:
    owner = ADA if compartment.startswith(("person/", "guild/")) else NOBODY
    refused = rests(world, item(compartment, owner), SOURCES[source])
    assert (refused == "") is (source in ALLOWED[compartment])
    if refused:
        assert refused.startswith(f"a item.upserted in {compartment} would rest on a ")


@pytest.mark.parametrize("audience", [OPEN, CLOSED, DIRECT])
def test_an_answer_may_rest_on_anything(world: World, audience: Audience) -> None:
    assert [rests(world, turn(audience), each) for each in SOURCES.values()] == [""] * len(SOURCES)


@pytest.mark.parametrize(
    ("audience", "allowed"),
    [
        (OPEN, {"public", "public turn", "own in guild", "kim in guild", "self"}),
        (CLOSED, {"public", "public turn", "staff", "staff turn", "own in guild", "kim in guild", "self"}),
        (DIRECT, {"public", "staff", "dm", "own dms", "own everywhere", "own in guild", "self"}),
    ],
)
def test_a_summary_is_for_those_who_read_its_session(world: World, audience: Audience, allowed: set[str]) -> None:
    assert {name for name, each in SOURCES.items() if not rests(world, summary(audience), each)} == allowed


def test_a_summary_of_a_place_that_nobody_described_rests_on_what_was_said_to_the_same_people() -> None:
    nowhere = World()
    assert rests(nowhere, summary(OPEN), heard(OPEN)) == rests(nowhere, summary(OPEN), turn(OPEN)) == ""
    assert rests(nowhere, summary(OPEN), summary(OPEN)) == ""
    assert rests(nowhere, summary(OPEN), item(LORE)) != ""
    assert rests(nowhere, summary(OPEN), heard(Audience("guild", C, 1))) != ""


def test_a_model_s_work_and_what_was_refused_are_held_to_the_same(world: World) -> None:
    work = ExtractionAnswered(
        said=NOW, by=MODEL, causes=(A,), owner=ADA, compartment=LORE, after=None, upto=Point(NOW, A), call=CALL,
        reply="",
    )  # fmt: skip
    refused = ItemRefused(
        said=NOW, by=MODEL, causes=(A,), owner=ADA, compartment=LORE, kind="fact", text="x", reason="r", policy="p"
    )
    for event in (work, refused):
        assert lies_in(world.rows, event) == Opening(ADA, LORE)
        assert rests(world, event, SOURCES["public"]) == ""
        assert rests(world, event, SOURCES["dm"]) != ""
        assert rests(world, item(LORE), event) == ""
        assert rests(world, item(WIDE), event) != ""


def test_what_was_public_is_not_any_more_once_fewer_can_read_it(world: World) -> None:
    narrow = Audience("channel", C, 1)
    world.add(PlaceAudienceChanged(said=NOW, by=PLATFORM, place=C, audience=narrow, previous=OPEN))
    assert rests(world, item(LORE), heard(OPEN)) != ""
    assert rests(world, item(f"person/{ADA.hex()}/channel/discord:7"), heard(OPEN)) == ""
    assert lies_in(world.rows, heard(OPEN)) == Opening(ADA, "channel/discord:7")
    of_ada = msgspec.structs.replace(summary(DIRECT), person=ADA)
    assert lies_in(world.rows, of_ada) == Opening(ADA, DMS)


def test_another_guild_s_words_do_not_get_in(world: World) -> None:
    assert rests(world, item(LORE), heard(OPEN, guild=Ref("discord", "10"))) != ""
    assert rests(world, item(MINE), heard(OPEN, guild=Ref("discord", "10"))) != ""


def test_where_nobody_knows_which_guild_a_channel_is_in_it_rests_on_itself_alone() -> None:
    assert rests(World(), item(MINE), heard(CLOSED)) == ""
    assert rests(World(), item(MINE), heard(OPEN)) != ""


def test_what_can_not_be_read_any_more_and_what_lies_nowhere_hinders_nothing(world: World) -> None:
    described = PlaceDescribed(said=NOW, by=PLATFORM, place=C, kind="channel", name="x", audience=OPEN)
    assert rests(world, item(WIDE), None) == rests(world, item(WIDE), described) == ""
    assert rests(world, described, SOURCES["dm"]) == ""


# -- the doors ---------------------------------------------------------------------------------------------------------


def moved(to: str, by: By, action: IntentKind | None = "share", owner: Handle = ADA, at: str = DMS) -> ItemMoved:
    intent = None if action is None else Intent(action)
    made = item(to, owner, ItemMoved, by, intent=intent, from_compartment=at, from_id="durable-1")
    assert isinstance(made, ItemMoved)
    return made


PERSON, PROMOTION, AUDIENCE = By("person", ADA), By("policy", name="promotion"), By("policy", name="audience")


@pytest.mark.parametrize(
    ("event", "may"),
    [
        (moved(WIDE, PERSON), True),
        (moved(WIDE, OPERATOR), True),
        (moved(LORE, PERSON, "keep_private"), True),
        (moved(WIDE, PERSON, "edit"), False),
        (moved(WIDE, PERSON, None), False),
        (moved(WIDE, By("person", KIM)), False),
        (moved(WIDE, MODEL), False),
        (moved(WIDE, By("policy", name="capacity")), False),
        (moved("self", PERSON), False),
        (moved("owner", PERSON), False),
        (moved(STAFF, PERSON), False),
        (moved(f"person/{KIM.hex()}/everywhere", PERSON), False),
        (moved(WIDE, PROMOTION, None), True),
        (moved(LORE, PROMOTION, None), False),
        (moved(f"person/{KIM.hex()}/everywhere", PROMOTION, None), False),
        (moved(WIDE, AUDIENCE, None), False),
        (moved(MINE, AUDIENCE, None), False),
        (moved(MINE, AUDIENCE, None, at=LORE), True),
    ],
)
def test_only_a_person_s_own_share_or_two_keys_widen(event: ItemMoved, may: bool) -> None:
    cause = item(event.from_compartment)
    assert (rests(World(), event, cause) == "") is may


def test_nobody_shares_what_belongs_to_nobody_or_to_somebody_else(world: World) -> None:
    nobodys = moved("everywhere", OPERATOR, owner=NOBODY, at="owner")
    assert rests(world, nobodys, item("owner", NOBODY)) != ""
    assert rests(world, moved(WIDE, PERSON), item(DMS, KIM)) != ""
    assert rests(world, moved(WIDE, PERSON), heard(DIRECT)) != "", "a share is of an item"
    assert rests(world, moved(WIDE, PERSON), None) == ""


def test_lore_follows_the_readers_of_its_place() -> None:
    follows = moved(STAFF, AUDIENCE, None, NOBODY, at=LORE)
    assert rests(World(), follows, item(LORE, NOBODY)) == ""


def test_a_move_may_be_undone_where_the_item_came_from_and_nowhere_else() -> None:
    was = RowWas("item.upserted", NOW, MODEL)
    follows = moved(MINE, AUDIENCE, None, at=LORE)

    def back(to: str, *undoes: EventId, owner: Handle = ADA) -> ItemReverted:
        made = item(to, owner, ItemReverted, OPERATOR, was=was, undoes=undoes)
        assert isinstance(made, ItemReverted)
        return made

    assert rests(World(), back(LORE, A), follows) == ""
    assert rests(World(), back(LORE), follows) != "", "it is not what is undone"
    assert rests(World(), back("guild/discord:10", A), follows) != "", "it never was there"
    assert rests(World(), back(LORE, A), item(MINE)) != "", "that is no move"


def test_a_message_that_the_item_rests_on_already_may_be_named_again(world: World) -> None:
    """Two portable items become one: the words that they rest on came along when they were shared."""
    known = (Evidence("hi", A),)
    merged = item(WIDE, kind=ItemMerged, causes=(A, B))
    assert rests(world, merged, SOURCES["public"], second=item(WIDE, evidence=known)) == ""
    assert rests(world, merged, SOURCES["public"], second=item(WIDE)) != ""
    assert rests(world, merged, SOURCES["public"], second=item(LORE, evidence=known)) != ""


def test_an_eviction_takes_nothing_over_of_what_it_makes_room_for(world: World) -> None:
    evicted = item(LORE, kind=ItemEvicted, causes=(A, B), cap=1)
    assert rests(world, evicted, item(LORE), second=item(DMS)) == ""
    assert rests(world, evicted, item(DMS), second=item(LORE)) != ""
    assert rests(world, item(LORE, kind=ItemForgotten, causes=(A, B)), item(LORE), second=item(DMS)) != ""


@pytest.mark.parametrize("compartment", ["self", "owner"])
def test_a_model_goes_on_with_what_is_there_and_begins_nothing(world: World, compartment: str) -> None:
    alone: Causes = {}
    assert widening(world.rows, item(compartment, NOBODY, causes=()), alone) == (
        f"a item.upserted writes into {compartment} and rests on nothing there"
    )
    for by in (OPERATOR, PERSON):
        assert widening(world.rows, item(compartment, NOBODY, by=by, causes=()), alone) == ""
    assert rests(world, item(compartment, NOBODY), item(compartment, NOBODY)) == ""
    assert widening(world.rows, item(LORE, causes=()), alone) == ""


def test_what_somebody_said_to_the_same_people_is_looked_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    said = [heard(OPEN), heard(OPEN, KIM), heard(OPEN), heard(OPEN, KIM), heard(CLOSED), heard(OPEN)]
    causes: dict[EventId, Event | None] = {EventId(handle(f"cause {n}")): each for n, each in enumerate(said)}
    looked_at: list[Event] = []

    def looked(rows: Rows, event: Event, said: Any = None) -> Opening | None:
        looked_at.append(event)
        return lies_in(rows, event, said)

    monkeypatch.setattr(resting, "lies_in", looked)
    event = item(MINE, causes=tuple(causes))
    assert widening(world.rows, event, causes) == ""
    assert looked_at == [event, said[0], said[1], said[4], said[5]]
    wide = item(LORE, causes=tuple(causes))
    assert "would rest on a message.heard in channel/discord:8" in widening(world.rows, wide, causes)
