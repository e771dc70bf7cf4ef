"""`dnam run` as its operator starts it: a process of its own, with nothing but its environment."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from dnam.unwritten import WAITS, WRITTEN

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 240
"""No process needs so long to end: a guard against hanging, not a measure."""
TAIL_CHARS = 4_000
READ_BYTES = 65_536


class Ran(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str


def dnam(*words: str) -> list[str]:
    """The command line of a `dnam` command."""
    return [sys.executable, "-m", "dnam", *words]


def bare() -> dict[str, str]:
    """An environment with nothing of this machine's own."""
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}


async def ran(command: list[str], env: Mapping[str, str], folder: Path) -> Ran:
    """Run a command to its end."""
    pipe, both = asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT
    process = await asyncio.create_subprocess_exec(*command, env=env, cwd=folder, stdout=pipe, stderr=both)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            out, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    assert process.returncode is not None
    return Ran(process.returncode, out.decode(errors="replace"))


class Bot:
    """One life of the bot. What it writes goes to the end of a file; `changed` is called when it wrote, and ended."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path, changed: Callable[[], None]) -> None:
        self._process = process
        self._log = log
        self._begins = log.stat().st_size if log.exists() else 0
        self._changed = changed
        self.expected = False
        """Whether its end was asked for."""
        self._watch = asyncio.create_task(self._watched())

    @classmethod
    async def started(
        cls, env: Mapping[str, str], folder: Path, changed: Callable[[], None], command: list[str] | None = None
    ) -> "Bot":
        """Begin a life."""
        process = await asyncio.create_subprocess_exec(
            *(command or dnam("run")),
            env=env,
            cwd=folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        return cls(process, folder / "bot.log", changed)

    def kill(self) -> None:
        """SIGKILL: it does nothing more, from now on."""
        self.expected = True
        self._process.kill()

    def end(self) -> None:
        """SIGTERM: it is asked to end."""
        self.expected = True
        self._process.send_signal(signal.SIGTERM)

    async def ended(self) -> int:
        """Until it has ended, and with which code."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await asyncio.shield(self._watch)

    async def stopped(self) -> None:
        """Killed, unless it has ended."""
        if not self._watch.done():
            self.kill()
        await self.ended()

    def check(self) -> None:
        """Raises when it ended by itself."""
        assert self.expected or not self._watch.done(), f"the bot ended by itself:\n{self.log[-TAIL_CHARS:]}"

    @property
    def log(self) -> str:
        """What all its lives wrote."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def waits(self) -> bool:
        """Whether something waits to be recorded, by what this life wrote: killed now, it would lose that, lawfully."""
        own = self._log.read_bytes()[self._begins :] if self._log.exists() else b""
        return own.rfind(WAITS.encode()) > own.rfind(WRITTEN.encode())

    async def _watched(self) -> int:
        assert self._process.stdout is not None
        with self._log.open("ab", buffering=0) as log:
            while written := await self._process.stdout.read(READ_BYTES):
                log.write(written)
                self._changed()
        code = await self._process.wait()
        asyncio.get_running_loop().call_soon(self._changed)  # when this has ended
        return code
