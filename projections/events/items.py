"""What happened to durable items. Each event carries the item whole, as it is afterwards."""

from typing import ClassVar

from projections.events.event import Event
from projections.events.values import Evidence, Intent, Item, RowWas
from projections.ids import EventId, Handle


class ItemEvent(Event, frozen=True, kw_only=True):
    """`reason` is in words, for the audit; `policy` is the rule that decided and its version."""

    item: Item
    reason: str = ""
    policy: str = ""
    intent: Intent | None = None


class ItemRemembered(ItemEvent, frozen=True, kw_only=True):
    """A person, or the operator for them, asked to keep this. `returns` is as in `item.restored`: they may say again
    what they took back.
    """

    TAG: ClassVar[str] = "item.remembered"
    returns: tuple[EventId, ...] = ()


class ItemUpserted(ItemEvent, frozen=True, kw_only=True):
    """An item was added or changed: by the model, by an import, or by a person who edited it."""

    TAG: ClassVar[str] = "item.upserted"


class ItemDeprecated(ItemEvent, frozen=True, kw_only=True):
    """The model or an import says that this no longer holds."""

    TAG: ClassVar[str] = "item.deprecated"


class ItemMerged(ItemEvent, frozen=True, kw_only=True):
    """Several items became one; `absorbed` are the others, whole, as they are afterwards."""

    TAG: ClassVar[str] = "item.merged"
    absorbed: tuple[Item, ...] = ()


class ItemEvicted(ItemEvent, frozen=True, kw_only=True):
    """An item made room for another: the owner had more than `cap`."""

    TAG: ClassVar[str] = "item.evicted"
    cap: int


class ItemForgotten(ItemEvent, frozen=True, kw_only=True):
    """A person took this back. `quiet` lists the messages and answers that leave recall with it."""

    TAG: ClassVar[str] = "item.forgotten"
    quiet: tuple[EventId, ...] = ()


class ItemRestored(ItemEvent, frozen=True, kw_only=True):
    """A person brought an item back. `returns` lists the messages and answers that come back with it."""

    TAG: ClassVar[str] = "item.restored"
    returns: tuple[EventId, ...] = ()


class ItemMoved(ItemEvent, frozen=True, kw_only=True):
    """An item changed its compartment: `item` is at its new address, the old one is empty."""

    TAG: ClassVar[str] = "item.moved"
    from_compartment: str
    from_id: str


class ItemRedacted(ItemEvent, frozen=True, kw_only=True):
    """A message that was taken back left what the item rests on, and the words quoted from it are gone; the item stands
    on what is left, or because a person asked to keep it.

    `refuses`: it stands among what its owner took back, and `was` and `quiet` are as they were there.
    """

    TAG: ClassVar[str] = "item.redacted"
    refuses: bool = False
    was: tuple[EventId, ...] = ()
    quiet: tuple[EventId, ...] = ()


class ItemGone(Event, frozen=True, kw_only=True):
    """There is no item at this address from now on, and `quiet` stays out of recall. It has nobody's words."""

    owner: Handle
    compartment: str
    id: str
    reason: str = ""
    policy: str = ""
    quiet: tuple[EventId, ...] = ()


class ItemWithdrawn(ItemGone, frozen=True, kw_only=True):
    """This item was made of messages that were taken back, and of nothing else: it is gone, and its words with it. What
    is left is its address. `quiet` is what had left recall where somebody had taken the item back.
    """

    TAG: ClassVar[str] = "item.withdrawn"


class ItemClosed(ItemGone, frozen=True, kw_only=True):
    """Whatever becomes of the events around it, what this address held is out of force. It stands ahead of the event
    that takes the item back or elsewhere: that one may go with a message, or with the key of another person whose words
    it holds, and must not leave the item as it was.
    """

    TAG: ClassVar[str] = "item.closed"


class ItemReverted(ItemEvent, frozen=True, kw_only=True):
    """What the events `undoes` had made of an item is undone: it is again as it was, and its row says again how it had
    come to be so (`was`). `gone`: before them there was no such item; `item` is then as it was last.
    """

    TAG: ClassVar[str] = "item.reverted"
    was: RowWas
    undoes: tuple[EventId, ...] = ()
    gone: bool = False


class ItemRefused(Event, frozen=True, kw_only=True):
    """Something was not allowed to become an item, and why. Of the kind `message` is a whole message that may hold a
    secret: its words stand in it alone, and are its cause.
    """

    TAG: ClassVar[str] = "item.refused"
    owner: Handle
    compartment: str
    kind: str
    text: str
    reason: str
    policy: str
    evidence: tuple[Evidence, ...] = ()
    against: str = ""
