"""Taking back an adopted summary: the session has the one again that it had before, or none. Where a person took back
what that rests on, meanwhile or before, it is withheld: put back, it would be newer than that, and no refresh would
leave their words out any more. It is made anew, without them.
"""

from typing import NamedTuple

from projections.consent import is_out
from projections.decisions.adopted import VERSION, Adoption, of_session
from projections.decisions.draft import Draft, Minter
from projections.events import SummaryRefreshed, SummaryReverted, SummaryWithheld
from projections.events.values import OPERATOR
from projections.ids import EventId
from projections.items import is_quiet
from projections.messages import unit
from projections.rows import Rows
from projections.summaries import SUMMARIES, SUMMARY_ATTEMPTS, AttemptRow, SummaryRow


class UnadoptSummaryRequest(NamedTuple):
    """The adoption's event, and the rows that there were before it. `adoption` is the undoing. `again` is what has put
    back since the summary that the adoption had made, `tried_again` the attempt.
    """

    adoption: Adoption
    made: EventId
    event: SummaryRefreshed
    row: SummaryRow | None
    attempt: AttemptRow | None
    rests: tuple[EventId, ...] = ()
    """What was said behind the summary before: it is a cause of what has its words again, so that they go with it."""
    again: EventId | None = None
    tried_again: EventId | None = None

    @property
    def key(self) -> bytes:
        """The key of both rows."""
        return unit(self.event.session, self.event.audience.epoch)


def unadopt_summary(rows: Rows, request: UnadoptSummaryRequest) -> list[Draft]:
    """The summary as it was, or withheld; nothing where the adoption's is not there any more, or whose it is opted
    out.
    """
    now = rows.get(SUMMARIES, request.key)
    if now is None or now.event not in (request.made, request.again) or is_of_who_is_out(rows, request):
        return []
    event = (
        _withheld(request, request.row) if request.row and says_taken_back(rows, request) else _as_before(rows, request)
    )
    return [Minter(rows, request.adoption.free(rows, of_session(request.key))).draft(event)]


def says_taken_back(rows: Rows, request: UnadoptSummaryRequest) -> bool:
    """Whether the summary before rests on a message or an answer that left recall: its words do not return."""
    return bool(request.row and request.row.text) and any(is_quiet(rows, each) for each in request.rests)


def _withheld(request: UnadoptSummaryRequest, row: SummaryRow) -> SummaryWithheld:
    old = request.event
    return SummaryWithheld(
        said=max(old.said, row.said),
        by=OPERATOR,
        causes=(request.made,),
        session=old.session,
        audience=old.audience,
        era=row.era,
        person=old.person,
        policy=VERSION,
        refresh=row.refresh,
        upto=row.upto,
        floor=row.floor,
    )


def _as_before(rows: Rows, request: UnadoptSummaryRequest) -> SummaryReverted:
    tried = rows.get(SUMMARY_ATTEMPTS, request.key)
    is_since = tried is not None and tried.event not in (request.made, request.tried_again)
    attempt = tried if is_since else request.attempt
    old, row = request.event, request.row
    return SummaryReverted(
        said=max(old.said, row.said if row else old.said),
        by=OPERATOR,
        causes=tuple(dict.fromkeys((request.made, *_before(rows, row), *_known(rows, request)))),
        session=old.session,
        audience=old.audience,
        era=row.era if row else old.era,
        person=old.person,
        policy=VERSION,
        text=row.text if row else "",
        refresh=row.refresh if row else 0,
        upto=row.upto if row else None,
        covered=row.covered if row else 0,
        model=row.model if row else "",
        made=row.said if row else old.said,
        undoes=(request.made,),
        floor=row.floor if row else None,
        tried=attempt.upto if attempt else None,
        error=attempt.error if attempt else "",
        gone=row is None,
    )


def is_of_who_is_out(rows: Rows, request: UnadoptSummaryRequest) -> bool:
    """Whether it is of the direct messages of somebody who opted out: nothing of theirs is recorded."""
    return bool(request.event.person) and is_out(rows, request.event.person)


def is_changed(rows: Rows, request: UnadoptSummaryRequest) -> bool:
    """Whether the session has another summary by now, which no undoing of this adoption had made."""
    now = rows.get(SUMMARIES, request.key)
    mine = {event for decision in request.adoption.decisions(rows, of_session(request.key)) for event in decision}
    if now is None:
        return request.row is not None
    return now.event not in (request.made, request.again) and now.event not in mine


def _known(rows: Rows, request: UnadoptSummaryRequest) -> list[EventId]:
    return [each for each in request.rests if rows.ids.status(each) in ("known", "redacted")]


def _before(rows: Rows, row: SummaryRow | None) -> tuple[EventId, ...]:
    known = row is not None and rows.ids.status(row.event) in ("known", "redacted")
    return (row.event,) if row is not None and known else ()
