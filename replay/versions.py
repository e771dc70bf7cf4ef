"""Views of another version, in words. They are no damage: views hold nothing of their own, and are built again."""

from collections.abc import Collection
from typing import Literal

from replay.recall import tables as recall_tables

OfViews = Literal["current", "earlier", "newer", "none", "unusable"]
"""Whose views are on disk: this version's, an earlier or a newer one's, nobody's; or damaged ones."""
EARLIER = "the views are of an earlier version"
NEWER = "the views are of a newer version"
"""How what is told of them begins."""
MOST_NAMED = 2


def other_version(lacking: Collection[str], newer: Collection[str]) -> str:
    """What there is to know of views that lack tables of this program's, or have a newer one's."""
    seen = "; ".join(f"{names(tables)} is{there} there" for tables, there in ((newer, ""), (lacking, " not")) if tables)
    unused = ", and neither used nor compared" if lacking else ""
    if newer:
        return (
            f"{NEWER} ({seen}){unused}: this dnam can read what is here, and must not write; install the newer one, or "
            "remove the folder `views`"
        )
    python = ", or of another Python's" if all(map(recall_tables.is_index, lacking)) else ""
    return (
        f"{EARLIER}{python} ({seen}){unused}: the next command that writes builds them anew, and so does `dnam replay`"
    )


def tells_version(what: str) -> bool:
    """Whether something that opening noticed is this."""
    return what.startswith((EARLIER, NEWER))


def names(tables: Collection[str]) -> str:
    """The first few of them."""
    first, more = sorted(tables)[:MOST_NAMED], len(tables) - MOST_NAMED
    return f"{', '.join(first)}{f' and {more} more' if more > 0 else ''}"
