"""An export of dnam has the digest of its lines in its last one: changed bytes alone would hardly ever be one again.

an export of the project, one time of ten  ──▶ a line of it, changed as a tree ──▶ its digest put right
what the fuzzer has                        ──▶ bytes changed as it likes       ──▶ the same, where there is one
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from random import Random

import msgspec

from tests.proof.fuzzing.bodies import Raw, change_one
from tests.proof.fuzzing.corpus import inputs

AS_TREE = 0.1
"""How often an export is changed as a tree."""
_DIGEST = re.compile(rb'"digest":"[^"]*"')


def seeds() -> tuple[bytes, ...]:
    """The exports of the project that are whole."""
    return tuple(data for path in inputs("importers") if digested(data := path.read_bytes()) == data != b"")


def change(data: bytes, most: int, dice: Random, exports: Sequence[bytes], raw: Raw) -> bytes:
    """An input for the target `importers`, of at most so many bytes, made of `data` or of one of the exports."""
    if dice.random() >= AS_TREE:
        changed = raw(data, most)
        return (digested(changed) or changed)[:most]
    *lines, end = dice.choice(exports).splitlines(keepends=True)
    at = dice.randrange(len(lines))
    tree = msgspec.json.decode(lines[at])
    for _ in range(dice.choice((1, 1, 2))):
        change_one(tree, dice, is_alike=True)
    lines[at] = msgspec.json.encode(tree) + b"\n"
    return digested(b"".join((*lines, end)))[:most]


def digested(data: bytes) -> bytes:
    """An export with the digest of its lines in the last of them; nothing of what is none that is whole."""
    before, _, last = data.removesuffix(b"\n").rpartition(b"\n")
    if not _DIGEST.search(last):
        return b""
    right = b'"digest":"%s"' % sha256(before + b"\n").hexdigest().encode()
    return before + b"\n" + _DIGEST.sub(right, last, count=1) + b"\n"
