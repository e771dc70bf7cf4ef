"""`dnam learn` with Claude: asked for with its price, done, and on the bill."""

import asyncio
from pathlib import Path

import pytest

from dnam.memory import Memory
from tests.dnam.cli.memories import dnam
from tests.dnam.scripted import FakeClock
from tests.loopback.messages import serving


async def test_learning_is_agreed_to_done_and_on_the_bill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with Memory.open("data", clock=FakeClock()) as memory:
        await memory.heard("kim", "I prefer tea over coffee.")
    async with serving() as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", server.key)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        asked = await asyncio.to_thread(dnam, "learn", "--data", "data")
        assert asked.code == 2
        assert "2 calls of a paid model" in asked.err
        assert "it may cost $0.00" in asked.err
        assert server.requests == []
        learned = await asyncio.to_thread(dnam, "learn", "--data", "data", "--yes")
        assert (learned.code, learned.err) == (0, "")
        assert learned.out.startswith("Learned: 1 event about items from 1 extraction; summaries refreshed 1 times.")
        assert [request.schema is None for request in server.requests] == [False, True]
    assert dnam("costs", "--data", "data", "--json").value["total"]["calls"] == 2
