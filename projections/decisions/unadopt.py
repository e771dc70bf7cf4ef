"""Taking an adoption back: every item and summary that is still as the adoption left it is again as it was before.

    the row now                              what is recorded
    ──────────────────────────────────────   ────────────────────────────────────────────────────────────
    as the adoption left it                  item.reverted, summary.reverted: as before, or gone
    put back so by another undoing           the same
    as this undoing left it                  nothing: it broke off, and goes on
    changed since, by whomever               nothing; it is left as it is, and told

What was before is no row any more: whoever asks reads it from the log and hands it in. What a person took back or put
right meanwhile does not return, nor what fewer people can read by now than the item would tell; and what the adoption
had moved out of the way returns only where there is room. Of who opted out nothing is recorded: all of theirs is left.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from projections.consent import is_out
from projections.decisions.adopt_pairs import OUT
from projections.decisions.adopted import VERSION, Adoption, of_owner
from projections.decisions.draft import MOST_EVENTS, Draft, Minter
from projections.decisions.shelf import causes_of, rests_on, said_of
from projections.events import Event, ItemReverted, MessageEdited, MessageHeard
from projections.events.values import OPERATOR, RowWas
from projections.ids import NOBODY, EventId, Handle, Seq
from projections.items import ForgottenRow, ItemRow, forgotten_of, items_of
from projections.lives import Address, address_of
from projections.policies.by_people import is_by_people
from projections.policies.capacity import COUNTED
from projections.policies.compartments import said_in
from projections.policies.item_ids import derive
from projections.policies.kept_private import is_kept_private
from projections.policies.old_words import is_put_right
from projections.policies.refusals import Claim, refusal
from projections.policies.rephrasing import Rephrasing
from projections.rows import Rows

CHANGED = "it changed since"
PRIVATE = "its person keeps it for their direct messages since"
FORGOTTEN = "a person took back since what it said"
PUT_RIGHT = "a person put right since what it said"
NARROWER = "fewer people can read by now what it rests on"
NO_ROOM = "there is no room for it any more"


class Before(NamedTuple):
    """An address that an adoption touched: `made` is its last event there, which left nothing there where it `removed`
    the item; `row` is what was there before it. `again` is what has put back since what `made` had left.
    """

    address: Address
    made: EventId
    row: ItemRow | None
    removed: bool = False
    again: EventId | None = None


class UnadoptRequest(NamedTuple):
    """What an adoption touched of an owner, and its first event's seq. `adoption` is the undoing, `reason` says of
    what; `heard` are messages as in `AdoptRequest`, on which the items before rested.
    """

    adoption: Adoption
    owner: Handle
    touched: tuple[Before, ...]
    reason: str
    first: Seq
    heard: Mapping[EventId, Event] = {}
    cap: int = 200
    known: Rephrasing | None = None


class Kept(NamedTuple):
    """What is not taken back, as it is now or was before, and why."""

    address: Address
    text: str
    reason: str


class Unadoption(NamedTuple):
    """What is recorded, and what is left as it is. `more`: decided again, it goes on."""

    drafts: list[Draft]
    left: list[Kept]
    more: bool = False


def unadopting(rows: Rows, request: UnadoptRequest, most: int = MOST_EVENTS) -> Unadoption:
    """What one decision records of an owner, and what is left as it is; nothing is recorded once everything is as
    before, or was changed since.
    """
    return _Undoing(rows, request).run(most)


class _Undoing:
    """One owner's items on their way back."""

    def __init__(self, rows: Rows, request: UnadoptRequest) -> None:
        self._rows = rows
        self._request = request
        self._is_out = is_out(rows, request.owner)
        found = list(items_of(rows, request.owner))
        self._now = {address_of(each.row.item): each.row for each in found}
        self._since = [each.row for each in found if each.seq > request.first and is_by_people(each.row)]
        self._counted = [each for each, row in self._now.items() if row.item.status in COUNTED]
        whose = of_owner(request.owner)
        self._mine = {event for decision in request.adoption.decisions(rows, whose) for event in decision}

    def run(self, most: int) -> Unadoption:
        events: list[ItemReverted] = []
        left: list[Kept] = []
        for each in sorted(self._request.touched, key=self._order):
            if not self._has_changed(each) and self._is_as_before(each):
                continue
            reason = self._against(each)
            if reason:
                left.append(Kept(each.address, self._text(each), reason))
            else:
                events.append(self._reverted(each))
                self._count(each)
        minter = Minter(self._rows, self._request.adoption.free(self._rows, of_owner(self._request.owner)))
        return Unadoption([minter.draft(event) for event in events[:most]], left, more=len(events) > most)

    def _order(self, before: Before) -> tuple[bool, Address]:
        """What had made way returns last, into the room that the others leave."""
        return self._had_made_way(before), before.address

    def _had_made_way(self, before: Before) -> bool:
        now = self._now.get(before.address)
        return now is not None and now.item.status == "evicted"

    def _is_as_before(self, before: Before) -> bool:
        """Whether it was taken back already, or never was there."""
        now = self._now.get(before.address)
        return before.row is None if now is None else now.event in self._mine

    def _has_changed(self, before: Before) -> bool:
        """Whether something else has happened to it since."""
        now = self._now.get(before.address)
        if now is None:
            return before.row is not None and not before.removed
        return now.event not in (before.made, before.again) and now.event not in self._mine

    # -- what stands against it --------------------------------------------------------------------------------------

    def _against(self, before: Before) -> str:
        if self._has_changed(before):
            return CHANGED
        if self._is_out:
            return OUT
        row = before.row
        if row is None:
            return ""
        if row.item.status == "active" and self._is_taken_back(row):
            return FORGOTTEN
        if row.item.status == "active" and is_put_right(self._since, rests_on(row.item.evidence), row.item.text):
            return PUT_RIGHT
        if row.item.status == "active" and self._is_kept_private(row):
            return PRIVATE
        if self._is_narrower(row):
            return NARROWER
        return NO_ROOM if self._had_made_way(before) and self._is_full(before.address) else ""

    def _is_taken_back(self, row: ItemRow) -> bool:
        known, taken_back = self._request.known, self._taken_back_since(row)
        return bool(taken_back) and refusal(self._rows, taken_back, _claim(row), known) is not None

    def _taken_back_since(self, row: ItemRow) -> list[ForgottenRow]:
        """What its owner took back; of what is nobody's, those who said it as well."""
        owners = {row.item.owner}
        if row.item.owner == NOBODY:
            owners |= {each.message.speaker for each in self._said(row)}
        found = (each for owner in sorted(owners) for each in forgotten_of(self._rows, owner))
        return [each.row for each in found if each.seq > self._request.first]

    def _said(self, row: ItemRow) -> list[MessageHeard | MessageEdited]:
        heard = (self._request.heard.get(each) for each in rests_on(row.item.evidence))
        return [each for each in heard if isinstance(each, MessageHeard | MessageEdited)]

    def _is_kept_private(self, row: ItemRow) -> bool:
        owned, known = self._now.values(), self._request.known
        return is_kept_private(self._rows, owned, self._since, row.item.compartment, _claim(row), known)

    def _is_narrower(self, row: ItemRow) -> bool:
        """Whether all that an item of a guild rests on was said where not all of it can read any more."""
        if not row.item.compartment.startswith("guild/"):
            return False
        said = [each.message for each in self._said(row)]
        there = {said_in(self._rows, each.audience, each.guild) for each in said}
        return bool(there) and row.item.compartment not in there

    def _is_full(self, address: Address) -> bool:
        return sum(_shares_room(each, address) for each in self._counted) >= self._request.cap

    # -- what is recorded --------------------------------------------------------------------------------------------

    def _count(self, before: Before) -> None:
        self._counted = [each for each in self._counted if each != before.address]
        if before.row is not None and before.row.item.status in COUNTED:
            self._counted.append(before.address)

    def _text(self, before: Before) -> str:
        row = self._now.get(before.address) or before.row
        assert row is not None, "what is not there, and was not there, is as it was"
        return row.item.text

    def _reverted(self, before: Before) -> ItemReverted:
        """Whatever has the words of a message names it as a cause: the item before, and the one that goes."""
        now, row = self._now.get(before.address), before.row or self._now[before.address]
        then = () if before.row is None else (before.row.event,)
        gone = () if now is None else said_of(self._rows, now.item)
        return ItemReverted(
            said=max(row.said, now.said if now else row.said),
            by=OPERATOR,
            causes=causes_of([before.made], _readable(self._rows, then), said_of(self._rows, row.item), gone),
            item=row.item,
            reason=self._request.reason,
            policy=VERSION,
            was=RowWas(row.tag, row.said, row.by, row.reason, row.policy, row.intent),
            undoes=(before.made,),
            gone=before.row is None,
        )


def _claim(row: ItemRow) -> Claim:
    item = row.item
    return Claim(frozenset({derive(item.kind, item.text), item.id}), item.text, rests_on(item.evidence), item.tags)


def _readable(rows: Rows, events: Iterable[EventId]) -> list[EventId]:
    return [each for each in events if rows.ids.status(each) in ("known", "redacted")]


def _shares_room(one: Address, other: Address) -> bool:
    return one.owner != NOBODY or one.compartment == other.compartment
