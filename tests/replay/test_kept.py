"""What was made of rows is kept until one of them changes, and is never anything but what the rows say."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from projections.config import CONFIG
from projections.events import PersonErased
from projections.events.values import OPERATOR
from projections.ids import UNSEALED, EventId, Point, Seq
from projections.items import ITEMS, compartments_of
from projections.messages import MESSAGES
from projections.order import RowAt
from projections.places import PLACES
from projections.recall.lying import Lying, around, read
from projections.rows import Found, Rows
from projections.said import END, backwards
from projections.turns import TURNS
from replay.engine import Engine
from replay.kept import LONGEST_ROW, MOST_KEPT, MOST_ROWS, OFTEN, Kept
from replay.overlay import Entry, Layer
from tests.generator import fixed_story
from tests.replay.stage import ADA, FakeClock, drafts, handle_of, in_memory, living, says, setting
from tests.world import NOW


def body(found: Found[Any]) -> tuple[bytes, int, object]:
    """All that a row says."""
    return found.key, found.seq, found.row


class Counting:
    """Makes of a row what it says, and counts."""

    def __init__(self) -> None:
        self.rows = 0

    def __call__(self, found: Found[Any]) -> object:
        self.rows += 1
        return body(found)


@pytest.fixture
def engine(data: Path) -> Iterator[Engine]:
    with Engine.open(data, create=True, clock=FakeClock()) as made:
        yield made


def made(engine: Engine, make: Counting) -> list[object]:
    """Every setting, as `make` makes of it."""
    with engine.reading() as rows:
        return list(rows.made(CONFIG, b"", make))


def test_it_is_made_once(engine: Engine) -> None:
    make = Counting()
    engine.record(drafts(setting("calm"), name="a"))
    assert made(engine, make) == made(engine, make)
    assert make.rows == 1


def test_it_is_made_again_when_a_row_changes(engine: Engine) -> None:
    make = Counting()
    engine.record(drafts(setting("calm"), name="a"))
    before = made(engine, make)
    engine.record(drafts(setting("quick"), name="b"))
    assert made(engine, make) != before
    assert make.rows == 2


def test_what_changes_elsewhere_leaves_it(engine: Engine) -> None:
    make = Counting()
    engine.record(drafts(setting("calm"), name="a"))
    made(engine, make)
    engine.record(says("m1"))
    made(engine, make)
    assert make.rows == 1


def test_what_another_engine_wrote_is_seen(engine: Engine) -> None:
    make, other = Counting(), in_memory(engine)
    engine.record(drafts(setting("calm"), name="a"))
    before = made(other, make)
    engine.record(drafts(setting("quick"), name="b"))
    assert made(other, make) != before


def test_what_is_made_of_all_rows_together_is_made_once_too(engine: Engine) -> None:
    def together(found: Sequence[Found[Any]]) -> list[object]:
        return list(map(body, found))

    engine.record(drafts(setting("calm"), name="a"))
    with engine.reading() as rows:
        before = rows.gathered(CONFIG, b"", together)
        assert before is rows.gathered(CONFIG, b"", together)
        assert before == list(map(body, rows.scan(CONFIG)))
    engine.record(drafts(setting("quick"), name="b"))
    with engine.reading() as rows:
        assert before != rows.gathered(CONFIG, b"", together) == list(map(body, rows.scan(CONFIG)))


def test_two_makers_do_not_see_each_other_s(engine: Engine) -> None:
    engine.record(drafts(setting("calm"), name="a"))
    make = Counting()
    with engine.reading() as rows:
        assert rows.made(CONFIG, b"", body) == rows.made(CONFIG, b"", make)
        assert rows.made(CONFIG, b"", lambda found: found.key) == tuple(found.key for found in rows.scan(CONFIG))
    assert make.rows == 1


def test_it_is_gone_with_an_erasure(engine: Engine) -> None:
    make = Counting()
    engine.record(drafts(setting("calm"), name="a"))
    engine.record(says("m1"))
    made(engine, make)
    vaults = tuple(engine.store.ring.listing(handle_of(engine, ADA)))
    engine.record(drafts(PersonErased(said=NOW, by=OPERATOR, vaults=vaults, hashes=(), until=NOW), name="erasure"))
    made(engine, make)
    assert make.rows == 2


def test_after_any_history_it_is_what_the_rows_say(engine: Engine) -> None:
    for told in fixed_story(90).decisions():
        engine.record(living(told))
        with engine.reading() as rows:
            owners = {found.key[:32] for found in rows.scan(ITEMS)}
            for prefix in owners:
                assert rows.made(ITEMS, prefix, body) == tuple(map(body, rows.scan(ITEMS, prefix)))


def test_no_more_than_so_many_rows_are_kept() -> None:
    kept = Kept()
    for number in range(4):
        kept.put("items", bytes([number]), body, "made", MOST_KEPT // 3)
        kept.get("items", b"\x00", body)
    assert [kept.get("items", bytes([number]), body) is not None for number in range(4)] == [True, False, True, True]


def test_a_range_that_is_longer_than_all_that_may_be_kept_is_not_kept() -> None:
    kept = Kept()
    kept.put("items", b"a", body, "made", MOST_KEPT + 1)
    assert kept.get("items", b"a", body) is None


def test_a_range_without_rows_counts_as_one() -> None:
    kept = Kept()
    for number in range(MOST_KEPT + 1):
        kept.put("items", number.to_bytes(2, "big"), body, (), 0)
    assert [kept.get("items", number.to_bytes(2, "big"), body) for number in (0, 1)] == [None, ()]


def test_only_ranges_with_a_changed_row_are_made_again() -> None:
    kept, layer = Kept(), Layer()
    for prefix in (b"a", b"b", b"bc"):
        kept.put("items", prefix, body, (prefix,), 1)
    layer.put("items", b"bcd", Entry(1, b"", UNSEALED, 1))
    layer.put("turns", b"a", Entry(1, b"", UNSEALED, 1))
    kept.changed(layer)
    assert [kept.get("items", each, body) for each in (b"a", b"b", b"bc")] == [(b"a",), None, None]


def order_of(kept: Kept, keys: dict[str, list[bytes]], times: int = OFTEN) -> list[RowAt] | None:
    """What is kept of the keys with the prefix `u` of two tables, asked for that often."""
    found = None
    for _ in range(times):
        found = kept.order(("messages", "turns"), b"u", lambda table: iter(keys[table]))
    return None if found is None else [*found]


def test_keys_are_kept_in_order_from_many_questions_on() -> None:
    kept, keys = Kept(), {"messages": [b"u1", b"u4"], "turns": [b"u2"]}
    assert order_of(kept, keys, OFTEN - 1) is None
    in_order = [RowAt(b"u1", "messages"), RowAt(b"u2", "turns"), RowAt(b"u4", "messages")]
    assert order_of(kept, keys, 1) == in_order
    assert order_of(kept, {"messages": [], "turns": []}, 1) == in_order, "they are read once"
    kept.clear()
    assert order_of(kept, keys, 1) is None


def test_keys_in_order_are_kept_up_with_what_changes() -> None:
    kept, layer = Kept(), Layer()
    order_of(kept, {"messages": [b"u1", b"u4"], "turns": [b"u2"]})
    changes = (("messages", b"u3", b""), ("messages", b"u4", b"new"), ("turns", b"u2", None), ("turns", b"u5", None))
    for table, key, row in (*changes, ("messages", b"v1", b""), ("items", b"u0", b"")):
        layer.put(table, key, Entry(1, row, UNSEALED, 1))
    kept.changed(layer)
    assert order_of(kept, {}, 1) == [RowAt(key, "messages") for key in (b"u1", b"u3", b"u4")]


def test_long_ranges_are_not_kept_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replay.kept.MOST_ORDERED", 3)
    monkeypatch.setattr("replay.kept.OFTEN", 1)
    kept, layer = Kept(), Layer()
    four = [bytes([ord("u"), number]) for number in range(4)]
    assert order_of(kept, {"messages": four[:2], "turns": four[2:]}, 1) is None
    layer.put("turns", four[3], Entry(1, None, UNSEALED, 1))
    kept.changed(layer)
    assert order_of(kept, {}, 1) is None
    two = {"messages": [b"1"], "turns": [b"2"]}
    kept.order(("messages", "turns"), b"v", lambda table: iter(two[table]))
    kept.order(("messages", "turns"), b"w", lambda table: iter(two[table]))
    nothing = {"messages": (), "turns": ()}
    left = [kept.order(("messages", "turns"), each, lambda table: iter(nothing[table])) for each in (b"w", b"v")]
    assert [[*(order or ())] for order in left] == [[RowAt(b"1", "messages"), RowAt(b"2", "turns")], []], (
        "what was asked for last is kept"
    )


def test_ranges_that_grow_are_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replay.kept.MOST_ORDERED", 3)
    monkeypatch.setattr("replay.kept.OFTEN", 1)
    kept = Kept()

    def comes(key: bytes) -> None:
        layer = Layer()
        layer.put("messages", key, Entry(1, b"", UNSEALED, 1))
        kept.changed(layer)

    def order(prefix: bytes, *read: bytes) -> list[bytes] | None:
        found = kept.order(("messages",), prefix, lambda _: iter(read))
        return None if found is None else [each.key for each in found]

    assert order(b"v", b"v1") == [b"v1"]
    assert order(b"u", b"u1") == [b"u1"]
    comes(b"u2")
    assert order(b"v") == [b"v1"], "there is room for three"
    comes(b"u3")
    assert order(b"v") == [b"v1"]
    assert order(b"u", b"u1", b"u2", b"u3") == [b"u1", b"u2", b"u3"], "what was not asked for the longest is read again"
    assert order(b"v", b"v1") == [b"v1"], "and so is what it left no room for"
    for key in (b"v2", b"v3", b"v4"):
        comes(key)
    assert order(b"v") is None, "it became too long"


def test_so_many_ranges_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replay.kept.MOST_ASKED", 1)
    kept = Kept()
    assert order_of(kept, {}, OFTEN - 1) is None
    kept.order(("turns",), b"w", lambda _: iter(()))
    assert order_of(kept, {}, OFTEN - 1) is None, "counted anew"


def test_rows_are_kept_until_they_change(engine: Engine) -> None:
    engine.record(drafts(setting("calm"), name="a"))
    with engine.reading() as rows:
        key = next(rows.keys(CONFIG, b""))
        before = rows.kept(CONFIG, key)
        assert before == rows.find(CONFIG, key)
        assert before is rows.kept(CONFIG, key)
        assert rows.kept(CONFIG, key[:-1]) is None
    engine.record(drafts(setting("quick"), name="b"))
    with engine.reading() as rows:
        assert before != rows.kept(CONFIG, key) == rows.find(CONFIG, key)


def test_only_so_many_rows_and_no_long_ones_are_kept() -> None:
    kept, one = Kept(), Found[Any](b"key", Seq(1), CONFIG)
    kept.keep("config", one, LONGEST_ROW + 1)
    assert kept.row("config", b"key") is None
    kept.keep("config", one, LONGEST_ROW)
    assert kept.row("config", b"key") is one
    for number in range(MOST_ROWS):
        kept.keep("config", one._replace(key=b"%d" % number), 1)
    assert kept.row("config", b"key") is None
    kept.clear()
    assert kept.row("config", b"1") is None


def test_what_is_around_is_the_same_with_and_without_what_is_kept(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("replay.kept.OFTEN", 1)
    for told in fixed_story(90).decisions():
        engine.record(living(told))
        with engine.reading() as rows:
            plain = Rows(rows.raw, rows.ids)
            for key in [*rows.keys(MESSAGES, b""), *rows.keys(TURNS, b"")]:
                near = around(rows, key, 2, 1)
                assert near == around(plain, key, 2, 1)
                assert [read(rows, each) for each in near] == [read(plain, each) for each in near]
                assert list(Lying(rows).at(key[:24])) == sorted(Lying(plain).at(key[:24]))
            for place in [each.row for each in rows.scan(PLACES) if each.row.session]:
                for epoch, before in ((0, END), (1, END), (0, Point(NOW, EventId(b"")))):
                    asked = place.session, epoch, before
                    assert list(backwards(rows, *asked)) == list(backwards(plain, *asked))


def test_the_compartments_of_somebody_are_the_same_with_and_without_what_is_kept(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("replay.kept.OFTEN", 1)
    most = 0
    for told in fixed_story(90).decisions():
        engine.record(living(told))
        with engine.reading() as rows:
            plain = Rows(rows.raw, rows.ids)
            for owner in sorted({each.row.item.owner for each in rows.scan(ITEMS)}):
                found = compartments_of(plain, owner)
                assert compartments_of(rows, owner) == found == list(dict.fromkeys(found))
                most = max(most, len(found))
    assert most > 1
