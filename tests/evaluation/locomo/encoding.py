"""Vectors for an evaluation: of what is said there and of the questions, by the encoder that DNAM_ENCODER names.

Texts of the conversations, and items, become vectors as a running bot's do; the questions, a few at a time. With Voyage
it is paid.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from dnam.assistant import Assistant
from dnam.meaning.embedding import Embedding
from dnam.meaning.encoder import Encoder, EncoderMissing
from dnam.meaning.encoders import opened
from dnam.meaning.question import Meaning, Sought
from dnam.memory import Memory
from dnam.model import Model
from projections.nearness import Nearness
from projections.vectors import Numbers, quantised
from replay.store import DiskStore

K = TypeVar("K", bound=Hashable)
SETTINGS = (
    "DNAM_ENCODER", "DNAM_ENCODER_MODEL", "DNAM_ENCODER_DIMENSIONS", "DNAM_ENCODER_THRESHOLD",
    "VOYAGE_API_KEY", "VOYAGE_BASE_URL",
)  # fmt: skip
"""What of the environment counts, where it names an encoder."""
AT_ONCE = 64


def chosen_in(environment: Mapping[str, str]) -> dict[str, str]:
    """What the environment says of an encoder; nothing where it names none: a key alone is no wish to pay."""
    named = environment.get("DNAM_ENCODER") in ("local", "voyage")
    return {name: environment[name] for name in SETTINGS if name in environment} if named else {}


async def nearnesses(memory: Memory, model: Model, asked: Mapping[K, str]) -> dict[K, Nearness]:
    """What tells how near something is to each question. EncoderError where the encoder cannot be had, or does not
    answer.
    """
    store = memory.engine.store
    assert isinstance(store, DiskStore)
    async with opened(memory.settings) as encoders:
        encoder = encoders.chosen
        if encoder is None:
            raise EncoderMissing("DNAM_ENCODER names none: local or voyage")
        await Embedding(Assistant(memory, model), store.vectors, encoder).catch_up()
        meaning = Meaning(memory, store.vectors, encoders)
        made = await _encoded(encoder, list(asked.values()))
        return {key: meaning.nearness(Sought(made[text], encoder.name)) for key, text in asked.items()}


async def _encoded(encoder: Encoder, texts: Sequence[str]) -> dict[str, Numbers]:
    wanted, made = list(dict.fromkeys(texts)), dict[str, Numbers]()
    for start in range(0, len(wanted), AT_ONCE):
        some = wanted[start : start + AT_ONCE]
        vectors = (await encoder.encode(some, "query")).vectors
        made.update((text, quantised(vector)) for text, vector in zip(some, vectors, strict=True))
    return made
