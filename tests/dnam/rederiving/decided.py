"""What must hold of a memory because people decided it: read from its log alone, from the events that people caused,
without a row, a policy or a decision of what is tested.

A person's act is known by who did it, and by its tag. The last thing that happened to an item says whose it is.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from projections.events import (
    Event,
    ItemEvent,
    ItemForgotten,
    ItemMerged,
    ItemMoved,
    ItemRedacted,
    ItemRemembered,
    ItemRestored,
    ItemReverted,
    ItemUpserted,
    ItemWithdrawn,
    PersonErased,
)
from projections.events.values import Item
from projections.ids import EventId, Handle
from replay.engine import Engine
from replay.reading import Reader

SOMEBODY = frozenset(("person", "operator", "import"))


class Address(NamedTuple):
    """Where an item lies."""

    owner: Handle
    compartment: str
    id: str


class Words(NamedTuple):
    """Whose words of which kind."""

    owner: Handle
    text: str


@dataclass
class Life:
    """An item by its last event. `theirs`: a person did that; `kept`: they asked to keep it, and nobody forgot it."""

    item: Item
    theirs: bool
    kept: bool
    event: Event


@dataclass
class Decided:
    """What people decided, up to the end of a log."""

    lives: dict[Address, Life] = field(default_factory=dict)
    quiet: dict[EventId, Address] = field(default_factory=dict)
    """The messages that left recall, and the item with which they did."""
    took_back: dict[Address, Item] = field(default_factory=dict)
    """What a person took back and did not bring back, under the address at which they did."""
    hidden: dict[Address, Item] = field(default_factory=dict)
    """What they keep for their direct messages, as it was in the place that it left."""
    acted: dict[Address, int] = field(default_factory=dict)
    """When anything last happened at an address, as a place in the log."""
    standing: set[Address] = field(default_factory=set)
    """What stands without a message that was taken back: it says what a model had made of both, as long as it says that
    still.
    """

    # -- what must hold ----------------------------------------------------------------------------------------------

    def written(self) -> Iterator[tuple[Address, Item]]:
        """What is as a person left it, or kept, and must stay word for word."""
        for address, life in self.lives.items():
            if life.theirs or life.kept:
                yield address, life.item

    def forgotten_words(self) -> set[Words]:
        """What nobody may say again of them, unless they do so."""
        again = {words_of(life.item) for life in self.lives.values() if life.theirs and life.item.status == "active"}
        return {words_of(item) for item in self.took_back.values()} - again

    def left_recall(self, messages: Iterable[EventId]) -> bool:
        """Whether something rests only on messages that left recall."""
        found = list(messages)
        return bool(found) and all(each in self.quiet for each in found)

    # -- the events --------------------------------------------------------------------------------------------------

    def take(self, seq: int, event: Event) -> None:
        """The next event of the log."""
        if isinstance(event, PersonErased):
            return
        if isinstance(event, ItemWithdrawn):
            gone = Address(event.owner, event.compartment, event.id)
            self.acted[gone] = seq
            self.lives.pop(gone, None)
            return
        if not isinstance(event, ItemEvent):
            return
        address = address_of(event.item)
        before = self.lives.get(address)
        if isinstance(event, ItemMoved):
            came = address._replace(compartment=event.from_compartment, id=event.from_id)
            before = self.lives.pop(came, before)
            self.acted[came] = seq
            self._hides(came, event, before)
        self.acted[address] = seq
        self._stands(address, event, before)
        theirs, kept = is_theirs(event), event.item.kept and event.item.status == "active"
        if isinstance(event, ItemReverted) and event.gone:
            self.lives.pop(address, None)
        else:
            self.lives[address] = Life(event.item, theirs, kept, event)
        for each in event.absorbed if isinstance(event, ItemMerged) else ():
            self.acted[address_of(each)] = seq
            self.lives[address_of(each)] = Life(each, False, False, event)
        self._takes_back(address, event)

    def _stands(self, address: Address, event: ItemEvent, before: Life | None) -> None:
        came = address
        if isinstance(event, ItemMoved):
            came = address._replace(compartment=event.from_compartment, id=event.from_id)
        says_the_same = came in self.standing and before is not None and before.item.text == event.item.text
        is_again = isinstance(event, ItemReverted) and event.was.tag == ItemRedacted.TAG
        self.standing -= {address, came}
        if says_the_same or is_again or isinstance(event, ItemRedacted):
            self.standing.add(address)

    def _hides(self, came: Address, event: ItemMoved, before: Life | None) -> None:
        if event.intent is not None and event.item.compartment.endswith("/direct"):
            self.hidden[came] = event.item if before is None else before.item
        elif event.intent is not None:
            self.hidden = {at: item for at, item in self.hidden.items() if words_of(item) != words_of(event.item)}

    def _takes_back(self, address: Address, event: ItemEvent) -> None:
        match event:
            case ItemForgotten(quiet=quiet):
                self.took_back[address] = event.item
                self.quiet |= dict.fromkeys(quiet, address)
            case ItemRedacted(quiet=quiet) if event.refuses:
                self.took_back[address] = event.item
                self.quiet |= dict.fromkeys(quiet, address)
            case ItemRestored(returns=returns) | ItemRemembered(returns=returns):
                self.took_back.pop(address, None)
                for each in returns:
                    self.quiet.pop(each, None)
            case ItemUpserted() if is_theirs(event):
                self.took_back.pop(address, None)
            case _:
                pass


def decided_in(engine: Engine, upto: int | None = None) -> Decided:
    """What people decided in a log, as far as it can be read, up to a seq."""
    reader, made = Reader(engine.live), Decided()
    for seq in range(1, (reader.size if upto is None else upto) + 1):
        record = reader.at(seq).record
        if record is not None:
            made.take(seq, record.event)
    return made


def is_theirs(event: ItemEvent) -> bool:
    """Whether a person did it, or the operator for them; of what was undone, whether they had done what holds again."""
    if isinstance(event, ItemReverted):
        return event.was.by.kind in SOMEBODY or event.was.intent is not None
    return event.by.kind in SOMEBODY or event.intent is not None


def address_of(item: Item) -> Address:
    """Where it lies."""
    return Address(item.owner, item.compartment, item.id)


def words_of(item: Item) -> Words:
    """Whose words, but for case and spaces."""
    return Words(item.owner, " ".join(item.text.casefold().split()))
