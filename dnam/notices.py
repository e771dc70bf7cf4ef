"""That somebody is told, once, when the assistant first learned from what they said to others.

It stands in the log (`notice.given`), so nobody is told twice, whatever restarts. What is said to the assistant itself
needs no notice: whoever says it knows.
"""

from collections.abc import Iterable
from typing import NamedTuple

from dnam.commands.command import PREFIX
from projections.events import ExtractionAnswered, ItemUpserted, MessageEdited, MessageHeard
from projections.events.values import Message
from projections.fold import Record
from projections.ids import EventId, Handle, Ref
from projections.notices import notice_to
from projections.policies.learned_from import was_answered
from projections.rows import Rows
from replay.engine import Engine


class Due(NamedTuple):
    """Somebody who is to be told: because of which extraction, and where they said what it read."""

    person: Handle
    learned: EventId
    place: Ref


def learned_from(records: Iterable[Record]) -> Record | None:
    """The extraction of a decision by which something was learned of somebody."""
    found = list(records)
    if not any(isinstance(each.event, ItemUpserted) and each.event.by.kind == "model" for each in found):
        return None
    return next((each for each in found if isinstance(each.event, ExtractionAnswered)), None)


def due(engine: Engine, rows: Rows, learned: Record) -> Due | None:
    """Who is to be told because of this extraction; None when they were, or spoke to the assistant alone."""
    work = learned.event
    if not isinstance(work, ExtractionAnswered) or not work.owner or notice_to(rows, work.owner) is not None:
        return None
    for each in reversed(work.inputs):
        message = _message(engine, each)
        if message is not None and not (message.addressed or was_answered(rows, each, message.said)):
            return Due(work.owner, learned.id, message.place)
    return None


def _message(engine: Engine, event: EventId) -> Message | None:
    """A message as it was heard, where it can still be read."""
    seq = engine.live.folding.find(event)
    record = None if seq is None else engine.live.folding.record_at(seq)
    heard = None if record is None else record.event
    return heard.message if isinstance(heard, MessageHeard | MessageEdited) else None


def notice(place: str, assistant: str) -> str:
    """What they are told. `place` is where it learned from them, as people call it."""
    return "\n".join(
        [
            f"I am {assistant}, and I have begun to remember things that you say in {place}, also when you do not "
            "speak to me. I say so once.",
            f"- What I remember of you: `{PREFIX} show`",
            f"- To make me forget some of it: `{PREFIX} forget <words or id>`; all of it: `{PREFIX} erase`",
            f"- To have me learn nothing more from you: `{PREFIX} config set me learn=none`; "
            f"to have me record nothing at all: `{PREFIX} opt-out`",
            "- Where I do not answer you, these work all the same, for you alone: `/memory opt-out`, `export`, `erase`",
        ]
    )
