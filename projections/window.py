"""The recent conversation: what was said in a session just before a message.

A message or an answer that went quiet with a forgotten item (items.QUIET) stays here: it leaves recall and the next
summary (design §8), while what everybody in the place can still read above their own message remains part of the
conversation.

An answer of an earlier era is out of it: the vault of an era grows by everybody in the prompts of its answers, and an
old one in the window would bring all of its people into the new one.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from projections.caller import Caller
from projections.events.values import LeftOut, Limits
from projections.ids import Point, Ref
from projections.messages import MessageRow
from projections.rows import Rows
from projections.said import Entry, leading_to, of_era
from projections.summaries import era_of
from projections.turns import DELIVERIES, TurnRow
from projections.window_line import WindowLine, entry_line

T = TypeVar("T")


class Window(NamedTuple):
    """The lines that fit, oldest first, and what did not. `authors` says who wrote what is in reach, and `signed` has
    it, by what its platform calls it.
    """

    lines: tuple[WindowLine, ...]
    left_out: tuple[LeftOut, ...]
    authors: Mapping[Ref, str]
    signed: Mapping[Ref, Entry] = MappingProxyType({})

    @property
    def words(self) -> str:
        """What was said in it, without names of speakers."""
        return "\n".join(line.words for line in self.lines)


class Fitted(NamedTuple):
    """Which of a row of texts fit into a block, by index, and which not: `over` the budget, or `beyond` the count."""

    kept: list[int]
    over: list[int]
    beyond: list[int]


def fit(texts: Sequence[T], chars: int, most: int, length: Callable[[T], int]) -> Fitted:
    """Take texts in turn while there are fewer than `most`; one that does not fit is skipped and the next one tried.

    `chars` counts code points of what is kept with a line break between each two, so the block's body never exceeds it.
    `length` measures one, and is asked only while there is room.
    """
    fitted = Fitted([], [], [])
    room = chars + 1
    for index, text in enumerate(texts):
        if len(fitted.kept) == most:
            fitted.beyond.extend(range(index, len(texts)))
            break
        if (size := length(text) + 1) > room:
            fitted.over.append(index)
        else:
            fitted.kept.append(index)
            room -= size
    return fitted


def recent(
    rows: Rows,
    session: str,
    epoch: int,
    before: Point,
    limits: Limits,
    caller: Caller,
    starter: Entry | None = None,
) -> Window:
    """The last messages and answers of a session before a point, as far as they fit: what `leading_to` it.

    Of the newest `history_messages` those are kept that fit into `history_chars`, newest first; one that is too long is
    left out whole, so that a single huge paste does not empty the window. Where all of them are there, and room for one
    more, the `starter` of a thread stands above them, if it fits.
    """
    most = limits.history_messages
    era = era_of(rows, session, epoch)
    newest = list(islice(of_era(leading_to(rows, session, epoch, before), era), most + 1))
    window = _window(rows, newest, limits, caller)
    if starter is None or window.left_out or len(newest) == most:
        return window
    return _window(rows, [*newest, starter], limits, caller)


def _window(rows: Rows, newest: Sequence[Entry], limits: Limits, caller: Caller) -> Window:
    """What fits of these, newest first: there may be one more than the limit."""
    most = limits.history_messages
    signed = [(ref, name, entry) for entry in reversed(newest) for ref, name in _signed(rows, entry.row, caller)]
    authors = {ref: name for ref, name, _ in signed}
    lines = [entry_line(entry, caller, authors) for entry in newest[:most]]
    fitted = fit([line.rendered for line in lines], limits.history_chars, most, len)
    over = [LeftOut("recent", lines[each].id.hex(), f"over {limits.history_chars} characters") for each in fitted.over]
    beyond = [LeftOut("recent", "what was said earlier", f"over {most} messages")] if len(newest) > most else []
    kept = tuple(lines[each] for each in reversed(fitted.kept))
    return Window(kept, (*over, *beyond), authors, {ref: entry for ref, _, entry in signed})


def _signed(rows: Rows, row: MessageRow | TurnRow, caller: Caller) -> list[tuple[Ref, str]]:
    """What the platform calls the message, or the messages of an answer, and who wrote it."""
    if isinstance(row, MessageRow):
        return [(row.message.ref, caller.author(row.message))]
    delivery = rows.get(DELIVERIES, row.event)
    return [] if delivery is None else [(ref, caller.assistant_in(row)) for ref in delivery.messages]
