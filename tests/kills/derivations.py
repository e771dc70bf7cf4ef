"""Derivations in processes of their own, one after the other, against a Messages API in this one.

async with derivations(folder, server) as there:
    ended = await there.run("next", Doom("reply", 3))     # it dies behind the third reply, or ends before
    there.recorded("next")                                # what it has on the disk: digests of what was asked
"""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from dnam.prompts import digest
from projections.events import SummaryAnswered
from projections.events.work import WorkEvent
from replay.engine import Engine
from replay.shadows.shadow import shadow_engine, shadows_in
from replay.units import tagged
from tests.dnam.rederiving.crowd import ENVIRONMENT
from tests.dnam.rederiving.village import memories
from tests.loopback.messages import Request, Server

EARLY = frozenset(("extraction.replied", "merge.replied"))
"""The tags of replies that were not decided from."""
DECIDED = frozenset(("extraction.answered", "extraction.failed", "merge.answered", "merge.failed", "summary.answered"))
"""The tags of what else holds a reply."""


class Doom(NamedTuple):
    """When a run dies: "ask", before the n-th call is answered; "reply", behind the n-th reply; "step", in front of or
    behind one of its writes; "cpu", when it has used n ms of a processor; "none".
    """

    kind: str = "none"
    number: int = 0


class Life(NamedTuple):
    """One run: how it ended, how many writes' sides it had, how long it took of a processor (seconds), what was asked
    meanwhile, and the most calls that were under way at once. `answered` is how long before its end (seconds, at the
    most) the last byte of a reply had been sent.
    """

    status: int
    steps: int
    cpu: float
    asked: Sequence[bytes]
    most_at_once: int
    answered: Mapping[bytes, float]
    told: str

    @property
    def was_killed(self) -> bool:
        return self.status < 0


class Derivations:
    """Runs of `dnam rederive` on one memory."""

    def __init__(self, data: Path, server: Server, runner: asyncio.subprocess.Process) -> None:
        self._data = data
        self._server = server
        self._runner = runner
        self._pid: int | None = None
        self._doom = Doom()
        self._sent_at: dict[bytes, float] = {}
        self.prompts: dict[bytes, str] = {}
        """What was asked, by its digest."""
        self._under_way: set[int] = set()
        self._most = 0
        self._script, server.script = server.script, self._asked
        server.heard, server.sent = self._heard, self._sent

    async def ready(self) -> "Derivations":
        """Wait until the program is loaded."""
        await self._told()
        return self

    async def run(self, name: str, doom: Doom = Doom(), *options: str) -> Life:  # noqa: B008 - a value
        """Derive into the shadow of this name; it goes on where it was broken off."""
        await self.begin(name, doom, *options)
        return await self.ended()

    async def begin(self, name: str, doom: Doom, *options: str) -> int:
        """The same without waiting for its end: its process."""
        argv = ["rederive", "--name", name, "--model", "claude-haiku-4-5", "--yes", "--data", str(self._data), *options]
        key = {"ANTHROPIC_API_KEY": self._server.key, "ANTHROPIC_BASE_URL": self._server.url}
        self._doom, self._most = doom, 0
        self._under_way.clear()
        self._sent_at.clear()
        self._server.requests.clear()
        order = {"argv": argv, "env": {**ENVIRONMENT, **key}, "folder": str(self._data.parent), "doom": doom}
        assert self._runner.stdin is not None
        self._runner.stdin.write(json.dumps(order).encode() + b"\n")
        pid: int = (await self._told())["pid"]
        self._pid = pid
        return pid

    async def ended(self) -> Life:
        """Wait for the end of the run."""
        told = await self._told()
        now, self._pid = time.monotonic(), None
        prompts = [(_digest(each), each.prompt) for each in self._server.requests]
        self.prompts.update(prompts)
        said = (self._data.parent / "out").read_text() + (self._data.parent / "err").read_text()
        asked, answered = [each for each, _ in prompts], {each: now - at for each, at in self._sent_at.items()}
        return Life(told["status"], told["steps"], told["cpu"], asked, self._most, answered, said)

    async def _told(self) -> dict[str, Any]:
        assert self._runner.stdout is not None
        line = await self._runner.stdout.readline()
        told: dict[str, Any] = json.loads(line)
        return told

    def _heard(self, request: Request) -> None:
        self._under_way.add(id(request))
        self._most = max(self._most, len(self._under_way))

    def _asked(self, request: Request) -> Any:
        if self._doom.kind == "ask" and len(self._server.requests) >= self._doom.number:
            self._kill()
        return self._script(request)

    def _sent(self, request: Request) -> None:
        if id(request) not in self._under_way:
            return  # it is of a run that died before
        self._under_way.remove(id(request))
        self._sent_at[_digest(request)] = time.monotonic()
        if self._doom.kind == "reply" and len(self._sent_at) >= self._doom.number:
            self._kill()

    def _kill(self) -> None:
        """It is not reaped before its end was told, so the process is still this one."""
        if self._pid is not None:
            os.kill(self._pid, signal.SIGKILL)

    # -- what is on the disk ----------------------------------------------------------------------------------------

    def recorded(self, name: str) -> frozenset[bytes]:
        """The digests of the asks whose reply a shadow has."""
        return self._asked_in(name, DECIDED | EARLY)

    def waiting(self, name: str) -> frozenset[bytes]:
        """Those of them that were not decided from yet."""
        return self._asked_in(name, EARLY) - self._asked_in(name, DECIDED)

    def _asked_in(self, name: str, tags: Collection[str]) -> frozenset[bytes]:
        if name not in shadows_in(self._data):
            return frozenset()
        with shadow_engine(self._data, name) as shadow:
            events = [event for _, event in tagged(shadow, tags, shadow.head().size)]
        replies = [event for event in events if isinstance(event, WorkEvent | SummaryAnswered)]
        assert len(replies) == len(events)
        return frozenset(each.call.prompt_digest for each in replies)

    def memory(self, name: str) -> dict[str, Any]:
        """What a shadow holds of items and summaries."""
        with shadow_engine(self._data, name) as shadow:
            return memories(shadow)

    def live(self) -> dict[str, Any]:
        """What the live memory does."""
        with Engine.open(self._data, writable=False) as live:
            return memories(live)


def _digest(request: Request) -> bytes:
    return digest(request.system, request.prompt)


@asynccontextmanager
async def derivations(data: Path, server: Server) -> AsyncIterator[Derivations]:
    """The runner of derivations, as long as the `async with` lasts."""
    pipe = asyncio.subprocess.PIPE
    runner = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.kills.runs", server.url, server.key, stdin=pipe, stdout=pipe
    )
    try:
        yield await Derivations(data, server, runner).ready()
    finally:
        with suppress(ProcessLookupError):
            runner.kill()
        await runner.wait()
