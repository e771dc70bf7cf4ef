"""Rows of one person that a group keeps are those that lie there, whatever it records meanwhile."""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from projections.ids import EventId, Seq, VaultId
from projections.items import FORGOTTEN, ForgottenRow
from projections.rows import Found, MemoryRows, Rows, Stored
from replay.overlay import WHOSE, Entry, Layer
from replay.ranges import Ranges
from tests.world import WorldIds

VAULT = VaultId(b"v" * 16)
PEOPLE = [bytes([number]) * WHOSE for number in range(1, 4)]


def row_of(text: str) -> bytes:
    return msgspec.msgpack.encode(ForgottenRow(EventId(b"e" * 16), "id", "guild/1", "fact", text, (), ()))


@pytest.mark.parametrize("salt", range(10))
def test_they_are_kept_up_with_what_is_recorded(salt: int) -> None:
    dice, there, ranges = Random(salt), MemoryRows(), Ranges()
    rows = Rows(there, WorldIds())

    def scan(prefix: bytes) -> Iterator[Found[Any]]:
        return rows.scan(FORGOTTEN, prefix)

    for seq in range(1, 80):
        layer = Layer()
        key = dice.choice(PEOPLE) + dice.randrange(6).to_bytes(1, "big") * 16
        body = None if dice.random() < 0.4 else row_of(f"text {seq}")
        layer.put(FORGOTTEN.table, key, Entry(seq, body, VAULT, seq))
        there.put(FORGOTTEN.table, key, None if body is None else Stored(Seq(seq), body, VAULT))
        ranges.changed(layer)
        for prefix in (dice.choice(PEOPLE), key[:17], b""):
            assert list(ranges.rows(FORGOTTEN, prefix, scan)) == list(scan(prefix))


def test_they_are_read_once_where_more_than_one_question_is_asked() -> None:
    there, ranges, asked = MemoryRows(), Ranges(), list[bytes]()
    there.put(FORGOTTEN.table, PEOPLE[0] + bytes(16), Stored(Seq(1), row_of("tea"), VAULT))

    def scan(prefix: bytes) -> Iterator[Found[Any]]:
        asked.append(prefix)
        return Rows(there, WorldIds()).scan(FORGOTTEN, prefix)

    found = [list(ranges.rows(FORGOTTEN, PEOPLE[0] + bytes(1), scan)) for _ in range(4)]
    assert asked == [PEOPLE[0] + bytes(1), PEOPLE[0]]
    assert all(each == found[0] and len(each) == 1 for each in found)
