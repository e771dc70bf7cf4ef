"""The difference between the live memory and a shadow of it: per person, in sum, and judged; for a terminal, for
programs and for a page.

`old` is always the live memory, `new` the shadow. The fields of these values are those of `dnam diff --shadow --json`,
and stable.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from dnam.finding import place_words
from dnam.namesakes import apart
from dnam.shadows.inputs import NOBODYS, LessRead, less_read
from dnam.shadows.manifest import Manifest
from dnam.shadows.verdicts import Verdicts
from dnam.shadows.words import Fault, GroupWords, SummaryWords, Teller, faults
from projections.counting import counted
from projections.ids import Handle
from projections.items import ITEMS, ItemRow, items_of
from projections.people import name_of
from projections.policies.rephrasing import UNKNOWN, Rephrasing
from projections.rederiving.groups import groups
from projections.rederiving.judged import Measures, Texts, judged, measures
from projections.rederiving.pairs import Counts, SummaryPair, compare, compare_summaries, counts, differs
from projections.rederiving.scope import Scope, has_item, has_summary
from projections.retrieval import Vocabulary
from projections.rows import Rows
from projections.summaries import SUMMARIES, SummaryRow
from replay.reading import Reader

MEASURED = {
    "items": ("items", "active ones"),
    "duplicates": ("duplicates", "more than 60 % of their words are another one's"),
    "unsourced": ("without evidence", "they rest on no message of the log, and nobody wrote them"),
    "contradictions": (
        "contradictions",
        "a denial, name, number, day or person tells them from one like them; or they replaced one that still stands",
    ),
    "tokens": ("tokens", "all of them as lines of a prompt"),
}
"""What is judged, in the order of `Measures`: for people, and what is counted."""
Told = Callable[[int, int], None]
"""Told how many people were compared, of how many."""


class OwnerWords(NamedTuple):
    """What differs of one person's items, and what is counted of both sides."""

    person: Handle
    name: str
    items: Counts
    old: Measures
    new: Measures
    groups: tuple[GroupWords, ...]
    faults: tuple[Fault, ...]


class Report(NamedTuple):
    """All of it. `live` is how far the live log reaches, and `behind` how many of its events the shadow does not know
    yet and would read, as far as whoever looks has counted (`shadow_behind`). `of` are the people and guilds that the
    shadow is of, none where it is of all. `differs` says whether anything does that adopting would not leave as it is,
    as far as is told of each pair and summary (`held`). `items` and `summaries` count what differs, `old` and `new`
    what was judged, in sum over all who were compared. `people` and `sessions` are those of which something differs.
    `less_read` are the runs of the shadow that could not read all that they had read when they were recorded.
    """

    shadow: Manifest
    live: int
    of: tuple[str, ...]
    differs: bool
    items: Counts
    summaries: Counts
    old: Measures
    new: Measures
    people: tuple[OwnerWords, ...]
    sessions: tuple[SummaryWords, ...]
    behind: int = 0
    less_read: tuple[LessRead, ...] = ()

    @property
    def notes(self) -> list[str]:
        """What there is to know before it is read."""
        return self.notes_with(lambda words: f"dnam {words}")

    def notes_with(self, command: Callable[[str], str]) -> list[str]:
        """The same, for where commands are typed another way."""
        name = self.shadow.name
        goes_on = f"`{command(f'rederive --name {name}')}` goes on"
        notes = [] if self.shadow.state == "complete" else [f"the shadow {name!r} is not complete: {goes_on}"]
        if self.behind:
            known = f"knows the log up to #{self.shadow.upto} of #{self.live}"
            notes.append(f"the shadow {name!r} {known}, {counted(self.behind, 'event')} behind: {goes_on}")
        if self.of:
            notes.append(f"the shadow {name!r} is of {', '.join(self.of)} alone: nothing else is compared")
        return notes


class Known(NamedTuple):
    """What is known of the language that items are judged by, and what the assistant is called."""

    vocabulary: Vocabulary
    rephrasing: Rephrasing = UNKNOWN
    assistant: str = ""


class Sides(NamedTuple):
    """The live memory and the shadow, open: rows of now, and the events of each log. `is_gone` says of an item of the
    shadow that it rests on words which were taken back since, and `is_summary_gone` of a summary: it is not compared.
    `verdicts` say what adopting would leave as it is.
    """

    old: Rows
    new: Rows
    old_events: Reader
    new_events: Reader
    is_gone: Callable[[ItemRow], bool]
    is_summary_gone: Callable[[SummaryRow], bool]
    verdicts: Verdicts


class Wanted(NamedTuple):
    """What is compared: one person's items, one session's summary, or everything."""

    person: Handle | None = None
    session: str | None = None


class _Owner(NamedTuple):
    """One owner's items on both sides. `words` is there where something differs."""

    items: Counts
    old: Measures
    new: Measures
    words: OwnerWords | None


def report(sides: Sides, manifest: Manifest, known: Known, wanted: Wanted, tell: Told) -> Report:
    """Compare both sides, and tell what differs."""
    scope = manifest.asked.scope
    teller = Teller(sides.old, sides.old_events, sides.new_events, known.assistant)
    owners = list(_owners(sides, scope, known, wanted, teller, tell))
    summaries = [] if wanted.person is not None else _summaries(sides, scope, wanted.session)
    held = {pair.key: sides.verdicts.of_summary(pair) for pair in summaries if pair.kind != "same"}
    adoptable = [pair for pair in summaries if not held.get(pair.key)]
    people = _apart(sides.old, [each.words for each in owners if each.words is not None])
    return Report(
        shadow=manifest,
        live=sides.old_events.size,
        of=tuple(_names(sides.old, scope)),
        differs=any(map(_is_adoptable, people)) or differs(adoptable),
        items=Counts(*_in_sum(Counts(), (each.items for each in owners))),
        summaries=counts(adoptable),
        old=Measures(*_in_sum(Measures(), (each.old for each in owners))),
        new=Measures(*_in_sum(Measures(), (each.new for each in owners))),
        people=tuple(sorted(people, key=lambda each: (not each.person, each.name.casefold(), each.person))),
        sessions=tuple(teller.summary(pair, held[pair.key]) for pair in summaries if pair.key in held),
        less_read=tuple(_less_read(sides, manifest, wanted)),
    )


def _is_adoptable(owner: OwnerWords) -> bool:
    """Whether anything differs that is not left as it is."""
    return any(pair.kind != "same" and not pair.held for group in owner.groups for pair in group.pairs)


def _less_read(sides: Sides, manifest: Manifest, wanted: Wanted) -> Iterator[LessRead]:
    """Of what is compared."""
    for run in less_read(sides.old, sides.old_events, manifest):
        if wanted.person in (None, run.person) and wanted.session in (None, run.session):
            yield run


def _names(now: Rows, scope: Scope) -> Iterator[str]:
    """Who and what a shadow is of, by the names of now."""
    yield from sorted(name_of(now, person) for person in scope.people)
    yield from (place_words(now, guild) for guild in sorted(scope.guilds))


def _in_sum(none: tuple[int, ...], found: Iterable[tuple[int, ...]]) -> list[int]:
    return list(map(sum, zip(none, *found, strict=True)))


# -- items ---------------------------------------------------------------------------------------------------------


def _owners(sides: Sides, scope: Scope, known: Known, wanted: Wanted, teller: Teller, tell: Told) -> Iterator[_Owner]:
    owners, texts = _whose(sides, wanted), Texts(known.vocabulary, known.rephrasing)
    for done, owner in enumerate(owners):
        tell(done, len(owners))
        live, there = (_items(sides.old, rows, scope, owner) for rows in (sides.old, sides.new))
        left = [row for row in there if not sides.is_gone(row)]
        yield _compared(sides, scope, teller, texts, owner, live, left)
        texts.clear()


def _whose(sides: Sides, wanted: Wanted) -> list[Handle]:
    """Whose items are compared: where not one person's are asked for, of everybody who has any on either side."""
    if wanted.session is not None:
        return []
    if wanted.person is not None:
        return [wanted.person]
    keys = (key[:16] for rows in (sides.old, sides.new) for key in rows.keys(ITEMS, b""))
    return [Handle(key if any(key) else b"") for key in sorted(set(keys))]


def _items(now: Rows, rows: Rows, scope: Scope, owner: Handle) -> list[ItemRow]:
    """What an owner has on one side, of every status; `now` are the live rows."""
    return [found.row for found in items_of(rows, owner) if has_item(now, scope, found.row.item)]


def _compared(
    sides: Sides,
    scope: Scope,
    teller: Teller,
    texts: Texts,
    owner: Handle,
    live: list[ItemRow],
    there: list[ItemRow],
) -> _Owner:
    pairs, old = compare(live, there), judged(live, texts)
    if not differs(pairs):
        return _Owner(counts(pairs), measures([old]), measures([old]), None)
    verdict = sides.verdicts.of_owner(owner)
    if not {row.event for row in there} <= {row.event for row in verdict.items}:
        pairs = compare(live, (row for row in verdict.items if has_item(sides.old, scope, row.item)))
    new = judged(there, texts)
    words = OwnerWords(
        person=owner,
        name=name_of(sides.old, owner) if owner else NOBODYS,
        items=counts(pairs),
        old=measures([old]),
        new=measures([new]),
        groups=teller.groups(groups(pairs), live, verdict.against),
        faults=(*faults("old", old), *faults("new", new)),
    )
    return _Owner(words.items, words.old, words.new, words)


def _apart(now: Rows, people: list[OwnerWords]) -> list[OwnerWords]:
    """With an account behind the names of namesakes."""
    names = apart(now, {each.person: each.name for each in people})
    return [each._replace(name=names[each.person]) for each in people]


# -- summaries -----------------------------------------------------------------------------------------------------


def _summaries(sides: Sides, scope: Scope, session: str | None) -> list[SummaryPair]:
    gone = {found.key for found in sides.new.scan(SUMMARIES) if sides.is_summary_gone(found.row)}
    old, new = ([each for each in rows.scan(SUMMARIES) if each.key not in gone] for rows in (sides.old, sides.new))
    found = compare_summaries(old, new)
    asked = (pair for pair in found if session in (None, pair.row.session))
    return [pair for pair in asked if has_summary(sides.old, scope, pair.row.session)]
