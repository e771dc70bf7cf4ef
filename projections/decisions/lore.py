"""What an extraction says about a guild rather than about the person: lore, which belongs to nobody.

It lies where everybody could already read the words that it rests on, and it rests on such words: without a quote that
really stands in a message nothing becomes everybody's. What its speaker once took back is not let in by this door.

There is lore of guilds alone. In a restricted channel the model has read what is the person's own there, which the
others in it may not read, so what it says stays theirs; as it does in direct messages.
"""

from collections.abc import Sequence
from typing import NamedTuple

from projections.decisions.shelf import Shelf, causes_of, changed, joined, policy_by, rests_on
from projections.events import ItemRefused, ItemUpserted
from projections.events.values import About, By, Evidence, Item, Source
from projections.ids import NOBODY, EventId, Handle
from projections.items import ItemRow
from projections.policies import compartments, evidence, matching, refusals
from projections.policies.closeness import Measure
from projections.policies.evidence import InputMessage
from projections.policies.item_ids import derive, fresh_id
from projections.policies.matching import find_upsert
from projections.policies.refusals import Claim, Refusal, refusal, taken_back
from projections.policies.rephrasing import Rephrasing
from projections.policies.replies import DEFAULT_CONFIDENCE, DEFAULT_TYPE, UpsertEntry
from projections.rows import Rows

VERSION = "lore@1"
POLICY = " ".join([VERSION, *(each.VERSION for each in (matching, evidence, compartments))])
UNQUOTED = "it is about the guild, and no words of a message say so"


class Said(NamedTuple):
    """An entry about a guild: whose words it was read from and where, what of its quotes holds, and the messages shown.
    One `about` something else lies elsewhere: then what is refused of it is kept `refused_in` its speaker's own.

    `work` is the recorded reply, `said` when the last of all that the model had before it was said, in ms.
    """

    entry: UpsertEntry
    person: Handle
    compartment: str
    evidence: tuple[Evidence, ...]
    inputs: tuple[InputMessage, ...]
    by: By
    work: EventId
    said: int
    source: Source
    cap: int
    rephrasing: Rephrasing | None = None
    measure: Measure | None = None
    about: About = "guild"
    refused_in: str = ""


def add_lore(rows: Rows, shelf: Shelf, said: Said) -> None:
    """The entry as an item of nobody's on its shelf, new or confirmed; or why not."""
    entry = said.entry
    match = find_upsert(shelf.within([said.compartment]), "", entry.kind, entry.text)
    if match.row is not None and _is_known(match.row, said.evidence):
        return
    standing = _standing_against(rows, said, match.row)
    if standing is not None:
        shelf.record(_refused(said, standing))
        return
    item = _new(shelf, said) if match.row is None else _confirmed(match.row.item, said)
    event = ItemUpserted(
        said=max(said.said, match.row.said if match.row else said.said),
        by=said.by,
        causes=causes_of([said.work], rests_on(said.evidence), [match.row.event] if match.row else []),
        item=item,
        reason=match.reason,
        policy=POLICY,
    )
    shelf.add(event, said.cap)


def _is_known(row: ItemRow, found: Sequence[Evidence]) -> bool:
    return row.item.status == "active" and set(rests_on(found)) <= set(rests_on(row.item.evidence))


def _standing_against(rows: Rows, said: Said, row: ItemRow | None) -> Refusal | None:
    if not any(each.quote and each.message for each in said.evidence):
        return Refusal("", UNQUOTED)
    ids = frozenset({derive(said.entry.kind, said.entry.text), *([row.item.id] if row is not None else [])})
    claim = Claim(ids, said.entry.text, rests_on(said.evidence), said.entry.tags)
    return refusal(rows, taken_back(rows, said.person, said.compartment), claim, said.rephrasing, said.measure)


def _new(shelf: Shelf, said: Said) -> Item:
    entry, last = said.entry, max(each.said for each in said.inputs)
    return Item(
        id=fresh_id(entry.kind, entry.text, {row.item.id for row in shelf.within([said.compartment])}),
        owner=NOBODY,
        compartment=said.compartment,
        kind=entry.kind,
        text=entry.text,
        created=last,
        updated=last,
        source=said.source,
        type=entry.type or DEFAULT_TYPE,
        about=said.about,
        tags=entry.tags,
        confidence=DEFAULT_CONFIDENCE if entry.confidence is None else entry.confidence,
        evidence=said.evidence,
        valid_from=entry.valid_from,
        valid_until=entry.valid_until,
    )


def _confirmed(item: Item, said: Said) -> Item:
    """What it says stays: it was matched by its words, or by those that it had before somebody changed them."""
    return changed(
        item,
        max(each.said for each in said.inputs),
        status="active",
        source=item.source if item.kept else said.source,  # whose words were kept stays known
        evidence=joined(item.evidence, said.evidence),
        source_count=item.source_count + 1,
    )


def _refused(said: Said, standing: Refusal) -> ItemRefused:
    policy = VERSION if standing.reason == UNQUOTED else refusals.POLICY
    return ItemRefused(
        said=said.said,
        by=policy_by(policy),
        causes=causes_of([said.work], rests_on(said.evidence) or [each.id for each in said.inputs]),
        owner=said.person,
        compartment=said.refused_in or said.compartment,
        kind=said.entry.kind,
        text=said.entry.text,
        reason=standing.reason,
        policy=policy,
        evidence=said.evidence,
        against=standing.against,
    )
