"""What becomes of items when messages are taken back.

An item's events name the messages that it rests on, and the event before them, as their causes. So those that hold the
words of a message lie between it and the item as it now is. Their bodies go. The item then

    stands     on messages that were said later; because a person keeps it; because they took it back, as long as any
               message is left; or because somebody moved it, or it was merged, so that what it said before is no state
               to go back to
    falls      back to what it said before the message came, where that alone changed it; what a person keeps, where a
               model had done it
    is gone    where nothing else is left. What was taken back is not refused by its words any more then, nor can it be
               brought back; what had left recall with it stays away

What a person took back and asked to keep again is not taken back any more when the words go with which they asked: so
what they took it back with goes too, which would be the last that is known of it.

What came of the messages and is no item any more goes too: it was undone, or went before, and its events could be read.

Whoever keeps another's words keeps them as nobody's, and only as long as their author leaves them said: such an item
goes with the message that it is made of, and with its words when they are edited away. It does so too where it was
taken back since; what had left recall with it stays away.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from projections.decisions.shelf import causes_of, policy_by, rests_on
from projections.events import (
    Event,
    ItemEvent,
    ItemEvicted,
    ItemForgotten,
    ItemMerged,
    ItemRedacted,
    ItemRemembered,
    ItemRestored,
    ItemReverted,
    ItemUpserted,
    ItemWithdrawn,
)
from projections.events.values import Evidence, Intent, Item
from projections.gaps import led_to
from projections.ids import NOBODY, EventId, Handle, Ref
from projections.items import FORGOTTEN, ITEM_EVENTS, ITEMS, ItemRow, forgotten_key, item_key, items_in, items_of
from projections.messages import MessageRow, spoken_in, units_of
from projections.places import audience_of, place_of
from projections.policies.compartments import OWNER, SELF, in_channel, in_guild
from projections.policies.quiet import left_with
from projections.policies.text import folded
from projections.rows import Rows

VERSION = "redacted-items@5"
LEFT = "a message that it rested on was taken back"
GONE = "the messages that it rested on were taken back"
IMPORTED = "imported@"
"""The policy by which an item comes in from elsewhere (`imported`)."""
ITEM_TAGS = frozenset(each.TAG for each in ITEM_EVENTS)
Fate = Literal["stands", "falls", "gone"]


class ItemsRedacted(NamedTuple):
    """What is recorded of items, and which of their events lose their bodies. `texts` is what is no item's any more, in
    all wordings that it had of these messages; `before` is what items that stand said by those events, `standing`
    what they say now, and `stood` those events by the keys of these items.
    """

    events: tuple[Event, ...]
    bodies: frozenset[EventId]
    texts: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()
    stood: Mapping[bytes, frozenset[EventId]] = {}


class _Touched(NamedTuple):
    """An item that a message had a part in: the evidence that is left, and the events between the two."""

    row: ItemRow
    left: tuple[Evidence, ...]
    path: frozenset[EventId]
    fate: Fate


def redact_items(
    rows: Rows, messages: Sequence[MessageRow], effects: Mapping[EventId, str], said: int, instead: str | None = None
) -> ItemsRedacted:
    """What becomes of the items that these messages had a part in; `effects` is what came of the messages at once.

    `instead` are the words that a message has from now on. Then only what another kept of those that it had is looked
    at: the rest waits for the extraction that reads the new ones.
    """
    naming = [] if instead is not None else _naming(rows, messages)
    first = frozenset(effect for effect, tag in effects.items() if tag in ITEM_TAGS)
    first = first.union(*(_made_by(rows, row) for row in naming))
    if not first:
        return ItemsRedacted((), frozenset())
    gone, names = frozenset(row.heard for row in messages), _names(messages)
    stands = "" if instead is None else folded(instead)

    def is_gone(evidence: Evidence) -> bool:
        is_of_them = evidence.message in gone or (not evidence.message and evidence.ref in names)
        return is_of_them and not (evidence.quote and folded(evidence.quote) in stands)

    owners = dict.fromkeys((*(row.message.speaker for row in messages), NOBODY))
    kept = frozenset(row.message.ref for row in messages if _is_kept(rows, row))
    alone = frozenset(map(_address, naming))
    gone_ = Gone(is_gone, first, events_before(rows, first), instead is not None, kept, alone)
    owned = {_address(found.row): found.row for owner in owners for found in items_of(rows, owner)}
    owned |= {_address(row): row for row in rows_of(rows, gone_.before)}
    if gone_.edited:
        return fates(rows, owned.values(), gone_, said)
    return with_left_over(rows, fates(rows, owned.values(), gone_, said), left_over(rows, gone_), said)


def _names(messages: Iterable[MessageRow]) -> frozenset[Ref]:
    return frozenset(row.message.ref for row in messages)


def _naming(rows: Rows, messages: Sequence[MessageRow]) -> list[ItemRow]:
    """The items that came in from elsewhere, name one of these messages as what they were made of, and rest on none
    that was heard: of its speaker, and of nobody's where it was said.
    """
    names = _names(messages)
    owned = (found.row for owner in _speakers(messages) for found in items_of(rows, owner))
    nobodys = (found.row for where in _where(messages) for found in items_in(rows, NOBODY, where))
    found = (row for row in (*owned, *nobodys) if row.item.source.message in names)
    return [row for row in found if not rests_on(row.item.evidence) and _came_in(rows, row)]


def _came_in(rows: Rows, row: ItemRow) -> bool:
    """Whether an import brought an item."""
    events = map(rows.event, _made_by(rows, row))
    return any(isinstance(each, ItemEvent) and each.policy.startswith(IMPORTED) for each in events)


def _speakers(messages: Iterable[MessageRow]) -> dict[Handle, None]:
    return dict.fromkeys(row.message.speaker for row in messages if row.message.speaker)


def _where(messages: Iterable[MessageRow]) -> dict[str, None]:
    """The compartments in which that lies which is nobody's and may be of these messages."""
    said = dict.fromkeys((row.message.guild, row.message.audience.place) for row in messages)
    guilds = [in_guild(guild) for guild, _ in said if guild is not None]
    return dict.fromkeys((*guilds, *(in_channel(place) for _, place in said), SELF, OWNER))


def _made_by(rows: Rows, row: ItemRow) -> frozenset[EventId]:
    """All events of an item, as far as they can be read."""
    found, waiting = {row.event}, [row.event]
    while waiting:
        event = rows.event(waiting.pop())
        before = () if event is None else event.causes
        news = [each for each in before if each not in found and isinstance(rows.event(each), ItemEvent)]
        found.update(news)
        waiting += news
    return frozenset(found)


def _is_kept(rows: Rows, message: MessageRow) -> bool:
    return any(tag == ItemRemembered.TAG for _, tag in led_to(rows, message.heard))


class Gone(NamedTuple):
    """Which quotes are gone, the item events that rest on their messages, and which item event came before which.
    `edited`: what a model made of them stays for now. `kept` are the messages of which somebody kept something. `alone`
    are the items, by their keys, that name one of the messages and rest on nothing else.
    """

    is_gone: Callable[[Evidence], bool]
    first: frozenset[EventId]
    before: Mapping[EventId, frozenset[EventId]]
    edited: bool = False
    kept: frozenset[Ref] = frozenset()
    alone: frozenset[bytes] = frozenset()

    def path(self, event: EventId) -> frozenset[EventId]:
        """An event and all from which it came, as far as they came of the messages."""
        found = {event}
        waiting = [event]
        while waiting:
            news = self.before.get(waiting.pop(), frozenset()) - found
            found |= news
            waiting += news
        return frozenset(found)


def fates(rows: Rows, owned: Iterable[ItemRow], gone: Gone, said: int) -> ItemsRedacted:
    """What becomes of each item."""
    owned = list(owned)
    found = (each for row in owned if (each := _touched(rows, row, gone)) is not None)
    touched = [each for each in found if not gone.edited or _is_kept_of_another(rows, each.row, each.left, gone)]
    bodies = frozenset(event for each in touched for event in each.path)
    known = {_address(each.row) for each in touched}
    events = [event for each in touched if (event := _event(rows, each, bodies, said)) is not None]
    events += made_with_them(rows, (row for row in owned if _address(row) not in known), bodies, said)
    lifted = (event for each in touched if each.fate != "gone" for event in lifted_by(rows, each.row, each.path))
    left = [each for each in touched if each.fate != "stands"]
    standing = [each for each in touched if each.fate == "stands"]
    return ItemsRedacted(
        tuple(events),
        bodies.union(lifted),
        (*(each.row.item.text for each in left), *wordings(rows, _paths(left))),
        wordings(rows, _paths(standing)),
        tuple(each.row.item.text for each in standing),
        {_address(each.row): each.path for each in standing},
    )


def rows_of(rows: Rows, events: Iterable[EventId]) -> list[ItemRow]:
    """The items that lie where these events had left one, whatever they say by now."""
    found = (each for each in map(rows.event, sorted(events)) if isinstance(each, ItemEvent))
    keys = dict.fromkeys(lies_at(item) for each in found for item in items_left(each))
    return [row for key in keys if (row := rows.get(ITEMS, key)) is not None]


def items_left(event: ItemEvent) -> tuple[Item, ...]:
    """The items that an event leaves, as they are then."""
    return (*event.absorbed, event.item) if isinstance(event, ItemMerged) else (event.item,)


def left_over(rows: Rows, gone: Gone) -> frozenset[EventId]:
    """What came of the messages and has led to no item that there is: it was gone already, or was undone."""
    led = {event for row in rows_of(rows, gone.before) for event in gone.path(row.event)}
    return frozenset(gone.before.keys() - led)


def with_left_over(rows: Rows, items: ItemsRedacted, events: Collection[EventId], said: int) -> ItemsRedacted:
    """These events go too. Where one of them had left nothing, nothing is there all the same."""
    found = [(each, event) for each in sorted(events) if isinstance(event := rows.event(each), ItemReverted)]
    emptied = {lies_at(event.item): (each, event) for each, event in found if event.gone}
    still = [made for key, made in emptied.items() if rows.get(ITEMS, key) is None]
    return items._replace(
        events=(*items.events, *(_withdrawn(event.item, (each,), max(said, event.said)) for each, event in still)),
        bodies=items.bodies.union(events),
        texts=(*items.texts, *wordings(rows, events)),
    )


def made_with_them(rows: Rows, owned: Iterable[ItemRow], bodies: frozenset[EventId], said: int) -> list[Event]:
    """What else these events had made of items stays as it is: they became part of another one, and are still."""
    return [_redacted(rows, row, row.item.evidence, bodies, said) for row in owned if row.event in bodies]


def lifted_by(rows: Rows, row: ItemRow, path: Iterable[EventId]) -> Iterator[EventId]:
    """The acts that took an item back, which these events of it had undone."""
    if rows.get(FORGOTTEN, forgotten_key(row.item)) is None:
        lifting = (event for event in map(rows.event, path) if isinstance(event, ItemRemembered | ItemRestored))
        yield from (each for event in lifting for each in _taken_back_before(rows, row, event))


def _taken_back_before(rows: Rows, row: ItemRow, event: Event) -> Iterator[EventId]:
    """What last took the item back in front of an event of it."""
    for cause in event.causes:
        before = rows.event(cause)
        if not isinstance(before, ItemEvent) or lies_at(before.item) != lies_at(row.item):
            continue
        if isinstance(before, ItemForgotten) or (isinstance(before, ItemRedacted) and before.refuses):
            yield cause
        elif not isinstance(before, ItemRemembered | ItemRestored):
            yield from _taken_back_before(rows, row, before)


def lies_at(item: Item) -> bytes:
    """The key of an item's row."""
    return item_key(item.owner, item.compartment, item.id)


def _paths(touched: Iterable[_Touched]) -> frozenset[EventId]:
    return frozenset(event for each in touched for event in each.path)


def wordings(rows: Rows, events: Iterable[EventId]) -> tuple[str, ...]:
    """What items said by these events, as far as they can be read: a row holds the last of it alone."""
    found = map(rows.event, sorted(events))
    return tuple(dict.fromkeys(each.item.text for each in found if isinstance(each, ItemEvent)))


def _address(row: ItemRow) -> bytes:
    return lies_at(row.item)


def events_before(rows: Rows, first: Collection[EventId]) -> dict[EventId, frozenset[EventId]]:
    """For each item event that came of these, read or not, by its id: those among them of which it came at once."""
    before: dict[EventId, frozenset[EventId]] = {each: frozenset() for each in first}
    waiting = list(first)
    while waiting:
        cause = waiting.pop()
        effects = {each for each, tag in led_to(rows, cause) if tag in ITEM_TAGS and _goes_on(rows, cause, each, tag)}
        waiting += effects - before.keys()
        before |= {effect: before.get(effect, frozenset()) | {cause} for effect in effects}
    return before


def _goes_on(rows: Rows, cause: EventId, effect: EventId, tag: str) -> bool:
    event = rows.event(effect) if tag == ItemEvicted.TAG else None
    return event is None or goes_on(cause, event)


def goes_on(cause: EventId, event: Event) -> bool:
    """Whether an event has the words of its cause: an item that made room has none of the one that came."""
    return not isinstance(event, ItemEvicted) or cause in event.causes[:1]


def _touched(rows: Rows, row: ItemRow, gone: Gone) -> _Touched | None:
    """None where nothing that made the item as it is came of the messages; what it had of them it may quote no more."""
    evidence = row.item.evidence
    left = tuple(each for each in evidence if not gone.is_gone(each))
    if len(left) == len(evidence) and row.event not in gone.before:
        return None
    path = gone.path(row.event)
    return _Touched(row, left, path, _fate(rows, row, left, path, gone))


def _fate(rows: Rows, row: ItemRow, left: tuple[Evidence, ...], path: frozenset[EventId], gone: Gone) -> Fate:
    if _is_kept_of_another(rows, row, left, gone):
        return "gone"
    if row.item.kept:
        return "falls" if _is_reworded(rows, row, left, path, gone) else "stands"
    if _address(row) in gone.alone:
        return "gone"
    if left == row.item.evidence and not _is_made(rows, row, path, gone):
        return "stands"  # a model only changed it with the message before it
    if not left:
        return "gone"
    if rows.get(FORGOTTEN, forgotten_key(row.item)) is not None:
        return "stands"
    if _all_closed(rows, row.item, left):
        return "gone"
    if left[-1:] == row.item.evidence[-1:]:
        return "stands"
    return "falls" if path <= gone.first else "stands"


def _is_made(rows: Rows, row: ItemRow, path: frozenset[EventId], gone: Gone) -> bool:
    """Whether an item that quotes nothing is what a model made of these messages."""
    if row.item.evidence:
        return False
    if row.event in gone.first:
        return row.tag == ItemUpserted.TAG
    return any(_is_first(rows, rows.event(each)) for each in path & gone.first)


def _is_first(rows: Rows, event: Event | None) -> bool:
    """Whether there was no such item before an event."""
    causes = () if event is None else event.causes
    return isinstance(event, ItemUpserted) and not any(isinstance(rows.event(each), ItemEvent) for each in causes)


def _is_reworded(rows: Rows, row: ItemRow, left: tuple[Evidence, ...], path: frozenset[EventId], gone: Gone) -> bool:
    """Whether a model alone put with these messages otherwise what a person keeps: that is what it was before."""
    if left[-1:] == row.item.evidence[-1:] or not path <= gone.first:
        return False
    events = [rows.event(each) for each in path]
    return all(isinstance(each, ItemUpserted) and each.by.kind == "model" and each.intent is None for each in events)


def _is_kept_of_another(rows: Rows, row: ItemRow, left: Iterable[Evidence], gone: Gone) -> bool:
    """Whether an item is what somebody kept of another's message which is gone, taken back since or not."""
    if not _is_by_hand(rows, row, gone) or not _was_another_s(row.item, left):
        return False
    return left != row.item.evidence or row.event in gone.first or row.item.source.message in gone.kept


def _is_by_hand(rows: Rows, row: ItemRow, gone: Gone) -> bool:
    """Whether a person keeps it, or took it back after one had kept something of its message: nothing is kept then."""
    return row.item.kept or (
        row.item.source.message in gone.kept and rows.get(FORGOTTEN, forgotten_key(row.item)) is not None
    )


def _was_another_s(item: Item, left: Iterable[Evidence]) -> bool:
    """Whether an item is nobody's, and the message that it was made of is not among what is left."""
    made_of = item.source.message
    return item.owner == NOBODY and made_of is not None and made_of not in (each.ref for each in left)


def _all_closed(rows: Rows, item: Item, left: Iterable[Evidence]) -> bool:
    """Whether an item that all of a guild may read would rest only on what fewer can read by now."""
    messages = rests_on(left)
    return item.compartment.startswith("guild/") and bool(messages) and set(messages) <= set(_closed(rows, item))


def _closed(rows: Rows, item: Item) -> Iterator[EventId]:
    for where in units_of(rows, item.owner):
        place = place_of(rows, where.session)
        readers = None if place is None else audience_of(rows, place.row.place)
        if readers is not None and readers.kind != "guild":
            yield from (point.id for point in spoken_in(rows, item.owner, where))


def _event(rows: Rows, touched: _Touched, bodies: frozenset[EventId], said: int) -> Event | None:
    row = touched.row
    if touched.fate == "falls":
        return None
    if touched.fate == "stands":
        return _redacted(rows, row, touched.left, bodies, said)
    forgotten = rows.get(FORGOTTEN, forgotten_key(row.item))
    quiet = () if forgotten is None else left_with(rows, forgotten)
    return _withdrawn(row.item, (row.event,), max(said, row.said), quiet)


def _withdrawn(item: Item, causes: tuple[EventId, ...], said: int, quiet: tuple[EventId, ...] = ()) -> ItemWithdrawn:
    return ItemWithdrawn(
        said=said,
        by=policy_by(VERSION),
        causes=causes,
        owner=item.owner,
        compartment=item.compartment,
        id=item.id,
        reason=GONE,
        policy=VERSION,
        quiet=quiet,
    )


def _redacted(
    rows: Rows, row: ItemRow, left: tuple[Evidence, ...], bodies: frozenset[EventId], said: int
) -> ItemRedacted:
    forgotten = rows.get(FORGOTTEN, forgotten_key(row.item))
    refuses = forgotten is not None and forgotten.event in bodies
    known = (each for each in rests_on(left) if rows.ids.status(each) in ("known", "redacted"))
    return ItemRedacted(
        said=max(said, row.said),
        by=policy_by(VERSION),
        causes=causes_of([row.event], known),
        item=msgspec.structs.replace(row.item, evidence=left),
        reason=LEFT,
        policy=VERSION,
        intent=_bare(row.intent),
        refuses=refuses,
        was=forgotten.was if refuses and forgotten else (),
        quiet=left_with(rows, forgotten) if refuses and forgotten else (),
    )


def _bare(intent: Intent | None) -> Intent | None:
    """What a person meant, without what they saw: that quotes the message."""
    return None if intent is None else msgspec.structs.replace(intent, saw=None)
