"""The rolling summary of each session, and when it was last tried."""

import msgspec

from projections.events import SummaryFailed, SummaryRefreshed, SummaryReset, SummaryReverted, SummaryWithheld
from projections.fold import Change, Projection, Record
from projections.ids import EventId, Point
from projections.messages import unit
from projections.rows import Found, Rows


class SummaryRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The summary in force; `text` is empty after a reset, and while it is withheld. `said` is its date, in ms. `floor`
    is how far the last reset reached.
    """

    event: EventId
    said: int
    at: int
    session: str
    era: int
    refresh: int
    text: str
    upto: Point | None
    covered: int
    model: str
    floor: Point | None


class AttemptRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How far the last attempt reached, whether or not it worked: the next cycle counts from here."""

    event: EventId
    upto: Point | None
    error: str


def _summaries(record: Record) -> list[Change[SummaryRow]]:
    match record.event:
        case SummaryRefreshed() as event:
            row = SummaryRow(
                record.id,
                event.said,
                record.at,
                event.session,
                event.era,
                event.refresh,
                event.text,
                event.upto,
                event.covered,
                event.call.model,
                event.floor,
            )
        case SummaryReset() as event:
            row = SummaryRow(
                record.id, event.said, record.at, event.session, event.era, 0, "", event.upto, 0, "", event.upto
            )
        case SummaryReverted(gone=True) as event:
            return [(unit(event.session, event.audience.epoch), None)]
        case SummaryReverted() as event:
            row = SummaryRow(
                record.id, event.made, record.at, event.session, event.era, event.refresh, event.text, event.upto,
                event.covered, event.model, event.floor,
            )  # fmt: skip
        case SummaryWithheld() as event:
            row = SummaryRow(
                record.id, event.said, record.at, event.session, event.era, event.refresh, "", event.upto, 0, "",
                event.floor,
            )  # fmt: skip
        case _:
            return []
    return [(unit(event.session, event.audience.epoch), row)]


def _attempts(record: Record) -> list[Change[AttemptRow]]:
    match record.event:
        case SummaryRefreshed() | SummaryReset() as tried:
            error = ""
        case SummaryFailed() as tried:
            error = tried.error
        case SummaryWithheld(floor=floor) as tried:  # due with the next turn, whatever the cadence
            return [(unit(tried.session, tried.audience.epoch), AttemptRow(record.id, floor, ""))]
        case SummaryReverted(tried=upto, error=error) as tried:
            row = None if tried.gone and upto is None else AttemptRow(record.id, upto, error)
            return [(unit(tried.session, tried.audience.epoch), row)]
        case _:
            return []
    return [(unit(tried.session, tried.audience.epoch), AttemptRow(record.id, tried.upto, error))]


SUMMARIES = Projection(
    "summaries", 1, SummaryRow, (SummaryRefreshed, SummaryReset, SummaryReverted, SummaryWithheld), _summaries, 16
)
SUMMARY_ATTEMPTS = Projection(
    "summary_attempts",
    1,
    AttemptRow,
    (SummaryRefreshed, SummaryFailed, SummaryReset, SummaryReverted, SummaryWithheld),
    _attempts,
    16,
)


def era_of(rows: Rows, session: str, epoch: int) -> int:
    """The era that a session is in: its summary's, 0 before the first."""
    found = find_summary(rows, session, epoch)
    return 0 if found is None else found.row.era


def find_summary(rows: Rows, session: str, epoch: int) -> Found[SummaryRow] | None:
    """The summary of a session in one epoch, a reset one too."""
    return rows.kept(SUMMARIES, unit(session, epoch))


def is_withheld(row: SummaryRow) -> bool:
    """Whether a summary is to be made anew, because something that it covered was taken back."""
    return not row.text and row.upto != row.floor
