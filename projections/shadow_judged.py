"""How good the items of one owner are, as far as that can be counted without a model: for one side of a difference.

    duplicates      items of which more than 60 % of the words are those of another one, by the rule of merges
                    (`closeness.by_tokens`), and which nothing tells apart from it
    unsourced       items that rest on no message of the log, and that no person wrote
    contradictions  an item beside the one that it replaced; items with nearly the same words that a denial, a name, a
                    number, a unit or a person tells apart; items that say the same, of which one denies it
    tokens          what all of them take as lines of a prompt

So `contradictions` are what somebody should look at: two cats and three cats may have been two moments. What
contradicts another item in other words is not found.

Which items share enough words is found by their rarest words: two texts of which more than SHARED_PERCENT of the words
are shared have one of those in common (Chaudhuri, Ganti and Kaushik, A Primitive Operator for Similarity Joins in Data
Cleaning, 2006). Each item is held against those before it that stand for themselves, MOST_COMPARED at the most, so that
a thousand items which say the same take a thousand looks.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import NamedTuple

from projections.blocks import item_line
from projections.items import ItemRow
from projections.policies.closeness import SHARED_PERCENT
from projections.policies.rephrasing import UNKNOWN, Rephrasing, about, denier, told_apart
from projections.retrieval import Vocabulary, tokens
from projections.tokens import by_characters

MOST_COMPARED = 20
MOST_OTHER_WORDS = 4
"""By how many words a denial and what it denies differ at the most, as they are written: `likes`, and `never liked`."""

WordsOf = Callable[[str], frozenset[str]]
"""The words of a text by which it is held against others."""


class Beside(NamedTuple):
    """Two items that stand beside each other and should not, and why."""

    row: ItemRow
    other: ItemRow
    reason: str


class Judged(NamedTuple):
    """What is counted of one side, with what was found."""

    items: int = 0
    duplicates: tuple[Beside, ...] = ()
    unsourced: tuple[ItemRow, ...] = ()
    contradictions: tuple[Beside, ...] = ()
    tokens: int = 0


class Measures(NamedTuple):
    """The same as numbers."""

    items: int = 0
    duplicates: int = 0
    unsourced: int = 0
    contradictions: int = 0
    tokens: int = 0


def measures(judged: Iterable[Judged]) -> Measures:
    """The numbers of several owners, in sum."""
    listed = [(each.items, *map(len, each[1:4]), each.tokens) for each in judged]
    return Measures(*map(sum, zip(*listed, strict=True))) if listed else Measures()


def judged(rows: Iterable[ItemRow], vocabulary: Vocabulary, known: Rephrasing = UNKNOWN) -> Judged:
    """What is found among the active items of one owner. Rows of any status may be handed in."""
    active = sorted((row for row in rows if row.item.status == "active"), key=_address)
    words_of = cache(lambda text: tokens(text, vocabulary))
    duplicates, apart = _close(active, words_of, known)
    contradictions = [*_replaced(active), *apart, *_denied(active, words_of, known)]
    return Judged(
        items=len(active),
        duplicates=tuple(duplicates),
        unsourced=tuple(row for row in active if _is_unsourced(row)),
        contradictions=tuple({_both(each): each for each in contradictions}.values()),
        tokens=sum(by_characters(item_line(row.item) + "\n") for row in active),
    )


def _address(row: ItemRow) -> tuple[str, str]:
    return row.item.compartment, row.item.id


def _both(beside: Beside) -> Hashable:
    return frozenset(map(_address, (beside.row, beside.other)))


def _is_unsourced(row: ItemRow) -> bool:
    return row.item.source.type != "manual" and not any(each.message for each in row.item.evidence)


def _replaced(active: Sequence[ItemRow]) -> Iterator[Beside]:
    """Items beside what they replaced."""
    there = {_address(row): row for row in active}
    for row in active:
        for each in row.item.supersedes:
            other = there.get((row.item.compartment, each))
            if other is not None and other is not row:
                yield Beside(row, other, "it replaced the other one, which stands all the same")


def _grouped(active: Iterable[ItemRow], key: Callable[[ItemRow], Hashable]) -> Iterable[list[ItemRow]]:
    found: dict[Hashable, list[ItemRow]] = defaultdict(list)
    for row in active:
        found[key(row)].append(row)
    return found.values()


class _Words:
    """The words of the texts of a group, by the numbers of its items, and how many texts have each."""

    def __init__(self, group: Sequence[ItemRow], words_of: WordsOf) -> None:
        self.of = [words_of(row.item.text) for row in group]
        self._having = Counter(word for each in self.of for word in each)

    def rarest_first(self, number: int) -> list[str]:
        """The words of an item in order."""
        return sorted(self.of[number], key=lambda word: (self._having[word], word))

    def telling(self, number: int) -> list[str]:
        """As many of the rarest as leave too few others: what shares none of them does not share enough."""
        words = self.rarest_first(number)
        return words[: len(words) - SHARED_PERCENT * len(words) // 100]


class _Having:
    """Items of a group by their words."""

    def __init__(self) -> None:
        self._by_word: dict[str, list[int]] = defaultdict(list)

    def add(self, number: int, words: Iterable[str]) -> None:
        """An item with these words."""
        for word in words:
            self._by_word[word].append(number)

    def some(self, words: Iterable[str]) -> list[int]:
        """Items that have any of these words, those with the first ones first; MOST_COMPARED at the most."""
        found = chain.from_iterable(self._by_word[word][:MOST_COMPARED] for word in words)
        return list(dict.fromkeys(found))[:MOST_COMPARED]


# -- nearly the same words -----------------------------------------------------------------------------------------


class _Found(NamedTuple):
    """A standing item with nearly the same words: how many are shared, and what tells it apart, empty for nothing."""

    row: ItemRow
    shared: str
    difference: str


def _close(active: Sequence[ItemRow], words_of: WordsOf, known: Rephrasing) -> tuple[list[Beside], list[Beside]]:
    """What says the same as another one, and what nearly does and is told apart."""
    duplicates: list[Beside] = []
    apart: list[Beside] = []
    for group in _grouped(active, lambda row: (row.item.compartment, row.item.kind, row.item.about)):
        standing = _Standing(group, words_of, known)
        for number, row in enumerate(group):
            found = list(standing.close(number))
            same = [Beside(row, each.row, each.shared) for each in found if not each.difference]
            duplicates += same[:1]
            if not same:
                apart += [Beside(row, each.row, each.difference) for each in found[:1]]
                standing.add(number)
    return duplicates, apart


class _Standing:
    """The items of a group that stand for themselves, by their rarest words."""

    def __init__(self, group: Sequence[ItemRow], words_of: WordsOf, known: Rephrasing) -> None:
        self._group = group
        self._words = _Words(group, words_of)
        self._known = known
        self._having = _Having()

    def add(self, number: int) -> None:
        """It stands for itself."""
        self._having.add(number, self._words.telling(number))

    def close(self, number: int) -> Iterator[_Found]:
        """Those that share enough words with an item."""
        mine = self._words.of[number]
        for each in self._having.some(self._words.telling(number)):
            theirs = self._words.of[each]
            shared, every = len(mine & theirs), len(mine | theirs)
            if 100 * shared > SHARED_PERCENT * every:
                yield self._found(self._group[each], self._group[number], f"{shared} of {every} words are shared")

    def _found(self, standing: ItemRow, row: ItemRow, shared: str) -> _Found:
        return _Found(standing, shared, told_apart(standing.item.text, row.item.text, self._known))


# -- denials -------------------------------------------------------------------------------------------------------


def _denied(active: Sequence[ItemRow], words_of: WordsOf, known: Rephrasing) -> Iterator[Beside]:
    """What denies something, beside what says just that. It is looked for among what has one of its rarest words."""
    denies = denier(known)
    for group in _grouped(active, lambda row: (row.item.compartment, row.item.about)):
        denying = [number for number, row in enumerate(group) if denies(row.item.text)]
        if denying:
            yield from _beside(denying, group, _Words(group, words_of), known)


def _beside(denying: Sequence[int], group: Sequence[ItemRow], words: _Words, known: Rephrasing) -> Iterator[Beside]:
    saying = _Having()
    for number in sorted(set(range(len(group))) - set(denying)):
        saying.add(number, words.of[number])
    for number in denying:
        row = group[number]
        others = (each for each in saying.some(words.rarest_first(number)) if _is_near(words, number, each))
        said = (group[each] for each in others if _claim(group[each], known) == _claim(row, known))
        yield from (Beside(row, other, "one denies what the other says") for other in islice(said, 1))


def _is_near(words: _Words, one: int, other: int) -> bool:
    return len(words.of[one] ^ words.of[other]) <= MOST_OTHER_WORDS


def _claim(row: ItemRow, known: Rephrasing) -> tuple[frozenset[str], ...]:
    """What an item says or denies."""
    found = about(row.item.text, known)
    return found.words | found.predicates | found.units, found.relations, found.names, found.numbers
