"""The rolling summary of a session: a new text, a failure, a reset.

A job that took its time never overwrites what happened meanwhile: it names the event that had made the summary when it
began, and when another one has since, a newer text or a reset, it changes nothing.

    the reply      summary.answered
    behind it      summary.refreshed   the new text
                   summary.failed      it is empty, or half, or deciding from it went wrong
                   nothing             another event made the summary meanwhile, or what was shown was taken back

Both are one decision (`settle`). Only a reply that is too long stands alone, while a shorter one is asked for
(`dnam/loops/summary.py`).
"""

from typing import NamedTuple

from projections.decisions.draft import Draft, Minter, Origin, decided_before, first_id
from projections.decisions.overtaken import is_overtaken
from projections.decisions.work import WorkRequest, record_work
from projections.events import SummaryFailed, SummaryRefreshed, SummaryReset
from projections.events.values import Audience, By, Intent, ModelUse, Saw
from projections.ids import NOBODY, EventId, Handle, Point
from projections.policies.cadence import ON_REQUEST
from projections.policies.instructions import InstructionWords
from projections.policies.secret_sentences import Spoken
from projections.policies.sentences import without_orders
from projections.policies.speakers import NOBODY_SPOKE, Speakers
from projections.policies.text import whole
from projections.rows import Rows
from projections.summaries import SummaryRow, find_summary


class RefreshRequest(NamedTuple):
    """A model's summary of what was said after `after` up to `upto`, `covered` messages.

    `previous` is the event of the summary it continues, or None; `causes` are the work event and what was in its
    prompt, the latest of which was `said` then; `shown` is what was in it. `cut` says that the text was shortened
    already, `policy` what set it off. By `words` its sentences are judged: those that instruct the assistant are left
    out; `speakers` stand in front of some of them. By `spoken` its secrets are found.
    """

    session: str
    audience: Audience
    era: int
    text: str
    after: Point | None
    upto: Point
    covered: int
    call: ModelUse
    by: By
    origin: Origin
    person: Handle = NOBODY
    previous: EventId | None = None
    causes: tuple[EventId, ...] = ()
    max_chars: int = 2000
    cut: bool = False
    said: int = 0
    policy: str = ""
    shown: tuple[EventId, ...] = ()
    words: InstructionWords = InstructionWords()
    spoken: Spoken = Spoken()
    speakers: Speakers = NOBODY_SPOKE


class FailRequest(NamedTuple):
    """A refresh that did not work, and why."""

    session: str
    audience: Audience
    era: int
    error: str
    after: Point | None
    upto: Point
    call: ModelUse
    by: By
    origin: Origin
    person: Handle = NOBODY
    previous: EventId | None = None
    causes: tuple[EventId, ...] = ()
    said: int = 0
    policy: str = ""


class ResetRequest(NamedTuple):
    """Somebody clears the summary. `upto` is the last thing said; it does not come back into the next one.

    `pending` says that a summary is being made just now: then there is something to clear, though nobody sees it yet.
    """

    session: str
    audience: Audience
    era: int
    by: By
    said: int
    upto: Point | None
    origin: Origin
    person: Handle = NOBODY
    pending: bool = False


def settle(rows: Rows, work: WorkRequest | None, request: RefreshRequest | FailRequest) -> list[Draft]:
    """The reply, and behind it what comes of it: one decision, so that a crash keeps both or neither. A reply that
    stood alone would be asked for, and paid for, once more. `work` is None where it stands in the log already, as one
    of the request's causes.
    """
    answered: list[Draft] = []
    if work is not None:
        answered = record_work(rows, work)
        request = request._replace(causes=(*request.causes, first_id(work.origin)))
    return [*answered, *(refresh(rows, request) if isinstance(request, RefreshRequest) else fail(rows, request))]


def refresh(rows: Rows, request: RefreshRequest) -> list[Draft]:
    """The new summary, without secrets and the sentences that instruct; a failure when it is empty; nothing when the
    old one changed meanwhile, or something that the model was shown was taken back.
    """
    if decided_before(rows, request.origin) or _overtaken(rows, request) or is_overtaken(rows, request.shown):
        return []
    row = _current(rows, request)
    before = "" if row is None else row.text
    told = whole(request.text).strip()
    text, left_out = without_orders(told, request.words, request.spoken, before=before, speakers=request.speakers)
    if not text:
        return [Minter(rows, request.origin).draft(_failed(_empty(request, left_out)))]
    event = SummaryRefreshed(
        said=max(request.said, request.upto.said),
        by=request.by,
        causes=request.causes,
        session=request.session,
        audience=request.audience,
        era=request.era,
        person=request.person,
        text=text[: request.max_chars].rstrip(),
        refresh=_count(row, request.era),
        after=request.after,
        upto=request.upto,
        covered=request.covered,
        call=request.call,
        previous=request.previous,
        cut=request.cut or len(text) > request.max_chars,
        floor=None if row is None else row.floor,
        policy=request.policy,
        left_out=left_out,
    )
    return [Minter(rows, request.origin).draft(event)]


def fail(rows: Rows, request: FailRequest) -> list[Draft]:
    """The failure, so that the next cycle tries again. When the summary changed meanwhile, nothing where a reply was
    recorded already; a call without one is told of all the same, and what was reached since stays reached.
    """
    row, late = _current(rows, request), _overtaken(rows, request)
    if decided_before(rows, request.origin) or (late and request.call.version):
        return []
    reached = row.upto if late and row is not None else None
    upto = request.upto if reached is None else max(request.upto, reached)
    return [Minter(rows, request.origin).draft(_failed(request._replace(upto=upto)))]


def reset(rows: Rows, request: ResetRequest) -> list[Draft]:
    """The summary is cleared; nothing when there is none and none is being made."""
    row = _current(rows, request)
    text = "" if row is None else row.text
    if not (text or request.pending) or decided_before(rows, request.origin):
        return []
    event = SummaryReset(
        said=request.said if row is None else max(request.said, row.said),
        by=request.by,
        causes=() if row is None else (row.event,),
        session=request.session,
        audience=request.audience,
        era=request.era,
        person=request.person,
        upto=max(
            (each for each in (request.upto, None if row is None else row.floor) if each is not None), default=None
        ),
        policy=ON_REQUEST,
        intent=Intent("reset", saw=Saw(text, "summary", "")),
    )
    return [Minter(rows, request.origin).draft(event)]


def _current(rows: Rows, request: RefreshRequest | FailRequest | ResetRequest) -> SummaryRow | None:
    found = find_summary(rows, request.session, request.audience.epoch)
    return None if found is None else found.row


def _overtaken(rows: Rows, request: RefreshRequest | FailRequest) -> bool:
    row = _current(rows, request)
    return (None if row is None else row.event) != request.previous


def _count(row: SummaryRow | None, era: int) -> int:
    """Which refresh of its era the next one is, from 1; a reset begins anew."""
    return row.refresh + 1 if row is not None and row.era == era else 1


def _empty(request: RefreshRequest, left_out: tuple[str, ...]) -> FailRequest:
    """Nothing is left of it. What was shown is told of: it was shown in vain, and fewer are shown the next time."""
    return FailRequest(
        session=request.session,
        audience=request.audience,
        era=request.era,
        error="; ".join(("the model's summary was empty", *left_out)),
        after=request.after,
        upto=request.upto,
        call=request.call,
        by=request.by,
        origin=request.origin,
        person=request.person,
        causes=tuple(dict.fromkeys((*request.shown, *request.causes))),
        said=request.said,
        policy=request.policy,
    )


def _failed(request: FailRequest) -> SummaryFailed:
    return SummaryFailed(
        said=max(request.said, request.upto.said),
        by=request.by,
        causes=request.causes,
        session=request.session,
        audience=request.audience,
        era=request.era,
        person=request.person,
        error=whole(request.error),
        after=request.after,
        upto=request.upto,
        call=request.call,
        policy=request.policy,
    )
