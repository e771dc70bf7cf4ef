"""What lay under an adoption that was taken back: other adoptions, of the same shadow or of another one, that had
touched the same items and summaries, and of which something can be taken back now. An undoing of one that had left
something because of the one above goes on.

Nothing keeps a list of the names of shadows: those that are here are known, and of others what was adopted from them
says what they were called.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dnam.adoption.adopted import Touched, touched_by
from dnam.adoption.half_adopted import counted_adoptions, readable
from dnam.adoption.unadopting import Unadopting, UndoOffer
from projections.decisions.adopt_pairs import says_shadow
from projections.decisions.adopted import next_adoption, that_count
from projections.decisions.adopted_all import Rederived
from projections.events import ItemEvent
from projections.rows import Rows
from replay.chronicle import LogChronicle
from replay.engine import Engine
from replay.shadows.shadow import shadows_in


class Freed(NamedTuple):
    """Of a shadow's adoptions: how many items and summaries can be taken back now. `begun`: an undoing of them left
    something, or broke off.
    """

    shadow: str
    begun: bool
    items: int
    summaries: int


def freed_by(undoing: Unadopting, rows: Rows, data: Path, offer: UndoOffer) -> list[Freed]:
    """What lay under an adoption that was taken back just now, as it was offered, by the shadows' names."""
    engine = undoing.engine
    taken = touched_by(engine, rows, offer.undoing)
    found = ((name, _of_shadow(undoing.of(name), rows, taken, offer)) for name in _names(engine, rows, data))
    return [_freed(name, offers) for name, offers in found if offers]


def _of_shadow(undoing: Unadopting, rows: Rows, taken: Touched, offer: UndoOffer) -> list[UndoOffer]:
    return [
        each
        for each in undoing.offers(rows)
        if each.adoption != offer.adoption and not each.is_empty and _share(undoing.touched(rows, each), taken)
    ]


def _share(one: Touched, other: Touched) -> bool:
    if not one.summaries.keys().isdisjoint(other.summaries):
        return True
    return any(not found.keys().isdisjoint(other.items.get(owner, {})) for owner, found in one.items.items())


def _freed(name: str, offers: list[UndoOffer]) -> Freed:
    items = sum(person.items for each in offers for person in each.people)
    return Freed(name, any(each.begun for each in offers), items, sum(len(each.sessions) for each in offers))


def _names(engine: Engine, rows: Rows, data: Path) -> list[str]:
    """The shadows of which something is adopted, as far as it is known what they were called."""
    here = [made.name for name in shadows_in(data) if (made := readable(data, name)) is not None]
    hashed = {rows.ids.keyed_hash("shadow", name)[:16] for name in here}
    gone = (made for told, made in counted_adoptions(engine) if told.name not in hashed and told.undoes is None)
    return sorted({*here, *(name for made in gone for name in _told(engine, rows, made))})


def _told(engine: Engine, rows: Rows, made: Rederived) -> Iterator[str]:
    """What a shadow was called, as the items say that were adopted from it."""
    chronicle = LogChronicle(engine.live)
    for each in (*that_count(rows, made.shadow, made.made), next_adoption(rows, made.shadow, made.made)):
        for event in touched_by(engine, rows, each).starts:
            record = chronicle.find(event)
            if record is not None and isinstance(record.event, ItemEvent) and (name := says_shadow(record.event)):
                yield name
                return
