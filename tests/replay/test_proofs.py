"""Proofs, against Certificate Transparency's vectors, the RFC's own words, and whatever was altered in them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from projections.ids import EventId
from replay.errors import Damaged
from replay.lmdb_log import LmdbLog
from replay.log import EMPTY, Commit, Entry, Log, MemoryLog
from replay.proofs import (
    Subtrees,
    consistency_proof,
    edge_at,
    inclusion_proof,
    root_at,
    verify_consistency,
    verify_inclusion,
)
from replay.tree import CompactRange, leaf_hash
from tests.replay.test_tree import INPUTS, ROOTS, naive

ID, CHECK = b"i" * 16, b"c" * 16
MOST = 65_536 + 700
"""Leaves in the large trees: a kept subtree of the second level, kept ones behind it, and a ragged edge."""
BORDERS = (1, 2, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, 65_792, 65_793, MOST)
Vectors = tuple[tuple[int, int, tuple[str, ...]], ...]
INCLUSION: Vectors = (  # seq, size, path
    (1, 1, ()),
    (1, 8, ("96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4")),
    (6, 8, ("bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7")),
    (3, 3, ("fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",)),
    (2, 5, ("6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b")),
)  # fmt: skip
CONSISTENCY: Vectors = (  # the older size, the newer, path
    (1, 1, ()),
    (1, 8, ("96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4")),
    (6, 8, ("0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7")),
    (2, 5, ("5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b")),
)  # fmt: skip
"""From certificate-transparency/python/ct/crypto/in_memory_merkle_tree_test.py."""


UNHURRIED = settings(deadline=None)
"""The first to ask for a large tree makes it."""


def fill(log: Log, headers: Sequence[bytes], group: int = 8_192) -> Log:
    head = EMPTY
    for first in range(0, len(headers), group):
        entries = [
            Entry(EventId(n.to_bytes(16, "big")), header, None)
            for n, header in enumerate(headers[first : first + group], first)
        ]
        head = log.append(Commit(entries, at=1), head)
    return log


def headers(count: int) -> list[bytes]:
    return [b"header %d" % n for n in range(count)]


LEAVES = [leaf_hash(each) for each in headers(MOST)]


@cache
def in_memory(size: int) -> Log:
    return fill(MemoryLog(ID, CHECK), headers(size))


@pytest.fixture(scope="module")
def on_disk() -> Iterator[Log]:
    """A large log in LMDB: many proofs are made of it, so it is made once."""
    with TemporaryDirectory(prefix="dnam-") as folder:
        log = fill(LmdbLog.create(Path(folder), ID, CHECK), headers(MOST))
        yield log
        log.close()


@pytest.fixture(params=["memory", "lmdb"])
def large(request: pytest.FixtureRequest, on_disk: Log) -> Log:
    return in_memory(MOST) if request.param == "memory" else on_disk


def head_edge(log: Log) -> CompactRange:
    head = log.head()
    return CompactRange(head.size, head.nodes)


class Counted:
    """A log that counts what is read of its tree, level by level."""

    def __init__(self, log: Subtrees) -> None:
        self._log = log
        self.read: Counter[int] = Counter()

    def subtrees(self, level: int, first: int, upto: int) -> Sequence[bytes]:
        found = self._log.subtrees(level, first, upto)
        self.read[level] += len(found)
        return found


@cache
def plain_root(size: int) -> bytes:
    """By appending one leaf after the other."""
    tree = CompactRange()
    for leaf in LEAVES[:size]:
        tree.append(leaf)
    return tree.root()


# -- vectors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["memory", "lmdb"])
def test_the_vectors_of_certificate_transparency(backend: str, folder: Path) -> None:
    log: Log = MemoryLog(ID, CHECK) if backend == "memory" else LmdbLog.create(folder, ID, CHECK)
    inputs = [bytes.fromhex(each) for each in INPUTS]
    fill(log, inputs)
    assert [root_at(log, size).hex() for size in range(9)] == list(ROOTS)
    for seq, size, path in INCLUSION:
        made = inclusion_proof(log, seq, edge_at(log, size))
        assert tuple(each.hex() for each in made) == path
        assert verify_inclusion(leaf_hash(inputs[seq - 1]), seq, size, made, bytes.fromhex(ROOTS[size]))
    for old, new, path in CONSISTENCY:
        made = consistency_proof(log, old, edge_at(log, new))
        assert tuple(each.hex() for each in made) == path
        assert verify_consistency(old, new, made, bytes.fromhex(ROOTS[old]), bytes.fromhex(ROOTS[new]))
    log.close()


# -- every proof holds ---------------------------------------------------------------------------------------------


@pytest.mark.no_cover  # some hundred thousand proofs; others show their lines
def test_every_inclusion_in_every_tree_of_some_hundred_leaves() -> None:
    log = in_memory(600)
    for size in (*range(1, 130), *range(250, 262), 300, 511, 512, 513, 600):
        edge, root = edge_at(log, size), naive(LEAVES[:size])
        for seq in range(1, size + 1):
            path = inclusion_proof(log, seq, edge)
            assert len(path) <= (size - 1).bit_length()
            assert verify_inclusion(LEAVES[seq - 1], seq, size, path, root), (seq, size)


@pytest.mark.no_cover  # some hundred thousand proofs; others show their lines
def test_every_consistency_among_trees_of_some_hundred_leaves() -> None:
    log = in_memory(600)
    for new in (*range(1, 130), *range(254, 260), 512, 513, 600):
        edge, root = edge_at(log, new), naive(LEAVES[:new])
        for old in range(new + 1):
            path = consistency_proof(log, old, edge)
            assert verify_consistency(old, new, path, plain_root(old), root), (old, new)


@UNHURRIED
@given(seq=st.integers(1, MOST), size=st.sampled_from(BORDERS) | st.integers(1, MOST))
def test_inclusion_in_a_large_tree_as_it_is_and_as_it_was(on_disk: Log, seq: int, size: int) -> None:
    assume(seq <= size)
    for log in (in_memory(MOST), on_disk):
        edge = edge_at(log, size)
        path = inclusion_proof(log, seq, edge)
        assert verify_inclusion(LEAVES[seq - 1], seq, size, path, edge.root())


@UNHURRIED
@given(
    old=st.sampled_from(BORDERS) | st.integers(0, MOST),
    new=st.sampled_from(BORDERS) | st.integers(0, MOST),
)
def test_consistency_of_large_trees(on_disk: Log, old: int, new: int) -> None:
    assume(old <= new)
    for log in (in_memory(MOST), on_disk):
        edge = edge_at(log, new)
        assert verify_consistency(old, new, consistency_proof(log, old, edge), root_at(log, old), edge.root())


@pytest.mark.parametrize("size", [0, *BORDERS])
def test_the_root_at_a_size_is_the_one_it_had(large: Log, size: int) -> None:
    assert root_at(large, size) == plain_root(size)
    assert edge_at(large, size).size == size


def test_the_head_s_edge_is_the_one_that_was_kept(large: Log) -> None:
    assert edge_at(large, MOST).nodes == head_edge(large).nodes


# -- altered proofs are refused ------------------------------------------------------------------------------------


def flipped(data: bytes, at: int) -> bytes:
    changed = bytearray(data)
    changed[at % len(data)] ^= 1 << at % 8
    return bytes(changed)


def altered(path: list[bytes], at: int) -> Iterator[list[bytes]]:
    """The path with a bit changed, an entry more or less, or two in each other's place."""
    yield [*path, b"x" * 32]
    yield [b"x" * 32, *path]
    for n in range(len(path)):
        yield [*path[:n], flipped(path[n], at), *path[n + 1 :]]
        yield path[:n] + path[n + 1 :]
        yield [*path[:n], path[n], *path[n:]]
        if n:
            yield [*path[: n - 1], path[n], path[n - 1], *path[n + 1 :]]


@UNHURRIED
@given(seq=st.integers(1, 600), size=st.integers(1, 600), other=st.integers(0, 700), at=st.integers(0, 255))
def test_an_altered_inclusion_is_refused(seq: int, size: int, other: int, at: int) -> None:
    assume(seq <= size)
    log = in_memory(600)
    edge, leaf = edge_at(log, size), LEAVES[seq - 1]
    path, root = inclusion_proof(log, seq, edge), edge.root()
    assert verify_inclusion(leaf, seq, size, path, root)
    assert not any(verify_inclusion(leaf, seq, size, each, root) for each in altered(path, at))
    assert not verify_inclusion(flipped(leaf, at), seq, size, path, root)
    assert not verify_inclusion(leaf, seq, size, path, flipped(root, at))
    assert other == seq or not verify_inclusion(leaf, other, size, path, root)
    assert not verify_inclusion(leaf, 0, size, path, root)
    assert not verify_inclusion(leaf, seq, 0, path, root)
    assert not verify_inclusion(leaf, size + 1, size, path, root)


@UNHURRIED
@given(old=st.integers(0, 600), new=st.integers(0, 600), at=st.integers(0, 255))
def test_an_altered_consistency_is_refused(old: int, new: int, at: int) -> None:
    assume(old <= new)
    log = in_memory(600)
    edge = edge_at(log, new)
    path, before, now = consistency_proof(log, old, edge), root_at(log, old), edge.root()
    assert verify_consistency(old, new, path, before, now)
    assert not any(verify_consistency(old, new, each, before, now) for each in altered(path, at))
    assert not verify_consistency(old, new, path, flipped(before, at), now)
    if old:  # every tree begins with nothing, so there is nothing to hold it against
        assert not verify_consistency(old, new, path, before, flipped(now, at))
        assert old == new or not verify_consistency(old, new, [], before, now)
    assert old == new or not verify_consistency(new, old, path, now, before)


@UNHURRIED
@given(st.integers(2, 600), st.data())
def test_a_size_that_is_not_the_tree_s_is_refused(new: int, data: st.DataObject) -> None:
    """Another size is refused wherever it would make another tree of the same hashes; the root is what counts."""
    log = in_memory(600)
    old = data.draw(st.integers(1, new - 1))
    edge = edge_at(log, new)
    path, before = consistency_proof(log, old, edge), root_at(log, old)
    shorter = data.draw(st.integers(1, new - 1))
    assert not verify_consistency(shorter, new, path, root_at(log, shorter), edge.root()) or shorter == old
    assert not verify_consistency(old, new, path, before, root_at(log, shorter))


@UNHURRIED
@given(st.lists(st.binary(min_size=1, max_size=4), min_size=2, max_size=300, unique=True), st.data())
def test_a_tree_that_was_rewritten_has_no_proof(data: list[bytes], draw: st.DataObject) -> None:
    old = draw.draw(st.integers(1, len(data) - 1))
    changed = draw.draw(st.integers(0, old - 1))
    rewritten = [*data[:changed], data[changed] + b"!", *data[changed + 1 :]]
    before, log = fill(MemoryLog(ID, CHECK), data), fill(MemoryLog(ID, CHECK), rewritten)
    edge = head_edge(log)
    assert not verify_consistency(old, edge.size, consistency_proof(log, old, edge), root_at(before, old), edge.root())


# -- what a proof costs --------------------------------------------------------------------------------------------


@UNHURRIED
@given(seq=st.integers(1, MOST))
def test_an_inclusion_in_the_log_as_it_is_reads_at_most_256_entries_a_level(on_disk: Log, seq: int) -> None:
    counted = Counted(on_disk)
    inclusion_proof(counted, seq, head_edge(on_disk))
    assert set(counted.read) <= {0, 8, 16}
    assert all(read <= 256 for read in counted.read.values())


@UNHURRIED
@given(old=st.sampled_from(BORDERS) | st.integers(1, MOST))
def test_a_consistency_with_the_log_as_it_is_reads_at_most_256_entries_a_level(on_disk: Log, old: int) -> None:
    counted = Counted(on_disk)
    consistency_proof(counted, old, head_edge(on_disk))
    assert all(read <= 256 for read in counted.read.values())


@UNHURRIED
@given(size=st.sampled_from(BORDERS) | st.integers(0, MOST), seq=st.integers(1, MOST))
def test_an_edge_of_the_past_reads_at_most_255_entries_more_a_level(on_disk: Log, size: int, seq: int) -> None:
    assume(seq <= size)
    counted = Counted(on_disk)
    edge = edge_at(counted, size)
    assert all(read < 256 for read in counted.read.values())
    before = Counter(counted.read)
    inclusion_proof(counted, seq, edge)
    assert all(read <= 256 for read in (counted.read - before).values())


# -- what cannot be proved -----------------------------------------------------------------------------------------


def test_only_what_is_in_the_tree_can_be_proved() -> None:
    log = in_memory(600)
    edge = edge_at(log, 300)
    for seq in (-1, 0, 301):
        with pytest.raises(ValueError, match="is not among the first 300"):
            inclusion_proof(log, seq, edge)
    for size in (-1, 301):
        with pytest.raises(ValueError, match="are not in a tree of 300"):
            consistency_proof(log, size, edge)


@pytest.mark.parametrize("level", [0, 8])
def test_a_missing_entry_is_damage_and_no_other_proof(level: int) -> None:
    class Holed:
        def subtrees(self, at: int, first: int, upto: int) -> Sequence[bytes]:
            found = in_memory(MOST).subtrees(at, first, upto)
            return found[1:] if at == level else found

    with pytest.raises(Damaged, match=r"the tree over #(699 to #699|769 to #1024) is not whole"):
        inclusion_proof(Holed(), 700, head_edge(in_memory(MOST)))


def test_subtrees_are_handed_out_by_place(large: Log) -> None:
    assert list(large.subtrees(0, 3, 6)) == LEAVES[3:6]
    assert list(large.subtrees(8, 0, 2)) == [naive(LEAVES[:256]), naive(LEAVES[256:512])]
    assert list(large.subtrees(16, 0, 1)) == [plain_root(65_536)]
    assert list(large.subtrees(8, 257, 900)) == [naive(LEAVES[257 * 256 : 258 * 256])]
    assert list(large.subtrees(0, MOST - 1, MOST + 5)) == LEAVES[-1:]
    assert list(large.subtrees(24, 0, 1)) == []
