"""A memory with extractions, merges, summaries and people who decide, and models that read it in different words."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from dnam.assistant import Assistant
from dnam.memory import Memory
from dnam.model import Ask, ExtractionInputs, MergeInputs, Model, SummaryInputs
from dnam.rederiving.rederivation import rederiving
from dnam.shadows.manifest import Asked, Manifest, exists, load
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events.values import Audience
from projections.ids import Handle, Ref
from projections.items import ITEMS
from projections.summaries import SUMMARIES
from replay.engine import Engine
from replay.shadows.shadow import shadow_engine
from tests.dnam.scripted import FakeClock, Script, ScriptedModel, settings
from tests.world import NOW

GARDEN = Ref("discord", "9")
GENERAL = PlaceSeen("discord", "1", "channel", "general", "guild", guild=GARDEN, guild_name="Garden")
STAFF = PlaceSeen("discord", "2", "channel", "staff", "channel", guild=GARDEN, guild_name="Garden")
SETTINGS = settings(durable_every_n_turns="2", summary_every_n_turns="3", learn="heard", extraction_idle_minutes="0")
ASKED = Asked("scripted", "scripted", "extraction@4", "summary@2", "closeness@2")


def reader(verb: str = "likes", about: str = "person", name: str = "scripted", version: str = "1") -> ScriptedModel:
    """A model that notes every "I like X" as "<verb> X", sums up what was said, and takes the newer of two."""

    def extract(ask: Ask) -> str:
        assert isinstance(ask.inputs, ExtractionInputs)
        liked = [(line, line.text.partition("I like ")[2].rstrip(".")) for line in ask.inputs.lines]
        upserts = [
            {
                "kind": "preference",
                "text": f"{verb} {what}",
                "tags": [],
                "about": about,
                "evidence": [{"quote": f"I like {what}", "message": line.id}],
            }
            for line, what in liked
            if what
        ]
        return json.dumps({"upserts": upserts, "deprecations": []})

    def summarise(ask: Ask) -> str:
        assert isinstance(ask.inputs, SummaryInputs)
        said = " ".join(line.text for line in ask.inputs.lines if not line.assistant)
        return f"{ask.inputs.previous} They {verb}: {said}"[-400:].strip()

    def merge(ask: Ask) -> str:
        assert isinstance(ask.inputs, MergeInputs)
        return json.dumps({"merged_summary": ask.inputs.new.summary, "merged_dialogue": "", "confidence": 0.9})

    scripts: dict[str, Script] = {"extraction": extract, "summary": summarise, "merge": merge}
    return ScriptedModel(scripts, name, version)


class Village:
    """A live memory under a folder, and what happens in it."""

    def __init__(self, memory: Memory, model: ScriptedModel) -> None:
        self.memory = memory
        self.assistant = Assistant(memory, model)
        self.said = NOW

    async def say(self, who: str, text: str, place: PlaceSeen = GENERAL) -> str:
        """Somebody says something; the key of the message."""
        self.said += 60_000
        key = f"m{self.said}"
        await self.memory.heard(who, text, name=who.title(), platform="discord", place=place, key=key, said=self.said)
        return key

    async def edit(self, who: str, key: str, said: int, text: str, place: PlaceSeen = GENERAL) -> None:
        """They change what they said at `said`, now."""
        self.said += 60_000
        account = Account("discord", who, who.title())
        request = HeardRequest(key, place, "person", account, text, said, (), addressed=True, edited=self.said)
        await self.memory.hear(request)

    async def learn(self, who: str) -> None:
        """Learn from somebody now."""
        await self.assistant.extract(await self.handle(who))

    async def summarise(self, place: PlaceSeen = GENERAL) -> None:
        """Refresh a channel's summary now."""
        audience = Audience("guild" if place is GENERAL else "channel", Ref("discord", place.key))
        await self.assistant.summarise(f"discord:channel:{place.key}", audience, await self.handle("kim"))

    async def handle(self, who: str) -> Handle:
        """Who somebody is."""
        return await self.memory.person(who, platform="discord")


@asynccontextmanager
async def village(path: Path, model: ScriptedModel | None = None) -> AsyncIterator[Village]:
    """A live memory, open."""
    async with Memory.open(path, settings=SETTINGS, clock=FakeClock()) as memory:
        yield Village(memory, model or reader())


async def talk(there: Village) -> None:
    """Kim and Ada like things, are learned from, and decide."""
    await there.say("kim", "I like green tea")
    await there.say("ada", "I like rain")
    await there.learn("kim")
    await there.say("kim", "I like long walks", STAFF)
    await there.say("kim", "I like green tea with milk")
    await there.learn("kim")
    await there.learn("ada")
    await there.summarise()
    kim = await there.handle("kim")
    await there.memory.remember(kim, "builds the bridge project")
    await there.memory.forget(kim, "likes long walks")
    await there.say("ada", "I like snow")
    await there.say("kim", "I like long walks by the river", STAFF)
    await there.learn("ada")
    await there.learn("kim")
    await there.summarise()


async def derive(path: Path, model: Model, name: str = "next", asked: Asked = ASKED, **more: Any) -> Manifest:
    """Derive the memory in a folder anew."""
    manifest = load(path, name) if exists(path, name) else Manifest(name, asked, NOW, "", "")
    async with rederiving(path, SETTINGS, model, manifest, FakeClock()) as derivation:
        return await derivation.run(lambda *_: None, **more)


def memories(engine: Engine) -> dict[str, Any]:
    """What a memory holds of items and summaries, but for the ids of events and when they were recorded."""
    with engine.reading() as rows:
        items = {
            (found.row.item.owner.hex(), found.row.item.compartment, found.row.item.id): found.row.item
            for found in rows.scan(ITEMS)
        }
        summaries = {found.key: (found.row.text, found.row.upto, found.row.refresh) for found in rows.scan(SUMMARIES)}
    return {"items": items, "summaries": summaries}


def both(path: Path, name: str = "next") -> tuple[dict[str, Any], dict[str, Any]]:
    """What the live memory holds, and what the shadow does."""
    with Engine.open(path, writable=False) as live, shadow_engine(path, name, beside=live) as shadow:
        return memories(live), memories(shadow)
