"""Events that decisions rest on, opened once and handed from one write group to the next."""

from itertools import islice

from projections.events import Event
from projections.ids import EventId
from replay.known import Seen
from replay.log import Head

MOST_OPENED = 1024
"""How many events of the log that others rest on are kept, and how many that others may: about 2 KB each, from group to
group.
"""
MOST_TAKEN = 16_384
"""How many events are kept that were taken over: an import is learned from behind all of it."""


class Opened:
    """Events that others rest on, each opened once, or not at all where it was recorded just now; and where events are,
    each looked up once: what is decided about somebody rests on the same ones again and again. Each group hands them to
    the next, if its commit came to be and nothing else happened to the log since.
    """

    def __init__(self) -> None:
        self.events: dict[EventId, Event] = {}
        self.taken: dict[EventId, Event] = {}
        """What was taken over lately."""
        self.seen: Seen = {}
        self._as_of: Head | None = None

    def at(self, head: Head) -> "Opened":
        """What is known of a log that ends so, for a group that will say how far it `reached`."""
        if head != self._as_of:
            self.forget()
        self._as_of = None
        return self

    def forget(self) -> None:
        """Know nothing any more."""
        for each in (self.events, self.taken, self.seen):
            each.clear()

    def trim(self) -> None:
        """Let go of what was kept first, where it is too much."""
        for each, most in ((self.events, MOST_OPENED), (self.taken, MOST_TAKEN)):
            if len(each) > most:
                for event in list(islice(each, len(each) // 2)):
                    del each[event]

    def find(self, event: EventId) -> Event | None:
        """An event that is known."""
        return self.events.get(event) or self.taken.get(event)

    def reached(self, head: Head) -> None:
        """The log ends here by now."""
        self._as_of = head
