"""Bodies that are changed as trees are of every kind, and most kinds of change leave some of them bodies."""

from collections import Counter
from random import Random

import msgspec
import pytest

from tests.proof.fuzzing import bodies
from tests.proof.fuzzing.tally import Outcome
from tests.proof.fuzzing.targets import KINDS, envelope

MOST = 16_384
TRIES = 6_000


def shouted(data: bytes, most: int) -> bytes:
    return data.upper()[:most]


def test_there_are_bodies_of_every_kind() -> None:
    kinds = bodies.seeds()
    assert len(kinds) == len(KINDS["envelope"])
    for number, of_kind in enumerate(kinds):
        assert of_kind
        assert all(envelope(bytes([number]) + each).is_accepted for each in of_kind)


def test_changed_bodies_of_every_kind_are_accepted_and_refused() -> None:
    kinds, dice, came = bodies.seeds(), Random(20261122), Counter[Outcome]()
    own = {bytes([number]) + body for number, of_kind in enumerate(kinds) for body in of_kind}
    for _ in range(TRIES):
        data = bodies.change(b"", MOST, dice, kinds, shouted)
        assert len(data) <= MOST
        if data and data not in own:
            came[envelope(data)] += 1
    assert min(came[Outcome(kind, is_accepted)] for kind in KINDS["envelope"] for is_accepted in (True, False)) >= 5


def test_a_seed_says_what_becomes_of_it() -> None:
    kinds = bodies.seeds()
    first, again, other = (bodies.change(b"", MOST, Random(seed), kinds, shouted) for seed in (3, 3, 4))
    assert first == again != other


def test_some_inputs_are_changed_as_bytes() -> None:
    dice, kinds = Random(7), bodies.seeds()
    every = [bodies.change(b"some bytes", 4, dice, kinds, shouted) for _ in range(200)]
    assert 20 <= every.count(b"SOME") <= 60


@pytest.mark.parametrize("change", bodies.ROUGHLY)
def test_a_rough_change_changes_a_tree(change: object) -> None:
    assert callable(change)
    dice, before = Random(7), {"text": "some", "list": [1, {"deep": b"bytes"}]}
    trees = [msgspec.msgpack.decode(msgspec.msgpack.encode(before)) for _ in range(50)]
    for tree in trees:
        change(*dice.choice([(tree, "text"), (tree["list"], 0), (tree["list"][1], "deep")]), dice)
    assert sum(msgspec.msgpack.encode(tree) != msgspec.msgpack.encode(before) for tree in trees) > 40


def test_what_is_put_into_a_tree_is_a_copy_and_never_put_into_itself() -> None:
    """Once a list held itself, and whoever walked through it did so without end."""
    dice, tree, before = Random(7), [None], msgspec.msgpack.encode(bodies.STRANGE)
    for _ in range(500):
        bodies._strange(tree, 0, dice)
        for holder, key in bodies._places(tree)[1:]:
            bodies._more(holder, key, dice)
        msgspec.msgpack.encode(tree)
    assert msgspec.msgpack.encode(bodies.STRANGE) == before
