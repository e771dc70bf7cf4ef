"""Two items that are close become one (seed 004 §8): from the recorded reply of a model to an item, or to none.

    merged        the older item keeps its id and says what the model made of both; the newer one is absorbed
    apart         the model says that they are about different things: both stand
    refused       a person forgot what the new text says, or a guard holds it: both stand
    failed        one of them changed while the model was thinking, or the reply cannot be read: both stand

Where the two disagree, the newer holds: the prompt says so, and its confidence, its dates and its source count. The
sources of both are kept and counted together, and the absorbed item stays whole, so that a person can take the two
apart again (`remember.restore`).
"""

from typing import NamedTuple

import msgspec

from projections.decisions.draft import MOST_EVENTS, Draft, Origin, decided_before
from projections.decisions.shelf import Shelf, causes_of, changed, joined, policy_by, rests_on, said_of
from projections.decisions.work import WorkRequest, record_work
from projections.events import ItemMerged, ItemRefused
from projections.events.values import By, Item, ItemUse
from projections.ids import EventId, Handle
from projections.items import ITEMS, ItemRow, forgotten_of, item_key
from projections.policies import closeness, guards, item_ids, merge_replies, refusals
from projections.policies import text as texts
from projections.policies.closeness import Measure
from projections.policies.guards import Guarding, held_text
from projections.policies.item_ids import derive
from projections.policies.kinds import MOST_TAGS
from projections.policies.merge_replies import MergeReply, read_merge
from projections.policies.refusals import Claim, Refusal, refusal
from projections.policies.replies import Unreadable
from projections.policies.text import normalise
from projections.rows import Rows

VERSION = "merge@1"
POLICY = " ".join([VERSION, *(each.VERSION for each in (closeness, merge_replies, item_ids, texts)), guards.OF_MERGES])
Standing = tuple[Refusal, str]
"""Why not, and by which policy."""
CHANGED = "one of the two was changed while the model was thinking"


class MergeRequest(NamedTuple):
    """A reply about two items, named with the events that had made them when the model saw them; `reason` says why they
    are close. `work` is its `merge.answered` (`merge` fills it in), `guarding` what the guards know of the language.
    `measure` is by an encoder's vectors of the new text and of what was taken back, where there is an encoder.
    """

    older: ItemUse
    newer: ItemUse
    reply: str
    reason: str
    by: By
    origin: Origin
    work: EventId = EventId(b"")
    guarding: Guarding = Guarding()
    measure: Measure | None = None

    @property
    def owner(self) -> Handle:
        """Whose they are."""
        return self.older.owner


def merge(rows: Rows, work: WorkRequest, request: MergeRequest) -> list[Draft]:
    """The reply, and behind it what it leads to: one decision, so that a crash keeps both or neither."""
    answered = record_work(rows, work)
    return [*answered, *_become_one(rows, request._replace(work=answered[0].id))] if answered else []


def overtaken(rows: Rows, request: MergeRequest) -> bool:
    """Whether one of the two is no longer as the model saw it: then nothing is decided from its reply."""
    return any(_row(rows, use) is None for use in (request.older, request.newer))


def _row(rows: Rows, use: ItemUse) -> ItemRow | None:
    """The item as the model saw it, if it still is so."""
    row = rows.get(ITEMS, item_key(use.owner, use.compartment, use.id))
    return row if row is not None and row.event == use.event and row.item.status == "active" else None


def _become_one(rows: Rows, request: MergeRequest) -> list[Draft]:
    older, newer = _row(rows, request.older), _row(rows, request.newer)
    reply = read_merge(request.reply)
    if older is None or newer is None or decided_before(rows, request.origin):
        return []
    if isinstance(reply, Unreadable) or not reply.text:
        return []
    shelf = Shelf(rows, request.origin, request.owner, MOST_EVENTS - 1)
    item = merged(older.item, newer.item, reply)
    causes = causes_of([request.work, older.event, newer.event], said_of(rows, item))
    said = max(older.said, newer.said)
    standing = _held(item, request.guarding) or _standing_against(rows, item, request)
    if standing is None:
        shelf.put(_merged(request, said, causes, item, newer.item))
    else:
        shelf.record(_refused(said, causes, item, standing))
    return shelf.drafts


def merged(older: Item, newer: Item, reply: MergeReply) -> Item:
    """The older item with what the model made of both."""
    return changed(
        older,
        newer.updated,
        text=older.text if normalise(older.text) == normalise(reply.text) else reply.text,
        tags=tuple(dict.fromkeys((*newer.tags, *older.tags)))[:MOST_TAGS],
        confidence=newer.confidence if reply.confidence is None else reply.confidence,
        evidence=joined(older.evidence, newer.evidence),
        source=newer.source,
        source_count=older.source_count + newer.source_count,
        supersedes=tuple(dict.fromkeys((*older.supersedes, *newer.supersedes, newer.id))),
        valid_from=older.valid_from if newer.valid_from is None else newer.valid_from,
        valid_until=newer.valid_until,
        kept=older.kept or newer.kept,
    )


def _held(item: Item, guarding: Guarding) -> Standing | None:
    """What a guard says against the new text."""
    verdict = held_text(item.text, guarding)
    return None if verdict is None else (Refusal("", verdict.reason), verdict.policy)


def _standing_against(rows: Rows, item: Item, request: MergeRequest) -> Standing | None:
    """What a person forgot and the new text would say again."""
    forgotten = [found.row for found in forgotten_of(rows, item.owner)]
    ids = frozenset({derive(item.kind, item.text)})
    claim = Claim(ids, item.text, rests_on(item.evidence), item.tags)
    found = refusal(rows, forgotten, claim, request.guarding.rephrasing, request.measure)
    return None if found is None else (found, refusals.POLICY)


def _merged(request: MergeRequest, said: int, causes: tuple[EventId, ...], item: Item, absorbed: Item) -> ItemMerged:
    return ItemMerged(
        said=said,
        by=request.by,
        causes=causes,
        item=item,
        reason=request.reason,
        policy=POLICY,
        absorbed=(msgspec.structs.replace(absorbed, status="merged"),),
    )


def _refused(said: int, causes: tuple[EventId, ...], item: Item, standing: Standing) -> ItemRefused:
    against, policy = standing
    return ItemRefused(
        said=said,
        by=policy_by(policy),
        causes=causes,
        owner=item.owner,
        compartment=item.compartment,
        kind=item.kind,
        text=item.text,
        reason=against.reason,
        policy=policy,
        evidence=item.evidence,
        against=against.against,
    )
