"""The rolling summary of a session: the previous one and everything said since become the new one, as `summary_plan`
says it.

    what is replied         what is recorded, decision by decision
    a text                  the reply with the summary
    nothing of use          the reply with the failure
    a text too long         the reply │ a shorter one with the summary

Where the program ends in the middle of the last row, the next refresh takes the reply up: it was paid for.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from dnam.loops.loop import Decide, Failed, Find, Loop, Mint, by_model, failed_use, records_of, use_of
from dnam.loops.summary_plan import SummaryPlan, answered_part
from dnam.model import Ask, Reply, SummaryInputs, cut_short
from dnam.prompts import Prompt, digest
from dnam.taken import reply_of
from projections.decisions.draft import Decision, Draft, Origin, first_id
from projections.decisions.summaries import FailRequest, RefreshRequest, settle
from projections.decisions.work import WorkRequest, record_work
from projections.events import SummaryAnswered, SummaryFailed, SummaryRefreshed
from projections.events.values import ModelUse
from projections.fold import Record
from projections.fruitless import PASSED_OVER
from projections.ids import EventId
from projections.models import undated
from projections.rows import Rows
from projections.work import undecided_summary


class Refreshed(NamedTuple):
    """Whether there is a new summary, and where something went wrong, what; neither when it was overtaken."""

    worked: bool
    error: str = ""


class Answer(NamedTuple):
    """What a model replied to a question. `event` is where it stands in the log, if it does by then; `causes` are that
    event's.
    """

    ask: Ask
    reply: Reply
    causes: tuple[EventId, ...]
    event: EventId | None = None

    @property
    def recorded(self) -> tuple[EventId, ...]:
        """The event, as a cause of what rests on it."""
        return () if self.event is None else (self.event,)

    @property
    def use(self) -> ModelUse:
        """The call."""
        return use_of(self.ask, self.reply, digest(self.ask.system, self.ask.prompt))

    @property
    def text(self) -> str:
        """What it says."""
        return self.reply.text.strip()

    @property
    def useless(self) -> str:
        """Why nothing can be made of it; empty where something can."""
        return cut_short(self.reply) or ("" if self.text else "the model's summary was empty")


class Text(NamedTuple):
    """The text of a summary, by which call; whether it was `cut` hard, and the last reply, on which it rests."""

    text: str
    cut: bool
    use: ModelUse
    rests_on: Answer


def refresh_summary(plan: SummaryPlan, prompt: Prompt, model: str, mint: Mint, own_name: str = "") -> Loop[Refreshed]:
    """Ask, keep the reply, decide. What was replied before and never decided from is not asked for again, where it is
    by the model that would be asked now: `own_name`, where the name in the question stands for another.
    """
    before = yield Find(lambda rows: undecided_summary(rows, plan.causes[0]))
    plan, answer = _taken_up(plan, prompt, model, own_name or model, records_of(before))
    if answer is None:
        ask = _ask(plan.inputs, prompt, model)
        reply = yield ask
        if isinstance(reply, Failed):
            yield Decide(_settling(None, _failing(plan, _failed_use(ask, reply), reply.error, mint())))
            return Refreshed(worked=False, error=reply.error)
        assert isinstance(reply, Reply)
        answer = Answer(ask, reply, plan.causes)
    if answer.useless:
        work = _work(plan, answer, mint)
        yield Decide(_settling(work, _failing(plan, answer.use, answer.useless, mint())))
        return Refreshed(worked=False, error=answer.useless)
    made = Text(answer.text, False, answer.use, answer)
    if len(made.text) > plan.inputs.max_chars:
        made = yield from _shorter(plan, answer, prompt, model, mint)
    decided = [record.event for record in records_of((yield Decide(_deciding(plan, made, mint))))]
    error = next((event.error for event in decided if isinstance(event, SummaryFailed)), "")
    return Refreshed(any(isinstance(event, SummaryRefreshed) for event in decided), error)


def _taken_up(
    plan: SummaryPlan, prompt: Prompt, model: str, own_name: str, found: Sequence[Record]
) -> tuple[SummaryPlan, Answer | None]:
    """The reply that stands in the log, with as much of the plan as it was to; the plan alone where there is none to
    this very question, none of the model that is asked now, or none that anything can be made of.
    """
    for record in found:
        match record.event:
            case SummaryAnswered(reply=text, call=call) as event if (part := answered_part(plan, event)) is not None:
                answer = Answer(_ask(part.inputs, prompt, model), reply_of(text, call), event.causes, record.id)
                is_theirs = undated(call.model) == undated(own_name)
                if is_theirs and answer.use == call and not answer.useless:
                    return part, answer
    return plan, None


def _shorter(plan: SummaryPlan, first: Answer, prompt: Prompt, model: str, mint: Mint) -> Loop[Text]:
    """A text over the limit is sent back once; only then it is cut hard. Meanwhile the first reply stands alone."""
    limit = plan.inputs.max_chars
    if first.event is None:
        work = _work(plan, first, mint)
        yield Decide(lambda rows: record_work(rows, work))
        first = first._replace(event=first_id(work.origin))
    again = _ask(msgspec.structs.replace(plan.inputs, previous=first.text, lines=()), prompt, model)
    reply = yield again
    chosen = rests_on = first
    if isinstance(reply, Failed):
        error = f"making it shorter: {reply.error}"
        yield Decide(_settling(None, _failing(plan, _failed_use(again, reply), error, mint())))
    if isinstance(reply, Reply):
        rests_on = Answer(again, reply, first.recorded)
        chosen = first if rests_on.useless else rests_on
    return Text(chosen.text[:limit].rstrip(), len(chosen.text) > limit, chosen.use, rests_on)


def _ask(inputs: SummaryInputs, prompt: Prompt, model: str) -> Ask:
    return Ask("summary", model, prompt.name, prompt.text, msgspec.json.encode(inputs).decode(), inputs)


def _failed_use(ask: Ask, failed: Failed) -> ModelUse:
    return failed_use(ask, digest(ask.system, ask.prompt), failed.spent)


def _work(plan: SummaryPlan, answer: Answer, mint: Mint) -> WorkRequest:
    """The raw reply, which becomes an event before anything is decided from it."""
    event = SummaryAnswered(
        said=plan.said,
        by=by_model(answer.use),
        causes=answer.causes,
        session=plan.session,
        audience=plan.audience,
        era=plan.era,
        person=plan.person,
        after=plan.after,
        upto=plan.upto,
        reply=answer.reply.text,
        call=answer.use,
        policy=plan.policy,
    )
    return WorkRequest(event, mint(), shown=plan.causes)


def _settling(work: WorkRequest | None, request: FailRequest) -> Decision:
    return lambda rows: settle(rows, work, request)


def _deciding(plan: SummaryPlan, made: Text, mint: Mint) -> Decision:
    """The last reply, unless it stands in the log already, and what comes of it."""
    answer = made.rests_on
    work = _work(plan, answer, mint) if answer.event is None else None
    request = _refreshing(plan, made, mint())

    def decide(rows: Rows) -> Sequence[Draft]:
        try:
            return settle(rows, work, request)
        except Exception as error:  # noqa: BLE001 - a policy with a bug: the reply is kept, and why nothing came of it
            reason = f"deciding failed: {type(error).__name__}: {error}"
            failing = _failing(plan, made.use, reason, request.origin)
            return settle(rows, work, failing._replace(causes=(*failing.causes, *request.causes)))

    return decide


def _refreshing(plan: SummaryPlan, made: Text, origin: Origin) -> RefreshRequest:
    return RefreshRequest(
        session=plan.session,
        audience=plan.audience,
        era=plan.era,
        text=made.text,
        after=plan.after,
        upto=plan.upto,
        covered=len(plan.inputs.lines),
        call=made.use,
        by=by_model(made.use),
        origin=origin,
        person=plan.person,
        previous=plan.previous_event,
        causes=made.rests_on.recorded,
        max_chars=plan.inputs.max_chars,
        cut=made.cut,
        said=plan.said,
        policy=plan.policy,
        shown=plan.causes,
        words=plan.words,
        spoken=plan.spoken,
        speakers=plan.inputs.speakers,
    )


def _failing(plan: SummaryPlan, use: ModelUse, error: str, origin: Origin) -> FailRequest:
    """The failure; `use` is that of the reply, where there was one: `projections.calls` counts it once."""
    return FailRequest(
        session=plan.session,
        audience=plan.audience,
        era=plan.era,
        error=f"{error}; {PASSED_OVER}" if plan.is_last_try and use.version else error,
        after=plan.after,
        upto=plan.upto,
        call=use,
        by=by_model(use),
        origin=origin,
        person=plan.person,
        previous=plan.previous_event,
        causes=plan.causes,
        said=plan.said,
        policy=plan.policy,
    )
