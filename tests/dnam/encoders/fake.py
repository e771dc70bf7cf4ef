"""An encoder made of words, which does what a test wants: it fails, refuses texts, hangs, and says what it took."""

import asyncio
from collections.abc import Sequence

from dnam.meaning.encoder import Encoded, EncoderError
from projections.events.upkeep import EncodedKind
from projections.events.values import ModelUse
from tests.loopback.voyage.server import of_words

DIMENSIONS = 64
TOKENS = 100


class Worded:
    """Texts that share words are near each other. `asked` are the texts of each call, with its kind."""

    def __init__(self, name: str = "worded@1/64") -> None:
        self._name = name
        self.asked: list[tuple[str, ...]] = []
        self.kinds: list[EncodedKind] = []
        self.errors: list[Exception] = []
        self.refuses: set[str] = set()
        self.is_free = True
        self.reached, self.hangs = asyncio.Event(), False

    @property
    def name(self) -> str:
        return self._name

    @property
    def texts(self) -> list[str]:
        """Every text that it was asked with."""
        return [text for texts in self.asked for text in texts]

    async def encode(self, texts: Sequence[str], kind: EncodedKind = "document") -> Encoded:
        self.asked.append(tuple(texts))
        self.kinds.append(kind)
        self.reached.set()
        if self.hangs:
            await asyncio.Event().wait()
        if self.errors:
            raise self.errors.pop(0)
        if self.refuses.intersection(texts):
            raise EncoderError("it does not take that", is_refusal=True)
        use = None if self.is_free else ModelUse(self.name, "1", tokens_in=TOKENS, cost_micros=TOKENS)
        return Encoded([of_words(text, DIMENSIONS) for text in texts], use)
