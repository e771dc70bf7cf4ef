"""On what was said something derived rests, also where it names only what was derived before it."""

from collections.abc import Callable, Iterable

from projections.events import Event, ItemEvent, SummaryAnswered
from projections.events.summaries import SummaryEvent
from projections.ids import EventId

SAID_TAGS = ("message.", "turn.")
BETWEEN = (ItemEvent, SummaryEvent, SummaryAnswered)
"""What goes on with what was there: it rests on all that this rested on. What else a model was shown, it only read."""


def said_behind(causes: Iterable[EventId], find: Callable[[EventId], Event | None]) -> tuple[EventId, ...]:
    """The messages and answers behind these causes, in order, each once. `find` gives an event of the same log, None
    where it cannot be read: then it counts as said, since its words may have been taken back.
    """
    found: dict[EventId, None] = {}
    seen: set[EventId] = set()
    waiting = list(causes)[::-1]
    while waiting:
        cause = waiting.pop()
        if cause in seen:
            continue
        seen.add(cause)
        event = find(cause)
        if event is None or event.TAG.startswith(SAID_TAGS):
            found[cause] = None
        elif isinstance(event, BETWEEN):
            waiting += event.causes[::-1]
    return tuple(found)
