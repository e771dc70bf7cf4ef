"""What the recorded runs have read, and behind which of them is to be read what none of them has.

    extraction    it has read the messages that it names
    summary       it has read all that was said up to a point of its session; one whose reply was withdrawn, all that
                  had been heard when it was recorded

What is read from earlier words is not made behind what is read from later ones: where a run is still to come that ends
before a message was said, that message waits for it. So it is where learning was broken off.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import accumulate

from projections.ids import EventId, Handle, Point
from projections.rederiving.schedule import Run

Session = tuple[str, int]
Find = Callable[[EventId], int | None]
"""Where an event is in the log (seq)."""


class Reach:
    """How far the runs of one person or one session read, and where each was recorded."""

    def __init__(self, runs: Iterable[tuple[Point, int]] = ()) -> None:
        ordered = sorted(runs)
        self._uptos = [upto for upto, _ in ordered]
        self._last = list(accumulate((seq for _, seq in ordered), max))

    @property
    def farthest(self) -> Point | None:
        """The last point that any of them read up to."""
        return self._uptos[-1] if self._uptos else None

    def behind(self, point: Point) -> int:
        """The last seq of those that end before a point; 0 where none does."""
        number = bisect_left(self._uptos, point)
        return self._last[number - 1] if number else 0


NOWHERE = Reach()


class Covered:
    """What these runs have read. `messages` are those that extractions name, `spoken` what summaries do."""

    def __init__(self, runs: Iterable[Run], find: Find) -> None:
        people: dict[Handle, list[tuple[Point, int]]] = defaultdict(list)
        sessions: dict[Session, list[tuple[Point, int]]] = defaultdict(list)
        messages: set[EventId] = set()
        spoken: set[EventId] = set()
        self._withdrawn: dict[Session, int] = {}
        for run in runs:
            seq = find(run.event) or 0
            read = messages if run.audience is None else spoken
            read.update(run.reads or ())
            where = None if run.audience is None else (run.session, run.audience.epoch)
            if run.upto is not None:
                (people[run.owner] if where is None else sessions[where]).append((run.upto, seq))
            elif where is not None:
                self._withdrawn[where] = max(seq, self._withdrawn.get(where, 0))
        self.messages = frozenset(messages)
        self.spoken = frozenset(spoken)
        self._people = {person: Reach(each) for person, each in people.items()}
        self._sessions = {where: Reach(each) for where, each in sessions.items()}

    def is_summarised(self, where: Session, point: Point, seq: int) -> bool:
        """Whether a summary has read what was said at a point of a session, and recorded at this seq."""
        farthest = self._sessions.get(where, NOWHERE).farthest
        return (farthest is not None and point <= farthest) or seq < self._withdrawn.get(where, 0)

    def of_person(self, person: Handle, point: Point) -> int:
        """The seq of the last run behind which is learned from what a person said at a point; 0 where there is none."""
        return self._people.get(person, NOWHERE).behind(point)

    def of_session(self, where: Session, point: Point) -> int:
        """The same of what was said in a session."""
        return self._sessions.get(where, NOWHERE).behind(point)
