"""Driving a loop while a memory is derived anew: as live (`dnam/loops/loop.py`), but for three things.

A model that cannot be asked ends the derivation, which goes on later, and leaves no failure in the shadow. A decision
that was recorded before says again what it became. A reply that was recorded before is given to whoever asks for it
(`RunReplies`), so nothing is found by looking it up.

    asked anew       plan (a look) → ask → compare (a look) → decide (recorded)
    decided anew     plan, what was replied then, compare, decide: one decision, where there is no encoder to wait for
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from dnam.loops.loop import Compare, Compared, Comparing, Decide, Failed, Find, Loop, Outcome
from dnam.memory import Memory
from dnam.model import Ask, ModelError, Reply
from dnam.rederiving.replies import NoReply, RunReplies
from dnam.rederiving.seeds import Seeds
from dnam.rederiving.turns import ANYTIME, Turn
from dnam.rederiving.watch import unless_overtaken
from projections.decisions.draft import Draft, first_id
from projections.fold import Record
from projections.ids import EventId
from projections.rows import Rows
from replay import codec
from replay.engine import Engine
from replay.group import Recorded

T = TypeVar("T")


class Stopped(ModelError):
    """The model cannot be asked any more: the derivation is broken off, and goes on from here."""


async def drive(
    loop: Loop[T],
    memory: Memory,
    replies: RunReplies,
    seeds: Seeds,
    compare: Comparing,
    turn: Turn = ANYTIME,
    outcome: Outcome | None = None,
) -> T:
    """Run a loop into a shadow, from where it waits for this outcome on. What it decides waits for its turn. Stopped
    where the model fails.
    """
    try:
        return await _drive(loop, memory, replies, seeds, compare, turn, outcome)
    except BaseException as error:
        replies.given_up(error)
        raise


async def _drive(
    loop: Loop[T],
    memory: Memory,
    replies: RunReplies,
    seeds: Seeds,
    compare: Comparing,
    turn: Turn,
    outcome: Outcome | None,
) -> T:
    while True:
        try:
            step = next(loop) if outcome is None else loop.send(outcome)
        except StopIteration as stop:
            result: T = stop.value
            return result
        match step:
            case Decide(decision):
                await turn.come()
                recorded = await memory.record(unless_overtaken(decision, replies.refuse))
                replies.kept()
                outcome = recorded if recorded.records else await _recorded_before(memory, seeds)
            case Ask():
                outcome = await _reply(replies, step, seeds.next_id)
            case Find():
                outcome = Recorded()
            case _:
                replies.refuse()
                outcome = await compare(step)


async def drive_at_once(
    begin: Callable[[Rows], Loop[T] | None],
    memory: Memory,
    replies: RunReplies,
    seeds: Seeds,
    compare: Comparing,
    turn: Turn = ANYTIME,
) -> T | None:
    """Run a loop of which the first reply is known (`is_known`), and where nothing is compared but by words: it begins
    in the decision that is its first one, and has the rows of that. None where there is nothing to begin.
    """
    begun: list[Loop[T]] = []

    def decision(rows: Rows) -> Sequence[Draft]:
        replies.refuse()
        loop = begin(rows)
        if loop is None:
            return []
        begun.append(loop)
        step = next(loop)
        while not isinstance(step, Decide):
            step = loop.send(_known_outcome(replies, step, seeds.next_id))
        return unless_overtaken(step.decision, replies.refuse)(rows)

    await turn.come()
    recorded = await memory.record(decision)
    if not begun:
        return None
    outcome = recorded if recorded.records else await _recorded_before(memory, seeds)
    return await drive(begun[0], memory, replies, seeds, compare, turn, outcome)


def _known_outcome(replies: RunReplies, step: Ask | Compare | Find, event: EventId) -> Outcome:
    match step:
        case Ask():
            return _known(replies, step, event)
        case Find():
            return Recorded()
        case Compare():
            return Compared()


def _known(replies: RunReplies, ask: Ask, event: EventId) -> Reply | Failed:
    try:
        reply = replies.known(ask, event)
    except NoReply as error:
        return Failed(str(error))
    assert reply is not None, "it is known what was replied then"
    return reply


async def _reply(replies: RunReplies, ask: Ask, event: EventId) -> Reply | Failed:
    try:
        return await replies.reply(ask, event)
    except NoReply as error:
        return Failed(str(error))
    except ModelError as error:
        raise Stopped(f"{ask.model or replies.name} cannot be asked: {error}", kind=error.kind) from error


async def _recorded_before(memory: Memory, seeds: Seeds) -> Recorded:
    """What the decision of these seeds became when it was first recorded; nothing where it never was."""
    if seeds.last is None:
        return Recorded()
    event = first_id(seeds.last)
    return await memory.look(lambda _: decision_of(memory.engine, event))


def decision_of(engine: Engine, first: EventId) -> Recorded:
    """The decision that begins with an event, as far as it can be read; nothing where it is not in the log."""
    seq = engine.store.log.find(first)
    stored = None if seq is None else engine.store.log.get(seq)
    if seq is None or stored is None:
        return Recorded()
    left = codec.decode_header(stored.header).left
    found = (engine.live.folding.record_at(each) for each in range(seq, seq + left + 1))
    records: tuple[Record, ...] = tuple(each for each in found if each is not None)
    return Recorded(records)
