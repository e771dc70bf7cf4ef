"""Being told to end: whoever sends SIGTERM or SIGHUP is told what Ctrl-C tells, and what there was is there still."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dnam.cli.rederiving_words import waiting_words
from dnam.shadows.manifest import load
from replay.history import seq_key
from tests.dnam.cli.memories import ROOT, Ran, bytes_of, dnam, ended, process
from tests.dnam.cli.test_rederiving import CAREFUL, SAMPLE
from tests.hanging import HANGS
from tests.loopback.messages import Server as Claude
from tests.loopback.messages import serving
from tests.replay.keeping import damage

SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
signalled = pytest.mark.parametrize(("sent", "code"), SIGNALS, ids=lambda each: str(each))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "elsewhere"


def broken_off(commit: str, sent: signal.Signals, *arguments: str | Path, at: int = 1) -> Ran:
    """Run a command that gets this signal in front of a commit."""
    code = f"from tests.kills.interrupted import interrupted; interrupted({commit!r}, {at}, {int(sent)})"
    return ended(process(*arguments, code=code))


def told(words: str) -> str:
    return f"dnam: broken off: {words}\ndnam: interrupted\n"


@signalled
def test_a_replay(data: Path, sent: signal.Signals, code: int) -> None:
    before = bytes_of(data)
    ran = broken_off("views", sent, "replay", "--data", data)
    assert ran == (code, "", told("nothing is lost, and the log is as it was: `dnam replay` begins anew"))
    assert bytes_of(data) == before


@signalled
def test_a_first_backup_and_a_later_one(data: Path, place: Path, sent: signal.Signals, code: int) -> None:
    command = ("backup", place, "--data", data)
    none = f"dnam: what lies in {place} is no backup: nothing can be restored from it. Remove it, or try again there\n"
    assert broken_off("backup", sent, *command) == (code, "", f"{none}dnam: interrupted\n")
    assert dnam(*command).code == 0
    assert dnam("remember", "Kim", "plays the harp", "--data", data).code == 0
    whole = told(f"the backup in {place} is whole, and the same command brings it up to date")
    assert broken_off("backup", sent, *command) == (code, "", whole)
    assert dnam("restore-backup", place, "--check", "--data", data).code == 0
    assert "1 of them new" in dnam(*command).out


@signalled
def test_a_repair_and_a_restore(data: Path, place: Path, sent: signal.Signals, code: int) -> None:
    assert dnam("backup", place, "--data", data).code == 0
    shown = dnam("show", "Kim", "--data", data).out
    damage(data, b"bodies", seq_key(7))
    repair = ("repair", "--from", place, "--yes", "--data", data)
    ran = broken_off("repair", sent, *repair)
    half = "nothing is repaired by halves: run the same command again, which looks at what is still to be done"
    assert (ran.code, ran.out, ran.err.endswith(told(half))) == (code, "", True), ran
    assert dnam("verify", "--data", data).code == 1
    assert dnam(*repair).code == 0
    restore = ("restore-backup", place, "--yes", "--data", data)
    ran = broken_off("restore", sent, *restore)
    either = "either the log that was there is in force still, or all of the restored one: run the same again"
    assert (ran.code, ran.out, ran.err.endswith(told(either))) == (code, "", True), ran
    assert dnam("show", "Kim", "--data", data).out == shown
    assert dnam(*restore).code == 0


@signalled
def test_a_derivation(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    data = tmp_path / "data"
    assert dnam("import", SAMPLE, "--audience", "guild", "--assistant", "dnam", "--data", data).code == 0
    command = ("rederive", "--name", "careful", "--model", CAREFUL, "--data", data)
    ran = broken_off("log", sent, *command, at=3)
    goes_on = f"what was made stays, and `dnam rederive --name careful --data {data}` goes on"
    assert (ran.code, ran.out, ran.err.endswith(told(goes_on))) == (code, "", True), ran
    assert load(data, "careful").state != "complete"
    assert dnam("rederive", "--name", "careful", "--data", data).code == 0
    assert load(data, "careful").state == "complete"


# -- calls that are paid for -----------------------------------------------------------------------------------------

WAITING = (
    "dnam: breaking off behind what is under way, 3 calls, since that is paid for already. Ctrl-C again gives it up: "
    "it is paid for once more when this goes on"
)


@pytest.fixture
async def claude() -> AsyncIterator[Claude]:
    async with serving() as server:
        yield server


class Deriving:
    """A derivation in a process of its own, by Claude on loopback, three calls at once."""

    def __init__(self, data: Path, claude: Claude) -> None:
        self.data = data
        self._claude = claude
        self._process: asyncio.subprocess.Process | None = None

    async def begin(self, calls: int) -> None:
        """Run it until so many calls are under way."""
        heard = asyncio.Event()
        asked = len(self._claude.requests)
        self._claude.heard = lambda _: heard.set() if len(self._claude.requests) == asked + calls else None
        command = ["-m", "dnam", "rederive", "--name", "next", "--model", "haiku", "--parallel", "3", "--yes"]
        key = {"ANTHROPIC_API_KEY": self._claude.key, "ANTHROPIC_BASE_URL": self._claude.url}
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, *command, "--data", str(self.data), cwd=ROOT, env={**os.environ, **key},
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        async with asyncio.timeout(HANGS):
            await heard.wait()

    async def told_to_end(self, sent: signal.Signals) -> str:
        """What it says next of breaking off."""
        assert self._process is not None
        assert self._process.stderr is not None
        self._process.send_signal(sent)
        async with asyncio.timeout(HANGS):
            async for line in self._process.stderr:
                if b"break" in line or b"broken" in line:
                    return line.decode().strip()
        return ""

    async def ended(self) -> int:
        """How it ends."""
        assert self._process is not None
        async with asyncio.timeout(HANGS):
            await self._process.communicate()
        assert self._process.returncode is not None
        return self._process.returncode

    async def killed(self) -> None:
        """Whatever became of it."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.communicate()


@pytest.fixture
async def deriving(tmp_path: Path, claude: Claude) -> AsyncIterator[Deriving]:
    data = tmp_path / "data"
    imported = "import", SAMPLE, "--audience", "guild", "--assistant", "dnam", "--learn", "--data", data
    assert (await asyncio.to_thread(dnam, *imported)).code == 0
    made = Deriving(data, claude)
    yield made
    await made.killed()


@pytest.mark.parametrize(("sent", "code"), SIGNALS[:2])
async def test_what_is_paid_for_already_is_waited_for_and_that_is_told_at_once(
    deriving: Deriving, claude: Claude, sent: signal.Signals, code: int
) -> None:
    claude.gate.clear()
    await deriving.begin(3)
    assert await deriving.told_to_end(sent) == WAITING
    claude.gate.set()
    assert (await deriving.ended(), len(claude.requests)) == (code, 3)
    await deriving.begin(1)
    assert await deriving.ended() == 0
    assert len({each.prompt for each in claude.requests}) == len(claude.requests) > 10


def test_one_that_costs_nothing_is_waited_for_too() -> None:
    assert waiting_words(1, is_paid=False) == (
        "breaking off behind what is under way, 1 call. Ctrl-C again gives that up"
    )


async def test_who_says_so_twice_does_not_wait_for_it(deriving: Deriving, claude: Claude) -> None:
    claude.gate.clear()
    await deriving.begin(3)
    assert await deriving.told_to_end(signal.SIGINT) == WAITING
    goes_on = f"`dnam rederive --name next --data {deriving.data}` goes on"
    assert await deriving.told_to_end(signal.SIGINT) == f"dnam: broken off: what was made stays, and {goes_on}"
    assert await deriving.ended() == 130
