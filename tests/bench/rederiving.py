"""Deriving anew: five conversations against the Messages API on loopback, in a process of its own, which begins to
reply after 200 ms; and the replies that were recorded, decided from anew.

LOCOMO names LoCoMo's file, whose first five conversations are taken; without it, as much is said by invented people.
What is at most possible is calls × latency ÷ how many calls are under way at once. The interpreter's pauses are kept
short, as `dnam rederive` keeps them. Overhead is a processor's time of ours, the SDK's part of it included.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import NamedTuple

from dnam.adapters.anthropic.claude import Access, Claude
from dnam.assistant import Assistant
from dnam.importers.locomo import LoCoMo
from dnam.importers.source import Arrival, Options
from dnam.importing.importer import Importer
from dnam.learning.learner import Learner
from dnam.memory import Memory
from dnam.model import Ask, Hear, Model, Reply, unheard
from dnam.rederiving.rederivation import rederiving
from dnam.settings import read
from dnam.shadows.manifest import Asked, Manifest
from dnam.steadiness import with_short_pauses
from projections.decisions.place import PlaceSeen
from projections.ids import Ref
from replay.clock import SystemClock
from tests.bench.bench import Bench
from tests.bench.measure import Goal, Row, Spread
from tests.bench.talk import FIRST_SAID, STEP_MS, texts

LATENCY_MS = 200
AT_ONCE = 8
"""How many calls are under way at once: fewer than there are people and sessions, of which there are fifteen."""
CONVERSATIONS, TURNS = 5, 600
HAIKU = "claude-haiku-4-5"
EVERY, LINES = 10, 20
SETTINGS = read(
    {
        "DNAM_LEARN": "heard",
        "DNAM_ENCODER": "none",
        "DNAM_DURABLE_EVERY_N_TURNS": str(EVERY),
        "DNAM_SUMMARY_EVERY_N_TURNS": str(LINES),
    },
    {},
)
NOTES = 2
"""How many notes a recorded reply has."""


class Took(NamedTuple):
    """A derivation: its manifest and its runs, and the seconds that it took, of the wall and of a processor."""

    manifest: Manifest
    runs: int
    wall: float
    cpu: float


class Noting:
    """A model without a remote end, which notes the first words of some lines, and summarises by how much was said."""

    name, version, paid = "noting", "1", False

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        lines = getattr(ask.inputs, "lines", ())
        text = f"They talked about the garden and the fence, {len(lines)} lines of it."
        if ask.purpose != "summary":
            notes = [
                {"kind": "fact", "text": line.text[:80], "evidence": [{"quote": line.text[:40], "message": line.id}]}
                for line in lines[:NOTES]
            ]
            text = json.dumps({"upserts": notes, "deprecations": [], "merged_summary": ""})
        return Reply(text, self.name, self.version)


def rederive(bench: Bench) -> Iterator[Row]:
    """Every row."""
    folder = bench.folder("rederive")
    bench.say("holding five conversations, and learning from them")
    asyncio.run(_hold(folder, TURNS // 5 if bench.quick else TURNS))
    yield from _asked(bench, folder)
    yield from _decided(bench, folder)


def _asked(bench: Bench, folder: Path) -> Iterator[Row]:
    with _api() as (url, key):
        bench.say("deriving them anew, each call 200 ms")
        took = [asyncio.run(_asking(folder, f"asked-{number}", url, key)) for number in range(1 if bench.quick else 3)]
    calls = took[0].manifest.calls
    best = calls * LATENCY_MS / 1000 / AT_ONCE
    what = f"rederive, {calls} calls of {LATENCY_MS} ms, {AT_ONCE} at once"
    yield Row(
        f"{what}: wall ÷ least possible", "×", Spread.of([each.wall / best for each in took]), goal=Goal("≤", 1.3)
    )
    own = [(each.wall - best) * 1000 / calls for each in took]
    yield Row(f"{what}: overhead a call", "ms", Spread.of(own), goal=Goal("≤", 5), note="wall above the least possible")
    cpu = [each.cpu * 1000 / calls for each in took]
    yield Row(f"{what}: processor a call", "ms", Spread.of(cpu), note="the SDK's streaming included")


def _decided(bench: Bench, folder: Path) -> Iterator[Row]:
    bench.say("deciding anew from the recorded replies")
    asked = Asked(Noting.name, Noting.name, "extraction@4", "summary@2", "apart@1")
    took = [asyncio.run(_derive(folder, f"decided-{n}", Noting(), asked)) for n in range(min(bench.rounds, 5))]
    if any(each.manifest.calls for each in took):
        raise RuntimeError("a recorded reply was asked for")
    rates = [each.runs / each.wall for each in took]
    note = f"{median(each.runs / each.cpu for each in took):,.0f} per second of a processor; log, keys and rows on disk"
    yield Row(f"re-deciding {took[0].runs} recorded replies", "/s", Spread.of(rates), goal=Goal("≥", 5000), note=note)


async def _asking(folder: Path, name: str, url: str, key: str) -> Took:
    model = Claude(Access(key, url))
    await model.prepare()
    try:
        return await _derive(folder, name, model, Asked(HAIKU, HAIKU, "extraction@4", "summary@2", "apart@1"))
    finally:
        await model.close()


async def _derive(folder: Path, name: str, model: Model, asked: Asked) -> Took:
    async with rederiving(folder, SETTINGS, model, Manifest(name, asked, SystemClock().now(), "", "")) as derivation:
        with with_short_pauses():
            runs, wall, cpu = len(derivation.runs()), perf_counter(), process_time()
            manifest = await derivation.run(lambda *_: None, at_once=AT_ONCE)
            return Took(manifest, runs, perf_counter() - wall, process_time() - cpu)


@contextmanager
def _api() -> Iterator[tuple[str, str]]:
    """The address and the key of an API in another process."""
    command = [sys.executable, "-m", "tests.loopback.messages", "--latency", str(LATENCY_MS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url, key = (process.stdout.readline().strip().partition("=")[2] for _ in range(2))
        try:
            yield url, key
        finally:
            process.kill()


# -- what there is to derive from ----------------------------------------------------------------------------------


async def _hold(folder: Path, turns: int) -> None:
    async with Memory.open(folder, settings=SETTINGS) as memory:
        path = os.environ.get("LOCOMO")
        if path:
            await Importer(memory).bring(_some_of(folder.parent, Path(path)), lambda _: None)
        else:
            await _say(memory, turns)
        assistant = Assistant(memory, Noting())
        learned = await Learner(assistant).learn(lambda *_: None)
        if learned.errors:
            raise RuntimeError(f"learning failed: {learned.errors[0]}")


def _some_of(scratch: Path, path: Path) -> Iterator[Arrival]:
    """The first five of LoCoMo's conversations."""
    some = scratch / "locomo-5.json"
    some.write_text(json.dumps(json.loads(path.read_text())[:CONVERSATIONS]))
    return LoCoMo(some).read(Options(audience="guild"))


async def _say(memory: Memory, turns: int) -> None:
    said = texts()
    for number in range(turns * CONVERSATIONS):
        at, turn = divmod(number, turns)
        guild = Ref("discord", f"90000000000000000{at}")
        place = PlaceSeen("discord", f"9{at}", "channel", f"talk {at}", "guild", guild=guild, guild_name=f"Talk {at}")
        who, when = f"8{at}{turn % 2}", FIRST_SAID + number * STEP_MS
        text = said[number * 31 % len(said)]
        await memory.heard(who, text, name=f"N{who}", platform="discord", place=place, key=f"7{number}", said=when)
