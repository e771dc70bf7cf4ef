"""Laws of the store: after whatever happens to it, it says what a dictionary would say, and what is near a question is
what a plain comparison finds, rank for rank, whatever part of it is in memory.
"""

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from math import floor, sqrt
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.ids import Seq, VaultId
from projections.vectors import Closest, Numbers, closest, quantised
from projections.vectors_texts import Held
from replay.ring.keyring import KeyRing
from replay.ring.store import MemoryRingStore
from replay.vectors.vectors import Vectors
from tests.projections.recall.stage import reckon
from tests.replay.conftest import SHARED
from tests.world import handle

ENCODERS = ("one@1/2", "two@1/3")
WORDS = ("tea", "bees", "ok", "")


MOST, LEAST = 3, -200


def cosine(one: Sequence[int], other: Sequence[int]) -> float:
    """By whole numbers of any size, one by one."""
    squares = sum(n * n for n in one) * sum(n * n for n in other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / sqrt(squares) if squares else 0.0


class Model:
    """The store, and beside it dictionaries that say what it should hold."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        self.ring = KeyRing.create(MemoryRingStore())
        self.vaults = [self.ring.set_vault(frozenset({handle(name)})) for name in "abc"]
        self.ring.flush()
        self.path = path
        self.most_bytes = most_bytes
        self.vectors = self._opened()
        self.kept: dict[str, dict[tuple[VaultId, str], list[int]]] = {}
        self.rows: dict[int, tuple[VaultId, str]] = {}
        self.in_force = ""

    def _texts(self, chance: Random) -> list[Held]:
        seqs = chance.sample(range(12), chance.randint(0, 4))
        return [Held(Seq(seq), chance.choice(self.vaults), chance.choice(WORDS)) for seq in seqs]

    def _opened(self) -> Vectors:
        vectors = Vectors(self.path, self.ring, writable=True)
        vectors.keep_at_most(self.most_bytes)
        return vectors

    def _living(self, vault: VaultId) -> bool:
        return vault in self.ring.vaults

    def puts(self, chance: Random) -> None:
        number = chance.randrange(2)
        encoder, texts = ENCODERS[number], self._texts(chance)
        made: dict[str, Numbers] = {
            each.text: quantised([chance.randint(-9, 9) for _ in range(2 + number)])
            for each in texts
            if chance.random() < 0.8
        }
        self.vectors.put(encoder, texts, made)
        self.in_force = self.in_force or encoder
        of = self.kept.setdefault(encoder, {})
        for each in texts:
            if self._living(each.vault):
                if each.text in made:
                    of[each.vault, each.text] = made[each.text].tolist()
                if (each.vault, each.text) in of:
                    self.rows[each.seq] = each.vault, each.text

    def swaps(self, chance: Random) -> None:
        encoder = chance.choice(ENCODERS)
        self.vectors.swap(encoder)
        self.in_force, self.kept = encoder, {encoder: self.kept.get(encoder, {})}

    def erases(self, chance: Random) -> None:
        vault = chance.choice(self.vaults)
        self.ring.destroy(frozenset({vault}))
        if chance.random() < 0.7:
            self.vectors.drop([vault])

    def sweeps(self, chance: Random) -> None:
        texts = [Held(Seq(seq), *place) for seq, place in self.rows.items() if chance.random() < 0.6]
        encoders = chance.sample(ENCODERS, chance.randint(1, 2))
        self.vectors.keep_only(texts, encoders)
        places = {(each.vault, each.text) for each in texts}
        self.rows = {each.seq: (each.vault, each.text) for each in texts}
        self.kept = {
            encoder: {place: vector for place, vector in of.items() if place in places}
            for encoder, of in self.kept.items()
            if encoder in encoders
        }

    def opens_again(self, chance: Random) -> None:
        self.vectors.close()
        self.vectors = self._opened()

    def redacts(self, chance: Random) -> None:
        """What memory has of it goes; what lies on the disk does later, with a sweep."""
        self.vectors.let_go([Seq(seq) for seq in chance.sample(range(20), chance.randint(0, 9))])

    def starts_over(self, _: Random) -> None:
        self.vectors.let_go()

    def finds(self, chance: Random) -> None:
        """What is near, of some rows, is what a plain comparison finds: the same cosines, in the same order."""
        number = chance.randrange(2)
        query = quantised([chance.randint(-9, 9) for _ in range(2 + number)])
        of = self.kept.get(ENCODERS[number], {})
        asked = [Seq(seq) for seq in chance.sample(range(14), chance.randint(0, 14))]
        there = [self._kept_of(of, seq) for seq in asked]
        missing = sum(each is None for each in there)
        plain = {at: cosine(query.tolist(), each) for at, each in enumerate(there) if each is not None}
        near = sorted((at for at in plain if floor(plain[at] * 1000) >= LEAST), key=lambda at: (-plain[at], at))[:MOST]
        found = self.vectors.cosines(ENCODERS[number], query, asked)
        assert {at: found[at] for at in plain} == plain
        assert np.isnan(found).sum() == missing
        assert closest(found, MOST, LEAST) == Closest(tuple(near), tuple(floor(plain[at] * 1000) for at in near))

    def _kept_of(self, of: Mapping[tuple[VaultId, str], list[int]], seq: int) -> list[int] | None:
        place = self.rows.get(seq)
        return of.get(place) if place is not None and self._living(place[0]) else None

    def holds(self) -> None:
        """The store says what the dictionaries say, of every row and of every text that there could be."""
        assert self.vectors.in_force() == self.in_force
        every = [Held(Seq(1), vault, text) for vault in self.vaults for text in WORDS]
        for encoder in ENCODERS:
            of = {place: each for place, each in self.kept.get(encoder, {}).items() if self._living(place[0])}
            wanted = [self._kept_of(of, seq) for seq in range(12)]
            found = self.vectors.get(encoder, [Seq(seq) for seq in range(12)])
            assert [None if each is None else each.tolist() for each in found] == wanted
            missing = self.vectors.missing(encoder, every)
            assert [(each.vault, each.text) for each in missing] == [
                (each.vault, each.text)
                for each in every
                if self._living(each.vault) and (each.vault, each.text) not in of
            ]


DEEDS: tuple[Callable[[Model, Random], None], ...] = (
    *[Model.puts] * 4, Model.swaps, Model.erases, Model.sweeps, Model.opens_again, Model.redacts, Model.starts_over,
)  # fmt: skip


@pytest.mark.parametrize("way", ["term by term", "compiled"])
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(range(len(DEEDS))), max_size=14),
    st.integers(0, 10**6),
    st.sampled_from([0, 80, 200, 10**6]),
)
def test_it_says_what_a_dictionary_would_say(way: str, deeds: list[int], salt: int, most_bytes: int) -> None:
    """With room in memory for nothing, for two or three vectors, for half of them and for all."""
    folder = Path(tempfile.mkdtemp(prefix="dnam-", dir=SHARED if SHARED.is_dir() else None))
    model, chance = Model(folder / "vectors", most_bytes), Random(salt)
    try:
        with pytest.MonkeyPatch.context() as patched:
            reckon(way, patched)
            for deed in deeds:
                DEEDS[deed](model, chance)
                model.holds()
                for _ in range(3):
                    model.finds(chance)
    finally:
        model.vectors.close()
        shutil.rmtree(folder)
