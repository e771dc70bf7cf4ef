"""What the runs of a session could read, each as much as was there when it was recorded."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from projections.ids import EventId, Point

Where = tuple[str, int]
There = Callable[[EventId], bool]
"""Whether an event had been recorded when a run was."""


def always(_: EventId) -> bool:
    """For what reads whatever there is."""
    return True


class Spoken:
    """What was said in each session, by the first run that could read it. `upto` adds to it, and is what a run and all
    runs before it could read: also when others are added behind them. `edited` are the messages that say something else
    than at first. `is_said` tells a message or an answer from whatever else a run had before it.
    """

    def __init__(self, edited: Mapping[Where, Sequence[Point]], is_said: Callable[[EventId], bool] = always) -> None:
        self._edited = edited
        self._is_said = is_said
        self._first: dict[Where, dict[EventId, int]] = {}
        self._until: dict[Where, int] = {}
        self._count = 0

    def upto(self, where: Where, reads: Iterable[EventId], said: int, there: There = always) -> "Upto":
        """What may be read of a session by now, these with it, of which the last was said by then (ms); of what was
        edited later nothing, as `there` knows.
        """
        self._count += 1
        first = self._first.setdefault(where, {})
        news = frozenset(each for each in reads if first.setdefault(each, self._count) == self._count)
        until = self._until[where] = max(said, self._until.get(where, said))
        return Upto(first, self._count, until, there, self._edited.get(where, ()), news, self._is_said)


class Upto:
    """Messages and answers, all said by `until` (ms), as they were then; of the messages `edited` may say something
    else than at first. `news` are the events that no run before this one could read, `is_said` which of them count.
    """

    def __init__(
        self,
        first: Mapping[EventId, int],
        number: int,
        until: int,
        there: There,
        edited: Sequence[Point] = (),
        news: frozenset[EventId] = frozenset(),
        is_said: Callable[[EventId], bool] = always,
    ) -> None:
        self._first = first
        self._number = number
        self._there = there
        self._news = news
        self._is_said = is_said
        self.until = until
        self.edited = edited

    def has(self, heard: EventId, version: EventId) -> bool:
        """Whether it is among them."""
        return (self._is_read(heard) or self._is_read(version)) and self._there(version)

    def is_new(self, heard: EventId, version: EventId) -> bool:
        """Whether no run before this one could read it."""
        return min(self._first.get(each, self._number) for each in (heard, version)) == self._number

    def has_more(self, known: Set[EventId]) -> bool:
        """Whether anything that no run before this one could read is of other events than these."""
        return any(map(self._is_said, self._news - known))

    def _is_read(self, event: EventId) -> bool:
        return self._first.get(event, self._number + 1) <= self._number
