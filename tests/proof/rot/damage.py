"""Damage: one bit, a page of zeros, or an end that is gone, in one file of a data folder.

log, views    LMDB's file: six of ten tries in a page that is in use, where it is likely to hurt, the others
              anywhere; a few in CURRENT, which names the folder
ring          one copy of the key ring; a quarter of the tries in both, at the same place
shadow        its log or its views, as above; a fifth of the tries in its manifest
backup        a fifth of the tries in its manifest, a fifth in its ledger, the others in its events

And what is none, since nobody uses what it changes: a bit in a page that the newest commit does not stand on, bytes
behind those that a backup's manifest counts.
"""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from replay.pages.fitting import Node, PageFile, Span, Walk, branches_of, metas, nodes_of
from replay.pages.fitting import _places as places_of
from replay.pages.form import PAGE_SIZE

Kind = Literal["flip", "zero", "cut", "more"]
Where = Literal["log", "ring", "views", "shadow", "backup"]
KINDS: tuple[Kind, ...] = ("flip", "zero", "cut")
PLACES: tuple[Where, ...] = ("log", "ring", "views")
COPIES = ("keys/ring-a", "keys/ring-b")
SECTOR = 512
HEADS = 48
"""Bytes at the beginning of a page that say what is in it."""


class Damage(NamedTuple):
    """What is done to which files (relative to the data folder; where there are none, nothing), from which byte on, how
    many bytes; of a flip, which bit. `in_use`: whether the newest commit stands on it.
    """

    kind: Kind
    where: Where
    files: tuple[str, ...]
    at: int
    bit: int
    size: int
    in_use: bool

    def inflict(self, data: Path) -> bool:
        """Do it; False where it changes nothing, since there are zeros already."""
        changed = False
        for name in self.files:
            before = (data / name).read_bytes()
            after = self._done(before)
            (data / name).write_bytes(after)
            changed |= after != before
        return changed

    def _done(self, before: bytes) -> bytes:
        behind = self.at + self.size
        match self.kind:
            case "cut":
                return before[: self.at]
            case "zero":
                return before[: self.at] + bytes(len(before[self.at : behind])) + before[behind:]
            case "flip":
                return before[: self.at] + bytes((before[self.at] ^ 1 << self.bit,)) + before[self.at + 1 :]
            case "more":
                return before + bytes((self.bit,)) * self.size

    def __str__(self) -> str:
        if not self.files:
            return f"nothing in the {self.where}"
        return f"{self.kind} at {self.at} (bit {self.bit}) of {' and '.join(self.files)}"


class Ground(NamedTuple):
    """The files of a data folder that is whole: their sizes, which pages of each are in use, and on which pages of the
    log each event stands.
    """

    sizes: dict[str, int]
    used: dict[str, tuple[int, ...]]
    pages: dict[int, frozenset[int]]

    def file(self, where: Where, end: str) -> str:
        """The file of the log or of the views that is called so."""
        return next(name for name in self.sizes if name.startswith(where) and name.endswith(end))

    def free(self) -> list[tuple[str, int]]:
        """The pages that are not in use, each with its file."""
        pages = ((name, range(self.sizes[name] // PAGE_SIZE), frozenset(used)) for name, used in self.used.items())
        return [(name, page) for name, every, used in pages for page in every if page not in used]


def ground(data: Path) -> Ground:
    """Look at a data folder."""
    paths = [path for folder in ("log", "keys", "views") for path in (data / folder).rglob("*") if path.is_file()]
    wanted = [path for path in paths if path.name in ("data.mdb", "CURRENT", "ring-a", "ring-b")]
    sizes = {str(path.relative_to(data)): path.stat().st_size for path in wanted}
    databases = [name for name in sizes if name.endswith("data.mdb")]
    log = next(name for name in databases if name.startswith("log"))
    return Ground(sizes, {name: in_use(data / name) for name in databases}, pages_of_events(data / log))


def in_use(path: Path) -> tuple[int, ...]:
    """The pages that the newest commit stands on: the meta pages, and those of every tree."""
    file = PageFile(path)
    try:
        meta = max(metas(file), key=lambda each: each.commit)
        walk = Walk(file, meta.last)
        for tree in (meta.free, *walk.tables(meta.names).values()):
            for _ in walk.rows("", tree):
                pass
        return tuple(number for number, met in enumerate(walk.used) if met)
    finally:
        file.close()


def pages_of_events(path: Path) -> dict[int, frozenset[int]]:
    """The pages without which an event cannot be read, by its seq."""
    file = PageFile(path)
    found: dict[int, frozenset[int]] = {}
    try:
        meta = max(metas(file), key=lambda each: each.commit)
        tables = Walk(file, meta.last).tables(meta.names)
        for table in ("headers", "bodies"):
            for key, pages in _paths(file, Span(tables[table].root, b"", None, 1), frozenset((0, 1, meta.names.root))):
                seq = int.from_bytes(key, "big")
                found[seq] = found.get(seq, frozenset()) | pages
    finally:
        file.close()
    return found


def _paths(file: PageFile, at: Span, above: frozenset[int]) -> Iterator[tuple[bytes, frozenset[int]]]:
    page, path = file.page(at.page), above | {at.page}
    if page[10] == 1:
        for each in branches_of(page, at):
            yield from _paths(file, each, path)
        return
    for node in nodes_of(page, at):
        yield node.key, path | frozenset(range(node.large, node.large + pages_of_large(node)))


def taken(damage: Damage, files: Ground) -> frozenset[int]:
    """The events that no longer can be read after a cut, or a whole page of theirs is gone; by the place alone."""
    if damage.where != "log" or damage.kind == "flip" or not damage.files[0].endswith("data.mdb"):
        return frozenset()
    if damage.kind == "zero":
        gone = {damage.at // PAGE_SIZE} - {0, 1}
        return frozenset(seq for seq, pages in files.pages.items() if pages & gone)
    kept = damage.at // PAGE_SIZE
    return frozenset(seq for seq, pages in files.pages.items() if max(pages) >= kept)


def struck(damage: Damage, whole: Path) -> frozenset[int]:
    """The events whose own bytes a flip in the log hits, in a row of a leaf or in large data, as they lie in the
    undamaged data folder; none where it hits what leads to rows.
    """
    file = PageFile(whole / damage.files[0])
    try:
        number, inside = divmod(damage.at, PAGE_SIZE)
        meta = max(metas(file), key=lambda each: each.commit)
        tables = Walk(file, meta.last).tables(meta.names)
        found: set[int] = set()
        for table in ("headers", "bodies"):
            for at, nodes in Walk(file, meta.last).rows(table, tables[table]):
                places = places_of(file.page(at.page)) if at.page == number else ()
                lengths = (8 + len(node.key) + (8 if node.large else len(node.data)) for node in nodes)
                hit = [start <= inside < start + length for start, length in zip(places, lengths, strict=False)]
                hit = hit or [0 <= number - node.large < pages_of_large(node) for node in nodes]
                found |= {int.from_bytes(node.key, "big") for node, is_hit in zip(nodes, hit, strict=True) if is_hit}
        return frozenset(found)
    finally:
        file.close()


def pages_of_large(node: Node) -> int:
    """How many pages the large data of a row has; 0 where it has none."""
    return -(-(node.size + 16) // PAGE_SIZE) if node.large else 0


def ground_beside(folder: Path, part: str) -> Ground:
    """Look at what lies in a part of a folder: a shadow, a backup. Locks are left out."""
    files = [path for path in sorted((folder / part).rglob("*")) if path.is_file() and path.name != "lock.mdb"]
    sizes = {str(path.relative_to(folder)): path.stat().st_size for path in files if path.stat().st_size}
    return Ground(sizes, {name: in_use(folder / name) for name in sizes if name.endswith("data.mdb")}, {})


def chosen_beside(kind: Kind, where: Where, files: Ground, dice: Random) -> Damage:
    """Damage to a shadow or a backup by chance."""
    small = [name for name in files.sizes if name.endswith(("ledger", ".json"))]
    name = dice.choice(small) if dice.random() < 0.2 * len(small) else dice.choice(sorted({*files.sizes} - {*small}))
    if name in files.used:
        return _of_database(kind, where, name, files, dice)
    at = dice.randrange(files.sizes[name])
    return Damage(kind, where, (name,), at, dice.randrange(8), SECTOR, in_use=True)


def harmless(where: Where, files: Ground, dice: Random | None) -> Damage:
    """Damage by chance to what nobody uses; without dice, and in a key ring, where every byte is used: none."""
    if dice is None or where == "ring":
        return Damage("flip", where, (), 0, 0, 0, in_use=False)
    if where == "backup":
        piece = max(name for name in files.sizes if name.startswith("events/"))
        return Damage("more", where, (piece,), files.sizes[piece], dice.randrange(8), SECTOR, in_use=False)
    name, page = dice.choice([each for each in files.free() if where == "shadow" or each[0].startswith(where)])
    at = page * PAGE_SIZE + dice.randrange(PAGE_SIZE)
    return Damage("flip", where, (name,), at, dice.randrange(8), 1, in_use=False)


def chosen(kind: Kind, where: Where, files: Ground, dice: Random) -> Damage:
    """Damage by chance."""
    if where == "ring":
        return _of_ring(kind, files, dice)
    if dice.random() < 0.03:
        current = files.file(where, "CURRENT")
        size = files.sizes[current]
        return Damage(kind, where, (current,), dice.randrange(size), dice.randrange(8), size, in_use=True)
    return _of_database(kind, where, files.file(where, "data.mdb"), files, dice)


def _of_database(kind: Kind, where: Where, name: str, files: Ground, dice: Random) -> Damage:
    used = files.used[name]
    if kind == "cut":
        at = dice.randrange(files.sizes[name])
        return Damage(kind, where, (name,), at, 0, 0, in_use=at // PAGE_SIZE <= max(used))
    page = dice.choice(used) if dice.random() < 0.6 else dice.randrange(files.sizes[name] // PAGE_SIZE)
    inside = 0 if kind == "zero" else dice.randrange(dice.choice((HEADS, PAGE_SIZE, PAGE_SIZE)))
    if kind == "flip" and page < 2:  # elsewhere there is nothing in it
        inside = dice.randrange(152)
    return Damage(kind, where, (name,), page * PAGE_SIZE + inside, dice.randrange(8), PAGE_SIZE, in_use=page in used)


def _of_ring(kind: Kind, files: Ground, dice: Random) -> Damage:
    hit = COPIES if dice.random() < 0.25 else (dice.choice(COPIES),)
    at, size = dice.randrange(files.sizes[hit[0]]), dice.choice((SECTOR, PAGE_SIZE))
    return Damage(kind, "ring", hit, at - at % size if kind == "zero" else at, dice.randrange(8), size, in_use=True)
