"""What became one with another, or came apart, since the backup and was taken back: all of it stays taken back."""

from pathlib import Path

import msgspec
import pytest

from projections.events import ItemMerged, ItemRestored, ItemUpserted
from projections.events.values import OPERATOR, By, Intent, Item
from projections.ids import Handle
from projections.items import items_of
from projections.policies.compartments import direct, everywhere
from replay.engine import Engine
from tests.replay.keeping import backed_up, record
from tests.replay.stage import drafts
from tests.replay.test_sealed_facts import (
    GUILD,
    LATER,
    ada,
    brought_back,
    forgotten,
    moved,
    one_of,
    put_back,
    remembered,
    restored,
    tea,
)
from tests.replay.test_sealed_facts import apart as comes_apart
from tests.world import NOW

__all__ = ["ada"]
MODEL = By("model", name="m", version="1")
BOTH = "likes tea and the gin in it"


def says(item: Item, text: str) -> Item:
    return msgspec.structs.replace(item, text=text)


def merged(whole: Item, part: Item) -> ItemMerged:
    absorbed = (msgspec.structs.replace(part, status="merged"),)
    return ItemMerged(said=NOW, by=MODEL, item=says(whole, BOTH), absorbed=absorbed)


def apart(whole: Item, part: Item) -> tuple[ItemUpserted, ItemRestored]:
    """Its person takes them apart."""
    intent = Intent("restore", chosen=part.id)
    again = ItemUpserted(said=NOW, by=OPERATOR, item=whole, intent=intent)
    return again, ItemRestored(said=NOW, by=OPERATOR, item=part, intent=intent)


@pytest.fixture
def gin(data: Path, ada: Handle) -> tuple[Item, Item]:
    """What is in the backup, and another one that is close to it."""
    part = says(tea(ada, item_id="durable-2"), "likes gin")
    record(data, drafts(remembered(part), name="gin"))
    return tea(ada), part


def lying(data: Path, owner: Handle) -> set[tuple[str, str, str]]:
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        found = [each.row.item for each in items_of(rows, owner)]
    return {(each.compartment.rpartition("/")[2], each.text, each.status) for each in found}


def opened(data: Path, owner: Handle) -> set[str]:
    """The ids of what lies elsewhere than in direct messages."""
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        items = [each.row.item for each in items_of(rows, owner)]
    return {each.id for each in items if each.compartment != direct(owner)}


def wide_and_private(data: Path, owner: Handle) -> tuple[Item, Item]:
    """Two that say the same, one in direct messages and one everywhere; nothing has made one of them."""
    private, wide = tea(owner, direct(owner), "durable-2"), tea(owner, everywhere(owner), "durable-2")
    record(data, drafts(remembered(private), name="private"), drafts(remembered(wide), name="wide"))
    return private, wide


OPEN = ("discord:7", "likes tea", "active")
"""What else is in the backup, and stays."""
WHOLE = ("discord:7", BOTH, "active")


# -- shared onto another -----------------------------------------------------------------------------------------------


def test_what_was_shared_onto_another_and_forgotten_is_gone_in_both_places(
    data: Path, place: Path, ada: Handle
) -> None:
    private, wide = wide_and_private(data, ada)
    assert restored(data, place, one_of(private, wide), forgotten(wide)) == 2
    assert lying(data, ada) == {OPEN, ("everywhere", "likes tea", "forgotten")}
    assert put_back(data, place) == 2, "and again, from the log that is now in force"
    assert lying(data, ada) == {OPEN, ("everywhere", "likes tea", "forgotten")}


def test_what_was_shared_onto_another_and_kept_private_is_in_neither_place_open(
    data: Path, place: Path, ada: Handle
) -> None:
    private, wide = wide_and_private(data, ada)
    assert restored(data, place, one_of(private, wide), moved(private, wide)) == 2
    assert lying(data, ada) == {OPEN, ("direct", "likes tea", "active")}


def test_two_that_were_kept_private_one_onto_the_other_are_private(data: Path, place: Path, ada: Handle) -> None:
    wide = tea(ada, everywhere(ada))
    record(data, drafts(remembered(wide), name="wide"))
    home = tea(ada, direct(ada))
    assert restored(data, place, moved(home, wide), moved(home, tea(ada))) == 2
    assert lying(data, ada) == {("direct", "likes tea", "active")}


def test_what_two_were_kept_private_onto_is_forgotten_though_one_of_them_is_not_in_the_backup(
    data: Path, place: Path, ada: Handle
) -> None:
    private, wide = wide_and_private(data, ada)
    open_ = tea(ada, GUILD, "durable-2")
    since = (remembered(open_), moved(private, open_), moved(private, wide), forgotten(private))
    assert restored(data, place, *since) == 3
    assert lying(data, ada) == {OPEN, ("direct", "likes tea", "forgotten")}


def test_what_was_kept_private_before_an_undo_and_its_undoing_came_onto_it_is_open_nowhere(
    data: Path, place: Path, ada: Handle
) -> None:
    open_, wide, private = (tea(ada, at, "durable-2") for at in (GUILD, everywhere(ada), direct(ada)))
    record(data, drafts(remembered(open_), name="open"), drafts(remembered(private), name="private"))
    record(data, drafts(remembered(wide), name="wide"), drafts(moved(wide, private), name="shared"))
    since = (moved(private, open_), forgotten(private), *comes_apart(private, wide), moved(private, wide))
    assert restored(data, place, *since) == 2
    assert opened(data, ada) == {"durable-1"}
    assert lying(data, ada) == {OPEN, ("direct", "likes tea", "active")}


def test_what_changed_places_with_another_is_where_it_was(data: Path, place: Path, ada: Handle) -> None:
    home, wide = tea(ada, direct(ada)), tea(ada, everywhere(ada))
    record(data, drafts(remembered(home), name="home"))
    assert restored(data, place, moved(wide, home), moved(home, tea(ada)), moved(home, wide)) == 3
    assert lying(data, ada) == {("direct", "likes tea", "active")}


def test_what_was_kept_private_forgotten_and_brought_back_is_private(data: Path, place: Path, ada: Handle) -> None:
    private = tea(ada, direct(ada))
    assert restored(data, place, moved(private, tea(ada)), forgotten(private), brought_back(private)) == 1
    assert lying(data, ada) == {("direct", "likes tea", "active")}


# -- merged ------------------------------------------------------------------------------------------------------------


def test_what_was_merged_since_and_forgotten_is_in_no_part_of_it(
    data: Path, place: Path, ada: Handle, gin: tuple[Item, Item]
) -> None:
    assert restored(data, place, merged(*gin), forgotten(says(gin[0], BOTH))) == 2
    assert lying(data, ada) == {("discord:7", BOTH, "forgotten"), ("discord:7", "likes gin", "merged")}


def test_what_was_merged_since_and_kept_private_is_private_in_all_parts(
    data: Path, place: Path, ada: Handle, gin: tuple[Item, Item]
) -> None:
    whole = says(gin[0], BOTH)
    private = msgspec.structs.replace(whole, compartment=direct(ada))
    assert restored(data, place, merged(*gin), moved(private, whole)) == 2
    assert lying(data, ada) == {("direct", BOTH, "active"), ("discord:7", "likes gin", "merged")}


def test_what_was_merged_since_and_not_taken_back_is_as_it_was(
    data: Path, place: Path, ada: Handle, gin: tuple[Item, Item]
) -> None:
    assert restored(data, place, merged(*gin)) == 0
    assert lying(data, ada) == {OPEN, ("discord:7", "likes gin", "active")}


def test_what_was_learned_merged_and_taken_apart_since_does_not_come(data: Path, place: Path, ada: Handle) -> None:
    whole, part = (says(tea(ada, item_id=f"durable-{n}"), f"drink {n}") for n in (8, 9))
    since = (remembered(whole), remembered(part), merged(whole, part), *apart(whole, part), forgotten(part))
    assert restored(data, place, *since) == 1
    assert lying(data, ada) == {OPEN, ("discord:7", "drink 9", "forgotten")}


@pytest.mark.parametrize(("gone", "left"), [(1, OPEN), (0, ("discord:7", "likes gin", "active"))])
def test_of_a_merge_that_was_taken_apart_since_only_what_was_forgotten_is(
    data: Path, place: Path, ada: Handle, gin: tuple[Item, Item], gone: int, left: tuple[str, str, str]
) -> None:
    record(data, drafts(merged(*gin), name="merged"))
    assert restored(data, place, *apart(*gin), forgotten(gin[gone])) == 3
    assert lying(data, ada) == {left, ("discord:7", gin[gone].text, "forgotten")}


def test_of_a_merge_that_was_taken_apart_since_a_part_that_was_kept_private_is_nowhere_else(
    data: Path, place: Path, ada: Handle, gin: tuple[Item, Item]
) -> None:
    record(data, drafts(merged(*gin), name="merged"))
    private = msgspec.structs.replace(gin[1], compartment=direct(ada))
    assert restored(data, place, *apart(*gin), moved(private, gin[1])) == 3
    assert lying(data, ada) == {OPEN, ("direct", "likes gin", "active")}


def test_a_merge_that_only_came_apart_is_one_still(
    data: Path, place: Path, ada: Handle, gin: tuple[Item, Item]
) -> None:
    record(data, drafts(merged(*gin), name="merged"))
    assert restored(data, place, *apart(*gin)) == 0
    assert lying(data, ada) == {WHOLE, ("discord:7", "likes gin", "merged")}


def test_a_part_that_came_back_after_the_whole_was_kept_private_and_forgotten_is_there(
    data: Path, place: Path, ada: Handle, gin: tuple[Item, Item]
) -> None:
    record(data, drafts(merged(*gin), name="merged"))
    whole = says(gin[0], BOTH)
    private = msgspec.structs.replace(whole, compartment=direct(ada))
    _, back = apart(*gin)
    assert restored(data, place, moved(private, whole), forgotten(private), back) == 3
    assert lying(data, ada) == {("direct", BOTH, "forgotten"), ("discord:7", "likes gin", "active")}


def test_what_came_apart_is_there_also_where_the_other_was_merged_into_it_and_forgotten(
    data: Path, place: Path, ada: Handle, gin: tuple[Item, Item]
) -> None:
    record(data, drafts(merged(*gin), name="merged"))
    assert restored(data, place, *apart(*gin), merged(gin[1], gin[0]), forgotten(gin[0])) == 3
    assert lying(data, ada) == {("discord:7", "likes tea", "forgotten"), ("discord:7", "likes gin", "active")}


def test_what_was_kept_private_and_merged_is_open_nowhere_where_another_is_kept_private_onto_it(
    data: Path, place: Path, ada: Handle
) -> None:
    open_, wide = tea(ada, GUILD, "durable-2"), tea(ada, everywhere(ada), "durable-2")
    private, other = tea(ada, direct(ada), "durable-2"), says(tea(ada, direct(ada), "durable-3"), "likes gin")
    record(data, *(drafts(remembered(each), name=f"there {n}") for n, each in enumerate((open_, wide, other))))
    since = (moved(private, open_), merged(other, private), moved(private, wide))
    assert restored(data, place, *since) == 2
    assert lying(data, ada) == {OPEN, ("direct", "likes tea", "active"), ("direct", "likes gin", "active")}
    assert "durable-2" not in opened(data, ada)


def test_what_was_kept_private_onto_a_part_and_brought_back_there_is_open_nowhere(
    data: Path, place: Path, ada: Handle
) -> None:
    private = tea(ada, direct(ada))
    whole = says(tea(ada, direct(ada), "durable-2"), "likes gin")
    record(data, *(drafts(remembered(each), name=f"there {n}") for n, each in enumerate((private, whole))))
    since = (merged(whole, private), moved(private, tea(ada)), forgotten(private), brought_back(private))
    again = restored(data, place, *since)
    assert lying(data, ada) == {("direct", "likes tea", "active"), ("direct", "likes gin", "active")}
    assert again == 1


@pytest.mark.parametrize("is_part", [True, False])
def test_what_was_shared_merged_and_taken_apart_is_no_more_open_than_it_is_by_now(
    data: Path, place: Path, ada: Handle, is_part: bool
) -> None:
    shared, wide = tea(ada, everywhere(ada)), says(tea(ada, everywhere(ada), "durable-2"), "likes gin")
    record(data, drafts(remembered(wide), name="wide"))
    both = merged(wide, shared) if is_part else merged(shared, wide)
    came_apart = apart(wide, shared) if is_part else apart(shared, wide)
    private = msgspec.structs.replace(wide, compartment=direct(ada))
    since = (moved(shared, tea(ada)), both, *came_apart, moved(tea(ada), shared), moved(private, wide))
    assert restored(data, place, *since) == 6
    assert lying(data, ada) == {OPEN, ("direct", "likes gin", "active")}


def test_what_was_shared_with_a_part_that_came_back_is_no_more_open_than_it_is_by_now(
    data: Path, place: Path, ada: Handle, gin: tuple[Item, Item]
) -> None:
    record(data, drafts(merged(*gin), name="merged"))
    whole, private = says(gin[0], BOTH), msgspec.structs.replace(gin[1], compartment=direct(ada))
    shared = msgspec.structs.replace(whole, compartment=everywhere(ada))
    since = (moved(shared, whole), brought_back(gin[1]), moved(whole, shared), moved(private, gin[1]))
    assert restored(data, place, *since) == 4
    assert lying(data, ada) == {WHOLE, ("direct", "likes gin", "active")}


def test_an_edit_and_a_restore_of_something_else_take_nothing_apart(
    data: Path, place: Path, ada: Handle, gin: tuple[Item, Item]
) -> None:
    record(data, drafts(merged(*gin), name="merged"))
    edited = ItemUpserted(said=NOW, by=OPERATOR, item=gin[0], intent=Intent("edit"))
    other = ItemUpserted(said=NOW, by=OPERATOR, item=gin[0], intent=Intent("restore", chosen="durable-3"))
    assert restored(data, place, edited, other, forgotten(gin[0])) == 1
    assert lying(data, ada) == {("discord:7", "likes tea", "forgotten"), ("discord:7", "likes gin", "merged")}


# -- where another lay that says something else ------------------------------------------------------------------------


@pytest.fixture
def other(data: Path, ada: Handle) -> tuple[Item, Item]:
    """One in direct messages and one everywhere, of the same id, which say something else."""
    private, wide = says(tea(ada, direct(ada), "durable-2"), "likes gin"), tea(ada, everywhere(ada), "durable-2")
    record(data, drafts(remembered(private), name="private"), drafts(remembered(wide), name="wide"))
    return private, wide


def beside(item: Item, compartment: str) -> Item:
    """An item where something else has its id."""
    return msgspec.structs.replace(item, compartment=compartment, id="durable-3")


def at(item: Item, compartment: str) -> Item:
    return msgspec.structs.replace(item, compartment=compartment)


def test_what_made_room_for_what_was_kept_private_is_where_it_went(
    data: Path, place: Path, ada: Handle, other: tuple[Item, Item]
) -> None:
    private, wide = other
    since = (moved(beside(private, everywhere(ada)), private), moved(at(wide, direct(ada)), wide))
    assert restored(data, place, *since) == 2
    there = {OPEN, ("direct", "likes tea", "active"), ("everywhere", "likes gin", "active")}
    assert lying(data, ada) == there
    assert put_back(data, place) == 2, "and again, from the log that is now in force"
    assert lying(data, ada) == there


def test_what_made_room_and_is_private_again_is_beside_what_came(
    data: Path, place: Path, ada: Handle, other: tuple[Item, Item]
) -> None:
    private, wide = other
    shared, further = beside(private, everywhere(ada)), beside(private, GUILD)
    since = (moved(shared, private), moved(further, shared), moved(at(wide, direct(ada)), wide))
    assert restored(data, place, *since, moved(beside(private, direct(ada)), further)) == 3
    assert lying(data, ada) == {OPEN, ("direct", "likes tea", "active"), ("direct", "likes gin", "active")}


def test_what_made_room_is_no_more_open_than_it_is_by_now(
    data: Path, place: Path, ada: Handle, other: tuple[Item, Item]
) -> None:
    private, wide = other
    shared = beside(private, everywhere(ada))
    since = (moved(shared, private), moved(at(wide, direct(ada)), wide), moved(beside(private, GUILD), shared))
    assert restored(data, place, *since) == 3
    assert lying(data, ada) == {OPEN, ("direct", "likes tea", "active"), ("discord:7", "likes gin", "active")}


def test_what_made_room_where_an_undo_had_brought_it_is_where_it_went(
    data: Path, place: Path, ada: Handle, gin: tuple[Item, Item]
) -> None:
    private, wide = (tea(ada, where, "durable-4") for where in (direct(ada), everywhere(ada)))
    part = at(gin[1], everywhere(ada))
    record(data, *(drafts(remembered(each), name=f"there {n}") for n, each in enumerate((private, wide, part))))
    record(data, drafts(one_of(private, wide), name="shared"))
    both = says(private, BOTH)
    back, was = comes_apart(both, wide)
    since = (merged(wide, part), back, was, moved(beside(both, everywhere(ada)), both), moved(private, wide))
    assert restored(data, place, *since) == 5
    assert {each for each in lying(data, ada) if each[2] == "active"} - {OPEN} == {
        ("discord:7", "likes gin", "active"),
        ("direct", "likes tea", "active"),
        ("everywhere", BOTH, "active"),
    }


def test_what_made_room_by_a_share_that_was_undone_is_in_both_places(data: Path, place: Path, ada: Handle) -> None:
    private, wide = wide_and_private(data, ada)
    open_ = says(tea(ada, GUILD, "durable-2"), "likes gin")
    record(data, drafts(remembered(open_), name="open"))
    undone = comes_apart(beside(private, direct(ada)), wide)
    assert restored(data, place, one_of(private, wide), moved(at(open_, direct(ada)), open_), *undone) == 4
    assert lying(data, ada) == {
        OPEN,
        ("direct", "likes gin", "active"),
        ("direct", "likes tea", "active"),
        ("everywhere", "likes tea", "active"),
    }


# -- one in the backup by a share that was undone since ----------------------------------------------------------------


@pytest.fixture
def shared(data: Path, ada: Handle) -> tuple[Item, Item]:
    """One of the guild's and one everywhere, of which a share has made one."""
    open_, wide = (
        tea(ada, GUILD, "durable-2"),
        msgspec.structs.replace(tea(ada, everywhere(ada), "durable-2"), source_count=4),
    )
    record(data, drafts(remembered(open_), name="open"), drafts(remembered(wide), name="wide"))
    record(data, drafts(one_of(open_, wide), name="shared"))
    return open_, wide


def counted(data: Path, owner: Handle) -> dict[str, tuple[str, int]]:
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        found = [each.row.item for each in items_of(rows, owner) if each.row.item.id == "durable-2"]
    return {each.compartment.rpartition("/")[2]: (each.status, each.source_count) for each in found}


def test_where_the_one_is_kept_private_and_the_other_shared_again_both_are_somewhere(
    data: Path, place: Path, ada: Handle, shared: tuple[Item, Item]
) -> None:
    open_, wide = shared
    private, again = (msgspec.structs.replace(each, compartment=where) for each, where in (
        (wide, direct(ada)), (open_, everywhere(ada)),
    ))  # fmt: skip
    assert restored(data, place, *comes_apart(open_, wide), moved(private, wide), moved(again, open_)) == 3
    assert counted(data, ada) == {"direct": ("active", 4), "discord:7": ("active", 1)}, "a share is not restored"
    assert put_back(data, place) == 3
    assert counted(data, ada) == {"direct": ("active", 4), "discord:7": ("active", 1)}


@pytest.mark.parametrize("is_kept_private", [False, True])
def test_where_the_one_is_forgotten_the_other_is_where_it_came_from(
    data: Path, place: Path, ada: Handle, shared: tuple[Item, Item], is_kept_private: bool
) -> None:
    open_, wide = shared
    private = msgspec.structs.replace(wide, compartment=direct(ada))
    since = (moved(private, wide), forgotten(private)) if is_kept_private else (forgotten(wide),)
    restored(data, place, *comes_apart(open_, wide), *since)
    where = "direct" if is_kept_private else "everywhere"
    assert counted(data, ada) == {where: ("forgotten", 4), "discord:7": ("active", 1)}


def test_kept_private_by_two_steps_it_is_not_taken_for_what_stayed(
    data: Path, place: Path, ada: Handle, shared: tuple[Item, Item]
) -> None:
    open_, wide = shared
    private = msgspec.structs.replace(open_, compartment=direct(ada))
    backed_up(data, place)
    for n, each in enumerate((*comes_apart(open_, wide), moved(private, open_))):
        record(data, drafts(each, name=f"since {n}"), now=LATER + n)
    assert put_back(data, place) == 3
    assert counted(data, ada) == {"direct": ("active", 1), "everywhere": ("active", 4)}


def test_an_undo_onto_what_lies_there_by_now_comes_apart_too(data: Path, place: Path, ada: Handle) -> None:
    private, wide = wide_and_private(data, ada)
    wide = msgspec.structs.replace(wide, source_count=4)
    record(data, drafts(one_of(private, wide), remembered(private), name="shared"))
    assert restored(data, place, *comes_apart(private, wide), forgotten(private)) == 3
    assert counted(data, ada) == {"direct": ("forgotten", 1), "everywhere": ("active", 4)}


def test_what_an_undo_brought_onto_another_and_is_shared_again_is_in_one_place(
    data: Path, place: Path, ada: Handle
) -> None:
    private, wide = wide_and_private(data, ada)
    record(data, drafts(one_of(private, wide), remembered(private), name="shared"))
    since = (*comes_apart(private, wide), one_of(private, wide), forgotten(wide))
    assert restored(data, place, *since) == 2
    assert lying(data, ada) == {OPEN, ("everywhere", "likes tea", "forgotten")}


def test_what_an_undo_brought_onto_another_and_is_private_again_is_not_open_there(
    data: Path, place: Path, ada: Handle
) -> None:
    private, wide = wide_and_private(data, ada)
    record(data, drafts(one_of(wide, private), remembered(wide), name="shared"))
    since = (*comes_apart(wide, private), forgotten(private), moved(private, wide))
    assert restored(data, place, *since) == 1
    assert lying(data, ada) == {OPEN, ("direct", "likes tea", "active")}


def test_what_came_apart_and_was_merged_in_between_is_one_again(data: Path, place: Path, ada: Handle) -> None:
    private, wide = wide_and_private(data, ada)
    whole = says(tea(ada, direct(ada), "durable-3"), "likes gin")
    record(data, drafts(moved(private, wide), remembered(whole), name="shared"))
    since = (*comes_apart(wide, private), merged(whole, private), moved(private, wide), forgotten(says(whole, BOTH)))
    assert restored(data, place, *since) == 5
    assert lying(data, ada) == {OPEN, ("direct", "likes tea", "active"), ("direct", BOTH, "forgotten")}
