"""How good the items of one owner are, as far as that can be counted without a model: for one side of a difference.

    duplicates      items of which more than 60 % of the words are those of another one, by the rule of merges
                    (`closeness.by_tokens`), and which nothing tells apart from it
    unsourced       items that rest on no message of the log, and that no person wrote
    contradictions  an item beside the one that it replaced; items with nearly the same words that a denial, a name, a
                    number, a unit or a person tells apart; items that say the same, of which one denies it; short ones
                    that say the same but for a weekday, a month, a time or a number, or for a name of which there is
                    one at a time (where somebody lives or is from, and what they are called)
    tokens          what all of them take as lines of a prompt

So `contradictions` are what somebody should look at: two cats and three cats may have been two moments. What
contradicts another item in other words is not found.

Which items share enough words is found by their rarest words: two texts of which more than SHARED_PERCENT of the words
are shared have one of those in common (Chaudhuri, Ganti and Kaushik, A Primitive Operator for Similarity Joins in Data
Cleaning, 2006). Each item is held against those before it that stand for themselves, MOST_COMPARED at the most, so that
a thousand items which say the same take a thousand looks. The words of a text are a number with a bit for each, so that
how many two texts share is counted at once; a word that only one item of a group has is counted, and looked up nowhere.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from projections.blocks import item_line_chars
from projections.items import ItemRow
from projections.policies.closeness import SHARED_PERCENT
from projections.policies.rephrasing import UNKNOWN, Rephrasing, about, denier, told_apart
from projections.rederiving.names import Named, named, other_name
from projections.rederiving.values import MOST_WORDS, Valued, differing_values, valued
from projections.retrieval import Vocabulary, tokens
from projections.tokens import CHARS_A_TOKEN

MOST_COMPARED = 20
MOST_OTHER_WORDS = 4
"""By how many words a denial and what it denies differ at the most, as they are written: `likes`, and `never liked`."""


class Texts:
    """What is known of texts, each looked at once: also where both sides of an owner have it."""

    def __init__(self, vocabulary: Vocabulary, known: Rephrasing = UNKNOWN) -> None:
        self.known = known
        self._vocabulary = vocabulary
        self._denies = denier(known)
        self._words: dict[str, frozenset[str]] = {}
        self._denials: dict[str, bool] = {}

    def words(self, text: str) -> frozenset[str]:
        """The words by which a text is held against others."""
        found = self._words.get(text)
        if found is None:
            found = self._words[text] = tokens(text, self._vocabulary)
        return found

    def is_denial(self, text: str) -> bool:
        """Whether it denies something."""
        found = self._denials.get(text)
        if found is None:
            found = self._denials[text] = self._denies(text)
        return found

    def clear(self) -> None:
        """Another owner's items come: they say other things."""
        self._words.clear()
        self._denials.clear()


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


def judged(rows: Iterable[ItemRow], texts: Texts) -> Judged:
    """What is found among the active items of one owner. Rows of any status may be handed in."""
    active = sorted((row for row in rows if row.item.status == "active"), key=_address)
    duplicates: list[Beside] = []
    contradictions = list(_replaced(active))
    for subject in _grouped(active, lambda row: (row.item.compartment, row.item.about)):
        kinds = list(_grouped(subject, lambda row: row.item.kind))
        whole = _Group(subject, texts)
        for rows_of_kind in kinds:
            group = whole if len(kinds) == 1 else _Group(rows_of_kind, texts)
            same, apart = _close(group)
            duplicates += same
            contradictions += [*apart, *_valued(group), *_named(group)]
        contradictions += _denied(whole)
    return Judged(
        items=len(active),
        duplicates=tuple(duplicates),
        unsourced=tuple(row for row in active if _is_unsourced(row)),
        contradictions=tuple({_both(each): each for each in contradictions}.values()),
        tokens=sum(-(-(item_line_chars(row.item) + 1) // CHARS_A_TOKEN) for row in active),
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


class _Group:
    """Items with the words of their texts: how many each has, and those that others have too, as ranks from the rarest
    one, and as the bits of a number.
    """

    def __init__(self, rows: Sequence[ItemRow], texts: Texts) -> None:
        self.rows = rows
        self.texts = texts
        words = [texts.words(row.item.text) for row in rows]
        having = Counter(chain.from_iterable(words))
        shared = sorted(sorted(word for word, count in having.items() if count > 1), key=having.__getitem__)
        rank = {word: number for number, word in enumerate(shared)}
        bit = [1 << number for number in range(len(shared))]
        self.sizes = list(map(len, words))
        self.ranks = [sorted([rank[word] for word in each if word in rank]) for each in words]
        self.bits = [sum(map(bit.__getitem__, each)) for each in self.ranks]
        self.different_words = len(shared)

    def telling(self, number: int) -> list[int]:
        """As many of the rarest as leave too few others: what shares none of them does not share enough. Those that
        nobody else has come first, and tell of nobody.
        """
        size, ranks = self.sizes[number], self.ranks[number]
        return ranks[: max(len(ranks) - SHARED_PERCENT * size // 100, 0)]

    def near(self, number: int, others: Iterable[int]) -> list[int]:
        """Those of the others of which more than SHARED_PERCENT of the words of both are shared."""
        mine, size, bits, sizes = self.bits[number], self.sizes[number], self.bits, self.sizes
        # The words of both are those of either less the shared ones: so these stand on one side.
        return [
            each
            for each in others
            if (100 + SHARED_PERCENT) * (mine & bits[each]).bit_count() > SHARED_PERCENT * (size + sizes[each])
        ]

    def differing_little(self, number: int, others: Iterable[int]) -> list[int]:
        """Those of the others that have MOST_OTHER_WORDS that only one of both has, or fewer."""
        mine, most, bits, sizes = self.bits[number], MOST_OTHER_WORDS - self.sizes[number], self.bits, self.sizes
        return [each for each in others if sizes[each] - 2 * (mine & bits[each]).bit_count() <= most]

    def shared(self, one: int, other: int) -> tuple[int, int]:
        """How many words two of them share, and how many they have together."""
        both = (self.bits[one] & self.bits[other]).bit_count()
        return both, self.sizes[one] + self.sizes[other] - both


class _Having:
    """Items of a group by their words: of each word the first MOST_COMPARED."""

    def __init__(self, group: _Group) -> None:
        self._by_word: list[list[int]] = [[] for _ in range(group.different_words)]

    def add(self, number: int, words: Iterable[int]) -> None:
        """An item with these words."""
        for word in words:
            having = self._by_word[word]
            if len(having) < MOST_COMPARED:
                having.append(number)

    def some(self, words: Iterable[int]) -> list[int]:
        """Items that have any of these words, those with the first ones first; MOST_COMPARED at the most."""
        found: dict[int, None] = {}
        for word in words:
            found.update(dict.fromkeys(self._by_word[word]))
            if len(found) >= MOST_COMPARED:
                break
        return list(found)[:MOST_COMPARED]


# -- nearly the same words -----------------------------------------------------------------------------------------


class _Found(NamedTuple):
    """A standing item with nearly the same words: how many are shared, and what tells it apart, empty for nothing."""

    row: ItemRow
    shared: str
    difference: str


def _close(group: _Group) -> tuple[list[Beside], list[Beside]]:
    """What says the same as another one, and what nearly does and is told apart."""
    duplicates: list[Beside] = []
    apart: list[Beside] = []
    standing = _Having(group)
    for number, row in enumerate(group.rows):
        telling = group.telling(number)
        found = [_found(group, number, each) for each in group.near(number, standing.some(telling))]
        same = [Beside(row, each.row, each.shared) for each in found if not each.difference]
        duplicates += same[:1]
        if not same:
            apart += [Beside(row, each.row, each.difference) for each in found[:1]]
            standing.add(number, telling)
    return duplicates, apart


def _found(group: _Group, number: int, each: int) -> _Found:
    one, other = group.rows[each], group.rows[number]
    shared, every = group.shared(number, each)
    difference = told_apart(one.item.text, other.item.text, group.texts.known)
    return _Found(one, f"{shared} of {every} words are shared", difference)


# -- values --------------------------------------------------------------------------------------------------------


def _valued(group: _Group) -> Iterator[Beside]:
    """What says the same as another one but for a day, a time or a number: of short texts, see `shadow_values`."""
    saying: dict[Hashable, list[tuple[ItemRow, Valued]]] = defaultdict(list)
    for row, size in zip(group.rows, group.sizes, strict=True):
        found = valued(row.item.text, group.texts.known) if size <= MOST_WORDS else None
        if found is not None:
            others = saying[found.says]
            apart = ((other, differing_values(found, its)) for other, its in others[:MOST_COMPARED])
            yield from islice((Beside(row, other, f"they have different {name}") for other, name in apart if name), 1)
            others.append((row, found))


def _named(group: _Group) -> Iterator[Beside]:
    """What says the same as another one but for a name of which there is one at a time: see `shadow_names`."""
    saying: dict[Hashable, list[tuple[ItemRow, Named]]] = defaultdict(list)
    for row in group.rows:
        found = named(row.item.text, group.texts.known)
        if found is not None:
            others = saying[found.says]
            apart = (other for other, its in others[:MOST_COMPARED] if other_name(found, its, group.texts.known.wide))
            yield from islice((Beside(row, other, f"they have different {found.kind}") for other in apart), 1)
            others.append((row, found))


# -- denials -------------------------------------------------------------------------------------------------------


def _denied(group: _Group) -> Iterator[Beside]:
    """What denies something, beside what says just that. It is looked for among what has one of its rarest words."""
    is_denial = [group.texts.is_denial(row.item.text) for row in group.rows]
    if not any(is_denial):
        return
    saying = _Having(group)
    for number, words in enumerate(group.ranks):
        if not is_denial[number]:
            saying.add(number, words)
    for number, row in enumerate(group.rows):
        if is_denial[number]:
            others = group.differing_little(number, saying.some(group.ranks[number]))
            said = (other for each in others if _says_what(row, other := group.rows[each], group.texts.known))
            yield from (Beside(row, other, "one denies what the other says") for other in islice(said, 1))


def _says_what(row: ItemRow, other: ItemRow, known: Rephrasing) -> bool:
    """Whether an item says just what another one denies."""
    return _claim(row, known) == _claim(other, known)


def _claim(row: ItemRow, known: Rephrasing) -> tuple[frozenset[str], ...]:
    """What an item says or denies."""
    found = about(row.item.text, known)
    return found.words | found.predicates | found.units, found.relations, found.names, found.numbers
