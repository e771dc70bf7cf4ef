"""What a shadow was asked to derive anew."""

import pytest

from projections.events import PlaceDescribed
from projections.events.values import OPERATOR, Audience, Source
from projections.ids import NOBODY, Handle, Ref
from projections.policies.compartments import in_channel, in_guild, of_person_in
from projections.rederiving.scope import Scope, has_item, has_summary
from tests.projections.items import ANN, BOB, HOME, WIDE, an_item
from tests.world import NOW, World

GARDEN, FARM = Ref("discord", "9"), Ref("discord", "8")
GENERAL, STABLE = Ref("discord", "1"), Ref("discord", "2")
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


def test_of_a_person_in_a_guild(world: World) -> None:
    both = Scope(OF_ANN.people, OF_GARDEN.guilds)
    there = an_item("tea", compartment=in_guild(GARDEN))
    assert has_item(world.rows, both, there)
    assert not has_item(world.rows, both, an_item("tea"))
    assert not has_item(world.rows, both, an_item("tea", owner=BOB, compartment=in_guild(GARDEN)))
