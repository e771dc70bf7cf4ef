"""What an imported item rests on: the words that its program kept of it, and the message they stand in, where that was
heard here. Then it goes when the message goes.
"""

from collections.abc import Iterator
from typing import NamedTuple

from projections.consent import is_out
from projections.decisions.delete import is_taken_back, message_identity
from projections.derived import effects_of
from projections.errors import BadRequest
from projections.events import MessageEdited, MessageHeard
from projections.events.values import Evidence, Message, Source
from projections.ids import NOBODY, EventId, Handle, Point, Ref
from projections.messages import MessageRow, find_message
from projections.places import audience_of, find_place
from projections.policies.compartments import audience_now, in_guild, of_person_in
from projections.rows import Rows

TAKEN_BACK = "the message that it came from was deleted or erased here"
OUT = "who said what it was learned of opted out"
NARROWER = "it was learned in a channel that only some can read by now"


class Claimed(NamedTuple):
    """What a program says of one of its items: `quote` are the words, in the message of its source, which was said at
    `message_said` (ms), where that is known. `row` is what the program calls the item.
    """

    owner: Handle
    compartment: str
    source: Source
    quote: str
    message_said: int | None
    row: Ref | None


class Rest(NamedTuple):
    """What holds of it."""

    evidence: tuple[Evidence, ...] = ()
    causes: tuple[EventId, ...] = ()


def rest(rows: Rows, claimed: Claimed) -> Rest:
    """The evidence. A message that is known here, and on which the compartment may rest, is a cause; of a program that
    neither quotes it nor names a row of its own (DiscoClaw), it is only asked whether it was taken back.

    What is nobody's has a quote only then: otherwise the words would be somebody's, and no erasure could reach them.
    Raises BadRequest where the message was taken back, its speaker opted out, or its channel is no longer all of the
    guild's.
    """
    place, message = claimed.source.place, claimed.source.message
    _refuse_wider(rows, claimed)
    heard = _heard(rows, message, claimed.message_said)
    if not claimed.quote and claimed.row is None:
        return Rest()
    row = None if heard is None or place is None else _message_at(rows, place, heard)
    if heard is not None and row is not None and _may_rest(rows, claimed, row.message):
        return Rest((Evidence(claimed.quote, heard.id, message),), (heard.id,))
    quote = claimed.quote if claimed.owner else ""
    return Rest((Evidence(quote, ref=message or claimed.row),) if quote else ())


def _refuse_wider(rows: Rows, claimed: Claimed) -> None:
    """All of a guild does not read what was learned in a channel that only some can read by now."""
    known = None if claimed.source.place is None else audience_of(rows, claimed.source.place)
    if claimed.compartment.startswith("guild/") and known is not None and known.kind != "guild":
        raise BadRequest(NARROWER)


def _heard(rows: Rows, message: Ref | None, said: int | None) -> Point | None:
    """The message, if it was heard here. Raises BadRequest when it was taken back, or its speaker is not heard any
    more: what came of it is not wanted.
    """
    if message is None or said is None:
        return None
    heard = rows.ids.event_id(message_identity(message.platform, message.key, "heard", said))
    if rows.ids.status(heard) == "unknown":
        return None
    if is_taken_back(rows, heard):
        raise BadRequest(TAKEN_BACK)
    if is_out(rows, _speaker(rows, heard)):
        raise BadRequest(OUT)
    return Point(said, heard)


def _speaker(rows: Rows, heard: EventId) -> Handle:
    """Who said a message, wherever that was; the words that it had first may be gone."""
    return next((each.speaker for each in versions_heard(rows, heard)), NOBODY)


def versions_heard(rows: Rows, heard: EventId) -> Iterator[Message]:
    """What a message said at first and after each edit, as far as it can be read."""
    edits = (effect for effect, tag in effects_of(rows, heard) if tag == MessageEdited.TAG)
    found = (each for each in map(rows.event, (heard, *edits)) if isinstance(each, MessageHeard | MessageEdited))
    return (each.message for each in found)


def _message_at(rows: Rows, place: Ref, heard: Point) -> MessageRow | None:
    """The message as it now is, from the session of its place, in whichever epoch it was said."""
    described, audience = find_place(rows, place), audience_of(rows, place)
    if described is None or audience is None:
        return None
    epochs = range(audience.epoch, -1, -1)
    found = (find_message(rows, described.row.session, each, heard) for each in epochs)
    return next((each.row for each in found if each is not None), None)


def _may_rest(rows: Rows, claimed: Claimed, message: Message) -> bool:
    """Whether the item's compartment may rest on what was said there (design §7)."""
    if message.audience.kind == "guild" and message.guild is not None:
        is_open = audience_now(rows, message.audience) == message.audience
        return is_open and claimed.compartment == in_guild(message.guild)
    return claimed.compartment == of_person_in(claimed.owner, message.place)
