"""What can be configured while the program runs: the keys, and what each may be.

    respond_mode      mention   mentions of the assistant and replies to it are answered
                      all       every message is
                      owner     the owner's mentions and replies are, and their typed commands alone
                      none      nothing is, typed commands neither
    context_history   how many recent messages a prompt may hold
    learn             addressed what is said to the assistant is learned from
                      heard     so is everything it hears
                      none      nothing is
    retention_days    after how many days what was said is redacted; 0: never
    tools             on        the model that answers may note something down and look for something itself
                      off       it may not

`respond_mode` and `context_history` are Snowclaw's names, and its users know them.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import NamedTuple

from projections.errors import BadRequest

MOST_DIGITS = 9


class Key(NamedTuple):
    """A key and what it may be: one of `values`, or, where there are none, a whole number up to `most`."""

    name: str
    help: str
    values: tuple[str, ...] = ()
    most: int = 0

    @property
    def words(self) -> str:
        """What it may be, in words."""
        return f"one of {', '.join(self.values)}" if self.values else f"a whole number from 0 to {self.most}"

    def admits(self, value: str) -> bool:
        if self.values:
            return value in self.values
        return value.isascii() and value.isdecimal() and len(value) <= MOST_DIGITS and int(value) <= self.most


KEYS: tuple[Key, ...] = (
    Key("respond_mode", "what is answered", ("mention", "all", "owner", "none")),
    Key("context_history", "how many recent messages a prompt may hold", most=1_000),
    Key("learn", "what is learned from", ("addressed", "heard", "none")),
    Key("retention_days", "after how many days what was said is redacted; 0: never", most=36_500),
    Key("tools", "whether the model that answers may write and search memory itself", ("on", "off")),
)
BY_NAME = {key.name: key for key in KEYS}
WIDEST: Mapping[str, str] = {"learn": "heard", "retention_days": "0"}
"""The values that let everything be learned, or kept for ever, of the keys that say how much is."""


def is_narrow(key: str, value: str | None) -> bool:
    """Whether less than everything is learned or kept by it: what erases or restores does not do away with that."""
    return value is not None and value != WIDEST.get(key, value)


def the_key(name: str) -> Key:
    """The key that is meant. BadRequest names the nearest."""
    if name in BY_NAME:
        return BY_NAME[name]
    near = get_close_matches(name, BY_NAME, 1)
    meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(BY_NAME)}"
    raise BadRequest(f"there is no key {name!r}; {meant}")


def check(name: str, value: str) -> None:
    """BadRequest where a key is none, or a value is not allowed."""
    key = the_key(name)
    if not key.admits(value):
        raise BadRequest(f"`{name}`: {value!r} is not allowed; allowed: {key.words}")
