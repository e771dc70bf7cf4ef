"""Which compartment something is put into, and which a context opens: hand-written cells."""

import pytest

from projections.config import configured
from projections.events import (
    ConfigSet,
    ItemMerged,
    ItemMoved,
    ItemRefused,
    ItemUpserted,
    PersonNoted,
    PlaceAudienceChanged,
)
from projections.events.values import OPERATOR, PLATFORM, About, Audience, AudienceKind, Item, Source
from projections.ids import NOBODY, Handle, Ref
from projections.items import ITEMS, REFUSALS, compartments_of, item_key, items_in
from projections.people import NOTES
from projections.policies.compartments import (
    Opening,
    Setting,
    is_of_before,
    is_portable,
    may_rest,
    opened,
    place,
    place_item,
    place_said,
    readers_place,
    said_in,
)
from projections.rows import after_prefix
from tests.world import NOW, World, handle

ADA = handle("ada")
HEX = ADA.hex()
G, C = Ref("discord", "9"), Ref("discord", "7")
DIRECT = Setting(ADA, Audience("direct", Ref("discord", f"dm:{HEX}")))
PUBLIC = Setting(ADA, Audience("guild", C), G)
CLOSED = Setting(ADA, Audience("channel", C), G)
GROUP = Setting(ADA, Audience("channel", C))


def item(compartment: str, item_id: str = "durable-1", owner: Handle = ADA) -> Item:
    """An item somewhere."""
    return Item(item_id, owner, compartment, "fact", "likes tea", NOW, NOW, Source("manual"))


@pytest.mark.parametrize(
    ("setting", "compartment"),
    [
        (DIRECT, f"person/{HEX}/direct"),
        (PUBLIC, "guild/discord:9"),
        (CLOSED, f"person/{HEX}/channel/discord:7"),
        (GROUP, f"person/{HEX}/channel/discord:7"),
        (Setting(ADA, Audience("guild", C)), f"person/{HEX}/channel/discord:7"),
    ],
)
def test_an_item_is_put_where_those_are_who_could_hear_it(setting: Setting, compartment: str) -> None:
    assert place_item(setting) == compartment


LORE, MINE, CHANNEL = "guild/discord:9", f"person/{HEX}/channel/discord:7", "channel/discord:7"
DMS, WIDE, THERE = f"person/{HEX}/direct", f"person/{HEX}/everywhere", f"person/{HEX}/channel/discord:8"
OTHERS_DM = Audience("direct", Ref("discord", f"dm:{handle('kim').hex()}"))


@pytest.mark.parametrize(
    ("setting", "own", "nobodys"),
    [
        (DIRECT, [DMS, WIDE, LORE], ["self"]),
        (DIRECT._replace(besides=("owner", THERE)), [DMS, WIDE, LORE, THERE], ["owner", "self"]),
        (DIRECT._replace(besides=(f"person/{handle('kim').hex()}/channel/discord:8",)), [DMS, WIDE, LORE], ["self"]),
        (DIRECT._replace(besides=(LORE, CHANNEL, "guild/discord:8")), [DMS, WIDE, LORE], ["self"]),
        (PUBLIC, [LORE, WIDE], [LORE, "self"]),
        (PUBLIC._replace(besides=("owner", THERE)), [LORE, WIDE], [LORE, "self"]),
        (CLOSED, [LORE, MINE, WIDE], [LORE, CHANNEL, "self"]),
        (CLOSED._replace(besides=("owner", THERE)), [LORE, MINE, WIDE], [LORE, CHANNEL, "self"]),
        (GROUP, [MINE, WIDE], [CHANNEL, "self"]),
        (Setting(ADA, OTHERS_DM, None, ("owner", THERE)), [WIDE], ["self"]),
        (Setting(NOBODY, DIRECT.audience, None, ("owner",)), [], ["self"]),
        (Setting(NOBODY, PUBLIC.audience, G), [], [LORE, "self"]),
    ],
)
def test_a_context_opens_these_and_nothing_else(setting: Setting, own: list[str], nobodys: list[str]) -> None:
    world = World()
    for compartment in (LORE, THERE, DMS):
        world.add(ItemUpserted(said=NOW, by=OPERATOR, item=item(compartment)))
    world.add(ItemUpserted(said=NOW, by=OPERATOR, item=item(LORE, owner=NOBODY)))
    expected = (*(Opening(ADA, each) for each in own), *(Opening(NOBODY, each) for each in nobodys))
    assert opened(world.rows, setting) == expected


@pytest.mark.parametrize(
    ("about", "setting", "shared", "owner", "compartment"),
    [
        ("person", PUBLIC, False, ADA, LORE),
        ("person", PUBLIC, True, ADA, WIDE),
        ("person", CLOSED, True, ADA, WIDE),
        ("guild", PUBLIC, False, NOBODY, LORE),
        ("guild", PUBLIC, True, NOBODY, LORE),
        ("guild", CLOSED, False, ADA, MINE),
        ("guild", GROUP, False, ADA, MINE),
        ("guild", DIRECT, False, ADA, DMS),
        ("self", PUBLIC, False, ADA, LORE),
        ("owner", DIRECT, False, ADA, DMS),
    ],
)
def test_what_is_about_a_guild_is_nobody_s_and_what_is_shared_follows_its_person(
    about: About, setting: Setting, shared: bool, owner: Handle, compartment: str
) -> None:
    assert place(about, setting, shared=shared) == Opening(owner, compartment)


KIM = handle("kim")
ROWS_OF_THE_TABLE = (LORE, CHANNEL, MINE, DMS, WIDE, "owner", "self")
MAY_REST = {
    # on:     guild    channel  mine     DMs      wide     owner    self
    LORE: (True, False, False, False, False, False, True),
    CHANNEL: (True, True, False, False, False, False, True),
    MINE: (True, True, True, False, False, False, True),
    DMS: (False, False, True, True, True, False, True),
    WIDE: (False, False, False, False, True, False, True),
    "owner": (False, False, False, False, False, True, True),
    "self": (False, False, False, False, False, False, True),
}


@pytest.mark.parametrize("at", ROWS_OF_THE_TABLE)
@pytest.mark.parametrize("on", ROWS_OF_THE_TABLE)
def test_nothing_rests_on_what_its_readers_may_not_read(at: str, on: str) -> None:
    expected = MAY_REST[at][ROWS_OF_THE_TABLE.index(on)]
    assert may_rest(Opening(ADA, at), Opening(NOBODY, on), G) is expected


def test_what_is_one_s_own_may_be_drawn_on_in_one_s_own_dms_alone() -> None:
    assert may_rest(Opening(ADA, DMS), Opening(ADA, LORE), None)
    assert may_rest(Opening(ADA, DMS), Opening(ADA, CHANNEL), None)
    assert not may_rest(Opening(ADA, DMS), Opening(KIM, LORE), None)
    assert may_rest(Opening(ADA, DMS), Opening(KIM, LORE), None, reads=frozenset({LORE}))
    assert not may_rest(Opening(ADA, DMS), Opening(ADA, "owner"), None)
    assert not may_rest(Opening(ADA, WIDE), Opening(ADA, LORE), None)


def test_other_people_channels_and_guilds_stay_apart() -> None:
    kims = f"person/{KIM.hex()}"
    assert not may_rest(Opening(ADA, DMS), Opening(KIM, f"{kims}/direct"), None)
    assert not may_rest(Opening(ADA, MINE), Opening(KIM, f"{kims}/channel/discord:7"), None)
    assert not may_rest(Opening(ADA, WIDE), Opening(KIM, f"{kims}/everywhere"), None)
    assert not may_rest(Opening(ADA, MINE), Opening(NOBODY, "channel/discord:8"), G)
    assert not may_rest(Opening(ADA, MINE), Opening(NOBODY, "guild/discord:8"), G)
    assert not may_rest(Opening(ADA, MINE), Opening(NOBODY, LORE), None), "nobody knows in which guild the channel is"


def test_the_channel_whose_readers_a_compartment_is_for() -> None:
    assert readers_place(MINE) == readers_place(CHANNEL) == Ref("discord", "7")
    assert readers_place(f"person/{HEX}/channel/discord:a/b:c") == Ref("discord", "a/b:c")
    assert [readers_place(each) for each in (LORE, DMS, WIDE, "owner", "self")] == [None] * 5
    assert is_portable(WIDE)
    assert not is_portable(DMS)
    assert not is_portable("guild/discord:x/everywhere")


def test_what_was_said_lies_where_it_can_be_read_now() -> None:
    world = World()

    def seen(kind: AudienceKind, epoch: int) -> None:
        now = Audience(kind, C, epoch)
        world.add(PlaceAudienceChanged(said=NOW, by=PLATFORM, place=C, audience=now, previous=now))

    then = Audience("guild", C, 0)
    assert said_in(world.rows, then, G) == LORE, "nothing is known of it but that"
    seen("guild", 0)
    assert said_in(world.rows, then, G) == place_said(world.rows, ADA, then, G) == LORE
    seen("channel", 1)
    assert said_in(world.rows, then, G) == CHANNEL
    assert place_said(world.rows, ADA, then, G) == MINE
    seen("guild", 2)
    assert said_in(world.rows, then, G) == CHANNEL, "widening opens nothing old"
    assert said_in(world.rows, Audience("guild", C, 2), G) == LORE
    assert said_in(world.rows, Audience("channel", C, 1), G) == CHANNEL


def test_what_lies_in_a_channel_s_compartments_is_of_before_once_all_can_read_it() -> None:
    world = World()

    def of_before() -> list[str]:
        return [each for each in (MINE, CHANNEL, LORE, DMS, WIDE) if is_of_before(world.rows, each)]

    assert of_before() == [], "nothing is known of it"
    seen: list[tuple[AudienceKind, list[str]]] = [("channel", []), ("guild", [MINE, CHANNEL]), ("channel", [])]
    for epoch, (kind, expected) in enumerate(seen):
        now = Audience(kind, C, epoch)
        world.add(PlaceAudienceChanged(said=NOW, by=PLATFORM, place=C, audience=now, previous=now))
        assert of_before() == expected
    assert said_in(world.rows, DIRECT.audience, None) == DMS


def test_compartments_are_found_by_jumping() -> None:
    world = World()
    for number in range(5):
        world.add(ItemUpserted(said=NOW, by=OPERATOR, item=item("guild/discord:9", f"durable-{number}")))
    world.add(ItemUpserted(said=NOW, by=OPERATOR, item=item("elsewhere")))
    assert sorted(compartments_of(world.rows, ADA)) == ["elsewhere", "guild/discord:9"]


def test_a_move_empties_the_old_address_and_a_merge_changes_all() -> None:
    world = World()
    world.add(ItemUpserted(said=NOW, by=OPERATOR, item=item("here")))
    world.add(ItemMoved(said=NOW, by=OPERATOR, item=item("there"), from_compartment="here", from_id="durable-1"))
    assert world.rows.get(ITEMS, item_key(ADA, "here", "durable-1")) is None
    world.add(ItemMerged(said=NOW, by=OPERATOR, item=item("there"), absorbed=(item("there", "durable-2"),)))
    assert {found.row.item.id for found in items_in(world.rows, ADA, "there")} == {"durable-1", "durable-2"}


def test_a_refusal_and_a_note_are_rows_of_their_own() -> None:
    world = World()
    refused = ItemRefused(
        said=NOW, by=OPERATOR, owner=ADA, compartment="here", kind="fact", text="x", reason="forgotten", policy="p@1"
    )
    world.add(refused, PersonNoted(said=NOW, by=OPERATOR, person=ADA, note="met at the fair"))
    assert [found.row.reason for found in world.rows.scan(REFUSALS, ADA)] == ["forgotten"]
    assert [found.row.note for found in world.rows.scan(NOTES, ADA)] == ["met at the fair"]


def test_the_narrowest_setting_holds_and_unsetting_uncovers_the_next() -> None:
    world = World()
    scopes = (f"person/{HEX}", "guild/discord:9", "global")

    def put(scope: str, value: str | None) -> None:
        world.add(ConfigSet(said=NOW, by=OPERATOR, scope=scope, key="learn", value=value))

    assert configured(world.rows, "learn", scopes) is None
    put("global", "none")
    put("guild/discord:9", "heard")
    row = configured(world.rows, "learn", scopes)
    assert row is not None
    assert row.value == "heard"
    put("guild/discord:9", None)
    row = configured(world.rows, "learn", scopes)
    assert row is not None
    assert row.value == "none"


def test_the_end_of_a_prefix() -> None:
    assert after_prefix(b"a\xff") == b"b"
    assert after_prefix(b"\xff\xff") == after_prefix(b"") == b"\xff" * 64
