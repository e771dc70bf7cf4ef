"""`dnam` as its users run it, with Claude on loopback: a chat, what it learned, and what it cost."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.dnam.cli.memories import ROOT, dnam
from tests.loopback.messages import Server, serving

MAIN = "from dnam import unwritten; unwritten.SLOW_SECONDS = 600; from dnam.__main__ import main; main()"


async def ran(server: Server, data: Path, *arguments: str, given: str, **more: str) -> tuple[int, str, str]:
    """Run `dnam` in a process of its own: its exit code, and what it printed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", "-c", MAIN, *arguments, "--data", str(data),
        env={
            "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "DNAM_TIMEZONE": "UTC",
            "ANTHROPIC_API_KEY": server.key, "ANTHROPIC_BASE_URL": server.url, **more,
        },
        cwd=data.parent, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate(given.encode())
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def test_a_chat_with_claude_from_the_first_word_to_the_bill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "data"
    often = {"DNAM_SUMMARY_EVERY_N_TURNS": "1", "DNAM_DURABLE_EVERY_N_TURNS": "1"}
    async with serving() as server:
        given = "I prefer tea over coffee\nwhat do I prefer, tea?\n"
        code, out, err = await ran(server, data, "chat", "--as", "Kim", given=given, **often)
        assert (code, err, server.refused) == (0, "", [])
        assert out.startswith("dnam: ")
        calls = len(server.requests)
    known = dnam("show", "Kim", "--data", data, "--json").value
    assert [item["text"] for item in known["items"]] == ["User prefers tea over coffee."]
    bill = dnam("costs", "--by", "model", "--data", data, "--json").value
    assert {line["name"].rsplit("-", 2)[0] for line in bill["lines"]} == {"claude-haiku", "claude-sonnet"}
    assert bill["total"]["calls"] == calls
    assert bill["total"]["cost_micros"] > 0
