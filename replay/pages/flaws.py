"""What does not fit in an LMDB file as a whole, and how to say so: every page is a meta page, or in one table and once,
or free; and no row but as it was written.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from projections.counting import counted
from replay.pages.fitting import NAMES, BadPage, Flaw, Meta, PageFile, Walk, metas
from replay.pages.form import EMPTY, PAGE_SIZE

Whole = Callable[[str, bytes, bytes], bool]
"""Whether a row of a table, by its key and its data, is what was written."""
_TRIES = 5
MANY_PAGES = 10_000
"""From here on (40 MiB) it is worth the 100 ms that importing numpy takes to look at many pages at once."""
SOME_PAGES = 500
"""From here on it is worth it where numpy is there already."""


class Seen(NamedTuple):
    """What does not fit in a file; and of tables of which every row was seen to be whole on the way, how many they are.
    Where nothing is said of a table, its rows were not looked at.
    """

    flaws: tuple[Flaw, ...]
    whole: Mapping[str, int]


def anything(table: str, key: bytes, data: bytes) -> bool:  # noqa: ARG001 - a row about which nothing is known
    """Any row will do."""
    return True


def flaws_of(path: Path, whole: Whole = anything) -> tuple[Flaw, ...]:
    """What does not fit in a file.

    No lock is held: where somebody writes meanwhile, it is looked at again, and believed when that never ends.
    """
    file = PageFile(path)
    try:
        return _seen(file, whole, ()).flaws
    finally:
        file.close()


def seen_in(path: Path, summed: Collection[str]) -> Seen:
    """The same of a file of any size; the rows of the `summed` tables end with a sum each."""
    file = PageFile(path)
    try:
        return _seen(file, anything, summed)
    finally:
        file.close()


def _seen(file: PageFile, whole: Whole, summed: Collection[str]) -> Seen:
    for _ in range(_TRIES):
        try:
            both = metas(file)
        except BadPage as error:
            return Seen((Flaw(NAMES, 0, str(error)),), {})
        if whole is anything and (found := _all_well(file, both, summed)) is not None:
            return Seen((), found)
        flaws = _flaws(file, both, whole)
        if not flaws or metas(file) == both:
            return Seen(flaws, {})
    return Seen((), {})


def _all_well(file: PageFile, both: Sequence[Meta], summed: Collection[str]) -> dict[str, int] | None:
    """What `well` says of many pages; None, as if not sure, where there are so few that the walk is done before numpy
    is there.
    """
    if file.pages < MANY_PAGES and ("numpy" not in sys.modules or file.pages < SOME_PAGES):
        return None
    from replay.pages.columns import well

    return None if unlike(both) else well(file, _newest(both), summed)


def _flaws(file: PageFile, both: Sequence[Meta], whole: Whole) -> tuple[Flaw, ...]:
    newest = _newest(both)
    try:
        walk = _walk(file, both)
    except BadPage as error:
        return (Flaw(NAMES, both.index(newest), str(error)),)
    walk.free(newest.free)
    for table, tree in walk.tables(newest.names).items():
        for at, nodes in walk.rows(table, tree):
            if not all(whole(table, node.key, walk.data(node)) for node in nodes):
                walk.flaws.append(Flaw(table, at.page, "a row of it is not what was written", at.first, at.behind))
    if not walk.flaws and not all(walk.used):
        walk.flaws.append(Flaw(NAMES, walk.used.index(0), "it is in no table, and not free"))
    return tuple(walk.flaws)


def _walk(file: PageFile, both: Sequence[Meta]) -> Walk:
    if why := unlike(both):
        raise BadPage(why)
    return Walk(file, _newest(both).last)


def _newest(both: Sequence[Meta]) -> Meta:
    return max(both, key=lambda each: each.commit)


def unlike(both: Sequence[Meta]) -> str:
    """Why two meta pages are not those of one commit and the one before it; nothing where they are."""
    even, odd = both
    if even.free.pad != PAGE_SIZE or odd.free.pad != PAGE_SIZE:
        return "it does not say how large pages are"
    if (even.free.flags, even.names.flags, even.names.pad) != (odd.free.flags, odd.names.flags, odd.names.pad):
        return "the two first pages tell of two kinds of tables"
    if even.commit % 2 or (odd.commit % 2 == 0 and odd.commit) or abs(even.commit - odd.commit) > 1:
        return "the two first pages are not of two commits that follow each other"
    return ""


# -- in words ------------------------------------------------------------------------------------------------------

_TOLD = 3


def told(flaws: Sequence[Flaw]) -> str:
    """Flaws in words: the first of them, and all events of which something cannot be read."""
    words = [f"page {each.page} ({each.table}): {each.what}" for each in flaws[:_TOLD]]
    words += [f"{counted(len(flaws) - _TOLD, 'page')} more"] if len(flaws) > _TOLD else []
    spans = _merged(sorted(_events(each) for each in flaws if each.table in (NAMES, "headers", "bodies")))
    if spans:
        words.append(f"what cannot be read is of the events {', '.join(map(_span, spans))}")
    return "; ".join(words)


def _events(flaw: Flaw) -> tuple[int, int]:
    """The first event that a flaw in the log takes, and the first behind those."""
    first = int.from_bytes(flaw.first[:8].ljust(8, b"\0"), "big") or 1
    if flaw.behind is None or flaw.table == NAMES:
        return first, EMPTY
    return first, int.from_bytes(flaw.behind[:8], "big") + (len(flaw.behind) > 8)


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for first, behind in spans:
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], behind)
        else:
            found.append((first, behind))
    return found


def _span(span: tuple[int, int]) -> str:
    first, behind = span
    if behind == EMPTY:
        return f"from #{first} on"
    return f"#{first}" if behind - first < 2 else f"#{first} to #{behind - 1}"
