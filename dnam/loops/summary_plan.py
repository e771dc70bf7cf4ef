"""A refresh of a session's summary, planned: what its model is shown, and what it rests on."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from dnam.loops.summary_reading import Refreshing, end_of, is_left, is_made_anew, reading_of
from dnam.loops.summary_source import Source, Taken, as_read
from dnam.model import Line, SummaryInputs
from projections.events import SummaryAnswered
from projections.events.values import Audience
from projections.fruitless import is_last_try, is_passed_over
from projections.ids import NOBODY, EventId, Handle, Point
from projections.policies.instructions import InstructionWords
from projections.policies.secret_sentences import Spoken
from projections.rows import Rows
from projections.said import END
from projections.summaries import SummaryRow, find_summary
from projections.window_line import WindowLine


class SummaryPlan(NamedTuple):
    """One refresh: of what, from where to where, and on what it rests. `said` is the latest of its causes', `policy`
    what set it off. `is_last_try`: it is of one message, which is passed over when nothing comes of it.
    """

    session: str
    audience: Audience
    person: Handle
    era: int
    previous_event: EventId | None
    inputs: SummaryInputs
    after: Point | None
    upto: Point
    causes: tuple[EventId, ...]
    said: int
    policy: str
    is_last_try: bool = False
    words: InstructionWords = InstructionWords()
    spoken: Spoken = Spoken()


def plan_summary(
    rows: Rows, session: str, audience: Audience, person: Handle, settings: Refreshing
) -> SummaryPlan | None:
    """What a refresh would read; None when there is nothing that the last one did not cover, and nothing in that which
    was taken back, or came in late.
    """
    found = find_summary(rows, session, audience.epoch)
    old = None if found is None else found.row
    source = _source(rows, session, audience, settings)
    reading = reading_of(source, found, settings)
    if reading is None or not reading.taken.lines:
        return None
    plan = _planned(source, person, settings, reading.taken, reading.upto)._replace(
        era=(old.era if old else 0) + (1 if reading.ends else 0),
        previous_event=old.event if old else None,
        after=reading.after,
    )
    return _going_on(plan, old) if reading.keeps and old is not None else plan


def answered_part(plan: SummaryPlan, answered: SummaryAnswered) -> SummaryPlan | None:
    """The beginning of a plan, as far as a model was shown it when it replied this; None where it was shown something
    else. What was said since is read by the next refresh.
    """
    asked = (answered.session, answered.audience, answered.era, answered.person, answered.after)
    is_same = asked == (plan.session, plan.audience, plan.era, plan.person, plan.after)
    if is_same and (plan.upto, plan.causes) == (answered.upto, answered.causes):
        return plan  # also where it reads what lies before all that the summary covers
    lines, last = plan.inputs.lines, answered.upto.id.hex()
    count = next((number for number, line in enumerate(lines, 1) if line.id == last), 0)
    if not (is_same and count and plan.causes[: len(answered.causes)] == answered.causes):
        return None
    return plan._replace(
        inputs=msgspec.structs.replace(plan.inputs, lines=lines[:count]),
        upto=answered.upto,
        causes=answered.causes,
        said=answered.said,
    )


def plan_once_more(
    rows: Rows, session: str, audience: Audience, person: Handle, settings: Refreshing
) -> SummaryPlan | None:
    """A refresh over just what the last one reached, from people's messages alone: without that one, and without what
    left since. None when there is none, or nothing is left.
    """
    found = find_summary(rows, session, audience.epoch)
    if found is None or found.row.upto is None:
        return None
    old, source = found.row, _source(rows, session, audience, settings)
    taken = source.recent(found.row.upto.said, old.floor)
    if not taken.lines:
        return None
    plan = _planned(source, person, settings, taken, found.row.upto)
    return plan._replace(era=old.era, previous_event=old.event, after=taken.stopped or old.floor)


def passed_over_in(rows: Rows, session: str, audience: Audience, settings: Refreshing) -> list[WindowLine]:
    """The messages within reach of a refresh that are passed over for its reader, oldest first."""
    lines = _all_lines(rows, session, audience, settings)
    return [each for each in lines if is_passed_over(rows, settings.reader, each.id) and is_left(rows, each)]


def plan_passed_over(
    rows: Rows, session: str, audience: Audience, person: Handle, settings: Refreshing, message: EventId
) -> SummaryPlan | None:
    """A refresh that reads one message that is passed over, because somebody asks for it; None where it is gone, or the
    summary is to be made anew.
    """
    found, source = find_summary(rows, session, audience.epoch), _source(rows, session, audience, settings)
    lines = [each for each in _all_lines(rows, session, audience, settings) if each.id == message]
    if not lines or (found is not None and is_made_anew(source, found)):
        return None
    after = None if found is None else found.row.upto
    end = end_of(lines)
    upto = end if after is None else max(after, end)
    plan = _planned(source, person, settings, Taken(lines, lines[0].said, None), upto)._replace(after=after)
    if found is None:
        return plan
    plan = plan._replace(era=found.row.era, previous_event=found.row.event)
    return _going_on(plan, found.row) if found.row.text else plan


def _all_lines(rows: Rows, session: str, audience: Audience, settings: Refreshing) -> list[WindowLine]:
    """What people said within reach, to whomever it was shown in vain."""
    found = find_summary(rows, session, audience.epoch)
    source = _source(rows, session, audience, settings)._replace(reader=None)
    return source.recent(END.said, None if found is None else found.row.floor).lines


def _source(rows: Rows, session: str, audience: Audience, settings: Refreshing) -> Source:
    return Source(rows, session, audience, settings.only, settings.assistant, settings.reader)


def _planned(source: Source, person: Handle, settings: Refreshing, taken: Taken, upto: Point) -> SummaryPlan:
    """A refresh that begins with these lines."""
    lines = taken.lines
    return SummaryPlan(
        session=source.session,
        audience=source.audience,
        person=person,
        era=0,
        previous_event=None,
        inputs=SummaryInputs(settings.assistant, "", tuple(map(as_read, lines)), settings.max_chars),
        after=None,
        upto=upto,
        causes=tuple(dict.fromkeys(each for line in lines for each in (line.id, line.event))),
        said=taken.said,
        policy=settings.policy,
        is_last_try=is_last_try(source.rows, settings.reader, (line.id for line in lines)),
        words=settings.words,
        spoken=settings.spoken,
    )


def _going_on(plan: SummaryPlan, old: SummaryRow) -> SummaryPlan:
    """The same behind the summary that there is."""
    return plan._replace(
        inputs=msgspec.structs.replace(plan.inputs, previous=old.text),
        causes=(old.event, *plan.causes),
        said=max(plan.said, old.said),
    )


def to_come(rows: Rows, session: str, audience: Audience, settings: Refreshing) -> list[int]:
    """How many characters each refresh would read that a summary needs to catch up, if all of them work."""
    plan = plan_summary(rows, session, audience, NOBODY, settings)
    if plan is None:
        return []
    source = _source(rows, session, audience, settings)
    sizes, after = [_size(plan.inputs.lines)], plan.upto
    while lines := source.since(after, plan.era, settings.most_turns).lines:
        sizes.append(_size(tuple(map(as_read, lines))))
        after = end_of(lines)
    return sizes


def _size(lines: Iterable[Line]) -> int:
    return sum(len(line.text) for line in lines)
