"""A memory that could be opened for reading alone begins to record by itself."""

from pathlib import Path

import pytest

from dnam.assistant import Assistant
from dnam.conversation import Conversation, Spot
from dnam.memory import Memory
from dnam.regaining import REGAINED, regaining
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.messages import MESSAGES
from replay.engine import Engine
from replay.errors import LogFull, ReadOnly
from tests.dnam.scripted import FakeClock, ScriptedModel, talking

ADA = Account("local", "ada", "Ada")
DIRECT = PlaceSeen("local", "", "direct", "", "direct", partner=ADA)


async def now(_: float) -> None:
    """A pause that is over at once."""


async def test_what_waited_is_recorded_in_order_and_what_is_in_the_way_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(tmp_path, ScriptedModel()):
        pass
    failures: list[Exception] = [ReadOnly("read-only"), ReadOnly("read-only"), LogFull("full"), LogFull("full")]
    really, told = Engine.begin_writing, list[str]()

    def begins(engine: Engine) -> None:
        if failures:
            raise failures.pop(0)
        really(engine)

    monkeypatch.setattr(Engine, "begin_writing", begins)
    async with Memory.open(tmp_path, writable=False, clock=FakeClock()) as memory:
        talk = Conversation(Assistant(memory, ScriptedModel()), Spot(ADA, DIRECT))
        for text in ("one", "two"):
            exchange = await talk.hear(text)
            await talk.think(exchange)
            await talk.delivered(exchange)
        assert (len(talk.unwritten), str(talk.unwritten)) == (6, "2 messages, 2 answers")
        async with regaining(memory, told.append, now):
            await memory.writes.wait()
        assert await talk.unwritten.again()
        assert told == ["nothing can be recorded yet: full", REGAINED]
        with memory.engine.reading() as rows:
            assert [each.row.message.text for each in rows.scan(MESSAGES)] == ["one", "two"]
        async with regaining(memory, told.append, now):
            assert len(told) == 2


async def test_where_that_never_comes_it_ends_with_the_program(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel()):
        pass
    async with Memory.open(tmp_path, writable=False) as memory, regaining(memory, pytest.fail):
        assert not memory.writes.is_set()
