"""Runs that were made anew and of which nothing came, because the model's reply could not be used: it declined, it did
not end, or nobody could read what it said. What such a run had read is shown again with what comes next.
"""

from projections.decisions.narrowed import NARROWED
from projections.decisions.overtaken import OVERTAKEN
from projections.events import ExtractionFailed, SummaryFailed
from replay.engine import Engine
from replay.units import tagged

TAGS = frozenset((ExtractionFailed.TAG, SummaryFailed.TAG))
NOT_ITS_FAULT = frozenset((OVERTAKEN, NARROWED))
"""Why nothing came of a reply that was as it should be."""


def unusable_in(shadow: Engine, live: Engine) -> int:
    """How many there are in a shadow; what came over as it was recorded is none of them."""
    failed = tagged(shadow, TAGS, shadow.head().size)
    return sum(
        1
        for event_id, event in failed
        if isinstance(event, ExtractionFailed | SummaryFailed)
        and event.error not in NOT_ITS_FAULT
        and live.store.log.find(event_id) is None
    )
