"""`dnam run` on a disk that takes nothing, without keys, and behind another program: whom it answers all the same, and
where it does not begin.

A memory that can be read and not written is answered from. Without its keys nothing is known of anybody, also not who
opted out: then the bot ends, and says why.
"""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dnam.cli.chatting import _engine
from dnam.cli.failures import COULD_NOT
from dnam.cli.shell import Shell
from dnam.memory import Memory
from dnam.opening import UNRECORDED, Waiting
from dnam.regaining import REGAINED
from projections.events import MessageHeard, TurnAnswered, TurnDelivered
from replay.engine import Engine
from replay.errors import Busy
from tests.dnam.discord.stage import events, garden, shown
from tests.dnam.discord.test_running import ASKED, environment, patient, started, the_same_modules, there, told
from tests.dnam.scripted import FakeClock
from tests.loopback.discord import World, running
from tests.replay.mounting import CANNOT_MOUNT, unshare_or_skip

__all__ = ["patient", "the_same_modules"]
DISKS = {
    "read-only": 'mount --bind "$DNAM_DATA" "$DNAM_DATA" && mount -o remount,ro,bind "$DNAM_DATA"',
    "full": 'cp -a "$DNAM_DATA" "$DNAM_DATA.kept" && mount -t tmpfs -o size=4m none "$DNAM_DATA"'
    ' && cp -a "$DNAM_DATA.kept/." "$DNAM_DATA/"',
}
"""How the disk becomes so, for the bot alone."""
FILLED = '{ dd if=/dev/zero of="$DNAM_DATA/filler" bs=4096 2>/dev/null || true; }'


MENDED = '{ while [ ! -e "$DNAM_DATA.mended" ]; do sleep 0.1; done; mount -o remount,rw,bind "$DNAM_DATA"; } &'


@asynccontextmanager
async def on_disk(
    how: str, env: dict[str, str], folder: Path, then: str = ""
) -> AsyncIterator[asyncio.subprocess.Process]:
    """`dnam run` on such a disk; `then` goes on beside it."""
    made = DISKS[how] + (f" && {FILLED}" if how == "full" else "")
    script = f'{{ {made}; }} || exit {CANNOT_MOUNT}; {then} exec "$@"'
    command = [unshare_or_skip(), "-m", "sh", "-c", script, "sh", sys.executable, "-m", "dnam", "run"]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, env=env, cwd=folder, stdout=pipe, stderr=pipe)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def is_there(world: World, process: asyncio.subprocess.Process) -> bool:
    """Whether it is connected; False where its disk could not be made."""
    ended = asyncio.create_task(process.wait())
    ended.add_done_callback(lambda _: world.changed())
    await world.until(lambda: world.gateway.connected or ended.done(), "the bot to connect or to end")
    if ended.done() and process.returncode == CANNOT_MOUNT:
        return False
    await there(world, process)
    return True


async def a_memory(data: Path) -> None:
    async with Memory.open(data, clock=FakeClock()) as memory:
        await memory.heard("7", "hello")


@pytest.mark.parametrize("lock", ["there", "never made"])
@pytest.mark.parametrize("how", DISKS)
async def test_a_disk_that_takes_nothing_keeps_no_bot_from_answering(tmp_path: Path, how: str, lock: str) -> None:
    async with garden() as (world, here):
        data = tmp_path / "data"
        env = environment(world, here, data)
        if lock == "there":
            async with started(env, tmp_path) as process:
                await there(world, process)
                process.send_signal(signal.SIGTERM)
                await process.communicate()
        else:
            await a_memory(data)
        async with on_disk(how, env, tmp_path) as process:
            if not await is_there(world, process):
                pytest.skip("nothing can be mounted here")
            await here.kim.says(here.general, ASKED, mention=world.bot)
            await world.until(lambda: shown(world, here.general), "an answer")
            process.send_signal(signal.SIGTERM)
            _, err = await process.communicate()
        assert (process.returncode, b"Traceback" in err) == (0, False), err.decode()
        assert b"cannot be recorded, and waits" in err
        assert (UNRECORDED.partition(":")[0].encode() in err) == (how == "read-only")
        assert (b"there is no lock in" in err) == (
            (how, lock) == ("read-only", "never made")
        )  # a full one may name files


async def test_once_the_disk_can_be_written_to_what_was_said_is_recorded_in_order(tmp_path: Path) -> None:
    async with garden() as (world, here):
        data = tmp_path / "data"
        await a_memory(data)
        async with on_disk("read-only", environment(world, here, data), tmp_path, MENDED) as process:
            if not await is_there(world, process):
                pytest.skip("nothing can be mounted here")
            await here.kim.says(here.general, ASKED, mention=world.bot)
            await world.until(lambda: len(shown(world, here.general)) == 1, "an answer")
            await here.kim.says(here.general, "and tulips?", mention=world.bot)
            await world.until(lambda: len(shown(world, here.general)) == 2, "another answer")
            (tmp_path / "data.mended").touch()
            assert process.stderr is not None
            said = [line async for line in lines_until(process.stderr, b"what waited to be recorded is recorded")]
            assert any(REGAINED.encode() in line for line in said)
            process.send_signal(signal.SIGTERM)
            _, err = await process.communicate()
        assert (process.returncode, b"Traceback" in err) == (0, False), err.decode()
        async with Memory.open(data, writable=False) as memory:
            kinds = (MessageHeard, TurnAnswered, TurnDelivered)
            recorded = events(memory, *kinds)
            assert [type(each) for each in recorded] == [MessageHeard, *kinds, *kinds]


async def lines_until(stream: asyncio.StreamReader, last: bytes) -> AsyncIterator[bytes]:
    """What it says until it says that."""
    while line := await stream.readline():
        yield line
        if last in line:
            return


async def test_without_its_keys_it_ends_before_it_connects_and_says_so(tmp_path: Path) -> None:
    async with garden() as (world, here):
        data = tmp_path / "data"
        await a_memory(data)
        (data / "keys").rename(tmp_path / "keys")
        async with started(environment(world, here, data), tmp_path) as process:
            _, err = await process.communicate()
        assert process.returncode == COULD_NOT
        assert b"key ring" in err
        assert b"Traceback" not in err
        assert not world.gateway.connected


def test_it_waits_for_who_holds_the_log_for_as_long_as_that_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chat gives up after a minute: somebody sits in front of it."""
    said = list[str]()
    held = ["held", "held"]
    really = Engine.open

    def opens(*given: object, **named: object) -> Engine:
        if held:
            raise Busy(held.pop())
        return really(*given, **named)  # type: ignore[arg-type]  # handed on as they are

    monkeypatch.setattr(Engine, "open", opens)
    shell = Shell(str(tmp_path / "data"), as_json=False)
    _engine(shell, Waiting(said.append), said.append, stays=True).close()
    assert said == ["held", "held"]
    held.append("held")
    with pytest.raises(Busy):
        _engine(shell, Waiting(said.append), said.append, stays=False)
    held.append("held")
    over = Waiting(said.append)
    over.end()
    with pytest.raises(Busy):
        _engine(shell, over, said.append, stays=True)


async def test_somebody_else_s_bot_answers_from_a_memory_that_it_can_only_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from dnam.adapters.discord.cog import MemoryCog
    from replay.errors import ReadOnly
    from tests.dnam.discord.test_running import theirs

    await a_memory(tmp_path / "data")
    really = Engine.open

    def opens(*given: object, writable: bool = True, **named: object) -> Engine:
        if writable:
            raise ReadOnly("the file system is read-only")
        return really(*given, writable=False, **(named | {"create": False}))  # type: ignore[arg-type]  # handed on

    monkeypatch.setattr(Engine, "open", opens)
    async with garden() as (world, here):
        told(monkeypatch, tmp_path, here)
        bot = theirs(tmp_path)
        async with running(bot, world):
            await bot.wait_until_ready()
            cog = bot.get_cog("Memory")
            assert isinstance(cog, MemoryCog)
            await here.kim.says(here.general, ASKED, mention=world.bot)
            await world.until(lambda: shown(world, here.general), "an answer")
    assert "nothing can be recorded: the file system is read-only" in caplog.text
