"""What can be done to files and folders. Each has the number under which it was made; 0 is the folder that everything
is in.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

ROOT = 0


class Made(NamedTuple):
    """A file or folder came to be, under a name."""

    node: int
    parent: int
    name: str
    is_folder: bool


class Renamed(NamedTuple):
    """A name was given to what had another; what had the new name is nowhere now."""

    node: int
    parent: int
    name: str
    new_parent: int
    new_name: str


class Linked(NamedTuple):
    """A file was given one more name."""

    node: int
    parent: int
    name: str


class Removed(NamedTuple):
    """A name is gone."""

    parent: int
    name: str


class Wrote(NamedTuple):
    """Bytes were written to a file."""

    node: int
    start: int
    data: bytes


class Sized(NamedTuple):
    """A file was cut, or made longer by zeros."""

    node: int
    size: int


class SyncBegan(NamedTuple):
    """What was done until here to a file or folder is going to last, once the sync has `token` ended. `span`: only
    these bytes of it, from and up to.
    """

    node: int
    token: int
    span: tuple[int, int] | None = None


class SyncEnded(NamedTuple):
    """It lasts."""

    node: int
    token: int


class Told(NamedTuple):
    """A line of what was acknowledged."""

    line: bytes


Operation = Made | Renamed | Linked | Removed | Wrote | Sized | SyncBegan | SyncEnded | Told


def paths(every: Iterable[Operation]) -> list[str]:
    """For each operation the path of what it is about, as it was called then; empty for what was told."""
    named, found = {ROOT: ""}, list[str]()
    for each in every:
        match each:
            case Made(node, parent, name, _):
                named[node] = f"{named[parent]}/{name}"
                found.append(named[node])
            case Renamed(node, _, _, parent, name):
                named[node] = f"{named[parent]}/{name}"
                found.append(named[node])
            case Removed(parent, name) | Linked(_, parent, name):
                found.append(f"{named[parent]}/{name}")
            case Told():
                found.append("")
            case _:
                found.append(named[each.node])
    return found


def without_syncs(every: Sequence[Operation], pattern: str) -> list[Operation]:
    """The same, had nothing that has such a path ever been synced: a defect that must be found."""
    named = zip(every, paths(every), strict=True)
    return [each for each, path in named if not (isinstance(each, SyncBegan | SyncEnded) and re.search(pattern, path))]
