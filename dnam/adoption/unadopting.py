"""Taking an adoption back, for whoever asks: the last one of a shadow that counts, and of which there is anything to
take back.

What was before it is read from the log; what changed since is left as it is, and told. One that broke off before it
counted is counted first, and then taken back. Broken off itself, it goes on by being started again. What could not be
taken back, since its person had opted out, or another adoption or a revert lay upon it, can be once they are in again,
or that is taken back: by an undoing of its own. It keeps no adoption before it from being taken back.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dnam.access import Access
from dnam.adoption.adopted import Taken, Touch, Touched, counted, touched_by, touched_in
from dnam.adoption.half_adopted import Gone, gone_adoptions, readable, told_of
from dnam.errors import Unknown
from dnam.shadows.manifest import checked
from dnam.shadows.source import heard_of, rederived_of, summary_behind
from projections.decisions.adopt_pairs import OUT
from projections.decisions.adopted import Adoption, next_adoption, that_count
from projections.decisions.adopted_all import Rederived
from projections.decisions.came_of import item_states, same_state
from projections.decisions.draft import MOST_EVENTS, Draft
from projections.decisions.revert_summaries import attempt_states, same_attempt, same_summary, summary_states
from projections.decisions.shelf import rests_on
from projections.decisions.standing import put_back
from projections.decisions.unadopt import Before, Kept, Unadoption, UnadoptRequest, unadopting
from projections.decisions.unadopt_summary import (
    UnadoptSummaryRequest,
    is_changed,
    is_of_who_is_out,
    says_taken_back,
    unadopt_summary,
)
from projections.events import SummaryRefreshed
from projections.fold import Record
from projections.ids import EventId, Handle
from projections.items import ITEMS, ItemRow
from projections.lives import Address, key_of
from projections.quoting import in_quotes
from projections.rows import Rows
from projections.summaries import SUMMARIES, SUMMARY_ATTEMPTS, SummaryRow
from replay.audit import rows_at
from replay.builder import silent
from replay.chronicle import LogChronicle
from replay.errors import ErasedMeanwhile
from replay.shadows.store import shadows_in
from replay.travel import Moment

Progress = Callable[[int, int], None]


class OfOwner(NamedTuple):
    """What is taken back of an owner: how many items return or go, and what is left as it is."""

    owner: Handle
    items: int
    left: tuple[Kept, ...]


class UndoOffer(NamedTuple):
    """What taking back an adoption would change: items by owner, and summaries by session; of these the `withheld` are
    made anew, and are not as before. Those of `changed` stay, and those `out` of who opted out. `earlier` are those
    undoings of it that count, and `broke_off`: it had not counted yet. `begun`: an undoing of it counts, or broke off.
    """

    adoption: Adoption
    earlier: tuple[Adoption, ...]
    made: Rederived
    broke_off: bool
    people: tuple[OfOwner, ...]
    sessions: tuple[str, ...]
    changed: tuple[str, ...]
    out: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    begun: bool = False

    @property
    def undoing(self) -> Adoption:
        """What takes it back."""
        return self.adoption.undoing(len(self.earlier))

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be taken back."""
        return not (self.broke_off or self.sessions or any(each.items for each in self.people))

    @property
    def waits(self) -> bool:
        """Whether some of it stays because its person opted out, and goes once they are in again."""
        return bool(self.out) or any(left.reason == OUT for each in self.people for left in each.left)


class _Asked(NamedTuple):
    """The decisions that take one adoption back."""

    items: list[UnadoptRequest]
    summaries: list[UnadoptSummaryRequest]


class _TakenBack(NamedTuple):
    """What earlier undoings of an adoption took back, by the keys of the rows: the last event of each there."""

    items: Mapping[bytes, EventId]
    summaries: Mapping[bytes, EventId]


class Unadopting:
    """The taking back of the last adoption of a shadow of this name, or of one before it where nothing of that can be.
    The shadow itself may be gone by then.
    """

    def __init__(self, memory: Access, data: Path, name: str) -> None:
        self._memory = memory
        self.engine = memory.engine
        self._data = data
        self._name = checked(name)
        self._gone: dict[EventId, Gone] = {}
        """Those adoptions of which only what they recorded is known."""

    def of(self, name: str) -> "Unadopting":
        """The same of another shadow of this memory."""
        return Unadopting(self._memory, self._data, name)

    async def look(self) -> UndoOffer | None:
        """What would be taken back now; None where there is no adoption to take back."""
        return await self._memory.look(self._look)

    def refuse_unknown(self, rows: Rows) -> None:
        """Unknown where there is no shadow of this name, nor was one ever adopted; it says of which any was."""
        if next(self._shadows(rows), None) is not None:
            return
        adopted = [each for each in shadows_in(self._data) if next(told_of(self.engine, rows, each), None) is not None]
        there = f"of {', '.join(adopted)} there is" if adopted else "there is none of any shadow here"
        raise Unknown(f"there is no adoption of {in_quotes(self._name)}, nor a shadow of that name: {there}")

    def _look(self, rows: Rows) -> UndoOffer | None:
        """Of the last adoption of which anything can be; where nothing can, the last one that was not taken back, or of
        which something still waits.
        """
        waits: UndoOffer | None = None
        for offer in self.offers(rows):
            if not offer.is_empty:
                return offer
            if waits is None and (offer.waits or not offer.earlier):
                waits = offer
        return waits

    def offers(self, rows: Rows) -> Iterator[UndoOffer]:
        """What is left of each adoption, the last one first; behind them what broke off of a shadow that is gone."""
        shadows: dict[bytes, Rederived] = {}
        for each in self._shadows(rows):
            shadows.setdefault(each.shadow, each)
        for made in shadows.values():
            under_way = next_adoption(rows, made.shadow, made.made)
            if not touched_by(self.engine, rows, under_way).is_empty:
                yield self._offer(rows, under_way, made, broke_off=True)
            for adoption in that_count(rows, made.shadow, made.made):
                yield self._offer(rows, adoption, made)
        for gone in gone_adoptions(self.engine, rows, self._name, shadows.values()):
            self._gone[gone.adoption.id] = gone
            yield self._offer(rows, gone.adoption, gone.made)

    def _offer(self, rows: Rows, adoption: Adoption, made: Rederived, *, broke_off: bool = False) -> UndoOffer:
        earlier = tuple(adoption.undoings(rows))
        asked = self._asked(rows, adoption, earlier)
        people = [self._offered(rows, each) for each in asked.items]
        changed = tuple(each.event.session for each in asked.summaries if is_changed(rows, each))
        still = (each for each in asked.summaries if not is_changed(rows, each))
        out = tuple(each.event.session for each in still if is_of_who_is_out(rows, each))
        wanted = [each for each in asked.summaries if unadopt_summary(rows, each)]
        sessions = tuple(each.event.session for each in wanted)
        withheld = tuple(each.event.session for each in wanted if says_taken_back(rows, each))
        shown = tuple(each for each in people if each.items or each.left)
        begun = bool(earlier) or not touched_by(self.engine, rows, adoption.undoing(len(earlier))).is_empty
        return UndoOffer(adoption, earlier, made, broke_off, shown, sessions, changed, out, withheld, begun)

    def _shadows(self, rows: Rows) -> Iterator[Rederived]:
        """The shadows that have or had this name, the newest first: the one that is there, and those that the log tells
        of.
        """
        manifest = readable(self._data, self._name)
        if manifest is not None:
            yield rederived_of(manifest)
        yield from told_of(self.engine, rows, self._name)

    def _offered(self, rows: Rows, request: UnadoptRequest) -> OfOwner:
        found = unadopting(rows, request, len(request.touched))
        return OfOwner(request.owner, len(found.drafts), tuple(found.left))

    def touched(self, rows: Rows, offer: UndoOffer) -> Touched:
        """What the adoption of an offer had recorded."""
        return self._touched_by(rows, offer.adoption)

    def _touched_by(self, rows: Rows, adoption: Adoption) -> Touched:
        """What an adoption recorded. One of a shadow that is gone is taken back without being counted first: nobody
        knows which event would make it count.
        """
        gone = self._gone.get(adoption.id)
        if gone is None:
            return touched_by(self.engine, rows, adoption)
        return touched_in(self.engine, rows, lambda whose: gone.decisions.get(whose, ()))

    # -- what was before ---------------------------------------------------------------------------------------------

    def _asked(self, rows: Rows, adoption: Adoption, earlier: tuple[Adoption, ...]) -> _Asked:
        """What takes it back, but for what an earlier undoing took back already."""
        touched, undoing = self._touched_by(rows, adoption), adoption.undoing(len(earlier))
        taken = _taken_back(touched_by(self.engine, rows, each) for each in earlier)
        items = (self._of_owner(rows, undoing, touched, owner, taken) for owner in touched.items)
        found = ((key, self._summary_in_force(rows, touched, key)) for key in touched.summaries)
        summaries = [
            self._of_session(rows, undoing, touched, key, record, record.event)
            for key, record in found
            if isinstance(record.event, SummaryRefreshed) and self._is_left_of(rows, key, record.id, taken)
        ]
        return _Asked([each for each in items if each.touched], summaries)

    def _is_left(self, rows: Rows, key: bytes, made: EventId, taken: _TakenBack) -> bool:
        """Whether no undoing took an item back, or what the adoption had made of it was put back since."""
        return key not in taken.items or self._again(rows, key, made, taken.items[key]) is not None

    def _is_left_of(self, rows: Rows, key: bytes, made: EventId, taken: _TakenBack) -> bool:
        """The same of a session's summary."""
        return key not in taken.summaries or self._summary_again(rows, key, made, taken.summaries[key]) is not None

    def _of_owner(
        self, rows: Rows, undoing: Adoption, touched: Touched, owner: Handle, taken: _TakenBack
    ) -> UnadoptRequest:
        found = ((address, self._in_force(rows, address, touch)) for address, touch in touched.items[owner].items())
        left = {address: touch for address, touch in found if self._is_left(rows, key_of(address), touch.made, taken)}
        before = [self._touched(rows, touched, each, touch) for each, touch in left.items()]
        messages = {message for each in before if each.row for message in rests_on(each.row.item.evidence)}
        return UnadoptRequest(
            adoption=undoing,
            owner=owner,
            touched=tuple(before),
            reason=f"the adoption of {self._name} was taken back",
            first=min(touched.starts[touch.made] for touch in touched.items[owner].values()),
            heard=heard_of(rows, LogChronicle(self.engine.live), messages),
            cap=self._memory.settings.durable_max_items,
            known=self._memory.guarding.rephrasing,
        )

    def _in_force(self, rows: Rows, address: Address, touch: Touch) -> Touch:
        """What the adoption did at an address that is in force: where it had gone on upon another adoption's, and both
        were taken back, what it had done before that is there again.
        """
        if not touch.earlier:
            return touch
        key = key_of(address)
        for made in (touch.made, *touch.earlier):
            if _left_it(rows.get(ITEMS, key), made) or self._again(rows, key, made) is not None:
                return touch if made == touch.made else Touch(made)
        return touch

    def _summary_in_force(self, rows: Rows, touched: Touched, key: bytes) -> Record:
        """The same of a session's summary."""
        last, earlier = touched.summaries[key], touched.earlier.get(key, ())
        if not earlier:
            return last
        for record in (last, *earlier):
            if _left_it(rows.get(SUMMARIES, key), record.id) or self._summary_again(rows, key, record.id) is not None:
                return record
        return last

    def _touched(self, rows: Rows, touched: Touched, address: Address, touch: Touch) -> Before:
        row = self._before(rows, touched, address, touch.made)
        again = self._again(rows, key_of(address), touch.made)
        return Before(address, touch.made, row, touch.removed, again)

    def _again(self, rows: Rows, key: bytes, *made: EventId) -> EventId | None:
        """What has put back since what the first of these events had left of an item; nothing where it is as one of
        them left it.
        """
        now = rows.get(ITEMS, key)
        if now is None or now.event in made:
            return None
        past = item_states(rows, LogChronicle(self.engine.live), key)
        return _put_back(put_back(past, same_state), made[0])

    def _summary_again(self, rows: Rows, key: bytes, *made: EventId) -> EventId | None:
        """The same of a session's summary."""
        now = rows.get(SUMMARIES, key)
        if now is None or now.event in made:
            return None
        past = summary_states(rows, LogChronicle(self.engine.live), key)
        return _put_back(put_back(past, same_summary), made[0])

    def _before(self, rows: Rows, touched: Touched, address: Address, made: EventId) -> ItemRow | None:
        """The row before the adoption came to it; where it came twice, before the first of both."""
        row = self._then(rows, touched, made).get(ITEMS, key_of(address))
        if row is None or row.event not in touched.starts:
            return row
        return self._before(rows, touched, address, row.event)

    def _of_session(
        self, rows: Rows, undoing: Adoption, touched: Touched, key: bytes, record: Record, event: SummaryRefreshed
    ) -> UnadoptSummaryRequest:
        made, chronicle = record.id, LogChronicle(self.engine.live)
        again = self._summary_again(rows, key, made)
        tried = _put_back(put_back(attempt_states(rows, chronicle, key), same_attempt), made)
        while True:
            then = self._then(rows, touched, made)
            row = then.get(SUMMARIES, key)
            if row is None or row.event not in touched.starts:
                attempt = then.get(SUMMARY_ATTEMPTS, key)
                behind = () if row is None else summary_behind(row, chronicle)
                return UnadoptSummaryRequest(undoing, record.id, event, row, attempt, behind, again, tried)
            made = row.event

    def _then(self, rows: Rows, touched: Touched, made: EventId) -> Rows:
        """The rows just before the decision that recorded an event."""
        return rows_at(rows, self.engine.live, Moment(seq=touched.starts[made] - 1))

    # -- doing it ----------------------------------------------------------------------------------------------------

    async def undo(self, offer: UndoOffer, progress: Progress = silent) -> Taken:
        """Take it back, as it is by then."""
        adoption = offer.adoption
        if offer.broke_off:
            await counted(self._memory, offer.made, adoption)
        asked = await self._memory.look(lambda rows: self._asked(rows, adoption, offer.earlier))
        total = len(asked.items) + len(asked.summaries)
        for done, request in enumerate(asked.items):
            progress(done, total)
            await self._restore(request)
        for done, summary in enumerate(asked.summaries, len(asked.items)):
            progress(done, total)
            await self._sum_up(summary)
        progress(total, total)
        return await counted(self._memory, offer.made, offer.undoing, adoption.id)

    async def _restore(self, request: UnadoptRequest) -> None:
        found: list[Unadoption] = []

        def decide(rows: Rows) -> list[Draft]:
            found.append(unadopting(rows, request, MOST_EVENTS))
            return found[-1].drafts

        try:
            while not found or found[-1].more:
                await self._memory.record(decide)
        except ErasedMeanwhile:
            return

    async def _sum_up(self, request: UnadoptSummaryRequest) -> None:
        try:
            await self._memory.record(lambda rows: unadopt_summary(rows, request))
        except ErasedMeanwhile:
            return


def _taken_back(undoings: Iterable[Touched]) -> _TakenBack:
    """What these undoings did, in order."""
    items: dict[bytes, EventId] = {}
    summaries: dict[bytes, EventId] = {}
    for each in undoings:
        items |= {key_of(at): touch.made for found in each.items.values() for at, touch in found.items()}
        summaries |= {key: record.id for key, record in each.summaries.items()}
    return _TakenBack(items, summaries)


def _left_it(row: ItemRow | SummaryRow | None, made: EventId) -> bool:
    """Whether a row is as an event had left it."""
    return row is not None and row.event == made


def _put_back(found: Sequence[Record], made: EventId) -> EventId | None:
    """The last of these events that left a row as it is, where `made` is one of the others."""
    return found[0].id if made in (each.id for each in found[1:]) else None
