"""What the log that a restore replaces took back, and holds sealed, stays taken back: forgotten, kept private, set."""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from projections.config import config_rows
from projections.decisions.moving import keeping_private, move, sharing
from projections.decisions.moving_back import move_back
from projections.decisions.undoing import undoing
from projections.events import (
    ConfigSet,
    Event,
    ItemDeprecated,
    ItemForgotten,
    ItemMoved,
    ItemRemembered,
    ItemRestored,
    ItemReverted,
    MessageRedacted,
    PlaceAudienceChanged,
    PlaceDescribed,
    SummaryRefreshed,
    SummaryReset,
    SummaryReverted,
)
from projections.events.values import OPERATOR, Audience, By, Item, ModelUse, RowWas, Source
from projections.ids import FIRST, Handle, Point, Ref
from projections.items import forgotten_of, items_of
from projections.places import audience_of
from projections.policies.compartments import Opening, direct, everywhere, of_person_in
from projections.policies.human_acts import MOVING_BACK
from projections.summaries import find_summary
from replay.backups import sealed_facts
from replay.backups.backup import Backup, look_over
from replay.backups.plan import keys_for, look_at, plan, unopened_since
from replay.backups.restore import restore
from replay.chronicle import LogChronicle
from replay.engine import Engine
from replay.errors import KeyMissing
from tests.replay.keeping import PASSPHRASE, WRAPPED, backed_up, record, sound
from tests.replay.stage import ADA, FakeClock, drafts, event_id, handle_of, says
from tests.world import NOW, origin

LATER = NOW + 60_000
GUILD = "guild/discord:7"
CALL = ModelUse("haiku", "7")
LEARN = ("person/ada", "learn")


@pytest.fixture
def ada(data: Path) -> Handle:
    """Whoever said something, with an item that is in the backup."""
    record(data, says("m1"))
    with Engine.open(data, clock=FakeClock()) as engine:
        handle = handle_of(engine, ADA)
    record(data, drafts(remembered(tea(handle)), name="remembered"))
    return handle


def tea(owner: Handle, compartment: str = GUILD, item_id: str = "durable-1", status: str = "active") -> Item:
    item = Item(item_id, owner, compartment, "fact", "likes tea", NOW, NOW, Source("manual"))
    return msgspec.structs.replace(item, status=status)


def remembered(item: Item) -> ItemRemembered:
    return ItemRemembered(said=NOW, by=OPERATOR, item=item)


def forgotten(item: Item) -> ItemForgotten:
    gone = msgspec.structs.replace(item, status="forgotten")
    causes = (event_id("remembered 0"),) if item.compartment == GUILD else ()
    return ItemForgotten(said=NOW, by=OPERATOR, item=gone, causes=causes, reason="with the words 'likes tea'")


def brought_back(item: Item) -> ItemRestored:
    return ItemRestored(said=NOW, by=OPERATOR, item=item)


def moved(item: Item, before: Item) -> ItemMoved:
    return ItemMoved(said=NOW, by=OPERATOR, item=item, from_compartment=before.compartment, from_id=before.id)


def learns(value: str | None, key: str = "learn", scope: str = LEARN[0]) -> ConfigSet:
    return ConfigSet(said=NOW, by=OPERATOR, scope=scope, key=key, value=value)


def restored(data: Path, place: Path, *since: Event) -> int:
    """Back it up, record these, and restore the backup; how many were recorded anew."""
    backed_up(data, place)
    record(data, *(drafts(each, name=f"since {n}") for n, each in enumerate(since)), now=LATER)
    return put_back(data, place)


def put_back(data: Path, place: Path) -> int:
    looked = look_over(Backup(place))
    planned = plan(looked, look_at(data, looked.backup), looked.backup.manifest.size)
    again = restore(planned, keys_for(planned, None), LATER).again
    sound(data)
    return again


def items(data: Path, owner: Handle) -> list[tuple[str, str]]:
    """Where an owner's items lie, and their status."""
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        return sorted((each.row.item.compartment, each.row.item.status) for each in items_of(rows, owner))


PLACE = Ref("discord", "5")
OPEN, FEW = Audience("guild", PLACE), Audience("channel", PLACE, 1)
SESSION = "discord:channel:5"


def closed_to(audience: Audience, previous: Audience) -> PlaceAudienceChanged:
    return PlaceAudienceChanged(
        said=NOW, by=OPERATOR, place=PLACE, audience=audience, previous=previous, session=SESSION
    )


SUMMED_UP = SummaryRefreshed(
    said=NOW, by=OPERATOR, session=SESSION, audience=OPEN, era=0, after=None, upto=Point(NOW, FIRST), covered=1,
    text="They talked of tea.", call=CALL, policy="p", refresh=1,
)  # fmt: skip
CLEARED = SummaryReset(said=NOW, by=OPERATOR, session=SESSION, audience=OPEN, era=0, upto=Point(NOW, FIRST))
BROUGHT_BACK = SummaryReverted(
    said=NOW, by=OPERATOR, session=SESSION, audience=OPEN, era=0, upto=Point(NOW, FIRST), covered=1,
    text="They talked of tea.", refresh=1, model="haiku", made=NOW,
)  # fmt: skip


def audience(data: Path) -> Audience | None:
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        return audience_of(rows, PLACE)


@pytest.fixture
def place_known(data: Path, ada: Handle) -> Handle:
    described = PlaceDescribed(
        said=NOW, by=OPERATOR, place=PLACE, kind="channel", name="tea", audience=OPEN, session=SESSION
    )
    record(data, drafts(described, name="described"))
    return ada


def test_a_place_that_was_closed_stays_closed_with_what_moved_for_it(
    data: Path, place: Path, place_known: Handle
) -> None:
    few = tea(place_known, of_person_in(place_known, PLACE))
    assert restored(data, place, moved(few, tea(place_known)), closed_to(FEW, OPEN)) == 2
    assert audience(data) == FEW
    assert items(data, place_known) == [(few.compartment, "active")]


def test_a_place_that_was_opened_again_is_as_it_was(data: Path, place: Path, place_known: Handle) -> None:
    again = Audience("guild", PLACE, 2)
    assert restored(data, place, closed_to(FEW, OPEN), closed_to(again, FEW)) == 0
    assert audience(data) == OPEN


@pytest.mark.parametrize(("since", "again"), [((CLEARED,), 1), ((CLEARED, BROUGHT_BACK), 0)])
def test_a_summary_that_was_cleared_stays_cleared(
    data: Path, place: Path, place_known: Handle, since: Sequence[Event], again: int
) -> None:
    record(data, drafts(SUMMED_UP, name="summed up"))
    assert restored(data, place, *since) == again
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        found = find_summary(rows, SESSION, 0)
        assert found is not None
        assert found.row.text == ("" if again else "They talked of tea.")


def test_a_summary_that_the_backup_has_cleared_already_is_left(data: Path, place: Path, place_known: Handle) -> None:
    record(data, drafts(SUMMED_UP, CLEARED, name="summed up"))
    assert restored(data, place, CLEARED) == 0


def held(data: Path) -> list[tuple[str, str, str]]:
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        return sorted((row.scope, row.key, row.value) for row in config_rows(rows))


def test_what_was_forgotten_stays_forgotten(data: Path, place: Path, ada: Handle) -> None:
    assert restored(data, place, forgotten(tea(ada))) == 1
    assert items(data, ada) == [(GUILD, "forgotten")]
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        assert [each.row.text for each in forgotten_of(rows, ada)] == ["likes tea"]
    assert put_back(data, place) == 1, "and again, from the log that is now in force"


def test_what_was_learned_and_forgotten_since_is_known_to_be_forgotten(data: Path, place: Path, ada: Handle) -> None:
    other = tea(ada, item_id="durable-2")
    assert restored(data, place, remembered(other), forgotten(other)) == 1
    assert items(data, ada) == [(GUILD, "active"), (GUILD, "forgotten")]


def test_what_was_brought_back_is_there(data: Path, place: Path, ada: Handle) -> None:
    assert restored(data, place, forgotten(tea(ada)), brought_back(tea(ada))) == 0
    assert items(data, ada) == [(GUILD, "active")]


def test_what_happened_to_a_forgotten_item_leaves_it_forgotten(data: Path, place: Path, ada: Handle) -> None:
    gone = tea(ada, status="forgotten")
    changed = ItemDeprecated(said=NOW, by=OPERATOR, item=gone)
    assert restored(data, place, forgotten(tea(ada)), changed) == 1
    assert items(data, ada) == [(GUILD, "forgotten")]


def test_what_was_kept_private_stays_private(data: Path, place: Path, ada: Handle) -> None:
    private = tea(ada, direct(ada))
    changed = ItemDeprecated(said=NOW, by=OPERATOR, item=private)
    assert restored(data, place, moved(private, tea(ada)), changed) == 1
    assert items(data, ada) == [(direct(ada), "active")]


@pytest.mark.parametrize("times", [1, 2])
def test_what_was_moved_and_then_forgotten_is_forgotten_where_it_is_now(
    data: Path, place: Path, ada: Handle, times: int
) -> None:
    way = [tea(ada), tea(ada, everywhere(ada)), tea(ada, direct(ada))][: times + 1]
    moves = [moved(after, before) for before, after in itertools.pairwise(way)]
    reworded = msgspec.structs.replace(way[-1], text="likes tea, and said in private why")
    assert restored(data, place, *moves, forgotten(reworded)) == 1
    assert items(data, ada) == [(GUILD, "forgotten")]
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        assert [each.row.item.text for each in items_of(rows, ada)] == ["likes tea"]


def test_what_was_learned_moved_and_forgotten_since_is_known_to_be_forgotten(
    data: Path, place: Path, ada: Handle
) -> None:
    other, there = tea(ada, item_id="durable-2"), tea(ada, everywhere(ada), "durable-2")
    assert restored(data, place, remembered(other), moved(there, other), forgotten(there)) == 1
    assert items(data, ada) == [(GUILD, "active"), (everywhere(ada), "forgotten")]


def test_what_was_forgotten_and_then_moved_is_forgotten_too(data: Path, place: Path, ada: Handle) -> None:
    there = tea(ada, direct(ada), status="forgotten")
    assert restored(data, place, forgotten(tea(ada)), moved(there, tea(ada))) == 1
    assert items(data, ada) == [(GUILD, "forgotten")]


def test_what_was_shared_since_is_not_and_what_is_where_it_was_does_not_move(
    data: Path, place: Path, ada: Handle
) -> None:
    there = tea(ada, everywhere(ada))
    assert restored(data, place, moved(there, tea(ada))) == 0
    assert items(data, ada) == [(GUILD, "active")]


def test_to_and_fro_is_no_move(data: Path, place: Path, ada: Handle) -> None:
    home, away = tea(ada, direct(ada)), tea(ada, everywhere(ada))
    record(data, drafts(moved(home, tea(ada)), name="before"))
    assert restored(data, place, moved(away, home), moved(home, away)) == 0
    assert items(data, ada) == [(direct(ada), "active")]


def test_what_was_learned_and_kept_private_since_does_not_come(data: Path, place: Path, ada: Handle) -> None:
    other = tea(ada, item_id="durable-2")
    assert restored(data, place, remembered(other), moved(tea(ada, direct(ada), "durable-2"), other)) == 0
    assert items(data, ada) == [(GUILD, "active")]


@pytest.mark.parametrize(
    ("since", "holds"),
    [
        ((learns("none"),), [(*LEARN, "none")]),
        ((learns("heard"), learns("addressed")), [(*LEARN, "addressed")]),
        ((learns("none"), learns("heard")), []),
        ((learns("none"), learns(None)), []),
        ((learns("30", "retention_days"), learns("all", "respond_mode")), [(LEARN[0], "retention_days", "30")]),
        ((learns("0", "retention_days"),), []),
    ],
)
def test_settings_by_which_less_is_learned_or_kept_hold_on(
    data: Path, place: Path, ada: Handle, since: Sequence[ConfigSet], holds: list[tuple[str, str, str]]
) -> None:
    assert ada
    assert restored(data, place, *since) == len(holds)
    assert held(data) == holds


def test_of_what_was_redacted_nothing_comes(data: Path, place: Path, ada: Handle) -> None:
    other = tea(ada, item_id="durable-2")
    backed_up(data, place)
    record(data, drafts(remembered(other), forgotten(other), name="since"), now=LATER)
    gone = MessageRedacted(said=NOW, by=OPERATOR, events=(event_id("since 0"), event_id("since 1")))
    record(data, drafts(gone, name="gone"), now=LATER)
    assert put_back(data, place) == 0
    assert items(data, ada) == [(GUILD, "active")]


def test_what_cannot_be_read_is_passed_over(
    data: Path, place: Path, ada: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object) -> None:
        raise KeyMissing("gone")

    backed_up(data, place)
    record(data, drafts(forgotten(tea(ada)), name="since"), now=LATER)
    with monkeypatch.context() as broken:
        broken.setattr("replay.backups.sealed_facts.codec.decode_header", locked)
        assert sealed_facts._opened(next(iter(Backup(place).events())), None, None) is None  # type: ignore[arg-type]  # neither is asked
    assert put_back(data, place) == 1


# -- a move that had made one of two, and was taken back since ---------------------------------------------------------


def one_of(private: Item, wide: Item) -> ItemMoved:
    """What was in direct messages is shared, and one with what is told everywhere."""
    both = msgspec.structs.replace(wide, source_count=private.source_count + wide.source_count)
    return moved(both, private)


def apart(private: Item, wide: Item) -> tuple[ItemMoved, ItemReverted]:
    """That is taken back."""
    was = RowWas("item.remembered", NOW, OPERATOR, "", "", None)
    policy = f"{MOVING_BACK}2"
    again = ItemReverted(said=NOW, by=OPERATOR, item=wide, was=was, undoes=(event_id("shared 0"),), policy=policy)
    return msgspec.structs.replace(moved(private, wide), policy=policy), again


@pytest.fixture
def two(data: Path, ada: Handle) -> tuple[Item, Item]:
    """One in direct messages and one everywhere, of the same id, of which a share has made one."""
    private, wide = (tea(ada, where, "durable-2") for where in (direct(ada), everywhere(ada)))
    wide = msgspec.structs.replace(wide, source_count=4)
    record(data, drafts(remembered(private), name="private"), drafts(remembered(wide), name="wide"))
    record(data, drafts(one_of(private, wide), name="shared"))
    return private, wide


def lying(data: Path, owner: Handle) -> dict[str, tuple[str, int]]:
    """Where the items of that id lie: their status and how often they were said."""
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        found = [each.row.item for each in items_of(rows, owner) if each.row.item.id == "durable-2"]
    return {each.compartment.rpartition("/")[2]: (each.status, each.source_count) for each in found}


ONE = {"everywhere": ("active", 5)}
BOTH = {"direct": ("active", 1), "everywhere": ("active", 4)}


def test_what_came_apart_since_comes_apart(data: Path, place: Path, ada: Handle, two: tuple[Item, Item]) -> None:
    assert lying(data, ada) == ONE
    assert restored(data, place, *apart(*two)) == 2
    assert lying(data, ada) == BOTH
    assert put_back(data, place) == 2, "and again, from the log that is now in force"
    assert lying(data, ada) == BOTH


def test_what_its_person_shared_and_undid_since_comes_apart(data: Path, place: Path, ada: Handle) -> None:
    private, wide = tea(ada, direct(ada), "durable-2"), tea(ada, everywhere(ada), "durable-2")
    wide = msgspec.structs.replace(wide, source_count=4)
    record(data, drafts(remembered(private), name="private"), drafts(remembered(wide), name="wide"))
    by, here = By("person", ada), (Opening(ada, direct(ada)),)
    share = sharing(ada, "durable-2", by, LATER, origin("share"))._replace(openings=here)
    record(data, lambda rows: move(rows, share))
    assert lying(data, ada) == ONE
    backed_up(data, place)
    back = keeping_private(ada, "durable-2", by, LATER + 1, origin("back"))._replace(openings=None)
    with Engine.open(data, clock=FakeClock(LATER)) as engine:
        engine.record(lambda rows: undoing(move_back(rows, LogChronicle(engine.live), back, 200)))
    assert lying(data, ada) == BOTH
    assert put_back(data, place) == 2
    assert lying(data, ada) == BOTH


def test_before_they_were_one_both_are_there(data: Path, place: Path, ada: Handle) -> None:
    private, wide = tea(ada, direct(ada), "durable-2"), tea(ada, everywhere(ada), "durable-2")
    wide = msgspec.structs.replace(wide, source_count=4)
    record(data, drafts(remembered(private), name="private"), drafts(remembered(wide), name="wide"))
    assert restored(data, place, one_of(private, wide), *apart(private, wide)) == 0
    assert lying(data, ada) == BOTH


def test_made_one_again_they_are_one(data: Path, place: Path, ada: Handle, two: tuple[Item, Item]) -> None:
    assert restored(data, place, *apart(*two), one_of(*two)) == 0
    assert lying(data, ada) == ONE


def test_made_one_and_taken_apart_again_they_come_apart(
    data: Path, place: Path, ada: Handle, two: tuple[Item, Item]
) -> None:
    assert restored(data, place, *apart(*two), one_of(*two), *apart(*two)) == 2
    assert lying(data, ada) == BOTH


def test_of_the_two_only_the_one_is_forgotten_that_was(
    data: Path, place: Path, ada: Handle, two: tuple[Item, Item]
) -> None:
    private, _ = two
    assert restored(data, place, *apart(*two), forgotten(private)) == 3
    assert lying(data, ada) == BOTH | {"direct": ("forgotten", 1)}


def test_what_was_told_everywhere_and_forgotten_since_is_forgotten(
    data: Path, place: Path, ada: Handle, two: tuple[Item, Item]
) -> None:
    assert restored(data, place, *apart(*two), forgotten(two[1])) == 3
    assert lying(data, ada) == BOTH | {"everywhere": ("forgotten", 4)}


def test_what_was_kept_private_too_is_private(data: Path, place: Path, ada: Handle, two: tuple[Item, Item]) -> None:
    private, wide = two
    both = msgspec.structs.replace(private, source_count=5)
    assert restored(data, place, *apart(*two), moved(both, wide)) == 1
    assert lying(data, ada) == {"direct": ("active", 5)}


def test_kept_private_under_another_id_each_is_private(
    data: Path, place: Path, ada: Handle, two: tuple[Item, Item]
) -> None:
    private, wide = two
    beside = msgspec.structs.replace(wide, id="durable-2-longer", compartment=private.compartment)
    assert restored(data, place, *apart(*two), moved(beside, wide)) == 3
    assert lying(data, ada) == {"direct": ("active", 1)}
    assert items(data, ada) == [(GUILD, "active"), (direct(ada), "active"), (direct(ada), "active")]


def test_where_neither_is_private_the_one_of_both_stays(data: Path, place: Path, ada: Handle) -> None:
    open_, wide = tea(ada, GUILD, "durable-2"), tea(ada, everywhere(ada), "durable-2")
    record(data, drafts(remembered(open_), name="open"), drafts(remembered(wide), name="wide"))
    record(data, drafts(one_of(open_, wide), name="shared"))
    assert restored(data, place, *apart(open_, wide)) == 0
    assert lying(data, ada) == {"everywhere": ("active", 2)}


def test_what_came_apart_and_moved_on_in_the_open_is_where_it_was(
    data: Path, place: Path, ada: Handle, two: tuple[Item, Item]
) -> None:
    _, wide = two
    assert restored(data, place, *apart(*two), moved(msgspec.structs.replace(wide, compartment=GUILD), wide)) == 2
    assert lying(data, ada) == BOTH


# -- what does not open ----------------------------------------------------------------------------------------------


def lost_since(data: Path, place: Path, size: int | None = None) -> Mapping[str, int]:
    """What restoring a backup would lose unread, with the keys that are in the ring and in the backup."""
    looked = look_over(Backup(place))
    planned = plan(looked, look_at(data, looked.backup), looked.backup.manifest.size if size is None else size)
    return unopened_since(planned, keys_for(planned, PASSPHRASE))


def test_what_restricted_since_and_lost_its_key_is_counted_by_its_kind(data: Path, place: Path, ada: Handle) -> None:
    backed_up(data, place, WRAPPED)
    since = (learns("none"), learns("30", "retention_days"), forgotten(tea(ada)))
    record(data, *(drafts(each, name=f"since {n}") for n, each in enumerate(since)), says("m2"), now=LATER)
    assert lost_since(data, place) == {}, "it opens: it is recorded anew"
    (data / "keys" / "ring-a").unlink()
    (data / "keys" / "ring-b").unlink()
    assert lost_since(data, place) == {"config.set": 2}, "the backup's keys open what was forgotten"


def test_what_is_restored_is_not_lost_and_what_is_behind_the_moment_is(
    data: Path, place: Path, ada: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(data, drafts(forgotten(tea(ada)), name="in it"), now=LATER)
    size = backed_up(data, place, WRAPPED).events
    record(data, drafts(forgotten(tea(ada)), name="behind it"), now=LATER)

    def locked(*_: object) -> None:
        raise KeyMissing("gone")

    monkeypatch.setattr("replay.backups.sealed_facts.Sealer.opened", locked)
    assert lost_since(data, place) == {"item.forgotten": 1}
    assert lost_since(data, place, size - 1) == {"item.forgotten": 2}
    record(data, drafts(learns("none"), name="set"), now=LATER)
    assert list(lost_since(data, place).items()) == [("config.set", 1), ("item.forgotten", 1)]


def test_what_was_taken_back_is_not_lost(data: Path, place: Path, ada: Handle) -> None:
    backed_up(data, place, WRAPPED)
    record(data, drafts(forgotten(tea(ada)), name="since"), now=LATER)
    gone = MessageRedacted(said=NOW, by=OPERATOR, events=(event_id("since 0"),))
    record(data, drafts(gone, name="gone"), now=LATER)
    assert lost_since(data, place) == {}


def test_where_there_is_no_log_nothing_is_known_to_be_lost(folder: Path, data: Path, place: Path, ada: Handle) -> None:
    assert ada
    backed_up(data, place, WRAPPED)
    assert lost_since(folder / "new", place) == {}
