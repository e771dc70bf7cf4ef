"""Forwarding: somebody shows again what was said elsewhere, as it was when they did (`hear`).

    what is forwarded                              what is heard of its words
    ─────────────────────────────────────────────  ──────────────────────────────────────────────────────────────────
    a message or an answer that stands             all; it is a cause of the forward, which is sealed for whoever said
                                                   it too, and goes with them, and with it (`carried`)
    one that was deleted, erased, or edited since  none
    one by somebody who opted out                  none
    one that was not heard where all is            none: it is by somebody who opted out, or older than the memory
    one from where nothing is heard                all; nobody knows whose it is, and nothing takes it along

A forward that lost its words stays a forward: that somebody showed something.
"""

from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from projections.consent import is_out
from projections.decisions.delete import is_taken_back, message_identity
from projections.decisions.resting import versions_heard
from projections.events.values import FORWARDED, Attachment, Message
from projections.ids import EventId, Ref
from projections.places import audience_of
from projections.rows import Rows
from projections.turns import SENT, sent_key


class Forwarded(NamedTuple):
    """What a message forwards: its name, when it was said (ms), and the place. `is_heard`: the platform shows that the
    place is one in which the assistant reads along, whether anything was heard there yet or not.
    """

    ref: Ref
    said: int
    place: Ref
    is_heard: bool = False


def source_of(rows: Rows, forwarded: Forwarded) -> EventId:
    """The event of what is forwarded: the turn that was sent as it, or the message that was heard, if it was."""
    sent = rows.get(SENT, sent_key(forwarded.ref))
    if sent is not None:
        return sent.turn
    ref = forwarded.ref
    return rows.ids.event_id(message_identity(ref.platform, ref.key, "heard", forwarded.said))


def may_be_shown(rows: Rows, forwarded: Forwarded, shown: int) -> bool:
    """Whether its words may be heard again, by a message that was said at `shown` (ms)."""
    source = source_of(rows, forwarded)
    if rows.ids.status(source) == "unknown":
        return not (forwarded.is_heard or audience_of(rows, forwarded.place) is not None)
    if is_taken_back(rows, source):
        return False
    return not any(_is_withheld(rows, each, shown) for each in versions_heard(rows, source))


def _is_withheld(rows: Rows, message: Message, shown: int) -> bool:
    """Whether it is by somebody who opted out, says something else since, or shows what may not be shown itself."""
    is_bare = any(each.name == FORWARDED and not each.caption for each in message.attachments)
    return is_bare or (message.edited or 0) > shown or is_out(rows, message.speaker)


def bare(attachments: tuple[Attachment, ...]) -> tuple[Attachment, ...]:
    """What comes with a forward, without the words and the files of what it forwards: they stand behind its mark."""
    return (*_own(attachments), Attachment(FORWARDED))


def _own(attachments: tuple[Attachment, ...]) -> Iterator[Attachment]:
    return takewhile(lambda each: each.name != FORWARDED, attachments)
