"""The prompt of a recorded turn, made again from the rows of then, and held against the digest that the turn kept.

An answer is recorded some time after its prompt was made, and others may have written meanwhile. So the moments between
the question and the answer are tried; where none of them fits, what differs is said. What was near in meaning is as the
turn keeps it, and so is what it notes of an encoder that was not there: none is asked again.

It is the first prompt. What the model was told by tools that it called then is not made again: the calls say what was
shown, by its events.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from projections.context import Context, Request, assemble
from projections.counting import counted
from projections.errors import BadRequest
from projections.events import MessageHeard, ToolCalled, TurnAnswered
from projections.events.values import ItemUse
from projections.fold import Record
from projections.ids import EventId, Point, Seq
from projections.nearness import IN_OTHER_WORDS, Nearness, as_kept
from projections.policies.compartments import Setting
from projections.retrieval import Vocabulary
from projections.tokens import CHARACTERS, COUNTERS
from replay import codec
from replay.engine import Engine
from replay.travel import Moment

MOST_TRIED = 256
"""At how many moments a prompt is made again, until one fits."""


class TurnPrompt(NamedTuple):
    """The prompt of the turn at `seq` as it is made now from the rows at `moment`. Where it is not the one that was
    sent, `differs` says why, as far as that can be told. `called` are the calls of tools that can be read.
    """

    seq: Seq
    turn: TurnAnswered
    moment: Moment
    context: Context
    differs: tuple[str, ...]
    called: tuple[Record, ...] = ()


def turn_at(engine: Engine, seq: int) -> TurnAnswered | None:
    """The turn recorded as this event; None when it is something else, or cannot be read any more."""
    record = engine.live.folding.record_at(seq)
    return record.event if record is not None and isinstance(record.event, TurnAnswered) else None


def prompt_of(engine: Engine, seq: int, turn: TurnAnswered, vocabulary: Vocabulary) -> TurnPrompt:
    """The prompt that this turn was answered from. BadRequest when its question cannot be read any more."""
    asked = engine.store.log.find(turn.answers)
    record = None if asked is None else engine.live.folding.record_at(asked)
    if asked is None or record is None or not isinstance(record.event, MessageHeard):
        raise BadRequest(f"the message that #{seq} answers was taken back: its prompt cannot be made again")
    request = _request(turn, Point(record.event.said, turn.answers), vocabulary)._replace(
        nearness=_nearness(engine, turn)
    )
    called = tuple(calls_of(engine, turn))
    first: tuple[Moment, Context] | None = None
    for moment in islice(_moments(engine, asked, seq), MOST_TRIED):
        with engine.past(moment) as rows:
            context = _noting(turn, assemble(rows, request))
        if context.digest == turn.context_digest:
            return TurnPrompt(Seq(seq), turn, moment, context, (), called)
        first = first or (moment, context)
    assert first is not None
    return TurnPrompt(Seq(seq), turn, *first, tuple(_differences(engine, turn, first[1], called)), called)


def calls_of(engine: Engine, turn: TurnAnswered) -> Iterator[Record]:
    """The calls of tools that the model made before it answered, as far as they can be read."""
    for cause in turn.causes:
        seq = engine.store.log.find(cause)
        record = None if seq is None else engine.live.folding.record_at(seq)
        if record is not None and isinstance(record.event, ToolCalled):
            yield record


def _by_tools(called: Sequence[Record]) -> tuple[set[ItemUse], set[EventId]]:
    """The items, and all events, that stand in a turn because of its calls."""
    events = [each.event for each in called if isinstance(each.event, ToolCalled)]
    items = {use for each in events for use in each.items}
    found = {event for each in events for event in each.found}
    return items, found | {use.event for use in items} | {each.id for each in called}


def _request(turn: TurnAnswered, question: Point, vocabulary: Vocabulary) -> Request:
    return Request(
        setting=Setting(turn.asker, turn.audience, turn.guild, turn.besides),
        session=turn.session,
        point=question,
        assistant=turn.assistant,
        vocabulary=vocabulary,
        limits=turn.limits,
        counter=COUNTERS.get(turn.limits.counter, CHARACTERS),
        files=turn.files,
    )


def _nearness(engine: Engine, turn: TurnAnswered) -> Nearness | None:
    """What was near then."""
    if not turn.encoder:
        return None
    seqs = ((engine.store.log.find(each.event), each.rank) for each in turn.nearest)
    return as_kept(turn.encoder, {Seq(seq): rank for seq, rank in seqs if seq is not None})


def _noting(turn: TurnAnswered, context: Context) -> Context:
    """The prompt with what the turn notes of finding by meaning."""
    noted = (each for each in turn.left_out if each.what == IN_OTHER_WORDS)
    return context._replace(left_out=(*noted, *context.left_out))


def _moments(engine: Engine, asked: int, answered: int) -> Iterator[Moment]:
    """The ends of all decisions from the question's up to the answer."""
    for stored in engine.store.log.read(asked - 1, answered - 1):
        if not codec.decode_header(stored.header).left:
            yield Moment(seq=stored.seq)


def _differences(engine: Engine, turn: TurnAnswered, context: Context, called: Sequence[Record] = ()) -> Iterator[str]:
    items, events = _by_tools(called)
    if not turn.context_digest:
        yield "the turn keeps no digest of its prompt"
        return
    gone = sum(not _can_be_read(engine, cause) for cause in turn.causes)
    if gone:
        were = "was" if gone == 1 else "were"
        yield f"{gone} of the {counted(len(turn.causes), 'event')} that stood in it {were} redacted or erased since"
    if turn.policy != context.policy:
        yield f"what stands in a prompt was chosen by {turn.policy}, and is chosen by {context.policy} now"
    if turn.limits.counter not in COUNTERS:
        yield f"tokens were counted by {turn.limits.counter}, and are counted by {CHARACTERS.name} now"
    asked = [use for use in turn.items if use in context.items or use not in items]
    then, now = ({(use.owner, use.compartment, use.id) for use in uses} for uses in (asked, context.items))
    if then - now:
        yield f"items that stood in it and do not now: {', '.join(sorted(each[2] for each in then - now))}"
    if now - then:
        yield f"items that stand in it now and did not: {', '.join(sorted(each[2] for each in now - then))}"
    missing = len(set(turn.causes) - set(context.causes) - events), len(set(context.causes) - set(turn.causes))
    if any(missing):
        stood, do = counted(missing[0], "event"), ["does" if each == 1 else "do" for each in missing]
        yield f"{stood} that stood in it {do[0]} not now, {missing[1]} {do[1]} that did not"
    yield "actions that the bot offered, names as they were shown, and the stop list are not kept with a turn"


def _can_be_read(engine: Engine, event: EventId) -> bool:
    seq = engine.store.log.find(event)
    return seq is not None and engine.live.folding.record_at(seq) is not None
