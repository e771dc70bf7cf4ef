"""The loopback servers that are started by hand: what they print goes into `.env` as it stands."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dnam.settings import read
from tests.dnam.discord.ui.stage import scene_in
from tests.hanging import HANGS
from tests.loopback.discord import World
from tests.loopback.discord.__main__ import HELLO, _lines, _printed, say
from tests.loopback.discord.commands import Command
from tests.loopback.discord.slash import STRING, SUBCOMMAND, typed
from tests.loopback.messages.__main__ import main

ROOT = Path(__file__).parents[2]


def test_what_it_prints_is_settings_by_which_kim_is_answered_in_the_server_and_directly() -> None:
    known = {
        "url": "http://127.0.0.1:1/api/v10",
        "token": "a.b.c",
        "guild_id": "1",
        "owner_id": "2",
        "id": "3",
        "owner": "Ines",
    }
    hello = HELLO.format(guild="Garden", channels="#general", person="Kim", **known)
    lines, _, told = hello.partition("\n\n")
    settings = read(dict(line.split("=", 1) for line in lines.splitlines()), {})
    assert (settings.allow_guilds, settings.allow_users, settings.owner_ids) == (("1",), ("3",), ("2",))
    assert (settings.discord_api_url, settings.discord_token) == (known["url"], "a.b.c")
    assert "Kim (3) and the bot are in it" in told


async def test_what_is_typed_is_said_by_kim_or_by_the_owner() -> None:
    async with World() as world:
        ines = world.person("Ines")
        garden = world.guild("Garden", owner=ines)
        people, general = (world.person("Kim", garden), ines), garden.channel("general")
        for line in ("hello", "owner hello", "@ hello", "owner dm hello"):
            await say(world, people, general, line)
        said = [(each.author.name, each.said.content) for each in world.messages(general)]
        assert said == [("Kim", "hello"), ("Ines", "hello"), ("Kim", f"{world.bot.mention} hello")]
        assert [each.said.content for each in world.messages(ines.dm)] == ["hello"]


async def test_what_only_one_person_sees_is_printed_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with scene_in(tmp_path) as scene:
        world, kim = scene.world, scene.kim
        world.state.listeners.append(lambda event: _printed(world, event))
        await scene.replied(kim.uses(scene.general, "/memory remember text:I like tea"))
        await kim.says(scene.general, "and now?", mention=world.bot)
        await world.until(lambda: world.bot_messages(scene.general))
    private, public = (each for each in capsys.readouterr().out.splitlines() if " in #general" in each)
    assert private.startswith(f"{world.bot.name} in #general (only Kim sees it)")
    assert public == f"{world.bot.name} in #general: yes"


async def test_what_is_typed_may_come_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "typed").write_bytes(b"hello\n@ hello\n")
    with (tmp_path / "typed").open(encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert [line async for line in _lines()] == ["hello", "@ hello"]


def test_it_serves_on_where_nothing_is_typed() -> None:
    command, pipe = [sys.executable, "-m", "tests.loopback.discord"], subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe) as started:
        assert started.stdout is not None
        assert any(b"Ctrl-C ends" in line for line in iter(started.stdout.readline, b""))
        started.send_signal(signal.SIGINT)
        assert started.communicate(timeout=HANGS)[1] == b""
        assert started.returncode == 0


def test_help_is_told_and_serves_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["messages", "--help"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "with the offline model behind it" in capsys.readouterr().out


REMEMBER = {
    "name": "memory",
    "options": [
        {
            "type": SUBCOMMAND,
            "name": "remember",
            "options": [{"type": STRING, "name": "text", "description": "a sentence", "required": True}],
        }
    ],
}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("/memory remember I like tea", "no option is named in 'I like tea': "),
        ("/memory remember", "/memory remember needs text: "),
        ("/memory remember words:tea", "no option is named in 'words:tea': "),
    ],
)
def test_a_command_that_is_typed_wrong_is_told_with_how_it_is_typed(text: str, wrong: str) -> None:
    with pytest.raises(AssertionError) as told:
        typed([Command(1, 1, 1, None, REMEMBER)], text, {}, {}).check()
    assert str(told.value) == f"{wrong}`/memory remember text:…`; text is a sentence"


def test_a_command_is_typed_as_the_server_says() -> None:
    assert "`/memory remember text:I like tea`" in HELLO
    read_as = typed([Command(1, 1, 1, None, REMEMBER)], "/memory remember text:I like tea", {}, {})
    read_as.check()
    assert read_as.values == {"text": "I like tea"}
