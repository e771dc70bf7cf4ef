"""Making every vector by another encoder, and no shadow: what it may take, and what it takes, within a ceiling.

rows ─ texts without a vector ─ counted ─▶ what it may take
texts to be encoded ─ as many as what is left pays for ─ encoder ─▶ vectors, and what they took
"""

from collections.abc import Callable, Sequence

import msgspec

from dnam.errors import CostsTooMuch
from dnam.meaning.embedding import at_a_time
from dnam.meaning.encoder import Encoded, Encoder, EncoderError
from dnam.meaning.texts_held import every_stretch
from dnam.prices import Tokens, prices
from projections.events.upkeep import EncodedKind
from projections.events.values import ModelUse
from projections.tokens import CHARS_A_TOKEN
from replay.engine import Engine
from replay.vectors.vectors import Vectors

MORE_TOKENS = 16
"""What a text may be sent with, by which the service says what it is for."""


class Took(msgspec.Struct, frozen=True):
    """What vectors took, or may take: so many texts by an `encoder`. The cost is in 10⁻⁶ USD; None where the price is
    not known.
    """

    encoder: str
    texts: int = 0
    tokens: int = 0
    cost_micros: int | None = 0


def expected(engine: Engine, vectors: Vectors, encoder: str, model: str) -> Took:
    """What the vectors may take that are missing; empty is the `model` of an encoder that costs nothing."""
    texts = characters = 0
    for stretch in every_stretch(engine):
        for some in at_a_time(vectors.missing(encoder, stretch)):
            words = {each.text for each in some}
            texts += len(words)
            characters += sum(len(each) for each in words)
    tokens = characters // CHARS_A_TOKEN
    return Took(encoder, texts, tokens, prices().cost_micros(model, Tokens(tokens, 0)) if model else 0)


class Metered:
    """An encoder of which what it took is counted, and told. Its `model` has a price, which `most_micros` holds to."""

    def __init__(
        self, encoder: Encoder, model: str, most_micros: int | None, tell: Callable[[Took], None] = lambda _: None
    ) -> None:
        self._encoder = encoder
        self._model = model
        self._most_micros = most_micros
        self.tell = tell
        self.took = Took(encoder.name)

    @property
    def name(self) -> str:
        """The encoder's."""
        return self._encoder.name

    async def encode(self, texts: Sequence[str], kind: EncodedKind = "document") -> Encoded:
        """The same vectors."""
        try:
            made = await self._encoder.encode(texts, kind)
        except EncoderError as error:
            self._add(0, error.use)
            raise
        self._add(len(texts), made.use)
        return made

    def _add(self, texts: int, use: ModelUse | None) -> None:
        tokens, micros = (0, 0) if use is None else (use.tokens_in, use.cost_micros)
        so_far = self.took
        cost = None if self._model and prices().price_of(self._model) is None else (so_far.cost_micros or 0) + micros
        self.took = Took(self.name, so_far.texts + texts, so_far.tokens + tokens, cost)
        self.tell(self.took)

    def room(self, texts: Sequence[str]) -> int:
        """How many of these, from the first one on, cost no more than is left, whatever they are cut into. CostsTooMuch
        where the first one may.
        """
        if self._most_micros is None or not self._model:
            return len(texts)
        left, tokens = self._most_micros - (self.took.cost_micros or 0), 0
        for number, text in enumerate(texts):
            tokens += len(text.encode(errors="replace")) + MORE_TOKENS
            if (prices().cost_micros(self._model, Tokens(tokens, 0)) or 0) > left:
                if not number:
                    raise CostsTooMuch(self._most_micros)
                return number
        return len(texts)
