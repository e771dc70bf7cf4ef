"""The last commit of a log's file, for whoever saves what can be read of it: where its tables begin.

The two first pages say that. Where they do not, or lead elsewhere, the pages behind them do: LMDB writes a page anew
elsewhere, and leaves those that the last commits stand on as they are. So for each of these a page with the names of
the tables lies there, and says where each table begins and how many rows it has. A log only grows: its last commit is
the one with the most headers. None is believed of which a page is missing or does not fit, nor one with fewer headers
than any page of the file tells of: then the page of the last one is lost too, and what it added. Of a file that was
cut none is, since what the last one wrote may be gone without a trace.

What a process wrote that was killed before the end of its commit may be the last in this sense. It comes along: it was
not acknowledged, and would have been with the next sync.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import NamedTuple

from replay import codec
from replay.errors import LogError
from replay.pages.fitting import NO_TREE, TREE_BYTES, BadPage, Meta, Node, PageFile, Span, Tree, Walk, metas, nodes_of
from replay.pages.flaws import unlike
from replay.pages.form import LEAF, PAGE


class LastCommit(NamedTuple):
    """Its tables by their names, and the tree of its free pages where that is known."""

    tables: dict[str, Tree]
    free: Tree | None

    @property
    def events(self) -> int:
        """How many headers it has."""
        return self.tables.get("headers", NO_TREE).rows


def last_commit(file: PageFile, names: Collection[bytes]) -> LastCommit:
    """The last commit of a file of a log that has tables of these names. BadPage where it cannot be known."""
    both = metas(file)
    is_cut = any(each.last >= file.pages for each in both)
    found = None if is_cut else _found(file, frozenset(names))
    try:
        recorded = _recorded(file, both)
    except BadPage:
        if found is None:
            raise
        return found
    return found if found is not None and found.events > recorded.events else recorded


def is_leaf(page: bytes, number: int) -> bool:
    """Whether a page says that it is a leaf, and this one."""
    says, _, flags, *_ = PAGE.unpack_from(page)
    return (says, flags) == (number, LEAF)


def _recorded(file: PageFile, both: Sequence[Meta]) -> LastCommit:
    """What the two first pages say."""
    if why := unlike(both):
        raise BadPage(why)
    newest = max(both, key=lambda each: each.commit)
    tables = Walk(file, file.pages - 1).tables(newest.names)
    if not tables:
        raise BadPage("the names of its tables are lost")
    return LastCommit(tables, newest.free)


class _Names(NamedTuple):
    """A page with the names of all tables: how many headers there are, how many rows in all, and its own number."""

    headers: int
    rows: int
    page: int


def _found(file: PageFile, names: frozenset[bytes]) -> LastCommit | None:
    """The commit with the most headers; None where it is not whole, or a header lies there that it does not have.

    Of two with as many the one with more rows is the later: behind the last event of a copy comes what is said of it.
    """
    found, reached = list[_Names](), 0
    for number in range(2, file.pages):
        nodes = _nodes(file, number)
        trees = {node.key: Tree.read(node.data) for node in nodes if len(node.data) == TREE_BYTES}
        if trees.keys() == names:
            found.append(_Names(trees[b"headers"].rows, sum(each.rows for each in trees.values()), number))
        reached = max([reached, *map(_seq, nodes[-1:])])
    whole = (_whole(file, each.page, len(names)) for each in sorted(found, reverse=True) if each.headers >= reached)
    return next((LastCommit(tables, None) for tables in whole if tables), None)


def _nodes(file: PageFile, number: int) -> Sequence[Node]:
    """The rows of a page; none where it is no leaf that fits."""
    page = file.page(number)
    with suppress(BadPage):
        return nodes_of(page, Span(number, b"", None, 1)) if is_leaf(page, number) else ()
    return ()


def _seq(node: Node) -> int:
    """The event whose header a row is; 0 where it is none."""
    with suppress(LogError):
        codec.decode_header(node.data)
        return int.from_bytes(node.key, "big") if len(node.key) == 8 else 0
    return 0


def _whole(file: PageFile, page: int, names: int) -> dict[str, Tree]:
    """The tables whose names are on a page; none where a page of any of them does not fit."""
    walk = Walk(file, file.pages - 1)
    tables = walk.tables(NO_TREE._replace(depth=1, leaves=1, rows=names, root=page))
    for name, tree in tables.items():
        for _ in walk.rows(name, tree):
            pass
    return {} if walk.flaws else tables
