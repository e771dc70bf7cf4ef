"""What a shadow was asked to derive anew."""

import pytest

from projections.events import (
    Event,
    ItemClosed,
    ItemForgotten,
    ItemMoved,
    ItemUpserted,
    MessageRedacted,
    PlaceDescribed,
    SummaryReset,
)
from projections.events.values import OPERATOR, Audience, By, Intent, ModelUse, Source
from projections.ids import NOBODY, EventId, Handle, Ref
from projections.policies.compartments import direct, in_channel, in_guild, of_person_in
from projections.rederiving.schedule import Run
from projections.rederiving.scope import Scope, has_event, has_item, has_run, has_summary
from tests.projections.items import ANN, BOB, HOME, WIDE, an_item
from tests.world import NOW, World

GARDEN, FARM = Ref("discord", "9"), Ref("discord", "8")
GENERAL, STABLE = Ref("discord", "1"), Ref("discord", "2")
LOOP = By("model", name="m")
OF_GARDEN, OF_ANN = Scope(guilds=frozenset({"discord:9"})), Scope(people=frozenset({ANN}))


@pytest.fixture
def world() -> World:
    world = World()
    places = ((GENERAL, GARDEN, NOBODY), (STABLE, FARM, NOBODY), (Ref("discord", f"dm:{ANN.hex()}"), None, ANN))
    for place, guild, person in places:
        world.add(_described(place, guild, person))
    return world


def _described(place: Ref, guild: Ref | None, person: Handle) -> PlaceDescribed:
    audience = Audience("direct" if person else "channel", place)
    return PlaceDescribed(
        said=NOW, by=OPERATOR, place=place, kind="channel", name="x", audience=audience, guild=guild,
        session=f"of {place.key[:2]}", person=person,
    )  # fmt: skip


def test_everything_where_nothing_is_named(world: World) -> None:
    assert Scope().is_whole
    assert has_item(world.rows, Scope(), an_item("tea"))
    assert has_summary(world.rows, Scope(), "of nowhere")


def test_of_a_person(world: World) -> None:
    assert not OF_ANN.is_whole
    assert has_item(world.rows, OF_ANN, an_item("tea"))
    assert not has_item(world.rows, OF_ANN, an_item("tea", owner=BOB))
    assert [has_summary(world.rows, OF_ANN, f"of {each}") for each in ("dm", "1", "nowhere")] == [True, False, False]


@pytest.mark.parametrize(
    ("compartment", "source", "there"),
    [
        (in_guild(GARDEN), None, True),
        (in_guild(FARM), None, False),
        (in_channel(GENERAL), None, True),
        (of_person_in(ANN, GENERAL), None, True),
        (of_person_in(ANN, STABLE), None, False),
        (of_person_in(ANN, Ref("discord", "77")), None, False),
        (WIDE, GARDEN, True),
        (WIDE, FARM, False),
        (HOME, None, False),
    ],
)
def test_of_a_guild(world: World, compartment: str, source: Ref | None, there: bool) -> None:
    item = an_item("tea", compartment=compartment, source=Source("model", guild=source))
    assert has_item(world.rows, OF_GARDEN, item) is there


def test_summaries_of_a_guild_s_sessions(world: World) -> None:
    assert [has_summary(world.rows, OF_GARDEN, f"of {each}") for each in ("1", "2", "dm")] == [True, False, False]


def test_an_item_is_of_the_guild_of_the_place_that_it_came_from(world: World) -> None:
    for place, there in ((GENERAL, True), (STABLE, False), (Ref("discord", "77"), False)):
        item = an_item("tea", compartment=HOME, source=Source("manual", place=place))
        assert has_item(world.rows, OF_GARDEN, item) is there


GARDENS, FARMS, KEPT = in_guild(GARDEN), in_guild(FARM), direct(ANN)


def moved(to: str, came: str, by: By = LOOP) -> Event:
    item = an_item("tea", compartment=to)
    intent = None if by is LOOP else Intent("keep_private")
    return ItemMoved(said=NOW, by=by, item=item, from_compartment=came, from_id=item.id, intent=intent)


def added(compartment: str, guild: Ref | None = None, by: By = LOOP, owner: Handle = ANN) -> Event:
    item = an_item("tea", compartment=compartment, source=Source("model", guild=guild), owner=owner)
    return ItemUpserted(said=NOW, by=by, item=item)


@pytest.mark.parametrize(
    ("event", "there"),
    [
        (added(GARDENS), True),
        (added(FARMS), False),
        (added(of_person_in(ANN, GENERAL)), True),
        (added(KEPT, GARDEN), False),  # it is learned there from what was said there
        (added(WIDE, GARDEN), True),
        (added(WIDE, FARM), False),
        (moved(WIDE, GARDENS), True),
        (moved(WIDE, FARMS), False),
        (moved(KEPT, GARDENS, By("person", ANN)), True),
        (moved(KEPT, FARMS, By("person", ANN)), True),
        (added(KEPT, by=By("person", ANN)), True),
        (ItemForgotten(said=NOW, by=By("person", ANN), item=an_item("tea", compartment=KEPT)), True),
        (ItemClosed(said=NOW, by=LOOP, owner=ANN, compartment=GARDENS, id="x"), True),
        (ItemClosed(said=NOW, by=LOOP, owner=ANN, compartment=FARMS, id="x"), False),
        (MessageRedacted(said=NOW, by=OPERATOR, events=()), True),
    ],
)
def test_what_is_done_anew_where_a_guild_is_named(event: Event, there: bool) -> None:
    """What loops made by where they learned it; what people decided wherever it is of."""
    assert has_event(OF_GARDEN, event, {GENERAL: GARDEN, STABLE: FARM}.get) is there


def nowhere(place: Ref) -> None:
    """A place that nobody described."""


def test_what_others_decided_is_not_where_people_are_named() -> None:
    theirs = ItemForgotten(said=NOW, by=By("person", BOB), item=an_item("tea", owner=BOB))
    assert not has_event(OF_ANN, theirs, nowhere)
    assert has_event(OF_ANN, added(GARDENS), nowhere)
    assert not has_event(OF_ANN, added(WIDE, GARDEN, owner=BOB), nowhere)


def test_runs_and_summaries_by_their_places() -> None:
    guild_of = {GENERAL: GARDEN, STABLE: FARM}.get
    run = Run(EventId(b"r" * 16), "extraction", NOW, "", ModelUse("", ""), ())
    for place, there in ((GENERAL, True), (STABLE, False)):
        summary = run._replace(loop="summary", audience=Audience("channel", place))
        assert has_run(OF_GARDEN, summary, guild_of) is there
        assert has_run(OF_GARDEN, run._replace(owner=ANN, compartment=of_person_in(ANN, place)), guild_of) is there
        reset = SummaryReset(said=NOW, by=OPERATOR, session="s", audience=Audience("channel", place), era=0, upto=None)
        assert has_event(OF_GARDEN, reset, guild_of) is there


def test_of_a_person_in_a_guild(world: World) -> None:
    both = Scope(OF_ANN.people, OF_GARDEN.guilds)
    assert not any(has_summary(world.rows, both, f"of {each}") for each in ("1", "2", "dm"))
    there = an_item("tea", compartment=in_guild(GARDEN))
    assert has_item(world.rows, both, there)
    assert not has_item(world.rows, both, an_item("tea"))
    assert not has_item(world.rows, both, an_item("tea", owner=BOB, compartment=in_guild(GARDEN)))
