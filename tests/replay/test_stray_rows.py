"""What hangs on a damaged page of a log, or lies on it undamaged, is saved: it is proved without what led to it."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from replay.errors import Damaged
from replay.pages.fitting import Node, PageFile, Walk
from tests.replay.keeping import backed_up, record, redacts, settings, sound, stored_body, talk
from tests.replay.stage import contents
from tests.replay.test_last_commit import Harm, database, harm, newest, tables, zeros
from tests.replay.test_repair_record import repaired, whole

BEHIND = 40
"""So many events came after the backup."""


def root(data: Path, table: str) -> int:
    return tables(data)[table].root


def leaves(data: Path, table: str) -> list[tuple[int, list[Node]]]:
    """The leaf pages of a table, by their numbers, with their rows."""
    file = PageFile(database(data))
    try:
        return [(at.page, nodes) for at, nodes in Walk(file, file.pages - 1).rows(table, tables(data)[table])]
    finally:
        file.close()


def leaf_with(data: Path, table: str, seq: int) -> tuple[int, int]:
    """The leaf page that has an event, and which of its rows that is."""
    key = seq.to_bytes(8, "big")
    return next((page, row) for page, nodes in leaves(data, table) for row, node in enumerate(nodes) if node.key == key)


def field(row: int, more: int, form: str, value: int) -> Harm:
    """Change a field of a row of a page."""

    def change(page: bytearray) -> None:
        (start,) = struct.unpack_from("<H", page, 16 + 2 * row)
        struct.pack_into(form, page, start + more, value)

    return change


@pytest.fixture
def told(data: Path, place: Path) -> int:
    """A backup, and events that came after it; the last event that the backup has."""
    settings(data, 0, 300)
    kept = backed_up(data, place).events
    settings(data, 300, 300 + BEHIND, size=6_000)
    talk(data)
    return kept


def lost(data: Path, place: Path) -> list[tuple[int, str, bool]]:
    """What is told of a repair."""
    return [(each.seq, each.part, each.can) for each in repaired(data, place).repairs]


@pytest.mark.parametrize("table", ["headers", "bodies"])
def test_nothing_is_lost_that_hangs_on_a_page_that_is_gone(data: Path, place: Path, told: int, table: str) -> None:
    before = whole(data)
    assert tables(data)[table].depth == 2
    harm(data, root(data, table), zeros)
    assert lost(data, place) == []
    assert whole(data) == before
    assert sound(data) == before[1].size > told + BEHIND


def place_of(row: int, value: int) -> Harm:
    """Have a page say that a row lies elsewhere."""
    return lambda page: struct.pack_into("<H", page, 16 + 2 * row, value)


ROWS: dict[str, Callable[[int], Harm]] = {
    "kind": lambda row: field(row, 4, "<H", 4),
    "length": lambda row: field(row, 0, "<H", 60_000),
    "key": lambda row: field(row, 15, "<B", 255),
    "length of its key": lambda row: field(row, 6, "<H", 9),
    "place behind the end": lambda row: place_of(row, 4_095),
    "place in front of all rows": lambda row: place_of(row, 2),
}


@pytest.mark.parametrize("table", ["headers", "bodies"])
@pytest.mark.parametrize("how", ROWS)
def test_of_a_page_with_a_damaged_row_only_that_one_is_fetched(
    data: Path, place: Path, told: int, table: str, how: str
) -> None:
    """What kind of row it is need not even be known: its bytes prove themselves."""
    before = whole(data)
    page, row = leaf_with(data, table, told)
    assert leaf_with(data, table, told + 1)[0] == page
    harm(data, page, ROWS[how](row))
    parts = {"bodies": ("body",), "headers": ("body", "header")}[table] if how != "kind" else ()
    assert lost(data, place) == [(told, part, True) for part in parts]
    assert whole(data) == before


def test_of_events_that_the_backup_does_not_have_only_what_is_damaged_is_lost(
    data: Path, place: Path, told: int
) -> None:
    before = whole(data)[0]
    page, row = leaf_with(data, "bodies", told + 2)
    harm(data, page, field(row, 4, "<H", 4))
    assert lost(data, place) == [(told + 2, "body", False)]
    assert [each.seq for each, now in zip(before, whole(data)[0], strict=True) if each != now] == [told + 2]


def test_a_page_that_says_it_is_another_one_is_read_all_the_same(data: Path, place: Path, told: int) -> None:
    before = whole(data)
    page, _ = leaf_with(data, "bodies", told)
    harm(data, page, lambda content: struct.pack_into("<Q", content, 0, page ^ 64))
    assert lost(data, place) == []
    assert whole(data) == before


def test_large_data_that_lies_behind_the_end_is_lost_and_nothing_else(data: Path, place: Path, told: int) -> None:
    page, row = leaf_with(data, "bodies", told + 2)
    harm(data, page, field(row, 16, "<Q", 1 << 40))
    harm(data, root(data, "bodies"), zeros)
    assert lost(data, place) == [(told + 2, "body", False)]


def test_what_was_dropped_does_not_come_back_from_pages_that_are_free(data: Path, place: Path, told: int) -> None:
    """Nor from the backup: that it was dropped says an event whose own body is lost."""
    dropped = stored_body(data, 6)
    record(data, redacts("0 5"))
    fact = whole(data)[1].size
    assert dropped in database(data).read_bytes()
    harm(data, leaf_with(data, "bodies", fact)[0], zeros)
    found = lost(data, place)
    assert {(6, "body", False), (fact, "body", False)} <= {*found}
    assert whole(data)[0][5].body is None


def test_where_nobody_can_say_which_pages_are_free_none_is_read(data: Path, place: Path, told: int) -> None:
    size = whole(data)[1].size
    harm(data, newest(data).free.root, zeros)
    harm(data, root(data, "bodies"), zeros)
    assert lost(data, place) == [(seq, "body", seq <= told) for seq in range(1, size + 1)]


def test_headers_that_nothing_proves_are_not_put_in_force(data: Path, place: Path, told: int) -> None:
    before = contents(data)
    for table in ("headers", "ids"):
        harm(data, root(data, table), zeros)
    harmed = contents(data)
    assert harmed != before
    with pytest.raises(Damaged, match=f"damaged there is #{told + 1}, .*which this backup of {told} events"):
        repaired(data, place)
    assert contents(data) == harmed
