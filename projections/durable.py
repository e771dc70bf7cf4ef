"""Which items a prompt holds: all that hold when the message is said, ranked, and as many as fit.

    dnam      DNAM's scoring, pinned (`retrieval`); nothing else decides
    recall    BM25 of the items that are open (`recall.facts`), with DNAM's boosts. What says how to answer (`guidance`)
              stands in front whatever was said, and what says how to behave where something comes up (`behavioral`) is
              there only where that is spoken of (seed 003, "Retrieval behavior")

Items that answer to nothing follow in either case, and fill the room that is left.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from projections import retrieval
from projections.events.values import Item, LeftOut, Limits, Scoring
from projections.items import ITEMS, ItemRow, compartment_key
from projections.policies.compartments import Opening
from projections.retrieval import FEWEST_TOKENS, Candidate, Hit, Vocabulary, candidate, query, tokens
from projections.rows import Found, Rows
from projections.window import fit

if TYPE_CHECKING:
    from projections.recall.facts import Ranked as KnownRanked

GUIDANCE, BEHAVIORAL = "guidance", "behavioral"


class Sought(NamedTuple):
    """What items are looked for: the words of a message, those of the window for where they are too few, and when it
    was said, in ms.
    """

    words: str
    window: str
    said: int
    vocabulary: Vocabulary


class Recalled(NamedTuple):
    """An item as recall ranked it; `asked` are the words that were looked for, by their term. What there is to say of
    it is said of those few that are shown.
    """

    ranked: "KnownRanked"
    asked: Mapping[bytes, str]

    @property
    def found(self) -> Found[ItemRow]:
        return self.ranked.known.found

    @property
    def item(self) -> Item:
        return self.ranked.known.found.row.item

    @property
    def score(self) -> int:
        """In 1/1024."""
        return self.ranked.score

    @property
    def words(self) -> tuple[str, ...]:
        """What it shares with what was said."""
        return tuple(sorted(self.asked[term] for _, term in self.ranked.fields if term))

    @property
    def reason(self) -> str:
        """Why it has its score."""
        shared, fields = self.words, self.ranked.fields
        parts = [f"shares {', '.join(shared)}" if shared else ""]
        parts += ["a project, asked about one" if ("project", b"") in fields else ""]
        parts += ["updated within 7 days" if ("recent", b"") in fields else ""]
        return "; ".join(filter(None, parts)) or "fills the room that is left"


Ranked = Hit | Recalled
"""An item, and why it stands where it does."""


class Chosen(NamedTuple):
    """Of ranked items those that fit, best first, and what was left out and why."""

    hits: tuple[Ranked, ...]
    left_out: tuple[LeftOut, ...]


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
    wanted = query(sought.words, sought.window, sought.said, sought.vocabulary)
    return retrieval.rank(_candidates(rows, openings, sought.said), wanted)


def _candidates(rows: Rows, openings: Iterable[Opening], said: int) -> Iterator[Candidate]:
    for owner, compartment in openings:
        for each in rows.made(ITEMS, compartment_key(owner, compartment), candidate):
            if _holds(each.found.row.item, said):
                yield each


def _holds(item: Item, said: int) -> bool:
    return item.status == "active" and (item.valid_until is None or item.valid_until >= said)


def _by_recall(rows: Rows, openings: Iterable[Opening], sought: Sought) -> list[Recalled]:
    # Imported late: numpy takes longer to load than `dnam show` has.
    from projections.recall.facts import known_item, rank
    from projections.recall.question import ask

    known = [
        each
        for owner, compartment in openings
        for each in rows.made(ITEMS, compartment_key(owner, compartment), known_item)
        if each.holds(sought.said)
    ]
    asked = ask(_enough_words(sought), {})
    ordered = rank(known, asked.question, sought.said, about_project=_is_about_project(sought))
    hits = [Recalled(each, asked.words) for each in ordered]
    standing = [hit for hit in hits if hit.item.kind == GUIDANCE]
    others = [hit for hit in hits if hit.item.kind != GUIDANCE and (hit.item.kind != BEHAVIORAL or hit.words)]
    return [*standing, *others]


def _enough_words(sought: Sought) -> str:
    """The message, and where it says little the conversation, as in DNAM's second rule."""
    few = len(tokens(sought.words, sought.vocabulary)) < FEWEST_TOKENS
    return f"{sought.words}\n{sought.window}" if few else sought.words


def _is_about_project(sought: Sought) -> bool:
    return query(sought.words, sought.window, sought.said, sought.vocabulary).about_project


def chosen(hits: Sequence[Ranked], items: int, chars: int, block: str, length: Callable[[Ranked], int]) -> Chosen:
    """The hits that fit into a block, best first. Of what did not, the first few are listed by id and the rest is
    counted. `length` is how many characters the line of one has.
    """
    fitted = fit(hits, chars, items, length)
    over, beyond = f"over {chars} characters", f"over {items} items"
    left_out = [*((each, over) for each in fitted.over), *((each, beyond) for each in fitted.beyond)]
    told = [LeftOut(block, hits[each].item.id, why) for each, why in left_out[:items]]
    rest = len(left_out) - len(told)  # a turn records this for good, so its length is bounded
    told += [LeftOut(block, f"{rest} more items", "over the limits")] if rest else []
    return Chosen(tuple(hits[each] for each in fitted.kept), tuple(told))
