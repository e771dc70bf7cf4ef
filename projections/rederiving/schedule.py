"""When the loops ran, as a log tells it: which messages an extraction or a summary read, and what the model replied.

    extraction.answered, extraction.failed    one run each, over `inputs`
    summary.answered                          one run, over what its causes name; a second one that only makes the first
                                              shorter belongs to it
    summary.failed without a reply            one run in vain
    reply.withdrawn                           the run whose reply's words went later: what it still says of it

What a failed run had read is read again by the next one, so what a run may read is all that the runs before it could.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from projections.events import (
    Event,
    ExtractionAnswered,
    ExtractionFailed,
    MergeAnswered,
    MessageEdited,
    ReplyWithdrawn,
    SummaryAnswered,
    SummaryFailed,
)
from projections.events.values import Audience, ModelUse
from projections.events.work import WorkEvent
from projections.ids import NOBODY, EventId, Handle, Point
from projections.policies.cadence import VERSION

Loop = Literal["extraction", "summary"]
RUNS = frozenset(each.TAG for each in (ExtractionAnswered, ExtractionFailed, SummaryAnswered, SummaryFailed))
"""The tags of events that tell of a run, or may."""


TOLD_BY = RUNS | {ReplyWithdrawn.TAG, MergeAnswered.TAG, MessageEdited.TAG}
"""The tags of all events that `recorded` wants."""


class Run(NamedTuple):
    """A run of a loop. `event` names it; `reads` are the events that it read, None where that is not known any more.

    `reply` is what the model said, None where it said nothing or the words are gone; `error` is why nothing came of it.
    Of an extraction it is `owner` and `compartment` that count, of a summary the others. `upto` is how far it read, as
    far as that is known.
    """

    event: EventId
    loop: Loop
    said: int
    policy: str
    call: ModelUse
    reads: tuple[EventId, ...] | None
    reply: str | None = None
    error: str = ""
    owner: Handle = NOBODY
    compartment: str = ""
    session: str = ""
    audience: Audience | None = None
    person: Handle = NOBODY
    upto: Point | None = None


def run_of(event_id: EventId, event: Event) -> Run | None:
    """The run that an event tells of; None where it tells of none of its own."""
    match event:
        case ExtractionAnswered(reply=reply):
            return _extraction(event_id, event)._replace(reply=reply)
        case ExtractionFailed(reply=reply, error=error, call=call):
            return _extraction(event_id, event)._replace(reply=reply if call.version else None, error=error)
        case SummaryAnswered(reply=reply):
            return _summary(event_id, event)._replace(reply=reply)
        case SummaryFailed(error=error, call=call) if not call.version:
            return _summary(event_id, event)._replace(error=error)
        case _:
            return None


def _extraction(event_id: EventId, event: WorkEvent) -> Run:
    policy = event.policy or VERSION
    run = Run(event_id, "extraction", event.said, policy, event.call, event.inputs)
    return run._replace(owner=event.owner, compartment=event.compartment, upto=event.upto)


def _summary(event_id: EventId, event: SummaryAnswered | SummaryFailed) -> Run:
    run = Run(event_id, "summary", event.said, event.policy or VERSION, event.call, event.causes)
    return run._replace(session=event.session, audience=event.audience, person=event.person, upto=event.upto)


def withdrawn_run(event: ReplyWithdrawn) -> Run | None:
    """The run of which a withdrawn reply tells what is left; None where it is of another loop."""
    if event.work not in ("extraction", "summary"):
        return None
    return Run(
        event.reply,
        event.work,
        event.said,
        VERSION,
        event.call,
        event.inputs if event.work == "extraction" else None,
        error="what it was shown was taken back" if event.failed else "",
        owner=event.owner,
        compartment=event.compartment,
        session=event.session,
        audience=event.audience,
        person=event.person,
        upto=event.upto or event.tried,
    )


class Merging(NamedTuple):
    """A merge that was recorded: of whose items, and what the extraction before it had read; nothing where its words
    are gone.
    """

    owner: Handle
    reads: tuple[EventId, ...]
    call: ModelUse


class Recorded(NamedTuple):
    """What a whole log tells of its runs, before it is walked.

    `withdrawn` are the runs whose words are gone, by the reply that was taken away; `shorter` are second replies to a
    summary that was too long, by the first one, and `part_of` their ids; `merges` are replies about two items, by the
    digest of what was asked, and `merged` all of them in their order. `edited` is where messages lie that say something
    else than at first, by their sessions.
    """

    runs: tuple[Run, ...]
    withdrawn: Mapping[EventId, Run]
    shorter: Mapping[EventId, tuple[str, ModelUse]]
    merges: Mapping[bytes, tuple[str, ModelUse]]
    merged: tuple[Merging, ...]
    part_of: frozenset[EventId]
    edited: Mapping[tuple[str, int], Sequence[Point]]

    @property
    def every(self) -> tuple[Run, ...]:
        """Every run, also those whose words are gone."""
        return (*self.runs, *self.withdrawn.values())


def recorded(events: Iterable[tuple[EventId, Event]]) -> Recorded:
    """What all events of a log tell of its runs."""
    runs: dict[EventId, Run] = {}
    withdrawn: dict[EventId, Run] = {}
    shorter: dict[EventId, tuple[str, ModelUse]] = {}
    merges: dict[bytes, tuple[str, ModelUse]] = {}
    merged: list[Merging] = []
    last: dict[Handle, Run] = {}
    part_of: set[EventId] = set()
    edited: dict[tuple[str, int], list[Point]] = {}
    for event_id, event in events:
        first = _first(event, runs)
        if isinstance(event, ReplyWithdrawn):
            run = withdrawn_run(event)
            if run is not None:
                withdrawn[run.event] = run
        elif isinstance(event, MessageEdited):
            where = event.message.session, event.message.audience.epoch
            edited.setdefault(where, []).append(Point(event.message.said, event.heard))
        elif isinstance(event, MergeAnswered):
            merges[event.call.prompt_digest] = event.reply, event.call
            before = last.get(event.owner)
            merged.append(Merging(event.owner, (before.reads if before else None) or (), event.call))
        elif isinstance(event, SummaryAnswered) and first is not None:
            shorter[first] = event.reply, event.call
            part_of.add(event_id)
        elif (run := run_of(event_id, event)) is not None:
            runs[event_id] = last[run.owner] = run
    return Recorded(
        runs=tuple(runs.values()),
        withdrawn=withdrawn,
        shorter=shorter,
        merges=merges,
        merged=tuple(merged),
        part_of=frozenset(part_of),
        edited=edited,
    )


def _first(event: Event, runs: Mapping[EventId, Run]) -> EventId | None:
    """The reply that this one only makes shorter."""
    causes = event.causes if isinstance(event, SummaryAnswered) else ()
    return causes[0] if len(causes) == 1 and causes[0] in runs and runs[causes[0]].loop == "summary" else None
