"""The rolling summary of a session: the previous one and everything said since become the new one, as `summary_plan`
says it.
"""

from typing import NamedTuple

import msgspec

from dnam.loops.loop import Decide, Failed, Loop, Mint, by_model, failed_use, records_of, use_of
from dnam.loops.summary_plan import SummaryPlan
from dnam.model import Ask, Reply, SummaryInputs, cut_short
from dnam.prompts import Prompt, digest
from projections.decisions.draft import Decision
from projections.decisions.summaries import FailRequest, RefreshRequest, fail, refresh
from projections.decisions.work import WorkRequest, record_work
from projections.events import SummaryAnswered, SummaryFailed, SummaryRefreshed
from projections.events.values import ModelUse
from projections.fruitless import PASSED_OVER
from projections.ids import EventId


class Refreshed(NamedTuple):
    """Whether there is a new summary, and where something went wrong, what; neither when it was overtaken."""

    worked: bool
    error: str = ""


def refresh_summary(plan: SummaryPlan, prompt: Prompt, model: str, mint: Mint) -> Loop[Refreshed]:
    """Ask, keep the reply, decide."""
    ask = _ask(plan.inputs, prompt, model)
    reply = yield ask
    if isinstance(reply, Failed):
        use = failed_use(ask, digest(ask.system, ask.prompt), reply.spent)
        yield Decide(_failing(plan, use, reply.error, mint))
        return Refreshed(worked=False, error=reply.error)
    assert isinstance(reply, Reply)
    first = yield from _keep(plan, ask, reply, mint, plan.causes)
    if error := cut_short(reply) or ("" if reply.text.strip() else "the model's summary was empty"):
        yield Decide(_failing(plan, _use(ask, reply), error, mint))
        return Refreshed(worked=False, error=error)
    text, cut = reply.text.strip(), False
    if len(text) > plan.inputs.max_chars:
        text, cut, ask, reply, first = yield from _recompress(plan, ask, reply, prompt, model, mint, first)
    request = _refreshing(plan, _use(ask, reply), text, cut, first, mint)
    recorded = yield Decide(lambda rows: refresh(rows, request))
    made = [record.event for record in records_of(recorded)]
    error = next((event.error for event in made if isinstance(event, SummaryFailed)), "")
    return Refreshed(any(isinstance(event, SummaryRefreshed) for event in made), error)


Recompressed = tuple[str, bool, Ask, Reply, tuple[EventId, ...]]


def _recompress(
    plan: SummaryPlan, ask: Ask, reply: Reply, prompt: Prompt, model: str, mint: Mint, causes: tuple[EventId, ...]
) -> Loop[Recompressed]:
    """A text over the limit is sent back once; only then it is cut hard."""
    limit = plan.inputs.max_chars
    again = _ask(msgspec.structs.replace(plan.inputs, previous=reply.text.strip(), lines=()), prompt, model)
    second = yield again
    if isinstance(second, Failed):
        use = failed_use(again, digest(again.system, again.prompt), second.spent)
        yield Decide(_failing(plan, use, f"making it shorter: {second.error}", mint))
    if isinstance(second, Reply):
        causes = yield from _keep(plan, again, second, mint, causes)
        if second.text.strip() and not cut_short(second):
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
        said=plan.said,
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
        policy=plan.policy,
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
        said=plan.said,
        policy=plan.policy,
        shown=plan.causes,
        words=plan.words,
        spoken=plan.spoken,
    )


def _failing(plan: SummaryPlan, use: ModelUse, error: str, mint: Mint) -> Decision:
    """The failure; `use` is that of the reply, where there was one: `projections.calls` counts it once."""
    request = FailRequest(
        session=plan.session,
        audience=plan.audience,
        era=plan.era,
        error=f"{error}; {PASSED_OVER}" if plan.is_last_try and use.version else error,
        after=plan.after,
        upto=plan.upto,
        call=use,
        by=by_model(use),
        origin=mint(),
        person=plan.person,
        previous=plan.previous_event,
        causes=plan.causes,
        said=plan.said,
        policy=plan.policy,
    )
    return lambda rows: fail(rows, request)
