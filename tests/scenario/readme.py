"""What README says in "Run it in Discord": whoever follows it takes it from there."""

import re
import textwrap
from pathlib import Path

from tests.scenario.process import ROOT

README = ROOT / "README.md"
HEADING = "## Run it in Discord\n"
MOST_LINES = 20


def section() -> str:
    """The section, up to the next one."""
    _, found, rest = README.read_text(encoding="utf-8").partition(HEADING)
    assert found, f"README.md has no section {HEADING!r}"
    return rest.partition("\n## ")[0]


def blocks(language: str) -> list[list[str]]:
    """The lines of its fenced blocks of a language, without their indentation."""
    found = re.findall(r"^ *```(\w*)\n(.*?)^ *```$", section(), re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(text).splitlines() for each, text in found if each == language]


def write_bot(folder: Path) -> str:
    """Write the section's bot, which has its memory by one line; the name of its file."""
    (lines,) = blocks("py")
    assert len([line for line in lines if line.strip()]) <= MOST_LINES
    (folder / "bot.py").write_text("\n".join(lines), encoding="utf-8")
    return "bot.py"
