"""The blocks of a prompt, their lines, and what each line rests on."""

from typing import Literal, NamedTuple

from projections.days import utc_date
from projections.events.values import Item, ItemUse, Source
from projections.ids import EventId, Seq
from projections.items import ItemRow, item_use
from projections.quoting import TITLES, BlockName, label, one_line
from projections.rows import Found
from projections.window_line import WindowLine


class Basis(NamedTuple):
    """What a line rests on: the event, at `seq`, that made the row as it is; for an item also its address."""

    kind: Literal["item", "summary", "message", "turn"]
    event: EventId
    seq: Seq
    item: ItemUse | None = None


class Line(NamedTuple):
    """An entry of a block as it stands in the prompt, and `of` what it is. What the operator or the asker gave is of
    nothing.
    """

    text: str
    of: WindowLine | Found[ItemRow] | Basis | None = None

    @property
    def basis(self) -> Basis | None:
        """What it rests on, made when it is asked for: an answer is made from the text alone."""
        of = self.of
        if isinstance(of, WindowLine):
            return line_basis(of)
        return of if of is None or isinstance(of, Basis) else item_basis(of)


class Block(NamedTuple):
    """A titled part of the prompt."""

    name: BlockName
    lines: tuple[Line, ...]

    @property
    def body(self) -> str:
        """Without the title."""
        return "\n".join([line.text for line in self.lines])

    @property
    def text(self) -> str:
        return f"{TITLES[self.name]}\n{self.body}"

    @property
    def chars(self) -> int:
        """Code points of the body, without the title."""
        return len(self.body)


def line_basis(line: WindowLine) -> Basis | None:
    """What something that was said rests on; None where nothing is recorded of it."""
    if not line.id:
        return None
    return Basis("turn" if line.is_turn else "message", line.event, line.seq)


def item_basis(found: Found[ItemRow]) -> Basis:
    """What an item rests on."""
    return Basis("item", found.row.event, found.seq, item_use(found.row))


def item_line(item: Item, *, with_place: bool = True) -> str:
    """A durable item as it stands in a prompt, always on one line. Without the place, of its source only the type."""
    kind = label(item.kind) or "fact"
    source = _source(item.source) if with_place else item.source.type
    return f"- [{kind}] {one_line(item.text)} (src: {source}, updated {utc_date(item.updated)})"


FRAME_CHARS = len(f"- []  (src: , updated {utc_date(0)})")
"""What stands around kind, text and source in an item's line."""


def item_line_chars(item: Item) -> int:
    """How many code points `item_line` has, for whoever counts those of many items."""
    text = " ".join(item.text.split())  # what is made visible stays as long as it is
    return FRAME_CHARS + len(label(item.kind) or "fact") + len(text) + len(_source(item.source))


def _source(source: Source) -> str:
    """`discord:<channel>/<message>` for what was said somewhere, else how it came. A DM, keyed by a handle, is `dm`."""
    if source.type == "manual" or source.place is None or source.message is None:
        return source.type
    place = "dm" if source.place.key.startswith("dm:") else _word(source.place.key)
    return f"{_word(source.place.platform)}:{place}/{_word(source.message.key)}"


def _word(text: str) -> str:
    shown = label(text)
    return shown if shown.isalnum() else "".join(each for each in shown if each not in " ,")
