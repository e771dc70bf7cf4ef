"""Summaries of a shadow that hold what somebody forgot behind the last run of their session, or are withheld because
something that they covered was taken back behind it: each is made once more, without that, when the walk has come to
its end.

The live memory makes such a summary anew with its next refresh, whenever that is. One of a shadow is to take the place
of the live one, and nothing that was forgotten comes with it (`adopt_summary`), so it does not wait. One that says what
the live one says changes nothing, and stays: by the same model nothing differs, and nobody is asked. What is withheld
would be whole in a shadow that is made now.
"""

import hashlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dnam.loops.summary_plan import plan_once_more
from dnam.loops.summary_reading import Refreshing
from dnam.rederiving.estimate import NOT_RECORDED
from dnam.rederiving.replies import Again
from dnam.rederiving.scope import LiveScope
from projections.decisions.adopt_rests import said_behind
from projections.events import Event, SummaryRefreshed, SummaryWithheld
from projections.ids import EventId
from projections.items import QUIET, is_quiet
from projections.policies.cadence import VERSION
from projections.rederiving.schedule import Run
from projections.rows import Rows
from projections.summaries import SUMMARIES, is_withheld
from replay.chronicle import LogChronicle
from replay.engine import Engine

Find = Callable[[EventId], Event | None]
POLICY = f"{VERSION} without what was forgotten"
ANY = Refreshing("", max_chars=1, era_refreshes=1)
"""For whoever only asks whether anything is left to be read."""


def once_more(live: Engine, shadow: Engine) -> list[Run]:
    """The runs that make summaries of a shadow without what left, each named after what it replaces."""
    find = LogChronicle(shadow.live).event
    with live.reading() as here, shadow.reading() as there:
        quiet = [
            _run(made.event, made.summary)
            for made in _resting_on_quiet(there, find)
            if (now := here.get(SUMMARIES, made.key)) is None or now.text != made.summary.text
        ]
        return [*quiet, *_withheld(live, there, find)]


def expected(live: Engine, shadow: Engine, scope: LiveScope, again: Again) -> list[Run]:
    """Those that there may be, before the walk: for each live summary that holds something that was forgotten, but for
    those of the model and the prompt that are asked for, and those that the shadow has without it; and for those that
    the shadow withholds.
    """
    there_find = LogChronicle(shadow.live).event
    with live.reading() as here, shadow.reading() as there:
        found = [made for made in _resting_on_quiet(here, LogChronicle(live.live).event) if scope.has(made.summary)]
        others = (made for made in found if not again(made.summary.call))
        left = [made for made in others if not _has_without(here, there, made.key, there_find)]
        return [*(_run(made.event, made.summary) for made in left), *_withheld(live, there, there_find)]


def _withheld(live: Engine, there: Rows, find: Find) -> list[Run]:
    """Of what was derived anew: what came over as it was recorded is the live memory's to make anew."""
    events = [(each.row.event, find(each.row.event)) for each in there.scan(SUMMARIES) if is_withheld(each.row)]
    return [
        _run(event, made)
        for event, made in events
        if isinstance(made, SummaryWithheld)
        and all(live.store.log.find(each) is None for each in made.causes)
        and plan_once_more(there, made.session, made.audience, made.person, ANY) is not None
    ]


class _Made(NamedTuple):
    """A summary in force, by the key of its row and the event that made it."""

    key: bytes
    event: EventId
    summary: SummaryRefreshed


def _resting_on_quiet(rows: Rows, find: Find) -> Iterator[_Made]:
    if next(rows.scan(QUIET), None) is None:
        return
    for found in rows.scan(SUMMARIES):
        made = find(found.row.event) if found.row.text else None
        if isinstance(made, SummaryRefreshed) and _rests_on_quiet(rows, found.row.event, find):
            yield _Made(found.key, found.row.event, made)


def _rests_on_quiet(rows: Rows, event: EventId, find: Find) -> bool:
    return any(is_quiet(rows, each) for each in said_behind((event,), find))


def _has_without(here: Rows, there: Rows, key: bytes, find: Find) -> bool:
    row = there.get(SUMMARIES, key)
    return row is not None and bool(row.text) and not _rests_on_quiet(here, row.event, find)


def _run(event: EventId, made: SummaryRefreshed | SummaryWithheld) -> Run:
    name = EventId(hashlib.sha256(b"without " + event).digest()[:16])
    run = Run(name, "summary", made.said, POLICY, NOT_RECORDED, ())
    return run._replace(session=made.session, audience=made.audience, person=made.person)
