"""A move is taken back: the item lies again where it lay, and what it had become one with is an item of its own again.

    the item that moved        `item.moved`: as it was before, at its old address, under its old id too; as it is by
                               now, where the one of both has come to say more since
    what lay where it came to  `item.reverted`, right behind that: as it was before, and how it had come to be so; of
                               what its person had taken back, `item.forgotten`: it is refused again
    what else moved with it    as the first: one act may have moved several items of one id
    where fewer can read by    it lies where those can read it, as if it had been there when the place was closed, and
    now what it rests on       the event says so; where it lies there already, it stays
    what lies there by now     becomes one with what comes back, as in any move, held or not: it comes apart again where
                               this is taken back; of what says something else, it keeps apart, under an id of its own

What the two were before is no row any more: the chronicle tells. Where it cannot be read, the one of both moves, and
the event says so.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from projections.decisions.audience import follow, where_read
from projections.decisions.came_of import Chronicle, item_states, same_state
from projections.decisions.draft import Draft, decided_before
from projections.decisions.moving import MoveRequest, landing, moved, named
from projections.decisions.remember import asked
from projections.decisions.shelf import Shelf, causes_of, rests_on
from projections.decisions.standing import State, standing
from projections.errors import BadRequest
from projections.events import ItemForgotten, ItemMoved, ItemRedacted, ItemReverted
from projections.events.values import Intent, Item, RowWas
from projections.ids import EventId
from projections.items import ItemRow
from projections.lives import address_of, key_of, moved_from
from projections.policies.human_acts import MOVING_BACK
from projections.rows import Rows

VERSION = f"{MOVING_BACK}4"
AS_ONE = "what it had become one with cannot be read any more, and came along"
NARROWED = "fewer people can read by now what it rests on, so it lies where they can"
STAYS = "fewer people can read by now what {id} rests on: it can be told in no more places than it is, and stays"
OF_ITS_OWN = "it is an item of its own again"
TOLD = ("kind", "text", "status", "tags", "evidence", "source_count")
"""The fields by which the one of both says what it said when the two had become one."""


class Two(NamedTuple):
    """One move, and the two items that it had made one of: as they were before it, and by which events since then."""

    move: ItemMoved
    moved: State[ItemRow]
    there: State[ItemRow]
    undone: tuple[EventId, ...]


def move_back(rows: Rows, chronicle: Chronicle, request: MoveRequest, cap: int) -> list[Draft]:
    """The items that the last move from there had brought to where the item is; what makes room for one more of them,
    where there are more than the `cap`.

    Raises BadRequest where there is none, or it is not held any more.
    """
    if decided_before(rows, request.origin):
        return []
    shelf = Shelf(rows, request.origin, request.owner)
    for row in named(shelf, request):
        _take_back(shelf, rows, chronicle, row, request, cap)
    return shelf.drafts


def _take_back(shelf: Shelf, rows: Rows, chronicle: Chronicle, row: ItemRow, request: MoveRequest, cap: int) -> None:
    states = item_states(rows, chronicle, key_of(address_of(row.item)))
    moves = list(_moves(states, chronicle, request.to))
    if not moves:
        shelf.put(_landed(shelf, rows, row, row.item, request))
    for at in moves:
        event, now = states[at].record.event, shelf.at(row.item)
        assert isinstance(event, ItemMoved)
        back = request._replace(to=event.from_compartment)
        two = _two(rows, chronicle, states, at)
        if two is None:
            is_whole = len(event.causes) < 2  # it names what it became one with
            shelf.put(_whole(shelf, rows, now, event, back) if is_whole else _as_one(shelf, rows, now, back))
            return
        shelf.put(_apart(shelf, rows, now, two, back))
        _put_there(shelf, rows, now, two, request, cap)


def _moves(states: Sequence[State[ItemRow]], chronicle: Chronicle, came_from: str) -> Iterator[int]:
    """Where in the past of an item it came from there last; then what else had come by the same act, the last first."""
    stands = {each.record.id for each in _since_empty(standing(states, same_state))}
    ats = [at for at, each in enumerate(states) if each.record.id in stands and _is_move_to(each)]
    last = next((at for at in reversed(ats) if _came_from(states[at]) == came_from), None)
    if last is None:
        return
    act = {each.id for each in chronicle.decision(states[last].record.id)}
    at = last
    while at >= 0 and at in ats and states[at].record.id in act:
        yield at
        at -= 1


def _since_empty(states: list[State[ItemRow]]) -> list[State[ItemRow]]:
    """The states since the row was last empty: what came before has moved on. A move that was taken back is none."""
    lying: list[State[ItemRow]] = []
    for each in states:
        if lying and _takes_back(lying[-1], each):
            lying.pop()
        else:
            lying.append(each)
    empty = next((at for at in reversed(range(len(lying))) if lying[at].row is None), -1)
    return lying[empty + 1 :]


def _takes_back(went: State[ItemRow], came: State[ItemRow]) -> bool:
    """Whether somebody took it back that an item had come or gone."""
    move, undo = went.record.event, came.record.event
    if not isinstance(move, ItemMoved) or not isinstance(undo, ItemMoved):
        return False
    return undo.intent is not None and undo.intent.undoes and moved_from(undo) == address_of(move.item)


def _is_move_to(state: State[ItemRow]) -> bool:
    return isinstance(state.record.event, ItemMoved) and state.row is not None


def _came_from(state: State[ItemRow]) -> str:
    event = state.record.event
    assert isinstance(event, ItemMoved)
    return event.from_compartment


def _two(rows: Rows, chronicle: Chronicle, states: Sequence[State[ItemRow]], at: int) -> Two | None:
    """What the move made one of; None where it was one before, or one of them cannot be read any more."""
    record = states[at].record
    event = record.event
    assert isinstance(event, ItemMoved)
    there = states[at - 1] if at else None
    left = [each for each in item_states(rows, chronicle, key_of(moved_from(event))) if each.record.seq < record.seq]
    if there is None or there.row is None or not left:
        return None
    if not {there.record.id, left[-1].record.id} <= set(event.causes):
        return None
    return Two(event, left[-1], there, tuple(each.record.id for each in states[at:] if each.row is not None))


def _row(state: State[ItemRow]) -> ItemRow:
    assert state.row is not None, "a move names the events that had left the two items, as they were"
    return state.row


def _whole(shelf: Shelf, rows: Rows, now: ItemRow, move: ItemMoved, request: MoveRequest) -> ItemMoved:
    """What was one before it moved, and is one: under the id that it had, where the move gave it another."""
    if now.item.id == move.from_id:
        return _landed(shelf, rows, now, now.item, request)
    return _signed(_landed(shelf, rows, now, msgspec.structs.replace(now.item, id=move.from_id), request))


def _as_one(shelf: Shelf, rows: Rows, now: ItemRow, request: MoveRequest) -> ItemMoved:
    """The one of both, of which one cannot be read any more."""
    one = _landed(shelf, rows, now, now.item, request)
    return msgspec.structs.replace(one, reason=f"{one.reason}; {AS_ONE}")


def _apart(shelf: Shelf, rows: Rows, now: ItemRow, two: Two, request: MoveRequest) -> ItemMoved:
    """The item that had moved, where it lay."""
    before, whole = _row(two.moved).item, now.item
    said_since = any(getattr(whole, each) != getattr(two.move.item, each) for each in TOLD)
    back = msgspec.structs.replace(whole, id=before.id) if said_since else before
    return _signed(_landed(shelf, rows, now, back, request))


def _landed(shelf: Shelf, rows: Rows, now: ItemRow, item: Item, request: MoveRequest) -> ItemMoved:
    """An item where it is to come to, or where it can still be read of that."""
    to = where_read(rows, msgspec.structs.replace(item, compartment=request.to))
    if to == now.item.compartment:
        raise BadRequest(STAYS.format(id=now.item.id))
    made = moved(now, request._replace(to=to), landing(shelf, item, to))
    return made if to == request.to else msgspec.structs.replace(made, reason=f"{made.reason}; {NARROWED}")


def _signed(made: ItemMoved) -> ItemMoved:
    return msgspec.structs.replace(made, policy=f"{VERSION} {made.policy}")


def _put_there(shelf: Shelf, rows: Rows, now: ItemRow, two: Two, request: MoveRequest, cap: int) -> None:
    """What lay where the other one had come to, as it was."""
    row = _row(two.there)
    said = max(request.said, now.said, row.said)
    reason = f"{asked(request.by)}; {OF_ITS_OWN}"
    if row.item.status == "forgotten":
        shelf.put(_forgotten_again(two, row, request, said, reason))
        return
    known = [each for each in rests_on(row.item.evidence) if rows.ids.status(each) in ("known", "redacted")]
    again = ItemReverted(
        said=said,
        by=request.by,
        causes=causes_of(two.undone, [row.event], known),
        item=row.item,
        reason=reason,
        policy=VERSION,
        was=RowWas(row.tag, row.said, row.by, row.reason, row.policy, row.intent),
        undoes=two.undone,
    )
    if row.item.status == "active":
        shelf.add(again, cap)
    else:
        shelf.put(again)
    to = where_read(rows, row.item)
    if to != row.item.compartment:
        shelf.put(follow(shelf.at(row.item), landing(shelf, row.item, to), to, said))


def _forgotten_again(two: Two, row: ItemRow, request: MoveRequest, said: int, reason: str) -> ItemForgotten:
    """What had left recall with it is out of it still: a move brings nothing back."""
    event = two.there.record.event
    quiet = event.quiet if isinstance(event, ItemForgotten | ItemRedacted) else ()
    was = event.was if isinstance(event, ItemRedacted) else event.causes
    return ItemForgotten(
        said=said,
        by=request.by,
        causes=causes_of(was, [row.event]),
        item=row.item,
        reason=reason,
        policy=VERSION,
        intent=Intent("forget", chosen=row.item.id),
        quiet=quiet,
    )
