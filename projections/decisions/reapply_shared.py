"""What a person shared, or a move that is taken back, applied again: the item as they saw it is where they put it.

what is found where it lay            what becomes of it
───────────────────────────────────   ─────────────────────────────────────────────────────────────────────────
what says what they saw, else its id  it makes way for the item as they shared it
what else was made of it, there       it is deprecated: no more than they saw is opened, and left there it would
                                      stay when they take back what they shared
what says it in another place         it is deprecated
nothing                               the recorded event comes over

Where a move that had made one of two is taken back, what lay there is there as it was (`stay`): it is active in the
words that they saw. Their act is the last word on it, so nothing stands for it but what is active there and says just
that. What has its id and says something else, or was taken back, stays as it is beside it: other words under its id are
not what they saw, and a refusal is lifted by who says the words again, not by an undo.
"""

from collections.abc import Iterable

import msgspec

from projections.decisions.moving import Landing, arrived, landing
from projections.decisions.reapply_kept import but
from projections.decisions.reapplying import Reapplying
from projections.decisions.shelf import rests_on
from projections.events import ItemMoved, ItemReverted
from projections.events.values import Evidence, Item
from projections.ids import EventId
from projections.items import ItemRow
from projections.policies.matching import says
from projections.policies.meant import BY_SOURCES, BY_WORDS, elsewhere, find, says_seen
from projections.policies.old_words import shared, words_of

SHARED = "{id} says it where they put it"
HAS_ITS_ID = "what has its id is not held any more, or says something else"
LIES_THERE = "what says the same, or has its id, lies there already"


def share(act: Reapplying) -> None:
    """The item as they saw it is where they put it. Nothing but what they saw is opened further, so what is found here
    by its text makes way for it.
    """
    event = act.event
    assert isinstance(event, ItemMoved)
    to, found = event.item.compartment, find(act.saying_first("forgotten"), act.seen, BY_WORDS)
    row = next((each for each in found.rows if each.item.id == act.seen.id or says_seen(each, act.seen)), None)
    opened, at, _ = landing(act.shelf, event.item, to)
    there = None if at is None or at.item.id == opened.id else at
    source = row or there
    others = [] if row is not None or act.is_here_as_seen() else _stood_beside(act)
    as_recorded = row is not None and act.takes_apart_as_recorded(row)
    if as_recorded or (source is None and opened.id == event.item.id):
        act.carry()
    else:
        item = msgspec.structs.replace(opened, evidence=_of_messages(opened.evidence, row, at))
        opened = item if there is None else arrived(item, there, to, act.at)
        causes = [] if at is None else [at.event]
        how = found.reason if there is None and row is not None else LIES_THERE
        act.apply(_moved(event, act, source, opened, how, *causes))
    act.give_way(but(others, opened), SHARED.format(id=opened.id))


def stay(act: Reapplying) -> None:
    """What an item had become one with is there as it was. What did not hold any more is put beside nothing that has
    its id or says it.
    """
    event, item = act.event, act.event.item
    assert isinstance(event, ItemReverted)
    is_active, here, own = item.status == "active", act.here(), act.own_row()
    saying = [row for row in here if says(row, item.kind, item.text)]
    if any(row.item.status == "active" for row in saying) or (not is_active and (saying or own is not None)):
        return
    if own is None or (own in saying and own.item.status != "forgotten"):
        act.carry(room=is_active)
        return
    landed, quotes = Landing.beside(item, {row.item.id for row in here}).item, act.new_evidence()
    beside = msgspec.structs.replace(landed, evidence=quotes)
    act.apply(act.made(ItemReverted, None, beside, HAS_ITS_ID, *rests_on(quotes), was=event.was), room=True)


def _stood_beside(act: Reapplying) -> list[ItemRow]:
    """What was made of what they saw, where nothing here says it as they saw it: more of it than is to be opened, or it
    lies in another place. Left there, it would stay when they take back what they shared.
    """
    beyond = (row for row in elsewhere(act.shelf.all(), act.seen) if row.item.status == "active")
    near = find(act.saying_first("forgotten"), act.seen, (BY_SOURCES,)).rows
    like_it = (row for row in near if shared(words_of(act.seen.text), row.item.text))
    return [*act.still_say(), *like_it, *(row for row in beyond if says_seen(row, act.seen))]


def _of_messages(evidence: Iterable[Evidence], *rows: ItemRow | None) -> tuple[Evidence, ...]:
    """The quotes from messages on which something here rests: those go from it when their message goes."""
    known = {message for row in rows if row is not None for message in rests_on(row.item.evidence)}
    return tuple(each for each in evidence if not each.message or each.message in known)


def _moved(event: ItemMoved, act: Reapplying, row: ItemRow | None, item: Item, how: str, *causes: EventId) -> ItemMoved:
    """The item comes from where the row lies, or else from where it was recorded."""
    came = None if row is None or row.item.compartment == item.compartment else row.item
    where, item_id = (event.from_compartment, event.from_id) if came is None else (came.compartment, came.id)
    return act.made(ItemMoved, row, item, how, *causes, from_compartment=where, from_id=item_id)
