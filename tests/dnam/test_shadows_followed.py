"""What is taken back while a memory is open leaves its shadows at once; what goes wrong with that is told and tried
again.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dnam.memory import Memory
from dnam.redacting import redact
from dnam.rederiving.compacting import OneCompacted
from dnam.shadows import followed as following
from dnam.shadows.followed import ShadowsFollowed
from projections.errors import BadRequest
from projections.messages import MESSAGES
from replay.engine import Engine
from replay.shadows.shadow import shadow_engine
from tests.dnam.rederiving.test_rederiving import OTHER, told
from tests.dnam.rederiving.village import Village, derive, reader
from tests.dnam.scripted import FakeClock


async def talked(there: Village) -> None:
    for what in ("tea", "rain"):
        await there.say("kim", f"I like {what}")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    told(tmp_path, talked)
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    return tmp_path


def said_in_shadow(data: Path) -> list[str]:
    with shadow_engine(data, "next") as shadow, shadow.reading() as rows:
        return [found.row.message.text for found in rows.scan(MESSAGES)]


@asynccontextmanager
async def opened(data: Path) -> AsyncIterator[Memory]:
    async with Memory.open(data, clock=FakeClock()) as memory:
        yield memory


async def take_back(memory: Memory) -> None:
    """The first message."""
    event = await memory.look(lambda rows: next(rows.scan(MESSAGES)).row.event)
    await redact(memory, event)


async def test_it_is_followed_while_the_memory_is_open(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    followed, loop, follow = asyncio.Event(), asyncio.get_running_loop(), following._followed

    def noticed(engine: Engine) -> tuple[OneCompacted, ...]:
        done = follow(engine)
        loop.call_soon_threadsafe(followed.set)
        return done

    monkeypatch.setattr(following, "PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(following, "_followed", noticed)
    async with opened(data) as memory:
        await take_back(memory)
        async with asyncio.timeout(30):
            await followed.wait()
    assert said_in_shadow(data) == ["I like rain"]


async def test_and_when_it_is_closed(data: Path) -> None:
    async with opened(data) as memory:
        await take_back(memory)
    assert said_in_shadow(data) == ["I like rain"]


async def test_what_goes_wrong_is_told_once_and_tried_again_later(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told_of: list[str] = []
    async with opened(data) as memory:
        followed = ShadowsFollowed(memory.engine, told_of.append)
        calls: list[int] = []

        def fails(_: object) -> tuple[OneCompacted, ...]:
            calls.append(1)
            return OneCompacted("next", trouble="the disk is full"), OneCompacted("fine", 3)

        with monkeypatch.context() as wrong:
            wrong.setattr(following, "_followed", fails)
            followed.step()
            assert calls == []  # nothing was redacted
            await take_back(memory)
            followed.step()
            followed.step()  # too early
            assert len(calls) == 1
            followed.step(last=True)
            assert len(calls) == 2
            wrong.setattr(following, "RETRY_SECONDS", 0.0)
            followed.step()
            assert len(calls) == 3
        assert told_of == ["what was taken back is not yet out of the shadow next: the disk is full"]
        monkeypatch.setattr(following, "RETRY_SECONDS", 0.0)
        followed.step()
    assert said_in_shadow(data) == ["I like rain"]
    assert len(told_of) == 1


async def test_what_keeps_it_from_looking_is_told(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told_of: list[str] = []

    def refused(_: object) -> list[str]:
        raise BadRequest("shadows is a file")

    async with opened(data) as memory:
        followed = ShadowsFollowed(memory.engine, told_of.append)
        await take_back(memory)
        with monkeypatch.context() as wrong:
            wrong.setattr(following, "shadows_in", refused)
            followed.step()
    assert told_of == ["what was taken back is not yet out of the shadows: shadows is a file"]
