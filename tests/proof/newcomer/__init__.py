"""The newcomer: the README followed literally, on a machine with Python and make and nothing else.

It has no short form: it builds an environment. In its place `make test` runs the README's example and tour in the
environment that there is (tests/test_readme.py), which is less: no clone, no empty home, no set-up, fewer lines held.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.newcomer.machine import TOOLS, Newcomer, newcomer
from tests.proof.newcomer.steps import LEFT_OUT, Step, fences, missing, steps
from tests.test_readme import FOUND_SOMETHING

PROJECT = Path(__file__).parents[3]
CHECKED = "tests/test_readme.py"
"""What `make test` runs here: all of the tests are CI's affair."""
UP_TO_DISCORD = """\
import asyncio
import runpy

from discord.ext import commands


async def set_up(bot):
    async with bot:
        await bot.setup_hook()
        print("loaded:", *bot.extensions)


commands.Bot.run = lambda bot, token: asyncio.run(set_up(bot))
runpy.run_path("bot.py", run_name="__main__")
"""
"""Runs a bot up to where it would log in: there is no Discord here."""
INLINE = re.compile(r"`((?:make|dnam) [a-z][^`]*)`")
NOT_APART = (
    "the kernel gives no namespaces to this user: an empty home and a PATH with Python, make and what make calls were "
    "all that kept it apart"
)
MANY = 5
"""So many lines are told at most."""

CLAIMS = (
    Claim(
        "works",
        "every command of the README works",
        "a clone, an empty home, no cache, and a PATH with python3, make and what make's rules call "
        f"({', '.join(each for each in TOOLS if each != 'make')}); in namespaces of its own, in which the checkout "
        "that was cloned is hidden: the rest of the machine can be read by its path, and its network is there, since "
        f"packages come from it. `make test` runs one file of tests ({CHECKED}) instead of all. Counted is what "
        "ran as it is typed, the line of Python by which the tour changes one bit too; an alias is put in front of "
        "what follows it. Without namespaces of its own it falls short. "
        f"There is no short form: in `make test` {CHECKED} stands in for it, in the environment that is there",
    ),
    Claim(
        "prints",
        "and prints what the README says",
        "line by line, but for dates, ages, sizes, hashes, ids and keys of another run; what the README leaves out (…) "
        "is not held against anything",
    ),
    Claim(
        "python",
        "its Python runs as it stands",
        "the program as it is, in the same clone; the bot of one's own up to where it would log in to Discord, its "
        "`run` being replaced: the extension is loaded",
    ),
    Claim(
        "named",
        "what it names in passing is known to `make` and `dnam`",
        "none of it is run: `make` targets are asked for with -n, and commands and their options have to stand in what "
        "`dnam COMMAND --help` prints",
    ),
)


def prove(trial: Trial) -> Iterator[Finding]:
    """Follow the README."""
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    here = newcomer(PROJECT, trial.folder)
    trial.say(f"a clone is made, {'' if here.is_apart else 'not '}in namespaces of its own")
    failed, differ, every = list[str](), list[str](), list(steps(readme))
    aliases, ran = "", 0
    for step in every:
        if step.command.startswith("alias "):
            aliases = f"shopt -s expand_aliases\n{step.command}\n"
            continue
        trial.say(step.command)
        ran += 1
        printed = _done(here, step, aliases, failed)
        line = missing(step.shown, printed)
        if line is not None:
            differ.append(f"{step.command}: {line}")
            trial.say(f"it shows {line!r}, and prints:\n{printed}")
    shown = sum(each.strip() != LEFT_OUT for step in every for each in step.shown)
    yield works(ran, failed, is_apart=here.is_apart)
    yield Finding("prints", shown, "lines", f"{len(differ)} commands print otherwise{_told(differ)}", not differ)
    yield _programs(here, readme)
    yield _named(here, readme)


def works(ran: int, failed: Sequence[str], *, is_apart: bool) -> Finding:
    """What came of the commands: where all worked but not apart from the machine, that falls short."""
    apart = "in namespaces of their own" if is_apart else "in no namespaces of their own"
    short = "" if is_apart or failed else NOT_APART
    came_out = f"{len(failed)} failed, {apart}{_told(failed)}"
    return Finding("works", ran, "commands", came_out, is_apart and not failed, short)


def _done(here: Newcomer, step: Step, aliases: str, failed: list[str]) -> str:
    """What a step prints; what fails is noted."""
    typed = "".join(f"{each}\n" for each in step.typed)
    done = here.run(f"{aliases}{step.command}", typed, PYTEST_ARGS=CHECKED)
    expected = int(step.command.removeprefix("dnam ").startswith(FOUND_SOMETHING))
    if done.returncode != expected or "Traceback" in done.stdout:
        failed.append(f"{step.command} (exit {done.returncode}): {done.stdout[-200:]}")
    return done.stdout


def _programs(here: Newcomer, readme: str) -> Finding:
    """The program, and the bot as far as it can be run without Discord."""
    (program,), (bot,) = fences(readme, "python"), fences(readme, "py")
    for name, text in (("program.py", program), ("bot.py", bot), ("up_to_discord.py", UP_TO_DISCORD)):
        (here.clone / name).write_text(text, encoding="utf-8")
    done = here.run(".venv/bin/python program.py")
    loaded = here.run(".venv/bin/python up_to_discord.py", DISCORD_TOKEN="nobody's")
    said = f"{done.stdout.strip()[-200:]}; the bot {loaded.stdout.strip()[-200:]}"
    is_loaded = loaded.stdout.endswith("loaded: dnam.adapters.discord\n")
    return Finding("python", 2, "programs", said, done.returncode == loaded.returncode == 0 and is_loaded)


def _named(here: Newcomer, readme: str) -> Finding:
    """Commands in the running text: what is large there, or in angles, is the reader's own."""
    named = sorted({each.strip() for each in INLINE.findall(readme)})
    wrong = [each for each in named if not _is_there(here, each)]
    came_out = f"{len(wrong)} are not known{_told(wrong)}"
    return Finding("named", len(named), "names, none of them run", came_out, not wrong)


def _is_there(here: Newcomer, named: str) -> bool:
    words = named.split()
    if words[0] == "make":
        return here.run(f"make -n {words[1]}").returncode == 0
    names = [word for word in words[1:3] if re.fullmatch(r"[a-z][a-z-]*", word)]
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    for path in (names, names[:1]):
        help_ = here.run(f".venv/bin/dnam {' '.join(path)} --help", COLUMNS="200")
        if help_.returncode == 0:
            return all(re.search(rf"{option}\b(?!-)", help_.stdout) for option in options)
    return False


def _told(some: Sequence[str]) -> str:
    return f": {'; '.join(some[:MANY])}" if some else ""


PART = Part("newcomer", "The newcomer", CLAIMS, prove)
