"""The local encoder, where its extra is installed; and what it says where it is not."""

import sys

import pytest

from dnam.adapters.minilm import DIMENSIONS, MODULE, MiniLm
from dnam.encoder import EncoderMissing
from projections.policies.closeness import cosine


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
    pytest.importorskip(MODULE)
    encoder = MiniLm()
    assert encoder.name.endswith(f"/{DIMENSIONS}")
    (bees, hives, deploy, nothing), use = await encoder.encode(
        ["I keep bees", "my hives are ready for the winter", "the deploy failed again", ""]
    )
    assert cosine(bees, hives) > 0.3 > cosine(bees, deploy)
    assert (any(nothing), use) == (False, None)
    await encoder.close()
