"""What a person keeps for their direct messages alone comes to lie nowhere else when items are taken over, or come
back: neither what says it, nor what rests on nothing but the messages that it rests on.

An item that its person moved there says so (`keep_private`). Whatever lies there and rests on a message that was said
elsewhere was moved there too, also where it was changed since: there is no other way for it to come there.
"""

from collections.abc import Iterable, Iterator, Sequence

from projections.events.values import Item
from projections.ids import EventId
from projections.items import ForgottenRow, ItemRow
from projections.policies.compartments import direct
from projections.policies.refusals import Claim, refusal
from projections.policies.rephrasing import Rephrasing
from projections.rows import Rows

VERSION = "kept-private@1"


def is_kept_private(
    rows: Rows,
    owned: Iterable[ItemRow],
    kept: Sequence[ItemRow],
    compartment: str,
    claim: Claim,
    known: Rephrasing | None = None,
) -> bool:
    """Whether this is kept from a compartment. `owned` are all of a person's items; of `kept`, those that lie in their
    direct messages count. `known` is what is known of the language.
    """
    home = direct(kept[0].item.owner) if kept else compartment
    if compartment == home:
        return False  # most often, and without a look at any of them
    there = [row for row in kept if row.item.compartment == home]
    if not there:
        return False
    moved = [_words(row) for row in there if row.intent is not None and row.intent.action == "keep_private"]
    return _rests_on_it_alone(owned, there, compartment, claim) or refusal(rows, moved, claim, known) is not None


def _rests_on_it_alone(owned: Iterable[ItemRow], there: Iterable[ItemRow], compartment: str, claim: Claim) -> bool:
    """A message on which something else of theirs rests where this would lie is not kept from there."""
    here = {message for row in owned if _is_active_in(row.item, compartment) for message in _messages(row.item)}
    kept = {message for row in there for message in _messages(row.item)} - here
    return bool(claim.messages) and kept.issuperset(claim.messages)


def _is_active_in(item: Item, compartment: str) -> bool:
    return item.status == "active" and item.compartment == compartment


def _messages(item: Item) -> Iterator[EventId]:
    return (each.message for each in item.evidence if each.message)


def _words(row: ItemRow) -> ForgottenRow:
    """What they keep, held against what is said as what they took back is."""
    item = row.item
    return ForgottenRow(row.event, item.id, item.compartment, item.kind, item.text, item.evidence, ())
