"""What had to go for what was just kept, told to whoever asked for it: nothing leaves unseen.

A cap is a person's, over all of their compartments: what made room may lie where the place does not look. So what went
is told as far as every reader of the reply may see it, and of the rest how many there were. Where others read along,
what its person had taken back before it went is of that rest: it is told there no more.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dnam.commands.command import Invocation
from dnam.memory import Memory
from projections.counting import counted
from projections.derived import effects_of
from projections.events import ItemEvicted
from projections.events.values import Item
from projections.items import ITEMS, item_key, items_of
from projections.lives import address_of
from projections.policies.compartments import Opening
from projections.quoting import one_line
from projections.rows import Rows
from replay.audit import life_at
from replay.reading import Reader

MOST_TOLD = 3


class Gone(NamedTuple):
    """The items that made room: those that the reply may tell of, and how many more there are."""

    told: tuple[Item, ...]
    untold: int


async def made_room(memory: Memory, *kept: Item, asked: Invocation | None) -> str:
    """The words for it, on a line of their own; empty where there was room. `asked` says who reads them; None for the
    operator, who sees everything.
    """
    reader = Reader(memory.engine.live)
    gone = await memory.look(lambda rows: evicted_for(rows, reader, kept, asked))
    count = len(gone.told) + gone.untold
    if not count:
        return ""
    room = f"\nTo make room for {'it' if len(kept) == 1 else 'them'}, {counted(count, 'older item')} went"
    return f"{room}{_words(gone)}. They can be restored."


def _words(gone: Gone) -> str:
    told = [f"{one_line(each.text)} (`{each.id}`)" for each in gone.told[:MOST_TOLD]]
    more = [f"and {len(gone.told) - MOST_TOLD} more"] if len(gone.told) > MOST_TOLD else []
    untold = f"that {'is' if gone.untold == 1 else 'are'} not told here"
    if not told:
        return f" {untold}"
    return f": {'; '.join([*told, *more, *([f'and {gone.untold} {untold}'] if gone.untold else [])])}"


def evicted_for(rows: Rows, reader: Reader, kept: Iterable[Item], asked: Invocation | None) -> Gone:
    """The items that made room for others when those were last changed, as far as they may be told to who asks."""
    gone = list(_evicted_for(rows, kept))
    here = () if asked is None else asked.opens(rows)
    seen = [each for each in gone if asked is None or Opening(each.owner, each.compartment) in here]
    told = [each for each in seen if asked is None or asked.is_alone or _was_held(rows, reader, each)]
    return Gone(tuple(told), len(gone) - len(told))


def _evicted_for(rows: Rows, kept: Iterable[Item]) -> Iterator[Item]:
    for item in kept:
        row = rows.get(ITEMS, item_key(item.owner, item.compartment, item.id))
        effects = () if row is None else effects_of(rows, row.event)
        evictions = {effect for effect, tag in effects if tag == ItemEvicted.TAG}
        if evictions:
            yield from (found.row.item for found in items_of(rows, item.owner) if found.row.event in evictions)


def _was_held(rows: Rows, reader: Reader, item: Item) -> bool:
    """Whether it was remembered until it made room, and not taken back before."""
    life = life_at(rows, reader, address_of(item))
    before = life.steps[-1].before if life is not None and life.steps else None
    return before is not None and before.status == "active"
