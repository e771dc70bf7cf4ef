"""Rows of the retrieval index that documents have gone from and come into, against such as are made of what is left."""

from collections.abc import Iterable, Mapping
from random import Random

import numpy as np
import pytest

from projections.ids import EventId, Handle, Seq, VaultId
from projections.recall.corpus import LONGEST
from projections.recall.documents import Document
from projections.recall.words import Terms
from replay.recall.rows import (
    EMPTY,
    Mention,
    Postings,
    Sealed,
    amended,
    amended_postings,
    list_documents,
    pack_documents,
)

FIRST = 1 << 16
OFFSETS = 1 << 16
TERMS = tuple(bytes((number,)) * 8 for number in range(1, 6))


def made(offset: int, counts: Mapping[bytes, int], length: int = 7, unit: bytes = b"u", who: bytes = b"s") -> Sealed:
    """A document at this offset."""
    named = offset.to_bytes(2, "big") * 8
    terms = Terms(dict(counts), length)
    document = Document(Seq(FIRST + offset), EventId(named), b"z" * 8, unit, 1000 + offset, Handle(who), terms, 0)
    return Sealed(document, VaultId(who * 16))


def drawn(dice: Random) -> Sealed:
    """Some document: near the others and far from them, with few names and terms, short and long."""
    counts = {term: dice.choice((1, 1, 2, 300)) for term in TERMS if dice.random() < 0.5}
    length = dice.choice((3, 4, 9, 40, 300))
    offset = dice.choice((dice.randrange(20), dice.randrange(OFFSETS), OFFSETS - 1))
    return made(offset, counts, length, dice.choice((b"a", b"b", b"c")), dice.choice((b"x", b"y", b"z")))


def by_offset(documents: Iterable[Sealed]) -> list[Sealed]:
    """Documents as they lie in a span."""
    return sorted(documents, key=lambda each: each.document.seq)


def columns(documents: Iterable[Sealed]) -> bytes:
    """The columns of documents, made anew."""
    return pack_documents(list_documents(by_offset(documents), FIRST))


def postings(documents: Iterable[Sealed]) -> dict[bytes, bytes]:
    """The rows of their terms, made anew."""
    there = by_offset(documents)
    listed, rows = list_documents(there, FIRST), Postings()
    for each, _ in there:
        rows.add(each.terms.counts)
    return dict(rows.rows(listed.offsets, listed.lengths))


def mentions(term: bytes, documents: Iterable[Sealed]) -> list[Mention]:
    """Where a term stands in documents."""
    return [
        Mention(each.seq - FIRST, min(each.terms.counts[term], 255), min(each.terms.length, LONGEST))
        for each, _ in by_offset(documents)
        if term in each.terms.counts
    ]


@pytest.mark.parametrize("seed", range(150))
def test_rows_that_were_amended_are_those_made_of_what_is_left(seed: int) -> None:
    dice = Random(seed)
    pool = list({each.document.seq: each for each in (drawn(dice) for _ in range(dice.choice((1, 4, 40))))}.values())
    there, come = pool[: len(pool) * 3 // 4], pool[len(pool) * 3 // 4 :] if dice.random() < 0.6 else []
    gone = [each for each in there if dice.random() < dice.choice((0.1, 0.5, 1))]
    left = [*(each for each in there if each not in gone), *come]

    row = amended(
        list_documents(by_offset(there), FIRST),
        [each.document.seq - FIRST for each in by_offset(gone)],
        list_documents(by_offset(come), FIRST),
    )
    assert pack_documents(row) == columns(left)

    lengths = np.zeros(OFFSETS, np.uint8)
    lengths[row.offsets] = row.lengths
    before, after = postings(there), postings(left)
    for term in TERMS:
        body = amended_postings(before.get(term, EMPTY), mentions(term, gone), mentions(term, come), lengths)
        assert body == after.get(term)


def test_names_are_told_in_the_order_of_those_who_are_left() -> None:
    first, second, third = (made(at, {TERMS[0]: 1}, unit=name) for at, name in enumerate((b"a", b"b", b"a")))
    there = list_documents((first, second, third), FIRST)
    nobody = list_documents((), FIRST)

    assert amended(there, [0], nobody).unit_names == [b"b", b"a"]
    assert amended(there, [1], nobody).unit_names == [b"a"]
    assert amended(there, [2], nobody).unit_names == [b"a", b"b"]
    assert amended(there, [0], list_documents((made(3, {}, unit=b"b"),), FIRST)).unit_names == [b"b", b"a"]


def test_as_many_names_as_a_span_has_documents_are_told_apart() -> None:
    names = [number.to_bytes(2, "big") for number in range(OFFSETS)]
    there = [made(offset, {TERMS[0]: 1}, unit=name) for offset, name in enumerate(names)]
    new = [made(offset, {TERMS[0]: 1}, unit=name) for offset, name in ((5, b"new"), (6, b"newer"))]

    row = amended(list_documents(there, FIRST), [5, 6], list_documents(new, FIRST))

    assert row.unit_names == [*names[:5], b"new", b"newer", *names[7:]]
    assert row.units.tolist() == [*range(OFFSETS)]
