"""Whether something was taken back in the live memory since a walk began: then what the walk has read and planned is
not shown to a model any more.

    before a question goes out, or a batch    the live log is looked at; where something was taken back, nothing is sent
    before an encoder compares texts          the same
    when a batch has been answered            the same: what it replied is not decided from
    before what was replied then is decided   the same, inside of the decision

The walk is broken off by it and begins again: the shadow follows the memory first, what was made stands as far as it
may, and everything else is planned anew. A question that comes out the same has its reply already, if it had one.

What a person forgot keeps its words in the log. It ends a walk too, so that it holds in the shadow before anybody is
asked again (`forgotten_ahead`, `hidden`).

What was recorded behind the walk's end is not in the shadow: where that is taken back, nothing happens.
"""

import threading
from collections.abc import Callable, Sequence
from functools import partial

from projections.decisions.draft import Decision, Draft
from projections.decisions.overtaken import OVERTAKEN
from projections.events import (
    Event,
    ExtractionFailed,
    ItemForgotten,
    MessageRedacted,
    PersonErased,
    PersonOptedOut,
    SummaryAnswered,
)
from projections.ids import EventId
from projections.rows import Rows
from replay.engine import Engine
from replay.units import stored_with

TAGS = frozenset(each.TAG for each in (ItemForgotten, MessageRedacted, PersonErased, PersonOptedOut))
"""What says that something was: a deletion, an edit and a sweep name in a redaction what went."""
Refuse = Callable[[], None]
"""Raises TakenBack where something was taken back."""


class TakenBack(Exception):
    """Something that may be in a question was taken back since the walk began."""

    def __init__(self) -> None:
        super().__init__("something that it had read was taken back meanwhile")


class Watch:
    """Looks at a live log behind `seen`, up to where the shadow has followed it, while a walk goes on that ends at
    `upto`. It may be asked in any thread.
    """

    def __init__(self, live: Engine, upto: int, seen: int) -> None:
        self._live = live
        self._upto = upto
        self._seen = seen
        self._turn = threading.Lock()
        self._is_over = False

    @property
    def is_over(self) -> bool:
        """Whether something was taken back, as far as it was looked."""
        return self._is_over

    def refuse(self) -> None:
        """TakenBack where something was taken back by now. Where nothing was recorded since, a read of a few bytes."""
        if not self._is_over and self._live.head().size <= self._seen:
            return
        with self._turn:
            with self._live.reading():
                """What other processes recorded, erased and rewrote is known from here on."""
            size = self._live.head().size
            if size > self._seen and not self._is_over:
                self._is_over = any(map(self._takes_back, self._events(size)))
                self._seen = size
        if self._is_over:
            raise TakenBack

    def _events(self, size: int) -> list[Event]:
        records = map(self._live.live.folding.record, stored_with(self._live, TAGS, self._seen, size))
        return [each.event for each in records if each is not None]

    def _takes_back(self, event: Event) -> bool:
        match event:
            case MessageRedacted(events=gone):
                return any(map(self._is_before_end, gone))
            case ItemForgotten(item=item, causes=causes, quiet=quiet):
                rests = (each.message for each in item.evidence if each.message)
                return any(map(self._is_before_end, (*rests, *causes, *quiet)))
            case _:
                return True

    def _is_before_end(self, event: EventId) -> bool:
        return 0 < (self._live.store.log.find(event) or 0) <= self._upto


def unwatched() -> None:
    """For what nobody watches."""


def unless_overtaken(decision: Decision, refuse: Refuse) -> Decision:
    """A decision that is none where it would say that what a model was shown was taken back: then it is asked again
    without that. What a person took back in the walk itself stays as it is said.
    """
    return partial(_decided, decision, refuse)


def _decided(decision: Decision, refuse: Refuse, rows: Rows) -> Sequence[Draft]:
    drafts = decision(rows)
    if any(map(_says_so, drafts)):
        refuse()
    return drafts


def _says_so(draft: Draft) -> bool:
    """Whether it is what a loop records of a reply that was overtaken."""
    match draft.event:
        case ExtractionFailed(error=error):
            return error == OVERTAKEN
        case SummaryAnswered(reply=reply):
            return not reply
        case _:
            return False
