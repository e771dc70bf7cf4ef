"""Which compartment something is put into, and which a context opens: hand-written cells."""

import pytest

from projections.config import configured
from projections.events import ConfigSet, ItemMerged, ItemMoved, ItemRefused, ItemUpserted, PersonNoted
from projections.events.values import OPERATOR, Audience, Item, Source
from projections.ids import NOBODY, Ref
from projections.items import ITEMS, REFUSALS, compartments_of, item_key, items_in
from projections.people import NOTES
from projections.policies.compartments import Opening, Setting, opened, place_item
from projections.rows import after_prefix
from tests.world import NOW, World, handle

ADA = handle("ada")
HEX = ADA.hex()
G, C = Ref("discord", "9"), Ref("discord", "7")
DIRECT = Setting(ADA, Audience("direct", Ref("discord", f"dm:{HEX}")))
PUBLIC = Setting(ADA, Audience("guild", C), G)
CLOSED = Setting(ADA, Audience("channel", C), G)
GROUP = Setting(ADA, Audience("channel", C))


def item(compartment: str, item_id: str = "durable-1", owner: bytes = ADA) -> Item:
    """An item somewhere."""
    return Item(item_id, owner, compartment, "fact", "likes tea", NOW, NOW, Source("manual"))  # type: ignore[arg-type]


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


@pytest.mark.parametrize(
    ("setting", "own"),
    [
        (DIRECT, [f"person/{HEX}/direct", f"person/{HEX}/everywhere", "guild/discord:9"]),
        (PUBLIC, ["guild/discord:9", f"person/{HEX}/everywhere"]),
        (CLOSED, ["guild/discord:9", f"person/{HEX}/channel/discord:7", f"person/{HEX}/everywhere"]),
        (GROUP, [f"person/{HEX}/channel/discord:7", f"person/{HEX}/everywhere"]),
        (Setting(NOBODY, DIRECT.audience), []),
        (Setting(NOBODY, PUBLIC.audience, G), []),
    ],
)
def test_a_context_opens_these_and_nothing_else(setting: Setting, own: list[str]) -> None:
    world = World()
    for compartment in ("guild/discord:9", f"person/{HEX}/channel/discord:8", f"person/{HEX}/direct"):
        world.add(ItemUpserted(said=NOW, by=OPERATOR, item=item(compartment)))
    world.add(ItemUpserted(said=NOW, by=OPERATOR, item=item("guild/discord:9", owner=NOBODY)))
    assert opened(world.rows, setting) == (*(Opening(ADA, each) for each in own), Opening(NOBODY, "self"))


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
