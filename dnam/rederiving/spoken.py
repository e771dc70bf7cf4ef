"""What the runs of a session could read, each as much as was there when it was recorded."""

from collections.abc import Container, Iterable, Mapping

from projections.ids import EventId


class Spoken:
    """What was said in each session, by the first run that could read it. `upto` adds to it, and is what a run and all
    runs before it could read: also when others are added behind them.
    """

    def __init__(self) -> None:
        self._first: dict[tuple[str, int], dict[EventId, int]] = {}
        self._count = 0

    def upto(self, where: tuple[str, int], reads: Iterable[EventId]) -> Container[EventId]:
        """What may be read of a session by now, these with it."""
        self._count += 1
        first = self._first.setdefault(where, {})
        for each in reads:
            first.setdefault(each, self._count)
        return _Upto(first, self._count)


class _Upto:
    def __init__(self, first: Mapping[EventId, int], number: int) -> None:
        self._first = first
        self._number = number

    def __contains__(self, event: object) -> bool:
        return isinstance(event, bytes) and self._first.get(EventId(event), self._number + 1) <= self._number
