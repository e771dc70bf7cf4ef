"""The loopback embeddings API: what it takes and refuses, and that its vectors are those of the words."""

import base64
import struct
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from dnam.settings import read
from tests.loopback.voyage import Aborts, Breaks, Encodes, Fails, Garbles, Says, Script, Server, serving
from tests.loopback.voyage.__main__ import main
from tests.loopback.voyage.requests import MOST_TEXTS, complaint
from tests.loopback.voyage.server import of_words

ASKED: dict[str, Any] = {"input": ["I keep bees", "tea"], "model": "voyage-3.5-lite", "input_type": "document"}


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as server:
        yield server


async def post(server: Server, body: Any, key: str = "") -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {key or server.key}"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.url}/embeddings", json=body, headers=headers) as got,
    ):
        return got.status, await got.json()


async def test_vectors_come_as_numbers_or_as_base64_of_them(server: Server) -> None:
    status, plain = await post(server, {**ASKED, "output_dimension": 256})
    assert (status, plain["usage"], plain["model"]) == (200, {"total_tokens": 3}, "voyage-3.5-lite")
    assert [each["embedding"] for each in plain["data"]] == [of_words(text, 256) for text in ASKED["input"]]
    _, packed = await post(server, {**ASKED, "output_dimension": 256, "encoding_format": "base64"})
    for number, each in enumerate(packed["data"]):
        numbers = struct.unpack("<256f", base64.b64decode(each["embedding"]))
        assert numbers == pytest.approx(plain["data"][number]["embedding"])
    _, whole = await post(server, ASKED)
    assert len(whole["data"][0]["embedding"]) == 1024


async def test_a_wrong_key_is_refused(server: Server) -> None:
    assert await post(server, ASKED, "pa-other") == (401, {"detail": "Provided API key is invalid."})
    assert (server.requests, len(server.refused)) == ([], 1)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ([], "Unknown arguments"),
        ({**ASKED, "colour": "red"}, "Unknown arguments"),
        ({**ASKED, "input": "tea"}, "a list of strings"),
        ({**ASKED, "input": []}, "a list of strings"),
        ({**ASKED, "input": [1]}, "a list of strings"),
        ({**ASKED, "input": ["tea", ""]}, "cannot contain empty strings"),
        ({**ASKED, "input": ["tea"] * (MOST_TEXTS + 1)}, "batch size limit"),
        ({**ASKED, "model": "voyage-9"}, "not supported"),
        ({**ASKED, "output_dimension": 100}, "supports output_dimension"),
        ({**ASKED, "input_type": "text"}, "input_type"),
        ({**ASKED, "encoding_format": "hex"}, "encoding_format"),
        ({**ASKED, "model": "voyage-law-2", "input": ["a" * 600_000]}, "max allowed tokens"),
    ],
)
def test_what_the_api_does_not_take_is_refused(body: Any, why: str) -> None:
    assert why in complaint(body)
    assert complaint(ASKED) == ""


async def test_everything_that_goes_wrong_can_be_asked_for(server: Server) -> None:
    server.script = lambda _: Fails(429, retry_after="3")
    assert await post(server, ASKED) == (429, {"detail": "this went wrong"})
    server.script = lambda _: Says([1])
    assert await post(server, ASKED) == (200, [1])
    server.script = lambda _: Encodes(lost=1, dimensions=8)
    _, cut = await post(server, ASKED)
    assert [len(each["embedding"]) for each in cut["data"]] == [8]
    server.script = lambda _: Garbles()
    with pytest.raises(ValueError, match="Expecting value"):
        await post(server, ASKED)
    scripts: tuple[Script, ...] = (lambda _: Breaks(), lambda _: Aborts())
    for script in scripts:
        server.script = script
        with pytest.raises(aiohttp.ClientError):
            await post(server, ASKED)


def test_texts_that_share_words_are_near_each_other() -> None:
    def near(one: str, other: str) -> float:
        return sum(a * b for a, b in zip(of_words(one, 256), of_words(other, 256), strict=True))

    assert near("I like tea", "I like green tea") > 0.8 > near("I like tea", "bees swarm")
    assert near("", "") == 1.0


def test_by_hand_it_tells_settings_and_helps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["voyage", "--help"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "prints its address and a key" in capsys.readouterr().out
    assert read({"VOYAGE_BASE_URL": "http://127.0.0.1:1/v1", "VOYAGE_API_KEY": "pa-1"}, {}).voyage_api_key == "pa-1"
