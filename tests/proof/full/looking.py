"""What is left of a memory behind a command: right behind the fault, and once the command has come again."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from dnam.shadows.manifest import exists, load
from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.folding import Folding
from replay.proofs import edge_at
from replay.shadows.store import ShadowStore
from replay.store import DiskStore
from replay.verify import Problem, verify
from tests.proof.full.said import SHADOW

UNOPENED = "it cannot be opened"
PASSED = {"key ring:": "a copy of the key ring", "views:": "views"}
"""What `verify` may tell of right behind a fault, by how it begins, and how that is called: a writer mends the one and
builds the other again, whereupon nothing may be told of either any more.
"""


class Stood(NamedTuple):
    """What a memory held before: how many events, and their root."""

    size: int
    root: bytes


class Looked(NamedTuple):
    """What does not hold, and what of it was passed over, by how `PASSED` calls it."""

    problems: list[str]
    passed: frozenset[str]


def stood(data: Path) -> Stood:
    """How far a memory is."""
    with Engine.open(data, writable=False) as engine:
        head = engine.head()
        return Stood(head.size, head.root())


def look(data: Path, before: Stood) -> Looked:
    """Right behind a fault: whether what was acknowledged before is there, and nothing stored is wrong but what a
    writer mends; nothing is changed.
    """
    try:
        store = DiskStore(data, FOLD, writable=False)
    except Exception as error:  # noqa: BLE001 - whatever it is: it does not open
        return Looked([f"{UNOPENED}: {type(error).__name__}: {error}"], frozenset())
    try:
        return sifted(_lost(store, before), verify(store, Folding(FOLD, store), opened=True).problems)
    finally:
        store.close()


def sifted(lost: Iterable[str], told: Iterable[Problem]) -> Looked:
    """What was lost and what `verify` tells of, without what is passed over, which is named."""
    problems, passed = list(lost), set[str]()
    for each in told:
        name = next((name for begins, name in PASSED.items() if each.what.startswith(begins)), None)
        if name is None:
            problems.append(f"#{each.seq}: {each.what}")
        else:
            passed.add(name)
    return Looked(problems, frozenset(passed))


def _lost(store: DiskStore, before: Stood) -> Iterator[str]:
    if store.log.head().size < before.size or edge_at(store.log, before.size).root() != before.root:
        yield "events that were acknowledged are lost"


def look_again(data: Path, before: Stood, *, adds: bool) -> list[str]:
    """Whether everything is right once the command has come again and a writer has had it open: verified with nothing
    passed over, the views what a rebuild makes, and the log as before where the command `adds` nothing to it.
    """
    Engine.open(data).close()
    store = DiskStore(data, FOLD, writable=False)
    try:
        found = list(_lost(store, before))
        found += (f"#{seq}: {what}" for seq, what in verify(store, Folding(FOLD, store), opened=True).problems)
        if not check(store, FOLD).equal:
            found.append("the views are not what a rebuild makes")
        head = store.log.head()
        if not adds and Stood(head.size, head.root()) != before:
            found.append("the log was written by what had nothing to add")
        return found
    finally:
        store.close()


def half_derived(data: Path) -> Iterator[str]:
    """Whether the shadow is not there, or not all that it is to be, its views among it."""
    if not exists(data, SHADOW):
        yield "there is no shadow"
        return
    manifest = load(data, SHADOW)
    if manifest.state != "complete":
        yield f"the shadow is {manifest.state}, up to #{manifest.upto}"
    store = ShadowStore(data, SHADOW, FOLD, writable=False)
    try:
        for each in verify(store, Folding(FOLD, store), opened=True).problems:
            yield f"the shadow's #{each.seq}: {each.what}"
    finally:
        store.close()
