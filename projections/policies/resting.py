"""That nothing derived widens (design §7): who reads an item, a summary or a model's work may read what it draws on.
The engine asks this of every such event before it records it.

An answer is no derivation in this sense: it lies in its session, whatever it drew on, because all there have read it.

    what may widen all the same                                   by
    ───────────────────────────────────────────────────────────   ─────────────────────────────────────────────────────
    an item that is moved, of one owner                           its person's own share, or the operator's for them
    an item that is moved to its person's `everywhere`            the policy `promotion`, which has two keys
    an item that follows the readers of its place                 the policy `audience`, which narrows
    a message that an item of the same compartment rests on       what stands there already
    what an eviction makes room for                               nothing of it is taken over
    a move that is undone, where the item had come from           nothing of it is taken over
    a note in `self` or `owner` that a tool took down             the owner's own words in their own direct messages

A cause whose words are gone says nothing any more. What lies in `self` and in `owner` a model may only go on with.
"""

from collections.abc import Mapping

from projections.events import (
    Event,
    ItemEvent,
    ItemEvicted,
    ItemMoved,
    ItemRefused,
    ItemReverted,
    ItemUpserted,
    MessageEdited,
    MessageHeard,
    ToolCalled,
    TurnAnswered,
)
from projections.events.summaries import SummaryEvent
from projections.events.values import Audience, Item, Message
from projections.events.work import WorkEvent
from projections.ids import NOBODY, EventId, Handle, Ref
from projections.places import find_place
from projections.policies import promotion
from projections.policies.compartments import OWNER, SELF, Opening, everywhere, may_rest, readers_place, said_in
from projections.policies.text import whole
from projections.rows import Rows

DERIVED = (ItemEvent, ItemRefused, WorkEvent, SummaryEvent)
"""What draws on something else, and lies where a context opens it."""
SAID = (MessageHeard, MessageEdited)
SHARED = frozenset({"share", "keep_private"})
"""What a person means by moving an item."""
Causes = Mapping[EventId, Event | None]
"""The events that another one names as its causes; None for one whose words are gone."""


class _Said(dict[tuple[Audience, Ref | None], str]):
    """The compartments of what was said, by audience and guild: most causes of an event were said to the same."""

    def __init__(self, rows: Rows) -> None:
        super().__init__()
        self._rows = rows

    def __missing__(self, said: tuple[Audience, Ref | None]) -> str:
        self[said] = found = said_in(self._rows, *said)
        return found


def lies_in(rows: Rows, event: Event, said: _Said | None = None) -> Opening | None:
    """The compartment that an event's words lie in, and whose they are; None for what lies in none."""
    match event:
        case MessageHeard(message=message) | MessageEdited(message=message):
            where = _Said(rows) if said is None else said
            return Opening(message.speaker, where[message.audience, message.guild])
        case ItemEvent(item=item):
            return Opening(item.owner, item.compartment)
        case ToolCalled(asker=person, compartment=compartment) if compartment:
            return Opening(person, compartment)
        case TurnAnswered(audience=audience, guild=guild) | ToolCalled(audience=audience, guild=guild):
            return Opening(NOBODY, said_in(rows, audience, guild))
        case SummaryEvent(audience=audience, person=person):
            return Opening(person, said_in(rows, audience, _guild_of(rows, audience.place)))
        case ItemRefused(owner=owner, compartment=compartment) | WorkEvent(owner=owner, compartment=compartment):
            return Opening(owner, compartment)
        case _:
            return None


def widening(rows: Rows, event: Event, causes: Causes) -> str:
    """Why an event must not be recorded; empty where it may. `rows` are those before it."""
    if not isinstance(event, DERIVED) or _may_move(event, causes) or _is_owners_note(event, causes):
        return ""
    at = lies_in(rows, event)
    assert at is not None
    if at.compartment in (SELF, OWNER) and event.by.kind in ("model", "policy") and not causes:
        return f"a {event.TAG} writes into {at.compartment} and rests on nothing there"
    place = readers_place(at.compartment)
    guild = None if place is None else _guild_of(rows, place)
    fitting, said = set[Opening](), _Said(rows)
    alike: dict[Handle, Message] = {}
    for cause in event.causes[:1] if isinstance(event, ItemEvicted) else event.causes:
        found = causes.get(cause)
        if found is None or _lies_beside(found, at):
            continue
        message = found.message if isinstance(found, SAID) else None
        if message is not None and _is_said_alike(message, alike.get(message.speaker)):
            continue
        on = lies_in(rows, found, said)
        if on is None or on in fitting:
            continue
        if may_rest(at, on, guild):
            fitting.add(on)
            if message is not None:
                alike[message.speaker] = message
            continue
        if cause in _known(at, causes) or _is_one_audience(event, found) or _moves_back(event, cause, found):
            continue
        return whole(f"a {event.TAG} in {at.compartment} would rest on a {found.TAG} in {on.compartment}")
    return ""


def _is_said_alike(message: Message, other: Message | None) -> bool:
    """Whether somebody said one to the same people as another, as most of what a model is shown."""
    return other is not None and message.audience == other.audience and message.guild == other.guild


def _lies_beside(cause: Event, at: Opening) -> bool:
    """Whether a cause is an item of the same compartment, as most are of what a model was shown."""
    return isinstance(cause, ItemEvent) and cause.item.compartment == at.compartment


def _guild_of(rows: Rows, place: Ref) -> Ref | None:
    """The guild that a place is in, as far as it is known."""
    found = find_place(rows, place)
    return None if found is None else found.row.guild


def _known(at: Opening, causes: Causes) -> frozenset[EventId]:
    """The messages on which an item that lies there rests already."""
    there = (each.item for each in causes.values() if isinstance(each, ItemEvent))
    return frozenset(
        evidence.message for item in there if item.compartment == at.compartment for evidence in item.evidence
    )


def _is_one_audience(event: Event, cause: Event) -> bool:
    """Whether a summary is for exactly those who could read what it draws on."""
    audience = _audience(cause)
    return isinstance(event, SummaryEvent) and audience is not None and audience == event.audience


def _audience(event: Event) -> Audience | None:
    match event:
        case MessageHeard(message=message) | MessageEdited(message=message):
            return message.audience
        case TurnAnswered(audience=audience) | SummaryEvent(audience=audience):
            return audience
        case _:
            return None


def _may_move(event: Event, causes: Causes) -> bool:
    """Whether this moves an item where its owner's own word, or a policy, lets it go."""
    if not isinstance(event, ItemMoved):
        return False
    item, by = event.item, event.by
    if any(each is not None and _owner(each) != item.owner for each in causes.values()):
        return False
    match by.kind, by.name:
        case "policy", promotion.NAME:
            return bool(item.owner) and item.compartment == everywhere(item.owner)
        case "policy", "audience":
            return event.from_compartment.startswith("guild/") and readers_place(item.compartment) is not None
        case _:
            own = by.kind == "operator" or (by.kind == "person" and by.person == item.owner)
            return own and _is_ones_own(item) and event.intent is not None and event.intent.action in SHARED


def _moves_back(event: Event, cause: EventId, found: Event) -> bool:
    """Whether this undoes a move, and puts the item where it had come from."""
    if not isinstance(event, ItemReverted) or not isinstance(found, ItemMoved) or cause not in event.undoes:
        return False
    was = found.item.owner, found.from_compartment, found.from_id
    return was == (event.item.owner, event.item.compartment, event.item.id)


def _is_owners_note(event: Event, causes: Causes) -> bool:
    """Whether this is a note of the owner's: written down by a tool in their own direct messages, which were open to
    the owner's layer, and resting on nothing but what they said there and on what stood in that layer already.
    """
    if not isinstance(event, ItemUpserted) or event.item.owner != NOBODY or event.item.compartment not in (SELF, OWNER):
        return False
    call = next((each for each in causes.values() if isinstance(each, ToolCalled)), None)
    if call is None or OWNER not in call.besides or call.audience.place.key != f"dm:{call.asker.hex()}":
        return False
    return all(each is None or each == call or _is_noted(each, event.item, call) for each in causes.values())


def _is_noted(cause: Event, item: Item, call: ToolCalled) -> bool:
    match cause:
        case MessageHeard(message=message) | MessageEdited(message=message):
            return message.speaker == call.asker and message.audience == call.audience
        case ItemEvent(item=before):
            return (before.owner, before.compartment) == (item.owner, item.compartment)
        case _:
            return False


def _is_ones_own(item: Item) -> bool:
    """Whether a person's item lies where items of theirs may lie."""
    return bool(item.owner) and item.compartment.startswith((f"person/{item.owner.hex()}/", "guild/"))


def _owner(event: Event) -> Handle | None:
    """Whose item it is; None for what is no item."""
    return event.item.owner if isinstance(event, ItemEvent) else None
