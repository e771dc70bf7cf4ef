"""A law of the store: after whatever happens to it, it says what a dictionary would say."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from projections.ids import Seq, VaultId
from projections.vectors import Numbers, quantised
from projections.vectors_texts import Held
from replay.keyring import KeyRing
from replay.ring_store import MemoryRingStore
from replay.vectors import Vectors
from tests.replay.conftest import SHARED
from tests.world import handle

ENCODERS = ("one@1/2", "two@1/3")
WORDS = ("tea", "bees", "ok", "")


class Model:
    """The store, and beside it dictionaries that say what it should hold."""

    def __init__(self, path: Path) -> None:
        self.ring = KeyRing.create(MemoryRingStore())
        self.vaults = [self.ring.set_vault(frozenset({handle(name)})) for name in "abc"]
        self.ring.flush()
        self.path = path
        self.vectors = Vectors(path, self.ring, writable=True)
        self.kept: dict[str, dict[tuple[VaultId, str], list[int]]] = {}
        self.rows: dict[int, tuple[VaultId, str]] = {}
        self.in_force = ""

    def _texts(self, chance: Random) -> list[Held]:
        seqs = chance.sample(range(12), chance.randint(0, 4))
        return [Held(Seq(seq), chance.choice(self.vaults), chance.choice(WORDS)) for seq in seqs]

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
        self.vectors = Vectors(self.path, self.ring, writable=True)

    def holds(self) -> None:
        """The store says what the dictionaries say, of every row and of every text that there could be."""
        assert self.vectors.in_force() == self.in_force
        every = [Held(Seq(1), vault, text) for vault in self.vaults for text in WORDS]
        for encoder in ENCODERS:
            of = {place: each for place, each in self.kept.get(encoder, {}).items() if self._living(place[0])}
            wanted = [of.get(self.rows[seq]) if seq in self.rows else None for seq in range(12)]
            found = self.vectors.get(encoder, [Seq(seq) for seq in range(12)])
            assert [None if each is None else each.tolist() for each in found] == wanted
            missing = self.vectors.missing(encoder, every)
            assert [(each.vault, each.text) for each in missing] == [
                (each.vault, each.text)
                for each in every
                if self._living(each.vault) and (each.vault, each.text) not in of
            ]


DEEDS: tuple[Callable[[Model, Random], None], ...] = (
    *[Model.puts] * 4, Model.swaps, Model.erases, Model.sweeps, Model.opens_again,
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(range(len(DEEDS))), max_size=12), st.integers(0, 10**6))
def test_it_says_what_a_dictionary_would_say(deeds: list[int], salt: int) -> None:
    folder = Path(tempfile.mkdtemp(prefix="dnam-", dir=SHARED if SHARED.is_dir() else None))
    model, chance = Model(folder / "vectors"), Random(salt)
    try:
        for deed in deeds:
            DEEDS[deed](model, chance)
            model.holds()
    finally:
        model.vectors.close()
        shutil.rmtree(folder)
