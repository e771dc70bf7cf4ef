"""Where memories come from, read from the history and the events that it names, and from nothing else.

    touches       the history's entries for the rows asked for: no event is opened
    audit         the lives of a person's items, each step with what it rests on
    uses          the answers into whose prompt an item went
    differences   what a person's memory was at one moment and is at another

What a step rests on is found by the ids of its causes. Every cause is accounted for: one that cannot be read any more
is said to be redacted or erased, and a message that was edited is told as it now is (`cited`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from projections.derived import effects_of
from projections.differences import Difference
from projections.differences import differences as differing
from projections.events import ItemMoved, ItemRefused, TurnAnswered
from projections.events.work import WorkEvent
from projections.fold import Record
from projections.ids import EventId, Handle, Seq, digest16
from projections.items import ITEMS, REFUSALS, items_of, owner_key
from projections.lives import (
    Address,
    Clock,
    Life,
    Step,
    address_of,
    key_of,
    lives,
    moved_from,
    with_refusals,
    would_be,
)
from projections.rows import Rows, after_prefix
from replay.cited import Cited, cited, is_said
from replay.history import history_prefix, said_of
from replay.live import Live
from replay.overlay import HISTORY
from replay.reading import Reader, Reading
from replay.travel import Moment, Past, settle

NOW = Moment()
"""Everything that is there."""
ITEM_TAGS = "item."
_ID = slice(32, 48)
"""Where an item's key says which id it has."""


class Touch(NamedTuple):
    """An event that touched a row: the row's key, and when (ms) it was said."""

    key: bytes
    seq: Seq
    said: int


class Explained(NamedTuple):
    """A step with what it rests on: the model's work, the messages and answers, and what cannot be read any more of
    anything else. `quotes` are words whose message is not in the log.
    """

    step: Step
    work: Reading | None
    cited: tuple[Cited, ...]
    gone: tuple[Reading, ...]
    quotes: tuple[str, ...]


class Audited(NamedTuple):
    """The life of an item, explained."""

    life: Life
    steps: tuple[Explained, ...]


class Use(NamedTuple):
    """An answer into whose prompt an item went, as `event` had left it; `question` is what was answered."""

    turn: Record
    event: EventId
    question: Cited | None


def touches(rows: Rows, prefix: bytes, moment: Moment = NOW) -> Iterator[Touch]:
    """What touched the items whose keys begin with this, up to a moment."""
    start = history_prefix(ITEMS.table, prefix)
    for key, stored in rows.raw.scan(HISTORY, start, after_prefix(start)):
        said = said_of(stored.body)
        if moment.includes(stored.seq, said):
            yield Touch(key[4:-8], stored.seq, said)


def rows_at(rows: Rows, live: Live, moment: Moment) -> Rows:
    """The rows of a moment, by the same look as these, which are those of now."""
    return Rows(Past(rows.raw, live, settle(live.store.log, moment)), rows.ids)


def clock_of(moment: Moment) -> Clock:
    """By which clock a moment goes."""
    return "recorded" if moment.said is None else "said"


# -- lives ---------------------------------------------------------------------------------------------------------


def lives_of(
    rows: Rows, reader: Reader, owner: Handle, item_id: str = "", moment: Moment = NOW, *, refusals: bool = True
) -> list[Life]:
    """The lives of a person's items by a moment, or of those that have or had this id; `rows` are those of now."""
    clock = clock_of(moment)
    records, keys = _followed(rows, reader, _touched_keys(rows, owner, item_id, moment), moment)
    found = lives(records, keys, clock)
    if not refusals:
        return found
    ids = {life.address.id for life in found} | {item_id}
    return with_refusals(found, _refusals(rows, reader, owner, moment, ids if item_id else None), clock)


def life_at(rows: Rows, reader: Reader, address: Address) -> Life | None:
    """The life of what lies at an address now. No other item of its owner's is looked at."""
    key = key_of(address)
    records, keys = _followed(rows, reader, {key: [touch.seq for touch in touches(rows, key)]}, NOW)
    return next((life for life in lives(records, keys) if life.address == address), None)


def _followed(
    rows: Rows, reader: Reader, waiting: dict[bytes, list[Seq]], moment: Moment
) -> tuple[list[Record], frozenset[bytes]]:
    """Every event that touched these rows, and those of the rows too that an item moved from or to."""
    records: dict[Seq, Record] = {}
    keys: set[bytes] = set()
    while waiting:
        key, seqs = waiting.popitem()
        keys.add(key)
        for seq in seqs:
            record = reader.at(seq).record
            if record is None:
                continue
            records[seq] = record
            for other in _moves(record):
                if other not in keys and other not in waiting:
                    waiting[other] = [touch.seq for touch in touches(rows, other, moment)]
    return list(records.values()), frozenset(keys)


def _touched_keys(rows: Rows, owner: Handle, item_id: str, moment: Moment) -> dict[bytes, list[Seq]]:
    wanted = digest16(item_id) if item_id else b""
    found: dict[bytes, list[Seq]] = {}
    for touch in touches(rows, owner_key(owner), moment):
        if not wanted or touch.key[_ID] == wanted:
            found.setdefault(touch.key, []).append(touch.seq)
    return found


def _moves(record: Record) -> tuple[bytes, ...]:
    event = record.event
    return (key_of(moved_from(event)), key_of(address_of(event.item))) if isinstance(event, ItemMoved) else ()


def _refusals(rows: Rows, reader: Reader, owner: Handle, moment: Moment, ids: Iterable[str] | None) -> Iterator[Record]:
    """What was refused of an owner, or of that what is about these ids."""
    for found in rows.scan(REFUSALS, owner_key(owner)):
        record = reader.at(found.seq).record if moment.includes(found.seq, found.row.said) else None
        if record is None or not isinstance(record.event, ItemRefused):
            continue
        if ids is None or {record.event.against, would_be(record.event).id}.intersection(ids):
            yield record


# -- what a step rests on ------------------------------------------------------------------------------------------


def audit(rows: Rows, reader: Reader, owner: Handle, item_id: str = "", moment: Moment = NOW) -> list[Audited]:
    """Every life of a person's items by a moment, with what each step rests on; `rows` are those of now."""
    found = lives_of(rows, reader, owner, item_id, moment)
    return [Audited(life, tuple(explained(rows, reader, step) for step in life.steps)) for life in found]


def explained(rows: Rows, reader: Reader, step: Step) -> Explained:
    """A step with what it rests on; `rows` are those of now."""
    readings = [reading for cause in step.record.event.causes if (reading := reader.find(cause)) is not None]
    quoted, loose = _quotes(reader, step)
    said = {each.seq: each for each in (*readings, *(each for each, _ in quoted.values())) if is_said(each)}
    work = next((each for each in readings if each.record and isinstance(each.record.event, WorkEvent)), None)
    gone = tuple(each for each in readings if each.record is None and not is_said(each))
    upto = step.record.seq
    found = (cited(rows, reader, each, upto, quoted[seq][1] if seq in quoted else ()) for seq, each in said.items())
    return Explained(step, work, tuple(sorted(found, key=lambda each: each.reading.seq)), gone, loose)


def _quotes(reader: Reader, step: Step) -> tuple[dict[Seq, tuple[Reading, tuple[str, ...]]], tuple[str, ...]]:
    """The words that came with a step, by the message that they stand in, and those that stand in none."""
    quoted: dict[Seq, tuple[Reading, tuple[str, ...]]] = {}
    loose: list[str] = []
    for each in step.new_evidence:
        reading = reader.find(each.message) if each.message else None
        if reading is None:
            loose.append(each.quote)
        else:
            _, before = quoted.get(reading.seq, (reading, ()))
            quoted[reading.seq] = reading, (*before, each.quote) if each.quote else before
    return quoted, tuple(quote for quote in loose if quote)


# -- what it was used for ------------------------------------------------------------------------------------------


def uses(rows: Rows, reader: Reader, found: Sequence[Life]) -> list[Use]:
    """The answers into whose prompt these items went, in the order in which they were recorded."""
    used: dict[Seq, Use] = {}
    for life in found:
        for event in (*life.events, *_former(reader, life)):
            for turn in _turns_from(rows, reader, event):
                if _stood_in(turn, life, event):
                    used[turn.seq] = Use(turn, event, _question(rows, reader, turn))
    return [use for _, use in sorted(used.items())]


def _former(reader: Reader, life: Life) -> Iterator[EventId]:
    """The events of a life that were redacted since: the next one names them."""
    for step in life.steps:
        for cause in step.record.event.causes:
            reading = reader.find(cause)
            if reading is not None and reading.record is None and reading.header.tag.startswith(ITEM_TAGS):
                yield cause


def _turns_from(rows: Rows, reader: Reader, event: EventId) -> Iterator[Record]:
    for effect, tag in effects_of(rows, event):
        reading = reader.find(effect) if tag == TurnAnswered.TAG else None
        if reading is not None and reading.record is not None:
            yield reading.record


def _question(rows: Rows, reader: Reader, turn: Record) -> Cited | None:
    asked = reader.find(_turn(turn).answers)
    return None if asked is None else cited(rows, reader, asked, turn.seq)


def _turn(record: Record) -> TurnAnswered:
    assert isinstance(record.event, TurnAnswered)
    return record.event


def _stood_in(turn: Record, life: Life, event: EventId) -> bool:
    """Whether it was this item that the event had made: a merge makes several."""
    addresses = {address_of(step.after) for step in life.steps if step.after}
    return any(
        use.event == event and Address(use.owner, use.compartment, use.id) in addresses for use in _turn(turn).items
    )


# -- two moments ---------------------------------------------------------------------------------------------------


def differences(rows: Rows, live: Live, owner: Handle, first: Moment, last: Moment) -> list[Difference]:
    """What is not at the last moment as it was at the first; `rows` are those of now."""
    first, last = (settle(live.store.log, moment) for moment in (first, last))
    before, after = ([found.row for found in items_of(rows_at(rows, live, moment), owner)] for moment in (first, last))
    return differing(before, after, _moved(rows, Reader(live), owner, first, last))


def _moved(rows: Rows, reader: Reader, owner: Handle, first: Moment, last: Moment) -> Mapping[Address, Address]:
    """Where items were at the first moment that lie elsewhere at the last: only moves in between are opened."""
    between = {
        touch.seq
        for touch in touches(rows, owner_key(owner), last)
        if not first.includes(touch.seq, touch.said) and reader.tag_at(touch.seq) == ItemMoved.TAG
    }
    came: dict[Address, Address] = {}
    for reading in map(reader.at, sorted(between)):
        if reading.record is not None and isinstance(reading.record.event, ItemMoved):
            old, new = moved_from(reading.record.event), address_of(reading.record.event.item)
            came[new] = came.pop(old, old)
    return came
