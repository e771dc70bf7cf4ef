"""The peer with a memory's purpose: `mem0` with a local vector store, without a model, and with an encoder that costs
nothing. Nothing of it goes out: it is told so before it is loaded.
"""

import hashlib
import logging
import os
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

MEM0 = "mem0, its local store, a hash for its encoder"
DIMENSIONS = 384
USER = "kim"
GREETING = "hello"
"""What is said before anything is measured."""


def encoded(text: str) -> list[float]:
    """A unit vector for a text, in no time: the sum of its words' vectors, so that what shares words is near."""
    vector = np.sum([_word(word) for word in text.split()], axis=0)
    return [float(each) for each in vector / np.linalg.norm(vector)]


@cache
def _word(word: str) -> npt.NDArray[np.float64]:
    """The same vector each time, and otherwise at random."""
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(DIMENSIONS)


class _Encoder:
    """In the form in which mem0 has its encoders."""

    config = SimpleNamespace(embedding_dims=DIMENSIONS)

    def embed(self, text: str, memory_action: str = "") -> list[float]:
        return encoded(text)

    def embed_batch(self, texts: Sequence[str], memory_action: str = "") -> list[list[float]]:
        return [encoded(text) for text in texts]


class Mem0:
    """A memory of one person in a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        # Read when it is loaded: no telemetry, and no folder in the home directory.
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder))
        library: Any = import_module("mem0")
        logging.getLogger("mem0").setLevel(logging.ERROR)  # it tells each time which extras it does without
        store = {"path": str(folder / "vectors"), "on_disk": True, "embedding_model_dims": DIMENSIONS}
        self._memory = library.Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": {**store, "collection_name": "said"}},
                "embedder": {"provider": "openai", "config": {"api_key": "unused"}},
                "llm": {"provider": "openai", "config": {"api_key": "unused"}},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = _Encoder()

    def add(self, text: str) -> None:
        """Keep a text as it is, without asking a model."""
        self._memory.add(text, user_id=USER, infer=False)

    def search(self, text: str, most: int) -> int:
        """How many are found."""
        return len(self._memory.search(text, filters={"user_id": USER}, top_k=most)["results"])

    def close(self) -> None:
        """Let it go."""
        self._memory.close()


def open_mem0(folder: Path) -> Mem0 | None:
    """The peer; None where it is not installed."""
    try:
        return Mem0(folder)
    except ImportError:
        return None
