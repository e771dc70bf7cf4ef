"""What the summary of a session is made from: the messages and answers that a refresh may read, as many as its input
holds.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import takewhile
from typing import NamedTuple, Protocol

from dnam.model import Line
from projections.caller import Caller
from projections.events.values import Audience
from projections.fruitless import Reader, passed_over
from projections.ids import LAST, EventId, Point, Seq
from projections.items import quiet_among
from projections.messages import MessageRow, key_point, worded
from projections.rows import Rows
from projections.said import Entry, backwards, forwards, of_era
from projections.turns import TurnRow
from projections.window_line import WindowLine, entry_line

ASSISTANT_CHARS = 500
"""How much of the assistant's own words goes into a summary (seed 002)."""
INPUT_CHARS = 24_000
"""How much one refresh reads; what is behind it is read by the next."""


class Taken(NamedTuple):
    """Lines for a refresh, when the latest of them was said or edited, and the point they were read up to, if they did
    not all find room.
    """

    lines: list[WindowLine]
    said: int
    stopped: Point | None


class Only(Protocol):
    """What a refresh may read, all of it said by `until` (ms). `edited` is where messages lie that may say something
    else than at first.
    """

    @property
    def until(self) -> int: ...

    @property
    def edited(self) -> Sequence[Point]: ...

    def has(self, heard: EventId, version: EventId) -> bool:
        """Whether a message is among it as this event of its has it; of an answer both are its own."""

    def is_new(self, heard: EventId, version: EventId) -> bool:
        """Whether no earlier refresh might read it."""

    def has_more(self, known: Set[EventId]) -> bool:
        """Whether anything that no earlier refresh might read may be of other events than these."""


def _id_of(row: MessageRow | TurnRow) -> EventId:
    """What a message or an answer is known by."""
    return row.heard if isinstance(row, MessageRow) else row.event


class Source(NamedTuple):
    """What a refresh reads from: a session in one epoch, and of that nothing but what is among `only`, where given, and
    nothing that is passed over for the `reader`, where there is one. Who is called like the `assistant` is told apart
    from it.
    """

    rows: Rows
    session: str
    audience: Audience
    only: Only | None
    assistant: str
    reader: Reader | None

    def may_read(self, row: MessageRow | TurnRow) -> bool:
        """Whether something that was said is among what is read."""
        return self.only is None or self.only.has(_id_of(row), row.event)

    def came_behind(self, line: WindowLine, seq: Seq) -> bool:
        """Whether something came in behind the summary that was made at `seq`."""
        return line.seq > seq if self.only is None else self.only.is_new(line.id, line.event)

    def may_have_more(self, taken: Taken) -> bool:
        """Whether anything may have come in behind the last summary besides what was taken."""
        if self.only is None:
            return True
        return self.only.has_more({each for line in taken.lines for each in (line.id, line.event)})

    def is_by_then(self, entry: Entry) -> bool:
        """Whether it was said by the time up to which is read."""
        return self.only is None or key_point(entry.key).said <= self.only.until

    def since(self, after: Point | None, era: int, turns: int | None, most: int | None = None) -> Taken:
        """Everything said behind a point, oldest first, as far as the input reaches: of people so many `turns`, with
        what was said between them and behind them, and `most` lines. No answers of earlier eras.
        """
        rows, session, epoch = self.rows, self.session, self.audience.epoch
        entries = of_era(takewhile(self.is_by_then, forwards(rows, session, epoch, after)), era)
        return _take(self, entries, most, turns)

    def recent(self, said: int, floor: Point | None) -> Taken:
        """People's messages alone up to a time, the newest as far as the input reaches, in order; nothing that was
        cleared by a reset, which reached as far as `floor`.
        """
        newest = backwards(self.rows, self.session, self.audience.epoch, Point(said, LAST))
        uncleared = takewhile(lambda entry: floor is None or key_point(entry.key) > floor, newest)
        taken = _take(self, (entry for entry in uncleared if _by_people(entry)))
        return taken._replace(lines=taken.lines[::-1])


def _by_people(entry: Entry) -> bool:
    return isinstance(entry.row, MessageRow) and entry.row.message.author != "self"


def _take(source: Source, entries: Iterable[Entry], most: int | None = None, turns: int | None = None) -> Taken:
    """What of these fits into the input, in the order given."""
    rows = source.rows
    taken: list[Entry] = []
    room, said_by_people = INPUT_CHARS, 0
    stopped: Point | None = None
    caller = Caller(rows, source.assistant)
    for entry in _readable(source, entries):
        room -= _room_of(entry, caller)
        said_by_people += _is_turn_of_people(entry.row)
        is_full = (room < 0 and taken) or len(taken) == most
        if is_full or (turns is not None and said_by_people > turns):
            stopped = key_point(entry.key)
            break
        taken.append(entry)
    return Taken(_lines(source, taken), max(map(_worded, taken), default=0), stopped)


def _readable(source: Source, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Those of them that may be read: nothing that was taken back, or is passed over."""
    is_gone = quiet_among(source.rows)
    is_passed_over = _never if source.reader is None else passed_over(source.rows, source.reader)
    for entry in entries:
        said = _id_of(entry.row)
        if source.may_read(entry.row) and not is_gone(said) and not is_passed_over(said):
            yield entry


def _never(_: EventId) -> bool:
    return False


def _is_turn_of_people(row: MessageRow | TurnRow) -> bool:
    """Whether it counts as a turn where every message of a person does: no bot's, and no webhook's."""
    return isinstance(row, MessageRow) and row.message.author in ("person", "unknown")


def _room_of(entry: Entry, caller: Caller) -> int:
    """How much of the input a message or an answer takes. Of most the text is all that its line tells."""
    row = entry.row
    if isinstance(row, TurnRow):
        text, is_whole, by_assistant = row.text, not row.spans, True
    else:
        message = row.message
        text, is_whole = message.text, not message.spans and not message.attachments
        by_assistant = message.author == "self"
    length = len(text) if is_whole else len(entry_line(entry, caller, {}).text)
    return min(length, ASSISTANT_CHARS if by_assistant else INPUT_CHARS)


def _lines(source: Source, entries: Sequence[Entry]) -> list[WindowLine]:
    """They are read with the names of those who speak in them; whoever is only mentioned is "someone"."""
    rowed = (entry.row for entry in entries)
    speakers = frozenset(row.message.speaker for row in rowed if isinstance(row, MessageRow))
    caller = Caller(source.rows, source.assistant, only=speakers)
    return [entry_line(entry, caller, {}) for entry in entries]


def _worded(entry: Entry) -> int:
    """When the words of an entry came to be as they are now."""
    return worded(entry.row.message) if isinstance(entry.row, MessageRow) else entry.row.said


def as_read(line: WindowLine) -> Line:
    """A line as a model reads it."""
    text = line.text[:ASSISTANT_CHARS] if line.by_assistant else line.text[:INPUT_CHARS]
    return Line(line.name, text, line.said, line.id.hex(), assistant=line.by_assistant)
