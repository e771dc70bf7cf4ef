"""What differs between two memories of one owner, item by item: the live memory (old) and a shadow of it (new).

Items are matched in three steps, within a compartment, and each is in one pair:

    id         both have the same id
    text       both have the same kind, and say the same but for case and white space
    sources    both rest on the same messages: at least half of those of the item that rests on fewer. The pair that
               shares most messages comes first, then most quotes, then most words, then the smaller ids

Only active items count as there: what one side deprecated, evicted, merged away or forgot is not in it. Times are never
compared: the same thing learned at another moment is the same.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Literal, NamedTuple

from projections.events.values import Item
from projections.ids import EventId, Handle
from projections.items import ItemRow
from projections.policies.text import normalise
from projections.rows import Found
from projections.summaries import SummaryRow
from projections.wording import Piece, wording

Kind = Literal["only_old", "only_new", "changed", "same"]
MatchedBy = Literal["id", "text", "sources", ""]
KINDS: tuple[Kind, ...] = ("only_old", "only_new", "changed", "same")
COMPARED = (
    "kind",
    "text",
    "type",
    "about",
    "tags",
    "confidence",
    "valid_from",
    "valid_until",
    "evidence",
    "supersedes",
)
"""The fields of an item that make it another one; the order of tags, evidence and ids that it supersedes does not."""
_compared = attrgetter(*COMPARED)
MOST_ON_ONE = 50
"""A message on which more items of one side rest than this tells none of them apart, and matches nothing."""

Address = tuple[str, str]
"""A compartment and an id: where an item of one owner lies."""


class Says(NamedTuple):
    """What an item says: two of an owner that do in one compartment say it twice."""

    owner: Handle
    compartment: str
    kind: str
    text: str


class Pair(NamedTuple):
    """An item of the one memory and what it is in the other; None where that has none. `by` is how they were matched,
    empty for what stands alone.
    """

    kind: Kind
    old: ItemRow | None
    new: ItemRow | None
    by: MatchedBy = ""

    @property
    def row(self) -> ItemRow:
        """The item as the shadow has it, else as the live memory does."""
        row = self.new or self.old
        assert row is not None, "a pair has a side"
        return row

    @property
    def fields(self) -> tuple[str, ...]:
        """The compared fields in which both sides differ; none where one is missing."""
        return () if self.old is None or self.new is None else differing(self.old.item, self.new.item)

    @property
    def words(self) -> tuple[Piece, ...]:
        """The text, word by word, from the old to the new."""
        return wording(*("" if row is None else row.item.text for row in (self.old, self.new)))


class SummaryPair(NamedTuple):
    """A session's summary in one epoch, on both sides; None where one has none, or an empty one. `key` is the row's."""

    kind: Kind
    key: bytes
    old: SummaryRow | None
    new: SummaryRow | None

    @property
    def row(self) -> SummaryRow:
        """The summary as the shadow has it, else as the live memory does."""
        row = self.new or self.old
        assert row is not None, "a pair has a side"
        return row

    @property
    def words(self) -> tuple[Piece, ...]:
        """The words that stayed, came and went."""
        return wording(*("" if row is None else row.text for row in (self.old, self.new)))


class Counts(NamedTuple):
    """How many pairs there are of each kind."""

    only_old: int = 0
    only_new: int = 0
    changed: int = 0
    same: int = 0


def counts(pairs: Iterable[Pair | SummaryPair]) -> Counts:
    """How many there are of each kind."""
    kinds = [pair.kind for pair in pairs]
    return Counts(*map(kinds.count, KINDS))


def differs(pairs: Iterable[Pair | SummaryPair]) -> bool:
    """Whether anything differs."""
    return any(pair.kind != "same" for pair in pairs)


def differing(old: Item, new: Item) -> tuple[str, ...]:
    """The compared fields in which two items differ."""
    if _compared(old) == _compared(new):
        return ()  # most do not, and this is one look
    return tuple(name for name in COMPARED if not _alike(getattr(old, name), getattr(new, name)))


def _alike(one: object, other: object) -> bool:
    """Whether two values are the same but for their order."""
    if one == other:
        return True
    return isinstance(one, tuple) and isinstance(other, tuple) and frozenset(one) == frozenset(other)


# -- items ---------------------------------------------------------------------------------------------------------


def compare(old: Iterable[ItemRow], new: Iterable[ItemRow]) -> list[Pair]:
    """The pairs of one owner, in the order of their addresses. Rows of any status may be handed in."""
    left, right = _Side(old), _Side(new)
    pairs = [*_by_id(left, right), *_matched(left, right, "text", _says), *_by_sources(left, right)]
    pairs += [Pair("only_old", row, None) for row in left.free.values()]
    pairs += [Pair("only_new", None, row) for row in right.free.values()]
    return sorted(pairs, key=lambda pair: _address(pair.old or pair.row))


class _Side:
    """The active items of one side; `free` are those that are in no pair yet."""

    def __init__(self, rows: Iterable[ItemRow]) -> None:
        active = {_address(row): row for row in rows if row.item.status == "active"}
        self.free: dict[Address, ItemRow] = dict(sorted(active.items()))

    def take(self, row: ItemRow) -> ItemRow:
        """It is in a pair now."""
        return self.free.pop(_address(row))


def _address(row: ItemRow) -> Address:
    return row.item.compartment, row.item.id


def says(item: Item) -> Says:
    """Whose item says what, but for case and white space, and where."""
    return Says(item.owner, item.compartment, item.kind, normalise(item.text))


def _says(row: ItemRow) -> Hashable:
    return says(row.item)


def _pair(left: _Side, right: _Side, old: ItemRow, new: ItemRow, by: MatchedBy) -> Pair:
    kind: Kind = "changed" if differing(old.item, new.item) else "same"
    return Pair(kind, left.take(old), right.take(new), by)


def _by_id(left: _Side, right: _Side) -> list[Pair]:
    both = [(row, right.free[address]) for address, row in left.free.items() if address in right.free]
    return [_pair(left, right, old, new, "id") for old, new in both]


def _matched(left: _Side, right: _Side, by: MatchedBy, key: Callable[[ItemRow], Hashable]) -> list[Pair]:
    """What has the same key on both sides. Where several have, they are matched in the order of their ids."""
    there = _index(right.free.values(), lambda row: (key(row),))
    found = [(row, rows.pop(0)) for row in left.free.values() if (rows := there.get(key(row)))]
    return [_pair(left, right, *both, by) for both in found]


def _index(rows: Iterable[ItemRow], keys: Callable[[ItemRow], Iterable[Hashable]]) -> dict[Hashable, list[ItemRow]]:
    found: dict[Hashable, list[ItemRow]] = defaultdict(list)
    for row in rows:
        for key in keys(row):
            found[key].append(row)
    return found


def _by_sources(left: _Side, right: _Side) -> list[Pair]:
    """Greedily, from the most alike: whoever comes first takes both."""
    pairs: list[Pair] = []
    for old, new in sorted(_sharing(left, right), key=_least_alike_last):
        if _address(old) in left.free and _address(new) in right.free:
            pairs.append(_pair(left, right, old, new, "sources"))
    return pairs


def _sharing(left: _Side, right: _Side) -> Iterator[tuple[ItemRow, ItemRow]]:
    """Who shares enough messages."""
    here, there = _index(left.free.values(), _sources), _index(right.free.values(), _sources)
    for old in left.free.values():
        telling = [each for each in _sources(old) if max(len(here[each]), len(there.get(each, ()))) <= MOST_ON_ONE]
        for new in {_address(row): row for each in telling for row in there.get(each, ())}.values():
            shared, fewest = _shared(old, new), min(len(_messages(old)), len(_messages(new)))
            if 2 * shared >= fewest:
                yield old, new


def _sources(row: ItemRow) -> list[Hashable]:
    return [(row.item.compartment, message) for message in sorted(_messages(row))]


def _messages(row: ItemRow) -> frozenset[EventId]:
    return frozenset(each.message for each in row.item.evidence if each.message)


def _shared(old: ItemRow, new: ItemRow) -> int:
    return len(_messages(old) & _messages(new))


def _least_alike_last(both: tuple[ItemRow, ItemRow]) -> tuple[int, int, int, Address, Address]:
    old, new = both
    quotes = frozenset(old.item.evidence) & frozenset(new.item.evidence)
    return -_shared(old, new), -len(quotes), -len(_words(old) & _words(new)), _address(old), _address(new)


def _words(row: ItemRow) -> frozenset[str]:
    return frozenset(normalise(row.item.text).split(" "))


# -- summaries -----------------------------------------------------------------------------------------------------


def compare_summaries(old: Iterable[Found[SummaryRow]], new: Iterable[Found[SummaryRow]]) -> list[SummaryPair]:
    """The summaries of both sides by session and epoch, in the order of their sessions. They are the same when their
    texts are.
    """
    left, right = _told(old), _told(new)
    pairs = (_summary_pair(key, left.get(key), right.get(key)) for key in left.keys() | right.keys())
    return sorted(pairs, key=lambda pair: (pair.row.session, pair.key))


def _told(found: Iterable[Found[SummaryRow]]) -> Mapping[bytes, SummaryRow]:
    """Those that say something: one that was reset or is withheld does not."""
    return {each.key: each.row for each in found if each.row.text}


def _summary_pair(key: bytes, old: SummaryRow | None, new: SummaryRow | None) -> SummaryPair:
    if new is None:
        return SummaryPair("only_old", key, old, None)
    if old is None:
        return SummaryPair("only_new", key, None, new)
    return SummaryPair("same" if old.text == new.text else "changed", key, old, new)
