"""Where a portable item came from is told to those who can read that place, and to nobody else."""

import pytest

from projections.blocks import item_line
from projections.events import PlaceAudienceChanged
from projections.events.values import PLATFORM, Audience, AudienceKind, Item, Source
from projections.ids import Ref
from projections.policies.compartments import Setting, everywhere, in_guild, opens_source
from tests.world import NOW, World, handle

ADA, TOBI = handle("ada"), handle("tobi")
G, OTHER = Ref("discord", "1"), Ref("discord", "2")
OPEN, CELLAR, DM = Ref("discord", "10"), Ref("discord", "11"), Ref("discord", f"dm:{ADA.hex()}")
UNKNOWN = Ref("discord", "12")
MESSAGE = Ref("discord", "555")


def town() -> World:
    """A guild with an open channel and a restricted one."""
    world = World()
    kinds: dict[Ref, AudienceKind] = {OPEN: "guild", CELLAR: "channel", DM: "direct"}
    for place, kind in kinds.items():
        now = Audience(kind, place)
        world.add(PlaceAudienceChanged(said=NOW, by=PLATFORM, place=place, audience=now, previous=now))
    return world


def an_item(place: Ref | None, guild: Ref | None, compartment: str = "") -> Item:
    source = Source("discord", place, MESSAGE, guild)
    return Item("durable-1", ADA, compartment or everywhere(ADA), "fact", "likes tea", NOW, NOW, source)


HERE = Setting(ADA, Audience("guild", OPEN), G)
BELOW = Setting(ADA, Audience("channel", CELLAR), G)
ELSEWHERE = Setting(ADA, Audience("guild", Ref("discord", "20")), OTHER)
IN_DM = Setting(ADA, Audience("direct", DM))
IN_ANOTHER_S = Setting(ADA, Audience("direct", Ref("discord", f"dm:{TOBI.hex()}")))


@pytest.mark.parametrize(
    ("place", "guild", "settings"),
    [
        (OPEN, G, {HERE, BELOW, IN_DM}),
        (CELLAR, G, {BELOW, IN_DM}),
        (DM, None, {IN_DM}),
        (UNKNOWN, G, {IN_DM}),
        (UNKNOWN, None, {IN_DM}),
        (OPEN, None, {HERE, IN_DM}),
        (None, None, {HERE, BELOW, ELSEWHERE, IN_DM, IN_ANOTHER_S}),
    ],
)
def test_who_is_told(place: Ref | None, guild: Ref | None, settings: set[Setting]) -> None:
    rows, every = town().rows, (HERE, BELOW, ELSEWHERE, IN_DM, IN_ANOTHER_S)
    assert {each for each in every if opens_source(rows, each, an_item(place, guild))} == settings


def test_what_lies_with_its_place_s_readers_tells_it() -> None:
    assert opens_source(town().rows, HERE, an_item(CELLAR, G, in_guild(G))), "the compartment is open to those alone"


def test_of_the_others_the_type_is_told() -> None:
    line = item_line(an_item(CELLAR, G), with_place=False)
    assert "(src: discord, updated" in line
    assert not {CELLAR.key, MESSAGE.key} & set(line.replace("/", " ").split())
