"""A disk whose power is cut: what lasts, and what may.

    file      for each block (512 B, or 4 KiB): the content that lasts, and each content since; and so for its length
    folder    the names that last, and each change since: a name given, moved, or taken away
    sync      what was pending when it began lasts when it ends; of a folder its names, of a file its bytes and length

After a cut every block, every length and every change of a name is as it last was synced, or as it was at any time
since, each for itself. That is less than any file system in use promises: there names and lengths go through a journal,
in order, and a new file's name comes with its first sync.

A block is never torn: of 512 bytes no disk is known to write a part. What is written of a block in memory is all of it.
"""

import random
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from tests.proof.power.operation import (
    ROOT,
    Linked,
    Made,
    Operation,
    Removed,
    Renamed,
    Sized,
    SyncBegan,
    SyncEnded,
    Wrote,
)

T = TypeVar("T")
Tree = dict[str, bytes | None]
"""What lies there after a cut: files by path, and folders, which have no content."""


class Pending(NamedTuple):
    """Something that may have come to the disk, or not: when it was done, and whether it is a matter of names."""

    time: int
    is_name: bool


Choice = Callable[[list[Pending]], int]
"""How many of these changes of one thing, in order, have come to the disk."""


class _File:
    """A file's bytes as a process sees them, what of them lasts, and what may."""

    def __init__(self, block: int) -> None:
        self._block = block
        self._seen = bytearray()
        self._lasting: dict[int, bytes] = {}
        self._lasting_size = 0
        self.blocks: dict[int, list[tuple[int, bytes]]] = {}
        self.sizes: list[tuple[int, int]] = []
        self._begun: dict[int, tuple[int, list[int]]] = {}

    def write(self, time: int, start: int, data: bytes) -> None:
        if start + len(data) > len(self._seen):
            self._seen.extend(bytes(start + len(data) - len(self._seen)))
            self.sizes.append((time, len(self._seen)))
        self._seen[start : start + len(data)] = data
        self._changed(time, start, start + len(data))

    def resize(self, time: int, size: int) -> None:
        before = len(self._seen)
        if size < before:
            del self._seen[size:]
        else:
            self._seen.extend(bytes(size - before))
        self.sizes.append((time, size))
        self._changed(time, min(size, before), max(size, before))

    def _changed(self, time: int, start: int, stop: int) -> None:
        block = self._block
        for number in range(start // block, -(-stop // block)):
            content = bytes(self._seen[number * block : (number + 1) * block]).ljust(block, b"\0")
            self.blocks.setdefault(number, []).append((time, content))

    def begin(self, time: int, token: int, span: tuple[int, int] | None) -> None:
        some = self.blocks if span is None else range(span[0] // self._block, -(-span[1] // self._block))
        self._begun[token] = time, [number for number in some if number in self.blocks]

    def end(self, token: int) -> None:
        time, blocks = self._begun.pop(token)
        for number in blocks:
            for _, content in _taken(self.blocks.get(number, []), time):
                self._lasting[number] = content
            if not self.blocks.get(number, ...):
                del self.blocks[number]
        for _, size in _taken(self.sizes, time):
            self._lasting_size = size

    def after_a_cut(self, choose: Choice) -> bytes:
        content = dict(self._lasting)
        for number, versions in self.blocks.items():
            taken = choose([Pending(time, is_name=False) for time, _ in versions])
            if taken:
                content[number] = versions[taken - 1][1]
        taken = choose([Pending(time, is_name=False) for time, _ in self.sizes]) if self.sizes else 0
        size = self.sizes[taken - 1][1] if taken else self._lasting_size
        data = bytearray(size + self._block)
        for number, block in content.items():
            if number * self._block < size:
                data[number * self._block : (number + 1) * self._block] = block
        return bytes(data[:size])


class _Folder:
    """The names of a folder: those that last, and what was done to them since."""

    def __init__(self) -> None:
        self._lasting: dict[str, int] = {}
        self.changes: list[tuple[int, dict[str, int | None]]] = []
        self._begun: dict[int, int] = {}

    def change(self, time: int, names: dict[str, int | None]) -> None:
        self.changes.append((time, names))

    def begin(self, time: int, token: int) -> None:
        self._begun[token] = time

    def end(self, token: int) -> None:
        for _, names in _taken(self.changes, self._begun.pop(token)):
            _apply(self._lasting, names)

    def after_a_cut(self, choose: Choice) -> dict[str, int]:
        entries = dict(self._lasting)
        for time, names in self.changes:
            if choose([Pending(time, is_name=True)]):
                _apply(entries, names)
        return entries


def _taken(versions: list[tuple[int, T]], time: int) -> list[tuple[int, T]]:
    """Those of before a time, which are taken out."""
    count = sum(each < time for each, _ in versions)
    taken = versions[:count]
    del versions[:count]
    return taken


def _apply(entries: dict[str, int], names: dict[str, int | None]) -> None:
    for name, node in names.items():
        if node is None:
            entries.pop(name, None)
        else:
            entries[name] = node


class Disk:
    """A folder on a disk that writes blocks of this many bytes."""

    def __init__(self, block: int) -> None:
        self._block = block
        self._files: dict[int, _File] = {}
        self._folders: dict[int, _Folder] = {ROOT: _Folder()}

    def take(self, time: int, operation: Operation) -> None:
        """Do an operation; `time` is its number."""
        match operation:
            case Made(node, parent, name, is_folder):
                if is_folder:
                    self._folders[node] = _Folder()
                else:
                    self._files[node] = _File(self._block)
                self._folders[parent].change(time, {name: node})
            case Renamed(node, parent, name, new_parent, new_name) if parent == new_parent:
                self._folders[parent].change(time, {name: None, new_name: node})
            case Renamed(node, parent, name, new_parent, new_name):
                self._folders[parent].change(time, {name: None})
                self._folders[new_parent].change(time, {new_name: node})
            case Linked(node, parent, name):
                self._folders[parent].change(time, {name: node})
            case Removed(parent, name):
                self._folders[parent].change(time, {name: None})
            case Wrote(node, start, data):
                self._files[node].write(time, start, data)
            case Sized(node, size):
                self._files[node].resize(time, size)
            case SyncBegan(node, token, span):
                if node in self._files:
                    self._files[node].begin(time, token, span)
                else:
                    self._folders[node].begin(time, token)
            case SyncEnded(node, token):
                (self._files.get(node) or self._folders[node]).end(token)
            case _:
                pass

    def pending(self) -> list[Pending]:
        """Everything that may have come to the disk, or not."""
        found = [Pending(time, is_name=True) for each in self._folders.values() for time, _ in each.changes]
        for each in self._files.values():
            times = [time for versions in each.blocks.values() for time, _ in versions]
            times += [time for time, _ in each.sizes]
            found += (Pending(time, is_name=False) for time in times)
        return found

    def after_a_cut(self, choose: Choice) -> Tree:
        """What lies there when the power is back. What has no name by which it can be found is nowhere."""
        tree: Tree = {}
        waiting = [(ROOT, "")]
        while waiting:
            node, path = waiting.pop()
            for name, child in self._folders[node].after_a_cut(choose).items():
                if child in self._files:
                    tree[path + name] = self._files[child].after_a_cut(choose)
                else:
                    tree[path + name] = None
                    waiting.append((child, f"{path}{name}/"))
        return tree


# -- which of it -------------------------------------------------------------------------------------------------------


def nothing(changes: list[Pending]) -> int:
    """Only what was synced."""
    return 0


def everything(changes: list[Pending]) -> int:
    """As if a process had been killed."""
    return len(changes)


def names_only(changes: list[Pending]) -> int:
    """Names come to the disk at once, and contents late."""
    return len(changes) if changes[0].is_name else 0


def contents_only(changes: list[Pending]) -> int:
    """The other way round."""
    return 0 if changes[0].is_name else len(changes)


def only_the_last(disk: Disk) -> Choice:
    """What was done last overtook everything."""
    last = max((each.time for each in disk.pending()), default=0)
    return lambda changes: len(changes) if changes[-1].time == last else 0


def all_but_the_first(disk: Disk) -> Choice:
    """What was done first was left behind."""
    first = min((each.time for each in disk.pending()), default=0)
    return lambda changes: 0 if changes[-1].time == first else len(changes)


def by_chance(dice: random.Random) -> Choice:
    """Each for itself; how much of it is thrown first."""
    share = dice.choice((0.05, 0.3, 0.5, 0.7, 0.95))
    return lambda changes: sum(dice.random() < share for _ in changes)


def up_to(time: int) -> Choice:
    """Everything in the order in which it was done, up to some time."""
    return lambda changes: sum(each.time <= time for each in changes)
