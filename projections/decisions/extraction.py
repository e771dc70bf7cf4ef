"""What comes of an extraction: from the recorded reply of a model to items, one entry at a time.

    upsert        refused        what a person forgot says it, by id, by text or by evidence
                  refused        what is there was said later, or a person changed it meanwhile
                  nothing        the item says this already
                  item.upserted  changed, revived or new; what it supersedes goes before, what makes room after
    deprecation   refused        as above
                  item.deprecated, or nothing when it means no active item

Upserts come first, and what they touched is out of the deprecations' reach, by words and by id: a model that says "no
longer Paris, now Rome" must not lose Rome because both sentences read alike. Another item, of whatever words, goes when
its id is named.

An event is `said` as late as the latest of its causes. What is newer goes by the messages alone, and stands in the
item's `updated`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from projections.decisions.draft import MOST_EVENTS, Draft, Origin, decided_before
from projections.decisions.shelf import Shelf, causes_of, changed, joined, policy_by, rests_on
from projections.decisions.work import WorkRequest, record_work
from projections.events import ItemDeprecated, ItemEvent, ItemRefused, ItemUpserted
from projections.events.values import By, Evidence, Item, ItemUse, Source
from projections.ids import EventId, Handle
from projections.items import ItemRow, forgotten_of
from projections.policies import (
    compartments,
    item_ids,
    kinds,
    matching,
    precedence,
    refusals,
    replies,
)
from projections.policies import (
    evidence as evidence_policy,
)
from projections.policies import (
    text as texts,
)
from projections.policies.capacity import address
from projections.policies.evidence import InputMessage, check, find_named
from projections.policies.item_ids import derive, fresh_id
from projections.policies.matching import Match, find_meant, find_upsert
from projections.policies.precedence import outranked
from projections.policies.refusals import Claim, Refusal, refusal
from projections.policies.replies import (
    DEFAULT_CONFIDENCE,
    DEFAULT_TYPE,
    DeprecationEntry,
    ExtractionReply,
    Unreadable,
    UpsertEntry,
    read_extraction,
)
from projections.policies.text import normalise
from projections.rows import Rows

VERSION = "extraction@1"
DEPRECATION_POLICY = " ".join([VERSION, *(each.VERSION for each in (replies, matching, texts))])
UPSERT_POLICY = " ".join(
    [DEPRECATION_POLICY, *(each.VERSION for each in (item_ids, evidence_policy, kinds, compartments))]
)
MOST = MOST_EVENTS - 2
"""One is kept for the reply itself, one for saying that it led to more."""


class ExtractionRequest(NamedTuple):
    """A reply to decide from. `work` is its `extraction.answered` (`learn` fills it in), which was `said` then; `by` is
    the model with its version.

    `shown` are the items that the model had before it, with the events that had made them.
    """

    owner: Handle
    compartment: str
    reply: str
    inputs: tuple[InputMessage, ...]
    by: By
    origin: Origin
    shown: tuple[ItemUse, ...] = ()
    cap: int = 200
    said: int = 0
    work: EventId = EventId(b"")


def read_reply(reply: str) -> ExtractionReply | Unreadable:
    """What a reply says, entry by entry, or why it cannot be read: then the loop records `extraction.failed`."""
    return read_extraction(reply)


def learn(rows: Rows, work: WorkRequest, request: ExtractionRequest) -> list[Draft]:
    """The reply, and behind it all that it leads to: one decision, so that a crash keeps both or neither. A reply that
    was kept alone would count as read, and what it says would never be learned.
    """
    answered = record_work(rows, work)
    return [*answered, *extract(rows, request._replace(work=answered[0].id))] if answered else []


def extract(rows: Rows, request: ExtractionRequest) -> list[Draft]:
    """Every event that the reply leads to; none when it cannot be read, or was decided from already."""
    reply = read_reply(request.reply)
    if isinstance(reply, Unreadable) or not request.inputs or decided_before(rows, request.origin):
        return []
    return _Extraction(rows, request).run(reply)


class _Extraction:
    """One reply on its way into the items."""

    def __init__(self, rows: Rows, request: ExtractionRequest) -> None:
        self._rows = rows
        self._request = request
        self._shelf = Shelf(rows, request.origin, request.owner, MOST)
        self._forgotten = [found.row for found in forgotten_of(rows, request.owner)]
        self._shown = {(use.compartment, use.id): use.event for use in request.shown}
        self._read = max(each.said for each in request.inputs)
        """When the last of the messages was said."""
        self._said = max(request.said, self._read)
        """When the last of all that the model had before it was said."""

    def run(self, reply: ExtractionReply) -> list[Draft]:
        entries: list[UpsertEntry | DeprecationEntry] = [*reply.upserts, *reply.deprecations]
        for number, entry in enumerate(entries):
            before = self._shelf.mark()
            self._take(entry)
            if len(self._shelf.drafts) > MOST:
                self._shelf.undo(before)
                self._leave_out(entries[number:])
                break
        return self._shelf.drafts

    def _take(self, entry: UpsertEntry | DeprecationEntry) -> None:
        if isinstance(entry, UpsertEntry):
            self._upsert(entry)
        else:
            self._deprecate(entry)

    def _leave_out(self, entries: Sequence[UpsertEntry | DeprecationEntry]) -> None:
        """Say what was left out, from the end: whole entries, so that nothing goes without what takes its place."""
        first = entries[0]
        kind, words = (first.kind, first.text) if isinstance(first, UpsertEntry) else ("", first.match_text or first.id)
        reason = (
            f"{len(entries)} entries from this one on were left out: one reply leads to {MOST_EVENTS} events at most"
        )
        self._refuse(kind, words, (), (Refusal("", reason), VERSION))

    def _here(self) -> list[ItemRow]:
        return self._shelf.within([self._request.compartment])

    def _causes(self, evidence: Sequence[Evidence], *more: EventId) -> tuple[EventId, ...]:
        return causes_of([self._request.work], rests_on(evidence) or [each.id for each in self._request.inputs], more)

    # Upserts

    def _upsert(self, entry: UpsertEntry) -> None:
        evidence = self._evidence(entry)
        match = find_upsert(self._here(), entry.id, entry.kind, entry.text)
        if match.row is not None and not (_is_news(match.row.item, entry) or _adds(match.row.item, evidence)):
            return
        standing = self._standing_against(entry, match, evidence)
        if standing is not None:
            self._refuse(entry.kind, entry.text, evidence, standing)
            return
        item = self._new(entry, evidence) if match.row is None else self._changed(match.row.item, entry, evidence)
        for row in self._superseded(entry, item):
            if self._drop(row, f"superseded by {item.id}"):
                item = msgspec.structs.replace(item, supersedes=(*item.supersedes, row.item.id))
        self._shelf.add(self._upserted(item, match, evidence), self._request.cap)

    def _evidence(self, entry: UpsertEntry) -> tuple[Evidence, ...]:
        """What holds of its quotes; a message that it only names as its source counts without words."""
        found = check(entry.evidence, self._request.inputs)
        source = find_named(entry.source, self._request.inputs)
        if found or source is None:
            return found
        return (Evidence("", source.id, source.ref),)

    def _standing_against(
        self, entry: UpsertEntry, match: Match, evidence: Sequence[Evidence]
    ) -> tuple[Refusal, str] | None:
        messages = rests_on(evidence) or tuple(each.id for each in self._request.inputs)
        ids = _claimed(entry, match, self._here())
        refused = refusal(self._rows, self._forgotten, Claim(ids, entry.text, messages))
        if refused is not None:
            return refused, refusals.VERSION
        return None if match.row is None else self._outranked(match.row)

    def _outranked(self, row: ItemRow) -> tuple[Refusal, str] | None:
        reason = outranked(row, self._read, self._shown.get(address(row.item)))
        return (Refusal(row.item.id, reason), precedence.VERSION) if reason else None

    def _new(self, entry: UpsertEntry, evidence: tuple[Evidence, ...]) -> Item:
        return Item(
            id=fresh_id(entry.kind, entry.text, {row.item.id for row in self._here()}),
            owner=self._request.owner,
            compartment=self._request.compartment,
            kind=entry.kind,
            text=entry.text,
            created=self._read,
            updated=self._read,
            source=self._source(evidence),
            type=entry.type or DEFAULT_TYPE,
            about=entry.about or "person",
            tags=entry.tags,
            confidence=DEFAULT_CONFIDENCE if entry.confidence is None else entry.confidence,
            evidence=evidence,
            valid_from=entry.valid_from,
            valid_until=entry.valid_until,
        )

    def _changed(self, item: Item, entry: UpsertEntry, evidence: tuple[Evidence, ...]) -> Item:
        """The item with what the model said of it. Kind and id stay: they are what it is known by."""
        return changed(
            item,
            self._read,
            **_fields(item, entry),
            status="active",
            source=self._source(evidence),
            evidence=joined(item.evidence, evidence),
            source_count=item.source_count + 1,
        )

    def _source(self, evidence: Sequence[Evidence]) -> Source:
        """The message it rests on first; without evidence the last one that the model was shown."""
        first = next(iter(rests_on(evidence)), None)
        inputs = self._request.inputs
        message = next((each for each in inputs if each.id == first), max(inputs, key=lambda each: each.said))
        known = message.ref.platform == "discord"
        return Source("discord" if known else "model", message.place, message.ref, message.guild)

    def _upserted(self, item: Item, match: Match, evidence: Sequence[Evidence]) -> ItemUpserted:
        return ItemUpserted(
            said=max(self._said, match.row.said if match.row else self._said),
            by=self._request.by,
            causes=self._causes(evidence, *([match.row.event] if match.row else [])),
            item=item,
            reason=match.reason,
            policy=UPSERT_POLICY,
        )

    # What no longer holds

    def _deprecate(self, entry: DeprecationEntry) -> None:
        for row in find_meant(self._open(), entry.id, entry.match_text).rows:
            self._drop(row, entry.reason or "the model says that this no longer holds")

    def _superseded(self, entry: UpsertEntry, item: Item) -> list[ItemRow]:
        """The active items that this one replaces, named by their ids or their words."""
        others = [row for row in self._open() if row.item.id != item.id]
        named = [row for name in entry.supersedes for row in others if row.item.id == name]
        meant = [row for name in entry.supersedes for row in find_meant(others, "", name).rows]
        return list({row.item.id: row for row in (*named, *meant)}.values())

    def _open(self) -> list[ItemRow]:
        """Active items that this reply has not touched yet."""
        return [
            row for row in self._here() if row.item.status == "active" and address(row.item) not in self._shelf.touched
        ]

    def _drop(self, row: ItemRow, reason: str) -> bool:
        """Deprecate an item, or say why not; whether it went."""
        standing = self._outranked(row)
        if standing is not None:
            self._refuse(row.item.kind, row.item.text, (), standing)
            return False
        self._shelf.put(self._deprecated(row, reason))
        return True

    def _deprecated(self, row: ItemRow, reason: str) -> ItemEvent:
        return ItemDeprecated(
            said=max(self._said, row.said),
            by=self._request.by,
            causes=self._causes((), row.event),
            item=changed(row.item, self._read, status="deprecated"),
            reason=reason,
            policy=DEPRECATION_POLICY,
        )

    def _refuse(self, kind: str, text: str, evidence: tuple[Evidence, ...], standing: tuple[Refusal, str]) -> None:
        (against, reason), policy = standing
        self._shelf.record(
            ItemRefused(
                said=self._said,
                by=policy_by(policy),
                causes=self._causes(evidence),
                owner=self._request.owner,
                compartment=self._request.compartment,
                kind=kind,
                text=text,
                reason=reason,
                policy=policy,
                evidence=evidence,
                against=against,
            )
        )


def _claimed(entry: UpsertEntry, match: Match, here: Sequence[ItemRow]) -> frozenset[str]:
    """The ids under which this would be remembered: that of the item it changes, or of what that was merged into, and
    that of its own words.
    """
    row = match.row
    old = [] if row is None or row.item.status == "active" else [row.item.id]
    whole = [each.item.id for each in here if row is not None and _absorbed(each.item, row.item)]
    return frozenset({derive(entry.kind, entry.text), *old, *whole})


def _absorbed(item: Item, other: Item) -> bool:
    return other.status == "merged" and other.id in item.supersedes


def _fields(item: Item, entry: UpsertEntry) -> dict[str, object]:
    """The fields that the entry speaks of; where it is silent, the item keeps what it has."""
    said = {
        "text": item.text if normalise(item.text) == normalise(entry.text) else entry.text,
        "tags": entry.tags or None,
        "type": entry.type,
        "about": entry.about,
        "confidence": entry.confidence,
        "valid_from": entry.valid_from,
        "valid_until": entry.valid_until,
    }
    return {name: value for name, value in said.items() if value is not None}


def _is_news(item: Item, entry: UpsertEntry) -> bool:
    """Whether the entry would change what the item says, or revive it."""
    return item.status != "active" or any(getattr(item, name) != value for name, value in _fields(item, entry).items())


def _adds(item: Item, evidence: Sequence[Evidence]) -> bool:
    """Whether it was said in a message that the item does not rest on yet: then it was confirmed."""
    return not set(rests_on(evidence)) <= set(rests_on(item.evidence))
