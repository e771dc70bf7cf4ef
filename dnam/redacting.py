"""Taking a message back by hand: which one is meant, what goes with it, and doing it.

MESSAGE is what its platform calls it (`discord:1183…`, or the number alone), its link, as Discord copies it, its
event's id in hex, or its place in the log (`120` where no message is called that, or `#120`). An answer of the
assistant's is meant by any message as which it arrived.
"""

import re
from typing import NamedTuple

from dnam.access import Access
from dnam.errors import Ambiguous, Unknown
from projections.decisions.delete import find_said
from projections.decisions.draft import Draft, Minter
from projections.decisions.redact import Redaction, redacted, redaction_of
from projections.decisions.retention import with_answers
from projections.errors import BadRequest
from projections.events import MessageEdited, MessageHeard, MessageRedacted, TurnAnswered
from projections.events.values import OPERATOR, By
from projections.ids import DISCORD, EventId, Point, Ref, Seq
from projections.messages import MESSAGES, MessageRow
from projections.places import epoch_of
from projections.quoting import in_quotes
from projections.rows import Rows
from projections.turns import SENT, TurnRow, find_turn, sent_key
from replay.cited import as_it_is
from replay.reading import Reader, Reading

EVENT = re.compile(r"[0-9a-f]{32}")
PLACE = re.compile(r"#([0-9]{1,18})")
BARE = re.compile(r"[0-9]{1,18}")
LINK = re.compile(r"<?https://(?:[a-z]+\.)?discord(?:app)?\.com/channels/(?:@me|[0-9]+)/[0-9]+/([0-9]+)>?")


class Meant(NamedTuple):
    """One message, or one answer."""

    message: MessageRow | None
    turn: TurnRow | None

    @property
    def event(self) -> EventId:
        """What made it as it is now."""
        if self.message is not None:
            return self.message.event
        assert self.turn is not None
        return self.turn.event


def the_message(rows: Rows, reader: Reader, text: str) -> Meant:
    """Which one is meant. Unknown, Ambiguous, and BadRequest for an event that is neither."""
    wanted = text.strip()
    link = LINK.fullmatch(wanted)
    if link is not None:
        return _by_name(rows, reader, f"discord:{link[1]}")
    place = PLACE.fullmatch(wanted)
    if place is not None:
        return _by_event(rows, as_it_is(rows, reader, _at(reader, int(place[1]))), wanted)
    event = reader.find(EventId(bytes.fromhex(wanted))) if EVENT.fullmatch(wanted) else None
    if event is None:
        return _by_name(rows, reader, wanted)
    return _by_event(rows, as_it_is(rows, reader, event), wanted)


def _at(reader: Reader, seq: int) -> Reading:
    found = reader.at(Seq(seq)) if 0 < seq <= reader.size else None
    if found is None:
        raise Unknown(f"there is no event #{seq} in this log: `dnam log` lists them")
    return found


def _by_event(rows: Rows, reading: Reading, wanted: str) -> Meant:
    """What an event heard, edited or answered. `reading` is of a message as it now is, where it was edited since."""
    if reading.record is None:
        raise BadRequest(f"the words of {wanted} are gone already ({reading.state})")
    match reading.record.event:
        case MessageHeard(message=message):
            point = Point(message.said, reading.id)
        case MessageEdited(message=message, heard=heard):
            point = Point(message.said, heard)
        case TurnAnswered():
            return _answer(rows, reading.id, wanted)
        case event:
            raise BadRequest(f"{wanted} is {event.TAG}: only messages and answers can be redacted")
    found = find_said(rows, message.session, epoch_of(rows, message.session), point)
    if found is None:
        raise BadRequest(f"the message {wanted} was taken back already")
    return Meant(found.row, None)


def _answer(rows: Rows, turn: EventId, wanted: str) -> Meant:
    found = find_turn(rows, turn)
    if found is None:
        raise BadRequest(f"the answer {wanted} was taken back already")
    return Meant(None, found)


def _by_name(rows: Rows, reader: Reader, wanted: str) -> Meant:
    """What a platform calls it. Every message is looked at: platforms' names are no keys of rows."""
    found = [
        each.row for each in rows.scan(MESSAGES) if wanted in (each.row.message.ref.key, str(each.row.message.ref))
    ]
    if len(found) > 1:
        raise Ambiguous(
            f"{wanted} may be any of", tuple(f"{each.message.ref} in {each.message.session}" for each in found)
        )
    if found:
        return Meant(found[0], None)
    platform, _, key = wanted.rpartition(":")
    sent = rows.get(SENT, sent_key(Ref(platform or DISCORD, key)))
    reading = None if sent is None else reader.find(sent.turn)
    if reading is not None:
        return _by_event(rows, reading, wanted)
    if BARE.fullmatch(wanted) and 0 < int(wanted) <= reader.size:
        return _by_event(rows, as_it_is(rows, reader, reader.at(Seq(int(wanted)))), f"#{wanted}")
    raise Unknown(
        f"no message {in_quotes(wanted)} is known here, or it was taken back already: `dnam log` lists them, "
        "each with a number that means it too, as 12 or '#12'"
    )


def what_goes(rows: Rows, meant: Meant, said: int, by: By = OPERATOR, *, whole: bool = True) -> Redaction:
    """Everything that goes with it, as it is now; or as much as one decision has room for."""
    messages = [] if meant.message is None else [meant.message]
    turns = [] if meant.turn is None else [meant.turn]
    return with_answers(redaction_of(rows, messages, said, answers=turns, whole=whole), turns, said, by=by)


async def redact(memory: Access, event: EventId, by: By = OPERATOR) -> int:
    """Take it back; how many events lost their words. 0 where that happened meanwhile. `by` names nobody's handle: it
    is recorded in the clear.
    """
    said, origin = memory.now(), memory.origin()
    bodies = 0

    def decide(rows: Rows) -> list[Draft]:
        reading = Reader(memory.engine.live).find(event)
        if reading is None or reading.record is None or rows.ids.status(event) != "known":
            return []
        taken = what_goes(rows, _by_event(rows, reading, event.hex()), said, by, whole=False)
        return redacted(Minter(rows, taken.first or origin), taken, said, by)

    while (recorded := await memory.record(decide)).records:  # very much goes in several decisions
        bodies += sum(len(each.events) for each in recorded.events if isinstance(each, MessageRedacted))
    return bodies
