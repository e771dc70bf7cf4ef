"""`dnam rederive --encoder E` alone: what vectors may take is told and asked first, and what they took is told last."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dnam.cli import screen
from tests.dnam.cli.memories import ROOT, Ran, dnam
from tests.loopback.voyage import Encodes, Fails, Server, serving

WHOLE = "voyage-3.5/1024"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with texts, and no vectors."""
    path = tmp_path_factory.mktemp("told") / "data"
    sample = ROOT / "data" / "samples" / "garden-club.json"
    ran = dnam("import", sample, "--audience", "guild", "--assistant", "dnam", "--learn", "--data", path)
    assert ran.code == 0, ran.err
    return path


@pytest.fixture
def data(told: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(told, tmp_path / "data"))


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    """Voyage on loopback, and its key in the environment."""
    async with serving(lambda _: Encodes()) as there:
        monkeypatch.setenv("VOYAGE_API_KEY", there.key)
        monkeypatch.setenv("VOYAGE_BASE_URL", there.url)
        yield there


async def encode(data: Path, *more: str, encoder: str = "voyage-3.5") -> Ran:
    return await asyncio.to_thread(dnam, "rederive", "--encoder", encoder, *more, "--data", data)


def texts(server: Server) -> list[str]:
    return [text for each in server.requests for text in each.texts]


async def costs(data: Path) -> tuple[int, int]:
    """What the memory was billed for vectors: tokens, and millionths of a dollar."""
    ran = await asyncio.to_thread(dnam, "log", "--json", "--data", data)
    found = [each["event"]["call"] for each in ran.values if each["tag"] == "texts.encoded"]
    return sum(each["tokens_in"] for each in found), sum(each["cost_micros"] for each in found)


async def test_what_it_may_take_is_told_and_asked_before_anything_is_sent(data: Path, server: Server) -> None:
    ran = await encode(data)
    assert (ran.code, server.requests) == (2, [])
    assert re.search(rf"[0-9]+ texts without a vector by {WHOLE}: about [0-9,]+ tokens, about \$0\.00", ran.err)
    assert "Go on? There is no terminal to answer in: pass --yes to go on" in ran.err


async def test_a_no_leaves_everything_as_it_is(data: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "can_be_asked", lambda: True)
    monkeypatch.setattr(screen, "answer_to", lambda _: "n")
    ran = await encode(data, "--json")
    assert (ran.code, ran.value, server.requests) == (
        0,
        {"done": None, "why": "nothing was asked, and nothing was changed"},
        [],
    )


async def test_what_it_took_is_told_at_the_end_as_it_is_on_the_bill(data: Path, server: Server) -> None:
    ran = await encode(data, "--yes", "--json")
    sent = texts(server)
    tokens, micros = await costs(data)
    assert micros > 0
    assert ran.value == {"encoder": WHOLE, "texts": len(sent), "tokens": tokens, "cost_micros": micros}
    assert re.search(rf"{len(sent)} texts without a vector by {WHOLE}", ran.err)  # and no other number was told first
    again = await encode(data)
    assert (again.code, len(texts(server))) == (0, len(sent))
    assert f"0 texts without a vector by {WHOLE}: it costs nothing." in again.err
    assert f"Everything has a vector by {WHOLE}. That took 0 texts, 0 tokens, $0.0000." in again.out


async def test_a_ceiling_is_never_passed_and_gone_on_from(data: Path, server: Server) -> None:
    ran = await encode(data, "--yes", "--json", "--max-cost", "0.00002")
    assert ran.code == 3
    assert "the next call may cost more than is left of $0.00002 (--max-cost)" in ran.err
    assert "until then: vectors that were made stay, and the same command goes on" in ran.err
    tokens, micros = await costs(data)
    assert 0 < micros <= 20
    assert (ran.value["tokens"], ran.value["cost_micros"]) == (tokens, micros)
    assert ran.value["error"]["message"].endswith("(--max-cost)")
    first = texts(server)
    ran = await encode(data, "--yes", "--max-cost", "1")
    assert (ran.code, f"Everything has a vector by {WHOLE}" in ran.out) == (0, True)
    every = texts(server)
    assert len(set(every)) == len(every) > len(first) > 0


async def test_a_ceiling_that_is_below_the_first_text_sends_nothing(data: Path, server: Server) -> None:
    ran = await encode(data, "--yes", "--max-cost", "0.000001")
    assert (ran.code, server.requests) == (3, [])


async def test_where_the_price_is_not_known_no_ceiling_holds(data: Path, server: Server) -> None:
    ran = await encode(data, "--yes", "--max-cost", "1", encoder="voyage-law-2")
    assert (ran.code, server.requests) == (2, [])
    assert "the price of voyage-law-2 is not in the table of" in ran.err
    ran = await encode(data, "--yes", encoder="voyage-law-2")
    assert (ran.code, "what it costs is not known" in ran.err) == (0, True)
    assert re.search(r"That took [0-9]+ texts, [0-9,]+ tokens, cost not known", ran.out)


async def test_how_far_it_is_is_told_with_the_cost(data: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnam.cli.progress.SECONDS_BETWEEN_LINES", 0)
    ran = await encode(data, "--yes")
    lines = re.findall(r"making vectors: ([0-9]+) of ([0-9]+) texts, (\$[0-9.]+) so far", ran.err)
    assert [each[0] for each in lines] == sorted((each[0] for each in lines), key=int)
    assert lines[-1][0] == lines[-1][1] == str(len(texts(server)))


async def test_what_was_paid_until_it_failed_is_told(data: Path, server: Server) -> None:
    def script(_: Any) -> Any:
        return Encodes() if len(server.requests) < 2 else Fails(401, "no such key")

    server.script = script
    ran = await encode(data, "--yes", "--json", "--max-cost", "0.00005")
    assert ran.code == 3
    assert (ran.value["encoder"], ran.value["cost_micros"]) == (WHOLE, (await costs(data))[1])
    assert ran.value["texts"] > 0
