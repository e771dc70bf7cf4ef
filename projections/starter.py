"""The message at which a thread began. In Discord the thread has its id, while the message itself lies in the channel
above: in the thread, "what should I do about it?" says nothing without it.

    found     in the session of the channel that the thread hangs on, by when it was said, which the thread's id tells.
              A private thread begins at no message, and a forum's post lies in its own thread
    may       stand there what everyone may read who reads the answer: thread and channel have the same readers now, and
              it was said to these. What may be told again besides, `telling` says: no answer from elsewhere does, nor
              what a person took back
    stands    above the first line of the thread, where the window reaches back to that (`window.recent`). Where the
              readers of the thread changed, a fresh window began, and reaches no further
"""

from projections.ids import Point
from projections.messages import message_called
from projections.places import PlaceRow, audience_of, find_place, place_of
from projections.policies.compartments import Setting, said_in
from projections.rows import Rows
from projections.said import Entry
from projections.telling import MayTell


def starter(rows: Rows, setting: Setting, session: str, before: Point) -> Entry | None:
    """The message at which the thread of a session began, said before a point, where a context may read it."""
    thread = _thread(rows, setting, session)
    above = None if thread is None or thread.parent is None else find_place(rows, thread.parent)
    there = None if above is None else audience_of(rows, above.row.place)
    if thread is None or above is None or there is None:
        return None
    found = message_called(rows, above.row.session, there.epoch, thread.place, before)
    if found is None or found.row.message.audience != there:
        return None
    here, said = said_in(rows, setting.audience, setting.guild), said_in(rows, there, found.row.message.guild)
    may = here == said and MayTell(rows, session, setting.audience.epoch)(found.key, found.row)
    return Entry(*found) if may else None


def _thread(rows: Rows, setting: Setting, session: str) -> PlaceRow | None:
    """The thread of a session, as long as those can read it who could at its beginning."""
    found = place_of(rows, session)
    if found is None or found.row.kind != "thread" or setting.audience.epoch:
        return None
    return found.row if audience_of(rows, found.row.place) == setting.audience else None
