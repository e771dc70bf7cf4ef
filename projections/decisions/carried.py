"""What carries the words of something elsewhere: forwards, which name what they forward as their cause (`forwards`).

Gone with it are all of them, and what forwards one of them in turn: what they show was said there, and is not theirs.
"""

from collections.abc import Collection, Iterable

from projections.events import MessageEdited, MessageHeard
from projections.events.values import FORWARDED, Message
from projections.gaps import led_to
from projections.ids import EventId, Point
from projections.messages import MessageRow, find_message
from projections.rows import Rows


def carrying(rows: Rows, gone: Iterable[EventId], known: Collection[EventId] = ()) -> list[MessageRow]:
    """The messages that forward one of these events, as they now are, but those that are `known`, each once."""
    found: dict[EventId, MessageRow] = {}
    for each in _heard(rows, gone):
        for effect, tag in led_to(rows, each):
            if tag == MessageHeard.TAG and effect not in known and effect not in found:
                row = _row(rows, effect)
                if row is not None and forwards_something(row.message):
                    found[effect] = row
    return list(found.values())


def _heard(rows: Rows, events: Iterable[EventId]) -> dict[EventId, None]:
    """These events, and with an edit the event that recorded its message first: that is what is forwarded."""
    found: dict[EventId, None] = {}
    for each in events:
        event = rows.event(each)
        found |= {each: None} if not isinstance(event, MessageEdited) else {each: None, event.heard: None}
    return found


def forwards_something(message: Message) -> bool:
    """Whether a message shows another one again."""
    return any(each.name == FORWARDED for each in message.attachments)


def _row(rows: Rows, heard: EventId) -> MessageRow | None:
    """A message as it now is, also where its first words went with an edit; None where it is gone."""
    edits = (effect for effect, tag in led_to(rows, heard) if tag == MessageEdited.TAG)
    events = map(rows.event, (heard, *edits))
    message = next((each.message for each in events if isinstance(each, MessageHeard | MessageEdited)), None)
    if message is None:
        return None
    found = find_message(rows, message.session, message.audience.epoch, Point(message.said, heard))
    return None if found is None else found.row
