"""Aliases of models: a family's name stands for the newest model of that family that the installed SDK knows.

Ids are read by their pattern, `claude-<family>-<version>`. Dated ids (`claude-haiku-4-5-20251001`) and previews are
other names of a version, or no version yet, and are not what an alias stands for.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import get_args

_ID = re.compile(r"claude-(?P<family>[a-z]+)-(?P<version>[0-9]{1,2}(?:-[0-9]{1,2})?)")


def newest(family: str, known: Iterable[str]) -> str:
    """The model of a family with the highest version, 4-5 before 5 before 5-5; empty when there is none."""
    found = ((match, model) for model in known if (match := _ID.fullmatch(model)))
    versions = {_version(match): model for match, model in found if match["family"] == family}
    return versions[max(versions)] if versions else ""


def _version(match: re.Match[str]) -> tuple[int, ...]:
    return tuple(map(int, match["version"].split("-")))


@cache
def known_models() -> tuple[str, ...]:
    """Every model that the SDK names, from its own list. The first call loads the SDK."""
    from anthropic.types.model import Model

    literal, _ = get_args(Model)
    return get_args(literal)


@cache
def resolve(name: str) -> str:
    """The model that a name stands for: an alias its newest, any other name itself."""
    return newest(name, known_models()) or name
