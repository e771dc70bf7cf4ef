"""dnam as it stands beside mem0: a memory of one person that finds by meaning too, by the encoder that mem0 has.

add       heard; its vector made, sealed, kept and in force: behind what is heard, as a bot does it, or at once
search    the query's vector, by the same encoder: what is near it, and what its words find
"""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from dnam.adapters.offline import OfflineModel
from dnam.learning.tending import Tending
from dnam.meaning.embedding import Embedding
from dnam.meaning.encoder import Encoded, Encoder
from dnam.meaning.encoders import Encoders
from dnam.meaning.question import Meaning
from dnam.meaning.texts_held import every_text
from dnam.memory import Memory
from dnam.settings import Settings, read
from projections.events.upkeep import EncodedKind
from projections.recall.search import Answers, Wanted, answers
from replay.store import DiskStore
from tests.bench.remembered import DIMENSIONS, GREETING, USER, encoded


class Hashing:
    """The hash that mem0 has for its encoder, in the form in which dnam has its encoders."""

    name = f"hash@1/{DIMENSIONS}"

    async def encode(self, texts: Sequence[str], kind: EncodedKind = "document") -> Encoded:
        return Encoded([encoded(text) for text in texts])


class _Only(Encoders):
    """This encoder, whatever the settings would choose."""

    def __init__(self, settings: Settings, encoder: Encoder) -> None:
        super().__init__(settings)
        self.chosen = encoder

    def named(self, name: str) -> Encoder | None:
        return self.chosen if self.chosen is not None and self.chosen.name == name else None


class Understood:
    """A memory of one person in a folder, with vectors."""

    def __init__(self, folder: Path) -> None:
        self._loop = asyncio.Runner()
        self._open = AsyncExitStack()
        settings, self._encoder = read({}, {}), Hashing()
        self._memory = self._loop.run(self._open.enter_async_context(Memory.open(folder, settings=settings)))
        store = self._memory.engine.store
        assert isinstance(store, DiskStore), "it lies in a folder"
        self._vectors = store.vectors
        self._tending = Tending(self._memory, OfflineModel(self._memory.language), self._encoder)
        self._tending.meaning = Meaning(self._memory, self._vectors, _Only(settings, self._encoder))
        self._embedding = Embedding(self._tending, self._vectors, self._encoder)
        self._memory.watchers.append(self._embedding._recorded)
        self.add([GREETING])

    def add(self, texts: Iterable[str], *, at_once: bool = False) -> None:
        """Keep texts, each of them durable before the next, and their vectors, which are in force when this returns:
        made behind the texts, or, `at_once`, each before the next text is heard.
        """
        self._loop.run(self._add(texts, at_once=at_once))

    async def _add(self, texts: Iterable[str], *, at_once: bool) -> None:
        for text in texts:
            self._last = await self._memory.heard(USER, text)
            if at_once:
                await self._embedding.catch_up()
        if not at_once:
            await self._embedding.catch_up()

    def search(self, texts: Iterable[str], most: int) -> None:
        """Look for each of these. RuntimeError where nothing is found, or words alone decide."""
        self._loop.run(self._search(texts, most))

    async def _search(self, texts: Iterable[str], most: int) -> None:
        for text in texts:
            found = await self.found(text, most)
            if found.note or not found.said or not found.nearest:
                raise RuntimeError(f"{text!r} was not found by its meaning: {found.note or 'nothing is near it'}")

    async def found(self, text: str, most: int) -> Answers:
        """What answers to a text, in what the person said."""
        last = self._last
        nearness = await self._tending.nearness(text, last)
        wanted = Wanted(text, last.setting, last.session, last.point.said, nearness=nearness)
        return await self._memory.look(lambda rows: answers(rows, wanted, most))

    def lacking(self) -> list[str]:
        """The texts whose vectors are not in force."""
        texts = list(every_text(self._memory.engine))
        if self._vectors.in_force() != self._encoder.name:
            return [each.text for each in texts]
        vectors = self._vectors.get(self._encoder.name, [each.seq for each in texts])
        return [each.text for each, vector in zip(texts, vectors, strict=True) if vector is None]

    def close(self) -> None:
        """Let it go."""
        self._loop.run(self._open.aclose())
        self._loop.close()
