"""An extraction that reads an edited message: what was learned from its old words, and is not said by the new ones.

The items that rest on the old words stayed until now, and answers may have repeated them. Before anything is decided,
they are looked at without the quotes that do not stand in the message any more; what the model confirms rests on what
it says now. What it says nothing of, and nothing else holds, goes as if the message had been deleted (`redact_items`).
What a person took back and the model says again is refused, and rests on what the message says now.
The old words go with all of it, and the answers that say them again (`said_again`).
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from projections.decisions.gaps import gaps, standing_for
from projections.decisions.redact import ANSWERS, items_redaction, replies_withdrawn, standing_by, summaries_withheld
from projections.decisions.redact_items import (
    ITEM_TAGS,
    Gone,
    ItemsRedacted,
    events_before,
    fates,
    items_left,
    left_over,
    lifted_by,
    made_with_them,
    rows_of,
    with_left_over,
    wordings,
)
from projections.decisions.said_again import SaidAgain, said_again, units_of_turns
from projections.decisions.shelf import Shelf, policy_by
from projections.decisions.withdraw import turn_withdrawn
from projections.events import ItemEvent, ItemRedacted, ItemRefused, MessageRedacted, TurnAnswered
from projections.events.values import Evidence
from projections.gaps import led_to
from projections.ids import NOBODY, EventId
from projections.items import ItemRow, items_of
from projections.lives import address_of
from projections.policies.capacity import address
from projections.policies.evidence import InputMessage
from projections.policies.repeating import repeating
from projections.policies.telling import telling
from projections.policies.text import folded
from projections.rows import Rows
from projections.turns import TurnRow, find_turn

VERSION = "rereading@7"


class Rereading:
    """The edited ones among the messages that a model was shown, and the items that rest on what they said before."""

    def __init__(self, rows: Rows, inputs: Iterable[InputMessage]) -> None:
        self._rows = rows
        self._edited: Mapping[EventId, str] = {
            each.id: folded(each.text) for each in inputs if each.event not in (b"", each.id)
        }
        self._changed: list[ItemRow] = []

    def begin(self, shelf: Shelf) -> None:
        """Look at the items without the words that are not said any more; where no message was edited, all are."""
        if not self._edited:
            return
        for row, left in self._resting_on_old(shelf.all()):
            self._changed.append(row)
            shelf.look_at(_resting_on(row, left))

    def _resting_on_old(self, rows: Iterable[ItemRow]) -> list[tuple[ItemRow, tuple[Evidence, ...]]]:
        """The items that rest on old words, and what else they rest on."""
        lefts = [(row, tuple(each for each in row.item.evidence if not self._is_gone(each))) for row in rows]
        return [(row, left) for row, left in lefts if left != row.item.evidence]

    def end(self, shelf: Shelf, said: int, nobodys: Shelf | None) -> None:
        """What becomes of the items of which nothing was said; and the old words of all of them go. `nobodys` are those
        of nobody, where they were looked at.
        """
        if not self._edited:
            return
        if nobodys is None:
            lore = (found.row for found in items_of(self._rows, NOBODY))
            self._changed += (row for row, _ in self._resting_on_old(lore))
        effects = (found for each in self._edited for found in led_to(self._rows, each))
        first = frozenset(effect for effect, tag in effects if tag in ITEM_TAGS)
        gone = Gone(self._is_gone, first, events_before(self._rows, first))
        self._changed += self._once_resting_on_old(gone)
        over = frozenset(each for each in left_over(self._rows, gone) if self._quotes_old(each))
        if not self._changed and not over:
            return
        untouched = [_refused_again(row, shelf) for row in self._changed if not _is_touched(row, shelf, nobodys)]
        left = with_left_over(self._rows, fates(self._rows, untouched, gone, said), over, said)
        paths = frozenset(event for row in self._changed for event in gone.path(row.event))
        lifted = (each for row in self._changed for each in lifted_by(self._rows, row, gone.path(row.event)))
        lost = left.bodies.union(paths, lifted)
        parts = made_with_them(self._rows, self._parts(left, gone, shelf, nobodys), lost, said)
        redaction = items_redaction(self._rows, left._replace(events=(*left.events, *parts), bodies=lost), said)
        again = self._said_again(left, left.bodies | paths, shelf, nobodys)
        events = (
            *redaction.events,
            *summaries_withheld(self._rows, units_of_turns(again.turns), frozenset(again.summaries), said),
            *replies_withdrawn(self._rows, again.summaries, said),
            *(turn_withdrawn(turn, said, ANSWERS) for turn in again.turns),
        )
        made = [shelf.record(event) for event in events]
        latest = max((said, *(draft.event.said for draft in shelf.drafts)))
        bodies = (*redaction.bodies, *again.summaries, *(turn.event for turn in again.turns))
        stood = {standing_by(made, key): path for key, path in left.stood.items()}
        stood |= self._said_anew(gone, shelf, nobodys)
        rested = (*gaps(self._rows, bodies), *standing_for(bodies, stood))
        shelf.record(MessageRedacted(said=latest, by=policy_by(VERSION), events=bodies, gaps=rested))

    def _said_anew(self, gone: Gone, shelf: Shelf, nobodys: Shelf | None) -> dict[EventId, frozenset[EventId]]:
        """What the items had gone through of which the model said something, by the events by which they stand now."""
        touched = [row for row in self._changed if _is_touched(row, shelf, nobodys)]
        paths = {address_of(row.item): gone.path(row.event) for row in touched}
        return {row.event: paths[address_of(row.item)] for row in _now(touched, shelf, nobodys)}

    def _once_resting_on_old(self, gone: Gone) -> list[ItemRow]:
        """The items that rest on the old words no more, and did by an event of theirs."""
        known = {address_of(row.item) for row in self._changed}
        found = (row for row in rows_of(self._rows, gone.before) if address_of(row.item) not in known)
        return [row for row in found if any(map(self._quotes_old, gone.path(row.event) & gone.before.keys()))]

    def _quotes_old(self, event: EventId) -> bool:
        made = self._rows.event(event)
        return isinstance(made, ItemEvent) and any(
            self._is_gone(quote) for item in items_left(made) for quote in item.evidence
        )

    def _parts(self, left: ItemsRedacted, gone: Gone, shelf: Shelf, nobodys: Shelf | None) -> list[ItemRow]:
        """What became part of an item that stands, or says something else now: of its own it says nothing any more."""
        known = {address_of(row.item) for row in self._changed}
        stands = {address_of(each.item) for each in left.events if isinstance(each, ItemRedacted)}
        wholes = (row for row in self._changed if address_of(row.item) in stands or _is_touched(row, shelf, nobodys))
        made = {event for row in wholes for event in gone.path(row.event)}
        owned = (found.row for owner in sorted({each.owner for each in known}) for found in items_of(self._rows, owner))
        parts = (row for row in owned if row.event in made and address_of(row.item) not in known)
        return [row for row in parts if not _is_touched(row, shelf, nobodys)]

    def _said_again(
        self, left: ItemsRedacted, bodies: frozenset[EventId], shelf: Shelf, nobodys: Shelf | None
    ) -> SaidAgain:
        """The answers that had the items or their messages before them and say again what is not said any more: words
        of the messages, or what the items said that go, or say something else now, in all wordings that they had of the
        old words.
        """
        quotes = {
            each.quote for row in self._changed for each in row.item.evidence if each.quote and self._is_gone(each)
        }
        touched = [row for row in self._changed if _is_touched(row, shelf, nobodys)]
        instead = " ".join(self._edited.values())
        now = (each.item.text for each in _now(touched, shelf, nobodys))
        standing = " ".join((instead, *now, *left.standing))
        repeats = repeating(quotes, instead)
        told = (*left.texts, *(row.item.text for row in touched), *wordings(self._rows, bodies))
        tells = telling(told, standing)

        def says(turn: TurnRow) -> bool:
            return repeats(turn.text) or tells(turn.text)

        near = [turn for turn in self._answers() if says(turn)]
        known = [turn.event for turn in near]
        again = said_again(self._rows, (*known, *sorted(bodies)), says, known)
        return SaidAgain((*near, *again.found)).nearest()

    def _answers(self) -> Iterator[TurnRow]:
        """The answers that had the messages before them."""
        effects = dict.fromkeys(found for each in self._edited for found in led_to(self._rows, each))
        found = (find_turn(self._rows, effect) for effect, tag in effects if tag == TurnAnswered.TAG)
        yield from (turn for turn in found if turn is not None)

    def _is_gone(self, evidence: Evidence) -> bool:
        text = self._edited.get(evidence.message)
        return text is not None and not (evidence.quote and folded(evidence.quote) in text)


def _resting_on(row: ItemRow, evidence: tuple[Evidence, ...]) -> ItemRow:
    return msgspec.structs.replace(row, item=msgspec.structs.replace(row.item, evidence=evidence))


def _refused_again(row: ItemRow, shelf: Shelf) -> ItemRow:
    """An item, also resting on what was refused as it stands against it."""
    told = (draft.event for draft in shelf.drafts)
    refused = (each for each in told if isinstance(each, ItemRefused) and each.against == row.item.id)
    quotes = (quote for each in refused for quote in each.evidence)
    return _resting_on(row, tuple(dict.fromkeys((*row.item.evidence, *quotes))))


def _is_touched(row: ItemRow, shelf: Shelf, nobodys: Shelf | None) -> bool:
    of_owner = shelf if row.item.owner else nobodys
    return of_owner is not None and address(row.item) in of_owner.touched


def _now(rows: Iterable[ItemRow], shelf: Shelf, nobodys: Shelf | None) -> list[ItemRow]:
    """What lies by now where these lay."""
    wanted = {(row.item.owner, address(row.item)) for row in rows}
    found = (*shelf.all(), *(() if nobodys is None else nobodys.all()))
    return [row for row in found if (row.item.owner, address(row.item)) in wanted]
