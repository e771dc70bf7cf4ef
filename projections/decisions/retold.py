"""What the assistant said where no turn of it is known, as in an import: it goes with what it tells of, as answers do.

Its causes are what was said before it, and what it replies to (`hear`): by these it is found.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable

from projections.events import MessageHeard
from projections.gaps import led_to
from projections.ids import EventId, Point, Ref
from projections.messages import MessageRow, find_message
from projections.rows import Rows

MOST_RETOLD = 300
"""How many go with one redaction at most: of each message those few that had it in a window before them."""


def retold(
    rows: Rows, gone: Iterable[EventId], questions: Collection[Ref], says: Callable[[MessageRow], bool]
) -> list[MessageRow]:
    """The assistant's own messages that had one of these events before them, or another one of those, and say it again;
    and those that reply to one of the questions.
    """
    waiting = deque(gone)
    seen, found = set(waiting), list[MessageRow]()
    while waiting and len(found) < MOST_RETOLD:
        effects = [each for each, tag in led_to(rows, waiting.popleft()) if tag == MessageHeard.TAG]
        news = [each for each in effects if each not in seen]
        waiting.extend(each for each in news if rows.ids.status(each) == "redacted")  # what it said, nobody knows
        for row in filter(None, (own_row(rows, each) for each in news)):
            message = row.message
            if message.author == "self" and (message.reply_to in questions or says(row)):
                found.append(row)
                waiting.extend(dict.fromkeys((row.heard, row.event)))
        seen.update(effects)
    return found


def own_row(rows: Rows, heard: EventId) -> MessageRow | None:
    """A message of the assistant's own as it now is; None where it is gone."""
    event = rows.event(heard)
    if not isinstance(event, MessageHeard):
        return None
    message = event.message
    found = find_message(rows, message.session, message.audience.epoch, Point(message.said, heard))
    return None if found is None else found.row
