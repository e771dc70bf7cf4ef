"""A law of vectors beside the rows: whatever is said, redacted, erased, encoded and opened again, what is near is what
a plain comparison of the texts that are there finds, rank for rank, and nothing stays in memory of what is gone.
"""

import shutil
import tempfile
from collections.abc import Callable
from math import floor, sqrt
from pathlib import Path
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.events import MessageRedacted
from projections.events.values import PLATFORM
from projections.ids import Seq, VaultId
from projections.people import person_of
from projections.vectors import Closest, Numbers, closest, quantised
from projections.vectors_texts import TABLES, Held, RowKey, held_from
from replay.engine import Engine
from replay.erasure import destroy_keys, finish_erasures
from replay.store import DiskStore
from tests.examples import examples
from tests.replay.conftest import SHARED
from tests.replay.stage import ADA, KIM, FakeClock, drafts, says
from tests.world import NOW

ENCODERS = ("one@1/3", "two@1/3")
MOST, LEAST = 3, -100


def made_of(encoder: str, text: str) -> Numbers:
    """The vector that an encoder makes of a text."""
    dice = Random(f"{encoder} {text}")
    return quantised([dice.randint(-9, 9) for _ in range(3)])


def cosine(one: Numbers, other: Numbers) -> float:
    mine, theirs = one.tolist(), other.tolist()
    squares = sum(n * n for n in mine) * sum(n * n for n in theirs)
    return sum(a * b for a, b in zip(mine, theirs, strict=True)) / sqrt(squares) if squares else 0.0


class Lived:
    """A memory with vectors, and beside it which texts have been encoded."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        self.path, self.most_bytes, self.said = path, most_bytes, 0
        self.in_use = ENCODERS[0]
        self.encoded: dict[str, set[tuple[VaultId, str]]] = {each: set() for each in ENCODERS}
        self.told: set[Seq] = set()
        self.engine = self._opened()

    def _opened(self) -> Engine:
        engine = Engine.open(self.path, create=True, clock=FakeClock(), view_commit_events=10_000)
        store = engine.store
        assert isinstance(store, DiskStore)
        self.vectors = store.vectors
        self.vectors.keep_at_most(self.most_bytes)
        return engine

    def held(self) -> list[Held]:
        with self.engine.reading() as rows:
            return [text for _, text in held_from(rows.raw, RowKey(TABLES[0], b"")) if text is not None]

    # -- what happens --------------------------------------------------------------------------------------------------

    def says(self, chance: Random) -> None:
        for _ in range(chance.randint(1, 4)):
            self.said += 1
            text = chance.choice(("tea", "bees", "ale", "so it is"))
            self.engine.record(says(f"{self.said}", text, chance.choice((ADA, KIM)), said=NOW + self.said))

    def encodes(self, chance: Random) -> None:
        held = [each for each in self.held() if chance.random() < 0.9]
        missing = self.vectors.missing(self.in_use, held)
        self.vectors.put(self.in_use, held, {each.text: made_of(self.in_use, each.text) for each in missing})
        self.encoded[self.in_use] |= {(each.vault, each.text) for each in held}
        self.told |= {each.seq for each in held}

    def redacts(self, chance: Random) -> None:
        held = self.held()
        if held:
            record = self.engine.live.folding.record_at(chance.choice(held).seq)
            assert record is not None
            self.engine.record(
                drafts(MessageRedacted(said=NOW, by=PLATFORM, events=(record.id,)), name=record.id.hex())
            )

    def erases(self, chance: Random) -> None:
        """Somebody, if they are there; what the disk has of it may go later."""
        who = chance.choice((ADA, KIM))
        with self.engine.reading() as rows:
            found = person_of(rows, who.platform, who.id)
        if found is not None:
            destroy_keys(self.engine, found.row.person)
            if chance.random() < 0.5:
                finish_erasures(self.engine)

    def swaps(self, _: Random) -> None:
        """Another encoder, whose vectors are complete; those of the one before go."""
        before, self.in_use = self.in_use, ENCODERS[1 - ENCODERS.index(self.in_use)]
        held = self.held()
        self.vectors.put(self.in_use, held, {each.text: made_of(self.in_use, each.text) for each in held})
        self.vectors.swap(self.in_use)
        self.encoded[self.in_use] |= {(each.vault, each.text) for each in held}
        self.encoded[before] = set()
        self.told |= {each.seq for each in held}

    def sweeps(self, _: Random) -> None:
        held = self.held()
        self.vectors.keep_only(held, [self.in_use])
        there = {(each.vault, each.text) for each in held}
        self.encoded[self.in_use] &= there
        self.told &= {each.seq for each in held}

    def commits(self, _: Random) -> None:
        self.engine.commit_views()

    def opens_again(self, _: Random) -> None:
        self.engine.close()
        self.engine = self._opened()

    # -- what holds ----------------------------------------------------------------------------------------------------

    def holds(self, chance: Random) -> None:
        held = self.held()
        chance.shuffle(held)
        query = quantised([chance.randint(-9, 9) for _ in range(3)])
        found = self.vectors.cosines(self.in_use, query, [each.seq for each in held])
        plain = {
            at: cosine(query, made_of(self.in_use, each.text))
            for at, each in enumerate(held)
            if each.seq in self.told and (each.vault, each.text) in self.encoded[self.in_use]
        }
        near = sorted((at for at in plain if floor(plain[at] * 1000) >= LEAST), key=lambda at: (-plain[at], at))[:MOST]
        assert {at: found[at] for at in np.flatnonzero(~np.isnan(found)).tolist()} == plain
        assert closest(found, MOST, LEAST) == Closest(tuple(near), tuple(floor(plain[at] * 1000) for at in near))

    def forgets(self) -> None:
        """With the next look, of whatever, nothing is in memory that cannot be read any more."""
        with self.engine.reading():
            kept = self.vectors.in_memory()
        assert [seq for seq in kept if self.engine.live.folding.record_at(seq) is None] == []


DEEDS: tuple[Callable[[Lived, Random], None], ...] = (
    Lived.says, Lived.says, Lived.encodes, Lived.encodes, Lived.redacts, Lived.erases, Lived.swaps, Lived.sweeps,
    Lived.commits, Lived.opens_again,
)  # fmt: skip


@settings(max_examples=examples(25, 300), deadline=None)
@given(
    st.lists(st.sampled_from(range(len(DEEDS))), max_size=16), st.integers(0, 10**6), st.sampled_from([0, 90, 10**6])
)
def test_what_is_near_is_what_is_there_and_what_is_gone_is_not_in_memory(
    deeds: list[int], salt: int, most_bytes: int
) -> None:
    """With room in memory for no vector, for three, and for all."""
    folder = Path(tempfile.mkdtemp(prefix="dnam-", dir=SHARED if SHARED.is_dir() else None))
    lived, chance = Lived(folder / "data", most_bytes), Random(salt)
    try:
        for deed in (0, 2, *deeds):
            DEEDS[deed](lived, chance)
            lived.forgets()
            lived.holds(chance)
    finally:
        lived.engine.close()
        shutil.rmtree(folder)
