"""What an extraction and a merge have in common: a reply is asked for, read, and kept while an encoder compares it.

    ask ─▶ reply ─▶ read ─▶ kept, where an encoder is asked ─▶ compared ─▶ what the loop decides from
     └───────┴───────┴───────────────────────────────────────────┴──▶ a failure, which is an event

What was replied before and never decided from is not asked for again (`dnam/loops/kept.py`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from dnam.loops.kept import Replied, keep, unless_kept
from dnam.loops.loop import Compare, Compared, Decide, Failed, Loop, Mint, Outcome, failed_use, use_of
from dnam.model import Ask, Reply, cut_short
from dnam.prompts import digest
from projections.decisions.work import WorkRequest, record_work
from projections.events import ExtractionFailed, MergeFailed
from projections.events.values import ModelUse
from projections.policies.closeness import Measure
from projections.policies.replies import Unreadable
from projections.rows import Rows

R = TypeVar("R")


class Work(NamedTuple, Generic[R]):
    """How a reply is read, which texts of it are compared, and the events of what came of it: the reply as it waits, by
    its text and what it took; a failure, by its error, the reply's text and what it took.
    """

    read: Callable[[str], R | Unreadable]
    texts: Callable[[R, Rows], Sequence[str]]
    replied: Callable[[str, ModelUse], Replied]
    failed: Callable[[str, str, ModelUse], ExtractionFailed | MergeFailed]


class Told(NamedTuple, Generic[R]):
    """A reply that can be decided from: what it took, what was read of it, and how near its texts are."""

    reply: str
    use: ModelUse
    read: R
    measure: Measure | None


def asked(ask: Ask, work: Work[R], mint: Mint, before: Reply | None = None) -> Loop[Told[R] | Failed]:
    """Ask, unless that was replied `before`; read, keep, compare. Where it fails, that is recorded."""
    prompt_digest = digest(ask.system, ask.prompt)
    reply: Outcome | None = before
    if reply is None:
        reply = yield ask
    if isinstance(reply, Failed):
        yield failing(work.failed(reply.error, "", failed_use(ask, prompt_digest, reply.spent)), mint)
        return reply
    assert isinstance(reply, Reply)
    use = use_of(ask, reply, prompt_digest)
    half = cut_short(reply)
    read = Unreadable(half) if half else work.read(reply.text)
    if isinstance(read, Unreadable):
        yield failing(work.failed(read.reason, reply.text, use), mint)
        return Failed(read.reason)
    kept = work.replied(reply.text, use)
    compared = yield Compare(partial(work.texts, read), ask.person, partial(keep, event=kept))
    if isinstance(compared, Failed):
        given_up = work.failed(compared.error, "", failed_use(ask, prompt_digest, reply))
        yield unless_kept(kept, failing(given_up, mint))
        return compared
    assert isinstance(compared, Compared)
    return Told(reply.text, use, read, compared.measure)


def failing(event: ExtractionFailed | MergeFailed, mint: Mint) -> Decide:
    """Record a failure."""
    origin = mint()
    return Decide(lambda rows: record_work(rows, WorkRequest(event, origin)))
