"""What whoever picks is told of a group that may be adopted: where its items hold, what they rest on, and what somebody
should look at, as the difference tells it.
"""

from typing import NamedTuple

from dnam.rephrasing import rephrasing_of
from dnam.shadows.source import Both, Source
from dnam.shadows.words import Fault, GroupWords, Teller, faults
from projections.decisions.adopt import Part
from projections.ids import Handle
from projections.items import ItemRow, items_of
from projections.rederiving.judged import Judged, Texts, judged
from projections.rederiving.pairs import Pair
from replay.engine import Engine
from replay.reading import Reader


class Grounds(NamedTuple):
    """A group in words, and the faults of its items."""

    group: GroupWords
    faults: tuple[Fault, ...]


class Grounding:
    """Tells them of an open shadow beside an open memory; what was judged of an owner is kept for their next group."""

    def __init__(self, source: Source, shadow: Engine) -> None:
        self._source = source
        self._shadow = shadow
        self._judged: tuple[Handle | None, Judged, Judged] | None = None

    def of(self, owner: Handle, part: Part) -> Grounds:
        """Of a group of an owner's."""
        memory = self._source.memory
        with self._source.both() as both:
            mine = _rows(both, owner)[0]
            events = Reader(memory.engine.live), Reader(self._shadow.live)
            teller = Teller(both.live, *events, memory.settings.assistant_name)
            (group,) = teller.groups([part.group._replace(pairs=part.pairs)], mine, lambda _: "")
            old, new = self._of_owner(both, owner)
        found = (*faults("old", old), *faults("new", new))
        return Grounds(group, tuple(each for each in found if any(_is_of(each, pair) for pair in part.pairs)))

    def _of_owner(self, both: Both, owner: Handle) -> tuple[Judged, Judged]:
        if self._judged is None or self._judged[0] != owner:
            memory = self._source.memory
            texts = Texts(memory.vocabulary, rephrasing_of(memory.language))
            old, new = (judged(rows, texts) for rows in _rows(both, owner))
            self._judged = owner, old, new
        return self._judged[1:]


def _rows(both: Both, owner: Handle) -> tuple[list[ItemRow], list[ItemRow]]:
    """What an owner has on both sides."""
    old, new = ([found.row for found in items_of(rows, owner)] for rows in both)
    return old, new


def _is_of(fault: Fault, pair: Pair) -> bool:
    """Whether a fault is of an item of a pair, or lies between it and another one."""
    row = pair.old if fault.side == "old" else pair.new
    return row is not None and (row.item.id == fault.id or row.item.text == fault.beside)
