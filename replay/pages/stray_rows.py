"""Rows of a log's last commit that nothing leads to any more: those on a page that does not fit as a whole, and those
on the pages under it.

Where such a page hung is not asked. Each row is proved on its own: a header by its leaf hash, which the id table has,
and a body by its digest, which its header has. Free pages are left alone: what was dropped lies there too.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import lmdb

from replay import codec
from replay.errors import LogError
from replay.log import MARK_LEAF
from replay.pages.fitting import BadPage, Node, Tree, Walk
from replay.pages.form import BIG, NODE, NUMBER, PAGE, PAGE_SIZE, PLACE
from replay.pages.last_commit import is_leaf
from replay.tree import leaf_hash

_SEQ_BYTES = 8


def fetch_strays(environment: lmdb.Environment, walk: Walk, free: Tree) -> None:
    """Put into the tables of a copy what a walk over those of a commit did not come to. `free`: its free pages."""
    headers, bodies, ids = (environment.open_db(name) for name in (b"headers", b"bodies", b"ids"))
    pages = _pages(walk, free)

    def is_header(transaction: Any, key: bytes, data: bytes) -> bool:
        event = codec.header_id(data)
        return bool(event) and transaction.get(event, db=ids) == key + leaf_hash(data)[:MARK_LEAF]

    def is_body(transaction: Any, key: bytes, data: bytes) -> bool:
        with suppress(LogError):
            header = codec.decode_header(transaction.get(key, b"", db=headers))
            return codec.digest(data) == header.body_digest
        return False

    for table, is_one in ((headers, is_header), (bodies, is_body)):  # what bodies are held against comes first
        for page in pages:
            with environment.begin(write=True) as transaction:
                for key, data in _rows(walk, page):
                    if is_one(transaction, key, data):
                        transaction.put(key, data, db=table, overwrite=False)


def _pages(walk: Walk, free: Tree) -> Sequence[int]:
    """The pages that do not fit, and leaves that nothing led to; none where it is not known which pages are free."""
    idle = Walk(walk.file, walk.last)
    idle.free(free)
    if idle.flaws:
        return ()
    damaged = {flaw.page for flaw in walk.flaws}
    wanted = (page for page in range(2, walk.last + 1) if page in damaged or not walk.used[page])
    return [page for page in wanted if not idle.used[page] and (page in damaged or is_leaf(walk.file.page(page), page))]


def _rows(walk: Walk, number: int) -> Iterator[tuple[bytes, bytes]]:
    """Each row of a leaf that can be read and whose key has the bytes of a seq, whatever the other rows are like."""
    page = walk.file.page(number)
    lower = PAGE.unpack_from(page)[3]
    for at in range(PAGE.size, min(lower, PAGE_SIZE) - 1, PLACE.size):
        node = _node(page, *PLACE.unpack_from(page, at))
        if node is not None and node.large + node.size // PAGE_SIZE <= walk.last:
            with suppress(BadPage):
                yield node.key, walk.data(node)


def _node(page: bytes, place: int) -> Node | None:
    start = place + NODE.size + _SEQ_BYTES
    if start + NUMBER.size > PAGE_SIZE:
        return None
    low, high, flags, size = NODE.unpack_from(page, place)
    length, key = low | high << 16, page[place + NODE.size : start]
    if size != _SEQ_BYTES or (not flags & BIG and start + length > PAGE_SIZE):
        return None
    if flags & BIG:
        (large,) = NUMBER.unpack_from(page, start)
        return Node(key, b"", large, length, flags)
    return Node(key, page[start : start + length], 0, length, flags)
