"""The README tells the truth: its example runs, its tour's commands do what they show, its links lead somewhere."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str = "") -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def dnam(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command of the tour."""
    command = [sys.executable, "-m", "dnam", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_example_runs_and_is_about_ten_lines(tmp_path: Path) -> None:
    (example,) = blocks("python")
    run = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout == "['my train leaves at 7:40']\n"
    assert len([line for line in example.splitlines() if line.strip()]) <= 12


def tour() -> list[list[str]]:
    """The tour's `dnam` commands."""
    lines = [line for block in blocks() for line in block.splitlines() if line.startswith("$ dnam ")]
    return [shlex.split(line)[2:] for line in lines]


def test_every_command_of_the_tour_works(tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    commands = tour()
    assert {command[0] for command in commands} >= {"import", "people", "show", "prompt", "chat", "log", "verify"}
    for command in commands:
        ran = dnam(*command, cwd=tmp_path)
        assert ran.returncode == 0, (command, ran.stderr)
        assert "Traceback" not in ran.stderr


def test_the_tour_shows_what_the_commands_print(tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    shown = {line for block in blocks() for line in block.splitlines()}
    for command in tour()[:3]:
        printed = dnam(*command, cwd=tmp_path).stdout.splitlines()
        stable = [line.partition(", ")[0] if " ago" in line else line for line in printed if line.strip()]
        missing = [line for line in stable[:6] if not any(each.startswith(line) for each in shown)]
        assert missing == []


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)]+)\)", README))
def test_links_lead_somewhere(link: str) -> None:
    assert (ROOT / link).exists()
