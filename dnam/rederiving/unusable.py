"""Runs that were made anew and of which nothing came, because the model's reply could not be used: it declined, it did
not end, or nobody could read what it said. What such a run had read is shown again with what comes next.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from dnam.shadows.manifest import Manifest
from dnam.shadows.opening import open_shadow
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
    return why_unusable(shadow, live).total()


def why_unusable(shadow: Engine, live: Engine) -> Counter[str]:
    """The same, counted by why."""
    failed = tagged(shadow, TAGS, shadow.head().size)
    return Counter(
        event.error
        for event_id, event in failed
        if isinstance(event, ExtractionFailed | SummaryFailed)
        and event.error not in NOT_ITS_FAULT
        and live.store.log.find(event_id) is None
    )


def why_unusable_at(data: Path, shadows: Iterable[Manifest]) -> dict[str, dict[str, int]]:
    """Why replies of these shadows could not be used, the most frequent reason first, by name; those of which all
    could are left out. ShadowUnusable, LogError where one cannot be read.
    """
    there = [each for each in shadows if each.unusable]
    if not there:
        return {}
    found: dict[str, dict[str, int]] = {}
    with Engine.open(data, writable=False) as live:
        for each in there:
            with open_shadow(live, data, each) as shadow:
                found[each.name] = dict(why_unusable(shadow, live).most_common())
    return found
