"""The prompt of a recorded turn, made again from the rows of then, and held against the digest that the turn kept.

An answer is recorded some time after its prompt was made, and others may have written meanwhile. So the moments between
the question and the answer are tried; where none of them fits, what differs is said.
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from projections.context import Context, Request, assemble
from projections.decisions.answer import POLICY
from projections.errors import BadRequest
from projections.events import MessageHeard, TurnAnswered
from projections.ids import EventId, Point, Seq
from projections.policies.compartments import Setting
from projections.retrieval import Vocabulary
from replay import codec
from replay.engine import Engine
from replay.travel import Moment

MOST_TRIED = 256
"""At how many moments a prompt is made again, until one fits."""


class TurnPrompt(NamedTuple):
    """The prompt of the turn at `seq` as it is made now from the rows at `moment`. Where it is not the one that was
    sent, `differs` says why, as far as that can be told.
    """

    seq: Seq
    turn: TurnAnswered
    moment: Moment
    context: Context
    differs: tuple[str, ...]


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
    request = _request(turn, Point(record.event.said, turn.answers), vocabulary)
    first: tuple[Moment, Context] | None = None
    for moment in islice(_moments(engine, asked, seq), MOST_TRIED):
        with engine.past(moment) as rows:
            context = assemble(rows, request)
        if context.digest == turn.context_digest:
            return TurnPrompt(Seq(seq), turn, moment, context, ())
        first = first or (moment, context)
    assert first is not None
    return TurnPrompt(Seq(seq), turn, *first, tuple(_differences(engine, turn, first[1])))


def _request(turn: TurnAnswered, question: Point, vocabulary: Vocabulary) -> Request:
    return Request(
        setting=Setting(turn.asker, turn.audience, turn.guild, turn.besides),
        session=turn.session,
        point=question,
        assistant=turn.assistant,
        vocabulary=vocabulary,
        limits=turn.limits,
        files=turn.files,
    )


def _moments(engine: Engine, asked: int, answered: int) -> Iterator[Moment]:
    """The ends of all decisions from the question's up to the answer."""
    for stored in engine.store.log.read(asked - 1, answered - 1):
        if not codec.decode_header(stored.header).left:
            yield Moment(seq=stored.seq)


def _differences(engine: Engine, turn: TurnAnswered, context: Context) -> Iterator[str]:
    if not turn.context_digest:
        yield "the turn keeps no digest of its prompt"
        return
    gone = sum(not _can_be_read(engine, cause) for cause in turn.causes)
    if gone:
        yield f"{gone} of the {len(turn.causes)} events that stood in it were redacted or erased since"
    if turn.policy != POLICY:
        yield f"what stands in a prompt was chosen by {turn.policy}, and is chosen by {POLICY} now"
    then, now = ({(use.owner, use.compartment, use.id) for use in uses} for uses in (turn.items, context.items))
    if then - now:
        yield f"items that stood in it and do not now: {', '.join(sorted(each[2] for each in then - now))}"
    if now - then:
        yield f"items that stand in it now and did not: {', '.join(sorted(each[2] for each in now - then))}"
    missing = len(set(turn.causes) - set(context.causes)), len(set(context.causes) - set(turn.causes))
    if any(missing):
        yield f"{missing[0]} events that stood in it do not now, {missing[1]} do that did not"
    yield "actions that the bot offered, names as they were shown, and the stop list are not kept with a turn"


def _can_be_read(engine: Engine, event: EventId) -> bool:
    seq = engine.store.log.find(event)
    return seq is not None and engine.live.folding.record_at(seq) is not None
