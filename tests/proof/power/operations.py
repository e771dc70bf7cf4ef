"""What a trace did to one folder: its operations on files and folders, by number, in order.

The folder was empty at first. Descriptors are followed, so that a file that was renamed or removed is still known by
what has it open.
"""

import os
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path

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
    Told,
    Wrote,
)
from tests.proof.power.trace import Call, UnknownCall

UNKNOWN_BYTES = ("lock.mdb",)
"""Files that are written through a map, which no trace sees: LMDB's tables of readers, which mean nothing once the
machine was off."""


class _Open:
    """An open file: which, where it is written next, and how."""

    def __init__(self, node: int, flags: frozenset[str]) -> None:
        self.node = node
        self.flags = flags
        self.at = 0


class Reader:
    """Follows calls. `told` is the file into which the child says what was acknowledged."""

    def __init__(self, root: Path, told: Path) -> None:
        self._root = os.fsencode(root)
        self._told = os.fsencode(told)
        self._made = 1
        self._folders: dict[int, dict[str, int]] = {ROOT: {}}
        self._sizes: dict[int, int] = {}
        self._open: dict[int, _Open] = {}
        self._tellers: set[int] = set()
        self._syncs: dict[int, SyncBegan] = {}
        self._tokens = 0

    def read(self, calls: Iterable[Call]) -> Iterator[Operation]:
        """The operations of these calls."""
        for call in calls:
            if call.result is None:
                yield from self._began(call)
            elif call.result >= 0 or call.name == "mmap":
                yield from getattr(self, f"_on_{call.name}", self._refuse)(call)
            else:
                self._syncs.pop(call.thread, None)

    # -- which -------------------------------------------------------------------------------------------------------

    def _place(self, folder: str, path: bytes) -> tuple[int, str] | None:
        """The folder and the name that a path means; None outside. The name is empty for the root itself."""
        if path.startswith(b"/"):
            if path == self._root:
                return ROOT, ""
            if not path.startswith(self._root + b"/"):
                return None
            node, rest = ROOT, path[len(self._root) + 1 :]
        elif folder == "AT_FDCWD":
            return None  # the folder lies elsewhere than where the child runs
        else:
            known = self._open.get(int(folder))
            if known is None or known.node not in self._folders:
                return None
            node, rest = known.node, path
        *above, name = os.fsdecode(rest).split("/")
        for each in above:
            node = self._folders[node][each]
        return node, name

    def _node(self, place: tuple[int, str]) -> int | None:
        parent, name = place
        return parent if name in ("", ".") else self._folders[parent].get(name)

    def _refuse(self, call: Call) -> Iterator[Operation]:
        raise UnknownCall(f"{call.name}({call.arguments[:100]}")

    def _has(self, call: Call) -> _Open | None:
        return self._open.get(call.number(0))

    # -- names -------------------------------------------------------------------------------------------------------

    def _on_open(self, call: Call) -> Iterator[Operation]:
        return self._on_openat(call._replace(arguments=f"AT_FDCWD, {call.arguments}"))

    def _on_openat(self, call: Call) -> Iterator[Operation]:
        assert call.result is not None
        path, flags = call.strings[0], frozenset(call.words[2].split("|"))
        if path == self._told:
            self._tellers.add(call.result)
            return
        place = self._place(call.words[0], path)
        if place is None:
            return
        node = self._node(place)
        if node is None:
            if "O_CREAT" not in flags:
                raise UnknownCall(f"opens what was never made: {os.fsdecode(path)}")
            node = yield from self._make(place, is_folder=False)
        elif "O_TRUNC" in flags and self._sizes.get(node):
            self._sizes[node] = 0
            yield Sized(node, 0)
        self._open[call.result] = _Open(node, flags)

    def _make(self, place: tuple[int, str], *, is_folder: bool) -> Generator[Operation, None, int]:
        node, self._made = self._made, self._made + 1
        parent, name = place
        self._folders[parent][name] = node
        if is_folder:
            self._folders[node] = {}
        else:
            self._sizes[node] = 0
        yield Made(node, parent, name, is_folder)
        return node

    def _on_mkdir(self, call: Call) -> Iterator[Operation]:
        yield from self._makes_folder(self._place("AT_FDCWD", call.strings[0]))

    def _on_mkdirat(self, call: Call) -> Iterator[Operation]:
        yield from self._makes_folder(self._place(call.words[0], call.strings[0]))

    def _makes_folder(self, place: tuple[int, str] | None) -> Iterator[Operation]:
        if place is not None:
            yield from self._make(place, is_folder=True)

    def _on_rename(self, call: Call) -> Iterator[Operation]:
        yield from self._renames(*(self._place("AT_FDCWD", path) for path in call.strings))

    def _on_renameat(self, call: Call) -> Iterator[Operation]:
        words, (old, new) = call.words, call.strings
        yield from self._renames(self._place(words[0], old), self._place(words[2], new))

    _on_renameat2 = _on_renameat

    def _renames(self, old: tuple[int, str] | None, new: tuple[int, str] | None) -> Iterator[Operation]:
        if old is None and new is None:
            return
        if old is None or new is None:
            raise UnknownCall("something was moved into the folder, or out of it")
        node = self._folders[old[0]].pop(old[1])
        self._folders[new[0]][new[1]] = node
        yield Renamed(node, *old, *new)

    def _on_link(self, call: Call) -> Iterator[Operation]:
        yield from self._links(*(self._place("AT_FDCWD", path) for path in call.strings))

    def _on_linkat(self, call: Call) -> Iterator[Operation]:
        words, (old, new) = call.words, call.strings
        yield from self._links(self._place(words[0], old), self._place(words[2], new))

    def _links(self, old: tuple[int, str] | None, new: tuple[int, str] | None) -> Iterator[Operation]:
        if old is None and new is None:
            return
        if old is None or new is None:
            raise UnknownCall("something has a name in the folder, and another one outside of it")
        node = self._folders[old[0]][old[1]]
        self._folders[new[0]][new[1]] = node
        yield Linked(node, *new)

    def _on_unlink(self, call: Call) -> Iterator[Operation]:
        yield from self._removes(self._place("AT_FDCWD", call.strings[0]))

    _on_rmdir = _on_unlink

    def _on_unlinkat(self, call: Call) -> Iterator[Operation]:
        yield from self._removes(self._place(call.words[0], call.strings[0]))

    def _removes(self, place: tuple[int, str] | None) -> Iterator[Operation]:
        if place is not None:
            del self._folders[place[0]][place[1]]
            yield Removed(*place)

    # -- descriptors -------------------------------------------------------------------------------------------------

    def _on_close(self, call: Call) -> Iterator[Operation]:
        self._open.pop(call.number(0), None)
        self._tellers.discard(call.number(0))
        yield from ()

    def _on_dup(self, call: Call) -> Iterator[Operation]:
        assert call.result is not None
        if (known := self._has(call)) is not None:
            self._open[call.result] = known
        yield from ()

    _on_dup2 = _on_dup3 = _on_dup

    def _on_lseek(self, call: Call) -> Iterator[Operation]:
        if (known := self._has(call)) is not None:
            known.at = call.result or 0
        yield from ()

    def _on_mmap(self, call: Call) -> Iterator[Operation]:
        *_, protection, flags, descriptor, _ = call.words
        known = self._open.get(int(descriptor, 0))
        if known is not None and "PROT_WRITE" in protection and "MAP_SHARED" in flags:
            names = [name for entries in self._folders.values() for name, node in entries.items() if node == known.node]
            if not set(names) <= set(UNKNOWN_BYTES):
                raise UnknownCall(f"{names} is written through a map, which no trace sees")
        yield from ()

    # -- bytes -------------------------------------------------------------------------------------------------------

    def _on_write(self, call: Call) -> Iterator[Operation]:
        data = b"".join(call.strings)[: call.result]
        if call.number(0) in self._tellers:
            yield Told(data)
            return
        known = self._has(call)
        if known is not None:
            start = self._sizes[known.node] if "O_APPEND" in known.flags else known.at
            known.at = start + len(data)
            yield from self._writes(known, start, data)

    _on_writev = _on_write

    def _on_pwrite64(self, call: Call) -> Iterator[Operation]:
        if (known := self._has(call)) is not None:
            yield from self._writes(known, call.number(-1), b"".join(call.strings)[: call.result])

    _on_pwritev = _on_pwrite64

    def _writes(self, known: _Open, start: int, data: bytes) -> Iterator[Operation]:
        if not data:
            return
        self._sizes[known.node] = max(self._sizes[known.node], start + len(data))
        yield Wrote(known.node, start, data)
        if known.flags & {"O_DSYNC", "O_SYNC"}:
            self._tokens += 1
            yield SyncBegan(known.node, self._tokens, (start, start + len(data)))
            yield SyncEnded(known.node, self._tokens)

    def _on_ftruncate(self, call: Call) -> Iterator[Operation]:
        if (known := self._has(call)) is not None and self._sizes[known.node] != call.number(1):
            self._sizes[known.node] = call.number(1)
            yield Sized(known.node, call.number(1))

    def _on_fallocate(self, call: Call) -> Iterator[Operation]:
        if (known := self._has(call)) is not None:
            size = max(self._sizes[known.node], call.number(2) + call.number(3))
            self._sizes[known.node] = size
            yield Sized(known.node, size)

    # -- syncs -------------------------------------------------------------------------------------------------------

    def _began(self, call: Call) -> Iterator[Operation]:
        """A sync that another thread's calls came in between: only what was done before it is sure to last."""
        if call.name in ("fsync", "fdatasync") and (known := self._has(call)) is not None:
            self._tokens += 1
            self._syncs[call.thread] = SyncBegan(known.node, self._tokens)
            yield self._syncs[call.thread]

    def _on_fsync(self, call: Call) -> Iterator[Operation]:
        known, began = self._has(call), self._syncs.pop(call.thread, None)
        if began is None and known is not None:
            self._tokens += 1
            began = SyncBegan(known.node, self._tokens)
            yield began
        if began is not None:
            yield SyncEnded(began.node, began.token)

    _on_fdatasync = _on_fsync


def operations(calls: Iterable[Call], root: Path, told: Path) -> list[Operation]:
    """What calls did under `root`, and what was acknowledged in between."""
    return list(Reader(root, told).read(calls))
