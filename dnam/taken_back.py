"""What counted at a moment and can no longer be read as it was: its words were taken back since.

A look back makes each row from what can be read, so what a redaction took is missing from it, or says what it had said
before. A redaction is not sealed and names the events whose words it took; what was decided with it names the items and
the summaries. By when things were said nothing tells any more when that was of what is gone: it may have been by then.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from projections.counting import counted
from projections.events import Event, ItemRedacted, MessageRedacted, SummaryWithheld
from projections.events.items import ItemGone
from projections.ids import EventId, Handle, Seq, VaultId
from projections.items import ITEM_EVENTS
from projections.lives import Address, address_of
from projections.rows import Rows
from projections.summaries import find_summary
from replay import codec
from replay.engine import Engine
from replay.errors import KeyMissing
from replay.reading import Reader, Reading
from replay.travel import Moment, settle

STRETCH = 65_536
"""How many headers are held at once."""
SIGN = MessageRedacted.TAG.encode()
ITEM_TAGS = frozenset(each.TAG for each in ITEM_EVENTS)
SUMMARY = "summary."
Unit = tuple[str, int]
"""A session in one epoch."""
Gone = Mapping[EventId, Reading]
"""What a redaction took of what had been recorded by then."""


class TakenBack(NamedTuple):
    """What is not as it was then: these items; the summaries of sessions, with where the last that went was recorded;
    and items of which only the vaults are known. `certain`: that it was so by then.
    """

    items: frozenset[Address] = frozenset()
    summaries: Mapping[Unit, Seq] = {}
    others: frozenset[VaultId] = frozenset()
    certain: bool = True

    def of(self, engine: Engine, person: Handle) -> "TakenBack":
        """Of these, the items of one person."""
        items = frozenset(each for each in self.items if each.owner == person)
        others = frozenset(each for each in self.others if _is_of(engine, each, person))
        return TakenBack(items, {}, others, self.certain)

    def in_force(self, then: Rows, units: Collection[Unit]) -> "TakenBack":
        """Of these, the summaries of sessions, where nothing that can be read had replaced them by then."""
        found = {where: find_summary(then, *where) for where in units if where in self.summaries}
        lost = {at: self.summaries[at] for at, row in found.items() if row is None or row.seq < self.summaries[at]}
        return TakenBack(summaries=lost, certain=self.certain)

    def and_of(self, other: "TakenBack") -> "TakenBack":
        """These items, and the summaries of the other."""
        return self._replace(summaries=other.summaries)

    def note(self) -> str:
        """That something is not as it was, in words; empty where nothing is."""
        told = [*self._items(), *self._summaries()]
        if not told:
            return ""
        when = "of then" if self.certain else "that may be of then"
        several = len(told) > 1 or told[0] not in ("1 item", "the summary")
        they, were = ("they", "were") if several else ("it", "was")
        what = f"{' and '.join(told)} {when} cannot be read as {they} {were}"
        return f"{what}: what {they} rested on was taken back since"

    def _items(self) -> Iterator[str]:
        if self.items:
            yield counted(len(self.items), "item") + (" or more" if self.others else "")
        elif self.others:
            yield "items"

    def _summaries(self) -> Iterator[str]:
        if self.summaries:
            count = len(self.summaries)
            yield "the summary" if count == 1 else f"{count} summaries"


def taken_back(engine: Engine, moment: Moment) -> TakenBack:
    """What counted at a moment and was taken back behind it."""
    moment = settle(engine.store.log, moment)
    reader = Reader(engine.live)
    items, summaries, others = set[Address](), dict[Unit, Seq](), set[VaultId]()
    for redaction, events in _redactions(engine, reader, moment):
        gone = _gone(reader, events, moment)
        decided = list(_decided_with(reader, redaction))
        found = dict(_items(decided, gone))
        items.update(found.values())
        summaries |= {where: max(seq, summaries.get(where, seq)) for where, seq in _summaries(reader, decided, gone)}
        known = {gone[cause].header.vault for cause in found}
        others |= {each.header.vault for each in gone.values() if each.header.tag in ITEM_TAGS} - known
    return TakenBack(frozenset(items), summaries, frozenset(others), moment.said is None)


def _redactions(engine: Engine, reader: Reader, moment: Moment) -> Iterator[tuple[Reading, tuple[EventId, ...]]]:
    """The redactions behind a moment, and what each took."""
    log = engine.store.log
    size = log.head().size
    for start in range(moment.seq or 0, size, STRETCH):
        for seq, header in log.headers(start, min(size, start + STRETCH)):
            if SIGN not in header or codec.decode_header(header).tag != MessageRedacted.TAG:
                continue
            reading = reader.at(seq)
            event = None if reading.record is None else reading.record.event
            if isinstance(event, MessageRedacted) and not moment.includes(seq, event.said):
                yield reading, event.events


def _gone(reader: Reader, events: Collection[EventId], moment: Moment) -> Gone:
    """What was there by then, as far as that is known: when something was said is gone with it."""
    found = {event: reader.find(event) for event in events}
    return {
        event: reading
        for event, reading in found.items()
        if reading is not None and (moment.seq is None or reading.seq <= moment.seq)
    }


def _decided_with(reader: Reader, redaction: Reading) -> Iterator[Event]:
    """What was decided in front of a redaction and together with it."""
    left = redaction.header.left
    for seq in range(redaction.seq - 1, 0, -1):
        left += 1
        reading = reader.at(seq)
        if reading.header.left != left:
            return
        if reading.record is not None:
            yield reading.record.event


def _items(events: Collection[Event], gone: Gone) -> Iterator[tuple[EventId, Address]]:
    """The items that are gone, or have lost words, by the event that had left them as they were."""
    for event in events:
        if not event.causes or event.causes[0] not in gone:
            continue
        if isinstance(event, ItemGone):
            yield event.causes[0], Address(event.owner, event.compartment, event.id)
        elif isinstance(event, ItemRedacted):
            yield event.causes[0], address_of(event.item)


def _summaries(reader: Reader, events: Collection[Event], gone: Gone) -> Iterator[tuple[Unit, Seq]]:
    """The sessions whose summary was withheld, and the last one of theirs that went: it lies under the same key."""
    for event in events:
        last = reader.find(event.causes[0]) if isinstance(event, SummaryWithheld) and event.causes else None
        if last is None or not isinstance(event, SummaryWithheld):
            continue
        seqs = [
            each.seq
            for each in gone.values()
            if each.header.tag.startswith(SUMMARY) and each.header.vault == last.header.vault
        ]
        if seqs:
            yield (event.session, event.audience.epoch), max(seqs)


def _is_of(engine: Engine, vault: VaultId, person: Handle) -> bool:
    try:
        return person in engine.store.ring.people(vault)
    except KeyMissing:  # nothing that can be looked at is of whom its key was destroyed
        return False
