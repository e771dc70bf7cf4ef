"""Taking over a session's summary from a shadow: with its text, and what it covers, where the live one is not newer.

It rests on messages and answers: those that the shadow's summaries were made of, one after the other. So what is taken
back later takes it along, as it does any other.
"""

from collections.abc import Iterable
from typing import NamedTuple

from projections.consent import is_out
from projections.decisions.adopt_pairs import OUT, UNDONE
from projections.decisions.adopted import VERSION, Adoption, of_session
from projections.decisions.draft import Draft, Minter
from projections.decisions.overtaken import is_overtaken
from projections.events import SummaryRefreshed
from projections.ids import EventId
from projections.items import is_quiet
from projections.messages import unit
from projections.rows import Found, Rows
from projections.summaries import SummaryRow, era_of, find_summary

NEWER = "the live summary reaches further"
CLEARED = "it was cleared here since"
TAKEN_BACK = "something that it rests on was taken back here"
FORGOTTEN = "it tells something that was forgotten here"
UNFOUNDED = "nothing that it rests on is here"


class AdoptSummaryRequest(NamedTuple):
    """A summary as a shadow made it, and the messages and answers that it `rests` on (`adopt_rests`). `name` and `upto`
    are as in `AdoptRequest`. `is_undone`: the shadow has it as it was recorded here, and it was taken back behind the
    shadow's end.
    """

    adoption: Adoption
    made: SummaryRefreshed
    rests: tuple[EventId, ...]
    name: str
    upto: int
    is_undone: bool = False

    @property
    def whose(self) -> bytes:
        """For which session, in which epoch."""
        return of_session(unit(self.made.session, self.made.audience.epoch))


def adopt_summary(rows: Rows, request: AdoptSummaryRequest) -> list[Draft]:
    """The summary, made anew; nothing where it says what the live one says, or something stands against it."""
    if not is_other(rows, request.made) or against(rows, request):
        return []
    made = request.made
    live = _live(rows, made)
    event = SummaryRefreshed(
        said=max(made.said, live.row.said if live else made.said),
        by=made.by,
        causes=_known(rows, request),
        session=made.session,
        audience=made.audience,
        era=era_of(rows, made.session, made.audience.epoch),
        person=made.person,
        policy=f"{VERSION} {made.policy}".strip(),
        text=made.text,
        refresh=made.refresh,
        after=made.after,
        upto=made.upto,
        covered=made.covered,
        call=made.call,
        cut=made.cut,
        floor=made.floor,
        left_out=made.left_out,
    )
    return [Minter(rows, request.adoption.free(rows, request.whose)).draft(event)]


def is_other(rows: Rows, made: SummaryRefreshed) -> bool:
    """Whether the live summary says something else, or nothing."""
    live = _live(rows, made)
    return live is None or live.row.text != made.text


def against(rows: Rows, request: AdoptSummaryRequest) -> str:
    """Why the live summary stays; empty where it may go."""
    made, live = request.made, _live(rows, request.made)
    if made.person and is_out(rows, made.person):
        return OUT
    if request.is_undone:
        return UNDONE
    if live is not None and live.row.upto is not None and live.row.upto > made.upto:
        return NEWER
    if live is not None and live.row.floor is not None and (made.floor is None or made.floor < live.row.floor):
        return CLEARED
    if is_overtaken(rows, request.rests):
        return TAKEN_BACK
    if tells_forgotten(rows, request.rests):
        return FORGOTTEN
    return "" if _known(rows, request) else UNFOUNDED


def tells_forgotten(rows: Rows, rests: Iterable[EventId]) -> bool:
    """Whether a summary rests on what left with something that a person took back: the next one is made without it."""
    return any(is_quiet(rows, each) for each in rests)


def _live(rows: Rows, made: SummaryRefreshed) -> Found[SummaryRow] | None:
    return find_summary(rows, made.session, made.audience.epoch)


def _known(rows: Rows, request: AdoptSummaryRequest) -> tuple[EventId, ...]:
    """Of an edited message the first version too, whose words are gone: it leads to the edit."""
    return tuple(each for each in request.rests if rows.ids.status(each) in ("known", "redacted"))
