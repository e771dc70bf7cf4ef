"""A reply that waits for an encoder lies in an event of its own until it is decided from: it was paid for.

    reply ─▶ extraction.replied ─▶ vectors ─▶ extraction.answered, and what comes of it
    reply ─▶ merge.replied ──────▶ vectors ─▶ merge.answered, and what comes of it

Whatever ends the program in between, whoever would ask the same again finds it there. Its id says what was asked, and
behind which attempt: so a reply of which something came, be it a failure, is found no more.
"""

import hashlib
from collections.abc import Iterable, Iterator

import msgspec

from dnam.loops.loop import Decide
from projections.decisions.draft import Draft, Origin, first_id
from projections.decisions.overtaken import is_overtaken
from projections.decisions.work import WorkRequest, record_reply, record_work
from projections.derived import effects_of
from projections.events import ExtractionFailed, ExtractionReplied, MergeAnswered, MergeFailed, MergeReplied
from projections.fold import Record
from projections.ids import EventId
from projections.items import compartment_key
from projections.policies.closeness import Pair
from projections.rows import Rows
from projections.work import EXTRACTION_ATTEMPTS
from replay.chronicle import LogChronicle

Replied = ExtractionReplied | MergeReplied
CHANGED = "what it was asked about changed before it was decided from"
"""How a failure in the log says that a reply was given up: by it `is_given_up` knows those of earlier versions too."""
TRIED = frozenset({MergeAnswered.TAG, MergeFailed.TAG})


def keep(rows: Rows, event: Replied) -> list[Draft]:
    """The reply, once; nothing where something that the model was shown was taken back meanwhile."""
    return [] if is_overtaken(rows, event.causes) else record_reply(rows, WorkRequest(event, _origin(rows, event)))


def is_kept(rows: Rows, event: Replied) -> bool:
    """Whether this reply lies there, and nothing came of it yet."""
    return rows.ids.status(kept_id(rows, event)) == "known"


def unless_kept(event: Replied, failing: Decide) -> Decide:
    """The failure of what is given up, unless its reply lies there: that is gone on with, and on the bill then."""
    return Decide(lambda rows: [] if is_kept(rows, event) else failing.decision(rows))


def given_up(kept: Replied) -> ExtractionFailed | MergeFailed:
    """What a kept reply took, where what it was asked about is no longer what would be asked."""
    failed = ExtractionFailed if isinstance(kept, ExtractionReplied) else MergeFailed
    said = {name: value for name, value in msgspec.structs.asdict(kept).items() if name != "reply"}
    return failed(**{**said, "call": msgspec.structs.replace(kept.call, version=""), "error": CHANGED})


def giving_up(kept: Replied, origin: Origin) -> Decide:
    """Have what it took on the bill, once, and nothing come of it."""
    work = WorkRequest(given_up(kept), origin)
    return Decide(lambda rows: record_work(rows, work) if is_kept(rows, kept) else [])


def kept_id(rows: Rows, event: Replied) -> EventId:
    """The id of a reply to this question, as long as nothing came of it."""
    return first_id(_origin(rows, event))


def _origin(rows: Rows, event: Replied) -> Origin:
    tried = _last_try(rows, event) if isinstance(event, ExtractionReplied) else _tries(rows, event)
    parts = (event.TAG.encode(), event.owner, event.compartment.encode(), event.call.prompt_digest, tried)
    return Origin(seed=hashlib.sha256(b"\0".join(parts)).digest(), now=event.said)


def _last_try(rows: Rows, event: ExtractionReplied) -> bytes:
    row = rows.get(EXTRACTION_ATTEMPTS, compartment_key(event.owner, event.compartment))
    return b"" if row is None else row.event


def _tries(rows: Rows, event: MergeReplied) -> bytes:
    older, newer = event.inputs
    return b" ".join((older, newer, str(sum(1 for _ in _tried(rows, older, newer))).encode()))


def is_tried(rows: Rows, log: LogChronicle, pair: Pair) -> bool:
    """Whether a model was asked about these two as they are, and something came of it, be it a failure. The bill of a
    reply that was given up is nothing that came of it: what is asked in its stead may be put off, or never be asked.
    """
    return any(not is_given_up(log, each) for each in _tried(rows, pair.older.event, pair.newer.event))


def is_given_up(log: LogChronicle, tried: EventId) -> bool:
    """Whether what came of a merge's reply is that it was given up."""
    found = log.find(tried)
    return found is not None and isinstance(found.event, MergeFailed) and found.event.error == CHANGED


def _tried(rows: Rows, older: EventId, newer: EventId) -> Iterator[EventId]:
    of_older = {effect for effect, tag in effects_of(rows, older) if tag in TRIED}
    return (effect for effect, _ in effects_of(rows, newer) if effect in of_older)


def kept_extraction(rows: Rows, log: LogChronicle, messages: Iterable[EventId]) -> ExtractionReplied | None:
    """What a model replied about some of these messages, of which nothing came yet."""
    for record in _replies(rows, log, messages, ExtractionReplied.TAG):
        if isinstance(record.event, ExtractionReplied) and kept_id(rows, record.event) == record.id:
            return record.event
    return None


def kept_merges(rows: Rows, log: LogChronicle, items: Iterable[EventId]) -> list[MergeReplied]:
    """What a model replied about items as these events left them, each with another, of which nothing came yet."""
    found = [(record.id, record.event) for record in _replies(rows, log, items, MergeReplied.TAG)]
    return [event for id, event in found if isinstance(event, MergeReplied) and kept_id(rows, event) == id]


def left_of(rows: Rows, log: LogChronicle, pair: Pair) -> list[MergeReplied]:
    """The same of these two, as they are."""
    both = pair.older.event, pair.newer.event
    return [each for each in kept_merges(rows, log, both) if each.inputs == both]


def _replies(rows: Rows, log: LogChronicle, causes: Iterable[EventId], kind: str) -> Iterable[Record]:
    effects = (effect for each in causes for effect, tag in effects_of(rows, each) if tag == kind)
    return filter(None, map(log.find, dict.fromkeys(effects)))
