"""What makes an adoption count, or its undoing: the last event of either (design §9)."""

from typing import NamedTuple

from projections.decisions.adopted import Adoption
from projections.decisions.draft import Draft
from projections.events import RederivationAdopted
from projections.events.values import OPERATOR
from projections.ids import EventId
from projections.rows import Rows


class Rederived(NamedTuple):
    """What is known of a shadow: the id of its log, what it is called, when it was begun (`made`, ms), how much of this
    log it knows (`upto`, seq), and what making it took.
    """

    shadow: bytes
    name: str
    made: int
    upto: int
    model: str = ""
    extraction_prompt: str = ""
    summary_prompt: str = ""
    merges: str = ""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0


class CountRequest(NamedTuple):
    """An adoption that is complete, said at (ms), with how many owners, items and summaries it changed; `undoes` is the
    adoption that this one took back.
    """

    adoption: Adoption
    rederived: Rederived
    said: int
    people: int
    items: int
    summaries: int
    undoes: EventId | None = None


def count(rows: Rows, request: CountRequest) -> list[Draft]:
    """The event that makes it count; nothing when it does already. What was made anew cost something once only."""
    if rows.ids.status(request.adoption.id) != "unknown":
        return []
    made, undone = request.rederived, request.undoes is not None
    event = RederivationAdopted(
        said=request.said,
        by=OPERATOR,
        shadow=made.shadow,
        name=rows.ids.keyed_hash("shadow", made.name)[:16],
        upto=made.upto,
        people=request.people,
        items=request.items,
        summaries=request.summaries,
        model=made.model,
        extraction_prompt=made.extraction_prompt,
        summary_prompt=made.summary_prompt,
        merges=made.merges,
        calls=0 if undone else made.calls,
        tokens_in=0 if undone else made.tokens_in,
        tokens_out=0 if undone else made.tokens_out,
        cost_micros=0 if undone else made.cost_micros,
        undoes=request.undoes,
    )
    return [Draft(request.adoption.id, event)]
