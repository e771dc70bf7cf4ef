"""Prompts are text files with a version in their name. What people said never goes into them: it is sent beside, as
data.
"""

import hashlib
from functools import cache
from importlib import resources
from typing import NamedTuple


class Prompt(NamedTuple):
    """A prompt's name with its version, as events keep it, and its text."""

    name: str
    text: str


@cache
def load(name: str) -> Prompt:
    """The prompt `summary@1`, from `summary@1.txt`."""
    return Prompt(name, (resources.files(__name__) / f"{name}.txt").read_text(encoding="utf-8").strip())


def digest(system: str, prompt: str) -> bytes:
    """SHA-256 over everything that a model was sent, 32 bytes."""
    return hashlib.sha256(f"{len(system)}\n{system}{prompt}".encode()).digest()


def prompts() -> list[str]:
    """The names of all prompts that come with the program, `extraction@4`."""
    files = (each.name for each in resources.files(__name__).iterdir())
    return sorted(name.removesuffix(".txt") for name in files if name.endswith(".txt"))
