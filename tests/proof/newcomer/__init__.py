"""The newcomer: the README followed literally, on a machine with Python and make and nothing else."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.newcomer.machine import Newcomer, newcomer
from tests.proof.newcomer.steps import Step, fences, missing, steps
from tests.test_readme import DAMAGE, FOUND_SOMETHING, damage

PROJECT = Path(__file__).parents[3]
CHECKED = "tests/test_readme.py"
"""What `make test` runs here: all of the tests are CI's affair."""
INLINE = re.compile(r"`((?:make|dnam) [a-z][^`]*)`")
MANY = 5
"""So many lines are told at most."""

CLAIMS = (
    Claim("works", "every command of the README works", "a clone, an empty home, no cache, Python and make alone"),
    Claim("prints", "and prints what the README says", "line by line, but for dates, hashes and ids of another run"),
    Claim("python", "its program runs as it stands", "the README's Python, in the same clone"),
    Claim("named", "what it names in passing is there", "`make` targets with -n, commands and options by their help"),
)


def prove(trial: Trial) -> Iterator[Finding]:
    """Follow the README."""
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    here = newcomer(PROJECT, trial.folder)
    apart = "in namespaces of their own" if here.is_apart else "no namespaces here: an empty home and PATH alone"
    trial.say(f"a clone is made, {apart}")
    failed, differ, every = list[str](), list[str](), list(steps(readme))
    aliases = ""
    for step in every:
        if step.command.startswith("alias "):
            aliases = f"shopt -s expand_aliases\n{step.command}\n"
            continue
        trial.say(step.command)
        printed = _done(here, step, aliases, failed)
        line = missing(step.shown, printed)
        if line is not None:
            differ.append(f"{step.command}: {line}")
            trial.say(f"it shows {line!r}, and prints:\n{printed}")
    shown = sum(len(step.shown) for step in every)
    yield Finding("works", len(every), "commands", f"{len(failed)} failed, {apart}{_told(failed)}", not failed)
    yield Finding("prints", shown, "lines", f"{len(differ)} commands print otherwise{_told(differ)}", not differ)
    yield _program(here, readme)
    yield _named(here, readme)


def _done(here: Newcomer, step: Step, aliases: str, failed: list[str]) -> str:
    """What a step prints; what fails is noted."""
    if step.command == DAMAGE:
        damage(here.clone / "tour")
        return ""
    typed = "".join(f"{each}\n" for each in step.typed)
    done = here.run(f"{aliases}{step.command}", typed, PYTEST_ARGS=CHECKED)
    expected = int(step.command.removeprefix("dnam ").startswith(FOUND_SOMETHING))
    if done.returncode != expected or "Traceback" in done.stdout:
        failed.append(f"{step.command} (exit {done.returncode}): {done.stdout[-200:]}")
    return done.stdout


def _program(here: Newcomer, readme: str) -> Finding:
    (program,) = fences(readme, "python")
    (here.clone / "program.py").write_text(program, encoding="utf-8")
    done = here.run(".venv/bin/python program.py")
    return Finding("python", 1, "program", done.stdout.strip()[-200:], done.returncode == 0)


def _named(here: Newcomer, readme: str) -> Finding:
    """Commands in the running text: what is large there, or in angles, is the reader's own."""
    named = sorted({each.strip() for each in INLINE.findall(readme)})
    wrong = [each for each in named if not _is_there(here, each)]
    return Finding("named", len(named), "names", f"{len(wrong)} are not there{_told(wrong)}", not wrong)


def _is_there(here: Newcomer, named: str) -> bool:
    words = named.split()
    if words[0] == "make":
        return here.run(f"make -n {words[1]}").returncode == 0
    names = [word for word in words[1:3] if re.fullmatch(r"[a-z][a-z-]*", word)]
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    for path in (names, names[:1]):
        help_ = here.run(f".venv/bin/dnam {' '.join(path)} --help", COLUMNS="200")
        if help_.returncode == 0:
            return all(option in help_.stdout or option in ("--data", "--json", "--yes") for option in options)
    return False


def _told(some: list[str]) -> str:
    return f": {'; '.join(some[:MANY])}" if some else ""


PART = Part("newcomer", "The newcomer", CLAIMS, prove)
