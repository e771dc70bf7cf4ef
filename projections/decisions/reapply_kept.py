"""What a person keeps, applied again: it is there afterwards, in the compartment where they kept it, in their words.

act          what is found there                    what becomes of it
──────────   ────────────────────────────────────   ──────────────────────────────────────────────────────────
remember     what says it, or has its id            it says so, and is kept
edit         what says the new text, else what      it says the new text; what else says the old one, here or
             they saw                               elsewhere, is forgotten
             nothing here that they saw             besides, the old text stands as a refusal
restore      what was forgotten by the same act,    it is active again
             wherever; else what they saw
taken apart  what both had become                   it says what it said before; nothing where there is none
share        what they saw                          it makes way for the item as they shared it
an import    another item with the very same text   it stands, and nothing comes in; nor does what was forgotten
any          nothing                                the recorded event comes over
"""

from collections.abc import Iterable

import msgspec

from projections.decisions.moving import arrived
from projections.decisions.reapplying import Reapplying
from projections.decisions.remember import RESTORABLE, RememberRequest, again, returns_of
from projections.decisions.shelf import changed, joined, rests_on
from projections.events import ItemForgotten, ItemMoved, ItemRedacted, ItemRemembered, ItemRestored, ItemUpserted
from projections.events.values import Evidence, Item
from projections.ids import EventId
from projections.items import FORGOTTEN, QUIET, ItemRow, forgotten_key, forgotten_of
from projections.policies.by_people import is_by_people
from projections.policies.item_ids import fresh_id
from projections.policies.matching import find_upsert
from projections.policies.meant import BY_WORDS, find, says_seen
from projections.policies.refusals import Claim, refusal
from projections.policies.text import normalise

SAYS_THE_SAME = "it says the same"
BESIDE = "what has its id was taken back, and says something else"
SAYS_IT = "it says this already"
LIES_THERE = "what says the same, or has its id, lies there already"
WENT_WITH_IT = "it had been taken back together with it"


def remember(act: Reapplying) -> None:
    """The text is there, and kept."""
    item, here = act.event.item, act.here()
    row = find_upsert(here, "", item.kind, item.text).row or find_upsert(here, item.id, item.kind, item.text).row
    if row is None or (isinstance(act.event, ItemRedacted) and (row.item.id == item.id or item.status != "active")):
        act.carry(room=item.status == "active")
        return
    says_so = normalise(row.item.text) == normalise(item.text)
    whole, brought = again(row.item, _asked_again(act), item.text), rests_on(act.new_evidence())
    how, back = SAYS_THE_SAME if says_so else "found by its id", _returns(act, row)
    made = act.made(ItemRemembered, row, whole, how, *brought, returns=back)
    if row.item.status == "forgotten" and not says_so and not act.says_the_same(made):
        taken = {each.item.id for each in here}
        whole = msgspec.structs.replace(item, id=fresh_id(item.kind, item.text, taken), evidence=act.new_evidence())
        made = msgspec.structs.replace(made, item=whole, causes=brought, returns=(), reason=f"{act.why()}; {BESIDE}")
    act.apply(made, room=True)


def _asked_again(act: Reapplying) -> RememberRequest:
    item = act.event.item
    return RememberRequest(
        owner=item.owner,
        compartment=item.compartment,
        text=item.text,
        by=act.event.by,
        said=act.at,
        source=item.source,
        origin=act.request.origin,
        kind=item.kind,
        evidence=act.new_evidence(),
        tags=item.tags,
        about=item.about,
    )


def edit(act: Reapplying) -> None:
    """The new text is there, and kept; what else says the old one is not."""
    found = act.to_take(act.seen, "forgotten")
    old = next((row for row in found.rows if row.item.compartment == act.seen.compartment), None)
    target = _target(act, old)
    if target is None:
        because = act.carry(room=True).id
    else:
        how = found.reason if target == old else SAYS_IT
        act.apply(_edited(act, target, how), room=target.item.status != "active")
        because = act.shelf.at(target.item).event
    wrong = [row for row in found.rows if row != target]
    act.replace(wrong, found.reason)
    if old is None and not _means_the_same(act):
        act.refuse(because)


def _target(act: Reapplying, old: ItemRow | None) -> ItemRow | None:
    """What is to say the new text: what says it already, the old one first; else the old one."""
    new = normalise(act.event.item.text)
    saying = [row for row in act.here() if row.item.status == "active" and normalise(row.item.text) == new]
    return old if old in saying or not saying else saying[0]


def _means_the_same(act: Reapplying) -> bool:
    """Whether the new text is the old one but for case and spaces."""
    return normalise(act.event.item.text) == normalise(act.seen.text)


def _edited(act: Reapplying, row: ItemRow, how: str) -> ItemUpserted:
    saw = act.event.intent.saw if act.event.intent is not None else None
    before = frozenset(saw.evidence) if saw is not None else frozenset()
    news = [each for each in act.new_evidence() if each not in before]
    item = changed(
        row.item,
        act.at,
        text=act.event.item.text,
        status="active",
        confidence=1000,
        evidence=joined(row.item.evidence, news),
        kept=True,
    )
    return act.made(ItemUpserted, row, item, how, *rests_on(news))


def restore(act: Reapplying) -> None:
    """What they brought back is active."""
    went = [row for row in act.shelf.all() if _went_with(act, row)]
    found = find(act.here(), act.seen, BY_WORDS)
    rows = went or list(found.rows[:1])
    for row in rows:
        how = found.reason if row in found.rows else WENT_WITH_IT
        item = changed(row.item, act.at, status="active", kept=True)
        act.apply(act.made(ItemRestored, row, item, how, returns=_returns(act, row)), room=_is_gone(row))
    if not rows:
        act.carry(room=True)


def _is_gone(row: ItemRow) -> bool:
    return row.item.status in RESTORABLE


def _went_with(act: Reapplying, row: ItemRow) -> bool:
    """Whether an item was forgotten by the act that forgot what is brought back."""
    return act.same_act(row, ItemForgotten.TAG) and row.intent is not None and row.intent.action == "forget"


def _returns(act: Reapplying, row: ItemRow) -> tuple[EventId, ...]:
    """What comes back into recall with an item: by what there is here, and of what came back with it where it was
    recorded, the answers that left with this item.
    """
    back = act.rows.get(FORGOTTEN, forgotten_key(row.item))
    if back is None:
        return ()
    computed, resting = returns_of(act.rows, act.shelf, row), frozenset(rests_on(back.evidence))
    recorded = act.event.returns if isinstance(act.event, ItemRestored | ItemRemembered) else ()
    left = (each for each in recorded if _left_with(act, each, back.event))
    answers = {each for each in (*computed, *left) if each not in resting}
    return (*(each for each in computed if each in resting), *sorted(answers, reverse=True))


def _left_with(act: Reapplying, event: EventId, forgotten: EventId) -> bool:
    row = act.rows.get(QUIET, event)
    return row is not None and row.event == forgotten


def take_apart(act: Reapplying) -> None:
    """What had absorbed another item says again what it said before; nothing where nothing here says what both had
    become.
    """
    whole = [each for each in act.here() if each.item.status == "active" and says_seen(each, act.seen)]
    if not whole:
        return
    row, before = min(whole, key=lambda each: each.item.id != act.seen.id), act.event.item
    evidence = _still(row.item.evidence, before.evidence)
    item = msgspec.structs.replace(before, id=row.item.id, updated=max(act.at, row.item.updated), evidence=evidence)
    act.apply(act.made(ItemUpserted, row, item, "it was made of the same"))


def _still(there: Iterable[Evidence], before: Iterable[Evidence]) -> tuple[Evidence, ...]:
    known = frozenset(there)
    return tuple(each for each in before if each in known)


def share(act: Reapplying) -> None:
    """The item as they saw it is where they put it. Nothing but what they saw is opened further, so what is found here
    by its text makes way for it.
    """
    event = act.event
    assert isinstance(event, ItemMoved)
    to, found = event.item.compartment, find(act.here("forgotten"), act.seen, BY_WORDS)
    row = next((each for each in found.rows if each.item.id == act.seen.id or says_seen(each, act.seen)), None)
    shared, at = act.landing(event.item, row, to)
    there = None if at is None or at.item.id == shared.id else at
    source = row or there
    if source is None and shared.id == event.item.id:
        act.carry()
        return
    item = msgspec.structs.replace(shared, evidence=_of_messages(shared.evidence, row, at))
    item = item if there is None else arrived(item, there, to, act.at)
    causes = [] if at is None else [at.event]
    how = found.reason if there is None and row is not None else LIES_THERE
    act.apply(_moved(event, act, source, item, how, *causes))


def _of_messages(evidence: Iterable[Evidence], *rows: ItemRow | None) -> tuple[Evidence, ...]:
    """The quotes from messages on which something here rests: those go from it when their message goes."""
    known = {message for row in rows if row is not None for message in rests_on(row.item.evidence)}
    return tuple(each for each in evidence if not each.message or each.message in known)


def _moved(event: ItemMoved, act: Reapplying, row: ItemRow | None, item: Item, how: str, *causes: EventId) -> ItemMoved:
    """The item comes from where the row lies, or else from where it was recorded."""
    came = None if row is None or row.item.compartment == item.compartment else row.item
    where, item_id = (event.from_compartment, event.from_id) if came is None else (came.compartment, came.id)
    return act.made(ItemMoved, row, item, how, *causes, from_compartment=where, from_id=item_id)


def bring_in(act: Reapplying) -> None:
    """The item as another program had it."""
    item = act.event.item
    others = (row for row in act.here() if row.item.id != item.id and row.item.status == "active")
    if any(normalise(row.item.text) == normalise(item.text) and not is_by_people(row) for row in others):
        return
    forgotten = [found.row for found in forgotten_of(act.rows, item.owner)]
    claim = Claim(frozenset({item.id}), item.text, rests_on(item.evidence), item.tags)
    if item.status == "active" and refusal(act.rows, forgotten, claim) is not None:
        return
    act.carry(room=bool(item.owner))
