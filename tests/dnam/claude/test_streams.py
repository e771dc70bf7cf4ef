"""A stream as it is read: everything that comes shows that the service lives, and only words are heard."""

import asyncio
import gc
import re
from collections.abc import Callable
from types import AsyncGeneratorType
from typing import Any

import pytest
from anthropic import AsyncAnthropic

from dnam.adapters.anthropic import streams
from dnam.adapters.anthropic.faults import CutStream
from dnam.adapters.anthropic.growing import Growing
from dnam.adapters.anthropic.streams import Course, read
from dnam.model import Hear, unheard
from tests.loopback.messages import Call, Cuts, Fails, Garbles, Reply, Says, Stays, serving

ASKED: dict[str, Any] = {
    "model": "claude-haiku-4-5",
    "max_tokens": 100,
    "stream": True,
    "messages": [{"role": "user", "content": "hello"}],
}


async def heard_of(reply: Reply, after: Callable[[], None] = lambda: None) -> list[str]:
    """What was heard of a reply: `.` for every sign of life, else the text so far. `after` is done once it was read."""
    told: list[str] = []
    async with (
        serving(lambda _: reply) as server,
        AsyncAnthropic(api_key=server.key, base_url=server.url, max_retries=0) as client,
        await client.messages.create(**ASKED) as stream,
    ):
        await read(stream.response, Course(told.append, lambda: told.append("."), []), Growing())
        after()
    return told


async def test_thoughts_are_signs_of_life_and_no_words() -> None:
    told = await heard_of(Says("Tea, yes.", thinks="hm", piece=5))
    words = [each for each in told if each != "."]
    assert words == ["Tea, ", "Tea, yes."]
    assert told.index("Tea, ") >= 5  # message_start, and a block of thoughts: start, two deltas, stop


async def test_a_stream_that_ends_too_early_is_cut() -> None:
    with pytest.raises(CutStream):
        await heard_of(Cuts("Tea", how="body"))


class Left:
    """The generators of the SDK, and of what it reads with, that have not ended since it began to watch."""

    def __init__(self) -> None:
        self._before = self._suspended()

    def __call__(self) -> list[str]:
        known = set(map(id, self._before))
        return [each.__qualname__ for each in self._suspended() if id(each) not in known]

    @staticmethod
    def _suspended() -> list[AsyncGeneratorType[Any, Any]]:
        alive = [each for each in gc.get_objects() if isinstance(each, AsyncGeneratorType)]
        of_sdk = [each for each in alive if re.search("anthropic|httpx|httpcore", each.ag_code.co_filename)]
        return [each for each in of_sdk if each.ag_frame is not None]


def broken(_: str) -> None:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("reply", "hear"),
    [
        (Says("Tea, yes.", thinks="hm", piece=5), unheard),
        (Says("Tea, yes.", piece=5), broken),
        (Says("Tea", calls=(Call("search", '{"query": "tea"}'),)), unheard),
        (Cuts("Tea", "body", (Call("search", '{"query": "tea"}'),)), unheard),
        (Cuts("Tea"), unheard),
        (Cuts("Tea", how="body"), unheard),
        (Cuts("Tea", how="error"), unheard),
        (Garbles("event: message_stop\ndata: {"), unheard),
        (Garbles('event: message_stop\ndata: {"type": "message_stop"}\n\n'), unheard),
        (Garbles('event: message_start\ndata: {"type": "message_start", "message": 7}\n\n'), unheard),
        (Garbles('event: error\ndata: {"type": "error"}\n\nevent: ping\ndata: {}\n\n'), unheard),
        (Fails(529), unheard),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
async def test_however_it_ends_nothing_of_it_is_left(reply: Reply, hear: Hear) -> None:
    left = Left()
    async with (
        serving(lambda _: reply) as server,
        AsyncAnthropic(api_key=server.key, base_url=server.url, max_retries=0) as client,
    ):
        try:
            async with await client.messages.create(**ASKED) as stream:
                await read(stream.response, Course(hear, lambda: None, []), Growing())
        except Exception as error:  # noqa: BLE001 - whatever it is, it is kept here, and with it its frames
            kept = error
            # What nothing holds any more is closed by the event loop itself, with its next turns.
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert left() == [], kept
        assert left() == []


async def test_a_call_that_is_no_json_leaves_nothing_either() -> None:
    left = Left()
    await heard_of(Says("Tea", calls=(Call("search", '{"query": tea}'),)))
    await asyncio.sleep(0)  # what nothing holds any more is closed by the event loop, with its next turns
    await asyncio.sleep(0)
    assert left() == []


async def test_who_gives_up_leaves_nothing_of_it() -> None:
    left = Left()
    begun, let_go = asyncio.Event(), asyncio.Event()
    async with (
        serving(lambda _: Stays("Tea", let_go)) as server,
        AsyncAnthropic(api_key=server.key, base_url=server.url, max_retries=0) as client,
    ):

        async def ask() -> None:
            async with await client.messages.create(**ASKED) as stream:
                await read(stream.response, Course(lambda _: begun.set(), lambda: None, []), Growing())

        asking = asyncio.create_task(ask())
        await begun.wait()
        asking.cancel()
        await asyncio.wait({asking})
        assert asking.cancelled()
        assert left() == []
        let_go.set()


async def test_a_server_that_keeps_the_line_open_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "END_SECONDS", 0.0)
    left, let_go = Left(), asyncio.Event()
    told = await heard_of(Stays("Tea, yes.", let_go, whole=True), let_go.set)
    assert told[-1] == "."
    assert "Tea, yes." in told
    assert left() == []
