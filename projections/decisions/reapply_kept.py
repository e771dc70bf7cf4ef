"""What a person keeps, applied again: it is there afterwards, in the compartment where they kept it, in their words.

act          what is found there                    what becomes of it
──────────   ────────────────────────────────────   ──────────────────────────────────────────────────────────
remember     what says it, or has its id            it says so, and is kept; another item does where a person gave what
                                                    has its id other words
             what they saw, in other words          it says so now, as by an edit
edit         what says the new text, else what      it says the new text; what else says the old one, here or
             they saw                               elsewhere (`policies/old_words`), is deprecated, and so is what
                                                    they saw: said before the edit, it comes in no more
             nothing here that they saw             besides, the old text stands as a refusal
restore      what was forgotten by the same act,    one of it is active again, in the words that they saw; the rest is
             wherever; else what they saw           taken back no more, and deprecated. What only the words given had
                                                    taken here is active again, too; what has its id and was taken
                                                    back in other words stays so, and the item lies beside it
taken apart  what both had become                   it says what it said before; nothing where there is none
an import    another item with the very same text   it stands, and nothing comes in; nor does what was forgotten
any          nothing                                the recorded event comes over
"""

from collections.abc import Iterable, Sequence

import msgspec

from projections.decisions.reapplying import COVERED, Reapplying, same_seen
from projections.decisions.remember import RESTORABLE, RememberRequest, again
from projections.decisions.shelf import changed, joined, rests_on
from projections.events import ItemForgotten, ItemRedacted, ItemRemembered, ItemRestored, ItemUpserted
from projections.events.values import Evidence, Item
from projections.items import ItemRow, forgotten_of
from projections.policies.by_people import is_by_people
from projections.policies.capacity import address
from projections.policies.item_ids import fresh_id
from projections.policies.matching import find_said
from projections.policies.meant import BY_WORDS, Found, find, says_seen
from projections.policies.refusals import Claim, refusal
from projections.policies.text import normalise

BY_ID = "found by its id"
SAYS_THE_SAME = "it says the same"
BESIDE = "what has its id was taken back, and says something else"
WORDED = "what has its id says something else, in their words"
SAYS_IT = "it says this already"
WENT_WITH_IT = "it had been taken back together with it"
INSTEAD = "{id} says it instead, in their words"


def remember(act: Reapplying) -> None:
    """The text is there, and kept; what they saw in its place makes way for it."""
    item, here = act.event.item, act.here()
    seen = _stood_for(act)
    also = act.still_say(item.text) if _is_of_one_there(act) else []
    row = _to_remember(act, here, seen.rows)
    if row is None or (isinstance(act.event, ItemRedacted) and (row.item.id == item.id or item.status != "active")):
        act.carry(room=item.status == "active")
        now = item
    else:
        now = _remembered(act, row, here, seen)
    act.give_way(but((*seen.rows, *also), now), INSTEAD.format(id=now.id))
    if _is_reworded(act):
        act.outdate(now)
    if _is_of_one_there(act) and row is not None and row.item.status == "forgotten" and row.item.id == now.id:
        act.lay_aside(_taken_with(act, row), now)


def _is_of_one_there(act: Reapplying) -> bool:
    """Whether there was an item, which they confirmed or gave other words to."""
    return isinstance(act.event, ItemRemembered) and act.event.item.source_count > 1


def _stood_for(act: Reapplying) -> Found:
    """What stood here for the item that they said again."""
    if not _is_of_one_there(act):
        return Found()
    own = act.own_row() if act.is_here_as_seen() else None
    if own is not None:
        return Found() if own.item.status == "forgotten" else Found((own,), BY_ID)
    return act.to_take(act.seen, "forgotten")


def _is_reworded(act: Reapplying) -> bool:
    return _is_of_one_there(act) and normalise(act.seen.text) != normalise(act.event.item.text)


def but(rows: Iterable[ItemRow], kept: Item) -> list[ItemRow]:
    """These rows, each once, without the one that lies where an item does."""
    return [row for at, row in {address(row.item): row for row in rows}.items() if at != address(kept)]


def _to_remember(act: Reapplying, here: Sequence[ItemRow], seen: Sequence[ItemRow]) -> ItemRow | None:
    """What is to say it: what says it already, or what said before what they saw; or what has its id."""
    item = act.event.item
    says_it = find_said(here, item.kind, item.text).row
    was_it = next((each for each in seen if each.item.compartment == item.compartment), None)
    if was_it is not None and (says_it is None or says_it.item.status != "active"):
        return was_it
    return says_it or next((row for row in here if row.item.id == item.id), None)


def _remembered(act: Reapplying, row: ItemRow, here: Sequence[ItemRow], seen: Found) -> Item:
    """The row says it; where they took that back in other words, or gave it others, another item does."""
    item, says_so = act.event.item, normalise(row.item.text) == normalise(act.event.item.text)
    whole, brought = again(row.item, _asked_again(act), item.text), rests_on(act.new_evidence())
    how = SAYS_THE_SAME if says_so else seen.reason if row in seen.rows else BY_ID
    made = act.made(ItemRemembered, row, whole, how, *brought, returns=act.returns(row))
    is_worded = is_by_people(row) and not _is_of_one_there(act)
    as_recorded = says_seen(row, act.seen) and act.says_the_same(made)
    if not says_so and (row.item.status == "forgotten" or is_worded) and not as_recorded:
        taken, why = {each.item.id for each in here}, BESIDE if row.item.status == "forgotten" else WORDED
        whole = msgspec.structs.replace(item, id=fresh_id(item.kind, item.text, taken), evidence=act.new_evidence())
        made = msgspec.structs.replace(made, item=whole, causes=brought, returns=(), reason=f"{act.why()}; {why}")
    act.apply(made, room=True)
    return made.item


def _taken_with(act: Reapplying, row: ItemRow) -> list[ItemRow]:
    """What was taken back together with an item that they say again: it stood for the same here. Where it was something
    else that they had taken back, or in another place, that is refused still where this was recorded.
    """
    if not act.is_of_seen(row):
        return []
    gone = (each for each in act.shelf.all() if each.tag == ItemForgotten.TAG and not each.reason.endswith(COVERED))
    return [each for each in gone if each.event != row.event and same_seen(row.intent, each.intent)]


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
    """The new text is there, and kept; what else says the old one makes way for it."""
    found = act.to_take(act.seen, "forgotten")
    more = act.still_say(act.event.item.text)
    old = next((row for row in found.rows if row.item.compartment == act.seen.compartment), None)
    target = _target(act, old)
    if target is None:
        because = act.carry(room=True).id
        now = act.event.item
    else:
        how = found.reason if target == old else SAYS_IT
        act.apply(_edited(act, target, how), room=target.item.status != "active")
        because, now = act.shelf.at(target.item).event, target.item
    act.give_way(but((*found.rows, *more), now), INSTEAD.format(id=now.id))
    act.lay_aside(_refused_before(act), now)
    if _means_the_same(act):
        return
    if old is None:
        act.refuse(because)
    else:
        act.outdate(now)


def _refused_before(act: Reapplying) -> list[ItemRow]:
    """What stands as a refusal of the new text since they put that right: now they say it again."""
    new = normalise(act.event.item.text)
    gone = (row for row in act.here() if row.tag == ItemForgotten.TAG and normalise(row.item.text) == new)
    return [row for row in gone if row.intent is not None and row.intent.action == "edit"]


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
        source=msgspec.structs.replace(row.item.source, type=act.event.item.source.type),
        confidence=1000,
        evidence=joined(row.item.evidence, news),
        kept=True,
    )
    return act.made(ItemUpserted, row, item, how, *rests_on(news))


def restore(act: Reapplying) -> None:
    """What they brought back is active, once, in the words that they saw."""
    went = [row for row in act.shelf.all() if _went_with(act, row)]
    besides = [row for row in went if row.reason.endswith(COVERED)]
    stood = sorted((row for row in went if row not in besides), key=lambda row: _nearest_first(act, row))
    theirs = [row for row in act.saying_first() if not _is_taken_back_besides(act, row)]
    found, also = find(theirs, act.seen, BY_WORDS), act.still_say()
    row = next(iter(stood or found.rows), None)
    now = act.event.item
    if row is None and act.own_row() is None:
        act.carry(room=True)
    elif row is None:
        now = _brought_back_beside(act)
    else:
        now = _brought_back(act, row, found.reason if row in found.rows else WENT_WITH_IT)
    for each in besides:
        _brought_back(act, each, WENT_WITH_IT, each.item.text)
    act.lay_aside(stood[1:], now)
    act.give_way(but(also, now), INSTEAD.format(id=now.id))


def _is_taken_back_besides(act: Reapplying, row: ItemRow) -> bool:
    """Whether they took something else back that lies here, under whatever id: it stays so."""
    return row.item.status == "forgotten" and not says_seen(row, act.seen)


def _brought_back_beside(act: Reapplying) -> Item:
    """The item as they saw it, beside what has its id and was taken back."""
    item, taken = act.event.item, {row.item.id for row in act.here()}
    beside = msgspec.structs.replace(item, id=fresh_id(item.kind, item.text, taken), evidence=act.new_evidence())
    act.apply(act.made(ItemRestored, None, beside, BESIDE), room=True)
    return beside


def _nearest_first(act: Reapplying, row: ItemRow) -> tuple[bool, bool, bool, str, str]:
    """What says what they saw, where they saw it."""
    item, seen = row.item, act.seen
    is_elsewhere, is_other = item.compartment != seen.compartment, item.id != seen.id
    return is_elsewhere, not says_seen(row, seen), is_other, item.compartment, item.id


def _brought_back(act: Reapplying, row: ItemRow, how: str, text: str = "") -> Item:
    words = text or (row.item.text if says_seen(row, act.seen) else act.event.item.text)
    item = changed(row.item, act.at, text=words, status="active", kept=True)
    act.apply(act.made(ItemRestored, row, item, how, returns=act.returns(row)), room=_is_gone(row))
    return item


def _is_gone(row: ItemRow) -> bool:
    return row.item.status in RESTORABLE


def _went_with(act: Reapplying, row: ItemRow) -> bool:
    """Whether an item was forgotten by the act that forgot what is brought back."""
    return act.same_act(row, ItemForgotten.TAG) and row.intent is not None and row.intent.action == "forget"


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
