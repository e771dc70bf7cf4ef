"""What is taken back in a log whose memory is derived anew: the events that say so are taken over, and what was derived
anew from the words goes with them, as it would have there.

Most often nothing was: words that were gone when the log was walked were never read. They were there where the shadow
was made before they went.
"""

from collections.abc import Mapping, Sequence

from projections.decisions.audience import MOST_MOVED, moves_from
from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.decisions.place import PlaceSeen
from projections.decisions.redact import redacted, redaction_of
from projections.events import MessageEdited, PlaceAudienceChanged
from projections.events.values import PLATFORM
from projections.ids import EventId
from projections.messages import MessageRow
from projections.places import audience_of
from projections.rows import Rows


def take_back(rows: Rows, told: Sequence[Draft], messages: Sequence[MessageRow], origin: Origin) -> list[Draft]:
    """The events of a decision as they were recorded, and behind them what goes here with these messages. To be decided
    again until nothing comes of it: where much says the words again, that goes first.
    """
    news = [draft for draft in told if rows.ids.status(draft.id) == "unknown"]
    if not news:
        return []
    said = max(draft.event.said for draft in told)
    edits = {each.event.heard: each.event.message.text for each in told if isinstance(each.event, MessageEdited)}
    edited = [([row], edits[row.heard]) for row in messages if row.heard in edits]
    deleted = [row for row in messages if row.heard not in edits]
    minter, more = Minter(rows, origin), list[Draft]()
    for some, instead in ((deleted, None), *edited):
        taken = redaction_of(rows, some, said, instead)
        if taken.first is not None:
            return redacted(Minter(rows, taken.first), taken, said, PLATFORM)
        more += redacted(minter, taken, said, PLATFORM)
    return [*news, *more]


def change_readers(
    rows: Rows, told: Sequence[Draft], event: PlaceAudienceChanged, origin: Origin, absent: Mapping[EventId, bytes]
) -> list[Draft]:
    """The items that move with a place, and then the events of the decision as they were recorded; the first of many
    items where they are. To be decided again under another origin until nothing comes of it.

    `absent` are messages whose first words were gone when the log was walked, and whose edit is not here yet, by the
    units in which they were said: what a person put so rests on them all the same.
    """
    news = [draft for draft in told if rows.ids.status(draft.id) == "unknown"]
    if not news or decided_before(rows, origin):
        return []
    known = audience_of(rows, event.place)
    if known is None or known.kind != "guild" or event.audience.kind == "guild":
        return news
    moves = list(moves_from(rows, _seen(event), known, event.said, absent=absent))
    minter = Minter(rows, origin)
    if len(moves) > MOST_MOVED:
        return [minter.draft(each) for each in moves[:MOST_MOVED]]
    return [*(minter.draft(each) for each in moves), *news]


def _seen(event: PlaceAudienceChanged) -> PlaceSeen:
    """The place as it was seen then, as far as moving items needs it."""
    return PlaceSeen(
        event.place.platform,
        event.place.key,
        "thread" if f":thread:{event.place.key}" in event.session else "channel",
        "",
        event.audience.kind,
        event.guild,
        readers=event.audience.place,
    )
