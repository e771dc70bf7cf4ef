"""What many do at once on one memory, and what they are told of it."""

import random
from collections.abc import Iterator

import msgspec

PERSON = "900"
"""Whose items everybody handles."""
NEAR = 8
"""Of so many ids one is given: all tasks are about as far, so that several give the same one at the same time."""


class Op(msgspec.Struct, frozen=True):
    """Somebody says something under a platform's key, or a person's item is remembered or forgotten by its text."""

    kind: str
    text: str
    key: str = ""


class Told(msgspec.Struct, frozen=True):
    """What became of it: the seqs that it was recorded under, the log's size before it began and after it ended, and
    the process (its id) that did it.
    """

    op: Op
    seqs: tuple[int, ...]
    before: int
    after: int
    process: int


class Seen(msgspec.Struct, frozen=True):
    """What a process (its id) saw: how far its rows reach, which of the person's items are active, how many keys were
    heard; and `least`, how far the log reached for certain before the look began.
    """

    upto: int
    active: frozenset[str]
    heard: int
    least: int
    process: int


class Ran(msgspec.Struct, frozen=True):
    """What a process was told of its ops, and what it saw meanwhile, in order."""

    told: list[Told]
    seen: list[Seen]


class Order(msgspec.Struct, frozen=True):
    """What a worker is to do: open a folder, run these ops (a list a task), look at what there is, close. With `every`,
    the first task looks after each so many of its ops.
    """

    do: str
    folder: str = ""
    is_reader: bool = False
    tasks: tuple[tuple[Op, ...], ...] = ()
    every: int = 0


def text_of(number: int) -> str:
    """A text that shares too few words with another for either to be taken for the other."""
    return " ".join(f"{word}{number}" for word in ("alder", "birch", "cedar", "dogwood", "elder"))


def some_ops(dice: random.Random, worker: int, task: int, count: int) -> Iterator[Op]:
    """Ops of one task: a third of them messages of its own, the others collide with what everybody else does."""
    for number in range(count):
        chance = dice.random()
        if chance < 0.34:
            key = f"own {worker} {task} {number}"
            yield Op("hear", f"word {key}", key)
        elif chance < 0.56:
            key = f"both {max(0, number - dice.randrange(NEAR))}"
            yield Op("hear", f"word {key}", key)
        else:
            yield Op("remember" if chance < 0.8 else "forget", text_of(dice.randrange(40)))
