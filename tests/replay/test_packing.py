"""Rows as bytes, and many of them column by column."""

from projections.ids import Seq, VaultId
from projections.rows import Stored
from replay.overlay import Entry
from replay.packing import PackedRows, Segment, pack, packed_all, unpack

VAULT = VaultId(b"v" * 16)
BODY = b"a body"


def test_rows_key_by_key_are_kept_in_two_columns() -> None:
    packed = PackedRows.of([(b"a", b"1"), (b"b", None), (b"c", b"3")])
    assert packed == PackedRows([b"a", b"b", b"c"], [b"1", None, b"3"])
    assert packed.part(1, 3) == PackedRows([b"b", b"c"], [None, b"3"])
    assert packed.removed() == [b"b"]
    assert packed.left() == PackedRows([b"a", b"c"], [b"1", b"3"])


def test_where_nothing_is_removed_all_is_left() -> None:
    for packed in (PackedRows([b"a"], [b"1"]), PackedRows([], [])):
        assert packed.removed() == []
        assert packed.left() is packed


def test_a_row_that_stands_under_many_keys_has_the_sum_of_each() -> None:
    other = bytes(BODY[:1]) + BODY[1:]  # equal, and another object
    keys = [b"z", b"a", b"m"]
    segment = Segment(["some", "more"])
    segment.write([*(("some", key, BODY) for key in keys), ("more", b"k", other), ("more", b"n", None)], 7, VAULT)
    packed = segment.packed()
    assert packed["some"].keys == sorted(keys)
    assert packed["some"].rows == [pack(key, Stored(Seq(7), BODY, VAULT)) for key in sorted(keys)]
    assert packed["more"] == PackedRows([b"k", b"n"], [pack(b"k", Stored(Seq(7), BODY, VAULT)), None])


def test_the_rows_of_a_commit_are_packed_as_each_alone() -> None:
    entries = [(b"a", Entry(3, BODY, VAULT, 3)), (b"b", Entry(4, None, VAULT, 4))]
    packed = packed_all(entries)
    assert packed.removed() == [b"b"]
    row = packed.rows[0]
    assert row is not None
    assert unpack("some", b"a", row) == Stored(Seq(3), BODY, VAULT)
