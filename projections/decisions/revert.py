"""Reverting: what came of an event goes, and what it displaced comes back; and the same in reverse.

    goes          item.deprecated      it had no earlier state
    is so again   item.reverted        it had one: its row says again what it said, and how it had come to be so
    is gone       item.reverted        it lies again where it was moved from, and here no more
    makes room    item.evicted         more are there now than the cap allows

What becomes of summaries is told in `revert_summaries`. Decided again, the second time nothing comes of it: what was
reverted is passed over (`reversal`). One decision is for one owner, or one session, and of a thousand events at most;
more goes in several. `what` names what was reverted, and stands in each event: by that they are found again when the
revert is taken back.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from projections.consent import is_out
from projections.decisions.adopted import VERSION as ADOPTION
from projections.decisions.came_of import Chronicle, go_on, item_states, same_state
from projections.decisions.draft import MOST_EVENTS, Draft, Origin, decided_before
from projections.decisions.reversal import Change, Reversal, Undone, reversal
from projections.decisions.shelf import Shelf, causes_of, rests_on
from projections.decisions.standing import put_back
from projections.events import ItemDeprecated, ItemEvent, ItemReverted, SummaryReverted
from projections.events.values import OPERATOR, By, Evidence, RowWas
from projections.fold import Record
from projections.ids import NOBODY, EventId, Handle
from projections.items import ITEMS, ItemRow
from projections.policies import capacity
from projections.policies.rephrasing import Rephrasing
from projections.rows import Rows

VERSION = "revert@1"
UNDO_VERSION = "revert-undone@1"
REASON = "reverted: "
UNDO_REASON = "taken back: the revert of "
MOST = MOST_EVENTS // 2
"""How many rows one decision changes: for each that comes back another one may have to make room."""


class RevertRequest(NamedTuple):
    """`events` are to be taken back, as far as they are of this owner's items, and `what` says in words what they are.
    `said` is when (ms) `by` asked. `known` is what is known of the language: what a person forgot does not come back in
    other words either.
    """

    owner: Handle
    events: tuple[EventId, ...]
    what: str
    said: int
    origin: Origin
    cap: int = 200
    by: By = OPERATOR
    known: Rephrasing | None = None


def undone_by_reverting(
    rows: Rows, chronicle: Chronicle, events: Iterable[EventId], known: Rephrasing | None
) -> Undone:
    """What is taken back by a revert: these events, and what came of them by now."""
    return Undone(go_on(rows, chronicle, events).items, frozenset({VERSION}), known=known)


def undone_by_undoing(chronicle: Chronicle, events: Iterable[EventId], known: Rephrasing | None) -> Undone:
    """What is taken back where a revert is: its own events."""
    found = (record for record in map(chronicle.find, events) if record is not None)
    return Undone({each.id: each for each in found}, frozenset({UNDO_VERSION}), reverts=True, known=known)


def revert(rows: Rows, chronicle: Chronicle, request: RevertRequest) -> list[Draft]:
    """Everything that becomes of an owner's items, or as much of it as one decision has room for."""
    if decided_before(rows, request.origin) or is_out(rows, request.owner):
        return []
    undone = undone_by_reverting(rows, chronicle, request.events, request.known)
    return _Drafting(rows, request, VERSION, REASON).run(reversal(rows, chronicle, undone, request.owner))


def undo_revert(rows: Rows, chronicle: Chronicle, request: RevertRequest) -> list[Draft]:
    """Every item of an owner's that still is as the revert left it is again as it was before that."""
    if decided_before(rows, request.origin) or is_out(rows, request.owner):
        return []
    undone = undone_by_undoing(chronicle, request.events, request.known)
    return _Drafting(rows, request, UNDO_VERSION, UNDO_REASON).run(reversal(rows, chronicle, undone, request.owner))


class _Drafting:
    """The events of a reversal."""

    def __init__(self, rows: Rows, request: RevertRequest, policy: str, reason: str) -> None:
        self._rows = rows
        self._request = request
        self._shelf = Shelf(rows, request.origin, request.owner)
        self._policy = policy
        self._reason = f"{reason}{request.what}"

    def run(self, found: Reversal) -> list[Draft]:
        chosen = _as_many_as_fit(found.changes)
        goes = [each for each in chosen if each.then is None]
        back = [each for each in chosen if each.then is not None]
        for each in goes:
            self._shelf.put(self._gone(each))
        last = {self._room(each): each for each in back if _counts(each.then)}
        for each in back:
            if last.get(self._room(each)) is each:
                self._shelf.add(self._reverted(each), self._request.cap)
            else:
                self._shelf.put(self._reverted(each))
        return self._shelf.drafts

    def _room(self, change: Change) -> str:
        """What shares room: all that a person has, or what is nobody's in one compartment."""
        return "" if self._request.owner != NOBODY else change.item.compartment

    def _gone(self, change: Change) -> ItemEvent:
        now = change.now
        assert now is not None
        if change.gone:
            return self._event(change, now, gone=True)
        reason = f"{self._reason}; {change.note}" if change.note else self._reason
        return ItemDeprecated(
            said=max(self._request.said, now.said),
            by=self._request.by,
            causes=(now.event,),
            item=msgspec.structs.replace(now.item, status="deprecated"),
            reason=reason,
            policy=self._policy,
        )

    def _reverted(self, change: Change) -> ItemReverted:
        assert change.then is not None
        return self._event(change, change.then)

    def _event(self, change: Change, row: ItemRow, *, gone: bool = False) -> ItemReverted:
        undone = [each.id for each in change.undone]
        quoted = (*row.item.evidence, *(change.now.item.evidence if change.now else ()))
        return ItemReverted(
            said=max(self._request.said, row.said, change.now.said if change.now else 0),
            by=self._request.by,
            causes=causes_of(undone, [row.event], self._known(quoted)),
            item=row.item,
            reason=self._reason,
            policy=self._policy,
            was=RowWas(row.tag, row.said, row.by, row.reason, row.policy, row.intent),
            undoes=tuple(undone),
            gone=gone,
        )

    def _known(self, evidence: Iterable[Evidence]) -> list[EventId]:
        """The messages that are in this log: also those whose words go with this, so that a redaction finds it."""
        return [each for each in rests_on(evidence) if self._rows.ids.status(each) in ("known", "redacted")]


def _counts(row: ItemRow | None) -> bool:
    return row is not None and row.item.status in capacity.COUNTED


def _as_many_as_fit(changes: Sequence[Change]) -> list[Change]:
    """The first changes; what is put back where it lay comes first, each with what empties the other end."""
    by_key = {each.key: each for each in changes}
    pairs = {key: by_key[key] for each in changes if each.now is None for key in (each.end, each.key)}
    return list((pairs | by_key).values())[:MOST]


# -- finding a revert again ----------------------------------------------------------------------------------------


def what_was_reverted(record: Record) -> str:
    """What an event of a revert says that was reverted; empty where it is none."""
    event = record.event
    if not isinstance(event, ItemEvent) or event.policy != VERSION:
        return ""
    return event.reason.removeprefix(REASON).partition(";")[0]


def is_unadoption(record: Record) -> bool:
    """Whether an event took back what an adoption had made."""
    event = record.event
    return isinstance(event, ItemReverted | SummaryReverted) and event.policy == ADOPTION


def events_of_revert(rows: Rows, chronicle: Chronicle, what: str, record: Record) -> list[Record]:
    """The item events of a whole revert, in however many decisions, from one event of it: those of its own decision,
    and of every decision that some item is still as it left it, or is again since an adoption was taken back.
    """
    found = {each.id: each for each in chronicle.decision(record.id)}
    for key, row in ((each.key, each.row) for each in rows.scan(ITEMS)):
        if row.event in found or not (row.policy == VERSION or chronicle.tag(row.event) == ItemReverted.TAG):
            continue
        made = put_back(item_states(rows, chronicle, key), same_state)
        other = next((each for each in made if not is_unadoption(each)), None)
        if other is not None and what_was_reverted(other) == what:
            found |= {each.id: each for each in chronicle.decision(other.id)}
    return [each for each in found.values() if isinstance(each.event, ItemEvent)]
