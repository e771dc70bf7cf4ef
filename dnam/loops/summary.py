"""The rolling summary of a session: the previous one and everything said since become the new one.

The first refresh of a new era starts from people's messages alone, newest first as far as its input reaches, so that
an old era's key can go without taking the new summary along.
"""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from dnam.loops.loop import Decide, Failed, Loop, Mint, by_model, failed_use, records_of, use_of
from dnam.model import Ask, Line, Reply, SummaryInputs
from dnam.prompts import Prompt, digest
from projections.decisions.draft import Decision
from projections.decisions.summaries import FailRequest, RefreshRequest, fail, refresh
from projections.decisions.work import WorkRequest, record_work
from projections.events import SummaryAnswered, SummaryRefreshed
from projections.events.values import Audience, ModelUse
from projections.ids import EventId, Handle, Point
from projections.items import QUIET
from projections.messages import MessageRow
from projections.rows import Rows
from projections.summaries import find_summary
from projections.window import Caller, Entry, WindowLine, backwards, entry_line, forwards

ASSISTANT_CHARS = 500
"""How much of the assistant's own words goes into a summary (seed 002)."""
INPUT_CHARS = 24_000
"""How much one refresh reads; what is behind it is read by the next."""
LAST_ID = EventId(b"\xff" * 16)


class SummaryPlan(NamedTuple):
    """One refresh: of what, from where to where, and on what it rests."""

    session: str
    audience: Audience
    person: Handle
    era: int
    previous_event: EventId | None
    inputs: SummaryInputs
    after: Point | None
    upto: Point
    causes: tuple[EventId, ...]


class Refreshing(NamedTuple):
    """Settings in force for a refresh. `most_lines` cuts the span short, for learning from an import."""

    assistant: str
    max_chars: int
    era_refreshes: int
    most_lines: int = 10_000


def plan_summary(
    rows: Rows, session: str, audience: Audience, person: Handle, settings: Refreshing
) -> SummaryPlan | None:
    """What a refresh would read; None when nothing was said since the last one."""
    found = find_summary(rows, session, audience.epoch)
    old = None if found is None else found.row
    after = None if old is None else old.upto
    ends = old is not None and old.refresh >= settings.era_refreshes
    news = _since(rows, session, audience, after)[: settings.most_lines]
    lines = _recent(rows, session, audience, news[-1].said) if ends and news else news
    if not lines:
        return None
    keeps = old is not None and old.text != "" and not ends
    inputs = SummaryInputs(
        assistant=settings.assistant,
        previous=old.text if keeps and old is not None else "",
        lines=tuple(map(_line, lines)),
        max_chars=settings.max_chars,
    )
    previous = (old.event,) if keeps and old is not None else ()
    return SummaryPlan(
        session=session,
        audience=audience,
        person=person,
        era=(old.era if old else 0) + (1 if ends else 0),
        previous_event=old.event if old else None,
        inputs=inputs,
        after=after,
        upto=max(Point(line.said, line.id) for line in lines),
        causes=(*previous, *dict.fromkeys(each for line in lines for each in (line.id, line.event))),
    )


def _since(rows: Rows, session: str, audience: Audience, after: Point | None) -> list[WindowLine]:
    """Everything said behind a point, oldest first, as far as the input reaches."""
    return _take(rows, forwards(rows, session, audience.epoch, after))


def _recent(rows: Rows, session: str, audience: Audience, said: int) -> list[WindowLine]:
    """People's messages alone up to a time, the newest as far as the input reaches, in order."""
    newest = backwards(rows, session, audience.epoch, Point(said, LAST_ID))
    return _take(rows, (entry for entry in newest if _by_people(entry)))[::-1]


def _by_people(entry: Entry) -> bool:
    return isinstance(entry.row, MessageRow) and entry.row.message.author != "self"


def _take(rows: Rows, entries: Iterable[Entry]) -> list[WindowLine]:
    caller = Caller(rows, "")
    taken: list[WindowLine] = []
    room = INPUT_CHARS
    for entry in entries:
        line = entry_line(entry, caller, {})
        if rows.get(QUIET, line.id) is not None:
            continue
        room -= min(len(line.text), ASSISTANT_CHARS if line.by_assistant else INPUT_CHARS)
        if room < 0 and taken:
            break
        taken.append(line)
    return taken


def _line(line: WindowLine) -> Line:
    text = line.text[:ASSISTANT_CHARS] if line.by_assistant else line.text[:INPUT_CHARS]
    return Line(line.name, text, line.said, line.id.hex(), assistant=line.by_assistant)


def refresh_summary(plan: SummaryPlan, prompt: Prompt, model: str, mint: Mint) -> Loop[bool]:
    """Ask, keep the reply, decide. True when the summary was refreshed."""
    ask = _ask(plan.inputs, prompt, model)
    reply = yield ask
    if isinstance(reply, Failed):
        yield Decide(_failing(plan, ask, reply.error, mint))
        return False
    assert isinstance(reply, Reply)
    first = yield from _keep(plan, ask, reply, mint, plan.causes)
    text, cut = reply.text.strip(), False
    if len(text) > plan.inputs.max_chars:
        text, cut, ask, reply, first = yield from _recompress(plan, ask, reply, prompt, model, mint, first)
    request = _refreshing(plan, _use(ask, reply), text, cut, first, mint)
    recorded = yield Decide(lambda rows: refresh(rows, request))
    return any(isinstance(record.event, SummaryRefreshed) for record in records_of(recorded))


Recompressed = tuple[str, bool, Ask, Reply, tuple[EventId, ...]]


def _recompress(
    plan: SummaryPlan, ask: Ask, reply: Reply, prompt: Prompt, model: str, mint: Mint, causes: tuple[EventId, ...]
) -> Loop[Recompressed]:
    """A text over the limit is sent back once; only then it is cut hard."""
    limit = plan.inputs.max_chars
    again = _ask(msgspec.structs.replace(plan.inputs, previous=reply.text.strip(), lines=()), prompt, model)
    second = yield again
    if isinstance(second, Reply):
        causes = yield from _keep(plan, again, second, mint, causes)
        ask, reply = again, second
    text = reply.text.strip()
    return text[:limit].rstrip(), len(text) > limit, ask, reply, causes


def _ask(inputs: SummaryInputs, prompt: Prompt, model: str) -> Ask:
    return Ask("summary", model, prompt.name, prompt.text, msgspec.json.encode(inputs).decode(), inputs)


def _use(ask: Ask, reply: Reply) -> ModelUse:
    return use_of(ask, reply, digest(ask.system, ask.prompt))


def _keep(
    plan: SummaryPlan, ask: Ask, reply: Reply, mint: Mint, causes: tuple[EventId, ...]
) -> Loop[tuple[EventId, ...]]:
    """The raw reply becomes an event before anything is decided from it."""
    use = _use(ask, reply)
    event = SummaryAnswered(
        said=plan.upto.said,
        by=by_model(use),
        causes=causes,
        session=plan.session,
        audience=plan.audience,
        era=plan.era,
        person=plan.person,
        after=plan.after,
        upto=plan.upto,
        reply=reply.text,
        call=use,
    )
    origin = mint()
    recorded = yield Decide(lambda rows: record_work(rows, WorkRequest(event, origin)))
    return tuple(record.id for record in records_of(recorded))


def _refreshing(
    plan: SummaryPlan, use: ModelUse, text: str, cut: bool, causes: tuple[EventId, ...], mint: Mint
) -> RefreshRequest:
    return RefreshRequest(
        session=plan.session,
        audience=plan.audience,
        era=plan.era,
        text=text,
        after=plan.after,
        upto=plan.upto,
        covered=len(plan.inputs.lines),
        call=use,
        by=by_model(use),
        origin=mint(),
        person=plan.person,
        previous=plan.previous_event,
        causes=causes,
        max_chars=plan.inputs.max_chars,
        cut=cut,
    )


def _failing(plan: SummaryPlan, ask: Ask, error: str, mint: Mint) -> Decision:
    use = failed_use(ask, digest(ask.system, ask.prompt))
    request = FailRequest(
        session=plan.session,
        audience=plan.audience,
        era=plan.era,
        error=error,
        after=plan.after,
        upto=plan.upto,
        call=use,
        by=by_model(use),
        origin=mint(),
        person=plan.person,
        previous=plan.previous_event,
        causes=plan.causes,
    )
    return lambda rows: fail(rows, request)
