"""The doctor and the encoder: none, one that answers, and each thing that may be wrong with it."""

import sys
from pathlib import Path

import pytest

from dnam.doctor import encoder
from dnam.doctor.check import Finding, Patient
from projections.ids import Seq
from projections.vectors import quantised
from projections.vectors_texts import Held
from replay.ring.keyring import KeyRing
from replay.ring.store import MemoryRingStore
from replay.store import VECTORS
from replay.vectors.vectors import Vectors
from tests.dnam.doctor.patients import looked, patient
from tests.loopback.voyage import Encodes, Reply, Server, serving
from tests.world import handle


def with_key(server: Server, data: Path, **environment: str) -> Patient:
    asked = {"VOYAGE_API_KEY": server.key, "VOYAGE_BASE_URL": server.url, "DNAM_ENCODER_DIMENSIONS": "256"}
    return patient(data, {**asked, **environment})


async def test_without_one_there_is_nothing_to_ask(tmp_path: Path) -> None:
    found = await looked(encoder.asked, patient(tmp_path))
    assert (found.state, found.what) == ("skipped", "there is no encoder: things are found by their words alone")
    assert "VOYAGE_API_KEY" in found.do


@pytest.mark.parametrize(
    ("environment", "do"),
    [
        ({"DNAM_ENCODER": "voyage"}, "DNAM_ENCODER is voyage, and there is no VOYAGE_API_KEY. Until then"),
        ({"VOYAGE_API_KEY": "pa-1"}, "Voyage's package is not installed: pip install 'dnam[voyage]'"),
    ],
)
async def test_one_that_is_not_there(
    tmp_path: Path, environment: dict[str, str], do: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "voyageai", None)
    found = await looked(encoder.asked, patient(tmp_path, environment))
    assert (found.state, found.what) == ("wrong", "the encoder is not there")
    assert found.do.startswith(do)


async def test_one_that_answers(tmp_path: Path) -> None:
    async with serving() as server:
        assert await looked(encoder.asked, with_key(server, tmp_path)) == Finding("well", "voyage-3.5-lite/256 answers")
        assert [request.texts for request in server.requests] == [["hello"]]


async def test_vectors_that_have_no_room_in_memory(tmp_path: Path) -> None:
    ring = KeyRing.create(MemoryRingStore())
    vault = ring.set_vault(frozenset({handle("ann")}))
    texts = [Held(Seq(number), vault, f"{number}") for number in range(1, 301)]
    vectors = Vectors(tmp_path / VECTORS, ring, writable=True)
    vectors.put("large@1/4096", texts, dict.fromkeys((each.text for each in texts), quantised((1.0,) * 4096)))
    vectors.close()
    async with serving() as server:
        found = await encoder.asked(with_key(server, tmp_path, DNAM_ENCODER_MEMORY_MB="1"))
        assert [each.state for each in found] == ["well", "doubt"]
        assert found[1].what == "the vectors of 300 texts take 2 MB of memory, and may take 1"
        assert found[1].do.startswith("Set DNAM_ENCODER_MEMORY_MB=2 or more. Until then nothing is missed")
        found = await encoder.asked(with_key(server, tmp_path, DNAM_ENCODER_MEMORY_MB="2"))
        assert [each.state for each in found] == ["well"]


@pytest.mark.parametrize(
    ("environment", "reply", "what"),
    [
        ({"VOYAGE_API_KEY": "pa-wrong"}, Encodes(), "not in order: the key is not accepted"),
        ({"DNAM_ENCODER_MODEL": "voyage-9"}, Encodes(), "not in order: the request was refused"),
        ({}, Encodes(dimensions=8), "not in order: the answer of voyage-3.5-lite is of no use"),
        ({"VOYAGE_BASE_URL": "http://127.0.0.1:1/v1"}, Encodes(), "cannot be reached: the connection"),
    ],
)
async def test_one_that_does_not(
    tmp_path: Path, environment: dict[str, str], reply: Reply, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dnam.adapters.tries.FIRST_WAIT_SECONDS", 0.0)
    async with serving(lambda _: reply) as server:
        found = await looked(encoder.asked, with_key(server, tmp_path, **environment))
    assert found.state == "wrong"
    assert what in found.what
    assert found.do.endswith(encoder.OTHERWISE)
    assert server.key not in str(found)
