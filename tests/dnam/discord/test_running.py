"""`dnam run` as a process, and the extension in a bot of somebody else's."""

import asyncio
import json
import os
import runpy
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from unittest.mock import patch

import aiohttp
import discord
import pytest
from discord.app_commands import ContextMenu
from discord.ext import commands
from discord.http import Route

from dnam.adapters.discord import extension
from dnam.adapters.discord.bot import BAD_TOKEN, NO_INTENTS, CannotConnect, DnamBot, NotLetIn, at, run
from dnam.adapters.discord.cog import NO_CONTENT, MemoryCog
from dnam.adapters.discord.ui import MemoryMenus
from dnam.assistant import Assistant
from dnam.cli.failures import COULD_NOT, WRONG_USE, Ending, failures
from dnam.commands.table import MENUS
from dnam.memory import Memory
from dnam.models import UNASKED
from dnam.settings import read as settings_from
from projections.events import MessageHeard, TurnAnswered, TurnDelivered
from tests.dnam.cli.memories import ROOT
from tests.dnam.discord.stage import READY_SECONDS, Garden, events, for_ever, garden, shown
from tests.dnam.scripted import FakeClock, ScriptedModel, settings
from tests.loopback.discord import Intent, World, running, state
from tests.loopback.discord.commands import Command
from tests.test_readme import blocks

ASKED = "do you know roses?"
ELSEWHERE = "127.0.0.2"
"""This machine too, where no other test listens."""
PROCESS_SECONDS = 240.0
"""A guard: as long as a process may take to start where the machine does much else. It says that it is there by
connecting, that it cannot by ending, and either is seen at once.
"""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are waited for as long as it takes."""
    monkeypatch.setattr(state, "PATIENCE_SECONDS", PROCESS_SECONDS)


def environment(world: World, here: Garden, data: Path, **more: str) -> dict[str, str]:
    """What the process finds: nothing of this machine's own."""
    return {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DNAM_DATA": str(data), "DISCORD_TOKEN": world.token,
        "DISCORD_API_URL": world.api_url, "DNAM_ALLOW_GUILDS": str(here.guild.id),
        "PYTHONWARNINGS": "ignore", "XDG_RUNTIME_DIR": str(data.parent), **more,
    }  # fmt: skip


@pytest.fixture(autouse=True)
def the_same_modules() -> Iterator[None]:
    """discord.py forgets the modules of an extension that it unloads, and makes them anew: other tests hold these."""
    held = {name: module for name, module in sys.modules.items() if name.startswith("dnam.adapters.discord")}
    yield
    sys.modules.update(held)


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


@pytest.fixture
def port() -> Iterator[int]:
    """A port that nobody has at ELSEWHERE: nobody asks for one there, and here it is taken meanwhile."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield int(taken.getsockname()[1])


async def tells_of_itself(port: int) -> None:
    """On the port that it was told: that it is ready, and what it did."""
    async with aiohttp.ClientSession(f"http://{ELSEWHERE}:{port}") as session:
        async with session.get("/healthz") as response:
            assert (response.status, (await response.json())["ready"]) == (200, True)
        async with session.get("/metrics") as response:
            assert 'dnam_turns_total{outcome="answered"} 1.0' in await response.text()


async def test_it_answers_alone_ends_cleanly_on_sigterm_and_goes_on_after_a_kill(tmp_path: Path, port: int) -> None:
    async with garden() as (world, here):
        env = environment(world, here, tmp_path / "data")
        observed = {"DNAM_HEALTH_PORT": str(port), "DNAM_HEALTH_HOST": ELSEWHERE}
        async with started(env | observed, tmp_path) as process:
            await there(world, process)
            await here.kim.says(here.general, ASKED, mention=world.bot)
            await world.until(lambda: shown(world, here.general), "an answer")
            await tells_of_itself(port)
            await is_refused_a_second_time(env, tmp_path, world)
            process.send_signal(signal.SIGTERM)
            _, err = await process.communicate()
            assert (process.returncode, b"Traceback" in err) == (0, False), err.decode()
            assert b"voice" not in err, "it neither speaks nor listens, and does not warn of that"
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


async def test_its_log_is_one_object_a_line_where_that_is_wanted(tmp_path: Path) -> None:
    async with garden() as (world, here):
        env = environment(
            world, here, tmp_path / "data", DNAM_LOG_FORMAT="json", ANTHROPIC_BASE_URL="http://127.0.0.1:1"
        )
        async with started(env, tmp_path) as process:
            await there(world, process)
            process.send_signal(signal.SIGTERM)
            _, err = await process.communicate()
    messages = [json.loads(line)["message"] for line in err.decode().splitlines()]
    assert messages.count(UNASKED) == 1, "and once"


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
        assert second.returncode == WRONG_USE
        assert b"a bot with this token already runs on" in err
        assert world.token.encode() not in err


@pytest.mark.parametrize(("wrong", "words"), [("token", BAD_TOKEN), ("intents", NO_INTENTS)])
async def test_what_it_cannot_do_it_says_with_what_to_do(tmp_path: Path, wrong: str, words: str) -> None:
    async with garden() as (world, _):
        if wrong == "intents":
            world.application.enabled = Intent(0)
        told = settings_from({"DISCORD_API_URL": world.api_url}, {})
        async with Memory.open(tmp_path, settings=told, clock=FakeClock()) as memory:
            with pytest.raises(NotLetIn) as refused, at(world.api_url):
                await run(Assistant(memory, ScriptedModel()), "not.the.token" if wrong == "token" else world.token)
        assert str(refused.value) == words
        assert ends_with(refused.value) == WRONG_USE


def ends_with(error: Exception) -> object:
    """The exit code of a command that raises this."""
    with pytest.raises(Ending) as ending, failures():
        raise error
    return ending.value.exit_code


async def test_where_nothing_is_it_says_that_it_cannot_be_reached(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        told = pytest.raises(CannotConnect, match="Discord cannot be reached")
        with told as refused, at("http://127.0.0.1:1/api/v10"):
            await run(Assistant(memory, ScriptedModel()), "any.token.at-all")
    assert ends_with(refused.value) == COULD_NOT, "it may be there a minute later"
    assert Route.BASE.startswith("https://discord.com/")


async def test_it_is_there_as_soon_as_it_answers(tmp_path: Path) -> None:
    async with garden() as (world, here):
        chosen = settings(allow_guilds=str(here.guild.id))
        async with Memory.open(tmp_path, settings=chosen, clock=FakeClock()) as memory:
            bot = DnamBot(Assistant(memory, ScriptedModel()), for_ever, guild_ready_seconds=3600)
            there = [bot.is_there]
            async with running(bot, world):
                await here.kim.says(here.general, ASKED, mention=world.bot)
                await world.until(lambda: shown(world, here.general), "an answer")
                there.append(bot.is_there)
                assert not bot.is_ready(), "it still waits for more guilds"
            assert [*there, bot.is_there] == [False, True, False]


# -- somebody else's bot ---------------------------------------------------------------------------------------------


def own_bot() -> str:
    """The bot of the README."""
    (lines,) = [each for each in (*blocks("py"), *blocks("python")) if "load_extension" in each]
    return lines


def theirs(folder: Path, content: bool = True) -> commands.Bot:
    """The bot of the README as it stands there, made and not yet run: all it does for its memory is one line.

    `content`: whether it asks for the content of messages. It has a command of its own besides.
    """
    lines = own_bot()
    assert len([line for line in lines.splitlines() if line.strip()]) <= 20
    file = folder / "bot.py"
    file.write_text(lines if content else lines.replace("message_content = True", "message_content = False"))
    made: list[commands.Bot] = []
    with patch.object(commands.Bot, "run", lambda bot, _: made.append(bot)):
        runpy.run_path(str(file), run_name="__main__")
    (bot,) = made
    bot._connection.guild_ready_timeout = READY_SECONDS
    bot.add_command(commands.command("greet")(_greet))
    return bot


def test_a_setting_that_is_not_allowed_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISCORD_TOKEN", "the.bot.s-own")
    monkeypatch.setenv("DNAM_TURNS_PER_MINUTE", "many")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    file = tmp_path / "bot.py"
    file.write_text(own_bot(), encoding="utf-8")
    set_up = patch.object(commands.Bot, "run", lambda bot, _: asyncio.run(bot.setup_hook()))
    with set_up, pytest.raises(SystemExit, match="SettingError: DNAM_TURNS_PER_MINUTE: 'many' is not") as ended:
        runpy.run_path(str(file), run_name="__main__")
    assert ended.value.__suppress_context__, "nothing else is shown"


async def _greet(context: commands.Context[commands.Bot]) -> None:
    await context.send("good day")


def told(monkeypatch: pytest.MonkeyPatch, folder: Path, here: Garden) -> None:
    monkeypatch.chdir(folder)
    for name in [each for each in os.environ if each.startswith(("DNAM_", "DISCORD_", "ANTHROPIC_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("DNAM_ALLOW_GUILDS", str(here.guild.id))
    monkeypatch.setenv("DISCORD_TOKEN", "the.bot.s-own")


async def test_any_bot_has_memory_by_one_extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with garden() as (world, here):
        told(monkeypatch, tmp_path, here)
        bot = theirs(tmp_path)
        async with running(bot, world):
            await bot.wait_until_ready()
            cog = bot.get_cog("Memory")
            assert isinstance(cog, MemoryCog)
            await here.kim.says(here.general, ASKED, mention=world.bot)
            await world.until(lambda: shown(world, here.general), "an answer")
            await here.kim.says(here.general, f"{bot.command_prefix}greet")
            await world.until(lambda: len(shown(world, here.general)) == 2, "their own command's reply")
            await world.gateway.flushed()
            await cog.desk.sessions.settle()
            kinds = [type(each) for each in events(cog.desk.memory, MessageHeard, TurnAnswered, TurnDelivered)]
            assert kinds == [MessageHeard, TurnAnswered, TurnDelivered, MessageHeard, MessageHeard]
        assert shown(world, here.general)[1] == "good day"
        assert (tmp_path / "data").is_dir()


@pytest.mark.parametrize("mention", [True, False])
async def test_what_is_a_command_of_the_bot_s_own_is_heard_and_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mention: bool
) -> None:
    async with garden() as (world, here):
        told(monkeypatch, tmp_path, here)
        monkeypatch.setenv("DNAM_RESPOND_MODE", "all")
        bot = theirs(tmp_path)
        called = "" if mention else str(bot.command_prefix)
        bot.command_prefix = commands.when_mentioned_or(str(bot.command_prefix))
        async with running(bot, world):
            await bot.wait_until_ready()
            cog = bot.get_cog("Memory")
            assert isinstance(cog, MemoryCog)
            await here.kim.says(here.general, f"{called}greet", mention=world.bot if mention else ())
            await world.until(lambda: shown(world, here.general), "their own command's reply")
            await world.gateway.flushed()
            await cog.desk.sessions.settle()
            assert [type(each) for each in events(cog.desk.memory, MessageHeard, TurnAnswered)] == [MessageHeard] * 2
            await here.kim.says(here.general, "hello to all")
            await world.until(lambda: len(shown(world, here.general)) == 2, "an answer")
        assert shown(world, here.general)[0] == "good day"


async def test_its_commands_are_added_to_those_that_the_bot_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with garden() as (world, here):
        told(monkeypatch, tmp_path, here)
        monkeypatch.setenv("DNAM_MEMORY_COMMANDS_ENABLED", "1")
        elsewhere = {"name": "water", "description": "told to Discord by another program of theirs", "type": 1}
        number = world.state.ids.next()
        world.state.commands[number] = Command(number, number, world.application.id, None, elsewhere)
        bot = theirs(tmp_path)
        menu = ContextMenu(name=MENUS[0].name, callback=_of_their_own)
        bot.tree.add_command(menu)
        async with running(bot, world):
            await bot.wait_until_ready()
            added = bot.get_cog(MemoryMenus.NAME)
            assert isinstance(added, MemoryMenus)
            await added.ready.wait()
            assert {each.name for each in world.state.commands.values()} == {"water", "memory", MENUS[1].name}
            assert bot.tree.get_command(menu.name, type=menu.type) is menu
            await bot.unload_extension("dnam.adapters.discord")
            assert bot.tree.get_commands(type=menu.type) == [menu]
    assert f"the bot has a command {menu.name!r} of its own" in caplog.text


async def _of_their_own(interaction: discord.Interaction, message: discord.Message) -> None:
    """What their menu does."""


async def test_beside_it_goes_on_what_goes_on_beside_dnam_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside: list[Assistant] = []
    over: list[Assistant] = []

    @asynccontextmanager
    async def serving(assistant: Assistant, _: object) -> AsyncIterator[None]:
        beside.append(assistant)
        yield
        assistant.memory.engine.head()  # it is open until then
        over.append(assistant)

    monkeypatch.setattr(extension, "serving", serving)
    async with garden() as (world, here):
        told(monkeypatch, tmp_path, here)
        bot = theirs(tmp_path)
        async with running(bot, world):
            await bot.wait_until_ready()
            assert (len(beside), over) == (1, [])
            await bot.unload_extension("dnam.adapters.discord")
            assert over == beside


async def test_without_the_content_intent_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with garden() as (world, here):
        told(monkeypatch, tmp_path, here)
        bot = theirs(tmp_path, content=False)
        async with running(bot, world):
            await bot.wait_until_ready()
            await world.gateway.flushed()
        assert NO_CONTENT in caplog.text


async def test_it_is_watched_as_dnam_run_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    async with garden() as (world, here):
        told(monkeypatch, tmp_path, here)
        monkeypatch.setenv("DNAM_HEALTH_PORT", str(port))
        monkeypatch.setenv("DNAM_HEALTH_HOST", ELSEWHERE)
        bot = theirs(tmp_path)
        async with running(bot, world):
            await bot.wait_until_ready()
            await here.kim.says(here.general, ASKED, mention=world.bot)
            await world.until(lambda: shown(world, here.general), "an answer")
            await tells_of_itself(port)
            await bot.unload_extension("dnam.adapters.discord")
            with pytest.raises(aiohttp.ClientConnectorError):
                await tells_of_itself(port)


async def test_a_port_that_cannot_be_had_is_told_and_nothing_stays_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    async with garden() as (world, here):
        told(monkeypatch, tmp_path, here)
        monkeypatch.setenv("DNAM_HEALTH_PORT", str(port))
        why = f"DNAM_HEALTH_PORT: another program has port {port}"
        with pytest.raises(commands.ExtensionFailed, match=why):
            async with running(theirs(tmp_path), world):
                raise AssertionError
        async with Memory.open(tmp_path / "data"):
            pass
