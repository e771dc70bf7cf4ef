"""docs/library.md tells the truth: its programs run, print what is shown, and are well typed."""

import re
import runpy
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from discord.ext import commands

import dnam
from dnam import DnamError
from tests.dnam.discord.stage import READY_SECONDS, garden, shown
from tests.dnam.discord.test_running import told
from tests.loopback.discord import running

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "library.md"
TEXT = PAGE.read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
(BOT,) = re.findall(r"^```py\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_every_program_is_looked_at() -> None:
    assert len(PROGRAMS) == TEXT.count("```python") == 4


@pytest.mark.parametrize(("program", "prints"), PROGRAMS)
def test_a_program_prints_what_is_shown(tmp_path: Path, program: str, prints: str) -> None:
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", program]
    run = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert (run.stdout, run.returncode) == (prints, 0), run.stderr
    assert "Warning" not in run.stderr


def test_what_can_go_wrong_is_a_dnam_error() -> None:
    table = TEXT.partition("## What can go wrong")[2]
    names = [*re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE), *re.findall(r"`(\w+)`: whom nobody knows", table)]
    assert len(names) == 6
    for name in names:
        assert name in dnam.__all__
        assert issubclass(getattr(dnam, name), DnamError), name


def test_the_programs_are_well_typed(tmp_path: Path) -> None:
    files = []
    for number, program in enumerate([*(each for each, _ in PROGRAMS), BOT]):
        files.append(tmp_path / f"program_{number}.py")
        files[-1].write_text(program, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file",
        str(ROOT / "pyproject.toml"),
        *map(str, files),
    ]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


async def test_the_bot_answers_with_its_own_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, made = tmp_path / "bot.py", list[commands.Bot]()
    file.write_text(BOT, encoding="utf-8")
    async with garden() as (world, here):
        told(monkeypatch, tmp_path, here)
        with patch.object(commands.Bot, "run", lambda bot, _: made.append(bot)):
            runpy.run_path(str(file))
        (bot,) = made
        bot._connection.guild_ready_timeout = READY_SECONDS
        async with running(bot, world):
            await bot.wait_until_ready()
            await here.kim.says(here.general, "do you know roses?", mention=world.bot)
            await world.until(lambda: shown(world, here.general), "an answer")
        assert shown(world, here.general) == ["Echo!"]


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", TEXT))
def test_links_lead_somewhere(link: str) -> None:
    assert (PAGE.parent / link).exists()
