"""Reverting a summary: it says again what it said before, and the next refresh covers the rest anew.

    the summary as it is now               then
    ────────────────────────────────────   ──────────────────────────────────────────────────────────────────────────
    what is taken back stands no more      nothing: it was reverted already, or its adoption was taken back
    something else happened to it since    left: a person cleared it, or something that it covered was taken back
    it is of who opted out                 left: nothing of theirs is recorded
    there was one before, of this era      summary.reverted
    there was none, or of another era      summary.withheld: nothing is told until it is made anew; what an earlier era
                                           said does not come into this one

Taking that back is the same with the revert's own event.
"""

from collections.abc import Collection
from typing import NamedTuple

import msgspec

from projections.consent import is_out
from projections.decisions.adopt_pairs import OUT
from projections.decisions.came_of import Chronicle, go_on
from projections.decisions.draft import Draft, Minter, decided_before
from projections.decisions.reversal import GONE
from projections.decisions.revert import UNDO_VERSION, VERSION, RevertRequest, is_unadoption
from projections.decisions.shelf import causes_of
from projections.decisions.standing import State, put_back, standing
from projections.events import SummaryReverted, SummaryWithheld
from projections.events.summaries import SummaryEvent
from projections.fold import Record
from projections.ids import EventId, Seq
from projections.policies.precedence import HUMANS
from projections.rows import Rows
from projections.summaries import SUMMARIES, SUMMARY_ATTEMPTS, AttemptRow, SummaryRow

SEPARATOR = ": "


class SummaryChange(NamedTuple):
    """A session's summary in one epoch: as it is `now`, and as it is to be again (`then`, last `tried`); None where it
    is to be made anew.
    """

    key: bytes
    now: SummaryRow
    then: SummaryRow | None
    tried: AttemptRow | None
    undone: tuple[Record, ...]

    @property
    def event(self) -> SummaryEvent:
        """The last event that is taken back: it says where the summary belongs."""
        event = self.undone[-1].event
        assert isinstance(event, SummaryEvent)
        return event


class SummaryLeft(NamedTuple):
    """A summary that stays as it is, and why."""

    session: str
    reason: str
    since: Seq


def summaries_reversal(
    rows: Rows, chronicle: Chronicle, undone: Collection[Record], *, reverts: bool = False
) -> tuple[list[SummaryChange], list[SummaryLeft]]:
    """What becomes of the summaries that these events made; `reverts`: they are a revert's."""
    ids = frozenset(each.id for each in undone)
    keys = sorted({key for record in undone for key, _ in SUMMARIES.rows(record)})
    found = [_outcome(rows, chronicle, key, ids, reverts=reverts) for key in keys]
    changes = [each for each in found if isinstance(each, SummaryChange)]
    return changes, [each for each in found if isinstance(each, SummaryLeft)]


def _outcome(
    rows: Rows, chronicle: Chronicle, key: bytes, ids: frozenset[EventId], *, reverts: bool
) -> SummaryChange | SummaryLeft | None:
    kept = ids if reverts else frozenset()
    states, now = standing(summary_states(rows, chronicle, key), same_summary, kept), rows.get(SUMMARIES, key)
    if not any(each.record.id in ids for each in states):
        return None
    last = states[-1].record
    if now is None or last.id not in ids:
        return _since(last)
    if isinstance(last.event, SummaryEvent) and last.event.person and is_out(rows, last.event.person):
        return SummaryLeft(now.session, OUT, last.seq)
    stays = [n for n, each in enumerate(states) if each.record.id not in ids]
    then = states[stays[-1]].row if stays else None
    undone = tuple(each.record for each in (states[stays[-1] + 1 :] if stays else states))
    if then is None and reverts:
        return SummaryLeft(now.session, GONE, last.seq)
    if then is not None and then.era != now.era:
        then = None
    tries = standing(attempt_states(rows, chronicle, key), same_attempt, kept)
    tried = [each.row for each in tries if each.record.id not in ids]
    return SummaryChange(key, now, then, tried[-1] if tried else None, undone)


def summary_states(rows: Rows, chronicle: Chronicle, key: bytes) -> list[State[SummaryRow]]:
    """The past of a session's summary."""
    return [State(each, dict(SUMMARIES.rows(each))[key]) for each in chronicle.touched(rows, SUMMARIES, key)]


def attempt_states(rows: Rows, chronicle: Chronicle, key: bytes) -> list[State[AttemptRow]]:
    """The past of a session's last attempt."""
    found = chronicle.touched(rows, SUMMARY_ATTEMPTS, key)
    return [State(each, dict(SUMMARY_ATTEMPTS.rows(each))[key]) for each in found]


def same_summary(one: SummaryRow | None, other: SummaryRow | None) -> bool:
    """Whether two rows say the same, whatever event had made them, and when."""
    if one is None or other is None:
        return one is other
    return msgspec.structs.replace(one, event=other.event, at=other.at) == other


def same_attempt(one: AttemptRow | None, other: AttemptRow | None) -> bool:
    """Whether two rows say the same, whatever event had made them."""
    if one is None or other is None:
        return one is other
    return (one.upto, one.error) == (other.upto, other.error)


def _since(last: Record) -> SummaryLeft | None:
    event = last.event
    assert isinstance(event, SummaryEvent)
    if event.policy.startswith(VERSION + SEPARATOR):
        return None
    if event.by.kind in HUMANS:
        return SummaryLeft(event.session, "a person cleared it since", last.seq)
    return SummaryLeft(event.session, "it was made anew since", last.seq)


def revert_summary(rows: Rows, chronicle: Chronicle, key: bytes, request: RevertRequest) -> list[Draft]:
    """The summary of one session and epoch, by its key, is as it was before; nothing where it is so already."""
    return _draft(rows, chronicle, key, request, VERSION)


def undo_revert_summary(rows: Rows, chronicle: Chronicle, key: bytes, request: RevertRequest) -> list[Draft]:
    """The summary is again as it was before it was reverted, where it still is as that left it."""
    return _draft(rows, chronicle, key, request, UNDO_VERSION)


def _draft(rows: Rows, chronicle: Chronicle, key: bytes, request: RevertRequest, version: str) -> list[Draft]:
    if decided_before(rows, request.origin):
        return []
    undoing = version == UNDO_VERSION
    found = (each for each in map(chronicle.find, request.events) if each is not None)
    records = list(found if undoing else go_on(rows, chronicle, request.events).summaries.values())
    changes, _ = summaries_reversal(rows, chronicle, records, reverts=undoing)
    minter = Minter(rows, request.origin)
    policy = f"{version}{SEPARATOR}{request.what}"
    return [minter.draft(_event(each, request, policy)) for each in changes if each.key == key]


def _event(change: SummaryChange, request: RevertRequest, policy: str) -> SummaryReverted | SummaryWithheld:
    now, then, last = change.now, change.then, change.event
    undone = tuple(each.id for each in change.undone)
    if then is None:
        return SummaryWithheld(
            said=max(request.said, now.said), by=request.by, causes=undone, session=last.session,
            audience=last.audience, era=now.era, person=last.person, policy=policy, refresh=now.refresh, upto=now.upto,
            floor=now.floor,
        )  # fmt: skip
    tried = change.tried
    return SummaryReverted(
        said=max(request.said, now.said, then.said), by=request.by, causes=causes_of(undone, [then.event]),
        session=last.session, audience=last.audience, era=then.era, person=last.person, policy=policy, text=then.text,
        refresh=then.refresh, upto=then.upto, covered=then.covered, model=then.model, made=then.said, undoes=undone,
        floor=then.floor, tried=None if tried is None else tried.upto, error="" if tried is None else tried.error,
    )  # fmt: skip


# -- finding a revert again ----------------------------------------------------------------------------------------


def what_was_reverted(record: Record) -> str:
    """What an event of a revert says that was reverted; empty where it is no summary's, or no revert's."""
    event = record.event
    policy = event.policy if isinstance(event, SummaryEvent) else ""
    version, _, what = policy.partition(SEPARATOR)
    return what if version == VERSION else ""


def summary_events_of_revert(rows: Rows, chronicle: Chronicle, what: str) -> list[Record]:
    """The events by which summaries were reverted as a part of this and that they still are as, or are again since an
    adoption was taken back.
    """
    tags = SummaryReverted.TAG, SummaryWithheld.TAG
    keys = [each.key for each in rows.scan(SUMMARIES) if chronicle.tag(each.row.event) in tags]
    found = (put_back(summary_states(rows, chronicle, key), same_summary) for key in keys)
    made = (next((record for record in each if not is_unadoption(record)), None) for each in found)
    return [each for each in made if each is not None and what_was_reverted(each) == what]
