"""Making one item of two that say nearly the same (seed 004 §8), after an extraction added or changed one of them.

The model sees such a pair and nothing else: what the two say, and the words of the person that they rest on. What it
replies is an event together with what comes of it; where it fails, both stand.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import msgspec

from dnam.loops.kept import keep, kept_id, unless_kept
from dnam.loops.loop import (
    Compare,
    Compared,
    Decide,
    Failed,
    Find,
    Loop,
    Mint,
    Outcome,
    by_model,
    failed_use,
    records_of,
    reply_of,
    use_of,
)
from dnam.model import Ask, MergedItem, MergeInputs, Reply, cut_short
from dnam.prompts import Prompt, digest
from projections.decisions.draft import Draft
from projections.decisions.merge import CHANGED, MergeRequest, merge, overtaken
from projections.decisions.work import WorkRequest, record_work
from projections.events import ItemMerged, MergeAnswered, MergeFailed, MergeReplied
from projections.events.values import ItemUse, ModelUse
from projections.fold import Record
from projections.ids import Handle, Point
from projections.items import ItemRow, forgotten_of, items_in
from projections.policies.closeness import VERSION, Measure, Pair, close_pairs, may_merge
from projections.policies.guards import Guarding
from projections.policies.merge_replies import MergeReply, read_merge
from projections.policies.replies import Unreadable
from projections.policies.reply_shapes import AskedMerge
from projections.rows import Rows

T = TypeVar("T")
MOST_MERGES = 10
"""How many pairs one extraction may lead to; what is left over is close again when one of them changes."""


class Merged(NamedTuple):
    """Whether two items became one, or why it could not even be decided."""

    worked: bool
    error: str = ""


def texts_of(rows: Rows, person: Handle, compartment: str) -> tuple[str, ...]:
    """What an encoder is asked for: the texts of all items that may be merged there, each once."""
    found = (found.row for found in items_in(rows, person, compartment))
    return tuple(dict.fromkeys(row.item.text for row in found if may_merge(row)))


def plan_merges(rows: Rows, person: Handle, compartment: str, added: Sequence[str], measure: Measure) -> list[Pair]:
    """The pairs that a model should be asked about."""
    found = [found.row for found in items_in(rows, person, compartment)]
    return close_pairs(found, added, measure)[:MOST_MERGES]


def merge_items(pair: Pair, prompt: Prompt, model: str, mint: Mint, guarding: Guarding) -> Loop[Merged]:
    """Ask, keep the reply, decide. What was replied before and never decided from is not asked for again."""
    ask = _ask(pair, prompt, model)
    prompt_digest = digest(ask.system, ask.prompt)
    question = _replied(pair, "", failed_use(ask, prompt_digest))
    before = records_of((yield Find(lambda rows: kept_id(rows, question))))
    reply: Outcome | None = _kept(before)
    if reply is None:
        reply = yield ask
    if isinstance(reply, Failed):
        yield _fail(pair, reply.error, "", failed_use(ask, prompt_digest, reply.spent), mint)
        return Merged(worked=False, error=reply.error)
    assert isinstance(reply, Reply)
    use = use_of(ask, reply, prompt_digest)
    half = cut_short(reply)
    read = Unreadable(half) if half else read_merge(reply.text)
    if isinstance(read, Unreadable):
        yield _fail(pair, read.reason, reply.text, use, mint)
        return Merged(worked=False, error=read.reason)
    kept = _replied(pair, reply.text, use)
    compared = yield _compare(pair, read, kept)
    if isinstance(compared, Failed):
        yield unless_kept(kept, _fail(pair, compared.error, "", failed_use(ask, prompt_digest, reply), mint))
        return Merged(worked=False, error=compared.error)
    assert isinstance(compared, Compared)
    decision = _decide(pair, reply, use, mint, guarding, compared.measure)
    decided = [record.event for record in records_of((yield decision))]
    error = next((event.error for event in decided if isinstance(event, MergeFailed)), "")
    return Merged(any(isinstance(event, ItemMerged) for event in decided), error)


def _kept(found: Sequence[Record]) -> Reply | None:
    """The reply that stands in the log."""
    events = (record.event for record in found)
    return next((reply_of(each.reply, each.call) for each in events if isinstance(each, MergeReplied)), None)


def _compare(pair: Pair, read: MergeReply, kept: MergeReplied) -> Compare:
    """What the model made of both with what was taken back, where anything was."""
    owner = pair.older.item.owner

    def texts(rows: Rows) -> list[str]:
        forgotten = [found.row.text for found in forgotten_of(rows, owner)]
        return [*forgotten, read.text] if forgotten and read.text else []

    return Compare(texts, owner, partial(keep, event=kept))


def _decide(pair: Pair, reply: Reply, use: ModelUse, mint: Mint, guarding: Guarding, measure: Measure | None) -> Decide:
    work = WorkRequest(_worked(partial(MergeAnswered, reply=reply.text), pair, use), mint())
    older, newer = _use(pair.older), _use(pair.newer)
    request = MergeRequest(
        older, newer, reply.text, pair.reason, by_model(use), mint(), guarding=guarding, measure=measure
    )
    late = WorkRequest(_failed(pair, CHANGED, reply.text, use), mint())

    def decide(rows: Rows) -> list[Draft]:
        return record_work(rows, late) if overtaken(rows, request) else merge(rows, work, request)

    return Decide(decide)


def _ask(pair: Pair, prompt: Prompt, model: str) -> Ask:
    inputs = MergeInputs(pair.older.item.kind, _shown(pair.older), _shown(pair.newer))
    data = msgspec.json.encode(inputs).decode()
    return Ask("merge", model, prompt.name, prompt.text, data, inputs, AskedMerge, pair.older.item.owner)


def _shown(row: ItemRow) -> MergedItem:
    return MergedItem(row.item.text, tuple(each.quote for each in row.item.evidence if each.quote))


def _use(row: ItemRow) -> ItemUse:
    return ItemUse(row.item.owner, row.item.compartment, row.item.id, row.event)


def _upto(pair: Pair) -> Point:
    return Point(pair.newer.said, pair.newer.event)


def replied(pair: Pair, ask: Ask, reply: Reply) -> MergeReplied:
    """A reply of which nothing is decided yet."""
    return _replied(pair, reply.text, use_of(ask, reply, digest(ask.system, ask.prompt)))


def _replied(pair: Pair, text: str, use: ModelUse) -> MergeReplied:
    return _worked(partial(MergeReplied, reply=text), pair, use)


def _worked(made: Callable[..., T], pair: Pair, use: ModelUse) -> T:
    """An event of model work about a pair: `made` makes it of what all of them say."""
    both = (pair.older.event, pair.newer.event)
    return made(
        said=max(pair.older.said, pair.newer.said),
        by=by_model(use),
        causes=both,
        owner=pair.older.item.owner,
        compartment=pair.older.item.compartment,
        after=None,
        upto=_upto(pair),
        call=use,
        inputs=both,
        policy=VERSION,
    )


def _failed(pair: Pair, error: str, reply: str, use: ModelUse) -> MergeFailed:
    return _worked(partial(MergeFailed, error=error, reply=reply), pair, use)


def _fail(pair: Pair, error: str, reply: str, use: ModelUse, mint: Mint) -> Decide:
    event, origin = _failed(pair, error, reply, use), mint()
    return Decide(lambda rows: record_work(rows, WorkRequest(event, origin)))
