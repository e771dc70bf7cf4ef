"""The message at which a thread began. In Discord the thread has its id, while the message itself lies in the channel
above: in the thread, "what should I do about it?" says nothing without it.

    found     in the session of the channel that the thread hangs on, by when it was said, which the thread's id tells;
              an answer by the message as which it arrived. A private thread begins at no message, and a forum's post
              lies in its own thread
    may       stand there what everyone may read who reads the answer: thread and channel have the same readers now, and
              it was said to these. What may be told again besides, `telling` says of the channel: no answer of an era
              before this one, nor what a person took back
    stands    above the first line of the thread, where the window reaches back to that (`window.recent`). Where the
              readers of the thread changed, a fresh window began, and reaches no further
"""

from projections.events.values import Message
from projections.ids import Point, Ref
from projections.messages import message_called
from projections.places import PlaceRow, audience_of, find_place, place_of
from projections.policies.compartments import Setting, said_in
from projections.rows import Rows
from projections.said import Entry
from projections.telling import MayTell
from projections.turns import TurnRow, answer_called


def starter(rows: Rows, setting: Setting, session: str, before: Point, may_tell: MayTell) -> Entry | None:
    """The message at which the thread of a session began, said before a point, where a context may read it."""
    thread = _thread(rows, setting, session)
    above = None if thread is None or thread.parent is None else find_place(rows, thread.parent)
    there = None if above is None else audience_of(rows, above.row.place)
    if thread is None or above is None or there is None:
        return None
    begun = _called(rows, above.row.session, there.epoch, thread.place, before)
    said = None if begun is None else _said(begun)
    if begun is None or said is None or said.audience != there:
        return None
    is_open = said_in(rows, setting.audience, setting.guild) == said_in(rows, there, said.guild)
    return begun if is_open and may_tell.as_in(above.row.session, there.epoch)(begun.key, begun.row) else None


def _called(rows: Rows, session: str, epoch: int, ref: Ref, before: Point) -> Entry | None:
    """What its platform calls so: a message, or an answer."""
    found = message_called(rows, session, epoch, ref, before) or answer_called(rows, session, epoch, ref, before)
    return None if found is None else Entry(*found)


def _said(entry: Entry) -> Message | TurnRow:
    """What says who could read it."""
    return entry.row if isinstance(entry.row, TurnRow) else entry.row.message


def _thread(rows: Rows, setting: Setting, session: str) -> PlaceRow | None:
    """The thread of a session, as long as those can read it who could at its beginning."""
    found = place_of(rows, session)
    if found is None or found.row.kind != "thread" or setting.audience.epoch:
        return None
    return found.row if audience_of(rows, found.row.place) == setting.audience else None
