"""What the message to answer replies to, as it is quoted above it: "translate this please" says nothing without it.

    found     among what can be read where it is answered: in the session and the epoch of the message, as the window.
              A message by when it was said, which its platform's id tells; an answer by the message as which it arrived
    may       stand there what may be told again (`telling`): nothing that a person took back
    quoted    the beginning of it; of what stands in the window as well, as much as tells it apart

It is an event of its own among those that an answer rests on. It is no word of whoever quotes it: loops read messages
without it.
"""

from typing import NamedTuple

from projections.caller import Caller
from projections.events.values import LeftOut
from projections.ids import EventId, Point, Ref
from projections.messages import MessageRow, message_called
from projections.rows import Rows
from projections.said import Entry
from projections.telling import MayTell
from projections.trimming import cut
from projections.turns import answer_called
from projections.window import Window
from projections.window_line import WindowLine, entry_line

BLOCK = "replied"
QUOTED_CHARS = 200
"""How much of it is quoted, in code points."""
TELLING_CHARS = 80
"""How much of it where it stands in the window."""
CUT = " …"


class Replied(NamedTuple):
    """The line that is quoted, by what its platform calls it, and what of it is not."""

    ref: Ref
    line: WindowLine
    left_out: tuple[LeftOut, ...] = ()

    @property
    def whole(self) -> EventId | None:
        """What is quoted, where nothing of it is left out: it need not be found again."""
        return None if self.left_out else self.line.id


def replied_to(rows: Rows, asked: MessageRow, window: Window, caller: Caller, may_tell: MayTell) -> Replied | None:
    """What a message replies to, where that may be told to whoever reads the answer."""
    message = asked.message
    ref, session, epoch = message.reply_to, message.session, message.audience.epoch
    if ref is None:
        return None
    before = Point(message.said, asked.heard)
    entry = window.signed.get(ref) or _answer(rows, session, epoch, ref) or _message(rows, session, epoch, ref, before)
    if entry is None or not may_tell(entry.key, entry.row):
        return None
    line = entry_line(entry, caller, window.authors)
    stands_there = any(line.id == each.id for each in window.lines)
    return _quoted(ref, line, TELLING_CHARS) if stands_there else _alone(ref, line)


def _alone(ref: Ref, line: WindowLine) -> Replied:
    """It stands nowhere else, so what is not quoted is left out."""
    quoted = _quoted(ref, line, QUOTED_CHARS)
    is_whole = quoted.line.text == line.text
    left_out = () if is_whole else (LeftOut(BLOCK, line.id.hex(), f"over {QUOTED_CHARS} characters"),)
    return quoted._replace(left_out=left_out)


def _quoted(ref: Ref, line: WindowLine, chars: int) -> Replied:
    kept = cut(line.text, chars)
    return Replied(ref, line if kept == line.text else line._replace(text=kept + CUT))


def _answer(rows: Rows, session: str, epoch: int, ref: Ref) -> Entry | None:
    """The answer that arrived as this message, if it was given there."""
    found = answer_called(rows, session, epoch, ref)
    return None if found is None else Entry(*found)


def _message(rows: Rows, session: str, epoch: int, ref: Ref, before: Point) -> Entry | None:
    """The message that its platform calls so, if it was said there before a point."""
    found = message_called(rows, session, epoch, ref, before)
    return None if found is None else Entry(*found)
