"""Where the items of a person come from: two hundred lives with everything they rest on, in a large log."""

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from dnam.assistant import Assistant
from dnam.memory import Memory
from dnam.model import Ask
from dnam.provenance import LifeWords, Narrator
from projections.ids import Handle
from replay.audit import audit as audited
from replay.engine import Engine
from replay.reading import Reader
from tests.bench.bench import Bench
from tests.bench.measure import Goal, Row, Spread, seconds
from tests.bench.talk import texts
from tests.dnam.scripted import ScriptedModel

ITEMS = 200
AT_ONCE = 20
"""How many messages an extraction reads; each becomes an item, which is then edited."""
MOST_MS = 100
USER = "auditor"


def audit(bench: Bench) -> Iterator[Row]:
    """`dnam audit` inside the process, in words and without printing: history, events, quotes, word by word."""
    folder = bench.folder("audit")
    shutil.copytree(bench.log_of(bench.sizes[1]), folder)
    bench.say(f"teaching {ITEMS} items of one person")
    person = asyncio.run(_teach(folder))
    with Engine.open(folder, writable=False) as engine:
        lives = _audit(engine, person)
        steps = sum(len(life.steps) for life in lives)
        if len(lives) != ITEMS or any(step.messages == () for life in lives for step in life.steps[:1]):
            raise RuntimeError(f"{len(lives)} items were told of instead of {ITEMS} with what they rest on")
        took = [1000 * seconds(lambda: _audit(engine, person)) for _ in range(max(7, bench.rounds))]
        note = f"{steps} steps; each item was learned from a message and edited"
        what = f"audit of {ITEMS} items, {engine.head().size:,} events"
    yield Row(what, "ms", Spread.of(took), goal=Goal("≤", MOST_MS), note=note)


def _audit(engine: Engine, person: Handle) -> list[LifeWords]:
    with engine.reading() as rows:
        narrator = Narrator(rows, "dnam")
        return [narrator.life(each) for each in audited(rows, Reader(engine.live), person)]


async def _teach(folder: Path) -> Handle:
    sentences = texts()
    async with Memory.open(folder) as memory:
        assistant = Assistant(memory, ScriptedModel({"extraction": _reply}))
        person = await memory.person(USER, make=True)
        for number in range(ITEMS):
            await memory.heard(USER, f"{number} {sentences[number]}")
            if number % AT_ONCE == AT_ONCE - 1:
                await assistant.extract(person)
        for item in await memory.show(person):
            await memory.edit(person, item.id, f"{item.text} At least on Sundays.")
        return person


def _reply(ask: Ask) -> str:
    """An item for each message, with its words as evidence."""
    lines = json.loads(ask.prompt)["lines"]
    return json.dumps(
        {
            "upserts": [
                {
                    "kind": "fact",
                    "text": f"They said number {each['text']}",
                    "evidence": [{"quote": each["text"][:60], "message": each["id"]}],
                }
                for each in lines
            ]
        }
    )
