"""Recording what a model replied, or that it did not, before anything is decided from it."""

from typing import NamedTuple

import msgspec

from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.events import ExtractionAnswered, ExtractionFailed, SummaryAnswered
from projections.policies.text import whole
from projections.rows import Rows


class WorkRequest(NamedTuple):
    """A model's work, to be recorded under an id from `origin`."""

    event: ExtractionAnswered | ExtractionFailed | SummaryAnswered
    origin: Origin


def record_work(rows: Rows, request: WorkRequest) -> list[Draft]:
    """The event, once. A reply is kept as it came, but for what no UTF-8 can hold."""
    if decided_before(rows, request.origin):
        return []
    event = msgspec.structs.replace(request.event, reply=whole(request.event.reply))
    return [Minter(rows, request.origin).draft(event)]
