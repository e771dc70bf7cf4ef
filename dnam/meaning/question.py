"""Finding by meaning: a question's vector, held against those of the texts that a context opens.

    before the rows are read    seek: the question to the encoder whose vectors are in force
    while they are read         near: the texts and items that are near it, by the seqs of their rows; recall is handed
                                `nearness`

Nothing waits long for it, and nothing fails because of it: without an encoder, or with one that is down, words alone
decide, and the note says why. It goes into the turn's event.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dnam.access import Access
from dnam.meaning.encoder import NO_ENCODER, Encoder, EncoderError
from dnam.meaning.encoders import Encoders
from dnam.meaning.encoding import Purpose, encoded
from projections.ids import NOBODY, EventId, Handle, Seq
from projections.nearness import MOST_NEAR, Near, Nearness, Seqs
from projections.vectors import Numbers, quantised
from projections.vectors_near import nearest
from replay.vectors.vectors import Vectors

SEEK_SECONDS = 3.0
"""How long an answer waits for its question's vector."""
NO_VECTORS = "there are no vectors yet: only words decide"


class Sought(NamedTuple):
    """A question's vector, by which encoder; without one, `note` says why, in the program's words."""

    numbers: Numbers | None = None
    encoder: str = ""
    note: str = ""


class Meaning:
    """The vectors of a memory, and the encoders that may be asked."""

    def __init__(self, memory: Access, vectors: Vectors, encoders: Encoders) -> None:
        self._memory = memory
        self._vectors = vectors
        self._encoders = encoders

    async def seek(self, text: str, person: Handle = NOBODY, causes: tuple[EventId, ...] = ()) -> Sought:
        """The vector of what somebody asks. What it took is recorded."""
        if self._encoders.chosen is None:
            return Sought(note=NO_ENCODER)
        try:
            name = await asyncio.to_thread(self._vectors.in_force)
        except Exception as error:  # noqa: BLE001 - whatever the disk does: an answer needs no vectors
            return Sought(note=f"the vectors cannot be read ({type(error).__name__}): only words decide")
        if not name or not text.strip():
            return Sought(note="" if name else NO_VECTORS)
        encoder = self._encoders.named(name)
        if encoder is None:
            return Sought(note=f"the vectors are of {name}, which cannot be asked: only words decide")
        return await self._asked(encoder, text, Purpose("query", person, causes))

    async def _asked(self, encoder: Encoder, text: str, purpose: Purpose) -> Sought:
        try:
            async with asyncio.timeout(SEEK_SECONDS):
                made = await encoded(self._memory, encoder, [text], purpose)
            return Sought(quantised(made.vectors[0]), encoder.name)
        except TimeoutError:
            why = f"{encoder.name} sent nothing within {SEEK_SECONDS:g} seconds"
        except EncoderError as error:
            why = str(error)
        except Exception as error:  # noqa: BLE001 - whatever an encoder raises: an answer needs no vectors
            why = type(error).__name__
        return Sought(note=f"the encoder failed ({why}): only words decide")

    def nearness(self, sought: Sought) -> Nearness:
        """What recall is handed. It never fails: where vectors cannot be read, the note says so."""

        def among(said: Seqs, known: Sequence[Seq]) -> Near:
            try:
                return self.near(sought, said, known, MOST_NEAR)
            except Exception as error:  # noqa: BLE001 - whatever is wrong with the vectors: an answer needs none
                return Near(note=f"the vectors cannot be compared ({type(error).__name__}): only words decide")

        return Nearness(sought.encoder, among)

    def near(self, sought: Sought, said: Seqs, known: Sequence[Seq], most: int) -> Near:
        """Which of these rows' texts are near, at most so many of either kind. For a thread that looks at the rows."""
        if sought.numbers is None:
            return Near(note=sought.note)
        least = int(self._memory.settings.encoder_threshold * 1000)
        both = np.concatenate([np.asarray(said, np.int64), np.asarray(known, np.int64)])
        cosines = self._vectors.cosines(sought.encoder, sought.numbers, both)
        return nearest(cosines[: len(said)], cosines[len(said) :], most, least)
