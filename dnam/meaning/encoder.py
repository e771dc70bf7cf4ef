"""An encoder: texts to vectors whose cosine says how alike they are.

It makes merging finer, what a person forgot is refused by it in words that no list knows, and what was said is found by
its meaning. Nothing needs it.
"""

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple, Protocol

from projections.errors import DnamError
from projections.events.upkeep import EncodedKind
from projections.events.values import ModelUse
from projections.policies.closeness import Vector

NO_ENCODER = "there is no encoder: only words decide"
"""What a turn notes where none is configured."""


class Encoded(NamedTuple):
    """Vectors, one for each text and all of one length, and what they took; `use` is None where nothing is paid."""

    vectors: Sequence[Vector]
    use: ModelUse | None = None


class EncoderError(DnamError):
    """An encoder could not be asked, or its answer is of no use; the message is in the program's words. `use` is what
    it took where it was paid all the same. `is_refusal`: it does not take these texts, and may take some of them.
    """

    def __init__(self, message: str, *, use: ModelUse | None = None, is_refusal: bool = False) -> None:
        super().__init__(message)
        self.use = use
        self.is_refusal = is_refusal


class EncoderDown(EncoderError):
    """The encoder's service is down, or has been for a while: nobody asks it just now."""


class EncoderMissing(EncoderError):
    """The settings ask for an encoder whose package is not installed."""


class Encoder(Protocol):
    """Something that encodes."""

    @property
    def name(self) -> str:
        """Changes whenever vectors are not comparable any more: kind, model, dimensions, version. It stands in the
        reason of each merge and refusal, and vectors are kept under it.
        """
        ...

    async def encode(self, texts: Sequence[str], kind: EncodedKind = "document") -> Encoded:
        """A vector for each text. It may raise anything: texts are then compared by their words."""
        ...


def complaint(vectors: Sequence[Vector], texts: int, dimensions: int) -> str:
    """What is wrong with the vectors that came for so many texts, in words; empty when nothing is."""
    if len(vectors) != texts:
        return f"it sent {len(vectors)} vectors for {texts} texts"
    if lengths := {len(vector) for vector in vectors} - {dimensions}:
        return f"it sent vectors of {min(lengths)} numbers, and {dimensions} were asked for"
    if not all(map(isfinite, (number for vector in vectors for number in vector))):
        return "it sent vectors with something in them that is no number"
    return ""
