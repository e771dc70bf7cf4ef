"""Looking back: which moment of the log somebody means, by which clock, and what to say about it.

There are two. `at` is when something was recorded: what was known then. `said` is when it was said: how imported years
are travelled, which were recorded in a minute.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, tzinfo
from typing import Literal, NamedTuple

from dnam.when import LAST_IMPORT, When, read_when
from projections.errors import BadRequest
from projections.ids import Seq
from projections.imports import ImportRow, imports
from projections.rows import Rows
from replay import codec
from replay.engine import Engine
from replay.travel import Moment, settled

Clock = Literal["recorded", "said"]
Shown = Callable[[int], str]
"""A time in ms, as it is shown to whoever asks."""


class Looked(NamedTuple):
    """A moment that somebody looks at: by which clock, its last event or its last ms, and what they should know."""

    clock: Clock
    moment: Moment
    ms: int | None
    notes: tuple[str, ...] = ()


class Reader(NamedTuple):
    """Who looks back: the time it is for them, their zone, how times are shown to them, and whether there is a `--said`
    that they can be told of.
    """

    now: datetime
    zone: tzinfo
    shown: Shown
    has_said: bool = True


def looked_at(engine: Engine, rows: Rows, reader: Reader, at: str | None, said: str | None) -> Looked:
    """The moment that one of these options means. BadRequest for no moment, or for two."""
    if at is not None and said is not None:
        raise BadRequest("--at goes by when things were recorded, --said by when they were said: give one of them")
    if said is not None:
        return _said(read_when(said, reader.now, reader.zone), said, reader)
    return _recorded(engine, rows, read_when("now" if at is None else at, reader.now, reader.zone), reader)


# -- by when it was said -------------------------------------------------------------------------------------------


def _said(when: When, text: str, reader: Reader) -> Looked:
    if when.ms is None:
        but = when.taken_for or "--at takes that"
        raise BadRequest(f"--said goes by when things were said, so it takes a time, not {text!r}; {but}")
    future = when.ms > _ms(reader.now)
    notes = (f"as said up to {reader.shown(when.ms)}", *(("that is in the future",) if future else ()))
    return Looked("said", Moment(said=when.ms), when.ms, notes)


# -- by when it was recorded ---------------------------------------------------------------------------------------


def _recorded(engine: Engine, rows: Rows, when: When, reader: Reader) -> Looked:
    seq = _seq(engine, rows, when)
    ms = when.ms if when.ms is not None else _at(engine, seq)
    notes = tuple(_notes(engine, rows, seq, when, reader))
    return Looked("recorded", Moment(seq=seq), ms, notes)


def _seq(engine: Engine, rows: Rows, when: When) -> int:
    size = engine.head().size
    if when.last_import:
        begun = [seq for seq, _ in _begun(engine, rows)]
        if not begun:
            raise BadRequest(f"nothing was ever imported here, so there is no {LAST_IMPORT!r}")
        return max(begun) - 1
    if when.seq is not None:
        if when.seq > size:
            raise BadRequest(f"there is no event #{when.seq} yet: the log ends at #{size}{_taken_for(when)}")
        return settled(engine.store.log, when.seq)
    assert when.ms is not None
    return engine.seq_at(when.ms)


def _notes(engine: Engine, rows: Rows, seq: int, when: When, reader: Reader) -> Iterator[str]:
    if seq == 0:
        first = _at(engine, 1)
        yield "nothing was recorded by then" + ("" if first is None else f": the log begins at {reader.shown(first)}")
    else:
        at = _at(engine, seq)
        assert at is not None
        together = f": #{when.seq} was recorded together with #{seq}" if when.seq not in (None, seq) else ""
        shown = reader.shown(at if when.ms is None else when.ms)
        yield f"as recorded up to #{seq}, {shown}{together}{_taken_for(when)}"
    if when.ms is not None and when.ms > _ms(reader.now):
        yield "that is in the future: this is what is known now"
    yield from (_import_note(each, reader) for begun, each in _begun(engine, rows) if begun > seq)


def _taken_for(when: When) -> str:
    return f"; {when.taken_for}" if when.alike else ""


def _import_note(row: ImportRow, reader: Reader) -> str:
    what = f"an import from {', '.join(row.formats)} came in later"
    if row.said is None:
        return f"{what}, and broke off" + (": `--said WHEN` goes by when things were said" if reader.has_said else "")
    first, last = row.said
    if not reader.has_said:
        return f"{what}, with what was said from {reader.shown(first)} to {reader.shown(last)}"
    exactly = datetime.fromtimestamp(last / 1000, reader.zone).isoformat(timespec="milliseconds")
    return f"{what}, with what was said since {reader.shown(first)}: `--said {exactly}` shows all of it"


def _begun(engine: Engine, rows: Rows) -> Sequence[tuple[Seq, ImportRow]]:
    """Imports with the events that began them, in order."""
    found = {engine.store.log.find(each.began): each for each in imports(rows)}
    return sorted((seq, each) for seq, each in found.items() if seq is not None)


def _at(engine: Engine, seq: int) -> int | None:
    stored = engine.store.log.get(seq)
    return None if stored is None else codec.decode_header(stored.header).at


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
