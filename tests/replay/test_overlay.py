"""Rows above others are read as one, in order, also where some come after a range of them was read."""

from random import Random

import pytest

from projections.ids import Seq, VaultId
from projections.rows import MemoryRows, Stored
from replay.overlay import Entry, Layer, Layered, Overlay

TABLE, VAULT, LAST = "items@1", VaultId(b"v" * 16), b"\xff" * 9


def key_of(dice: Random) -> bytes:
    return dice.randrange(40).to_bytes(2, "big")


def written(dice: Random, seq: int, upper: Layer, now: dict[bytes, Stored]) -> None:
    """Write a row or remove one, above and in what is expected."""
    key, body = key_of(dice), None if dice.random() < 0.3 else b"%d" % seq
    upper.put(TABLE, key, Entry(seq, body, VAULT, seq))
    if body is None:
        now.pop(key, None)
    else:
        now[key] = Stored(Seq(seq), body, VAULT)


@pytest.mark.parametrize("salt", range(20))
@pytest.mark.parametrize("reverse", [False, True])
def test_ranges_are_those_of_all_layers_together(salt: int, *, reverse: bool) -> None:
    dice = Random(salt)
    below, now = MemoryRows(), dict[bytes, Stored]()
    for seq in range(1, 25):
        key = key_of(dice)
        now[key] = Stored(Seq(seq), b"%d" % seq, VAULT)
        below.put(TABLE, key, now[key])
    lower, upper = Overlay(), Overlay()
    rows = Layered(upper, Layered(lower, below))
    for seq in range(25, 60):
        written(dice, seq, lower, now)
    for seq in range(60, 140):
        if dice.random() < 0.5:
            written(dice, seq, upper, now)
        else:
            own = Layer()
            written(dice, seq, own, now)
            upper.absorb(own)
        start, stop = sorted((key_of(dice), key_of(dice) + b"\0"))
        expected = sorted((each for each in now.items() if start <= each[0] < stop), reverse=reverse)
        assert list(rows.scan(TABLE, start, stop, reverse=reverse)) == expected
        assert list(rows.keys(TABLE, start, stop, reverse=reverse)) == [key for key, _ in expected]
    assert {key: rows.get(TABLE, key) for key in now} == now


def test_what_the_views_hold_by_now_is_let_go() -> None:
    overlay = Overlay()
    for seq in range(1, 4):
        overlay.put(TABLE, b"%d" % seq, Entry(seq, b"", VAULT, seq))
    assert [key for key, _ in overlay.entries(TABLE, b"", LAST)] == [b"1", b"2", b"3"]
    overlay.drop_upto(2)
    overlay.put(TABLE, b"0", Entry(4, b"", VAULT, 4))
    assert [key for key, _ in overlay.entries(TABLE, b"", LAST)] == [b"0", b"3"]
