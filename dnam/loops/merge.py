"""Making one item of two that say nearly the same (seed 004 §8), after an extraction added or changed one of them.

The model sees such a pair and nothing else: what the two say, and the words of the person that they rest on. What it
replies is an event together with what comes of it; where it fails, both stand.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import msgspec

from dnam.loops.asked import Told, Work, asked
from dnam.loops.kept import giving_up, kept_id
from dnam.loops.loop import Decide, Failed, Find, Loop, Mint, by_model, failed_use, records_of, use_of
from dnam.model import Ask, MergedItem, MergeInputs, Reply
from dnam.prompts import Prompt, digest
from dnam.taken import reply_of
from projections.decisions.draft import Draft
from projections.decisions.merge import CHANGED, MergeRequest, merge, overtaken
from projections.decisions.work import WorkRequest, record_work
from projections.events import ItemMerged, MergeAnswered, MergeFailed, MergeReplied
from projections.events.values import ModelUse
from projections.fold import Record
from projections.ids import Handle, Point
from projections.items import ItemRow, forgotten_of, item_use, items_in
from projections.policies.closeness import VERSION, Measure, Pair, close_pairs, may_merge
from projections.policies.guards import Guarding
from projections.policies.merge_replies import MergeReply, read_merge
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


def merge_items(
    pair: Pair, prompt: Prompt, model: str, mint: Mint, guarding: Guarding, left: Iterable[MergeReplied] = ()
) -> Loop[Merged]:
    """Ask, keep the reply, decide. What was replied before and never decided from is not asked for again, where it was
    to this very question; what is `left` of others is on the bill, and nothing comes of it.
    """
    ask = _ask(pair, prompt, model)
    question = _replied(pair, "", failed_use(ask, digest(ask.system, ask.prompt)))
    before = records_of((yield Find(lambda rows: kept_id(rows, question))))
    for each in () if before else left:
        yield giving_up(each, mint())
    to_do = Work(read_merge, partial(_texts, pair), partial(_replied, pair), partial(_failed, pair))
    told = yield from asked(ask, to_do, mint, _kept(before))
    if isinstance(told, Failed):
        return Merged(worked=False, error=told.error)
    decision = _decide(pair, told, mint, guarding)
    decided = [record.event for record in records_of((yield decision))]
    error = next((event.error for event in decided if isinstance(event, MergeFailed)), "")
    return Merged(any(isinstance(event, ItemMerged) for event in decided), error)


def _kept(found: Sequence[Record]) -> Reply | None:
    """The reply that stands in the log."""
    events = (record.event for record in found)
    return next((reply_of(each.reply, each.call) for each in events if isinstance(each, MergeReplied)), None)


def _texts(pair: Pair, read: MergeReply, rows: Rows) -> list[str]:
    """What the model made of both with what was taken back, where anything was."""
    forgotten = [found.row.text for found in forgotten_of(rows, pair.older.item.owner)]
    return [*forgotten, read.text] if forgotten and read.text else []


def _decide(pair: Pair, told: Told[MergeReply], mint: Mint, guarding: Guarding) -> Decide:
    reply, use = told.reply, told.use
    work = WorkRequest(_worked(partial(MergeAnswered, reply=reply), pair, use), mint())
    older, newer = item_use(pair.older), item_use(pair.newer)
    request = MergeRequest(
        older, newer, reply, pair.reason, by_model(use), mint(), guarding=guarding, measure=told.measure
    )
    late = WorkRequest(_failed(pair, CHANGED, reply, use), mint())

    def decide(rows: Rows) -> list[Draft]:
        return record_work(rows, late) if overtaken(rows, request) else merge(rows, work, request)

    return Decide(decide)


def _ask(pair: Pair, prompt: Prompt, model: str) -> Ask:
    inputs = MergeInputs(pair.older.item.kind, _shown(pair.older), _shown(pair.newer))
    data = msgspec.json.encode(inputs).decode()
    return Ask("merge", model, prompt.name, prompt.text, data, inputs, AskedMerge, pair.older.item.owner)


def _shown(row: ItemRow) -> MergedItem:
    return MergedItem(row.item.text, tuple(each.quote for each in row.item.evidence if each.quote))


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
