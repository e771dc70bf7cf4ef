"""What comes of an extraction: from the recorded reply of a model to items, one entry at a time.

    upsert        refused        a guard holds it: `policies/guards.py`
                  lore           it is about the guild: an item of nobody's (`lore`)
                  refused        what a person forgot says it, by id, by text, by closeness or by evidence
                  refused        what is there was said later, or a person changed it meanwhile
                  nothing        the item says this already
                  item.upserted  changed, revived or new; what it supersedes goes before, what makes room after
                  item.moved     it follows its person everywhere: the model and the policy `promotion` agree
    deprecation   refused        as above
                  item.deprecated, or nothing when it means no active item

Upserts come first, and what they touched is out of the deprecations' reach, by words and by id: a model that says "no
longer Paris, now Rome" must not lose Rome because both sentences read alike. Another item, of whatever words, goes when
its id is named.

An event is `said` as late as the latest of its causes. What is newer goes by the messages alone, and stands in the
item's `updated`.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from projections.decisions.draft import MOST_EVENTS, Draft, Origin, decided_before
from projections.decisions.entries import adds, claimed_ids, fields_said, is_news
from projections.decisions.guarded import Guarded, dropped_words, shown_text
from projections.decisions.lore import Said, add_lore
from projections.decisions.moving import promoted
from projections.decisions.narrowed import NARROWED, is_narrowed
from projections.decisions.overtaken import OVERTAKEN, given_up, is_overtaken
from projections.decisions.rereading import Rereading
from projections.decisions.shelf import Shelf, causes_of, changed, joined, policy_by, rests_on
from projections.decisions.work import WorkRequest, record_reply, record_work
from projections.events import (
    ExtractionAnswered,
    ItemDeprecated,
    ItemEvent,
    ItemRefused,
    ItemUpserted,
)
from projections.events.values import By, Evidence, Item, ItemUse, Source
from projections.ids import DISCORD, NOBODY, EventId, Handle
from projections.items import ItemRow, forgotten_of
from projections.policies import (
    compartments,
    guards,
    item_ids,
    kinds,
    matching,
    precedence,
    promotion,
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
from projections.policies.closeness import Measure
from projections.policies.compartments import direct
from projections.policies.evidence import InputMessage, check, find_named
from projections.policies.guards import Guarding
from projections.policies.item_ids import fresh_id
from projections.policies.matching import Match, find_meant, find_upsert, to_reword
from projections.policies.precedence import outranked
from projections.policies.promotion import NO_WORDS, Claimed, SharingWords, promote
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
from projections.remembered import of_people
from projections.rows import Rows

VERSION = "extraction@1"
DEPRECATION_POLICY = " ".join([VERSION, *(each.VERSION for each in (replies, matching, texts))])
UPSERT_POLICY = " ".join(
    [
        DEPRECATION_POLICY,
        *(each.VERSION for each in (item_ids, evidence_policy, kinds, compartments, promotion)),
        guards.VERSIONS,
    ]
)
MOST = MOST_EVENTS - 2
"""One is kept for the reply itself, one for saying that it led to more."""


class ExtractionRequest(NamedTuple):
    """A reply to decide from. `work` is its `extraction.answered` (`learn` fills it in), which was `said` then; `by` is
    the model with its version.

    `shown` are the items that the model had before it, with the events that had made them. `sharing` is what the
    language knows of what may follow somebody everywhere, `guarding` what the guards know of it. `measure` is by an
    encoder's vectors of what the reply says and of what was taken back, where there is an encoder.
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
    sharing: SharingWords = NO_WORDS
    guarding: Guarding = Guarding()
    measure: Measure | None = None


@of_people
@lru_cache(maxsize=4)
def read_reply(reply: str) -> ExtractionReply | Unreadable:
    """What a reply says, entry by entry, or why it cannot be read: then the loop records `extraction.failed`. The loop
    asks, and the decision behind it asks again.
    """
    return read_extraction(reply)


def learn(rows: Rows, work: WorkRequest, request: ExtractionRequest) -> list[Draft]:
    """The reply, and behind it all that it leads to: one decision, so that a crash keeps both or neither. A reply that
    was kept alone would count as read, and what it says would never be learned.

    Where fewer people can read by now what the model was shown, or some of it was taken back, nothing comes of it but
    what it took.
    """
    if isinstance(work.event, ExtractionAnswered) and is_overtaken(rows, work.event.causes):
        return record_work(rows, work._replace(event=given_up(work.event, OVERTAKEN)))
    if isinstance(work.event, ExtractionAnswered) and is_narrowed(rows, request.compartment, request.inputs):
        return record_work(rows, work._replace(event=given_up(work.event, NARROWED)))
    answered = record_reply(rows, work)
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
        self._nobodys: Shelf | None = None
        self._rereading = Rereading(rows, request.inputs)
        self._rereading.begin(self._shelf)
        self._guarded = Guarded(request.inputs, request.guarding)
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
                return self._shelf.drafts
        if reply.dropped:
            self._refuse("", "", (), (Refusal("", dropped_words(reply.dropped)), replies.VERSION))
        self._rereading.end(self._shelf, self._said, self._nobodys)
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

    def _here(self) -> tuple[ItemRow, ...]:
        return self._shelf.within([self._request.compartment])

    def _causes(self, evidence: Sequence[Evidence], *more: EventId) -> tuple[EventId, ...]:
        return causes_of([self._request.work], rests_on(evidence) or [each.id for each in self._request.inputs], more)

    # Upserts

    def _upsert(self, entry: UpsertEntry) -> None:
        evidence = self._evidence(entry)
        held = self._guarded.verdict(entry, evidence)
        if held is not None:
            self._refuse(entry.kind, shown_text(entry.text), evidence, (Refusal("", held.reason), held.policy))
            return
        if entry.about == "guild" and self._request.compartment.startswith("guild/"):
            add_lore(self._rows, self._lore(), self._about_guild(entry, evidence))
            return
        match = find_upsert(self._here(), entry.id, entry.kind, entry.text)
        if match.row is not None and not (is_news(match.row.item, entry) or adds(match.row.item, evidence)):
            return
        standing = self._standing_against(entry, match, evidence)
        if standing is not None:
            self._refuse(entry.kind, entry.text, evidence, standing)
            return
        match = to_reword(self._here(), match, entry.id, entry.kind, entry.text)
        item = self._new(entry, evidence) if match.row is None else self._changed(match.row.item, entry, evidence)
        for row in self._superseded(entry, item):
            if self._drop(row, f"superseded by {item.id}"):
                item = msgspec.structs.replace(item, supersedes=(*item.supersedes, row.item.id))
        verdict = promote(self._claimed(entry, item), self._request.sharing)
        reason = (
            f"{match.reason}; kept here: {verdict.reason}" if entry.shareable and not verdict.shared else match.reason
        )
        self._shelf.add(self._upserted(item, match, evidence, reason), self._request.cap)
        if verdict.shared:
            self._shelf.put(promoted(self._shelf, self._shelf.at(item), verdict))

    def _claimed(self, entry: UpsertEntry, item: Item) -> Claimed:
        private = (row.item for row in self._shelf.within([direct(item.owner)]))
        return Claimed(item, entry.shareable, entry.confidence, [each.text for each in private])

    def _lore(self) -> Shelf:
        """What belongs to nobody; read when it is first asked for."""
        if self._nobodys is None:
            self._nobodys = Shelf(self._rows, self._request.origin, NOBODY, MOST, beside=self._shelf)
            self._rereading.begin(self._nobodys)
        return self._nobodys

    def _about_guild(self, entry: UpsertEntry, evidence: tuple[Evidence, ...]) -> Said:
        request = self._request
        return Said(
            entry=entry,
            person=request.owner,
            compartment=request.compartment,
            evidence=evidence,
            inputs=request.inputs,
            by=request.by,
            work=request.work,
            said=self._said,
            source=self._source(evidence),
            cap=request.cap,
            rephrasing=request.guarding.rephrasing,
            measure=request.measure,
        )

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
        ids = claimed_ids(entry, match, self._here())
        claim = Claim(ids, entry.text, messages, entry.tags)
        known, measure = self._request.guarding.rephrasing, self._request.measure
        refused = refusal(self._rows, self._forgotten, claim, known, measure)
        if refused is not None:
            return refused, refusals.POLICY
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
            **fields_said(item, entry),
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
        known = message.ref.platform == DISCORD
        return Source("discord" if known else "model", message.place, message.ref, message.guild)

    def _upserted(self, item: Item, match: Match, evidence: Sequence[Evidence], reason: str) -> ItemUpserted:
        return ItemUpserted(
            said=max(self._said, match.row.said if match.row else self._said),
            by=self._request.by,
            causes=self._causes(evidence, *([match.row.event] if match.row else [])),
            item=item,
            reason=reason,
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
