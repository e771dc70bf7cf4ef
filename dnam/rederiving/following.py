"""What was taken back in a memory, taken back in a shadow of it that was made before: messages, answers, and what
people decided on them, with all that was made of them there.

    in the memory                 in the shadow, where the words are still there
    ───────────────────────────   ──────────────────────────────────────────────────────────────────────────────────
    a message was taken back      it goes, and what was derived from it there, as it would have in the memory
    a message was edited          its old words go; its new ones come when the derivation reaches them
    an answer was withdrawn       it goes
    an item event lost its words  its copy goes, and so does what came of it when it was applied again; where the item
                                  stands in the memory without them, it does here; and what it took back stays taken
                                  back, as long as a message is left that it rests on
    any other body was dropped    its copy goes

Nothing else is walked: a derivation that goes on finds these words gone, as it would have if they had never been read.
It follows before it goes on, so that it ends the same whether the shadow was followed before or not.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from dnam.rederiving.finding import message_of, messages_of
from dnam.rederiving.seeds import ahead, applied, origin
from projections.decisions import redact_items
from projections.decisions.delete import is_taken_back
from projections.decisions.draft import Decision, Draft, Minter, as_many
from projections.decisions.redact import Redaction, items_redaction, redacted, redaction_of
from projections.decisions.redact_items import ITEM_TAGS, ItemsRedacted, fates
from projections.decisions.retention import with_answers
from projections.derived import effects_of
from projections.events import (
    ItemEvent,
    ItemForgotten,
    ItemMerged,
    ItemMoved,
    ItemRedacted,
    MessageEdited,
    MessageHeard,
    MessageRedacted,
    TurnAnswered,
)
from projections.events.values import PLATFORM, Evidence
from projections.ids import EventId, seeded_id
from projections.items import ItemRow, items_of
from projections.lives import Address, address_of, moved_from
from projections.messages import MessageRow
from projections.policies.by_people import is_by_people
from projections.policies.text import folded
from projections.rows import Rows
from projections.turns import TurnRow, find_turn
from replay import codec
from replay.chronicle import LogChronicle
from replay.engine import Engine
from replay.log import StoredEvent
from replay.units import stored_with

SAID_TAGS = frozenset({MessageHeard.TAG, MessageEdited.TAG})
MINUTE_BYTES = 4
"""How much of an event's id is its minute; the rest tells which event it is of."""


class Gone(NamedTuple):
    """A redaction in a memory, when it was recorded (ms), and the events of a shadow that still have words of it, each
    with the event of the memory that lost them.
    """

    redaction: EventId
    at: int
    said: int
    bodies: Mapping[EventId, EventId]


class Shadowed:
    """The events of a shadow, looked up by those of the memory that it is of."""

    def __init__(self, live: Engine, shadow: Engine) -> None:
        self._live = live
        self._shadow = shadow
        self._items: dict[bytes, EventId] | None = None

    def bodies(self, event: EventId) -> Iterator[EventId]:
        """What still has the words of an event of the memory: its copy, and what was applied again of it."""
        if self._has_body(event):
            yield event
        if _tag(self._live, event) in ITEM_TAGS:
            yield from filter(self._has_body, self._applied(event))

    def _has_body(self, event: EventId) -> bool:
        stored = _stored(self._shadow, event)
        return stored is not None and stored.body is not None and not self._is_erased(stored)

    def _is_erased(self, stored: StoredEvent) -> bool:
        return codec.decode_header(stored.header).vault in self._shadow.live.folding.erased

    def _applied(self, event: EventId) -> Iterator[EventId]:
        """The events of the decisions that applied it again. When that was said is not known any more."""
        if self._items is None:
            headers = (codec.decode_header(each.header) for each in self._shadow.store.log.read(0))
            self._items = {each.id[MINUTE_BYTES:]: each.id for each in headers if each.tag in ITEM_TAGS}
        for made in (applied(event, 0), ahead(event, 0)):
            number = 0
            while (found := self._items.get(seeded_id(made.seed, number, 0)[MINUTE_BYTES:])) is not None:
                yield found
                number += 1


def gone_behind(live: Engine, shadow: Engine, after: int) -> Iterator[Gone]:
    """The redactions of a memory behind a seq of which a shadow still has words."""
    shadowed = Shadowed(live, shadow)
    for stored in stored_with(live, (MessageRedacted.TAG,), after, live.head().size):
        record = live.live.folding.record(stored)
        assert record is not None, "a redaction lies in the clear, and is dropped by none"
        assert isinstance(record.event, MessageRedacted)
        bodies = {body: each for each in record.event.events for body in shadowed.bodies(each)}
        if bodies:
            yield Gone(record.id, record.at, record.event.said, bodies)


def follow(live: Engine, shadow: Engine, after: int) -> int:
    """Take back in a shadow what was taken back in its memory behind a seq; how many events lost their words."""
    with live.reading(), shadow.reading():
        """What other processes erased and rewrote is known from here on."""
    return sum(_follow(live, shadow, gone) for gone in gone_behind(live, shadow, after))


def _follow(live: Engine, shadow: Engine, gone: Gone) -> int:
    bodies = 0
    while True:  # very much goes in several decisions
        recorded = shadow.record(_decision(live, shadow, gone))
        if not recorded.records:
            return bodies
        bodies += sum(len(each.events) for each in recorded.events if isinstance(each, MessageRedacted))


def _decision(live: Engine, shadow: Engine, gone: Gone) -> Decision:
    """The next part of it: what is gone altogether, then each message that says something else, then what is left."""

    def decide(rows: Rows) -> list[Draft]:
        known = [each for each in gone.bodies if rows.ids.status(each) == "known"]
        said = messages_of(shadow, rows, (each for each in known if _tag(shadow, each) in SAID_TAGS))
        now = {row.heard: _text(live, row.heard) for row in said}
        taken_back = [row for row in said if now[row.heard] is None]
        if taken_back:
            return as_many(lambda most: _taken_back(rows, gone, taken_back[:most]), len(taken_back))
        for row in said:
            return _drafts(rows, gone, redaction_of(rows, [row], gone.said, now[row.heard]), row.heard)
        return _left(rows, gone, live, shadow, known)

    return decide


def _text(live: Engine, heard: EventId) -> str | None:
    """What a message of the memory says now; None where it is there no more."""
    with live.reading() as rows:
        found = message_of(live, rows, heard)
        return None if found is None else found.found.row.message.text


def _taken_back(rows: Rows, gone: Gone, messages: Sequence[MessageRow]) -> list[Draft]:
    return _drafts(rows, gone, redaction_of(rows, messages, gone.said), messages[0].heard)


def _left(rows: Rows, gone: Gone, live: Engine, shadow: Engine, known: Sequence[EventId]) -> list[Draft]:
    """Answers, items, and whatever else lost its words."""
    if not known:
        return []
    turns = [row for each in known if (row := _turn(rows, shadow, each)) is not None]
    items = frozenset(each for each in known if _tag(shadow, each) in ITEM_TAGS)
    standing = _standing(rows, live, shadow, _standing_in(live, gone, items), gone.said)
    of_items = items_redaction(rows, standing._replace(bodies=items | standing.bodies), gone.said)
    taken = with_answers(of_items, turns, gone.said)
    return _drafts(rows, gone, taken._replace(bodies=tuple(dict.fromkeys((*taken.bodies, *known)))), known[0])


def _standing_in(live: Engine, gone: Gone, items: Iterable[EventId]) -> frozenset[EventId]:
    """Those of these item events after which the item stands in the memory without what lost its words; or by which it
    was taken back: what they were applied to here may rest on other messages, and is not to be active again.
    """
    with live.reading() as rows:
        return frozenset(
            each
            for each in items
            if _tag(live, gone.bodies[each]) == ItemForgotten.TAG
            or ItemRedacted.TAG in dict(effects_of(rows, gone.bodies[each])).values()
        )


def _standing(rows: Rows, live: Engine, shadow: Engine, events: frozenset[EventId], said: int) -> ItemsRedacted:
    """The items of a shadow that these events made as they are, without the words; as in the memory."""
    found = (shadow.live.folding.record_at(seq) for each in events if (seq := shadow.store.log.find(each)) is not None)
    owners = {each.event.item.owner for each in found if each is not None and isinstance(each.event, ItemEvent)}
    owned = [row.row for owner in sorted(owners) for row in items_of(rows, owner)]
    with live.reading() as there:
        before = redact_items.events_before(rows, events)
        return fates(rows, owned, redact_items.Gone(partial(_is_quote_gone, live, there), events, before), said)


def _turn(rows: Rows, shadow: Engine, event: EventId) -> TurnRow | None:
    return find_turn(rows, event) if _tag(shadow, event) == TurnAnswered.TAG else None


def _drafts(rows: Rows, gone: Gone, taken: Redaction, first: EventId) -> list[Draft]:
    made = taken.first or origin(gone.redaction, f"followed {first.hex()}", 0, gone.at)
    return redacted(Minter(rows, made), taken, gone.said, PLATFORM)


def _stored(engine: Engine, event: EventId) -> StoredEvent | None:
    seq = engine.store.log.find(event)
    return None if seq is None else engine.store.log.get(seq)


def _tag(engine: Engine, event: EventId) -> str:
    stored = _stored(engine, event)
    return "" if stored is None else codec.decode_header(stored.header).tag


# -- what is not to be shown ---------------------------------------------------------------------------------------


def gone_since(live: Engine, rows: Rows, item: ItemRow, rests: Iterable[EventId] = ()) -> bool:
    """Whether an item of a shadow rests on words that are gone in the memory by now (`rows`): on a message that was
    taken back, or on what stood in one before it was edited. `rests` are the messages behind one that names none. Where
    the shadow knows that already, a model's item that stands on other messages says it still.
    """
    if item.tag == ItemRedacted.TAG and not is_by_people(item):
        return True
    return is_any_gone(rows, rests) or any(_is_quote_gone(live, rows, each) for each in item.item.evidence)


def has_lost_words(item: ItemRow, there: LogChronicle) -> bool:
    """Whether a model's item of a shadow goes on from one that stood without some of what it had rested on, also where
    that became part of it, or lay elsewhere.
    """
    if is_by_people(item):
        return False
    waiting = [(item.event, frozenset({address_of(item.item)}))]
    seen: set[EventId] = set()
    while waiting:
        name, before = waiting.pop()
        record = None if name in seen else there.find(name)
        event = None if record is None else record.event
        if not isinstance(event, ItemEvent) or before.isdisjoint(_made_of(event)):
            continue
        seen.add(name)
        if isinstance(event, ItemRedacted):
            return True
        waiting += [(each, _made_of(event)) for each in event.causes if there.tag(each) in ITEM_TAGS]
    return False


def _made_of(event: ItemEvent) -> frozenset[Address]:
    """Where the items lay of which an event made one, and where that lies."""
    absorbed = event.absorbed if isinstance(event, ItemMerged) else ()
    came = {moved_from(event)} if isinstance(event, ItemMoved) else set()
    return frozenset({address_of(each) for each in (event.item, *absorbed)} | came)


def is_any_gone(rows: Rows, events: Iterable[EventId]) -> bool:
    """Whether any of these messages and answers was taken back in a memory; for summaries of a shadow too."""
    return any(is_taken_back(rows, each) for each in events)


def _is_quote_gone(live: Engine, rows: Rows, evidence: Evidence) -> bool:
    if not evidence.message or rows.ids.status(evidence.message) == "known":
        return False  # neither deleted nor edited: then its first words would be gone
    found = message_of(live, rows, evidence.message)
    if found is None:
        return is_taken_back(rows, evidence.message)
    return bool(evidence.quote) and folded(evidence.quote) not in folded(found.found.row.message.text)
