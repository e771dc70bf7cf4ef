"""A small memory on disk, and `dnam` run on it in this process or in one of its own."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple
from unittest.mock import patch

from typer.main import get_command
from typer.testing import CliRunner

from dnam.assistant import Assistant
from dnam.cli import app
from dnam.memory import Memory
from projections.decisions.place import PlaceSeen
from projections.events.values import Audience
from projections.ids import Ref
from projections.policies.compartments import Setting
from tests.dnam.scripted import FakeClock, ScriptedModel
from tests.hanging import HANGS
from tests.world import NOW

ROOT = Path(__file__).parents[3]
GARDEN = Ref("discord", "9")
GENERAL = PlaceSeen("discord", "1", "channel", "general", "guild", guild=GARDEN, guild_name="Garden")
STAFF = PlaceSeen("discord", "2", "channel", "staff", "channel", guild=GARDEN, guild_name="Garden")
TALKS = [PlaceSeen("discord", key, "channel", "talk", "channel") for key in ("5", "6")]
SUMMARY = "They compared teas.\nKim brings the pot."


class Ran(NamedTuple):
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        """The one JSON value it printed."""
        return json.loads(self.out)

    @property
    def values(self) -> list[Any]:
        """The JSON lines it printed."""
        return [json.loads(line) for line in self.out.splitlines()]


_built = cache(get_command)


def dnam(*arguments: str | Path, given: str = "") -> Ran:
    """Run the command line in this process; its commands are built once, not with every call."""
    with patch("typer.testing._get_command", _built):
        result = CliRunner().invoke(app, [str(each) for each in arguments], input=given, prog_name="dnam")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def process(
    *arguments: str | Path,
    code: str = "from dnam.__main__ import main; main()",
    stdout: int | IO[bytes] = subprocess.PIPE,
    stdin: int | IO[bytes] | None = None,
) -> "subprocess.Popen[bytes]":
    """Start it in a process of its own; `code` may prepare something first."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "DNAM_TIMEZONE": "UTC"}
    return subprocess.Popen(command, env=environment, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE)


def ended(started: "subprocess.Popen[bytes]") -> Ran:
    """Wait for it."""
    out, err = started.communicate(timeout=HANGS)
    return Ran(started.returncode, out.decode(), err.decode())


def make(path: Path, *actions: Callable[[Memory], Awaitable[object]]) -> None:
    """Do something to a memory, which is made when it is not there."""

    async def acting() -> None:
        async with Memory.open(path, clock=FakeClock()) as memory:
            for action in actions:
                await action(memory)

    asyncio.run(acting())


async def garden(memory: Memory) -> None:
    """Kim, formerly Kimberly; Ada; two Sams; four channels and a DM; items, a summary and a turn."""
    talk: Sequence[tuple[str, str, PlaceSeen, str]] = (
        ("100", "Kimberly", GENERAL, "good morning"),
        ("100", "Kim", GENERAL, "I prefer tea"),
        ("200", "Ada", STAFF, "the gate is broken"),
        ("300", "Sam", TALKS[0], "hello"),
        ("400", "Sam", TALKS[1], "hello"),
    )
    for number, (user, name, place, text) in enumerate(talk):
        said = NOW + number * 60_000
        await memory.heard(user, text, name=name, platform="discord", place=place, key=f"m{number}", said=said)
    await _turn(memory)
    await _items(memory)
    kim = await memory.person("100", platform="discord")
    assistant = Assistant(memory, ScriptedModel({"summary": lambda _: SUMMARY}))
    assert await assistant.summarise("discord:channel:1", Audience("guild", Ref("discord", "1")), kim)


async def _turn(memory: Memory) -> None:
    heard = await memory.heard("100", "which tea?", name="Kim", platform="discord", key="d1", said=NOW + 600_000)
    turn = await memory.answered(heard, await memory.context(heard), "Green tea.")
    await memory.delivered(heard, turn, [Ref("discord", "d2")])


async def _items(memory: Memory) -> None:
    kim = await memory.person("100", platform="discord")
    in_general = Setting(kim, Audience("guild", Ref("discord", "1")), GARDEN)
    await memory.remember(kim, "prefers tea over coffee")
    await memory.remember(kim, "builds the bridge project", setting=in_general)
    await memory.remember(kim, "hates rain")
    await memory.forget(kim, "hates rain")


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file but LMDB's lock tables, in which readers leave their marks."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "lock.mdb")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
