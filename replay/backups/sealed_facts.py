"""What a log that a restore replaces took back since the backup, where it lies sealed, so that no ledger has it: items
that were forgotten, or kept private, places that fewer can read, summaries that were cleared, and settings by which
less is learned or kept.

    item.forgotten   what its item last was: recorded anew. Of an item that was moved in between it says what the backup
                     has of it, where the backup has it: its later words may not be for everybody there
    item.moved       into its person's direct messages, or what few can read, of an item that the backup has: recorded
                     anew
    its way          what made such an item one with others that the backup has (a move onto another one, a merge), or
                     took it apart from them (an undo, a restore): recorded anew ahead of the above. What it was one
                     with would say it still, or what was none of it any more would go with it. And the way of
                     what had left the place where it came to lie: that would be lost under it, if it was only shared
    config.set       the last of each scope and key, if it is one of those: recorded anew
    place.audience_changed   the last of each place that the backup knows as open to others than the few who can read it
                     by then: recorded anew
    summary.reset    the last of each summary that the backup has, unless that was brought back: recorded anew

Only what the log in force can show is known: not what was taken back in a copy of it that is gone, nor what cannot be
opened, whose kind alone stands in its header (`unopened`).
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from projections.events import (
    ConfigSet,
    Event,
    ItemEvent,
    ItemForgotten,
    ItemMerged,
    ItemMoved,
    ItemRestored,
    ItemReverted,
    ItemUpserted,
    PlaceAudienceChanged,
    PlaceDescribed,
    SummaryRefreshed,
    SummaryReset,
    SummaryReverted,
)
from projections.events.values import Audience, Item
from projections.ids import Handle, Ref
from projections.policies.compartments import direct, is_portable, readers_place
from projections.policies.configurable import is_narrow
from projections.policies.human_acts import takes_apart
from replay import codec
from replay.backups.backup import TakenBack
from replay.errors import LogError
from replay.lmdb_log import LmdbLog
from replay.log import StoredEvent
from replay.sealer import Sealer

FAMILIES = ("item.", "place.", "summary.", ConfigSet.TAG)
RESTRICTING = frozenset(each.TAG for each in (ItemForgotten, ItemMoved, ConfigSet, PlaceAudienceChanged, SummaryReset))
"""The kinds that are recorded anew. Of one that cannot be opened, it is not known whether it would have been."""
Address = tuple[Handle, str, str]
Unit = tuple[str, int]
"""A session and an epoch of its audience."""


class SealedFact(NamedTuple):
    """An event to record anew, and its header in the log that is replaced."""

    header: codec.Header
    event: Event


class _Origin(NamedTuple):
    """Where an item lay in the backup. `apart`: it was one there with what is an item of its own again since then."""

    address: Address
    apart: bool = False


class _Stay(NamedTuple):
    """Where an item lies from the fact with that number on, until it leaves."""

    since: int
    at: Address


class _Since:
    """What came since the backup, by the address of each item. `_ways` has what made an item one with others that the
    backup has, or took it apart from them: without it, what was taken back would be there still as a part of another.
    """

    def __init__(self) -> None:
        self._there: dict[Address, Item] = {}
        self._lying: set[Address] = set()
        self._part_of: dict[Address, Address] = {}
        self._parts: dict[Address, set[Address]] = {}
        self._came: dict[Address, _Origin] = {}
        self._left: dict[Address, list[_Stay]] = {}
        self._others: dict[bytes, tuple[_Stay, ...]] = {}
        self._needed: set[bytes] = set()
        self._moves: dict[Address, SealedFact] = {}
        self._ways: dict[Address, tuple[SealedFact, ...]] = {}
        self._places: dict[Address, SealedFact] = {}
        self._items: dict[Address, SealedFact] = {}
        self._settings: dict[tuple[str, str], SealedFact] = {}
        self._order: dict[bytes, int] = {}
        self._readers: dict[Ref, Audience] = {}
        self._narrowed: dict[Ref, SealedFact] = {}
        self._summed_up: set[Unit] = set()
        self._cleared: dict[Unit, SealedFact] = {}

    def restored(self, event: Event) -> None:
        """It is in what is restored, too."""
        match event:
            case PlaceDescribed(place=place, audience=audience) | PlaceAudienceChanged(place=place, audience=audience):
                self._readers[place] = audience
            case SummaryRefreshed() | SummaryReverted():
                self._summed_up.add(_unit(event))
            case SummaryReset():
                self._summed_up.discard(_unit(event))
            case _:
                pass
        if isinstance(event, ItemMoved):
            self._there.pop(_before(event), None)
        if isinstance(event, ItemEvent):
            self._there |= {_address(each): each for each in _items(event)}
        self._lies(event)

    def later(self, fact: SealedFact) -> None:
        """It came afterwards."""
        self._order[fact.header.id] = len(self._order)
        match fact.event:
            case ConfigSet(scope=scope, key=key):
                self._settings[scope, key] = fact
            case PlaceAudienceChanged(place=place):
                self._narrowed[place] = fact
            case SummaryReset() as event:
                self._cleared[_unit(event)] = fact
            case SummaryReverted() as event:
                self._cleared.pop(_unit(event), None)
            case ItemMoved() as event:
                self._moved(fact, event)
            case ItemReverted(item=item) if takes_apart(fact.event):
                self._apart(_address(item), fact)
            case ItemForgotten(item=item):
                self._items[_address(item)] = fact
            case ItemMerged() as event:
                self._merged(fact, event)
            case ItemEvent(item=item):
                self._changed(fact, _address(item))
                if self._is_over(item):
                    self._brought_back(_address(item))
        self._lies(fact.event)

    def _lies(self, event: Event) -> None:
        """Where there are items by now, and which are a part of which."""
        if isinstance(event, ItemMoved):
            self._lying.discard(_before(event))
            for part in self._parts.pop(_before(event), ()):
                self._belongs(part, _address(event.item))
            self._belongs(_address(event.item), None)  # what came onto a part is nobody's part
        if isinstance(event, ItemMerged):
            for each in event.absorbed:
                self._belongs(_address(each), _address(event.item))
        if isinstance(event, ItemRestored):
            self._belongs(_address(event.item), None)
        if isinstance(event, ItemEvent):
            self._lying |= {_address(each) for each in _items(event)}

    def _belongs(self, part: Address, whole: Address | None) -> None:
        """It is a part of that from now on, or of nothing."""
        before = self._part_of.pop(part, None)
        if before is not None:
            self._parts.get(before, set()).discard(part)
        if whole is not None:
            self._part_of[part] = whole
            self._parts.setdefault(whole, set()).add(part)

    def _is_over(self, item: Item) -> bool:
        """Whether this takes back what was taken back: what is only moved stays where it is, whatever it says now."""
        fact = self._items.get(_address(item))
        return fact is not None and isinstance(fact.event, ItemForgotten) and item.status != "forgotten"

    def _brought_back(self, address: Address) -> None:
        """It is not forgotten any more; kept private before, it still is."""
        del self._items[address]
        if address in self._places:
            self._items[address] = self._places[address]

    def _is_known(self, address: Address) -> bool:
        """Whether what lies there by now is in the backup."""
        return address in self._lying and self._came.get(address, _Origin(address)).address in self._there

    def _moved(self, fact: SealedFact, event: ItemMoved) -> None:
        before, address = _before(event), _address(event.item)
        forgotten = self._items.pop(before, fact)
        origin = self._came.pop(before, _Origin(before))
        is_one = self._is_known(address)
        self._find_way(fact, before, address, origin.address)
        if origin.address in self._there or not is_one:  # else it is still what it was one with, which the backup has
            self._came[address] = _Origin(address) if origin.address == address else origin
        self._left.setdefault(before, []).append(_Stay(self._order[fact.header.id], address))
        self._places.pop(before, None)
        self._places[address] = fact
        self._items[address] = forgotten if event.item.status == "forgotten" else fact

    def _find_way(self, fact: SealedFact, before: Address, address: Address, origin: Address) -> None:
        """What is needed ahead of a move that goes on from what was made one, or makes one, and the move itself."""
        came = (self._moves.pop(before),) if before in self._moves else ()
        room = self._way_that_made_room(fact, before, address)
        way, there = self._ways.pop(before, ()), self._ways.pop(address, ())
        is_one = self._is_known(address)
        if way and way == there and isinstance(way[-1].event, ItemReverted) and not self._is_needed(way):
            ahead = way[:-2]  # they came apart, last of all: they are one again
            is_as_it_was = origin == address and not ahead and before not in self._there
            self._ways[address] = () if is_as_it_was else (*ahead, fact)
        elif way or there or is_one or room:
            self._ways[address] = self._in_order(*came, *way, *self._way_of(address), *there, *room, fact)
        else:
            self._moves[address] = _from(fact, origin)

    def _way_that_made_room(self, fact: SealedFact, before: Address, address: Address) -> tuple[SealedFact, ...]:
        """The way of what had lain where something comes to lie. Without it, what the backup has there, or what a way
        leads there, would be lost under what comes.
        """
        if address in self._lying or address not in self._left:
            return ()
        gone = self._lies_now(self._left[address][-1])
        if gone == before or (address not in self._there and gone not in self._ways):
            return ()
        self._ways[gone] = way = self._way_of(gone)
        self._concerns(fact, gone)
        self._needed |= {each.header.id for each in way}
        return way

    def _lies_now(self, stay: _Stay) -> Address:
        """Where what lay there lies by now."""
        further: _Stay | None = stay
        while further is not None:
            stay = further
            further = next((each for each in self._left.get(stay.at, ()) if each.since > stay.since), None)
        return stay.at

    def _concerns(self, fact: SealedFact, *items: Address) -> None:
        """It is recorded anew only with all that became of these."""
        self._others[fact.header.id] = tuple(_Stay(self._order[fact.header.id], each) for each in items)

    def _is_needed(self, way: tuple[SealedFact, ...]) -> bool:
        """Whether another's way has some of this too: that needs it, whatever becomes of this one."""
        return not self._needed.isdisjoint(each.header.id for each in way)

    def _way_of(self, address: Address) -> tuple[SealedFact, ...]:
        """The way of an item, taken from it: the move by which it came, where it was none but itself so far, too."""
        came = (self._moves.pop(address),) if address in self._moves else ()
        return (*came, *self._ways.pop(address, ()))

    def _apart(self, address: Address, fact: SealedFact) -> None:
        """What was one with another left it there: that is there as it was before. Where they were one in the backup,
        both need this to be so again; and where another needs their way.
        """
        went = self._left[address][-1].at if address in self._left else address
        way = self._ways.get(went, ())
        if self._is_needed(way):
            self._ways[went] = self._ways[address] = (*way, fact)
        elif len(way) > 1 and _makes_one(way[-2], address):
            self._ways[went] = way[:-2]
        elif address in self._there and self._came.get(went) == _Origin(address):
            self._came[went] = _Origin(address, apart=True)
            self._ways[went] = self._ways[address] = (*self._way_of(went), fact)

    def _merged(self, fact: SealedFact, event: ItemMerged) -> None:
        """A model made one of several, where they lie by now. What was absorbed keeps what had come of it until then;
        that it was absorbed is the other one's.
        """
        whole, *absorbed = (_address(each) for each in _items(event))
        if any(map(self._is_known, (whole, *absorbed))):
            ways = {each: self._way_of(each) for each in (whole, *absorbed)}
            self._ways |= {each: ways[each] for each in absorbed}
            self._ways[whole] = self._in_order(*(one for way in ways.values() for one in way), fact)
            self._needed |= {one.header.id for way in ways.values() for one in way}
            self._concerns(fact, whole, *absorbed)

    def _changed(self, fact: SealedFact, address: Address) -> None:
        """What a merge had made one comes apart: the whole says what it said before, and the part is there again."""
        whole = self._part_of.get(address)
        if isinstance(fact.event, ItemRestored) and whole is not None:
            if self._is_known(address) or self._is_known(whole):
                way = self._way_of(whole)
                self._ways[whole] = self._ways[address] = (*way, fact)
                if any(isinstance(each.event, ItemMoved) for each in way):
                    self._concerns(fact, whole)
        elif isinstance(fact.event, ItemUpserted) and self._takes_apart(fact.event, address):
            self._ways[address] = (*self._way_of(address), fact)

    def _takes_apart(self, event: ItemUpserted, address: Address) -> bool:
        meant = event.intent
        if meant is None or meant.action != "restore":
            return False
        part = (*address[:2], meant.chosen)
        return self._part_of.get(part) == address and (self._is_known(address) or self._is_known(part))

    def _in_order(self, *facts: SealedFact) -> tuple[SealedFact, ...]:
        """Each once, as they were recorded."""
        once = {each.header.id: each for each in facts}
        return tuple(sorted(once.values(), key=lambda fact: self._order[fact.header.id]))

    def _is_private(self, address: Address, origin: Address) -> bool:
        return origin in self._there and origin != address and _is_closed(address, origin)

    def facts(self) -> tuple[SealedFact, ...]:
        """What holds in the end, in the order in which it was recorded."""
        taken_back = self._in_order(*(each for address in self._items for each in self._taken_back(address)))
        return self._in_order(*self._with_others(taken_back), *self._set(), *self._closed())

    def _with_others(self, facts: tuple[SealedFact, ...]) -> tuple[SealedFact, ...]:
        """These, and all of the way of what else they concern: halfway it might be more open than it is, or was."""
        known: tuple[SealedFact, ...] = ()
        while len(known) < len(facts):
            known = facts
            others = [each for fact in known for each in self._others.get(fact.header.id, ())]
            ways = [self._ways.get(self._lies_now(each), ()) for each in others]
            facts = self._in_order(*known, *(each for way in ways for each in way))
        return facts

    def _set(self) -> Iterator[SealedFact]:
        for fact in self._settings.values():
            if isinstance(fact.event, ConfigSet) and is_narrow(fact.event.key, fact.event.value):
                yield fact

    def _closed(self) -> Iterator[SealedFact]:
        """The places that fewer can read than the backup knows, and the summaries that it has and were cleared."""
        for place, fact in self._narrowed.items():
            known = self._readers.get(place)
            if known is not None and isinstance(fact.event, PlaceAudienceChanged):
                now = fact.event.audience
                if now.kind == "channel" and (now.kind, now.place) != (known.kind, known.place):
                    yield fact
        yield from (fact for unit, fact in self._cleared.items() if unit in self._summed_up)

    def _taken_back(self, address: Address) -> Iterator[SealedFact]:
        """The last that was taken back of an item, and what it needs to be all that is."""
        fact, way = self._items[address], self._ways.get(address, ())
        origin = self._came.get(address, _Origin(address)).address
        event = fact.event
        if isinstance(event, ItemForgotten):
            moved = self._there.get(origin) if origin != address and not way else None
            yield from way
            yield fact if moved is None else fact._replace(event=_forgotten_there(event, moved))
        elif isinstance(event, ItemMoved) and way and _is_closed(address, origin):
            yield from way
        elif isinstance(event, ItemMoved) and self._is_private(address, origin):
            yield _from(fact, origin)


def _unit(event: SummaryRefreshed | SummaryReset | SummaryReverted) -> Unit:
    return event.session, event.audience.epoch


def _is_closed(address: Address, origin: Address) -> bool:
    """Whether what lies there is its person's alone, or for the few who can read one place, and was for more."""
    owner, compartment, _ = address
    was_open = origin[1].startswith("guild/") or is_portable(origin[1])
    return compartment == direct(owner) or (was_open and readers_place(compartment) is not None)


def _items(event: ItemEvent) -> tuple[Item, ...]:
    return (event.item, *event.absorbed) if isinstance(event, ItemMerged) else (event.item,)


def _from(fact: SealedFact, origin: Address) -> SealedFact:
    """A move as one from where the backup has the item."""
    assert isinstance(fact.event, ItemMoved)
    return fact._replace(event=msgspec.structs.replace(fact.event, from_compartment=origin[1], from_id=origin[2]))


def _makes_one(fact: SealedFact, address: Address) -> bool:
    return isinstance(fact.event, ItemMoved) and _address(fact.event.item) == address


def _forgotten_there(event: ItemForgotten, item: Item) -> ItemForgotten:
    gone = msgspec.structs.replace(item, status="forgotten")
    return msgspec.structs.replace(event, item=gone, reason="", intent=None)


def _address(item: Item) -> Address:
    return item.owner, item.compartment, item.id


def _before(event: ItemMoved) -> Address:
    return event.item.owner, event.from_compartment, event.from_id


def sealed_facts(old: LmdbLog, fresh: LmdbLog, sealer: Sealer, gone: TakenBack) -> tuple[SealedFact, ...]:
    """What `old` took back that `fresh` does not know, in the order in which it was recorded."""
    since = _Since()
    for stored in old.read(0):
        fact = _opened(stored, sealer, gone)
        if fact is not None and fresh.find(fact.header.id) is not None:
            since.restored(fact.event)
        elif fact is not None:
            since.later(fact)
    return since.facts()


def unopened(old: LmdbLog, sealer: Sealer, gone: TakenBack) -> Iterator[codec.Header]:
    """The headers of what may have restricted something in `old` and cannot be opened: its key is lost, or its body is
    damaged or missing, and nobody took it back.
    """
    for stored in old.read(0):
        header = _header(stored, gone)
        if header is not None and header.tag in RESTRICTING and _fact(stored, header, sealer) is None:
            yield header


def _opened(stored: StoredEvent, sealer: Sealer, gone: TakenBack) -> SealedFact | None:
    """None of another kind, of what is gone, and of what cannot be read."""
    header = _header(stored, gone)
    return None if header is None else _fact(stored, header, sealer)


def _header(stored: StoredEvent, gone: TakenBack) -> codec.Header | None:
    """None of another kind, of what is gone, and where it is damaged."""
    try:
        header = codec.decode_header(stored.header)
    except LogError:
        return None
    return header if header.tag.startswith(FAMILIES) and not gone.has(header) else None


def _fact(stored: StoredEvent, header: codec.Header, sealer: Sealer) -> SealedFact | None:
    """None of what cannot be read: it is damaged, or its key is lost."""
    try:
        record = sealer.opened(stored, header, frozenset())
    except LogError:
        return None
    return None if record is None else SealedFact(header, record.event)
