"""Whether the pages of an LMDB file fit together, read from its bytes.

LMDB has no checksums and trusts its pages: a damaged one may end the process that follows it, hide rows, or show those
of an earlier commit. Here every page is read as data (form.py draws them). Nothing is followed that does not fit: every
page is a meta page, or in one tree and once, or free.
"""

import os
import struct
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

from replay.pages.form import BIG, BRANCH, EMPTY, LARGE, LEAF, NODE, NUMBER, OVERFLOW, PAGE, PAGE_SIZE, SUB, TREE

TREE_BYTES = TREE.size
_NO_WAIT = getattr(os, "RWF_NOWAIT", 0)
_SOON = getattr(os, "POSIX_FADV_WILLNEED", None)
_KINDS = (0, BIG, SUB)
DEEPEST = 32
FREE, NAMES = "free pages", "names of tables"
ENDS = "the file ends before it"


class Flaw(NamedTuple):
    """A page that does not fit, by its table and number, and the first key it may have had and the first behind it."""

    table: str
    page: int
    what: str
    first: bytes = b""
    behind: bytes | None = None


class Tree(NamedTuple):
    """What is recorded of a tree."""

    pad: int
    flags: int
    depth: int
    branches: int
    leaves: int
    large: int
    rows: int
    root: int

    @classmethod
    def read(cls, data: bytes, start: int = 0) -> "Tree":
        """From the TREE_BYTES that stand for it."""
        return cls(*TREE.unpack_from(data, start))


NO_TREE = Tree(0, 0, 0, 0, 0, 0, 0, EMPTY)


class Span(NamedTuple):
    """Where a page hangs: keys from `first` on and before `behind`, so many levels under the root. Keys that are
    numbers (`numbered`) lie with their least byte first, and are turned round to be compared.
    """

    page: int
    first: bytes
    behind: bytes | None
    depth: int
    numbered: bool = False


class Node(NamedTuple):
    """A row: its key, and its data where it lies in the page; else the page of its large data, and its size."""

    key: bytes
    data: bytes
    large: int
    size: int
    flags: int


class BadPage(Exception):
    """A page that does not fit, and why."""


class PageFile:
    """The pages of a file, read one by one: never mapped, so that one that is not there is an error and no signal."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY)

    def page(self, number: int, count: int = 1) -> bytes:
        """So many pages in a row; BadPage where the file ends before."""
        data = os.pread(self._descriptor, count * PAGE_SIZE, number * PAGE_SIZE)
        if len(data) < count * PAGE_SIZE:
            raise BadPage(ENDS)
        return data

    def heads(self, numbers: Sequence[int]) -> bytes:
        """How pages begin: of each the 16 bytes that say what it is; BadPage where the file ends before."""
        places = (number * PAGE_SIZE for number in numbers)
        data = b"".join(map(os.pread, repeat(self._descriptor), repeat(LARGE.size), places))
        if len(data) < len(numbers) * LARGE.size:
            raise BadPage(ENDS)
        return data

    def fill(self, room: memoryview, number: int) -> None:
        """As many pages in a row as there is room for, from this one on; BadPage where the file ends before."""
        if os.preadv(self._descriptor, [room], number * PAGE_SIZE) < len(room):
            raise BadPage(ENDS)

    def fill_now(self, room: memoryview, number: int) -> bool:
        """The same where it is all in memory; False where it is not, or nobody can say."""
        try:
            return os.preadv(self._descriptor, [room], number * PAGE_SIZE, _NO_WAIT) == len(room)
        except OSError:
            return False

    def ahead(self, number: int, count: int) -> None:
        """So many pages in a row are read soon: the disk may begin."""
        if _SOON is not None:
            os.posix_fadvise(self._descriptor, number * PAGE_SIZE, count * PAGE_SIZE, _SOON)

    def close(self) -> None:
        """Let the file go."""
        os.close(self._descriptor)

    @property
    def pages(self) -> int:
        """How many there are."""
        return os.fstat(self._descriptor).st_size // PAGE_SIZE


def branches_of(page: bytes, at: Span) -> list[Span]:
    """The pages under a branch page, or BadPage."""
    found: list[Span] = []
    for place in _places(page):
        low, high, flags, size = NODE.unpack_from(page, place)
        key = page[place + 8 : place + 8 + size]
        if len(key) < size:
            raise BadPage("a key goes beyond its end")
        found.append(Span(low | high << 16 | flags << 32, _turned(key, at), None, at.depth + 1, at.numbered))
    found[0] = found[0]._replace(first=at.first)
    behind = [each.first for each in found[1:]] + [at.behind]
    spans = [each._replace(behind=stop) for each, stop in zip(found, behind, strict=True)]
    if any(each.behind is not None and each.first >= each.behind for each in spans):
        raise BadPage("its keys are in no order")
    return spans


def nodes_of(page: bytes, at: Span) -> list[Node]:
    """The rows of a leaf page, or BadPage."""
    found: list[Node] = []
    room = 0
    unpack, make, numbered = NODE.unpack_from, Node._make, at.numbered  # whoever verifies waits for this
    before = b""
    for place in _places(page):
        low, high, flags, size = unpack(page, place)
        if flags not in _KINDS:
            raise BadPage("a row is of a kind that is not used here")
        start = place + 8 + size
        length = low | high << 16
        end = start + (8 if flags & BIG else length)
        if end > PAGE_SIZE:
            raise BadPage("a row goes beyond its end")
        key = page[place + 8 : start]
        if numbered:
            key = key[::-1]
        if key <= before and found:
            raise BadPage("its keys are in no order")
        before = key
        room += end - place + (end & 1)
        large = NUMBER.unpack_from(page, start)[0] if flags & BIG else 0
        found.append(make((key, b"" if large else page[start:end], large, length, flags)))
    if found[0].key < at.first or (at.behind is not None and before >= at.behind):
        raise BadPage("its keys belong elsewhere")
    if room != PAGE_SIZE - PAGE.unpack_from(page)[4]:
        raise BadPage("its rows do not fill the room that they have")
    return found


def _turned(key: bytes, at: Span) -> bytes:
    return key[::-1] if at.numbered else key


def _places(page: bytes) -> tuple[int, ...]:
    _, _, _, lower, upper = PAGE.unpack_from(page)
    if not PAGE.size < lower <= upper <= PAGE_SIZE or lower % 2:
        raise BadPage("it does not say how many rows it has")
    places: tuple[int, ...] = struct.unpack_from(f"<{(lower - PAGE.size) // 2}H", page, PAGE.size)
    if min(places) < upper or max(places) > PAGE_SIZE - NODE.size:
        raise BadPage("it says that a row lies where none can be")
    return places


class Walk:
    """A walk over every page of a file as of one commit, up to the `last`. `used` has a byte for each page: whether it
    was met. BadPage where there cannot be so many: those that the file lacks stand in its list of free pages.
    """

    def __init__(self, file: PageFile, last: int) -> None:
        if last >= file.pages * (PAGE_SIZE // NUMBER.size):
            raise BadPage("it says that the file has more pages than it can have")
        self.file = file
        self.flaws: list[Flaw] = []
        self.used = bytearray(last + 1)
        self.used[:2] = b"\1\1"
        self.last = last

    def rows(self, table: str, tree: Tree) -> Iterator[tuple[Span, list[Node]]]:
        """The leaf pages of a tree that fit, in key order, with their rows; what does not is a flaw."""
        counted = [0, 0, 0, 0]
        before, deepest = len(self.flaws), 0
        waiting = [Span(tree.root, b"", None, 1, table == FREE)] if tree.root != EMPTY else []
        while waiting:
            at = waiting.pop()
            try:
                page = self._take(at)
                if PAGE.unpack_from(page)[2] == BRANCH:
                    waiting += reversed(branches_of(page, at))
                    counted[0] += 1
                    continue
                nodes = nodes_of(page, at)
                if table != NAMES and any(node.flags == SUB for node in nodes):
                    raise BadPage("a row is of a kind that is not used here")
            except BadPage as error:
                self.flaws.append(Flaw(table, at.page, str(error), at.first, at.behind))
                continue
            large = [self._take_large(table, node) for node in nodes if node.flags & BIG]
            if 0 in large:
                nodes = [node for node in nodes if not node.flags & BIG or large.pop(0)]
            else:
                counted[2] += sum(large)
            counted[1] += 1
            counted[3] += len(nodes)
            deepest = max(deepest, at.depth)
            if at.depth != tree.depth:
                self.flaws.append(Flaw(table, at.page, "it lies too high or too deep", at.first, at.behind))
            yield at, nodes
        if len(self.flaws) == before and (*counted, deepest) != (*tree[3:7], tree.depth):
            self.flaws.append(Flaw(table, tree.root, "the table has other pages or rows than it says"))

    def _take(self, at: Span) -> bytes:
        self._meet(at.page)
        page = self.file.page(at.page)
        number, _, flags, _, _ = PAGE.unpack_from(page)
        if number != at.page or flags not in (BRANCH, LEAF) or at.depth > DEEPEST:
            raise BadPage("it is not the page that should be there")
        return page

    def _take_large(self, table: str, node: Node) -> int:
        """How many pages the large data of a row has; 0 where it does not fit."""
        count = -(-(node.size + LARGE.size) // PAGE_SIZE)
        try:
            self._meet(node.large)
            number, _, flags, says = LARGE.unpack_from(self.file.page(node.large))
            if (number, flags, says) != (node.large, OVERFLOW, count):
                raise BadPage("it is not the large data that should be there")
            for page in range(node.large + 1, node.large + count):
                self._meet(page)
            self.file.page(node.large + count - 1)
        except BadPage as error:
            self.flaws.append(Flaw(table, node.large, str(error), node.key, node.key + b"\0"))
            return 0
        return count

    def _meet(self, page: int) -> None:
        if not 1 < page <= self.last:
            raise BadPage("it lies behind the file's end")
        if self.used[page]:
            raise BadPage("it is in use twice")
        self.used[page] = 1

    def data(self, node: Node) -> bytes:
        """What a row holds."""
        if not node.flags & BIG:
            return node.data
        count = -(-(node.size + LARGE.size) // PAGE_SIZE)
        return self.file.page(node.large, count)[LARGE.size : LARGE.size + node.size]

    def free(self, tree: Tree) -> None:
        """Meet every free page."""
        for at, nodes in self.rows(FREE, tree._replace(flags=0)):
            for node in nodes:
                data = self.data(node)
                try:
                    for page in struct.unpack_from(f"<{NUMBER.unpack_from(data)[0]}Q", data, 8):
                        self._meet(page)
                except (BadPage, struct.error) as error:
                    self.flaws.append(Flaw(FREE, at.page, f"its list of free pages: {error}"))

    def tables(self, tree: Tree) -> dict[str, Tree]:
        """The trees of the tables, by name."""
        found: dict[str, Tree] = {}
        for _, nodes in self.rows(NAMES, tree):
            for node in nodes:
                if node.flags == SUB and len(node.data) == TREE_BYTES:
                    found[node.key.decode("utf-8", "replace")] = Tree.read(node.data)
        for name, each in found.items():
            if each.flags or each.pad:
                self.flaws.append(Flaw(name, each.root, "the table is of another kind than it was made"))
        return found


class Meta(NamedTuple):
    """A meta page: the trees of free pages and of names, the last page, the commit. Of two commits that follow each
    other, the even one is on page 0.
    """

    free: Tree
    names: Tree
    last: int
    commit: int


def metas(file: PageFile) -> list[Meta]:
    """Both."""
    pages = [file.page(number) for number in (0, 1)]
    return [Meta(Tree.read(page, 40), Tree.read(page, 88), *struct.unpack_from("<QQ", page, 136)) for page in pages]
