"""`dnam run` as a process, and the extension in a bot of somebody else's."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import discord
import pytest
from discord.ext import commands
from discord.http import Route

from dnam.adapters.discord.bot import BAD_TOKEN, NO_INTENTS, CannotConnect, at, run
from dnam.adapters.discord.cog import NO_CONTENT, MemoryCog
from dnam.assistant import Assistant
from dnam.memory import Memory
from dnam.settings import read as settings_from
from projections.events import MessageHeard, TurnAnswered, TurnDelivered
from tests.dnam.cli.memories import ROOT
from tests.dnam.discord.stage import READY_SECONDS, Garden, events, garden, shown
from tests.dnam.scripted import FakeClock, ScriptedModel
from tests.loopback.discord import Intent, World, running

ASKED = "do you know roses?"


def environment(world: World, here: Garden, data: Path, **more: str) -> dict[str, str]:
    """What the process finds: nothing of this machine's own."""
    return {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DNAM_DATA": str(data), "DISCORD_TOKEN": world.token,
        "DISCORD_API_URL": world.api_url, "DNAM_ALLOW_GUILDS": str(here.guild.id),
        "PYTHONWARNINGS": "ignore", **more,
    }  # fmt: skip


@asynccontextmanager
async def started(env: dict[str, str], folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """`dnam run`, until it ends by itself or is told to."""
    pipe = asyncio.subprocess.PIPE
    command = [sys.executable, "-m", "dnam", "run"]
    process = await asyncio.create_subprocess_exec(*command, env=env, cwd=folder, stdout=pipe, stderr=pipe)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_it_answers_alone_ends_cleanly_on_sigterm_and_goes_on_after_a_kill(tmp_path: Path) -> None:
    async with garden() as (world, here):
        env = environment(world, here, tmp_path / "data")
        async with started(env, tmp_path) as process:
            await there(world, process)
            await here.kim.says(here.general, ASKED, mention=world.bot)
            await world.until(lambda: shown(world, here.general), "an answer")
            await is_refused_a_second_time(env, tmp_path, world)
            process.send_signal(signal.SIGTERM)
            _, err = await process.communicate()
            assert (process.returncode, b"Traceback" in err) == (0, False), err.decode()
        async with started(env, tmp_path) as process:
            await there(world, process)
            sending = world.slow("POST", f"/channels/{here.general.id}/messages")
            await here.kim.says(here.general, ASKED, mention=world.bot)
            await world.until(lambda: sending.met, "the answer to be on its way")
            process.kill()
            await process.communicate()
        assert len(shown(world, here.general)) == 1
        async with started(env, tmp_path):
            await world.until(lambda: len(shown(world, here.general)) == 2, "the answer to be sent after all")


async def there(world: World, process: asyncio.subprocess.Process) -> None:
    """Until it is connected; what it says where it ends instead."""
    ended = asyncio.create_task(process.wait())
    ended.add_done_callback(lambda _: world.changed())
    await world.until(lambda: world.gateway.connected or ended.done(), "the bot to connect or to end")
    assert not ended.done(), (await process.communicate())[1].decode()
    ended.cancel()
    await world.ready()


async def is_refused_a_second_time(env: dict[str, str], folder: Path, world: World) -> None:
    """Another bot on the same token and folder ends at once, and says why."""
    async with started(env, folder) as second:
        _, err = await second.communicate()
        assert second.returncode == 3
        assert b"a bot with this token already runs on" in err
        assert world.token.encode() not in err


@pytest.mark.parametrize(("wrong", "words"), [("token", BAD_TOKEN), ("intents", NO_INTENTS)])
async def test_what_it_cannot_do_it_says_with_what_to_do(tmp_path: Path, wrong: str, words: str) -> None:
    async with garden() as (world, _):
        if wrong == "intents":
            world.application.enabled = Intent(0)
        told = settings_from({"DISCORD_API_URL": world.api_url}, {})
        async with Memory.open(tmp_path, settings=told, clock=FakeClock()) as memory:
            with pytest.raises(CannotConnect) as refused, at(world.api_url):
                await run(Assistant(memory, ScriptedModel()), "not.the.token" if wrong == "token" else world.token)
        assert str(refused.value) == words


async def test_where_nothing_is_it_says_that_it_cannot_be_reached(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        with pytest.raises(CannotConnect, match="Discord cannot be reached"), at("http://127.0.0.1:1/api/v10"):
            await run(Assistant(memory, ScriptedModel()), "any.token.at-all")
    assert Route.BASE.startswith("https://discord.com/")


# -- somebody else's bot ---------------------------------------------------------------------------------------------


class Theirs(commands.Bot):
    """The bot of the README: all it does for its memory is to load an extension."""

    def __init__(self, content: bool = True) -> None:
        intents = discord.Intents.default()
        intents.message_content = content
        super().__init__("?", intents=intents, guild_ready_timeout=READY_SECONDS)
        self.add_command(commands.command("ping")(_ping))

    async def setup_hook(self) -> None:
        await self.load_extension("dnam.adapters.discord")


async def _ping(context: commands.Context[commands.Bot]) -> None:
    await context.send("pong")


def told(monkeypatch: pytest.MonkeyPatch, folder: Path, here: Garden) -> None:
    monkeypatch.chdir(folder)
    for name in [each for each in os.environ if each.startswith(("DNAM_", "DISCORD_", "ANTHROPIC_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DNAM_ALLOW_GUILDS", str(here.guild.id))


async def test_any_bot_has_memory_by_one_extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with garden() as (world, here):
        told(monkeypatch, tmp_path, here)
        bot = Theirs()
        async with running(bot, world):
            await bot.wait_until_ready()
            cog = bot.get_cog("Memory")
            assert isinstance(cog, MemoryCog)
            await here.kim.says(here.general, ASKED, mention=world.bot)
            await world.until(lambda: shown(world, here.general), "an answer")
            await here.kim.says(here.general, "?ping")
            await world.until(lambda: len(shown(world, here.general)) == 2, "their own command's reply")
            await world.gateway.flushed()
            await cog.desk.sessions.settle()
            kinds = [type(each) for each in events(cog.desk.memory, MessageHeard, TurnAnswered, TurnDelivered)]
            assert kinds == [MessageHeard, TurnAnswered, TurnDelivered, MessageHeard, MessageHeard]
        assert shown(world, here.general)[1] == "pong"
        assert (tmp_path / "data").is_dir()


async def test_without_the_content_intent_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with garden() as (world, here):
        told(monkeypatch, tmp_path, here)
        bot = Theirs(content=False)
        async with running(bot, world):
            await bot.wait_until_ready()
            await world.gateway.flushed()
        assert NO_CONTENT in caplog.text
