"""The README tells the truth: its example runs, its tour's commands do what they show, its links lead somewhere."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from dnam.hits import FIELDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str = "") -> list[str]:
    """The fenced blocks of a language."""
    found = re.findall(r"^ *```(\w*)\n(.*?)^ *```$", README, re.MULTILINE | re.DOTALL)
    return [text for each, text in found if each == language]


def dnam(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command of the tour. In the chat is said what the tour says."""
    command = [sys.executable, "-m", "dnam", *arguments]
    said = "\n".join(re.findall(r"^Tobi> (.*)$", README, re.MULTILINE))
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, input=said)


def test_the_example_runs_and_is_about_ten_lines(tmp_path: Path) -> None:
    (example,) = blocks("python")
    run = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout == "['my train leaves at 7:40']\n"
    assert len([line for line in example.splitlines() if line.strip()]) <= 12


PYTHON = ".venv/bin/python "
"""How the command begins that changes one bit of an event: nothing of dnam's own does that."""
FOUND_SOMETHING = ("diff Tobi", "diff --shadow", "verify --data tour")
"""How those commands begin that end with 1: what they look for is there."""


def test_every_command_of_the_tour_works_and_prints_what_is_shown(tmp_path: Path) -> None:
    """Every line that stands under a command, but for what differs from run to run, and what is typed in the chat."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    commands = list(shown_under(blocks()))
    assert {shlex.split(line)[1] for line, _ in commands} >= {
        "import",
        "people",
        "show",
        "prompt",
        "chat",
        "log",
        "verify",
        "audit",
        "diff",
        "backup",
        "repair",
        "rederive",
        "adopt",
    }
    looked_at = 0
    for line, shown in commands:
        if line.startswith(PYTHON):
            subprocess.run([sys.executable, *shlex.split(line)[1:]], cwd=tmp_path, check=True)
            continue
        command = line.removeprefix("dnam ")
        ran = dnam(*shlex.split(command), cwd=tmp_path)
        assert ran.returncode == command.startswith(FOUND_SOMETHING), (line, ran.stderr)
        assert "Traceback" not in ran.stderr
        counts = re.findall(r"^\d+ events and \d+ rows", ran.stdout, re.MULTILINE)
        assert all(each in README for each in counts), (line, counts)
        printed = [lasting(each) for each in (ran.stdout + ran.stderr).splitlines()]
        for each in filter(None, map(lasting, shown)):
            pieces = [piece.strip() for piece in each.split("…")]
            assert any(stand_in_order(pieces, one) for one in printed), (line, each, printed)
            looked_at += 1
    assert looked_at > 100


def shown_under(of: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The commands of blocks, and what is shown to be their output."""
    for block in of:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            if command.startswith(("dnam ", PYTHON)):
                yield command, [each for each in shown if not re.match(r"\w+> ", each)]


def lasting(line: str) -> str:
    """A line without what is another in every run: dates, digests, keys, and how long it took."""
    line = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?(\+00:00)?", "(date)", line)
    line = re.sub(r"\b[0-9a-f]{12,}\b|\bdnam/[0-9a-f]+\+\S+", "(digest)", line)
    line = re.sub(r"\d+(\.\d+)? (seconds?|minutes?|hours?|days?|ms|s)\b( ago)?", "(while)", line)
    return " ".join(line.split())


def stand_in_order(pieces: Iterable[str], line: str) -> bool:
    at = 0
    for each in pieces:
        found = line.find(each, at)
        if found < 0:
            return False
        at = found + len(each)
    return True


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)]+)\)", README))
def test_links_lead_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


def test_the_search_s_reasons_are_told_in_the_program_s_words() -> None:
    (shown,) = (line for block in blocks() for line in block.splitlines() if " near    tomatos " in line)
    assert shown.endswith(f"  {FIELDS['near']}")
