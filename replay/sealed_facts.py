"""What a log that a restore replaces took back since the backup, where it lies sealed, so that no ledger has it: items
that were forgotten, or kept private, and settings by which less is learned or kept.

    item.forgotten   what its item last was: recorded anew. Of an item that was moved in between it says what the backup
                     has of it, where the backup has it: its later words may not be for everybody there
    item.moved       into its person's direct messages, of an item that the backup has: recorded anew
    item.reverted    behind a move that took apart what the backup has as one: recorded anew where what had moved is
                     kept private or forgotten, so that this is all that goes
    config.set       the last of each scope and key, if it is one of those: recorded anew

Only what the log in force can show is known: not what was taken back in a copy of it that is gone, nor what cannot be
opened, whose kind alone stands in its header (`unopened`).
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from projections.events import ConfigSet, Event, ItemEvent, ItemForgotten, ItemMoved, ItemReverted
from projections.events.values import Item
from projections.ids import Handle
from projections.policies.compartments import direct
from projections.policies.configurable import is_narrow
from projections.policies.human_acts import takes_apart
from replay import codec
from replay.backup import TakenBack
from replay.errors import LogError
from replay.lmdb_log import LmdbLog
from replay.log import StoredEvent
from replay.sealer import Sealer

FAMILIES = ("item.", ConfigSet.TAG)
RESTRICTING = frozenset({ItemForgotten.TAG, ItemMoved.TAG, ConfigSet.TAG})
"""The kinds that are recorded anew. Of one that cannot be opened, it is not known whether it would have been."""
Address = tuple[Handle, str, str]


class SealedFact(NamedTuple):
    """An event to record anew, and its header in the log that is replaced."""

    header: codec.Header
    event: Event


class _Origin(NamedTuple):
    """Where an item lay in the backup. `apart`: it was one there with what is an item of its own again since then."""

    address: Address
    apart: bool = False


class _Since:
    def __init__(self) -> None:
        self._there: dict[Address, Item] = {}
        self._came: dict[Address, _Origin] = {}
        self._left: dict[Address, Address] = {}
        self._stayed: dict[Address, SealedFact] = {}
        self._items: dict[Address, SealedFact] = {}
        self._settings: dict[tuple[str, str], SealedFact] = {}

    def restored(self, event: Event) -> None:
        """It is in what is restored, too."""
        if isinstance(event, ItemMoved):
            self._there.pop(_before(event), None)
        if isinstance(event, ItemEvent):
            self._there[_address(event.item)] = event.item

    def later(self, fact: SealedFact) -> None:
        """It came afterwards."""
        match fact.event:
            case ConfigSet(scope=scope, key=key):
                self._settings[scope, key] = fact
            case ItemMoved(item=item) as event:
                before, address = _before(event), _address(item)
                forgotten = self._items.pop(before, fact)
                origin = self._came.pop(before, _Origin(before))
                self._came[address] = _Origin(address) if origin.address == address else origin
                self._left[before] = address
                self._items[address] = forgotten if item.status == "forgotten" else fact
            case ItemReverted(item=item) if takes_apart(fact.event):
                self._apart(_address(item), fact)
            case ItemForgotten(item=item):
                self._items[_address(item)] = fact
            case ItemEvent(item=item) if self._is_over(item):
                self._items.pop(_address(item), None)

    def _is_over(self, item: Item) -> bool:
        """Whether this takes back what was taken back: what is only moved stays where it is, whatever it says now."""
        fact = self._items.get(_address(item))
        return fact is not None and isinstance(fact.event, ItemForgotten) and item.status != "forgotten"

    def _apart(self, address: Address, fact: SealedFact) -> None:
        """What was one with another in the backup left it there: that is there as it was before."""
        went = self._left.get(address, address)
        if address in self._there and self._came.get(went) == _Origin(address):
            self._came[went] = _Origin(address, apart=True)
            self._stayed[address] = fact

    def _is_private(self, address: Address, origin: Address) -> bool:
        return origin in self._there and origin != address and address[1] == direct(address[0])

    def facts(self) -> Iterator[SealedFact]:
        """What holds in the end."""
        for address, fact in self._items.items():
            origin, apart = self._came.get(address, _Origin(address))
            event = fact.event
            if isinstance(event, ItemForgotten):
                moved = self._there.get(origin) if origin != address and not apart else None
                yield fact if moved is None else fact._replace(event=_forgotten_there(event, moved))
            elif isinstance(event, ItemMoved) and self._is_private(address, origin):
                yield fact._replace(event=msgspec.structs.replace(event, from_compartment=origin[1], from_id=origin[2]))
            else:
                continue
            if apart:
                yield self._stayed[origin]
        for fact in self._settings.values():
            if isinstance(fact.event, ConfigSet) and is_narrow(fact.event.key, fact.event.value):
                yield fact


def _forgotten_there(event: ItemForgotten, item: Item) -> ItemForgotten:
    gone = msgspec.structs.replace(item, status="forgotten")
    return msgspec.structs.replace(event, item=gone, reason="", intent=None)


def _address(item: Item) -> Address:
    return item.owner, item.compartment, item.id


def _before(event: ItemMoved) -> Address:
    return event.item.owner, event.from_compartment, event.from_id


def sealed_facts(old: LmdbLog, fresh: LmdbLog, sealer: Sealer, gone: TakenBack) -> list[SealedFact]:
    """What `old` took back that `fresh` does not know, in the order in which it was recorded."""
    since = _Since()
    for stored in old.read(0):
        fact = _opened(stored, sealer, gone)
        if fact is not None and fresh.find(fact.header.id) is not None:
            since.restored(fact.event)
        elif fact is not None:
            since.later(fact)
    return sorted(since.facts(), key=lambda fact: fact.header.at)


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
