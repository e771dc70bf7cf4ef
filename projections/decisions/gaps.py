"""What the events that lose their words had rested on, as a redaction keeps it (`projections/gaps`).

Only those are kept by which words go on: items, summaries, answers, and what is the assistant's own in an import. And
of their causes only what may still be taken back, or leads on from such a thing: what a message that is gone had led to
went with it.
"""

from collections.abc import Collection, Mapping

from projections.decisions.redact_items import ITEM_TAGS, goes_on
from projections.decisions.said_again import SUMMARIES_MADE
from projections.events import Event, MessageEdited, MessageHeard, TurnAnswered
from projections.events.values import Gap
from projections.gaps import STOOD
from projections.ids import EventId
from projections.rows import Rows

LEADING = ITEM_TAGS | SUMMARIES_MADE | {MessageHeard.TAG, MessageEdited.TAG, TurnAnswered.TAG}


def gaps(rows: Rows, bodies: Collection[EventId], stands: Collection[EventId] = ()) -> tuple[Gap, ...]:
    """What these events had rested on. `stands` are those among them whose message goes on standing, in other words."""
    dropped = [(each, event) for each in bodies if (event := rows.event(each)) is not None and event.TAG in LEADING]
    rested = {each: _causes(event) for each, event in dropped}
    gone = frozenset(bodies).difference(stands)
    leads = {each for causes in rested.values() for each in causes if each not in gone and _is_there(rows, each)}
    leads |= _led_on(rested, leads)
    found = (Gap(each, event.TAG, tuple(filter(leads.__contains__, rested[each]))) for each, event in dropped)
    return tuple(gap for gap in found if gap.causes)


def _causes(event: Event) -> tuple[EventId, ...]:
    return tuple(each for each in dict.fromkeys(event.causes) if goes_on(each, event))


def _is_there(rows: Rows, event: EventId) -> bool:
    return rows.ids.status(event) in ("known", "redacted")


def _led_on(rested: Mapping[EventId, tuple[EventId, ...]], leads: Collection[EventId]) -> set[EventId]:
    """Those of these events that something leads to which may still be taken back, also by way of others of them."""
    effects: dict[EventId, list[EventId]] = {}
    for event, causes in rested.items():
        for each in causes:
            effects.setdefault(each, []).append(event)
    found: set[EventId] = set()
    waiting = list(leads)
    while waiting:
        news = [each for each in effects.get(waiting.pop(), ()) if each not in found]
        found.update(news)
        waiting += news
    return found


def standing_for(bodies: Collection[EventId], stood: Mapping[EventId, Collection[EventId]]) -> tuple[Gap, ...]:
    """Those of these events that items had gone through, by the events by which these stand: what the former led to
    rests on the latter now.
    """
    dropped = frozenset(bodies)
    return tuple(
        Gap(each, STOOD, (event,)) for event, path in stood.items() for each in sorted(dropped.intersection(path))
    )
