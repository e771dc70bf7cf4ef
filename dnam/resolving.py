"""Which model a name stands for, where it is asked, and whether a reply is that model's."""

import re

from dnam.model import Model

_DATED = re.compile(r"-20[0-9]{6}\Z")


def resolved(model: Model, name: str) -> str:
    """The model's own name that a name stands for."""
    if not model.paid:
        return model.name
    from dnam.adapters.anthropic.aliases import resolve

    return resolve(name)


def undated(name: str) -> str:
    """A model's name without the day of its making: the API may answer by either."""
    return _DATED.sub("", name)
