"""What taking events back makes of each item that they touched: a table, read from the top.

    the item as it is now                        then
    ──────────────────────────────────────────   ────────────────────────────────────────────────────────────────────
    what is taken back stands no more            nothing: it was reverted already, or its adoption was taken back
    a person changed it since                    left
    another work of a model changed it since     left: what that one says stands, and so does what was merged into it
    it is a person's, and was not before         left: what somebody keeps, typed or imported is theirs
    it had an earlier state                      it is so again: what was changed, deprecated, superseded, evicted or
                                                 merged away; what a model moved lies again where it lay
      of which a person forgot what it says      it does not come back; as it is now it goes
      which a person put right since             it does not come back; as it is now it goes
      which rests on what fewer can read now     it does not come back; as it is now it goes
    it had none, and is remembered               it goes
    it had none, and went since                  nothing

The state before is what the last event left that stands (`standing`), is not taken back and can still be read: what an
adoption made that was taken back does not come back, nor do the words of a message that was deleted. What followed the
readers of its place stays where it can be read.

Taking a revert back is the same, with the revert's own events: every item that still is as one of them left it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from projections.decisions.audience import closed_in
from projections.decisions.came_of import Chronicle, item_states, left_by, same_state
from projections.decisions.shelf import rests_on
from projections.decisions.standing import State, standing
from projections.events import ItemEvent, ItemMerged, ItemMoved, ItemReverted
from projections.events.values import Item
from projections.fold import Record
from projections.ids import EventId, Handle, Ref, Seq
from projections.items import ITEMS, ItemRow, forgotten_of, items_of, owner_key
from projections.lives import address_of, key_of, moved_from
from projections.policies.by_people import is_by_people
from projections.policies.compartments import guild_of
from projections.policies.item_ids import derive
from projections.policies.old_words import is_put_right
from projections.policies.precedence import HUMANS
from projections.policies.refusals import Claim, refusal
from projections.policies.rephrasing import Rephrasing
from projections.rows import Rows

KEPT = "a person keeps it, typed it or brought it in, and it was not so before"
MEANWHILE = "it is being changed just now"
PUT_RIGHT = "a person put right since what it said before"
GONE = "what it said before cannot be read any more"


class Change(NamedTuple):
    """What becomes of a row: `now` it is so, `then` it is to be so again; None for an empty one. `undone` are the
    events that stand and are taken back; `note` says why it is not as it was. `gone`: nothing is left of it here. `end`
    is where that lies now which lay here, of an empty row.
    """

    key: bytes
    now: ItemRow | None
    then: ItemRow | None
    undone: tuple[Record, ...]
    note: str = ""
    gone: bool = False
    end: bytes = b""

    @property
    def item(self) -> Item:
        """The item, as it is."""
        row = self.now or self.then
        assert row is not None, "an empty row that stays empty does not change"
        return row.item


class Left(NamedTuple):
    """An item that stays as it is, and why; `since` is the event that had made it, by its seq."""

    row: ItemRow
    reason: str
    since: Seq


class Reversal(NamedTuple):
    """All that becomes of items, by address."""

    changes: tuple[Change, ...] = ()
    left: tuple[Left, ...] = ()


class Undone(NamedTuple):
    """The item events that are taken back. `reverts`: they are a revert's. `policies` are those of reverts."""

    items: Mapping[EventId, Record]
    policies: frozenset[str]
    reverts: bool = False
    known: Rephrasing | None = None


def reversal(rows: Rows, chronicle: Chronicle, undone: Undone, owner: Handle | None = None) -> Reversal:
    """What becomes of the items that these events touched, of one owner or of all."""
    prefix = b"" if owner is None else owner_key(owner)
    touched = {key for record in undone.items.values() for key in left_by(record)}
    keys = sorted(key for key in touched if key.startswith(prefix))
    return _Reversing(rows, chronicle, undone).of(keys)


class _Reversing:
    def __init__(self, rows: Rows, chronicle: Chronicle, undone: Undone) -> None:
        self._rows = rows
        self._chronicle = chronicle
        self._undone = undone
        self._closed: dict[str, Mapping[EventId, Ref]] = {}

    def of(self, keys: Iterable[bytes]) -> Reversal:
        found = {key: each for key in keys if (each := self._outcome(key)) is not None}
        agreed = [self._agreed(each, found) for each in found.values()]
        changes = [each for each in agreed if isinstance(each, Change)]
        ends = {each.end for each in changes}
        changes = [each._replace(gone=self._is_gone(each, ends)) for each in changes]
        return Reversal(tuple(changes), tuple(each for each in agreed if isinstance(each, Left)))

    def _is_gone(self, change: Change, ends: Collection[bytes]) -> bool:
        return change.then is None and (self._undone.reverts or change.key in ends)

    # -- one row -----------------------------------------------------------------------------------------------------

    def _outcome(self, key: bytes) -> Change | Left | None:
        past, now = self._states(key), self._rows.get(ITEMS, key)
        if now is not None and now.event != past[-1].record.id:
            return Left(now, MEANWHILE, past[-1].record.seq)
        states, goes = self._standing(past), self._undone.items
        if not any(each.record.id in goes for each in states):
            return None
        last = states[-1].record
        if last.id not in goes:
            return None if now is None else self._since(now, last)
        count = next((n for n, each in enumerate(reversed(states)) if each.record.id not in goes), None)
        before = None if count is None else states[-1 - count].row
        undone = tuple(each.record for each in (states if count is None else states[len(states) - count :]))
        if now is None:
            return self._vacated(Change(key, now, before, undone))
        if not self._undone.reverts and is_by_people(now) and not (before and is_by_people(before)):
            return Left(now, KEPT, last.seq)
        return self._back(Change(key, now, before, undone))

    def _standing(self, past: Sequence[State[ItemRow]]) -> list[State[ItemRow]]:
        """What stands of a row's past; of a revert that is taken back also the revert itself."""
        return standing(past, same_state, self._undone.items if self._undone.reverts else ())

    def _states(self, key: bytes) -> list[State[ItemRow]]:
        """The past of a row; of what followed the readers of its place also what it was before, as if it had lain
        here.
        """
        own = item_states(self._rows, self._chronicle, key)
        first, row = own[0]
        event = first.event
        if not _follows_readers(event) or row is None:
            return own
        assert isinstance(event, ItemMoved)
        before = (each for each in self._states(key_of(moved_from(event))) if each.record.seq < first.seq)
        return [*(State(record, _at(row.item, past)) for record, past in before), *own]

    def _since(self, now: ItemRow, last: Record) -> Left | None:
        """Why it stays as it is: something else happened to it since."""
        event = last.event
        assert isinstance(event, ItemEvent)
        if event.policy in self._undone.policies:
            return None
        if event.by.kind in HUMANS or now.intent is not None:
            return Left(now, "a person changed it since", last.seq)
        if now.item.status != "active":
            return Left(now, f"it was {now.item.status} since", last.seq)
        by_model = event.by.kind == "model"
        return Left(now, "what was learned since says so" if by_model else event.reason, last.seq)

    def _vacated(self, change: Change) -> Change | None:
        """What lay here and was moved away; what followed its readers stays with them."""
        if change.then is None or _follows_readers(change.undone[-1].event):
            return None
        return None if self._hindrance(change.then) else change

    def _back(self, change: Change) -> Change | Left | None:
        """The state before, where it may come back; else it goes."""
        now, then = change.now, change.then
        assert now is not None
        why = "" if then is None else self._hindrance(then)
        if then is not None and not why:
            return change
        if self._undone.reverts:
            why = why or (GONE if len(change.undone) == len(self._standing(self._states(change.key))) else "")
            return Left(now, why, change.undone[-1].seq) if why else change
        if now.item.status in ("active", "merged"):
            return change._replace(then=None, note=why)
        return Left(now, why, change.undone[-1].seq) if why else None

    # -- what may not come back --------------------------------------------------------------------------------------

    def _hindrance(self, row: ItemRow) -> str:
        item = row.item
        if item.status != "active":
            return ""
        forgotten = [found.row for found in forgotten_of(self._rows, item.owner)]
        ids = frozenset({item.id, derive(item.kind, item.text)})
        claim = Claim(ids, item.text, rests_on(item.evidence), item.tags)
        found = refusal(self._rows, forgotten, claim, self._undone.known)
        if found is not None:
            return f"what it said before was forgotten: {found.reason}"
        if is_put_right(self._since_then(item.owner), rests_on(item.evidence), item.text):
            return PUT_RIGHT
        return "fewer people can read by now what it said before" if self._is_closed(item) else ""

    def _since_then(self, owner: Handle) -> list[ItemRow]:
        """What became of an owner's items behind the first of the events that are taken back."""
        first = min(each.seq for each in self._undone.items.values())
        return [found.row for found in items_of(self._rows, owner) if found.seq > first]

    def _is_closed(self, item: Item) -> bool:
        """Whether all of a guild may read it, and only some what it rests on."""
        messages = rests_on(item.evidence)
        guild = guild_of(item.compartment)
        if guild is None or not messages:
            return False
        if item.compartment not in self._closed:
            self._closed[item.compartment] = closed_in(self._rows, guild)
        return set(messages) <= self._closed[item.compartment].keys()

    # -- rows that change together -----------------------------------------------------------------------------------

    def _agreed(self, each: Change | Left, found: Mapping[bytes, Change | Left]) -> Change | Left | None:
        """What stays where its other half stays: the whole of a merge, the other end of a move."""
        if isinstance(each, Left):
            return each
        if each.now is None:
            end = self._other_end(each)
            return each._replace(end=end) if isinstance(found.get(end), Change) else None
        last = each.undone[-1]
        event = last.event
        if isinstance(event, ItemMerged) and isinstance(found.get(key_of(address_of(event.item))), Left):
            return Left(each.now, f"it is part of {event.item.id}, which stays", last.seq)
        return each

    def _other_end(self, change: Change) -> bytes:
        """Where that lies which lay here, or the other way round: by the move that emptied this row, or the one that
        was taken back when it was.
        """
        last = change.undone[-1]
        undone = last.event.undoes if isinstance(last.event, ItemReverted) else ()
        found = (each.event for each in (last, *map(self._chronicle.find, undone)) if each is not None)
        move = next((each for each in found if isinstance(each, ItemMoved)), None)
        ends = () if move is None else (key_of(moved_from(move)), key_of(address_of(move.item)))
        return next((key for key in ends if key != change.key), b"")


def _follows_readers(event: object) -> bool:
    return isinstance(event, ItemMoved) and (event.by.kind, event.by.name) == ("policy", "audience")


def _at(here: Item, row: ItemRow | None) -> ItemRow | None:
    """An earlier state, as if it had lain where the item lies now."""
    if row is None:
        return None
    item = msgspec.structs.replace(row.item, compartment=here.compartment, id=here.id)
    return msgspec.structs.replace(row, item=item)
