"""Recording what a model replied, or that it did not, before anything is decided from it; and that a job went wrong."""

from typing import NamedTuple

import msgspec

from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.decisions.overtaken import is_overtaken
from projections.events import (
    ExtractionAnswered,
    ExtractionFailed,
    ExtractionReplied,
    JobFailed,
    MergeAnswered,
    MergeFailed,
    MergeReplied,
    SummaryAnswered,
)
from projections.events.values import PLATFORM
from projections.ids import NOBODY, EventId, Handle
from projections.policies.text import whole
from projections.rows import Rows


class WorkRequest(NamedTuple):
    """A model's work, to be recorded under an id from `origin`. `shown` is what was in its prompt only by what a model
    had made of it.
    """

    event: (
        ExtractionAnswered
        | ExtractionFailed
        | ExtractionReplied
        | MergeAnswered
        | MergeFailed
        | MergeReplied
        | SummaryAnswered
    )
    origin: Origin
    shown: tuple[EventId, ...] = ()


def record_work(rows: Rows, request: WorkRequest) -> list[Draft]:
    """The event, once. A reply is kept as it came, but for what no UTF-8 can hold; none is where what the model was
    shown was taken back meanwhile.
    """
    if is_overtaken(rows, (*request.event.causes, *request.shown)):
        request = request._replace(event=msgspec.structs.replace(request.event, reply=""))
    return record_reply(rows, request)


def record_reply(rows: Rows, request: WorkRequest) -> list[Draft]:
    """The same, where it is known that nothing was taken back."""
    if decided_before(rows, request.origin):
        return []
    event = msgspec.structs.replace(request.event, reply=whole(request.event.reply))
    return [Minter(rows, request.origin).draft(event)]


class JobRequest(NamedTuple):
    """A background job, by its name, went wrong at `said` (ms). `error` is in the program's words and nobody's."""

    job: str
    error: str
    said: int
    origin: Origin
    session: str = ""
    person: Handle = NOBODY


def record_job(rows: Rows, request: JobRequest) -> list[Draft]:
    """The failure of a job that has no event of its own, once."""
    if decided_before(rows, request.origin):
        return []
    event = JobFailed(
        said=request.said,
        by=PLATFORM,
        job=request.job,
        error=whole(request.error),
        session=request.session,
        person=request.person,
    )
    return [Minter(rows, request.origin).draft(event)]
