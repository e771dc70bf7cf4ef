"""An encoder: texts to vectors whose cosine says how alike they are.

It makes merging finer, and what a person forgot is refused by it in words that no list knows. Nothing needs it.
"""

from collections.abc import Sequence
from typing import Protocol

from projections.policies.closeness import Vector


class Encoder(Protocol):
    """Something that encodes. `name` stands in the reason of each merge and refusal, with its version."""

    @property
    def name(self) -> str: ...

    async def encode(self, texts: Sequence[str]) -> Sequence[Vector]:
        """A vector for each text, all of one length. It may raise anything: texts are then compared by their words."""
        ...
