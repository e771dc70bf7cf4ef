"""The tree, against RFC 6962's own words and the vectors of Certificate Transparency."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.tree import CompactRange, Kept, cover, graft, leaf_hash, node_hash

INPUTS = (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
)  # fmt: skip
ROOTS = (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
"""The roots over the first 0 to 8 inputs, from certificate-transparency/c++/merkletree/merkle_tree_test.cc."""


def naive(leaves: list[bytes]) -> bytes:
    """RFC 6962 §2.1, word for word: MTH(D[n]) = SHA-256(0x01 || MTH(D[0:k]) || MTH(D[k:n]))."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\x01" + naive(leaves[:k]) + naive(leaves[k:])).digest()


def grown(leaves: list[bytes]) -> tuple[CompactRange, list[Kept]]:
    tree = CompactRange()
    return tree, [kept for leaf in leaves for kept in tree.append(leaf)]


@pytest.mark.parametrize("size", range(9))
def test_the_vectors_of_certificate_transparency(size: int) -> None:
    leaves = [leaf_hash(bytes.fromhex(each)) for each in INPUTS[:size]]
    assert grown(leaves)[0].root().hex() == ROOTS[size]
    assert naive(leaves).hex() == ROOTS[size]


@given(st.lists(st.binary(max_size=8), max_size=300))
def test_the_root_is_rfc_6962_s(data: list[bytes]) -> None:
    leaves = list(map(leaf_hash, data))
    tree, kept = grown(leaves)
    assert tree.root() == naive(leaves)
    assert kept == [Kept(8, n, naive(leaves[n * 256 : (n + 1) * 256])) for n in range(len(leaves) // 256)]


@given(st.lists(st.binary(max_size=8), max_size=60), st.integers(0, 60))
def test_a_tree_goes_on_from_its_right_edge(data: list[bytes], at: int) -> None:
    leaves = list(map(leaf_hash, data))
    first, _ = grown(leaves[:at])
    again = CompactRange(first.size, first.nodes)
    for leaf in leaves[at:]:
        again.append(leaf)
    assert again.root() == naive(leaves)


def test_subtrees_of_65536_leaves_are_kept_too() -> None:
    leaf = leaf_hash(b"the same each time")
    tree, kept = grown([leaf] * 65_536)
    roots = [leaf]
    for _ in range(16):
        roots.append(node_hash(roots[-1], roots[-1]))
    assert kept == [*(Kept(8, n, roots[8]) for n in range(256)), Kept(16, 0, roots[16])]
    assert tree.root() == roots[16]
    assert tree.append(leaf) == []
    assert tree.root() == node_hash(roots[16], leaf)


def test_the_edge_must_fit_the_size() -> None:
    with pytest.raises(AssertionError):
        CompactRange(3, [b"x" * 32])


@given(st.integers(0, 70), st.integers(0, 70))
def test_what_covers_some_leaves_is_grafted_behind_the_others(before: int, more: int) -> None:
    leaves = [leaf_hash(bytes([n])) for n in range(before + more)]
    whole, grown = CompactRange(), CompactRange()
    for leaf in leaves:
        whole.append(leaf)
    for leaf in leaves[:before]:
        grown.append(leaf)
    for node in cover(before, leaves[before:]):
        graft(grown, *node)
    assert (grown.size, grown.nodes, grown.root()) == (whole.size, whole.nodes, whole.root())


@pytest.mark.parametrize(
    ("before", "levels", "filled"), [(0, (8, 8), []), (128, (7, 8, 7), [(8, 0)]), (255 * 256, (8, 8), [(16, 0)])]
)
def test_what_a_grafted_subtree_fills_is_kept(
    before: int, levels: tuple[int, ...], filled: list[tuple[int, int]]
) -> None:
    leaf = leaf_hash(b"the same each time")
    roots = [leaf]
    for _ in range(16):
        roots.append(node_hash(roots[-1], roots[-1]))
    one_by_one, _ = grown([leaf] * before)
    grafted = CompactRange(one_by_one.size, one_by_one.nodes)
    for _ in range(sum(1 << level for level in levels)):
        one_by_one.append(leaf)
    kept = [each for level in levels for each in graft(grafted, level, roots[level])]
    assert kept == [Kept(level, position, roots[level]) for level, position in filled]
    assert (grafted.size, grafted.nodes) == (one_by_one.size, one_by_one.nodes)
