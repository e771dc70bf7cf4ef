"""A stream as it is read: everything that comes shows that the service lives, and only words are heard."""

from typing import Any

import pytest
from anthropic import AsyncAnthropic

from dnam.adapters.anthropic.faults import CutStream
from dnam.adapters.anthropic.streams import Course, read
from tests.loopback.messages import Cuts, Reply, Says, serving

ASKED: dict[str, Any] = {
    "model": "claude-haiku-4-5",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "hello"}],
}


async def heard_of(reply: Reply) -> list[str]:
    """What was heard of a reply: `.` for every sign of life, else the text so far."""
    told: list[str] = []
    async with (
        serving(lambda _: reply) as server,
        AsyncAnthropic(api_key=server.key, base_url=server.url, max_retries=0) as client,
        client.messages.stream(**ASKED) as stream,
    ):
        await read(stream, Course(told.append, lambda: told.append("."), []))
    return told


async def test_thoughts_are_signs_of_life_and_no_words() -> None:
    told = await heard_of(Says("Tea, yes.", thinks="hm", piece=5))
    words = [each for each in told if each != "."]
    assert words == ["Tea, ", "Tea, yes."]
    assert told.index("Tea, ") >= 5  # message_start, and a block of thoughts: start, two deltas, stop


async def test_a_stream_that_ends_too_early_is_cut() -> None:
    with pytest.raises(CutStream):
        await heard_of(Cuts("Tea", how="body"))
