"""The tree at the top of replay/errors.py is drawn as it is."""

import inspect
import re

from replay import errors
from replay.errors import LogError

CLASSES = {
    name: each
    for name, each in inspect.getmembers(errors, inspect.isclass)
    if issubclass(each, LogError) and each is not LogError
}


def drawn() -> dict[str, str]:
    """Each class that is drawn, and behind which it stands: a line may begin with one and a dash."""
    tree, found = (errors.__doc__ or "").partition("├")[2], dict[str, str]()
    for line in tree.splitlines():
        head, _, behind = line.partition(" ─ ")
        base = re.findall(r"[A-Z]\w+", head)
        found |= dict.fromkeys(base, "LogError") | dict.fromkeys(
            re.findall(r"[A-Z]\w+", behind), base[-1] if base else ""
        )
    return found


def test_every_error_is_drawn_behind_its_base() -> None:
    assert drawn() == {name: each.__bases__[0].__name__ for name, each in CLASSES.items()}
