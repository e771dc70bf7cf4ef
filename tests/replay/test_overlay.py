"""Rows above others are read as one, in order, also where some come after a range of them was read."""

from random import Random

import pytest

from projections.ids import Seq, VaultId
from projections.rows import MemoryRows, Stored, after_prefix
from replay.overlay import WHOSE, Entry, Layer, Layered, Overlay

TABLE, VAULT, LAST = "items@1", VaultId(b"v" * 16), b"\xff" * 9


def key_of(dice: Random, heads: int) -> bytes:
    """A key of somebody's, if there is anybody; the last one's are behind all others'."""
    whose = dice.choice([bytes([each]) * WHOSE for each in (*range(heads - 1), 255)]) if heads else b""
    return whose + dice.randrange(40).to_bytes(2, "big")


def range_of(dice: Random, heads: int) -> tuple[bytes, bytes]:
    """All that is somebody's, or a range from one key to another."""
    start, stop = sorted((key_of(dice, heads), key_of(dice, heads) + b"\0"))
    return (start[:WHOSE], after_prefix(start[:WHOSE])) if heads and dice.random() < 0.5 else (start, stop)


def written(dice: Random, heads: int, seq: int, upper: Layer, now: dict[bytes, Stored]) -> None:
    """Write a row or remove one, above and in what is expected."""
    key, body = key_of(dice, heads), None if dice.random() < 0.3 else b"%d" % seq
    upper.put(TABLE, key, Entry(seq, body, VAULT, seq))
    if body is None:
        now.pop(key, None)
    else:
        now[key] = Stored(Seq(seq), body, VAULT)


@pytest.mark.parametrize("salt", range(20))
@pytest.mark.parametrize("heads", [0, 1, 3])
@pytest.mark.parametrize("reverse", [False, True])
def test_ranges_are_those_of_all_layers_together(salt: int, heads: int, *, reverse: bool) -> None:
    dice = Random(salt)
    below, now = MemoryRows(), dict[bytes, Stored]()
    for seq in range(1, 25):
        key = key_of(dice, heads)
        now[key] = Stored(Seq(seq), b"%d" % seq, VAULT)
        below.put(TABLE, key, now[key])
    lower, upper = Overlay(), Overlay()
    rows = Layered(upper, Layered(lower, below))
    for seq in range(25, 60):
        written(dice, heads, seq, lower, now)
    for seq in range(60, 140):
        if dice.random() < 0.5:
            written(dice, heads, seq, upper, now)
        else:
            own = Layer()
            written(dice, heads, seq, own, now)
            upper.absorb(own)
        start, stop = range_of(dice, heads)
        expected = sorted((each for each in now.items() if start <= each[0] < stop), reverse=reverse)
        assert list(rows.scan(TABLE, start, stop, reverse=reverse)) == expected
        assert list(rows.keys(TABLE, start, stop, reverse=reverse)) == [key for key, _ in expected]
    assert {key: rows.get(TABLE, key) for key in now} == now


def test_what_the_views_hold_by_now_is_let_go() -> None:
    overlay = Overlay()
    assert list(overlay.entries(TABLE, b"", LAST)) == []
    for seq in range(1, 4):
        overlay.put(TABLE, b"%d" % seq, Entry(seq, b"", VAULT, seq))
    assert [key for key, _ in overlay.entries(TABLE, b"", LAST)] == [b"1", b"2", b"3"]
    overlay.drop_upto(2)
    overlay.put(TABLE, b"0", Entry(4, b"", VAULT, 4))
    assert [key for key, _ in overlay.entries(TABLE, b"", LAST)] == [b"0", b"3"]
