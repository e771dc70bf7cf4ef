"""Whether all pages of an LMDB file are well, asked of many at once: a column for each field of their nodes.

The plain walk (fitting.py) names each page that does not fit, and takes 10 to 30 µs for one. Here a thousand pages of
one height are read, in the order of their keys, and each rule of the walk is one comparison of columns. The answer is
only yes or no, and never yes where the walk would find a flaw. Each page is met once where as many were met as there
are, and none is left.

Of the tables alone: the walk itself goes over the free pages and the names of the tables: those are few. Rows that have
a sum are summed along the way (sums.py).
"""

from collections.abc import Collection
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from replay.pages.fitting import DEEPEST, BadPage, Meta, PageFile, Tree, Walk
from replay.pages.form import BIG, BRANCH, EMPTY, LEAF, NODE, OVERFLOW, PAGE, PAGE_SIZE
from replay.pages.sums import WORD, Bytes, Numbers, Words, all_whole, every_word, is_whole, make_whole

AT_ONCE = 1024
"""How many pages are read at once, the fastest of 256, 512, … 4,096: with fewer, each call of numpy does too little."""
FEW = 4
"""Where fewer than one of so many keys begin like the next one, they are compared by themselves."""
_HEAD, _NODE = PAGE.size, NODE.size
_PAGE = np.dtype([("number", "<u8"), ("pad", "<u2"), ("flags", "<u2"), ("lower", "<u2"), ("upper", "<u2")])
_LARGE = np.dtype([("number", "<u8"), ("pad", "<u2"), ("flags", "<u2"), ("pages", "<u4")])
_CHILD = np.uint64((1 << 48) - 1)
_LENGTH = np.uint64((1 << 32) - 1)
_BEFORE_END = np.array([(1 << 64) - (1 << 8 * lacking) for lacking in range(WORD + 1)], np.uint64)
"""What to keep of a word that lacks so many bytes at its end."""


def well(file: PageFile, newest: Meta, summed: Collection[str] = ()) -> dict[str, int] | None:
    """None where the walk over the commit of this meta page would find a flaw, or where that is not sure. Else how many
    rows each of the `summed` tables has of which every row was seen to be whole.
    """
    try:
        walk = Walk(file, newest.last)
        walk.free(newest.free)
        tables = walk.tables(newest.names)
        if walk.flaws:
            return None
        look = _Look(file, walk.used)
        taken = [(name, tree.rows, look.take(tree, is_summed=name in summed)) for name, tree in tables.items()]
    except BadPage:
        return None
    return {name: rows for name, rows, whole in taken if whole} if look.all_met() else None


def _must(so: bool | np.bool) -> None:
    if not so:
        raise BadPage("a page does not fit")


class Keys(NamedTuple):
    """Keys in `data`, which goes on for a word behind each: where they begin, and how many bytes they have."""

    data: Bytes
    places: Numbers
    sizes: Numbers

    def part(self, which: slice | Numbers | npt.NDArray[np.bool]) -> Self:
        """Some of them."""
        return self._replace(places=self.places[which], sizes=self.sizes[which])

    def words(self, at: int) -> Words:
        """Eight bytes of each from this one on, as numbers that are in the order of the keys; zeros behind its end."""
        there = np.minimum(self.places + at, self.data.size - WORD)
        found = every_word(self.data, ">u8")[there].astype(np.uint64)
        lacking = at + WORD - self.sizes
        return found if lacking.max(initial=0) <= 0 else found & _BEFORE_END[np.clip(lacking, 0, WORD)]


def in_order(left: Keys, right: Keys, at: int = 0, *, same_too: bool = False) -> bool:
    """Whether each key is less than the one beside it, or `same_too`; as bytes, the shorter first where one begins
    with the other. Up to `at` they are the same, and go on there.
    """
    one, other = left.words(at), right.words(at)
    while (one <= other).all():
        at += WORD
        same = np.flatnonzero(one == other)
        left, right = left.part(same), right.part(same)
        ended = np.minimum(left.sizes, right.sizes) <= at
        if (ended & (left.sizes >= right.sizes + same_too)).any():
            return False
        if ended.any():
            left, right = left.part(~ended), right.part(~ended)
        if not left.places.size:
            return True
        one, other = left.words(at), right.words(at)
    return False


def ascending(keys: Keys) -> bool:
    """Whether each key is less than the next one. Beside each other they often begin alike: as long as many do, a word
    of each key is read once, for the pair in front and the one behind.
    """
    sizes, at, words = keys.sizes, 0, keys.words(0)
    shorter, fits = np.minimum(sizes[:-1], sizes[1:]), sizes[:-1] < sizes[1:]
    same = np.ones(shorter.size, np.bool)
    while not (same & (words[:-1] > words[1:])).any():
        at += WORD
        same &= words[:-1] == words[1:]
        ended = same & (shorter <= at)
        if (ended & ~fits).any():
            return False
        same &= ~ended
        if np.count_nonzero(same) * FEW <= same.size:
            left = np.flatnonzero(same)
            return in_order(keys.part(left), keys.part(left + 1), at)
        words = keys.words(at)
    return False


class _Sheet(NamedTuple):
    """The nodes of some pages, one column for each field; `starts` has the first node of each page."""

    data: Bytes
    uppers: Numbers
    counts: Numbers
    starts: Numbers
    places: Numbers
    words: Words
    """The first eight bytes of each node: its length or child, its flags, the size of its key."""

    @classmethod
    def of(cls, data: Bytes, pages: Numbers, flags: int) -> "_Sheet":
        """BadPage where one is not the page that should be there, or has nodes where none can be."""
        heads = data[: pages.size * PAGE_SIZE].reshape(-1, PAGE_SIZE)[:, :_HEAD].copy().view(_PAGE).ravel()
        _must((heads["number"] == pages.astype(np.uint64)).all() and (heads["flags"] == flags).all())
        lowers, uppers = heads["lower"].astype(np.int64), heads["upper"].astype(np.int64)
        _must(((lowers > _HEAD) & (lowers <= uppers) & (uppers <= PAGE_SIZE) & (lowers % 2 == 0)).all())
        counts = (lowers - _HEAD) // 2
        starts = np.cumsum(counts) - counts
        first = np.arange(pages.size) * PAGE_SIZE
        entries = np.repeat(first // 2 + _HEAD // 2 - starts, counts) + np.arange(counts.sum())
        within = data.view("<u2")[entries].astype(np.int64)
        _must(((within >= np.repeat(uppers, counts)) & (within <= PAGE_SIZE - _NODE) & (within % 2 == 0)).all())
        places = np.repeat(first, counts) + within
        return cls(data, uppers, counts, starts, places, every_word(data, "<u8")[places].astype(np.uint64))

    @property
    def within(self) -> Numbers:
        """Where each begins in its page."""
        return self.places & (PAGE_SIZE - 1)

    @property
    def keys(self) -> Keys:
        return Keys(self.data, self.places + _NODE, (self.words >> np.uint64(48)).astype(np.int64))


class _Look:
    """A look over the tables of a file. `used` has a byte for each page: whether it was met."""

    def __init__(self, file: PageFile, used: bytearray) -> None:
        self._file = file
        self._used = np.frombuffer(used, np.uint8)
        self._met = int(self._used.sum())
        self._top = min(file.pages, self._used.size)
        self._counted = [0, 0, 0, 0]
        self._all_whole = False
        self._room = memoryview(bytearray(AT_ONCE * PAGE_SIZE + WORD))

    def all_met(self) -> bool:
        """Whether every page was met, and once."""
        return self._met == self._used.size and bool(self._used.all())

    def take(self, tree: Tree, *, is_summed: bool) -> bool:
        """Look at the pages of a table; BadPage where one does not fit, or there are others than it says. Whether its
        rows are `summed`, and all whole.
        """
        _must(not tree.flags and not tree.pad and tree.depth <= DEEPEST)
        _must((tree.root == EMPTY) == (tree.depth == 0))
        self._counted, self._all_whole = [0, 0, 0, 0], is_summed
        if tree.depth:
            _must(tree.root < self._top)
            edge = np.full(PAGE_SIZE, 0xFF, np.uint8)  # as a key it is behind every other
            limits = Keys(edge, np.zeros(2, np.int64), np.array([0, PAGE_SIZE - WORD]))
            self._under(np.array([tree.root]), limits, tree.depth)
        _must(self._counted == list(tree[3:7]))
        return self._all_whole

    def _under(self, pages: Numbers, limits: Keys, height: int) -> None:
        """Pages of one height, beside each other: each from its limit on, and before the next one's."""
        self._meet(pages)
        for first in range(0, pages.size, AT_ONCE):
            some = pages[first : first + AT_ONCE]
            its = limits.part(slice(first, first + AT_ONCE + 1))
            if height > 1:
                self._branches(some, its, height)
            else:
                self._leaves(some, its)

    def _branches(self, pages: Numbers, limits: Keys, height: int) -> None:
        sheet = _Sheet.of(self._read(pages), pages, BRANCH)
        keys = sheet.keys
        _must((sheet.within + _NODE + keys.sizes <= PAGE_SIZE).all())
        places, sizes = np.append(keys.places, 0), np.append(keys.sizes, 0)
        inherited = np.append(sheet.starts, keys.places.size)  # the first key of a page counts as the least
        places[inherited], sizes[inherited] = limits.places + sheet.data.size, limits.sizes
        firsts = Keys(np.concatenate((sheet.data, limits.data)), places, sizes)
        _must(ascending(firsts))
        self._counted[0] += pages.size
        children = sheet.words & _CHILD
        self._under(children.astype(np.int64), firsts, height - 1)

    def _leaves(self, pages: Numbers, limits: Keys) -> None:
        sheet = _Sheet.of(self._read(pages), pages, LEAF)
        keys = sheet.keys
        lengths = (sheet.words & _LENGTH).astype(np.int64)
        kinds = sheet.words >> np.uint64(32) & np.uint64(0xFFFF)
        big = kinds == BIG
        _must((big | (kinds == 0)).all())
        within = sheet.within
        ends = within + _NODE + keys.sizes + np.where(big, WORD, lengths)
        _must((ends <= PAGE_SIZE).all())
        rooms = np.add.reduceat(ends - within + (ends & 1), sheet.starts)
        _must((rooms == PAGE_SIZE - sheet.uppers).all())
        _must(ascending(keys))
        _must(in_order(limits.part(slice(None, -1)), keys.part(sheet.starts), same_too=True))
        _must(in_order(keys.part(sheet.starts + sheet.counts - 1), limits.part(slice(1, None))))
        self._counted[1] += pages.size
        self._counted[3] += keys.places.size
        if big.any():
            begin = (keys.places + keys.sizes)[big]
            self._large(every_word(sheet.data, "<u8")[begin].astype(np.uint64), lengths[big], keys.part(big))
        if self._all_whole:
            self._all_whole = all_whole(sheet.data, sheet.uppers, sheet.places, sheet.places + ends - within)

    def _large(self, pages: Words, sizes: Numbers, keys: Keys) -> None:
        """Where large data begins, how many bytes it has, and the keys of it."""
        _must((pages < self._top).all())
        firsts, counts = pages.astype(np.int64), -(-(sizes + _HEAD) // PAGE_SIZE)
        _must((firsts + counts <= self._top).all() and counts.sum() <= self._top)
        heads = np.frombuffer(self._file.heads(firsts.tolist()), _LARGE)
        _must((heads["number"] == pages).all() and (heads["flags"] == OVERFLOW).all())
        _must((heads["pages"] == counts).all())
        before = np.cumsum(counts) - counts
        self._meet(np.repeat(firsts - before, counts) + np.arange(counts.sum()))
        self._counted[2] += int(counts.sum())
        if self._all_whole:
            self._sum_large(firsts, counts, sizes, keys)

    def _sum_large(self, pages: Numbers, counts: Numbers, sizes: Numbers, keys: Keys) -> None:
        """Sum rows that have pages of their own: what stands for each in its leaf is made to pass for whole there."""
        view, columns = keys.data.data, (pages, counts, sizes, keys.places, keys.sizes)
        for page, count, size, start, length in zip(*(each.tolist() for each in columns), strict=True):
            data = memoryview(self._file.page(page, count))[_HEAD : _HEAD + size]
            self._all_whole &= is_whole(view[start : start + length], data)
            make_whole(view[start : start + length + WORD])

    def _meet(self, pages: Numbers) -> None:
        """BadPage for one that was met before, or that the file does not have. Of one that stands here twice the
        sum tells in the end; it is held against the file at once, so that no circle makes it endless.
        """
        self._met += pages.size
        _must(self._met <= self._used.size and pages.min() > 1 and pages.max() < self._top)
        _must(not self._used[pages].any())
        self._used[pages] = 1

    def _read(self, pages: Numbers) -> Bytes:
        """Pages one behind the other, and a word of room; those that lie so in the file are read at once. They stay
        until others are read. From the first on that is not in memory, the disk is told of all: one by one, each would
        be waited for.
        """
        breaks = (np.flatnonzero(np.diff(pages) != 1) + 1).tolist()
        runs = [*zip([0, *breaks], [*breaks, pages.size], pages[[0, *breaks]].tolist(), strict=True)]
        missing = next((at for at, run in enumerate(runs) if not self._file.fill_now(*self._place(run))), len(runs))
        for first, behind, page in runs[missing:]:
            self._file.ahead(page, behind - first)
        for run in runs[missing:]:
            self._file.fill(*self._place(run))
        return np.frombuffer(self._room, np.uint8, pages.size * PAGE_SIZE + WORD)

    def _place(self, run: tuple[int, int, int]) -> tuple[memoryview, int]:
        """Where a run of pages is put, and where it begins in the file."""
        first, behind, page = run
        return self._room[first * PAGE_SIZE : behind * PAGE_SIZE], page
