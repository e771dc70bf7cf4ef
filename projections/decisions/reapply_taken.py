"""What a person took away, applied again: an item is forgotten, or kept for their direct messages alone.

what is found                       what becomes of it
─────────────────────────────────   ────────────────────────────────────────────────────────────
what the act means                  forgotten; or moved, with its own words, save what says what they had
                                    taken back where it would go: that makes way
what else still says what they saw  forgotten (`policies/old_words`)
what else the words given cover     forgotten, where no person put it and no act beside it means it
where a move is undone onto what    the same, of what lies there: what lies elsewhere was no part of it
they had taken back before it
nothing here in the words they saw  besides, the recorded event comes over, and refuses what is derived later; where
                                    another item has its address, a refusal at an address of its own does, or what
                                    another act had taken back in these words: it is lifted with this one then
"""

from collections.abc import Collection

import msgspec

from projections.decisions.draft import MOST_EVENTS
from projections.decisions.moving import arrived, found_there, landing
from projections.decisions.reapplying import COVERED, Reapplying, unquoted
from projections.events import ItemForgotten, ItemMoved, ItemRedacted, ItemRestored
from projections.items import ItemRow
from projections.policies.by_people import is_by_people
from projections.policies.capacity import address
from projections.policies.human_acts import takes_apart
from projections.policies.matching import find_meant
from projections.policies.meant import WAYS, find, says_seen, seen_in
from projections.policies.quiet import quiet_with

NOTHING_SAYS_IT = "nothing here says what they saw"
TAKEN_BACK = "it says what they had taken back there"


def forget(act: Reapplying) -> None:
    """Every item that is meant is taken back; what they saw is refused from then on, also where nothing says it."""
    if _is_redacted_again(act):
        act.carry()
        return
    if takes_apart(act.event):
        _forget_again(act)
        return
    found = act.to_take(act.seen, "forgotten")
    waiting = (seen_in(each) for each in _beside(act) if not _is_done(act, each))
    theirs = [row for seen in waiting for row in act.to_take(seen, "forgotten").rows]
    still = [row for row in act.still_say() if row not in found.rows and row not in theirs]
    gone = (*found.rows, *still, *_came_back_with_it(act, (*found.rows, *still)))[: MOST_EVENTS - 1]
    more = _covered(act, [*gone, *theirs])[: MOST_EVENTS - 1 - len(gone)]
    leaves = quiet_with(act.rows, act.shelf.all(), [*gone, *more, *theirs])
    act.forget(gone, leaves, found.reason)
    act.forget(more, leaves, COVERED)
    if not act.is_covered([*gone, *more]):
        _refuse(act, told=bool(gone or more))


def _forget_again(act: Reapplying) -> None:
    """A move away from what they had taken back before it is undone: that is refused there again. It is no new word on
    what lies elsewhere.
    """
    found = find(act.saying_first("forgotten"), act.seen, WAYS)
    act.forget(found.rows, quiet_with(act.rows, act.shelf.all(), found.rows), found.reason)
    if not act.is_covered(found.rows):
        _refuse(act, told=bool(found.rows))


def _came_back_with_it(act: Reapplying, found: Collection[ItemRow]) -> list[ItemRow]:
    """What had been taken back with it before, and was brought back with it."""
    active = (row for row in act.shelf.all() if row.item.status == "active" and row not in found)
    return [row for row in active if act.same_act(row, ItemRestored.TAG)]


def _is_redacted_again(act: Reapplying) -> bool:
    """Whether what they took back is here as they did, and words that went with a message go from it too."""
    row = act.own_row()
    return isinstance(act.event, ItemRedacted) and row is not None and row.item.status == "forgotten"


def _beside(act: Reapplying) -> list[ItemForgotten]:
    """What was forgotten in the same decision."""
    return [each for each in act.request.together if isinstance(each, ItemForgotten)]


def _is_done(act: Reapplying, beside: ItemForgotten) -> bool:
    """Whether an act beside this one was applied already: what it means is gone, and something else would be found."""
    gone = (row for row in act.shelf.all() if row.item.status == "forgotten")
    return any(unquoted(row.intent) == unquoted(beside.intent) for row in gone)


def _covered(act: Reapplying, but: list[ItemRow]) -> list[ItemRow]:
    """What else the needle covers, where the act went by a needle: in the compartments that it is known to open."""
    intent = act.event.intent
    if intent is None or intent.action != "forget" or intent.chosen or not intent.needle:
        return []
    places = {act.seen.compartment, *(each.item.compartment for each in _beside(act))}
    pool = (row for row in act.shelf.within(places) if row.item.status == "active" and not is_by_people(row))
    taken = {address(row.item) for row in but}
    return [row for row in find_meant(pool, "", intent.needle).rows if address(row.item) not in taken]


def _refuse(act: Reapplying, *, told: bool) -> None:
    """`told`: what left recall with the item left with what was taken back in its stead."""
    quiet = () if told else act.known_quiet()
    before = act.refused_before()
    if act.own_row() is None:
        act.carry()
    elif before is not None:
        act.refuse_again(before, quiet)
    else:
        act.refuse(None, quiet)


def keep_private(act: Reapplying) -> None:
    """What is meant lies in its person's direct messages; where nothing is, what they saw does, and is derived nowhere
    else.
    """
    to = act.event.item.compartment
    found = act.to_take(act.seen, "forgotten", "deprecated", "evicted", "merged")
    refused = [row for row in found.rows if _is_taken_back_there(act, row, to)]
    act.give_way(refused, TAKEN_BACK)
    kept = [row for row in found.rows if row not in refused]
    open_still = [row for row in kept if row.item.compartment != to]
    for row in open_still[: MOST_EVENTS - len(refused)]:
        if act.takes_apart_as_recorded(row):
            act.carry()
        else:
            act.apply(_hidden(act, row, to, found.reason))
    if not kept:
        _put_there(act, to)
        act.refuse(None)  # what lies in direct messages is no cause of what lies elsewhere


def _is_taken_back_there(act: Reapplying, row: ItemRow, to: str) -> bool:
    """Whether it says, in other words than they saw, what they had taken back where it would go: no one of both."""
    there = found_there(act.shelf, row.item, to) if row.item.compartment != to else None
    return there is not None and there.item.status == "forgotten" and not says_seen(row, act.seen)


def _put_there(act: Reapplying, to: str) -> None:
    event = act.event
    assert isinstance(event, ItemMoved)
    item, there, _ = landing(act.shelf, event.item, to)
    if there is not None and there.item.status == "active":
        return
    if item.id == event.item.id:
        act.carry()
        return
    bare = msgspec.structs.replace(item, evidence=())
    where = {"from_compartment": event.from_compartment, "from_id": event.from_id}
    act.apply(act.made(ItemMoved, None, bare, NOTHING_SAYS_IT, **where))


def _hidden(act: Reapplying, row: ItemRow, to: str, how: str) -> ItemMoved:
    moving, there, _ = landing(act.shelf, row.item, to)
    return act.made(
        ItemMoved,
        row,
        arrived(moving, there, to, act.at),
        how,
        *([there.event] if there is not None else []),
        from_compartment=row.item.compartment,
        from_id=row.item.id,
    )
