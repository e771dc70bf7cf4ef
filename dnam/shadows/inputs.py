"""The runs of a shadow that read less than when they were recorded, and what they could not read, in words.

The fields of these values are those of `less_read` in `dnam diff --shadow --json`, and stable.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dnam.finding import compartment_words
from dnam.shadows.manifest import Lost, Manifest
from projections.counting import counted
from projections.derived import effects_of
from projections.events import ReplyWithdrawn
from projections.ids import NOBODY, EventId, Handle, Seq
from projections.lookup import shown_session
from projections.people import name_of
from projections.places import place_of
from projections.rederiving.schedule import Run, run_of, withdrawn_run
from projections.rows import Rows
from replay.reading import Readable, Reader, Reading

NOBODYS = "nobody's"
"""What stands for a name over what belongs to no person: lore, and what the assistant knows of itself and its owner."""
MOST_NAMED = 8
"""So many inputs are named on one line."""


class Input(NamedTuple):
    """A message or an answer that was not read. `state` says what became of its words."""

    seq: Seq
    event: EventId
    tag: str
    state: Readable


class LessRead(NamedTuple):
    """A run of a loop, by the event that recorded it. An extraction is of a `person` (`name`) and holds `where`, a
    summary of a `session`, which people call `key`; all are empty where a run cannot be told any more. `more`: it had
    read more that is gone, which was not noted.
    """

    seq: Seq
    event: EventId
    loop: str
    person: Handle
    name: str
    where: str
    key: str
    session: str
    inputs: tuple[Input, ...]
    more: bool

    @property
    def words(self) -> str:
        """On one line."""
        of = {"extraction": f" of {self.name}, {self.where}", "summary": f" of {self.key}"}.get(self.loop, "")
        return f"#{self.seq}  {self.loop or 'a run'}{of}: without {self._inputs}"

    @property
    def _inputs(self) -> str:
        if not self.inputs:
            return "something that is not known any more"
        named = [f"#{each.seq}" for each in self.inputs[:MOST_NAMED]]
        return ", ".join(named) + self._others(len(self.inputs) - len(named))

    def _others(self, left: int) -> str:
        """What there is to say of those that are not named."""
        if self.more:
            return " and others"
        return f" and {left} more" if left else ""


def less_read(rows: Rows, events: Reader, manifest: Manifest) -> tuple[LessRead, ...]:
    """What a shadow's runs could not read, in recorded order; `rows` and `events` are the memory's."""
    noted = {run: Lost(run, is_more=True) for run in manifest.changed} | {each.run: each for each in manifest.lost}
    found = (_told(rows, events, each) for each in noted.values())
    return tuple(sorted(each for each in found if each is not None))


def heading(runs: Iterable[LessRead]) -> str:
    """What there is to know of them together; empty where there are none."""
    count = sum(1 for _ in runs)
    those = "it was" if count == 1 else "they were"
    why = "what was read then was edited or taken back since"
    return f"{counted(count, 'run')} read less than when {those} recorded: {why}." if count else ""


def _whose(rows: Rows, person: Handle) -> str:
    return name_of(rows, person) if person else NOBODYS


def _told(rows: Rows, events: Reader, lost: Lost) -> LessRead | None:
    reading = events.find(_id(lost.run))
    if reading is None:
        return None
    run = _run_of(rows, events, reading)
    loop, person, session = ("", NOBODY, "") if run is None else (run.loop, run.owner, run.session)
    place = place_of(rows, session) if session else None
    return LessRead(
        seq=reading.seq,
        event=reading.id,
        loop=loop,
        person=person,
        name=_whose(rows, person) if loop == "extraction" else "",
        where=compartment_words(rows, run.compartment) if run is not None and loop == "extraction" else "",
        key=session if place is None else shown_session(rows, session, place.row.person),
        session=session,
        inputs=tuple(_inputs(events, lost)),
        more=lost.is_more,
    )


def _run_of(rows: Rows, events: Reader, reading: Reading) -> Run | None:
    """The run that an event tells of, or what is told of it since its words went."""
    if reading.record is not None:
        return run_of(reading.id, reading.record.event)
    withdrawn = (effect for effect, tag in effects_of(rows, reading.id) if tag == ReplyWithdrawn.TAG)
    found = (events.find(each) for each in withdrawn)
    told = (each.record.event for each in found if each is not None and each.record is not None)
    return next((withdrawn_run(each) for each in told if isinstance(each, ReplyWithdrawn)), None)


def _inputs(events: Reader, lost: Lost) -> Iterator[Input]:
    for each in lost.inputs:
        reading = events.find(_id(each))
        if reading is not None:
            yield Input(reading.seq, reading.id, reading.header.tag, reading.state)


def _id(text: str) -> EventId:
    return EventId(bytes.fromhex(text))
