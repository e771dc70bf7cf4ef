"""Items and summaries that differ between the live memory and a shadow of it, in words.

`old` is always the live memory, `new` the shadow. The fields of these values are those of `dnam diff --shadow --json`,
and stable. People and places have the names that the live memory has for them now.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dnam.finding import by_words
from dnam.provenance import Narrator, Quoted
from projections.consent import is_out
from projections.decisions.adopt_pairs import OUT
from projections.events.values import Evidence, Item
from projections.ids import Handle, Seq
from projections.items import ItemRow
from projections.lookup import shown_session
from projections.places import place_of
from projections.policies.by_people import is_by_people
from projections.policies.capacity import address
from projections.rederiving.groups import Group
from projections.rederiving.judged import Judged
from projections.rederiving.pairs import Pair, SummaryPair
from projections.rows import Rows
from projections.tokens import by_characters
from projections.wording import Piece
from replay.cited import Cited, as_it_is
from replay.reading import Reader

LABELS = {"only_old": "only live", "only_new": "only shadow", "changed": "changed", "same": "same"}
"""What a kind of pair is called for people."""
MATCHED = {"id": "the same id", "text": "the same text", "sources": "the same messages"}
"""By what two items were matched, for people."""
KEPT = "a person decided this: it stays as it is"
Against = Callable[[Pair], str]
"""Says why adopting leaves a pair as it is; nothing where it does not."""
SHOWN_ELSEWHERE = frozenset({"text", "evidence"})
"""What is told word by word, and as messages."""


class SideWords(NamedTuple):
    """An item as one side has it: who made it so and why, and what it rests on. `quotes` are words whose message is not
    in the log. `seq` is its event's, in the log of that side.
    """

    item: Item
    seq: Seq | None
    who: str
    why: str
    messages: tuple[Quoted, ...]
    quotes: tuple[str, ...]


class PairWords(NamedTuple):
    """An item that differs, as `Pair` has it. `changed` has every field but the text and the evidence, before and
    after. `held` says why adopting leaves it as it is: then it counts as no difference.
    `old_id` is the one by which `dnam audit` knows it, `new_id` that in the shadow; empty where a side has none.
    """

    kind: str
    by: str
    where: str
    old: SideWords | None
    new: SideWords | None
    words: tuple[Piece, ...]
    changed: Mapping[str, tuple[Any, Any]]
    held: str
    old_id: str = ""
    new_id: str = ""


def ids_words(old_id: str, new_id: str) -> str:
    """An item's id in the live memory, and beside it that in the shadow where it is another one."""
    if not old_id or not new_id or old_id == new_id:
        return old_id or new_id
    return f"{old_id} ({new_id} in the shadow)"


class GroupWords(NamedTuple):
    """Items that are adopted together."""

    key: str
    pairs: tuple[PairWords, ...]


class Fault(NamedTuple):
    """What somebody should look at, on one `side`: a `duplicate`, a `contradiction`, or `unsourced`; `beside` is the
    other item of two.
    """

    side: str
    fault: str
    id: str
    text: str
    beside: str
    reason: str

    @property
    def words(self) -> str:
        """Which side it is on, what it is, of what, and why."""
        side = "live" if self.side == "old" else "shadow"
        beside = f" beside “{self.beside}”" if self.beside else ""
        return f"{side}, {self.fault}: “{self.text}”{beside}: {self.reason}"


class SummaryWords(NamedTuple):
    """A session's summary on both sides; an empty text where it has none. `key` is what people call the session, `held`
    why adopting leaves it as it is, though it differs: then it is not counted.
    """

    key: str
    session: str
    kind: str
    old: str
    new: str
    old_tokens: int
    new_tokens: int
    words: tuple[Piece, ...]
    held: str = ""


class Teller:
    """Tells what differs with the names of the live rows. What was said is read from the live log: it has all of it."""

    def __init__(self, rows: Rows, live: Reader, shadow: Reader, assistant: str) -> None:
        self._rows = rows
        self._live = live
        self._shadow = shadow
        self._narrator = Narrator(rows, assistant, by_account=True)

    def groups(self, found: Iterable[Group], live: Sequence[ItemRow], against: Against) -> tuple[GroupWords, ...]:
        """The groups of one owner; `live` are all of their rows here, and `against` says what is left as it is."""
        here = {address(row.item): row for row in live}
        return tuple(
            GroupWords(each.key, tuple(self._pair(pair, here, against(pair)) for pair in each.pairs)) for each in found
        )

    def _pair(self, pair: Pair, here: Mapping[tuple[str, str], ItemRow], reason: str) -> PairWords:
        stands = pair.old or here.get(address(pair.row.item))
        return PairWords(
            kind=pair.kind,
            by=pair.by,
            where=self._narrator.where(pair.row.item.compartment),
            old=self._side(pair.old, self._live),
            new=self._side(pair.new, self._shadow),
            words=pair.words,
            changed=dict(_changed(pair)),
            held=reason and (self._held(stands, pair.row.item.owner) or reason),
            old_id="" if pair.old is None else pair.old.item.id,
            new_id="" if pair.new is None else pair.new.item.id,
        )

    def _held(self, stands: ItemRow | None, owner: Handle) -> str:
        if stands is not None and is_by_people(stands):
            return KEPT
        return OUT if owner and is_out(self._rows, owner) else ""

    def _side(self, row: ItemRow | None, events: Reader) -> SideWords | None:
        if row is None:
            return None
        reading = events.find(row.event)
        messages, loose = self._evidence(row.item.evidence)
        return SideWords(
            item=row.item,
            seq=None if reading is None else reading.seq,
            who=by_words(self._rows, row.by),
            why=row.reason,
            messages=messages,
            quotes=loose,
        )

    def _evidence(self, evidence: Iterable[Evidence]) -> tuple[tuple[Quoted, ...], tuple[str, ...]]:
        """The messages with the words quoted of each, and words that stand in none."""
        cited: dict[Seq, Cited] = {}
        loose: list[str] = []
        for each in evidence:
            reading = self._live.find(each.message) if each.message else None
            if reading is None:
                loose += filter(None, (each.quote,))
            else:
                reading = as_it_is(self._rows, self._live, reading)
                before = cited.get(reading.seq, Cited(reading))
                cited[reading.seq] = before._replace(quotes=(*before.quotes, *filter(None, (each.quote,))))
        return tuple(self._narrator.quoted(each) for _, each in sorted(cited.items())), tuple(loose)

    def summary(self, pair: SummaryPair, held: str = "") -> SummaryWords:
        """A session's summary."""
        session = pair.row.session
        place = place_of(self._rows, session)
        key = session if place is None else shown_session(self._rows, session, place.row.person)
        old, new = ("" if row is None else row.text for row in (pair.old, pair.new))
        tokens = by_characters(old), by_characters(new)
        return SummaryWords(key, session, pair.kind, old, new, *tokens, pair.words, held)


def _changed(pair: Pair) -> Iterator[tuple[str, tuple[Any, Any]]]:
    for name in pair.fields:
        if name not in SHOWN_ELSEWHERE:
            yield name, (getattr(pair.old and pair.old.item, name), getattr(pair.new and pair.new.item, name))


def faults(side: str, of: Judged) -> Iterator[Fault]:
    """What was found on one side, with the two items of each."""
    for fault, found in (("duplicate", of.duplicates), ("contradiction", of.contradictions)):
        for each in found:
            yield Fault(side, fault, each.row.item.id, each.row.item.text, each.other.item.text, each.reason)
    for row in of.unsourced:
        yield Fault(side, "unsourced", row.item.id, row.item.text, "", "it rests on no message of the log")
