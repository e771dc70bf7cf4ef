"""What a README asks its reader to type, and what it says will be printed.

$ dnam show Tobi          a command; a fence without a single `$` is commands alone
Tobi (discord:7783…)      what it prints, in this order
…                         some lines that are left out; at a line's end, the rest of it
ada> hello                what is typed meanwhile
"""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
TYPED = re.compile(r"^(?:ada|Tobi)> (.*)$")
LEFT_OUT = "…"


class Step(NamedTuple):
    """A command, what is typed into it, and the lines that it shows."""

    command: str
    typed: tuple[str, ...]
    shown: tuple[str, ...]


def fences(readme: str, language: str = "") -> list[str]:
    """The texts of the fenced blocks of a language."""
    return [text for each, text in FENCE.findall(readme) if each == language]


def steps(readme: str) -> Iterator[Step]:
    """Everything that is to be typed, in its order."""
    for fence in fences(readme):
        lines = fence.splitlines()
        if not any(line.startswith("$ ") for line in lines):
            yield from (Step(line.partition("#")[0].strip(), (), ()) for line in lines)
            continue
        starts = [n for n, line in enumerate(lines) if line.startswith("$ ")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            yield _step(lines[start].removeprefix("$ "), lines[start + 1 : end])


def _step(command: str, lines: list[str]) -> Step:
    typed = tuple(found[1] for line in lines if (found := TYPED.match(line)))
    shown = tuple(line for line in lines if line.strip() and not TYPED.match(line))
    return Step(command, typed, shown)


VOLATILE = (
    (re.compile(r"\b(?!2026-03)\d{4}-\d\d-\d\d \d\d:\d\d(?:\+00:00)?"), "<now>"),
    (re.compile(r"\b\d+ days ago\b"), "<days> ago"),
    (re.compile(r"\bdnam/[0-9a-f]{32}\+[0-9a-f]{8}\+\S+"), "<verifier key>"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<hash>"),
    (re.compile(r"\bdurable-[0-9a-f]{8}\b"), "<id>"),
    (re.compile(r"\b[\d.]+ KiB\b"), "<size>"),
)
"""What is another on another day, with other keys or another log: the sample's own time is March 2026."""


def steady(line: str) -> str:
    """A line with what differs between two runs replaced by what it is, and with one space between words."""
    for pattern, name in VOLATILE:
        line = pattern.sub(name, line)
    return " ".join(line.split())


def missing(shown: tuple[str, ...], printed: str) -> str | None:
    """The first of the shown lines of which the block is not printed behind the block before; None where all are.

    Lines between two that were left out are a block: they are printed one directly behind the other.
    """
    lines = [each for line in printed.splitlines() if (each := steady(line))]
    at = 0
    for block in _blocks(shown):
        places = range(at, len(lines) - len(block) + 1)
        found = next((n for n in places if all(map(_is_same, block, lines[n:]))), None)
        if found is None:
            return _first_missing(block, lines[at:])
        at = found + len(block)
    return None


def _blocks(shown: tuple[str, ...]) -> Iterator[list[str]]:
    block: list[str] = []
    for line in (*shown, LEFT_OUT):
        if line.strip() != LEFT_OUT:
            block.append(line)
        elif block:
            yield block
            block = []


def _first_missing(block: list[str], lines: list[str]) -> str:
    """The line of a block up to which most of it is printed somewhere."""
    reach = (sum(1 for _ in takewhile(bool, map(_is_same, block, lines[n:]))) for n in range(len(lines) + 1))
    return block[min(max(reach), len(block) - 1)]


def _is_same(shown: str, printed: str) -> bool:
    wanted = steady(shown)
    if LEFT_OUT in wanted:
        start, _, end = wanted.partition(LEFT_OUT)
        return printed.startswith(start.rstrip()) and printed.endswith(end.strip())
    return printed == wanted
