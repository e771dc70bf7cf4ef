"""Which items a prompt holds: all that hold when the message is said, ranked, and as many as fit.

    dnam      DNAM's scoring, pinned (`retrieval`); nothing else decides
    recall    BM25 of the items that are open, with DNAM's boosts, and what is near in meaning (`recall.facts`). What
              says how to answer (`guidance`) stands in front whatever was said, and is not among those that are
              counted; but for half of the block's characters it leaves room for what answers. What says how to behave
              where something comes up (`behavioral`) is there only where that is spoken of (seed 003, "Retrieval
              behavior")

Items that answer to nothing follow in either case, and fill the room that is left.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, overload

from projections import retrieval
from projections.events.values import Item, LeftOut, Limits, NearUse, Scoring
from projections.ids import Handle
from projections.items import ITEMS, ItemRow, compartment_key
from projections.nearness import IN_OTHER_WORDS, Nearness
from projections.policies.compartments import Opening
from projections.policies.kinds import BEHAVIORAL, GUIDANCE
from projections.retrieval import FEWEST_TOKENS, Candidate, Hit, Query, Vocabulary, candidate, query, tokens
from projections.rows import Found, Rows
from projections.window import Fitted, fit

if TYPE_CHECKING:
    from projections.recall.facts import KnownItems, Ranking
    from projections.recall.facts import Ranked as KnownRanked
    from projections.recall.question import Asked

WINDOW = 16
"""What part of a word of the message one of the conversation counts, where the message has too few."""


class Sought(NamedTuple):
    """What items are looked for: the words of a message, those of the window for where they are too few, and when it
    was said, in ms. With `nearness`, what is near in meaning counts too.
    """

    words: str
    window: str
    said: int
    vocabulary: Vocabulary
    nearness: Nearness | None = None


class Recalled:
    """An item as recall ranked it, by its number in a ranking; `asked` are the words that were looked for, by their
    term. What there is to say of it is said of those few of which somebody asks.
    """

    __slots__ = ("_known", "_number", "_ranking", "asked")

    def __init__(self, ranking: "Ranking", number: int, asked: Mapping[bytes, str]) -> None:
        self._ranking = ranking
        self._number = number
        self._known = ranking.known[number]
        self.asked = asked

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recalled) and (self.ranked, self.asked) == (other.ranked, other.asked)

    @property
    def ranked(self) -> "KnownRanked":
        """The item with all that its score is made of."""
        return self._ranking[self._number]

    @property
    def found(self) -> Found[ItemRow]:
        return self._known.found

    @property
    def item(self) -> Item:
        return self._known.found.row.item

    def line(self, *, with_place: bool) -> str:
        """Its line in a prompt."""
        return self._known.line(with_place=with_place)

    @property
    def score(self) -> int:
        """In 1/1024."""
        return self.ranked.score

    @property
    def overlap(self) -> tuple[str, ...]:
        """What it shares with what was said."""
        return tuple(sorted(self.asked[term] for _, term in self.ranked.fields if term))

    @property
    def answers(self) -> bool:
        """Whether it has a word of what is looked for, or is near it in meaning; which words, is not looked at."""
        return bool(self.near) or not self._ranking.worth.terms.keys().isdisjoint(self._known.terms.counts)

    @property
    def near(self) -> int:
        """Its rank among the nearest in meaning, from 1; 0 where it is none of them."""
        return self._ranking.near.get(self._number, 0)

    @property
    def reason(self) -> str:
        """Why it has its score."""
        shared, fields = self.overlap, self.ranked.fields
        parts = [f"shares {', '.join(shared)}" if shared else "", "near in meaning" if self.near else ""]
        parts += ["a project, asked about one" if ("project", b"") in fields else ""]
        parts += ["updated within 7 days" if ("recent", b"") in fields else ""]
        return "; ".join(filter(None, parts)) or "fills the room that is left"


Ranked = Hit | Recalled
"""An item, and why it stands where it does."""


class _InOrder(Sequence[Ranked]):
    """What recall ranked, in the order in which a prompt takes it; the first `standing` say how to answer. What is said
    of one is made when it is asked for: a prompt has room for few.
    """

    def __init__(self, ranking: "Ranking", asked: Mapping[bytes, str]) -> None:
        self._ranking = ranking
        self._asked = asked
        standing, others = _parted(ranking)
        self._numbers = [*standing, *others]
        self.standing = len(standing)
        self.is_by_meaning = bool(ranking.near)
        self.note = ranking.note

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> Ranked: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Ranked]: ...

    def __getitem__(self, at: int | slice) -> Ranked | Sequence[Ranked]:
        if isinstance(at, slice):
            return [self._made(number) for number in self._numbers[at]]
        return self._made(self._numbers[at])

    def __iter__(self) -> Iterator[Ranked]:
        return map(self._made, self._numbers)

    def answers(self, at: int) -> bool:
        """Whether one has a word of what is looked for, or is near it in meaning."""
        return self._ranking.answers(self._numbers[at])

    def _made(self, number: int) -> Recalled:
        return Recalled(self._ranking, number, self._asked)


def _parted(ranking: "Ranking") -> tuple[Sequence[int], Sequence[int]]:
    """The numbers of what is ranked, best first: of what says how to answer, and of the others; what says how to behave
    where something comes up is there only where that is spoken of.
    """
    if ranking.kinds.isdisjoint((GUIDANCE, BEHAVIORAL)):
        return (), ranking.numbers
    kinds = [each.found.row.item.kind for each in ranking.known]
    standing = [number for number in ranking.numbers if kinds[number] == GUIDANCE]
    others = (number for number in ranking.numbers if kinds[number] != GUIDANCE)
    return standing, [n for n in others if kinds[n] != BEHAVIORAL or ranking.shares(n)]


class Chosen(NamedTuple):
    """Of ranked items those that fit, best first, what was left out and why, and what of all of them was near."""

    hits: tuple[Ranked, ...]
    left_out: tuple[LeftOut, ...]
    nearest: tuple[NearUse, ...] = ()


def scoring_version(limits: Limits) -> str:
    """What scored that which stands in a prompt, with its version."""
    if limits.scoring == "dnam" and not limits.passages:
        return retrieval.VERSION
    from projections.recall.scoring import VERSION

    return VERSION if limits.scoring == "recall" else f"{retrieval.VERSION} {VERSION}"


def ranked(rows: Rows, openings: Iterable[Opening], sought: Sought, scoring: Scoring) -> Sequence[Ranked]:
    """The active items of these compartments that hold when the message is said, best first."""
    return _by_recall(rows, openings, sought) if scoring == "recall" else _as_dnam(rows, openings, sought)


def _as_dnam(rows: Rows, openings: Iterable[Opening], sought: Sought) -> list[Hit]:
    return retrieval.rank(_candidates(rows, openings, sought.said), _wanted(sought))


def _wanted(sought: Sought) -> Query:
    return query(sought.words, sought.window, sought.said, sought.vocabulary)


def _candidates(rows: Rows, openings: Iterable[Opening], said: int) -> Iterator[Candidate]:
    for owner, compartment in openings:
        for each in rows.made(ITEMS, compartment_key(owner, compartment), candidate):
            if _holds(each.found.row.item, said):
                yield each


def _holds(item: Item, said: int) -> bool:
    return item.status == "active" and (item.valid_until is None or item.valid_until >= said)


def _by_recall(rows: Rows, openings: Iterable[Opening], sought: Sought) -> Sequence[Ranked]:
    # Imported late: numpy takes longer to load than `dnam show` has.
    from projections.recall.facts import known_items

    parts = [
        rows.gathered(ITEMS, compartment_key(owner, compartment), known_items).holding(sought.said)
        for owner, compartment in openings
    ]
    if not any(part.known for part in parts):
        return []
    return _InOrder(*_ranking(parts, sought))


def matching(items: Iterable[Found[ItemRow]], sought: Sought, scoring: Scoring) -> list[Ranked]:
    """Those of some items that have a word of what is looked for, of whatever status, best first: for who picks."""
    if scoring == "dnam":
        return [hit for hit in retrieval.rank(map(candidate, items), _wanted(sought)) if hit.overlap]
    # Imported late, as above.
    from projections.recall.facts import KnownItems, known_item

    ranking, asked = _ranking([KnownItems(map(known_item, items))], sought)
    return [Recalled(ranking, number, asked) for number in ranking.numbers if ranking.shares(number)]


def _ranking(parts: "Sequence[KnownItems]", sought: Sought) -> "tuple[Ranking, Mapping[bytes, str]]":
    """Items as recall ranks them, and the words that were looked for, by their term."""
    from projections.recall.facts import rank
    from projections.recall.question import ask
    from projections.recall.search import with_likes_in

    asked = with_likes_in(parts, _asked(sought, ask))
    about_project = _is_about_project(sought)
    return rank(parts, asked.question, sought.said, about_project=about_project, nearness=sought.nearness), asked.words


def _asked(sought: Sought, ask: "Callable[[str, Mapping[Handle, str]], Asked]") -> "Asked":
    """What the message looks for, and where it says little the conversation, as in DNAM's second rule. Beside a word of
    the message those of the conversation count a WINDOW'th: there are many of them, and that one is asked for.
    """
    own = len(tokens(sought.words, sought.vocabulary))
    if not own:
        return ask(f"{sought.words}\n{sought.window}", {})
    asked = ask(sought.words, {})
    if own >= FEWEST_TOKENS:
        return asked
    window = ask(sought.window, {})
    terms = {term: share // WINDOW for term, share in window.question.terms.items()} | dict(asked.question.terms)
    return asked._replace(question=asked.question._replace(terms=terms), words={**window.words, **asked.words})


def _is_about_project(sought: Sought) -> bool:
    return _wanted(sought).about_project


def answers(hit: Ranked) -> bool:
    """Whether an item has a word of what is looked for, or is near it in meaning."""
    return bool(hit.overlap) if isinstance(hit, Hit) else hit.answers


def noting(known: Chosen, block: str, found: Sequence[Ranked], counted: Iterable[Ranked]) -> Chosen:
    """What was chosen, with what there is to note of finding by meaning, and the ranks of all that `counted` among what
    was `found`: by these the same is chosen without an encoder.
    """
    if not isinstance(found, _InOrder):
        return known
    near = (hit for hit in counted if isinstance(hit, Recalled) and hit.near) if found.is_by_meaning else ()
    noted = (LeftOut(block, IN_OTHER_WORDS, found.note),) if found.note else ()
    return Chosen(known.hits, (*noted, *known.left_out), tuple(NearUse(hit.near, hit.found.row.event) for hit in near))


def chosen(hits: Sequence[Ranked], items: int, chars: int, block: str, length: Callable[[Ranked], int]) -> Chosen:
    """The hits that fit into a block, best first. Of what did not, the first few are listed by id and the rest is
    counted. `length` is how many characters the line of one has.
    """
    fitted = _fitted(hits, items, chars, length)
    over, beyond = f"over {chars} characters", f"over {items} items"
    left_out = chain(((each, over) for each in fitted.over), ((each, beyond) for each in fitted.beyond))
    told = [LeftOut(block, hits[each].item.id, why) for each, why in islice(left_out, items)]
    rest = len(fitted.over) + len(fitted.beyond) - len(told)  # a turn records this for good: its length is bounded
    told += [LeftOut(block, f"{rest} more items", "over the limits")] if rest else []
    return Chosen(tuple(hits[each] for each in fitted.kept), tuple(told))


def _fitted(hits: Sequence[Ranked], items: int, chars: int, length: Callable[[Ranked], int]) -> Fitted:
    """Which of them fit. What says how to answer is none of the `items`, and has all characters but those of what fits
    beside half of them, as far down as something there answers.
    """
    if not (items and isinstance(hits, _InOrder) and hits.standing):
        return fit(hits, chars, items, length)

    def size(at: int) -> int:
        return length(hits[at])

    def used(taken: Iterable[int]) -> int:
        return sum(size(at) + 1 for at in taken)  # and the line break behind it

    guidance, others = range(hits.standing), range(hits.standing, len(hits))
    half = fit(guidance, chars // 2, len(guidance), size).kept
    beside = [others[each] for each in fit(others, chars - used(half), items, size).kept]
    answering = [at for at in beside if hits.answers(at)]
    room = used(at for at in beside if at <= answering[-1]) if answering else 0
    standing = fit(guidance, chars - room, len(guidance), size)
    rest = fit(others, chars - used(standing.kept), items, size)
    return Fitted(
        [*standing.kept, *(others[each] for each in rest.kept)],
        [*standing.over, *(others[each] for each in rest.over)],
        [others[each] for each in rest.beyond],
    )
