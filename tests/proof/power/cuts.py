"""Where the power is cut, and what of the rest has come to the disk.

half of the cuts      right before or right behind the end of a sync
a quarter             right behind a name that was given, moved or taken away
a quarter             anywhere
"""

import random
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from tests.proof.power.disk import (
    Choice,
    Disk,
    Tree,
    all_but_the_first,
    by_chance,
    contents_only,
    everything,
    names_only,
    nothing,
    only_the_last,
    up_to,
)
from tests.proof.power.operation import Linked, Made, Operation, Removed, Renamed, SyncEnded, Told, paths

UNDER_WAY = {
    "a commit of the log": r"^/data/log/\d+/data\.mdb$",
    "one of the views": r"^/data/views/\d+/data\.mdb$",
    "the key ring": r"^/data/keys/",
    "a swap": r"/CURRENT(\.new)?$",
    "a shadow": r"^/data/shadows/",
    "a backup": r"^/backup/",
}
"""What was being written when the power went, by the paths of what was pending."""
BEGUN = {"an import": b'"importing"', "a restore": b'"restoring"'}
"""And by the step that was told of last."""


MOST_ROUNDS = 60
"""After so many rounds in which every state was seen already there are no others."""


class Cut(NamedTuple):
    """A state of the disk after a cut behind the operation `time`, what was acknowledged by then, and how it was
    chosen; `under_way`: of UNDER_WAY and BEGUN.
    """

    time: int
    tree: Tree
    told: tuple[bytes, ...]
    how: str
    under_way: frozenset[str]


def cuts(operations: Sequence[Operation], block: int, dice: random.Random, count: int) -> Iterator[Cut]:
    """So many states, no two of them the same, from all of the time: those of a round come in its order."""
    seen: set[bytes] = set()
    in_vain = 0
    while len(seen) < count:
        before = len(seen)
        for cut in _round(operations, block, dice, count - before):
            digest = _digest(cut)
            if digest not in seen:
                seen.add(digest)
                yield cut
        in_vain = 0 if len(seen) > before else in_vain + 1
        assert in_vain < MOST_ROUNDS, "there are not so many states"


def _round(operations: Sequence[Operation], block: int, dice: random.Random, count: int) -> Iterator[Cut]:
    times = sorted(_times(operations, dice, count))
    where = paths(operations)
    disk, told, done = Disk(block), list[bytes](), 0
    for time in times:
        for at in range(done, time + 1):
            disk.take(at, operations[at])
            if isinstance(line := operations[at], Told):
                told.append(line.line)
        done = max(done, time + 1)
        how, choose = _choice(disk, dice, time)
        pending = {where[each.time] for each in disk.pending()}
        under_way = frozenset(
            name for name, form in UNDER_WAY.items() if any(re.search(form, path) for path in pending)
        )
        step = next((line for line in reversed(told) if b'"step"' in line), b"")
        under_way |= {name for name, word in BEGUN.items() if word in step}
        yield Cut(time, disk.after_a_cut(choose), tuple(told), how, under_way)


def _times(operations: Sequence[Operation], dice: random.Random, count: int) -> list[int]:
    syncs = [at - before for at, each in enumerate(operations) if isinstance(each, SyncEnded) for before in (0, 1)]
    names = [at for at, each in enumerate(operations) if isinstance(each, Made | Renamed | Linked | Removed)]
    kinds = (syncs, syncs, names, range(len(operations)))
    return [dice.choice(kinds[number % 4]) for number in range(count)]


def _choice(disk: Disk, dice: random.Random, time: int) -> tuple[str, Choice]:
    match dice.randrange(12):
        case 0:
            return "nothing", nothing
        case 1:
            return "everything", everything
        case 2:
            return "names only", names_only
        case 3:
            return "contents only", contents_only
        case 4:
            return "only the last", only_the_last(disk)
        case 5:
            return "all but the first", all_but_the_first(disk)
        case 6:
            times = [each.time for each in disk.pending()]
            until = dice.choice(times) if times else time
            return f"up to {until}", up_to(until)
        case _:
            return "by chance", by_chance(dice)


def _digest(cut: Cut) -> bytes:
    sha = sha256(f"{len(cut.told)}".encode())
    for path, content in sorted(cut.tree.items()):
        sha.update(path.encode() + b"\0" + (b"folder" if content is None else sha256(content).digest()))
    return sha.digest()
