"""What the answering model noted down at a person's word, applied again: no loop makes it once more.

noted             what is found there                  what becomes of it
───────────────   ──────────────────────────────────   ───────────────────────────────────────────────────────────────
no longer holds   what it means, as for a person       deprecated, and so is what else still says it
                  (`policies/meant`, `old_words`)
                  nothing active                       the recorded event comes over: the words are known as what holds
                                                       no more, and said before the note they do not come in
is so             what says it                         it rests on the note's words too
                  what the note changed: by an edit    it says so now
                  that this takes back, else by the
                  messages on which it had rested
                  nothing                              the recorded event comes over
follows them      what says it, where it was noted     it goes where it went

The item stays a model's: what is said later may change it, here as where it was noted. What its person takes back goes.
"""

import msgspec

from projections.decisions.moving import arrived, landing
from projections.decisions.reapplying import Reapplying
from projections.decisions.shelf import changed, joined
from projections.events import ItemDeprecated, ItemMoved, ItemUpserted
from projections.events.values import Item
from projections.ids import EventId
from projections.items import ItemRow
from projections.policies.item_ids import fresh_id
from projections.policies.matching import find_upsert
from projections.policies.meant import BY_SOURCES, Seen, find
from projections.policies.text import normalise

SAYS_THE_SAME = "it says the same"
SAID_IT = "it is what the note changed"
STILL_SAYS = "it still says what was put right"


def no_longer(act: Reapplying) -> None:
    """What the note put right is not so any more, in whatever words; but for what says what the note does."""
    notes = [each.item.text for each in act.request.together if isinstance(each, ItemUpserted)]
    said = {normalise(each) for each in notes}
    found = act.to_take(act.seen, "forgotten", "deprecated", "evicted", "merged")
    gone = [row for row in found.rows if normalise(row.item.text) not in said]
    for row in gone:
        act.apply(_deprecated(act, row, found.reason))
    for row in act.still_say(*notes):
        act.apply(_deprecated(act, row, STILL_SAYS))
    if not gone and find_upsert(act.here(), act.seen.id, act.seen.kind, act.seen.text).row is None:
        act.carry()


def _deprecated(act: Reapplying, row: ItemRow, how: str) -> ItemDeprecated:
    item = changed(row.item, act.at, status="deprecated")
    causes = act.known_causes() if row.item.compartment == act.seen.compartment else ()
    return act.made(ItemDeprecated, row, item, how, *causes)


def note(act: Reapplying) -> None:
    """What was noted is there, in the words of its person."""
    item = act.event.item
    here = act.here("forgotten")
    row, how = find_upsert(here, "", item.kind, item.text).row, SAYS_THE_SAME
    if row is None or row.item.status != "active":
        was = _changed(act, here)
        row, how = was or row, SAID_IT if was else how
    row = row or next((each for each in here if each.item.id == item.id), None)
    whole = _new(act) if row is None else _noted(act, row)
    if row is None or whole != row.item:
        room = row is None or row.item.status != "active"
        act.apply(act.made(ItemUpserted, row, whole, how, *act.known_causes()), room=room)


def _changed(act: Reapplying, here: list[ItemRow]) -> ItemRow | None:
    """What the note changed: it comes of that, or said this before a person put it right; else it rests on what that
    had rested on.
    """
    if act.event.item.source_count < 2:
        return None
    known, says = frozenset(act.event.causes), normalise(act.event.item.text)
    active = [row for row in here if row.item.status == "active"]
    known_by = (row for row in active if row.event in known or _said_before(row) == says)
    return next(known_by, None) or next(iter(find(active, _before(act), (BY_SOURCES,)).rows), None)


def _said_before(row: ItemRow) -> str:
    """What an item said before a person put it right; empty where none did."""
    intent = row.intent
    if intent is None or intent.saw is None or intent.action != "edit":
        return ""
    return normalise(intent.saw.text)


def _before(act: Reapplying) -> Seen:
    """On which messages the item had rested that the note changed."""
    item, new = act.event.item, act.new_evidence()
    old = frozenset(each.message for each in item.evidence if each.message and each not in new)
    return act.seen._replace(text=item.text, messages=old)


def _new(act: Reapplying) -> Item:
    """The item as it was noted, as far as it says so itself where it had been another one before; what it took the
    place of is what made way for it here.
    """
    item = act.event.item
    taken = {row.item.id for row in act.here()}
    item_id = item.id if item.id not in taken else fresh_id(item.kind, item.text, taken)
    return msgspec.structs.replace(item, id=item_id, supersedes=_superseded(act))


def _noted(act: Reapplying, row: ItemRow) -> Item:
    item = act.event.item
    return changed(
        row.item,
        act.at,
        text=row.item.text if normalise(row.item.text) == normalise(item.text) else item.text,
        status="active",
        type=item.type,
        about=item.about,
        tags=item.tags or row.item.tags,
        confidence=item.confidence,
        source=item.source,
        evidence=joined(row.item.evidence, act.new_evidence()),
        source_count=row.item.source_count + 1,
        supersedes=tuple(dict.fromkeys((*row.item.supersedes, *_superseded(act)))),
    )


def _superseded(act: Reapplying) -> tuple[str, ...]:
    """The items that made way for the note here, by the words in which it says so."""
    why = {each.reason for each in act.request.together if isinstance(each, ItemDeprecated)}
    gone = (row for row in act.here() if row.tag == ItemDeprecated.TAG)
    return tuple(row.item.id for row in gone if any(row.reason.startswith(each) for each in why))


def follow(act: Reapplying) -> None:
    """What was noted follows its person, as it did where it was noted."""
    event, to = act.event, act.event.item.compartment
    assert isinstance(event, ItemMoved)
    row = find_upsert(act.here("forgotten"), "", event.item.kind, event.item.text).row
    if row is None or row.item.status != "active":
        return
    moving, there, _ = landing(act.shelf, row.item, to)
    causes: list[EventId] = [] if there is None else [there.event]
    item = arrived(moving, there, to, act.at)
    where = {"from_compartment": row.item.compartment, "from_id": row.item.id}
    act.apply(act.made(ItemMoved, row, item, SAYS_THE_SAME, *causes, **where))
