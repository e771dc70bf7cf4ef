"""An edit, and a redaction by hand, of what is said again more often than one decision has room for."""

from pathlib import Path

import pytest

from dnam import Memory
from dnam.assistant import Assistant
from dnam.redacting import redact, the_message, what_goes
from projections.decisions import said_again
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.ids import Ref
from projections.turns import TURNS
from replay.reading import Reader
from tests.dnam.scripted import ScriptedModel

GENERAL = PlaceSeen("discord", "7", "channel", "general", "guild", guild=Ref("discord", "9"), guild_name="Garden")
ADA = Account("discord", "1", "Ada")
WORDS = "my grandmother grows roses in the cellar"
NOW = 1_700_000_000_000
ANSWERS = 7


async def asked(memory: Memory) -> None:
    """A message, its summary, and answers that say it again."""
    assistant = Assistant(
        memory,
        ScriptedModel({"summary": lambda ask: f"Ada: {WORDS}", "answer": lambda ask: f"You know: {WORDS}"}),
    )
    heard = await memory.hear(HeardRequest("m1", GENERAL, "person", ADA, WORDS, NOW, ()))
    assert await assistant.summarise(heard.session, heard.setting.audience, heard.person)
    for n in range(ANSWERS):
        await assistant.answer(
            await memory.heard("2", f"and today, {n}?", place=GENERAL, platform="discord", key=f"q{n}")
        )
    assert len(await left(memory)) == ANSWERS


async def left(memory: Memory) -> list[str]:
    return await memory.look(lambda rows: [found.row.text for found in rows.scan(TURNS)])


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(said_again, "MOST_AT_ONCE", 3)


async def test_an_edit_is_heard_and_all_that_said_the_old_words_is_gone(tmp_path: Path) -> None:
    async with Memory.open(tmp_path) as memory:
        await asked(memory)
        edit = HeardRequest("m1", GENERAL, "person", ADA, "never mind", NOW, (), edited=NOW + 5)
        heard = await memory.hear(edit)
        assert heard.text == "never mind"
        assert await left(memory) == []


async def test_a_redaction_by_hand_takes_as_much_as_it_said_it_would(tmp_path: Path) -> None:
    async with Memory.open(tmp_path) as memory:
        await asked(memory)
        reader = Reader(memory.engine.live)
        meant = await memory.look(lambda rows: the_message(rows, reader, "discord:m1"))
        taken = await memory.look(lambda rows: what_goes(rows, meant, memory.now()))
        assert await redact(memory, meant.event) == len(taken.bodies) > ANSWERS
        assert await left(memory) == []
        assert await redact(memory, meant.event) == 0
